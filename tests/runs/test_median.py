"""Medians and bounds against all set partitions; wrong ones are caught."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from clusterdiff.array_types import Ints
from clusterdiff.runs import median, search
from clusterdiff.runs.median import Problem, median_of
from clusterdiff.runs.search import excess, leanings, packed_triangles
from runs.medians import (
    all_partitions,
    check_median,
    costs,
    majority_cost,
    problem_of,
    random_runs,
    random_weights,
)

FORKED = [np.array(run) for run in ([0, 0, 0], [0, 0, 1], [0, 1, 1])]
"""123, 12|3, 1|23."""


def sets(many: int, seed: int) -> list[list[Ints]]:
    rng = np.random.default_rng(seed)
    return [random_runs(rng) for _ in range(many)]


def test_golden_14() -> None:
    ones = np.ones(3)
    each = costs(all_partitions(3), FORKED, ones, vi=False)
    assert sorted(each)[:4] == [8, 8, 8, 10]
    problem, _ = problem_of(FORKED, ones, vi=False)
    assert check_median(FORKED, ones, vi=False).gap == 0
    assert median.star_bound(problem.between, ones) == pytest.approx(6, abs=1e-12)
    assert majority_cost(FORKED, ones) == 6
    assert 6 + packed_triangles(leanings_of(problem))[0] == pytest.approx(8, abs=1e-12)
    found = check_median(FORKED, ones, vi=True)
    assert found.cluster.tolist() == [0, 0, 0]
    assert costs(found.cluster[None], FORKED, ones, vi=True)[0] == pytest.approx(1.273028, abs=1e-6)
    star = median.star_bound(problem_of(FORKED, ones, vi=True)[0].between / 3, ones)
    assert star == pytest.approx(1.098612, abs=1e-6)


@pytest.mark.parametrize("vi", [False, True])
def test_all_set_partitions(vi: bool) -> None:
    rng = np.random.default_rng(5)
    for runs in sets(120, 1):
        found = check_median(runs, random_weights(rng, len(runs)), vi)
        assert found.gap == 0


@pytest.mark.slow
@pytest.mark.parametrize("vi", [False, True])
def test_all_set_partitions_of_many_sets(vi: bool) -> None:
    rng = np.random.default_rng(6)
    for runs in sets(1500, 2):
        assert check_median(runs, random_weights(rng, len(runs)), vi).gap == 0


@pytest.mark.parametrize("vi", [False, True])
def test_large_components(vi: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of many profiles, on few: with profiles that are alone among the others, and
    without them.
    """
    monkeypatch.setattr(median, "SMALL", 0)
    rng = np.random.default_rng(9)
    for many in (search.MANY, 0):
        monkeypatch.setattr(search, "MANY", many)
        for runs in sets(40, 4):
            check_median(runs, random_weights(rng, len(runs)), vi)


def noisy(objects: int, clusters: int, runs: int, noise: float, seed: int = 0) -> list[Ints]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, clusters, objects)
    made = []
    for _ in range(runs):
        moved = rng.random(objects) < noise
        made.append(np.where(moved, rng.integers(0, clusters, objects), truth))
    return made


def test_search_of_noisy_runs_is_nearly_proved() -> None:
    runs = noisy(1500, 10, 15, 0.2)
    problem, _ = problem_of(runs, np.ones(15), vi=False)
    found = median_of(problem)
    cost = float(distances(problem, found.cluster))
    assert found.gap <= 0.001 * cost
    assert cost < 0.8 * problem.between.sum(0).min()


def distances(problem: Any, cluster: Ints) -> float:
    return float(problem.distances_to(cluster) @ problem.weights)


def test_the_split_search_loses_nothing() -> None:
    """Components by majorities find what a search of the whole finds, or better."""
    runs = noisy(400, 40, 7, 0.3, seed=3)
    problem, _ = problem_of(runs, np.ones(7), vi=False)
    whole = search.search(problem, 0)
    assert distances(problem, median_of(problem).cluster) <= distances(problem, whole)


def excess_of_pairs(lean: Ints, cluster: Ints) -> float:
    """What pairs cost that have not their way, pair by pair."""
    pairs = combinations(range(cluster.size), 2)
    parted = [(p, q) for p, q in pairs if (lean[p, q] > 0) != (cluster[p] == cluster[q])]
    return float(sum(abs(lean[p, q]) for p, q in parted))


def leanings_of(problem: Problem) -> Any:
    return leanings(problem.weighted)


def test_packed_triangles_are_below_every_partition_of_each_suffix() -> None:
    rng = np.random.default_rng(11)
    positive = 0
    for _ in range(60):
        runs = [rng.integers(0, 3, 7) for _ in range(5)]
        problem, _ = problem_of(runs, rng.random(5) + 0.5, vi=False)
        lean = leanings_of(problem)
        packed = packed_triangles(lean)
        positive += packed[0] > 0
        for begin in range(problem.profiles):
            rest = lean[begin:, begin:]
            costs = [excess_of_pairs(rest, one) for one in all_partitions(len(rest))]
            assert packed[begin] <= min(costs) + 1e-9
    assert positive > 50


def test_the_excess_is_that_of_all_pairs() -> None:
    rng = np.random.default_rng(12)
    for _ in range(20):
        runs = [rng.integers(0, 4, 12) for _ in range(5)]
        problem, _ = problem_of(runs, rng.random(5) + 0.5, vi=False)
        cluster, lean = rng.integers(0, 4, problem.profiles), leanings_of(problem)
        wanted = excess_of_pairs(lean, cluster)
        assert excess(problem.weighted, cluster) == pytest.approx(wanted)


def caught(change: Callable[[], None], vi: bool = False) -> bool:
    """Whether the checks see that something is wrong."""
    change()
    try:
        for runs in sets(60, 6):
            check_median(runs, np.ones(len(runs)), vi)
    except AssertionError:
        return True
    return False


def changed_components(spoil: Callable[..., None]) -> Callable[..., None]:
    solve = search.solve_components

    def wrong(which: Ints, order: Ints, start: Ints, *given: Any) -> None:
        solve(which, order, start, *given)
        spoil([order[start[k] : start[k + 1]] for k in which], *given)

    return wrong


@pytest.mark.parametrize("vi", [False, True])
def test_a_lost_move_is_caught(vi: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(parts: list[Ints], *given: Any) -> None:
        for some in parts:
            given[-2][some[0]] = given[-2][some].max() + 1

    wrong = changed_components(alone)
    assert caught(lambda: monkeypatch.setattr(median, "solve_components", wrong), vi)


@pytest.mark.parametrize("vi", [False, True])
def test_a_proof_that_is_none_is_caught(vi: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_cluster(parts: list[Ints], *given: Any) -> None:
        given[-1][:] = 0
        for some in parts:
            given[-2][some] = 0

    wrong = changed_components(one_cluster)
    assert caught(lambda: monkeypatch.setattr(median, "solve_components", wrong), vi)


def test_a_bound_that_is_too_high_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(median, "FEW", {False: 0, True: 0})
    star = median.star_bound
    assert caught(
        lambda: monkeypatch.setattr(median, "star_bound", lambda *given: 1.2 * star(*given)), True
    )


def test_components_that_cut_too_much_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(median, "_majorities", lambda problem, most: np.arange(problem.profiles))
    assert caught(lambda: None)
