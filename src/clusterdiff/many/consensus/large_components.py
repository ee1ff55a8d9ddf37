"""Search of components with many profiles, in steps short enough to be interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.many.consensus.cells import Homes
    from clusterdiff.many.consensus.problem import Problem

WORK = 40_000_000
"""Places of profiles in runs that all starts together may have; one start is searched anyway."""
STEP = 2_000_000
"""Places that are searched before an interrupt is listened to."""
KICKS = 8
"""Searches from a best partition some of whose profiles are taken out."""
TAKEN_OUT = 0.05
ENOUGH = 1e-7
"""A sweep that saves less than this share of the cost is the last one, where there are many."""


def search(problem: Problem, between: Floats, seed: int) -> Ints:
    """The best partition found: from runs, those nearest to all others first, from all profiles
    alone, and from the best with some profiles taken out.
    """
    from clusterdiff.many.consensus.cells import empty_homes

    homes = empty_homes(problem.profiles, problem.runs, int(problem.first[-1]))
    affordable = WORK // max(problem.cells.size, 1)
    best, least = problem.run(0), np.inf
    nearest = float((between @ problem.weights).min())
    slack = 0.0 if problem.cells.size <= STEP else ENOUGH * nearest
    for start in _starts(problem, between)[: max(affordable, 1)]:
        cost = _improved(homes, problem, start, slack)
        if cost < least:
            best, least = homes.cluster.copy(), cost
    rng = np.random.default_rng(seed)
    for _ in range(min(KICKS, affordable // 4)):
        cost = _improved(homes, problem, _kicked(best, rng), slack)
        if cost < least * (1 - np.sign(least) * 1e-12):
            best, least = homes.cluster.copy(), cost
    return best


def _starts(problem: Problem, between: Floats) -> list[Ints]:
    runs = np.argsort(between @ problem.weights, kind="stable").tolist()
    alone = np.arange(problem.profiles)
    return [problem.run(runs[0]), alone, *(problem.run(i) for i in runs[1:])]


def _kicked(cluster: Ints, rng: np.random.Generator) -> Ints:
    """Some profiles alone, in numbers that are unused."""
    made = cluster.copy()
    unused = np.setdiff1d(np.arange(cluster.size), cluster)
    out = np.flatnonzero(rng.random(cluster.size) < TAKEN_OUT)[: unused.size]
    made[out] = unused[: out.size]
    return made


def _improved(homes: Homes, problem: Problem, start: Ints, slack: float) -> float:
    """Move and join until neither helps; the objective that this ends at."""
    from clusterdiff.many.consensus.cells import objective, settle
    from clusterdiff.many.consensus.local_search import SWEEPS, join_clusters

    cells, count, weights, vi = problem.cells, problem.count, problem.weights, problem.vi
    settle(homes, start, cells, count)
    for _ in range(SWEEPS):
        while _sweep(homes, problem) > slack:
            pass
        if join_clusters(homes, cells, count, weights, vi) <= slack:
            break
    return float(objective(homes, problem.weight_of_cell, problem.whole, vi))


def _sweep(homes: Homes, problem: Problem) -> float:
    """Move each profile once; how much that saves."""
    from clusterdiff.many.consensus.local_search import move_some

    step, saved = max(1, STEP // problem.runs), 0.0
    for begin in range(0, problem.profiles, step):
        end = min(begin + step, problem.profiles)
        given = (problem.cells, problem.count, problem.weights, problem.vi)
        saved += move_some(homes, begin, end, *given)
    return saved
