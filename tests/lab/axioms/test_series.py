"""The worsening series of the split-merge paper: one split or merge at a time, down to 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff_lab.axioms import worsen
from clusterdiff_lab.axioms.series import MEASURES
from oracles.conditions import Cluster, Clusters, apart, clusters, objects_of, one_of_each_type
from refusals import refuses

TRUTHS = [truth for n in range(2, 9) for truth in one_of_each_type(n)]
"""One of each list of cluster sizes, of 2 to 8 objects."""


def labels(partition: Clusters) -> list[str]:
    """The label of each object: the smallest object of its cluster."""
    of = {x: f"cluster of {min(cluster)}" for cluster in partition for x in cluster}
    return [of[x] for x in sorted(of)]


def steps_of(truth: Clusters, seed: int = 0) -> list[Clusters]:
    return [clusters_of(step) for step in worsen(labels(truth), seed=seed).codes]


def clusters_of(codes: Sequence[int] | np.ndarray) -> Clusters:
    found: dict[int, list[int]] = {}
    for x, code in enumerate(codes, 1):
        found.setdefault(int(code), []).append(x)
    return clusters(*found.values())


def true_singles(truth: Clusters) -> Cluster:
    return frozenset(x for cluster in truth if len(cluster) == 1 for x in cluster)


def named(truth: Clusters) -> str:
    return "+".join(map(str, sorted(map(len, truth), reverse=True)))


# --- The steps. ---------------------------------------------------------------------------------


@pytest.mark.parametrize("truth", TRUTHS, ids=named)
def test_the_largest_cluster_is_halved_until_all_are_single(truth: Clusters) -> None:
    series = worsen(labels(truth))
    steps = steps_of(truth)
    assert steps[0] == truth
    assert steps[series.splits] == apart(len(objects_of(truth)))
    assert series.splits == len(objects_of(truth)) - len(truth)
    for before, after in pairwise(steps[: series.splits + 1]):
        (whole,), parts = before - after, after - before
        assert len(whole) == max(map(len, before))
        assert sorted(map(len, parts)) == [len(whole) // 2, len(whole) - len(whole) // 2]
        assert whole == frozenset().union(*parts)


@pytest.mark.parametrize("truth", TRUTHS, ids=named)
def test_then_true_singles_are_merged_two_by_two(truth: Clusters) -> None:
    for seed in (0, 1, 2):
        series = worsen(labels(truth), seed=seed)
        merges = steps_of(truth, seed)[series.splits :]
        left = true_singles(truth)
        for before, after in pairwise(merges):
            (joined,), parts = after - before, before - after
            assert len(parts) == 2
            assert joined == frozenset().union(*parts)
            merged = joined & left
            assert len(merged) == min(len(left), 2)
            assert len(left) == 1 or joined == merged
            left -= merged
        assert not left
        assert len(merges) - 1 == -(-len(true_singles(truth)) // 2)


@pytest.mark.parametrize("truth", TRUTHS, ids=named)
def test_it_ends_where_split_merge_is_0(truth: Clusters) -> None:
    for seed in (0, 3):
        scores = worsen(labels(truth), seed=seed).scores("split_merge")["split_merge"]
        assert scores[0] == 1
        assert scores[-1] == 0
        assert all(after < before for before, after in pairwise(scores))


def test_a_single_object_cannot_worsen() -> None:
    series = worsen(["a"])
    assert len(series) == 1
    assert series.splits == 0
    assert series.scores("rand") == {"rand": [1.0]}


def test_the_last_true_single_goes_to_a_cluster_drawn_at_random() -> None:
    truth = labels(clusters([1, 2, 3, 4, 5, 6, 7], [8]))
    ends = {clusters_of(worsen(truth, seed=seed).codes[-1]) for seed in range(12)}
    assert len(ends) > 2
    assert clusters_of(worsen(truth, seed=4).codes[-1]) == clusters_of(
        worsen(truth, seed=4).codes[-1]
    )


def test_a_series_is_a_sequence_of_partitions() -> None:
    series = worsen({"x": "a", "y": "a", "z": "b"})
    assert len(list(series)) == len(series) == 3
    assert all(isinstance(step, cd.Partition) for step in series)
    assert cd.rand(series[0], {"x": 1, "y": 1, "z": 2}) == 1
    assert cd.rand(series[1], {"x": 1, "y": 2, "z": 3}) == 1
    assert cd.split_merge(series[0], series[-1]) == 0
    ids = [step.ids.tolist() for step in series if step.ids is not None]
    assert ids == [["x", "y", "z"]] * 3
    assert "3 objects" in repr(series)
    with pytest.raises(IndexError):
        series[3]


# --- Scores. ------------------------------------------------------------------------------------


def test_scores_are_those_of_each_measure() -> None:
    truth = dict(enumerate("aaaaabbbccde", 100))
    series = worsen(truth)
    chosen: list[str | cd.Measure] = ["elm_f", "bcubed_f(f='objects')", cd.rand, "vi_distance"]
    found = series.scores(chosen)
    assert list(found) == list(map(str, chosen))
    for measure in chosen:
        wanted = [cd.measure(str(measure))(truth, step) for step in series]
        assert found[str(measure)] == pytest.approx(wanted, abs=1e-12)


def test_scores_of_the_paper_unless_others_are_asked_for() -> None:
    series = worsen(list("aab"))
    assert tuple(series.scores()) == MEASURES
    assert tuple(series.scores("rand")) == ("rand",)
    refuses("no measure is called 'rnd'", series.scores, ["rand", "rnd"])


# --- What is given. -----------------------------------------------------------------------------


def sizes(series: Any) -> list[int]:
    return sorted(Counter(series.codes[0].tolist()).values())


def test_labels_dicts_frames_and_paths_are_taken(tmp_path: Path) -> None:
    rows = {"id": ["p", "q", "r", "s"], "cluster": ["a", "a", "b", "c"]}
    table = pd.DataFrame(rows)
    file = tmp_path / "truth.csv"
    table.to_csv(file, index=False)
    given: list[Any] = [
        ["a", "a", "b", "c"], ("a", "a", "b", "c"), np.array([0, 0, 1, 2]),
        dict(zip(rows["id"], rows["cluster"], strict=True)), [{"p", "q"}, {"r"}, {"s"}],
        cd.Partition(["a", "a", "b", "c"]), pd.Series(["a", "a", "b", "c"]), table,
        pl.DataFrame(rows), str(file), file, "12|3|4",
    ]  # fmt: skip
    for one in given:
        series = worsen(one)
        assert sizes(series) == [1, 1, 2]
        assert (len(series), series.splits) == (3, 1)


@pytest.mark.parametrize("empty", [[], {}, np.array([]), cd.Partition({})])
def test_nothing_cannot_worsen(empty: Any) -> None:
    refuses("no objects", worsen, empty)


def test_covers_and_uncertain_clusterings_are_refused() -> None:
    refuses("a cover clustering has no such series", worsen, cd.Cover({1: ["a", "b"], 2: ["b"]}))
    refuses("a rough clustering has no such series", worsen, cd.Rough({1: ["a", "b"], 2: ["b"]}))


def test_what_is_no_clustering_is_refused() -> None:
    for given in (5, "missing.csv", {1: ["a", "b"]}):
        refuses(None, worsen, given)
