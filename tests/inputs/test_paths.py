"""The file that is named is the file that is read; one that is missing is told at once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import clusterdiff as cd
from refusals import refuses

WANTED = cd.meet({"p": 1, "q": 1, "r": 2}, {"p": 5, "q": 5, "r": 5})
ROWS = "id,cluster\np,1\nq,1\nr,2\n"
OTHER = "id,cluster\np,5\nq,5\nr,5\n"
NAMES = [
    "~x.csv", "~", "file:x.csv", "run[1].csv", "a*.csv", "q?.csv", "{x}.csv", "[", "a]b.csv",
    "s3:x.csv", "a%20b.csv", "$HOME.csv", "a\\[1].csv", "a\\b.csv", "x'y.csv", "-x.csv",
    os.fsdecode(b"caf\xe9.csv"), "d[1]/x.csv", "~/x.csv", "file:/x.csv",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_names_are_taken_as_they_are(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder, rows in (("here", ROWS), ("home", OTHER)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").write_text(OTHER)
        (tmp_path / folder / "run1.csv").write_text(OTHER)
        at = tmp_path / folder / name
        at.parent.mkdir(exist_ok=True)
        at.write_text(rows)
    monkeypatch.chdir(tmp_path / "here")
    assert cd.meet(name, str(tmp_path / "here" / "run1.csv"), engine=engine) == WANTED


@pytest.mark.parametrize("name", ["~/x.csv", "file:x.csv", "file:///x.csv"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_home_and_schemes_are_not_expanded(
    name: str, engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    Path("x.csv").write_text(ROWS)
    caught = refuses(None, cd.meet, name, name, engine=engine)
    assert name in caught.message
    wanted = "the shell expands ~" if name.startswith("~") else "without file:"
    assert wanted in caught.hint


def test_a_missing_file_beside_many_others_is_told_at_once(tmp_path: Path) -> None:
    for i in range(3_000):
        (tmp_path / f"result-of-run-{i:06}.csv").touch()
    (tmp_path / "truth.csv").touch()
    start = time.process_time()
    caught = refuses(None, cd.read, tmp_path / "trut.csv")
    assert caught.hint == f"did you mean {tmp_path / 'truth.csv'}?"
    caught = refuses(None, cd.read, tmp_path / "result-of-run-001234.cvs")
    assert "did you mean" in caught.hint
    assert time.process_time() - start < 1
    caught = refuses(None, cd.read, tmp_path / "something-else.parquet")
    assert "did you mean" not in caught.hint
