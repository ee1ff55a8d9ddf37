"""What is written, in whatever encoding standard output has; and what is said when memory ends."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.cli import streams
from clusterdiff.cli.main import run as command
from clusterdiff.measures.base import Measure


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Truth and two guesses; names that few encodings have."""
    paths = [tmp_path / f"{name}.csv" for name in ("truth", "guess", "other")]
    labels = (["a", "a", "b", "b"], ["é–…", "é–…", "日", "😀"], ["x", "x", "y", "y"])
    for path, own in zip(paths, labels, strict=True):
        rows = [f"{i},{label}" for i, label in enumerate(own)]
        path.write_text("\n".join(["id,cluster", *rows]), encoding="utf-8")
    return [str(path) for path in paths]


def written(encoding: str, *arguments: str) -> str:
    """What the command writes to a pipe with this encoding."""
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    with (
        mock.patch.object(sys, "argv", ["clusterdiff", *arguments]),
        mock.patch.object(sys, "stdout", out),
        pytest.raises(SystemExit) as ended,
    ):
        command()
    assert ended.value.code == 0
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode(encoding)


def test_signs_of_ours_have_a_spelling_everywhere(files: list[str]) -> None:
    assert "1.0000 ▲" in written("utf-8", "compare", *files)
    for encoding in ("ascii", "cp1252"):
        said = written(encoding, "compare", *files)
        assert "1.0000 ^" in said
        assert "?" not in said


def test_names_are_escaped(files: list[str]) -> None:
    said = written("ascii", "explain", *files[:2])
    assert "\\u65e5" in said
    assert "?" not in said


def test_json_and_csv_hold_the_names_as_they_are(files: list[str]) -> None:
    wanted = json.loads(written("utf-8", "explain", *files[:2], "-f", "json"))
    assert "日" in json.dumps(wanted, ensure_ascii=False)
    for encoding in ("ascii", "cp1252", "latin-1"):
        assert json.loads(written(encoding, "explain", *files[:2], "-f", "json")) == wanted
    assert ",\\u65e5,1,1," in written("ascii", "explain", *files[:2], "-f", "csv")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("▲ ✓ ✗ a–b …", "^ + x a-b ..."),
        ("é", "\\u00e9"),
        ("日▲", "\\u65e5^"),
        ("😀", "\\ud83d\\ude00"),
    ],
)
def test_spellings(text: str, wanted: str) -> None:
    assert text.encode("ascii", "clusterdiff") == wanted.encode()


def test_data_keeps_its_signs_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ascii:
        encoding = "ascii"

    monkeypatch.setattr(sys, "stdout", Ascii())
    assert streams.exact("a–b") == "a\\u2013b"
    assert streams.exact("half \udc80") == "half \\udc80"


@pytest.mark.parametrize(("guess", "code"), [(2, 0), (None, 2)])
def test_closed_streams(guess: int | None, code: int, files: list[str]) -> None:
    other = "-" if guess is None else files[guess]
    line = " ".join([sys.executable, "-m", "clusterdiff compare", files[0], other, "<&- >&-"])
    ran = subprocess.run(line, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == code
    assert ran.stderr.partition("\n")[0] in ("", "clusterdiff: standard input has no rows.")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        np._core._exceptions._ArrayMemoryError((10**9,), np.dtype(float)),  # type: ignore[attr-defined]
        duckdb.OutOfMemoryException("failed to allocate"),
        RuntimeError("can't start new thread"),
    ],
)
def test_memory_that_ends(
    error: Exception, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any) -> None:
        raise error

    monkeypatch.setattr(Measure, "of", fails)
    for verb in (["compare"], ["explain"], ["diff", files[2]]):
        ran = run(verb[0], *files[:2], *verb[1:])
        assert ran.code == 2
        assert ran.stdout == ""
        assert ran.stderr.startswith("clusterdiff: the memory of this machine is not enough.\n")


def test_depth_that_ends(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any) -> None:
        raise RecursionError

    monkeypatch.setattr(Measure, "of", fails)
    ran = run("compare", *files[:2])
    assert ran.code == 2
    assert ran.stderr.startswith("clusterdiff: the input is nested too deeply.")


# Warnings at the prompt: a paragraph on standard error with a hint in flags, and the scores.


@pytest.mark.filterwarnings("default")
def test_labels_that_look_missing_are_told_in_flags(tmp_path: Path) -> None:
    truth, guess = tmp_path / "truth.json", tmp_path / "guess.json"
    truth.write_text('{"a": "<NA>", "b": "<NA>", "c": "x"}')
    guess.write_text('{"a": "1", "b": "2", "c": "3"}')
    ran = run("compare", str(truth), str(guess), "-m", "rand")
    assert ran.code == 0
    assert "0.6667" in ran.stdout
    assert ran.stderr.startswith("clusterdiff: 2 of 3 labels in truth are the text '<NA>'")
    assert 'Hint: if they are missing values, say --noise "<NA>"' in ran.stderr
    assert ".py" not in ran.stderr
    quiet = run("compare", str(truth), str(guess), "-m", "rand", "--noise", "<NA>")
    assert "1.0000" in quiet.stdout
    assert quiet.stderr == ""


@pytest.mark.filterwarnings("default")
def test_other_warnings_are_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def noisy() -> None:
        warnings.warn("something else", DeprecationWarning, stacklevel=1)

    monkeypatch.setattr("clusterdiff.cli.main.app", noisy)
    with pytest.warns(DeprecationWarning, match="something else"):
        run("demo")
    monkeypatch.setattr("clusterdiff.cli.main.app", lambda: warnings.warn(_ours(), stacklevel=1))
    assert run("demo").stderr == "clusterdiff: so it is.\n  Hint: --align shared\n"


def _ours() -> cd.ClusterdiffWarning:
    return cd.ClusterdiffWarning("so it is.", 'align="shared"')
