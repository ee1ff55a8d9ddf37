"""Medians by going through all set partitions, and what must hold of those that are found."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency.base import components
from clusterdiff.runs.median import (
    Median,
    Problem,
    median_of,
    pairs_bound,
    star_bound,
)
from clusterdiff.runs.search import leanings, packed_triangles
from clusterdiff.runs.tables import profiles_of

Table = NDArray[np.int64]


@cache
def all_partitions(objects: int) -> Ints:
    """All set partitions of so many objects, a row of cluster numbers each."""
    rows = [[0]]
    for _ in range(objects - 1):
        rows = [[*row, k] for row in rows for k in range(max(row) + 2)]
    return np.array(rows)


def same(labels: Ints) -> NDArray[np.bool_]:
    """Which objects are together, in one partition or in each of many."""
    return np.asarray(labels[..., :, None] == labels[..., None, :])


def costs(every: Ints, runs: list[Ints], weights: Floats, vi: bool) -> Floats:
    """The cost of each partition, object by object, as `cd.compare` scales distances."""
    mine, total = same(every), np.zeros(len(every))
    for run, weight in zip(runs, weights, strict=True):
        other = same(run)
        if vi:
            sizes = np.log(mine.sum(2)) + np.log(other.sum(1))
            total += weight * (sizes - 2 * np.log((mine & other).sum(2))).mean(1)
        else:
            total += weight * (mine != other).sum((1, 2))
    return total


def majority_cost(runs: list[Ints], weights: Floats) -> float:
    """What it costs if every pair of objects has its way."""
    together = sum(w * same(run) for run, w in zip(runs, weights, strict=True))
    return float(np.minimum(together, weights.sum() - together).sum())


def random_runs(rng: np.random.Generator, most: int = 7) -> list[Ints]:
    """A few runs of a few objects; some are noisy copies of one partition."""
    objects, many = int(rng.integers(1, most + 1)), int(rng.integers(2, 8))
    base = rng.integers(0, objects, objects)
    runs = []
    for _ in range(many):
        noise = rng.random(objects) < rng.choice([0.2, 0.5, 1.0])
        runs.append(np.where(noise, rng.integers(0, rng.integers(1, objects + 1), objects), base))
    return runs


def random_weights(rng: np.random.Generator, many: int) -> Floats:
    """All 1, whole, or any."""
    kind = rng.integers(3)
    if kind == 0:
        return np.ones(many)
    return rng.integers(1, 4, many).astype(float) if kind == 1 else rng.random(many) + 0.1


def problem_of(runs: list[Ints], weights: Floats, vi: bool) -> tuple[Problem, Ints]:
    """The problem, and the profile of each object."""
    found = profiles_of(runs)
    return Problem(found.clusters, found.count, weights, vi=vi), found.code


def check_median(runs: list[Ints], weights: Floats, vi: bool, seed: int = 0) -> Median:
    """Assert what must hold of a median that is found, by all set partitions."""
    problem, code = problem_of(runs, weights, vi)
    found = median_of(problem, seed)
    every = all_partitions(runs[0].size)
    each = costs(every, runs, weights, vi)
    least, scale = float(each.min()), runs[0].size if vi else 1
    cost = float(costs(found.cluster[code][None], runs, weights, vi)[0])
    assert abs(cost * scale - problem.distances_to(found.cluster) @ weights) < 1e-9
    assert cost >= least - 1e-9
    bound = cost - found.gap / scale
    assert bound <= least + 1e-9, "a bound above the median"
    if found.gap == 0:
        assert cost <= least + 1e-9, "certain, and not the median"
    check_bounds(problem, runs, weights, least, scale)
    check_statements(problem, code, every[each <= least + 1e-9])
    return found


def check_bounds(
    problem: Problem, runs: list[Ints], weights: Floats, least: float, scale: int
) -> None:
    """Assert that each bound is at least the one before, and none above the median."""
    between = problem.between / scale
    chain = [pairs_bound(between, weights), star_bound(between, weights)]
    if not problem.vi:
        majority = majority_cost(runs, weights)
        packed = packed_triangles(leanings(problem.weighted))[0]
        chain += [majority, majority + packed]
    medoid = float((between @ weights).min())
    chain += [least, medoid]
    if len(set(weights.tolist())) == 1:
        chain.append(2 * (1 - 1 / len(runs)) * least)
    for low, high in pairwise(chain):
        assert low <= high + 1e-9, chain


def check_statements(problem: Problem, code: Ints, medians: Ints) -> None:
    """Assert that profiles are together in every median, and that components are enough."""
    for one in medians:
        assert len(set(zip(code.tolist(), one.tolist(), strict=True))) == problem.profiles
    p, q = np.triu_indices(problem.profiles, 1)
    joint = (problem.cells[p] == problem.cells[q]) @ problem.weights
    linked = joint > 0 if problem.vi else joint > problem.whole / 2 * (1 + 1e-12)
    part = components(p[linked], q[linked], problem.profiles)[code]
    inside = [len(set(zip(part, one, strict=True))) == len(set(one)) for one in medians.tolist()]
    assert all(inside) if problem.vi else any(inside)
