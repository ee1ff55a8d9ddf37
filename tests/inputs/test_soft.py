"""Uncertain clusterings from files and frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.io import clustering
from refusals import refuses

pytestmark = pytest.mark.usefixtures("folder")

LONG = "id,cluster,degree\nx,a,1\ny,a,0.25\ny,b,0.75\n"
WIDE = "id,a,b\nx,1,0\ny,0.25,0.75\n"
WANTED = {frozenset("a"): 0.25, frozenset("b"): 0.75}


def write(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", LONG),
        ("a.csv", WIDE),
        ("a.tsv", LONG.replace(",", "\t")),
        ("a.json", '{"x": {"a": 1}, "y": {"a": 0.25, "b": 0.75}}'),
        ("a.json", '{"x": "a", "y": {"a": 0.25, "b": 0.75}}'),
        (
            "a.jsonl",
            '{"id": "x", "cluster": "a", "p": 1}\n{"id": "y", "cluster": "a", "prob": 0.25}\n'
            '{"id": "y", "cluster": "b", "prob": 0.75}\n'.replace('"p"', '"prob"'),
        ),
    ],
)
def test_degrees_from_files(name: str, text: str) -> None:
    made = cd.read(write(name, text), kind="fuzzy")
    assert isinstance(made, cd.Fuzzy)
    assert made.of("y") == WANTED


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table])
def test_degrees_from_frames(table: Any) -> None:
    long = {"id": list("xyy"), "cluster": list("aab"), "mass": [1.0, 0.25, 0.75]}
    wide = {"id": list("xy"), "a": [1.0, 0.25], "b": [0.0, 0.75]}
    for columns in (long, wide):
        made = clustering(table(columns), "fuzzy")
        assert isinstance(made, cd.Fuzzy)
        assert made.of("y") == WANTED


def test_masses_and_sets_from_files() -> None:
    masses = cd.read(write("m.csv", "id,set,mass\nx,a,0.5\nx,a|b,0.5\n"), kind="evidential",
                     cluster="set")  # fmt: skip
    assert isinstance(masses, cd.Evidential)
    assert masses.of("x") == {frozenset("a"): 0.5, frozenset("ab"): 0.5}
    wide = cd.read(write("w.csv", "id,a,a|b\nx,0.5,0.5\n"), kind="evidential")
    assert isinstance(wide, cd.Evidential)
    assert wide.of("x") == masses.of("x")
    for name, text in (
        ("r.csv", "id,cluster\nx,a\nx,b\ny,a\n"),
        ("r.json", '{"x": ["a", "b"], "y": ["a"]}'),
        ("r.labels", "a b\na\n"),
        ("r.clusters", "x y\nx\n"),
    ):
        rough = cd.read(write(name, text), kind="rough")
        assert isinstance(rough, cd.Rough)
        assert rough.masses.focal.size[rough.code].tolist() == [2, 1]


def test_a_file_without_degrees_is_a_partition() -> None:
    for kind in ("fuzzy", "possibilistic", "evidential"):
        assert isinstance(cd.read(write("p.csv", "id,cluster\nx,a\n"), kind=kind), cd.Partition)
        assert isinstance(cd.read(write("p.json", '{"x": "a"}'), kind=kind), cd.Partition)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "id,cluster,how\nx,a,1\n", "none is named like a degree"),
        ("a.csv", "who,a,b\nann,1,0\n", "'who' holds other things than numbers"),
        ("a.csv", "cluster,degree\na,1\n", "need an id for each row"),
        ("a.csv", "id,cluster,degree\nx,a,much\n", "'much' is a str"),
        ("a.csv", "id,cluster,degree\nx,a,0.5\n", "do not sum to one"),
        ("a.json", '{"x": {"a": 1}, "x": {"b": 1}}', "names 'x' twice"),
    ],
)
def test_bad_files_say_what_is_wrong(name: str, text: str, message: str) -> None:
    refuses(message, cd.read, write(name, text), kind="fuzzy")


def test_other_names_for_columns_and_other_sums() -> None:
    path = write("a.csv", "key,topic,share\nx,a,0.5\nx,b,0.25\n")
    made = cd.read(path, kind="fuzzy", degree="share", rest="empty")
    assert isinstance(made, cd.Fuzzy)
    assert made.of("x")[frozenset()] == 0.25
    refuses("did you mean fuzzy", cd.read, path, kind="fuzy")


def test_kinds_for_each_side() -> None:
    guess = {"x": {"a": 1}, "y": {"a": 0.25, "b": 0.75}}
    for kind in ("fuzzy", ("partition", "fuzzy"), "partition,fuzzy"):
        assert cd.rand_alpha({"x": 1, "y": 2}, guess, kind=kind) == 0.75
    assert cd.rand_alpha([1, 2], [[1, 0], [0.25, 0.75]], kind="fuzzy") == 0.75
    assert cd.rand_alpha([1, 2], [{"a"}, {"a", "b"}], kind="rough").high == 1
    refuses("3 kinds are too many", cd.rand_alpha, [1, 2], [1, 2], kind="rough,rough,rough")


def test_json_degrees_without_a_kind_say_which_kind_they_are() -> None:
    path = write("a.json", json.dumps({"x": {"a": 1}}))
    refuses('kind="fuzzy"', cd.read, path)
