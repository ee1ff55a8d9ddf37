"""Compiled code is optional: damaged, unreadable, unwritable or without Numba, the numbers stay."""

from __future__ import annotations

import errno
import importlib.util
import pickle
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusterdiff import compiled as module
from clusterdiff.compiled import compiled
from clusterdiff.errors import ClusterdiffWarning

CODE = """
from clusterdiff.compiled import compiled

@compiled
def total(values):
    found = 0
    for i in range(values.size):
        found += values[i] * (i + 1)
    return found
"""
VALUES = np.array([3, 1, 4, 1, 5])
WANTED = 3 + 2 + 12 + 4 + 25
fresh = count()


def function(folder: Path) -> Any:
    """The function of a module in this folder, as a new process would import it."""
    path = folder / "kernel.py"
    if not path.exists():
        path.write_text(CODE)
    spec = importlib.util.spec_from_file_location(f"kernel{next(fresh)}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.total


def kept(folder: Path, ending: str) -> Path:
    [file] = (folder / "__pycache__").glob(f"*.{ending}")
    return file


def test_code_is_kept_and_used_again(tmp_path: Path) -> None:
    first, second = function(tmp_path), function(tmp_path)
    assert first(VALUES) == WANTED
    assert sum(first.stats.cache_misses.values()) == 1
    assert second(VALUES) == WANTED
    assert sum(second.stats.cache_hits.values()) == 1


def _flipped(data: bytes) -> bytes:
    """Half of it as it was, then every tenth byte another one."""
    half = len(data) // 2
    return data[:half] + bytes(b ^ 1 if i % 10 == 0 else b for i, b in enumerate(data[half:]))


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "flipped": _flipped,
    "other": lambda data: b"no code at all",
    "pickled": lambda data: pickle.dumps((1, 2, 3)),
}


@pytest.mark.parametrize(
    ("ending", "damage"), [("nbi", "empty"), ("nbi", "cut"), *(("nbc", how) for how in DAMAGE)]
)
def test_damaged_files(ending: str, damage: str, tmp_path: Path) -> None:
    assert function(tmp_path)(VALUES) == WANTED
    file = kept(tmp_path, ending)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    assert function(tmp_path)(VALUES) == WANTED
    again = function(tmp_path)
    assert again(VALUES) == WANTED
    assert sum(again.stats.cache_hits.values()) == 1, "what was damaged is written anew"


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterdiff.compiled_cache import CheckedFiles

    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(CheckedFiles, "_open_for_write", full)
    assert function(tmp_path)(VALUES) == WANTED
    assert list((tmp_path / "__pycache__").glob("*.nb?")) == []


def test_no_place_to_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with suppress(FileNotFoundError):
        (tmp_path / "__pycache__").rmdir()
    (tmp_path / "__pycache__").write_text("")
    assert function(tmp_path)(VALUES) == WANTED


def _spread(word: Any) -> Any:
    return word * np.uint64(0x9E3779B97F4A7C15)


inner = compiled(inline="always")(_spread)


@compiled
def outer(words: Any) -> Any:
    found = np.uint64(0)
    for i in range(words.size):
        found ^= inner(words[i])
    return found


def test_without_numba_functions_run_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_installed", lambda package: False)
    words = np.arange(1, 1000, dtype=np.uint64)
    alone = compiled(outer.function)
    assert alone(words) == np.bitwise_xor.reduce(_spread(words)), "and overflow without a word"


def test_without_numba_long_work_says_once_what_would_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_installed", lambda package: False)
    monkeypatch.setattr(module, "_spent", 0.0)
    monkeypatch.setattr(module, "PATIENCE", 1e-3)
    alone = compiled(outer.function)
    words = np.arange(20_000, dtype=np.uint64)
    with pytest.warns(ClusterdiffWarning, match=r"pip install 'clusterdiff\[fast\]'"):
        alone(words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone(words)
