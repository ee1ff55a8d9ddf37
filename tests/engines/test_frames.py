"""Frames, Series and communities of other libraries give what lists give."""

from __future__ import annotations

from typing import Any

import duckdb
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from refusals import refuses

DATA = {"id": ["p", "q", "r", "s", "t"], "cluster": ["a", "a", "b", "b", "c"]}
OTHER = {"id": ["t", "s", "r", "q", "p"], "cluster": [3, 3, 1, 1, 1]}
WANTED = cd.meet(["a", "a", "b", "b", "c"], [1, 1, 1, 3, 3])


def relation(data: dict[str, list[Any]]) -> Any:
    table = pa.table(data)
    return duckdb.from_arrow(table)


MAKERS = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, relation]


@pytest.mark.parametrize("make", MAKERS, ids=lambda m: f"{m.__module__}.{m.__name__}")
@pytest.mark.parametrize("other", [pd.DataFrame, pl.DataFrame])
def test_frames(make: Any, other: Any) -> None:
    assert cd.meet(make(DATA), other(OTHER)) == WANTED


SERIES = [
    pd.Series,
    pl.Series,
    pa.array,
    pa.chunked_array,
    np.array,
    lambda x: pd.Series(x, dtype="category"),
    lambda x: pl.Series(x, dtype=pl.Categorical),
    lambda x: pa.array(x).dictionary_encode(),
    lambda x: pd.Series(x, dtype="string"),
    lambda x: np.array(x, dtype=object),
]


@pytest.mark.parametrize("make", SERIES)
def test_series_of_text(make: Any) -> None:
    values = [["a", "a", "b"]] if make is pa.chunked_array else ["a", "a", "b"]
    assert cd.meet(make(values), [1, 2, 2]) == cd.meet(["a", "a", "b"], [1, 2, 2])


NUMBERS = [
    *("int8", "uint8", "int32", "uint64", "float32"),
]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arrays_of_numbers(dtype: str) -> None:
    values = np.array([1, 1, 0], dtype)
    wanted = cd.meet([1, 1, 0], [1, 2, 2])
    assert cd.meet(values, [1, 2, 2]) == wanted
    assert cd.meet(pd.Series(values), [1, 2, 2]) == wanted
    assert cd.meet(pl.Series(values), [1, 2, 2]) == wanted


def test_large_unsigned_numbers_do_not_wrap() -> None:
    values = np.array([2**64 - 1, 2**64 - 2, 2**63], np.uint64)
    assert cd.meet(values, [1, 2, 3]) == cd.meet([1, 2, 3], [1, 2, 3])
    assert cd.meet([2**70, 2**70, 5], [1, 1, 2]).rows == 2


def test_nulls_in_series_are_found() -> None:
    for series in (pd.Series([1, None]), pl.Series([1, None]), pd.array(["a", None], "string")):
        refuses(r"1 of 2 labels in \w+ is null", cd.elm_f, series, [1, 2])


def test_series_with_other_indexes_are_refused() -> None:
    truth, guess = pd.Series([1, 1, 2]), pd.Series([1, 1, 2], index=[2, 1, 0])
    refuses("different indexes", cd.elm_f, truth, guess)
    refuses("different indexes", cd.compare, truth, {"a": truth, "b": guess})
    assert cd.elm_f(truth, guess.to_numpy()) == 1


def test_columns_by_name_position_or_not_at_all() -> None:
    named = pl.DataFrame({"x": [9, 9], "Label": [1, 2], "record_id": [1, 2]})
    assert cd.meet(named, {1: "a", 2: "b"}).rows == 2
    assert cd.meet(pl.DataFrame({"u": ["m", "n"], "v": [1, 1]}), {"n": 1, "m": 1}).rows == 1
    assert cd.meet(pl.DataFrame({"v": [1, 1]}), [1, 1]).rows == 1
    refuses("3 columns.*cannot tell", cd.meet, pl.DataFrame({"u": [1], "v": [1], "w": [1]}), {1: 1})


def test_samples_are_a_column_of_frames() -> None:
    truth = pl.DataFrame({"doc": [1, 1, 2, 2], "id": [1, 2, 1, 2], "cluster": [1, 1, 1, 2]})
    guess = pl.DataFrame({"doc": [2, 2, 1, 1], "id": [1, 2, 2, 1], "cluster": [1, 1, 4, 4]})
    report = cd.compare(truth, guess, ["elm_f"], samples="doc")
    assert report["elm_f"].each == (1, 0)
    assert (report["elm_f"].value, report["elm_f"].micro) == (0.5, 0.5)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_ids_of_one_table_may_repeat_from_sample_to_sample(make: Any) -> None:
    data = {"doc": [1, 1, 2, 2], "id": [1, 2, 1, 2], "gold": [1, 1, 1, 2], "run": [4, 4, 3, 3]}
    named: Any = {"truth": "gold", "guess": "run", "samples": "doc"}
    report = cd.compare(make(data), **named, measures="elm_f")
    assert report["elm_f"].each == (1, 0)
    assert "[sample: doc, id, cluster: gold]" in str(report)
    rows = cd.compare(make(data), **{**named, "samples": data["doc"]}, measures="elm_f")
    assert rows["elm_f"].each == (1, 0)
    assert len(cd.objects(make(data), **named)) == 4
    told: Any = cd.explain(make(data), **named)
    assert told.summary.outcomes["right"] == 2
    with pytest.raises(cd.ClusterdiffError, match="no column 'docs'; it has 'doc'"):
        cd.compare(make(data), **{**named, "samples": "docs"})
    again = {**data, "doc": [1, 1, 1, 2]}
    with pytest.raises(cd.ClusterdiffError, match="in sample 1: 1 id is in more than one cluster"):
        cd.compare(make(again), **{**named, "truth": "run", "guess": "gold"})


def test_the_column_of_samples_is_not_that_of_the_ids() -> None:
    data = pd.DataFrame({"doc": [1, 1, 2, 2], "gold": [1, 1, 1, 2], "run": [4, 4, 3, 3]})
    data.index = pd.Index([1, 2, 1, 2], name="mention")
    report = cd.compare(data, truth="gold", guess="run", samples="doc", measures="elm_f")
    assert report["elm_f"].each == (1, 0)


def test_communities_of_graphs() -> None:
    graph = nx.karate_club_graph()
    louvain = nx.community.louvain_communities(graph, seed=0)
    lazy = nx.community.asyn_lpa_communities(graph, seed=1)
    club = {v: d["club"] for v, d in graph.nodes(data=True)}
    labels = {v: i for i, c in enumerate(louvain) for v in c}
    assert cd.elm_f(club, louvain) == cd.elm_f(club, labels)
    assert 0 < cd.elm_f(club, lazy) < 1
    assert 0 < cd.elm_f(club, nx.community.label_propagation_communities(graph)) < 1
    walk = igraph.Graph.Famous("Zachary").community_multilevel()
    assert cd.elm_f(walk, walk.membership) == 1


def test_objects_with_communities_are_read() -> None:
    class NodeClustering:
        communities = [["a", "b"], ["c"]]

    assert cd.elm_f(NodeClustering(), {"a": 1, "b": 1, "c": 2}) == 1


@pytest.mark.parametrize("value", [5, object(), None, 3.5])
def test_what_is_no_clustering_is_refused(value: Any) -> None:
    refuses(None, cd.meet, value, [1])
