"""The majority bound from pairs of objects that are drawn, where all pairs would be too many.

A pair is drawn with a chance in proportion to the weight that puts it together, the consensus
counted as one more run with all the weight. Only such pairs can cost more than the majority would,
and none costs more than that weight, so that the mean of numbers from 0 to 1 is what is unknown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.many.consensus.problem import Problem

DRAWS = 1_000_000
LEVEL = 0.99


class SampledGap(NamedTuple):
    """What a partition costs more than the majorities, at most."""

    high: float
    """The upper end, at a level of confidence."""
    mean: float
    """What it is estimated to be."""
    pairs: int
    level: float


def sampled_gap(
    problem: Problem, cluster: Ints, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> SampledGap:
    """What a partition costs more than the majority would on each pair, from sampled pairs."""
    rng = np.random.default_rng(seed)
    sides = [*(problem.run(i) for i in range(problem.runs)), cluster]
    weights = np.append(problem.weights, problem.whole)
    masses = np.array([_ordered_pairs(side, problem.count) for side in sides]) * weights
    total = float(masses.sum())
    if total == 0:
        return SampledGap(0.0, 0.0, 0, level)
    seen, values = rng.multinomial(draws, masses / total), []
    for side, many in zip(sides, seen.tolist(), strict=True):
        p, q = _drawn(side, problem.count, many, rng)
        values.append(_shares(problem, cluster, p, q))
    mean = float(np.concatenate(values).sum()) / draws
    return SampledGap(_upper(mean, draws, 1 - level) * total, mean * total, draws, level)


def _ordered_pairs(side: Ints, count: Ints) -> float:
    sizes = np.bincount(side, weights=count)
    return float((sizes * (sizes - 1)).sum())


def _drawn(side: Ints, count: Ints, many: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Profiles of two different objects of one cluster, many times."""
    order = np.argsort(side, kind="stable")
    ends = np.cumsum(count[order])
    sizes = np.bincount(side, weights=count).astype(np.int64)
    begin = np.cumsum(sizes) - sizes
    chances = np.cumsum(sizes.astype(np.float64) * (sizes - 1))
    own = np.searchsorted(chances, rng.random(many) * chances[-1], side="right")
    first = rng.integers(0, sizes[own])
    other = rng.integers(0, sizes[own] - 1)
    other += other >= first
    one, two = (
        order[np.searchsorted(ends, begin[own] + place, side="right")] for place in (first, other)
    )
    return one, two


def _shares(problem: Problem, cluster: Ints, p: Ints, q: Ints) -> Floats:
    """For each pair what it costs too much, as a share of the weight that it is drawn by."""
    found = np.zeros(p.size)
    for i in range(problem.runs):
        found += problem.weights[i] * (problem.cells[p, i] == problem.cells[q, i])
    same, whole = cluster[p] == cluster[q], problem.whole
    over = np.where(same, whole - 2 * found, 2 * found - whole)
    return np.asarray(np.maximum(over, 0.0) / (found + whole * same))


def _upper(mean: float, draws: int, risk: float) -> float:
    """The upper end of a confidence interval of a mean of numbers from 0 to 1 (Hoeffding's bound by
    relative entropy).
    """
    most = -math.log(risk) / draws
    low, high = mean, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if _divergence(mean, middle) <= most:
            low = middle
        else:
            high = middle
    return high


def _divergence(mean: float, other: float) -> float:
    """Relative entropy of two chances."""
    yes = mean * math.log(mean / other) if mean > 0 else 0.0
    no = (1 - mean) * math.log((1 - mean) / (1 - other)) if mean < 1 else 0.0
    return yes + no
