"""The median partition by trying all set partitions, and what bounds its cost from below."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations

from ..common import Clustering, Number, cluster, partitions
from ..information import vi_distance
from ..pairs import mirkin_distance
from .programs import least

Distance = Callable[[Clustering, Clustering], Number]
DISTANCES: dict[str, Distance] = {"mirkin_distance": mirkin_distance, "vi_distance": vi_distance}


def cost(
    c: Clustering,
    runs: Sequence[Clustering],
    distance: Distance = mirkin_distance,
    weights: Sequence[Number] | None = None,
) -> Number:
    """Sum of the distances of a partition from the runs, by weight."""
    by = weights or [1] * len(runs)
    return sum((w * distance(c, run) for w, run in zip(by, runs, strict=True)), Fraction())


def every_partition(runs: Sequence[Clustering]) -> list[Clustering]:
    """All partitions of the objects of the runs."""
    objects = list(runs[0])
    return [{x: row[i] for i, x in enumerate(objects, start=1)} for row in partitions(len(objects))]


def medians(
    runs: Sequence[Clustering],
    distance: Distance = mirkin_distance,
    weights: Sequence[Number] | None = None,
) -> tuple[Number, list[Clustering]]:
    """The least cost and every partition that has it (up to rounding of logarithms)."""
    scored = [(cost(c, runs, distance, weights), c) for c in every_partition(runs)]
    least_cost: Number = min(value for value, _ in scored)
    return least_cost, [c for value, c in scored if value - least_cost < 1e-12]


def medoid(
    runs: Sequence[Clustering],
    distance: Distance = mirkin_distance,
    weights: Sequence[Number] | None = None,
) -> Number:
    """The least cost of one of the runs."""
    return min(cost(run, runs, distance, weights) for run in runs)


def mean_bound(runs: Sequence[Clustering], distance: Distance = mirkin_distance) -> Number:
    """Every pair of runs is at most as far apart as by way of the median."""
    total = sum(distance(a, b) for a, b in combinations(runs, 2))
    return Fraction(total) / (len(runs) - 1)


def star_bound(
    runs: Sequence[Clustering],
    distance: Distance = mirkin_distance,
    weights: Sequence[Number] | None = None,
) -> Fraction:
    """The least sum of x_i with |x_i - x_j| <= d_ij <= x_i + x_j, in fractions."""
    n = len(runs)
    rows: list[list[Number]] = []
    bounds: list[Number] = []
    for i, j in combinations(range(n), 2):
        apart = Fraction(distance(runs[i], runs[j]))
        for left, right, bound in ((1, 1, apart), (1, -1, -apart), (-1, 1, -apart)):
            row: list[Number] = [0] * n
            row[i], row[j] = left, right
            rows.append(row)
            bounds.append(bound)
    return least(list(weights or [1] * n), rows, bounds)


def together(
    runs: Sequence[Clustering], x: Hashable, y: Hashable, weights: Sequence[Number] | None = None
) -> Number:
    """The weight of the runs that put two objects together."""
    by = weights or [1] * len(runs)
    return sum(w for w, run in zip(by, runs, strict=True) if run[x] == run[y])


def majority_bound(runs: Sequence[Clustering], weights: Sequence[Number] | None = None) -> Number:
    """Every pair of objects costs at least its minority, in ordered pairs."""
    whole = sum(weights or [1] * len(runs))
    minorities = (
        min(m, whole - m)
        for m in (together(runs, x, y, weights) for x, y in combinations(runs[0], 2))
    )
    return 2 * sum(minorities)


def triangle_bound(runs: Sequence[Clustering], weights: Sequence[Number] | None = None) -> Fraction:
    """The least cost of numbers from 0 (together) to 1 (apart) that obey the triangle inequality.

    The unknown of a pair is how far it is from what its majority says, so that all cost something.
    """
    whole = Fraction(sum(weights or [1] * len(runs)))
    m = {
        frozenset({x, y}): Fraction(together(runs, x, y, weights))
        for x, y in combinations(runs[0], 2)
    }
    pairs = list(m)
    apart = {pair: 2 * m[pair] < whole for pair in pairs}
    place = {pair: i for i, pair in enumerate(pairs)}
    rows: list[list[Number]] = []
    bounds: list[Number] = []

    def require(signs: dict[frozenset[Hashable], int], bound: int) -> None:
        """Sum of signs times distances at least bound."""
        row: list[Number] = [0] * len(pairs)
        for pair, sign in signs.items():
            row[place[pair]] = -sign if apart[pair] else sign
            bound -= sign if apart[pair] else 0
        rows.append(row)
        bounds.append(bound)

    for x, y, z in combinations(runs[0], 3):
        three = [frozenset({x, y}), frozenset({y, z}), frozenset({x, z})]
        for far in three:
            require({pair: -1 if pair == far else 1 for pair in three}, 0)
    for i in range(len(pairs)):
        rows.append([-1 if j == i else 0 for j in range(len(pairs))])
        bounds.append(-1)
    extra = least([abs(2 * m[pair] - whole) for pair in pairs], rows, bounds)
    return 2 * (sum((min(m[p], whole - m[p]) for p in pairs), Fraction()) + extra)


def support(
    c: Clustering,
    runs: Sequence[Clustering],
    x: Hashable,
    weights: Sequence[Number] | None = None,
) -> Fraction:
    """Mean over the runs of the share of the cluster of x that the run puts together with x."""
    by = weights or [1] * len(runs)
    mine = cluster(c, x)
    shares = (
        Fraction(w) * Fraction(len(mine & cluster(run, x)), len(mine))
        for w, run in zip(by, runs, strict=True)
    )
    return sum(shares, Fraction()) / Fraction(sum(by))


def abstaining_cost(c: Clustering, runs: Sequence[Clustering], weights: Sequence[Number]) -> Number:
    """Ordered pairs on which a partition and a run differ, over the pairs that the run has."""
    return sum(
        2 * w * ((c[x] == c[y]) != (run[x] == run[y]))
        for w, run in zip(weights, runs, strict=True)
        for x, y in combinations(run, 2)
    )


def abstaining_support(
    c: Clustering, runs: Sequence[Clustering], x: Hashable, weights: Sequence[Number]
) -> Fraction:
    """Of the cluster of x, as far as runs with x have it, the share that they put with x."""
    mine = cluster(c, x)
    with_alignment = [(Fraction(w), run) for w, run in zip(weights, runs, strict=True) if x in run]
    seen = sum(w * len(mine & set(run)) for w, run in with_alignment)
    return Fraction(sum(w * len(mine & cluster(run, x)) for w, run in with_alignment)) / seen
