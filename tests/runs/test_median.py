"""Medians and bounds against all set partitions; wrong ones are caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from clusterdiff.array_types import Ints
from clusterdiff.runs import bounds, median
from clusterdiff.runs import median as components
from clusterdiff.runs import search as large_components
from clusterdiff.runs import search as small_components
from clusterdiff.runs.bounds import TriangleProgram, excess, excess_of, packed_triangles
from clusterdiff.runs.median import leanings_of, median_of, sampled_gap
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
STAR = [np.array(run) for run in ([0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0])]
"""c12|3, c13|2, c23|1."""


def sets(many: int, seed: int) -> list[list[Ints]]:
    rng = np.random.default_rng(seed)
    return [random_runs(rng) for _ in range(many)]


def test_golden_14() -> None:
    ones = np.ones(3)
    each = costs(all_partitions(3), FORKED, ones, vi=False)
    assert sorted(each)[:4] == [8, 8, 8, 10]
    problem, _ = problem_of(FORKED, ones, vi=False)
    assert check_median(FORKED, ones, vi=False).gap == 0
    between = bounds.distances_between(problem)
    assert bounds.star_bound(between, ones) == pytest.approx(6, abs=1e-12)
    assert majority_cost(FORKED, ones) == 6
    assert 6 + TriangleProgram(leanings_of(problem)).relaxed()[1] == pytest.approx(8, abs=1e-12)
    found = check_median(FORKED, ones, vi=True)
    assert found.cluster.tolist() == [0, 0, 0]
    assert costs(found.cluster[None], FORKED, ones, vi=True)[0] == pytest.approx(1.273028, abs=1e-6)
    star = bounds.star_bound(found.between / 3, ones)
    assert star == pytest.approx(1.098612, abs=1e-6)


def test_golden_15() -> None:
    ones = np.ones(3)
    each = costs(all_partitions(4), STAR, ones, vi=False)
    assert each.min() == 16
    assert (each == 16).sum() == 6
    assert check_median(STAR, ones, vi=False).gap == 0
    assert majority_cost(STAR, ones) == 12
    problem, _ = problem_of(STAR, ones, vi=False)
    x, more = TriangleProgram(leanings_of(problem)).relaxed()
    assert 12 + more == pytest.approx(15, abs=1e-12)
    assert np.abs(x - np.round(x)).max() > 0.4
    found = check_median(STAR, ones, vi=True)
    assert len(set(found.cluster.tolist())) == 1
    cost = costs(found.cluster[None], STAR, ones, vi=True)[0]
    assert cost == pytest.approx(1.687005, abs=1e-6)
    assert found.between.sum(0).min() / 4 == pytest.approx(1.909543, abs=1e-6)
    assert bounds.star_bound(found.between / 4, ones) == pytest.approx(1.432157, abs=1e-6)


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


def test_programs_find_what_branching_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_components, "FEW", {False: 0, True: 0})
    rng = np.random.default_rng(7)
    certain = 0
    for runs in sets(80, 3):
        weights = random_weights(rng, len(runs))
        certain += check_median(runs, weights, vi=False).gap == 0
        check_median(runs, weights, vi=True)
    assert certain == 80


def test_whole_number_programs() -> None:
    rng = np.random.default_rng(8)
    seen = 0
    for _ in range(50):
        runs = [rng.integers(0, 3, 6) for _ in range(5)]
        problem, _ = problem_of(runs, rng.random(5) + 0.5, vi=False)
        lean = leanings_of(problem)
        program = TriangleProgram(lean)
        _, least = program.relaxed()
        best, bound = program.whole()
        assert best is not None
        assert bound == pytest.approx(excess_of(lean, best), abs=1e-9)
        assert bound >= least - 1e-9
        seen += bound > least + 1e-6
    assert seen


@pytest.mark.parametrize("vi", [False, True])
def test_large_components(vi: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of many profiles, on few: with profiles that are alone among the others, and
    without them.
    """
    monkeypatch.setattr(small_components, "SMALL", 0)
    rng = np.random.default_rng(9)
    for many in (large_components.MANY, 0):
        monkeypatch.setattr(large_components, "MANY", many)
        for runs in sets(40, 4):
            check_median(runs, random_weights(rng, len(runs)), vi)


def test_undivided_sets_are_never_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(median, "components_of", lambda problem: None)
    rng = np.random.default_rng(10)
    for runs in sets(10, 5):
        found = check_median(runs, random_weights(rng, len(runs)), vi=False)
        assert found.components == 0
        if found.sampled is not None:
            assert found.sampled.level == 0.99


def noisy(objects: int, clusters: int, runs: int, noise: float, seed: int = 0) -> list[Ints]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, clusters, objects)
    made = []
    for _ in range(runs):
        moved = rng.random(objects) < noise
        made.append(np.where(moved, rng.integers(0, clusters, objects), truth))
    return made


def test_sampled_pairs_cover_the_excess() -> None:
    runs = noisy(300, 6, 9, 0.35)
    problem, _ = problem_of(runs, np.ones(9), vi=False)
    found = median_of(problem)
    exact = excess(problem.cells, problem.count, problem.weights, problem.whole / 2, found.cluster)
    assert exact > 0
    drawn = [sampled_gap(problem, found.cluster, seed, draws=4000) for seed in range(60)]
    assert sum(one.high >= exact for one in drawn) >= 57
    assert np.mean([one.mean for one in drawn]) == pytest.approx(exact, rel=0.05)


def test_search_of_noisy_runs_is_nearly_proved() -> None:
    runs = noisy(1500, 10, 15, 0.2)
    problem, _ = problem_of(runs, np.ones(15), vi=False)
    found = median_of(problem)
    cost = float(distances(problem, found.cluster))
    assert found.gap <= 0.001 * cost
    assert cost < 0.8 * found.between.sum(0).min()


def distances(problem: Any, cluster: Ints) -> float:
    return float(bounds.distances_to(problem, cluster) @ problem.weights)


def test_the_split_search_loses_nothing() -> None:
    """Components by majorities find what a search of the whole finds, or better."""
    runs = noisy(400, 40, 7, 0.3, seed=3)
    problem, _ = problem_of(runs, np.ones(7), vi=False)
    whole = large_components.search(problem, bounds.distances_between(problem), 0)
    assert distances(problem, median_of(problem).cluster) <= distances(problem, whole)


def test_packed_triangles_are_below_the_program() -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        runs = [rng.integers(0, 4, 12) for _ in range(5)]
        problem, _ = problem_of(runs, np.ones(5), vi=False)
        lean = leanings_of(problem)
        assert packed_triangles(lean) <= TriangleProgram(lean).relaxed()[1] + 1e-9


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
    solve = small_components.solve_components

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
    assert caught(lambda: monkeypatch.setattr(small_components, "solve_components", wrong), vi)


@pytest.mark.parametrize("vi", [False, True])
def test_a_proof_that_is_none_is_caught(vi: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_cluster(parts: list[Ints], *given: Any) -> None:
        given[-1][:] = 0
        for some in parts:
            given[-2][some] = 0

    wrong = changed_components(one_cluster)
    assert caught(lambda: monkeypatch.setattr(small_components, "solve_components", wrong), vi)


def test_a_bound_that_is_too_high_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_components, "FEW", {False: 0, True: 0})
    star = bounds.star_bound
    assert caught(
        lambda: monkeypatch.setattr(median, "star_bound", lambda *given: 1.2 * star(*given)), True
    )


def test_a_program_that_is_too_high_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_components, "FEW", {False: 0, True: 0})
    relaxed = TriangleProgram.relaxed

    def higher(self: TriangleProgram) -> tuple[Any, float]:
        x, least = relaxed(self)
        return x, 1.5 * least

    assert caught(lambda: monkeypatch.setattr(TriangleProgram, "relaxed", higher))


def test_components_that_cut_too_much_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def unanimous(problem: Any) -> tuple[float, float]:
        return problem.whole * 0.99, problem.whole * 0.99

    assert caught(lambda: monkeypatch.setattr(components, "halves", unanimous))
