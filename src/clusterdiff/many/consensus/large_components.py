"""Search of components with many profiles, in steps short enough to be interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.many.consensus.cells import Homes
    from clusterdiff.many.consensus.problem import Problem

WORK = 10_000_000
"""Places of profiles in runs that all starts together may have; one start is searched anyway."""
MANY = 500_000
"""Places from which on profiles that are alone are searched by themselves, at the end."""
MEETINGS = 30_000_000
"""The same for how often two profiles meet in a cluster of a run: alone, each looks at all."""
TABLES = 500_000_000
"""Leanings that all starts together may read in a sweep."""
STEP = 1_000_000
"""Places that are searched before an interrupt is listened to."""
KICKS = 8
"""Searches from a best partition some of whose profiles are taken out."""
TAKEN_OUT = 0.05
ENOUGH = 1e-7
"""Of many profiles, a sweep that saves less than this share of the cost is the last one."""


def search(problem: Problem, between: Floats, seed: int) -> Ints:
    """The best partition found: from runs, those nearest to all others first, from all profiles
    alone, and from the best with some profiles taken out.
    """
    from clusterdiff.many.consensus.cells import empty_homes

    total = between @ problem.weights
    runs = np.argsort(total, kind="stable").tolist()
    if is_large(problem):
        most = max(1, WORK // problem.cells.size)
        slack = ENOUGH * float(total.min())
        starts, kicks = [problem.run(i) for i in runs[:most]], 0
    else:
        most, slack = WORK // problem.cells.size, 0.0
        starts = [np.arange(problem.profiles), *(problem.run(i) for i in runs[:most])]
        kicks = min(KICKS, most // 4)
    homes = empty_homes(problem.profiles, problem.runs, int(problem.first[-1]))
    best, least = starts[0], np.inf
    for start in starts:
        cost = _improved(homes, problem, start, slack)
        if cost < least:
            best, least = homes.cluster.copy(), cost
    rng = np.random.default_rng(seed)
    for _ in range(kicks):
        cost = _improved(homes, problem, _kicked(best, rng), slack)
        if cost < least - 1e-12 * abs(least):
            best, least = homes.cluster.copy(), cost
    return _with_numbers(problem, best)


def search_leanings(problem: Problem, lean: Floats, seed: int) -> Ints:
    """The best partition found by the table of leanings: from all profiles alone, from the given
    runs, and from the best with some profiles taken out.
    """
    from clusterdiff.many.consensus.local_search import improve_leanings
    from clusterdiff.many.consensus.pair_kernels import excess_of

    most = TABLES // lean.size
    runs = range(min(most, problem.votes.size))
    starts = [np.arange(problem.profiles), *(problem.run(i).astype(np.int64) for i in runs)]
    rng, best, least = np.random.default_rng(seed), starts[0], np.inf
    for k in range(len(starts) + KICKS):
        made = starts[k].copy() if k < len(starts) else _kicked(best, rng)
        improve_leanings(made, lean)
        if (cost := excess_of(lean, made)) < least:
            best, least = made, cost
    return best


def is_large(problem: Problem) -> bool:
    """Whether profiles that are alone have to be kept apart while others are moved."""
    if problem.cells.size > MANY:
        return True
    size = np.bincount(problem.cells.ravel())
    return int((size * size).sum()) > MEETINGS


def _with_numbers(problem: Problem, cluster: Ints) -> Ints:
    """Profiles that are alone, put together among themselves where that helps, in clusters of
    their own.
    """
    alone = np.flatnonzero(cluster < 0)
    if not alone.size:
        return cluster
    made = cluster.copy()
    part = problem.part(alone)
    if not is_large(part):
        made[alone] = _from_alone(part)
    else:
        made[alone] = np.arange(alone.size)
    made[alone] += cluster.max() + 1
    return made


def _from_alone(problem: Problem) -> Ints:
    """What a search from all profiles alone ends at."""
    from clusterdiff.many.consensus.cells import empty_homes

    homes = empty_homes(problem.profiles, problem.runs, int(problem.first[-1]))
    _improved(homes, problem, np.arange(problem.profiles), 0.0)
    return np.asarray(homes.cluster)


def _kicked(cluster: Ints, rng: np.random.Generator) -> Ints:
    """Some profiles alone, in numbers that are unused."""
    made = cluster.copy()
    unused = np.setdiff1d(np.arange(cluster.size), cluster)
    out = np.flatnonzero(rng.random(cluster.size) < TAKEN_OUT)[: unused.size]
    made[out] = unused[: out.size]
    return made


def _improved(homes: Homes, problem: Problem, start: Ints, slack: float) -> float:
    """Move and join until neither saves more than the slack; the objective that this ends at."""
    from clusterdiff.many.consensus.cells import objective, settle
    from clusterdiff.many.consensus.local_search import SWEEPS, join_clusters

    cells, count, weights, vi = problem.cells, problem.count, problem.weights, problem.vi
    settle(homes, start, cells, count)
    for _ in range(SWEEPS):
        while _sweep(homes, problem) > slack:
            pass
        if join_clusters(homes, cells, count, weights, vi) <= slack:
            break
    return float(objective(homes, count, problem.weight_of_cell, problem.whole, vi))


def _sweep(homes: Homes, problem: Problem) -> float:
    """Move each profile once; how much that saves."""
    from clusterdiff.many.consensus.local_search import move_some

    step, saved = max(1, STEP // problem.runs), 0.0
    apart = is_large(problem)
    for begin in range(0, problem.profiles, step):
        end = min(begin + step, problem.profiles)
        given = (problem.cells, problem.count, problem.weights, problem.vi, apart)
        saved += move_some(homes, begin, end, *given)
    return saved
