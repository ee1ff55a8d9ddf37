"""Long names of guesses that begin alike are shortened in tables for a terminal, and only there."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.output.text import columns, short_names

BUILD = "predictions-of-the-nightly-build-of-the-linkage-pipeline"
"""Begins the names of all guesses, which are files: columns of one table go by their own names."""
GUESSES = [f"{BUILD}-pred_{run}.csv" for run in "abc"]
ROWS = ["1,x,p,p,p", "2,x,p,q,q", "3,y,q,q,r", "4,y,q,q,s"]


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for place, name in enumerate(["truth.csv", *GUESSES], 1):
        cells = (row.split(",") for row in ROWS)
        text = "".join(f"{row[0]},{row[place]},mon\n" for row in cells)
        Path(name).write_text(f"id,cluster,day\n{text}")
    return ["truth.csv", *GUESSES]


def scores(text: str) -> list[str]:
    """The lines of the table of scores."""
    return text.split("\n\n")[1].rstrip().split("\n")


def test_three_guesses_fit_in_80_columns(sides: list[str]) -> None:
    lines = scores(run("compare", *sides, "--cluster", "cluster", "-m", "elm,pair").stdout)
    assert lines[0].split() == ["…_a.csv", "…_b.csv", "…_c.csv"]
    assert "" not in lines[:-2]
    assert all(columns(line) <= 80 for line in lines)


def test_samples_too(sides: list[str]) -> None:
    asked = ["--cluster", "cluster", "--samples", "day", "-m", "elm,pair"]
    (first, *_) = scores(run("compare", *sides, *asked).stdout)
    assert first.split()[:2] == ["…_a.csv", "macro"]


@pytest.mark.parametrize("form", ["json", "csv", "md", "latex"])
def test_other_formats_have_whole_names(sides: list[str], form: str) -> None:
    text = run("compare", *sides, "--cluster", "cluster", "-f", form).stdout
    assert "…" not in text
    if form == "json":
        assert list(json.loads(text)["guesses"]) == sides[1:]
    if form == "csv":
        assert {row["guess"] for row in csv.DictReader(io.StringIO(text))} == set(sides[1:])


def test_what_fits_is_left_alone() -> None:
    names = ["runs.csv::a", "runs.csv::b"]
    report = cd.compare([1, 1, 2], {name: [1, 2, 2] for name in names}, ["rand"])
    assert scores(report.to_text(80))[0].split() == names
    assert scores(report.to_text(24))[0].split() == ["…::a", "…::b"]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["t.csv::old", "t.csv::new"], ["…::old", "…::new"]),
        (["data/x/one.csv", "data/x/two.csv"], ["…/one.csv", "…/two.csv"]),
        (["run_a", "run_b"], ["…_a", "…_b"]),
        (["left", "right"], ["left", "right"]),
        (["t.csv::a", "t.csv::a::b"], ["…::a", "…::a::b"]),
        (["t.csv::ab", "t.csv::abc"], ["…::ab", "…::abc"]),
        (["only"], ["only"]),
    ],
)
def test_short_names(names: list[str], short: list[str]) -> None:
    assert short_names(names, 56) == short


def test_no_two_guesses_have_one_short_name() -> None:
    names = [f"{'x' * 40}{c}{'y' * 40}" for c in "abc"]
    short = short_names(names, 20)
    assert len(set(short)) == 3
    assert all(columns(name) <= 20 for name in short)
