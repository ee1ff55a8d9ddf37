"""Anything at all as scored pairs: the definition's clusters, or a `ClusterdiffError`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd

TRUTHS: list[Any] = [
    {1: "x", 2: "x", "a": "y"},
    ["x", "y", "y"],
    {"a": 1, "1": 1, "": 2},
    {(1, 2): 1, 1: 2},
    {1.5: 1, 2: 1},
    pd.Series([1, 1, 2], index=["a", "b", 1]),
    pd.DataFrame({"id": [1, 2, 3], "cluster": [1, 1, 2]}),
]
odd = st.one_of(
    st.integers(-2, 4),
    st.floats(),
    st.sampled_from(["a", "1", "", None, pd.NA, True, b"x", (1, 2), 2**70, np.float32(0.5)]),
    st.text(max_size=3),
)
ids = st.sampled_from([0, 1, 2, "a"])
column = st.one_of(*(st.lists(one, min_size=3, max_size=3) for one in (odd, ids, st.floats(0, 1))))
rows = st.lists(st.tuples(odd, odd, odd), max_size=4)
names = st.lists(
    st.sampled_from(["id", "id_l", "id_r", "a", "b", "score", "distance", "level_1"]),
    unique=True, max_size=4,
)  # fmt: skip
pairs = st.one_of(
    odd,
    rows,
    st.tuples(column, column, column),
    rows.map(lambda given: np.array(given, object)),
    st.lists(st.lists(st.floats(), min_size=4, max_size=4), max_size=3).map(np.array),
    st.dictionaries(st.tuples(ids, ids), odd, max_size=3),
    st.dictionaries(st.text(max_size=2), column, max_size=3),
    names.flatmap(lambda said: st.fixed_dictionaries(dict.fromkeys(said, column))).map(
        lambda said: pd.DataFrame({key: pd.Series(one, dtype=object) for key, one in said.items()})
    ),
)  # fmt: skip


@given(st.sampled_from(TRUTHS), pairs, st.sampled_from(["exact", "shared", "singletons"]))
def test_right_or_refused(truth: Any, given: Any, align: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            curve = cd.sweep(truth, given, "elm_f", align=align)
        except cd.ClusterdiffError:
            return
        assert str(curve)
        assert curve.to_csv().count("\n") == len(curve) + 1
        for line in range(len(curve)):
            guess = curve.lines.partition(line)
            if curve.lines.names is None:
                wanted = cd.compare(curve.truth, guess, "elm_f", align=align)["elm_f"].value
                assert abs(curve["elm_f"][line] - wanted) < 1e-12


bare = st.lists(st.one_of(st.tuples(odd, odd), st.tuples(column, column)), max_size=4)


@given(st.one_of(pairs, bare), st.one_of(st.none(), odd), st.one_of(st.none(), column))
def test_linked_or_refused(given: Any, threshold: Any, every: Any) -> None:
    """Each object is there once, and objects of one cluster are called alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = cd.Partition.from_pairs(given, threshold, ids=every)
        except cd.ClusterdiffError:
            return
        assert found.ids is not None
        named = dict(zip(found.ids.tolist(), found.labels.tolist(), strict=True))
        assert len(named) == len(found)
        assert all(named[label] == label for label in named.values())
        assert str(found.origin)


few = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([0.1, 0.5, 0.9])))


@given(few, st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]), st.booleans())
def test_clusters_are_connected_components(
    rows: list[tuple[int, int, float]], threshold: float, distance: bool
) -> None:
    if not rows:
        return
    curve = cd.sweep(list("aabbccd"), rows, "pair_f", distance=distance)
    cluster = list(range(7))
    for left, right, score in rows:
        if score <= threshold if distance else score >= threshold:
            one, other = cluster[left], cluster[right]
            cluster = [one if c == other else c for c in cluster]
    assert cd.rand(cluster, curve.cut(threshold).labels.tolist()) == 1
    if not any(score <= threshold if distance else score >= threshold for *_, score in rows):
        with pytest.raises(cd.ClusterdiffError, match="no pair of pairs scores"):
            cd.Partition.from_pairs(rows, threshold, distance=distance)
        return
    linked = cd.Partition.from_pairs(rows, threshold, ids=range(7), distance=distance)
    assert cd.rand(dict(enumerate(cluster)), linked) == 1
