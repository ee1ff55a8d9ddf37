"""Several columns of one table, named by a pattern."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run

TABLE = """id,cell_type,leiden_0.5,leiden_1.0,louvain
a,T,1,1,1
b,T,1,1,1
c,T,1,2,2
d,B,1,2,2
e,B,2,3,2
"""
COLUMNS = ["leiden_0.5", "leiden_1.0"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("cells.csv").write_text(TABLE)
    Path("truth.csv").write_text("id,cluster\na,T\nb,T\nc,T\nd,B\ne,B\n")
    rows = [line.split(",") for line in TABLE.splitlines()]
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    Path("cells.json").write_text(
        json.dumps({k: dict(zip(columns["id"], columns[k], strict=True)) for k in rows[0][2:]})
    )
    with sqlite3.connect("cells.sqlite") as base:
        base.execute(f"CREATE TABLE runs ({', '.join(map(json.dumps, rows[0]))})")
        base.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", rows[1:])
    return tmp_path


def scores(*arguments: str) -> dict[str, float]:
    """elm_f of each guess."""
    ran = run(*arguments, "-m", "elm_f", "-f", "json")
    assert ran.code == 0, ran.stderr
    return {name: of["elm_f"]["value"] for name, of in json.loads(ran.stdout)["guesses"].items()}


@pytest.mark.parametrize("table", ["cells.csv", "cells.json", "cells.sqlite::runs"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_compare_takes_every_column_that_matches(table: str, engine: str) -> None:
    found = scores("compare", "truth.csv", f"{table}::leiden_*", "--engine", engine)
    named = [f"{table}::{column}" for column in COLUMNS]
    assert found == scores("compare", "truth.csv", *named)
    assert list(found) == COLUMNS
    in_python = cd.compare("truth.csv", f"{table}::leiden_*", "elm_f")
    assert {name: of["elm_f"].value for name, of in in_python.scores.items()} == found


def test_parts_of_a_table_stay_one_table() -> None:
    """Files that fit a pattern are read as one; only the columns are several clusterings."""
    lines = TABLE.splitlines(keepends=True)
    Path("part-1.csv").write_text("".join(lines[:3]))
    Path("part-2.csv").write_text("".join(lines[:1] + lines[3:]))
    assert scores("compare", "truth.csv", "part-*.csv::leiden_*") == scores(
        "compare", "truth.csv", "cells.csv::leiden_*"
    )


def test_a_pattern_beside_other_files_and_one_that_matches_one_column() -> None:
    mixed = scores("compare", "truth.csv", "cells.csv::leiden_*", "truth.csv")
    assert list(mixed) == ["cells.csv::leiden_0.5", "cells.csv::leiden_1.0", "truth.csv"]
    assert list(scores("compare", "truth.csv", "cells.csv::lou*")) == ["cells.csv::louvain"]
    (one,) = cd.compare("truth.csv", "cells.csv::lou*", "elm_f").scores
    assert one == "cells.csv::louvain"


def test_pages_and_estimates() -> None:
    ran = run("report", "truth.csv", "cells.csv::leiden_*", "-o", "page.html")
    assert ran.code == 0, ran.stderr
    page = Path("page.html").read_text()
    assert "truth.csv against leiden_0.5, leiden_1.0" in page
    assert "leiden_1.0" in cd.page("truth.csv", "cells.csv::leiden_*").html
    Path("sample.csv").write_text("id,cluster\na,T\nb,T\nc,T\n")
    found = scores("estimate", "sample.csv", "cells.csv::leiden_*", "--design", "clusters")
    assert list(found) == COLUMNS


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            "compare truth.csv cells.csv::nix_*",
            "no column of cells.csv matches 'nix_*'; its columns are cell_type, leiden_0.5",
        ),
        (
            "matrix cells.csv::nix_*",
            "no column of cells.csv matches 'nix_*'; its columns are cell_type, leiden_0.5",
        ),
        (
            "matrix cells.csv::lou*",
            "at least two clusterings, got 1: cells.csv::lou* matches only one.",
        ),
        (
            "explain truth.csv cells.csv::leiden_*",
            "cells.csv::leiden_* matches 2 columns (leiden_0.5, leiden_1.0). Name one column here",
        ),
        (
            "diff truth.csv cells.csv::leiden_* truth.csv",
            "cells.csv::leiden_* matches 2 columns (leiden_0.5, leiden_1.0). Name one column here",
        ),
        (
            "compare cells.csv::cell_* truth.csv",
            "cells.csv::cell_* matches one column (cell_type). Name one column here",
        ),
    ],
)
def test_patterns_that_name_too_few_or_too_many(command: str, words: str) -> None:
    ran = run(*command.split())
    assert ran.code == 2
    assert words in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr
