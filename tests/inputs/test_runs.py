"""Several clusterings as people hold them: dicts, lists, frames, files, columns of one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io.read import expanded
from clusterdiff.io.runs import LabelledRuns, named_paths, opened_runs
from refusals import refuses

TABLE = {"id": ["p", "q", "r"], "leiden_1": [1, 1, 2], "leiden_2": [1, 2, 2]}
SAME = [[0, 0, 1], [0, 1, 1]]


def labelled(given: Any, **policy: Any) -> LabelledRuns:
    with opened_runs(given) as runs:
        return runs.labelled(Policy(**policy))


def clusters(given: Any, **policy: Any) -> list[list[int]]:
    return [one.tolist() for one in labelled(given, **policy).clusters]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, lambda t: pl.LazyFrame(t)])
def test_a_frame_has_a_run_in_each_column_but_that_of_the_ids(frame: Any) -> None:
    found = labelled(frame(TABLE))
    assert found.names == ["leiden_1", "leiden_2"]
    assert found.ids is not None
    assert found.ids.tolist() == ["p", "q", "r"]
    assert [one.tolist() for one in found.clusters] == SAME
    assert [one.tolist() for one in found.labels] == [[1, 2], [1, 2]]


def test_the_index_of_pandas_is_the_id_where_nothing_else_is() -> None:
    frame = pd.DataFrame(TABLE).set_index("id")
    shuffled = frame.iloc[[2, 0, 1]]
    found = labelled({"a": labelled_run(frame, 0), "b": labelled_run(shuffled, 1)})
    assert [one.tolist() for one in found.clusters] == SAME
    assert labelled(frame).ids is not None
    assert labelled(frame.reset_index(drop=True)).ids is None


def labelled_run(frame: pd.DataFrame, place: int) -> dict[str, int]:
    return dict(frame.iloc[:, place].items())


def test_lists_and_dicts() -> None:
    runs = [TABLE["leiden_1"], TABLE["leiden_2"]]
    assert labelled(runs).names == ["1", "2"]
    assert clusters(runs) == clusters([np.array(one) for one in runs]) == SAME
    assert clusters({5: runs[0], "b": runs[1]}) == SAME
    assert labelled({5: runs[0], "b": runs[1]}).names == ["5", "b"]
    assert clusters(["12|3", "1|23"]) == SAME


def test_files_and_columns_of_files(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    pd.DataFrame(TABLE).to_csv(table, index=False)
    pd.DataFrame(TABLE).to_parquet(tmp_path / "table.parquet")
    for path in (table, tmp_path / "table.parquet"):
        assert clusters(f"{path}::leiden_*") == clusters(f"{path}::*") == SAME
    for name in ("leiden_1", "leiden_2"):
        one = pd.DataFrame({"id": TABLE["id"], "cluster": TABLE[name]})
        one.to_csv(tmp_path / f"run_{name}.csv", index=False)
    found = labelled(str(tmp_path / "run_*.csv"))
    assert found.names == ["run_leiden_1.csv", "run_leiden_2.csv"]
    assert [one.tolist() for one in found.clusters] == SAME
    document = tmp_path / "runs.json"
    document.write_text(json.dumps({"a": {"p": 1, "q": 1}, "b": {"p": 1, "q": 2}}))
    assert labelled(f"{document}::*").names == ["a", "b"]


def test_names_are_as_short_as_keeps_them_apart(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    pd.DataFrame(TABLE).to_csv(table, index=False)
    assert [n for n, _ in named_paths([f"{table}::leiden_2", f"{table}::leiden_1"])] == [
        "leiden_2",
        "leiden_1",
    ]
    assert [n for n, _ in named_paths([f"{table}::leiden_2", str(table)])] == [
        "t.csv::leiden_2",
        "t.csv",
    ]
    assert expanded("nowhere_*.csv") == ["nowhere_*.csv"]
    with pytest.raises(
        ClusterdiffError,
        match=r"no column of .*t\.csv matches 'x_\*'; its columns are leiden_1, leiden_2",
    ):
        expanded(f"{table}::x_*")


def test_missing_objects_and_noise() -> None:
    runs = {"a": {"x": 1, "y": 2}, "b": {"x": 1, "z": -1}}
    refuses(r"1 of 3 objects of all 2 runs are not in a \('z'", labelled, runs)
    assert clusters(runs, align="shared", noise=-1, noise_as="drop") == [[0, 1, -1], [1, -1, -1]]
    assert clusters(runs, align="singletons") == [[0, 1, 2], [1, 2, 0]]
    found = labelled(runs, align="shared", noise=-1)
    assert found.missing == [1, 1]
    assert found.noise == [0, 1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([{1, 2}, {3}], "at least two clusterings, got 1"),
        ([1, 2, 3], "got 1"),
        ({"x": 1, "y": 2}, "got 1"),
        ({"a": [1, 2]}, "got 1"),
        ({}, "got 0"),
        (np.zeros((3, 2), int), "a run in each column or in each row"),
        (pd.DataFrame([[1, 2], [1, 1]], columns=["a", "a"]), "two runs are called 'a'"),
        ({1: [1, 2], "1": [1, 2]}, "two runs are called '1'"),
        ({"a": {1: 1}, "b": {"1": 1}}, "the ids of a are integers"),
        ({"a": [1], "b": {"1": 1}}, "b has ids, a has none"),
        ({"a": [1, 2], "b": [1, 2, 3]}, "a has 2 labels, b has 3"),
        ({"a": [1, None], "b": [1, 2]}, "1 of 2 labels in a is null"),
        ({"a": [1, 2], "b": cd.Cover([["x"], ["x", "y"]])}, "'b' is a cover clustering"),
        ({"a": [1, 2], "b": cd.Fuzzy([[0.5, 0.5], [1, 0]])}, "'b' is a fuzzy clustering"),
    ],
)
def test_what_is_no_set_of_runs_is_refused(given: Any, words: str) -> None:
    refuses(words, labelled, given)
    refuses("no truth", labelled, [[1], [1]], align="penalise")
