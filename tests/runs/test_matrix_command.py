"""`clusterdiff matrix` at the prompt."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from cli.runner import run

TABLE = """id,leiden_1,leiden_2,leiden_3
a,1,1,1
b,1,1,1
c,1,2,1
d,2,2,2
e,2,2,2
f,2,2,3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    for name in ("one", "two"):
        Path(f"{name}.csv").write_text("id,cluster\na,1\nb,1\nc,2\n")
    Path("part.csv").write_text("id,cluster\na,1\nb,1\n")
    return tmp_path


def test_columns_of_a_table() -> None:
    ran = run("matrix", "t.csv::leiden_*", "-m", "elm_f")
    assert ran.code == 0
    assert "medoid     leiden_1" in ran.stdout
    assert "leiden_2  1.0000    0.6222    0.3889" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80


def test_files_and_formats() -> None:
    told = json.loads(run("matrix", "one.csv", "two.csv", "-f", "json").stdout)
    assert told["names"] == ["one.csv", "two.csv"]
    assert told["values"] == [[1.0, 1.0], [1.0, 1.0]]
    assert told["standard_error"] is None
    rows = list(csv.reader(run("matrix", "one.csv", "two.csv", "-f", "csv").stdout.splitlines()))
    assert rows[0] == ["truth", "guess", "value", "objects"]
    assert len(rows) == 5
    for format in ("md", "latex"):
        assert "one.csv" in run("matrix", "one.csv", "two.csv", "-f", format).stdout


def test_annotators() -> None:
    ran = run(
        "matrix", "t.csv::leiden_1", "--truth", "t.csv::leiden_2", "--truth", "t.csv::leiden_3"
    )
    assert ran.code == 0
    assert "guesses against 2 annotators" in ran.stdout
    assert "leiden_1    0.5151  0.7059" in ran.stdout
    both = run("matrix", "t.csv::leiden_1", "--truth", "t.csv::leiden_[23]")
    assert both.stdout == ran.stdout


def test_objects_and_pictures_are_written(folder: Path) -> None:
    ran = run(
        "matrix", "t.csv::leiden_*", "--objects", "o.csv", "--plot", "h.html", "--map", "m.html"
    )
    assert ran.code == 0
    assert ran.stderr.splitlines() == ["o.csv: 6 objects", "h.html", "m.html"]
    rows = list(csv.DictReader(Path("o.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == list("fcdeab")
    assert "heatmap" in Path("h.html").read_text()
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) == []


def test_missing_objects() -> None:
    ran = run("matrix", "one.csv", "part.csv")
    assert (ran.code, ran.stdout) == (2, "")
    assert "1 of 3 objects of all 2 runs are not in part.csv ('c')" in ran.stderr
    assert "--align shared" in ran.stderr
    shared = run("matrix", "one.csv", "part.csv", "--align", "shared")
    assert "1 of 2 runs lacks objects (1 of 3)" in shared.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["one.csv"], "a matrix compares at least two clusterings, got 1"),
        (["one.csv", "one.csv"], "one.csv"),
        (["one.csv", "nofile.csv"], "File not found: nofile.csv"),
        (["one.csv", "two.csv", "-m", "nothing"], "no measure is called 'nothing'"),
        (["one.csv", "two.csv", "--objects", "one.csv"], "would be overwritten"),
        (["one.csv", "two.csv", "--plot", "gone/h.html"], "gone/h.html"),
        (["one.csv", "two.csv", "--plot", "h.txt"], "cannot be written as h.txt"),
        (["t.csv::louvain_*"], "louvain_*"),
        (["one.csv", "--truth", "two.csv"], "at least two clusterings"),
    ],
)
def test_refusals(arguments: list[str], text: str) -> None:
    ran = run("matrix", *arguments)
    if arguments == ["one.csv", "one.csv"]:
        assert ran.code == 0
        assert "one.csv (1)" in ran.stdout
        return
    assert ran.code == 2
    assert text in ran.stderr
    assert "Traceback" not in ran.stderr
