"""Lower bounds on the cost of a median: from distances between the runs, and from linear programs.

Each is at most the next: mean over pairs of runs, star, majority, triangles, the median itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.many.consensus.problem import shared_objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.many.consensus.problem import Problem

    Advance = Callable[[int], object]

RUNS = 200
"""Runs that the star bound is computed for; it has as many unknowns, and a condition per pair."""


def distances_between(problem: Problem, advance: Advance = lambda done: None) -> Floats:
    """The distances of all pairs of runs: in ordered pairs, or in nats times objects; of runs that
    abstain, on the objects that both have.
    """
    from clusterdiff.many.consensus.pair_kernels import run_distance, table_distance

    if problem.seen is not None:
        return problem.distances_of_partial_runs[0]
    made = np.zeros((problem.runs, problem.runs))
    width = np.diff(problem.first)
    room = np.zeros(int(width.max()), np.int64)
    by_run = np.ascontiguousarray(problem.cells.T)
    size, count, vi = problem.size_of_cell, problem.count, problem.vi
    for i in range(problem.runs):
        order = np.argsort(by_run[i], kind="stable")
        for j in range(i):
            begin = int(problem.first[i]), int(problem.first[j])
            if width[i] * width[j] <= max(4096, problem.profiles // 4):
                table = np.zeros((width[i], width[j]), np.int64)
                found = table_distance(by_run[i], by_run[j], *begin, count, size, table, vi)
            else:
                found = run_distance(order, by_run[i], by_run[j], count, begin[1], size, room, vi)
            made[i, j] = made[j, i] = found
        advance(1)
    return made


def distances_to(problem: Problem, cluster: Ints) -> Floats:
    """The distances of a partition to each run."""
    made = np.zeros(problem.runs)
    for i in range(problem.runs):
        own = problem.run(i)
        left, right, both = shared_objects(own, cluster, problem.count)
        sizes = [np.bincount(side, weights=both) for side in (left, right)]
        first, second = sizes[0][left], sizes[1][right]
        if problem.vi:
            made[i] = (both * (np.log(first / both) + np.log(second / both))).sum()
        else:
            made[i] = (both * (first - both) + both * (second - both)).sum()
    return made


def pairs_bound(between: Floats, weights: Floats) -> float:
    """Σ w_i w_j d_ij / (W - least w) over pairs of runs; with equal weights Σ d_ij / (N - 1)."""
    rest = float(weights.sum() - weights.min())
    return float(weights @ between @ weights) / 2 / rest if rest > 0 else 0.0


def star_bound(between: Floats, weights: Floats, metric: bool = True) -> float:
    """The least Σ w_i x_i with |x_i - x_j| ≤ d_ij ≤ x_i + x_j, as every metric has it.

    Distances on the objects that two runs share obey d_ij ≤ x_i + x_j alone: they are not `metric`.
    """
    n, largest = len(weights), float(between.max(initial=0.0))
    if n > RUNS or largest == 0:
        return pairs_bound(between, weights)
    from scipy.sparse import coo_array

    i, j = np.triu_indices(n, 1)
    d, pairs = between[i, j] / largest, np.arange(i.size)
    rows = np.concatenate([pairs, pairs] + [pairs + k * i.size for k in (1, 1, 2, 2)])
    columns = np.concatenate([i, j] * 3)
    signs = np.repeat([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0], i.size)
    conditions = coo_array((signs, (rows, columns)), shape=(3 * i.size, n)).tocsr()
    limits = np.concatenate([-d, d, d])
    if not metric:
        conditions, limits = conditions[: i.size], limits[: i.size]
    _, proved = solve_lp(weights, conditions, limits, upper=1.0)
    return max(proved * largest, pairs_bound(between, weights))


def solve_lp(cost: Floats, conditions: Any, limits: Floats, upper: float) -> tuple[Floats, float]:
    """The least cost · x with conditions · x ≤ limits and 0 ≤ x ≤ upper: x, and a bound on it.

    The bound is that of the multipliers which the solver found, whatever its tolerances.
    """
    from scipy.optimize import linprog

    solved: Any = linprog(cost, A_ub=conditions, b_ub=limits, bounds=(0.0, upper), method="highs")
    if solved.x is None:
        return np.zeros(cost.size), -np.inf
    multipliers = np.maximum(-solved.ineqlin.marginals, 0.0)
    reduced = cost + conditions.T @ multipliers
    proved = float(np.minimum(reduced, 0.0).sum() * upper - multipliers @ limits)
    return np.asarray(solved.x), proved
