"""Other packages add measures and input formats by entry points, and harm nothing."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import clusterdiff as cd
from clusterdiff.io.formats import formats, own
from clusterdiff.plugins import loaded
from packages import installed, write
from refusals import refuses

MEASURES = '''
from clusterdiff.extending import Shapes, measure, ratio

@measure(cite="Somebody 2020", symmetric=False, perfect=False)
def kept_whole(s: Shapes) -> float:
    """Share of the objects whose guess cluster holds all of their truth cluster."""
    return ratio(int((s.both * (s.both == s.truth_size)).sum()), s.objects)
'''
FORMATS = """
from clusterdiff.extending import Format, Partition

def read(source):
    return Partition(dict(line.split("=") for line in source.text().split()))

FORMAT = Format("keyed", read, (".kv",), "  .kv           id=label, one per line")
BYTES = Format("bytes", lambda source: Partition(list(source.start)), (".raw",), binary=True)
"""
POINTS = """
[clusterdiff.measures]
kept_whole = whole:kept_whole
[clusterdiff.formats]
pairs = keyvalue:FORMAT
bytes = keyvalue:BYTES
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "site", "somepackage", POINTS, whole=MEASURES, keyvalue=FORMATS)


@pytest.fixture
def package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed(folder, monkeypatch):
        yield


@pytest.mark.usefixtures("package")
def test_a_measure_is_found_by_name_everywhere() -> None:
    truth, guess = list("aaabb"), list("xxyzz")
    found = cd.measure("kept_whole")
    assert cd.kept_whole is found  # type: ignore[attr-defined]
    assert found(truth, guess) == cd.compare(truth, guess, "kept_whole")["kept_whole"].value
    assert found in cd.measures()
    assert "kept_whole" in dir(cd)
    assert pickle.loads(pickle.dumps(found)) == found
    assert cd.measures()[-1] is found


@pytest.mark.usefixtures("package")
def test_a_format_is_known_by_its_ending_and_its_name(tmp_path: Path) -> None:
    file, other, raw = tmp_path / "a.kv", tmp_path / "a.txt", tmp_path / "a.raw"
    for path in (file, other):
        path.write_text("x=1\ny=1\nz=2\n")
    raw.write_bytes(b"\0\0\1")
    assert cd.rand(file, {"x": 1, "y": 1, "z": 2}) == 1
    assert cd.rand(cd.read(other, as_="keyed"), file) == 1
    assert cd.rand(raw, [1, 1, 2]) == 1
    refuses("no columns", cd.read, f"{file}::gold")
    refuses("There are .*, keyed", cd.read, file, as_="nonsense")


def test_nobody_is_asked_while_our_own_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_text("id,cluster\n1,a\n2,b\n")
    site = write(tmp_path / "site", "broken", POINTS, whole="import nowhere", keyvalue="1/0")
    with installed(site, monkeypatch), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cd.rand(tmp_path / "t.csv", tmp_path / "t.csv") == 1
        assert cd.measure("elm_f(alpha=0.2)") == cd.elm_f(alpha=0.2)
        assert not hasattr(cd, "__wrapped__")


def test_a_broken_package_is_warned_of_once_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = POINTS + "number = json:__name__\n"
    site = write(tmp_path, "broken", points, whole="import nowhere", keyvalue="raise SystemExit(3)")
    with installed(site, monkeypatch):
        with pytest.warns(cd.ClusterdiffWarning, match=r"package broken names 'whole:.*nowhere"):
            assert len(cd.measures()) == len(cd.measures())
        with pytest.warns(cd.ClusterdiffWarning) as told:
            assert formats() == own()
        assert len(told) == 3
        assert "which is a str and nothing that belongs there" in str(told[-1].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            refuses("no measure is called 'kept_whole'", cd.measure, "kept_whole")


def test_no_package_replaces_a_measure_or_a_format_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rand, long = cd.rand, own()["long"]
    site = write(
        tmp_path, "other", POINTS,
        whole=MEASURES.replace("kept_whole", "rand"),
        keyvalue=FORMATS.replace('"keyed"', '"long"').replace(".kv", ".csv"),
    )  # fmt: skip
    with installed(site, monkeypatch):
        with pytest.warns(cd.ClusterdiffWarning, match="there is a measure rand already"):
            assert cd.rand is cd.measures()[cd.measures().index(rand)]
        assert cd.rand is rand
        assert formats()["long"] is long


def test_a_group_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = "[clusterdiff.backends]\nmine = elsewhere:BACKEND\n"
    site = write(tmp_path, "mine", points, elsewhere="BACKEND = {'name': 'mine'}\n")
    with installed(site, monkeypatch):
        found = loaded("backends", dict)
        assert found == {"mine": {"name": "mine"}}
        assert loaded("backends", dict) is found
    monkeypatch.undo()
    assert "mine" not in loaded("backends")


def test_the_command_has_them_too(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.kv").write_text("x=1\ny=1\nz=2\n")

    def run(*arguments: str) -> str:
        path = os.pathsep.join([str(folder), *filter(None, sys.path)])
        command = [sys.executable, "-m", "clusterdiff", *arguments]
        ran = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        assert not ran.stderr
        return ran.stdout

    assert "1.0" in run("compare", "a.kv", "a.kv", "-m", "kept_whole")
    assert ".kv           id=label, one per line" in run("compare", "--help-all")
    assert "Somebody 2020" in run("measures", "kept_whole")
    assert "\nwhole\n  kept_whole  " in run("measures")
