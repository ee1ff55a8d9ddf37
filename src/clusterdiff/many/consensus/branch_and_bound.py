"""The median of a few profiles, proved: all partitions are tried that could still be better.

Profiles are placed one after the other. The cost of those that are placed never falls when another
one comes, and the rest costs at least what it would cost alone: for Mirkin's distance pair by pair,
for variation of information as the median of the rest (n · VI of a union is at least the sum).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.many.consensus.cells import together
from clusterdiff.many.consensus.pair_kernels import weight_together

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints

STEPS = 300_000
"""Placements that are tried before a proof is given up."""


@compiled
def rest_by_pairs(cells: NDArray[np.int32], count: Ints, weights: Floats) -> Floats:
    """For each place, the least that pairs with a profile from there on cost."""
    n, whole = count.size, weights.sum()
    rest = np.zeros(n + 1)
    for p in range(n - 1, -1, -1):
        rest[p] = rest[p + 1]
        for q in range(p):
            found = weight_together(cells, weights, p, q)
            rest[p] += 2.0 * min(found, whole - found) * float(count[p]) * float(count[q])
    return rest


@compiled
def placed_best(
    begin: int,
    best: Ints,
    least: float,
    rest: Floats,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    many: int,
    vi: bool,
    steps: int,
) -> tuple[float, int]:
    """Improve on the best partition of the profiles from `begin` on, which costs `least`.

    What the best costs, and how many steps are left: 0 if the proof was given up.
    """
    n, runs = cells.shape
    whole = weights.sum()
    shared, size = np.zeros((n, many)), np.zeros(n)
    total = np.zeros(many)
    home, used = np.full(n, -1), np.zeros(n + 1, np.int64)
    paid = np.zeros(n + 1)
    p = begin
    while p >= begin:
        if home[p] >= 0:
            _take(home[p], -1.0, p, shared, size, total, cells, count)
        home[p] += 1
        if home[p] > used[p]:
            home[p] = -1
            p -= 1
            continue
        steps -= 1
        if steps <= 0:
            return least, 0
        a, c = home[p], float(count[p])
        cost = whole * together(size[a], c, vi)
        for i in range(runs):
            cell = cells[p, i]
            more = together(total[cell], c, vi) - 2.0 * together(shared[a, cell], c, vi)
            cost += weights[i] * more
        _take(a, 1.0, p, shared, size, total, cells, count)
        paid[p + 1] = paid[p] + cost
        slack = 1e-11 * (abs(least) + 1e-300)
        if paid[p + 1] + rest[p + 1] >= least - slack:
            continue
        if p == n - 1:
            least = float(paid[n])
            best[begin:] = home[begin:]
            continue
        used[p + 1] = max(used[p], a + 1)
        p += 1
    return least, steps


@compiled
def _take(
    a: int,
    sign: float,
    p: int,
    shared: Floats,
    size: Floats,
    total: Floats,
    cells: NDArray[np.int32],
    count: Ints,
) -> None:
    """A profile comes to a cluster, or goes."""
    c = sign * float(count[p])
    size[a] += c
    for i in range(cells.shape[1]):
        shared[a, cells[p, i]] += c
        total[cells[p, i]] += c


@compiled
def cost_within(
    cluster: Ints, cells: NDArray[np.int32], count: Ints, weights: Floats, many: int, vi: bool
) -> float:
    """What a partition costs, on these profiles alone; its clusters are numbered below their
    number.
    """
    n, runs = cells.shape
    whole, cost = weights.sum(), 0.0
    shared, size, total = np.zeros((n, many)), np.zeros(n), np.zeros(many)
    for p in range(n):
        a, c = cluster[p], float(count[p])
        cost += whole * together(size[a], c, vi)
        for i in range(runs):
            cell = cells[p, i]
            more = together(total[cell], c, vi) - 2.0 * together(shared[a, cell], c, vi)
            cost += weights[i] * more
        _take(a, 1.0, p, shared, size, total, cells, count)
    return cost


@compiled
def median_of_few(
    start: Ints, cells: NDArray[np.int32], count: Ints, weights: Floats, many: int, vi: bool
) -> tuple[Ints, float, bool]:
    """The median, not worse than a start; what it costs, and whether that is proved."""
    n = count.size
    best = start.copy()
    least = cost_within(start, cells, count, weights, many, vi)
    steps = STEPS
    if vi:
        rest = np.zeros(n + 1)
        for begin in range(n - 1, 0, -1):
            own, first = np.zeros(n, np.int64), np.inf
            rest[begin], steps = placed_best(
                begin, own, first, rest, cells, count, weights, many, vi, steps
            )
            if steps == 0:
                return best, least, False
    else:
        rest = rest_by_pairs(cells, count, weights)
    least, steps = placed_best(0, best, least, rest, cells, count, weights, many, vi, steps)
    return best, least, steps > 0
