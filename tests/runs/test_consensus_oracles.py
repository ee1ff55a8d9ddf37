"""Consensus against all set partitions, and its bounds against those in fractions."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.runs import median
from oracles.common import clusters
from oracles.many.draws import mapping, partial_runs, several_runs
from oracles.many.goldens import FOUR, THREE
from oracles.many.median import (
    DISTANCES,
    abstaining_cost,
    abstaining_support,
    cost,
    every_partition,
    medians,
    star_bound,
)
from oracles.many.median import medoid as medoid_cost
from refusals import refuses

Labels = dict[Hashable, Hashable]


def named(runs: list[Labels]) -> dict[str, Labels]:
    return {f"run {i}": run for i, run in enumerate(runs)}


@pytest.mark.parametrize(
    ("runs", "by", "wanted", "least"),
    [
        (THREE, "mirkin_distance", 8, 6),
        (FOUR, "mirkin_distance", 16, 12),
        (THREE, "vi_distance", 1.273028, 1.098612),
        (FOUR, "vi_distance", 1.687005, 1.432157),
    ],
)
def test_golden(runs: list[Labels], by: str, wanted: float, least: float) -> None:
    c = cd.consensus(named(runs), by)
    assert c.cost == pytest.approx(wanted, abs=5e-7)
    assert least - 5e-7 <= c.bound <= c.cost
    assert c.gap == pytest.approx((c.cost - c.bound) / c.cost)
    if by == "vi_distance":
        assert len(clusters(mapping(c.clustering))) == 1


@pytest.mark.parametrize("by", DISTANCES)
@given(runs=several_runs(2, 5, objects=6))
@settings(max_examples=25)
def test_no_bound_above_and_no_cost_below_the_median(by: str, runs: list[Labels]) -> None:
    distance = DISTANCES[by]
    c = cd.consensus(named(runs), by)
    found = mapping(c.clustering)
    least, _ = medians(runs, distance)
    assert c.cost == pytest.approx(float(cost(found, runs, distance)), abs=1e-9)
    assert c.bound <= float(least) + 1e-9
    assert c.cost >= float(least) - 1e-9
    assert c.cost <= float(medoid_cost(runs, distance)) + 1e-9
    assert c.cost == pytest.approx(float(least), abs=1e-9)
    assert c.bound >= float(star_bound(runs, distance)) - 1e-9
    assert c.gap == pytest.approx((c.cost - c.bound) / c.cost if c.cost else 0.0, abs=1e-9)
    assert c.optimal or by == "vi_distance"


@pytest.mark.parametrize("by", DISTANCES)
@given(
    runs=several_runs(3, 3, objects=5),
    weights=st.lists(st.integers(1, 4), min_size=3, max_size=3),
)
@settings(max_examples=20)
def test_weights_count_runs_several_times(by: str, runs: list[Labels], weights: list[int]) -> None:
    c = cd.consensus(named(runs), by, weights=dict(zip(named(runs), weights, strict=True)))
    often = [run for run, w in zip(runs, weights, strict=True) for _ in range(w)]
    least, _ = medians(often, DISTANCES[by])
    assert c.cost == pytest.approx(float(least), abs=1e-9)
    assert c.bound <= c.cost + 1e-9


@given(runs=partial_runs(), weights=st.lists(st.sampled_from([1, 2, 3, 0.5]), min_size=5))
@settings(max_examples=150)
def test_runs_that_abstain_have_the_median_of_the_pairs_they_have(
    runs: list[Labels], weights: list[float]
) -> None:
    by = weights[: len(runs)]
    c = cd.consensus(named(runs), weights=by, align="abstain")
    found = mapping(c.clustering)
    every = {x: 0 for run in runs for x in run}
    assert set(found) == set(every)
    costs = [float(abstaining_cost(one, runs, by)) for one in every_partition([every])]
    assert c.optimal
    assert c.cost == pytest.approx(float(abstaining_cost(found, runs, by)), abs=1e-9)
    assert c.cost == pytest.approx(min(costs), abs=1e-9)
    for bound in c.bounds.values():
        assert bound <= min(costs) + 1e-9
    for name, run in named(runs).items():
        assert c.distances[name] == float(abstaining_cost(found, [run], [1]))
    assert c.ids is not None
    near = [float(abstaining_support(found, runs, x, by)) for x in c.ids.tolist()]
    assert c.support.tolist() == pytest.approx(near, abs=1e-12)
    completed = [{x: run.get(x, f"only {x}") for x in every} for run in runs]
    totals = [float(abstaining_cost(one, runs, by)) for one in completed]
    assert [one["sum_to_runs"] for one in c.records()] == pytest.approx(totals, abs=1e-9)
    assert c.medoid_cost == pytest.approx(min(totals), abs=1e-9)


@given(several_runs(2, 4, objects=5))
@settings(max_examples=20)
def test_complete_runs_never_abstain(runs: list[Labels]) -> None:
    plain, same = cd.consensus(named(runs)), cd.consensus(named(runs), align="abstain")
    assert clusters(mapping(plain.clustering)) == clusters(mapping(same.clustering))
    assert (plain.cost, plain.bounds, plain.distances) == (same.cost, same.bounds, same.distances)


def test_a_large_component_of_partial_runs_is_searched_and_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 300)
    runs: list[Labels] = []
    for _ in range(6):
        labels = np.where(rng.random(300) < 0.15, rng.integers(0, 5, 300), truth)
        runs.append({int(x): int(labels[x]) for x in np.flatnonzero(rng.random(300) < 0.6)})
    c = cd.consensus(named(runs), align="abstain")
    found = mapping(c.clustering)
    assert c.found.largest > 80
    assert c.cost == abstaining_cost(found, runs, [1] * 6)
    assert c.bound <= c.cost <= abstaining_cost(dict(enumerate(truth.tolist())), runs, [1] * 6)
    assert c.gap < 0.1
    monkeypatch.setattr(median, "ABSTAINING", 100)
    refuses("at most 100 are supported", cd.consensus, named(runs), align="abstain")


def test_what_is_said_of_the_bound_is_true() -> None:
    """The share is that of the cost, and is rounded up."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 20, 400)
    runs = [np.where(rng.random(400) < 0.3, rng.integers(0, 20, 400), base) for _ in range(7)]
    c = cd.consensus(runs, "vi_distance")
    assert c.gap > 0.01
    said = " ".join(str(c).split())
    share = float(said.partition("costs less by more than ")[2].split(" %")[0]) / 100
    assert c.cost * (1 - share) <= c.bound
    assert share == pytest.approx(c.gap, rel=0.01)


def test_the_bound_of_runs_that_are_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too many pairs would have to be looked at, the bound is from distances of the runs."""
    monkeypatch.setattr(median, "components_of", lambda problem: None)
    rng = np.random.default_rng(0)
    base = rng.integers(0, 20, 400)
    runs = [np.where(rng.random(400) < 0.3, rng.integers(0, 20, 400), base) for _ in range(7)]
    c = cd.consensus(runs)
    together = sum((run[:, None] == run[None, :]).astype(int) for run in runs)
    exact = int(np.minimum(together, 7 - together).sum())
    assert c.bounds["pairs"] <= c.bounds["star"] == pytest.approx(c.bound)
    assert 0 < c.bound <= exact <= c.cost
    assert (c.certain, c.optimal, c.confidence) == (True, False, None)
    assert "the bound is from the distances between runs" in c.how
