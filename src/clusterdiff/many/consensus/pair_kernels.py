"""Pairs of profiles: how much weight puts them together, and what that binds them to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints


@compiled
def root(parent: Ints, p: int) -> int:
    """The profile that stands for the component of this one."""
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


@compiled
def weight_together(cells: NDArray[np.int32], weights: Floats, p: int, q: int) -> float:
    """The weight of the runs that put two profiles together."""
    found = 0.0
    for i in range(weights.size):
        if cells[p, i] == cells[q, i]:
            found += weights[i]
    return found


@compiled
def link_majorities(
    order: Ints,
    start: Ints,
    cells: NDArray[np.int32],
    weights: Floats,
    half: float,
    parent: Ints,
) -> None:
    """Link the profiles of each group that more than half of the weight puts together."""
    for g in range(start.size - 1):
        for s in range(start[g], start[g + 1]):
            p = order[s]
            mine = root(parent, p)
            for t in range(start[g], s):
                q = order[t]
                other = root(parent, q)
                if other != mine and weight_together(cells, weights, p, q) > half:
                    low, high = min(mine, other), max(mine, other)
                    parent[high] = low
                    mine = low


@compiled
def link_clusters(cells: NDArray[np.int32], seen: Ints, parent: Ints) -> None:
    """Link profiles that any run puts together; `seen` has room for every cluster, all -1."""
    for p in range(cells.shape[0]):
        for i in range(cells.shape[1]):
            q = seen[cells[p, i]]
            seen[cells[p, i]] = p
            if q >= 0:
                mine, other = root(parent, p), root(parent, q)
                low, high = min(mine, other), max(mine, other)
                parent[high] = low


@compiled
def are_open(
    order: Ints, start: Ints, cells: NDArray[np.int32], weights: Floats, half: float, found: Bools
) -> None:
    """Which components have a pair that less than half of the weight puts together."""
    for g in range(start.size - 1):
        found[g] = False
        for s in range(start[g], start[g + 1]):
            if found[g]:
                break
            for t in range(start[g], s):
                if weight_together(cells, weights, order[s], order[t]) < half:
                    found[g] = True
                    break


@compiled
def leanings(
    cells: NDArray[np.int32], count: Ints, weights: Floats, half: float, made: Floats
) -> None:
    """What it costs more to part two profiles than to put them together, in ordered pairs of
    objects; what differs from 0 by rounding alone is 0.
    """
    whole = weights.sum()
    for p in range(count.size):
        made[p, p] = 0.0
        for q in range(p):
            found = weight_together(cells, weights, p, q)
            lean = 0.0 if abs(found - half) <= 1e-12 * whole else 2.0 * found - whole
            made[p, q] = made[q, p] = 2.0 * lean * float(count[p]) * float(count[q])


@compiled
def excess(
    cells: NDArray[np.int32], count: Ints, weights: Floats, half: float, cluster: Ints
) -> float:
    """What a partition costs more than the majority would on each pair."""
    whole, total = weights.sum(), 0.0
    for p in range(count.size):
        for q in range(p):
            found = weight_together(cells, weights, p, q)
            lean = 0.0 if abs(found - half) <= 1e-12 * whole else 2.0 * found - whole
            if (lean > 0.0) != (cluster[p] == cluster[q]):
                total += 2.0 * abs(lean) * float(count[p]) * float(count[q])
    return total


@compiled
def excess_of(lean: Floats, cluster: Ints) -> float:
    """The same from what each pair leans to."""
    total = 0.0
    for p in range(cluster.size):
        for q in range(p):
            if (lean[p, q] > 0.0) != (cluster[p] == cluster[q]):
                total += abs(lean[p, q])
    return total


@compiled
def packed_triangles(lean: Floats) -> float:
    """A bound on what every partition costs more than the majorities do.

    Where p is to be with q and with r but q is not to be with r, one of the three has to give way.
    Triangles are packed one after the other, each as often as the weight of its pairs allows.
    """
    left, total = np.abs(lean), 0.0
    n = lean.shape[0]
    for q in range(n):
        for r in range(q):
            if lean[q, r] >= 0.0:
                continue
            for p in range(n):
                if left[q, r] <= 0.0:
                    break
                if lean[p, q] > 0.0 and lean[p, r] > 0.0:
                    least = min(left[q, r], left[p, q], left[p, r])
                    if least > 0.0:
                        total += least
                        for a, b in ((q, r), (p, q), (p, r)):
                            left[a, b] -= least
                            left[b, a] = left[a, b]
    return total


@compiled
def cell_distance(both: float, first: float, second: float, vi: bool) -> float:
    """What a cell of the table of two runs adds to their distance."""
    if vi:
        return float(both * (np.log(first / both) + np.log(second / both)))
    return both * (first - both) + both * (second - both)


@compiled
def table_distance(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    begin: int,
    other: int,
    count: Ints,
    size: Ints,
    table: Ints,
    vi: bool,
) -> float:
    """The distance of two runs by a table of their clusters, which is all zero.

    `size` has the objects of every cluster of every run; `begin` and `other` are the numbers of the
    first clusters of the two.
    """
    for p in range(count.size):
        table[first[p] - begin, second[p] - other] += count[p]
    total = 0.0
    for a in range(table.shape[0]):
        for b in range(table.shape[1]):
            if table[a, b] > 0:
                x = float(table[a, b])
                total += cell_distance(x, size[begin + a], size[other + b], vi)
    return total


@compiled
def run_distance(
    order: Ints,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    count: Ints,
    other: int,
    size: Ints,
    room: Ints,
    vi: bool,
) -> float:
    """The same from profiles in the order of the clusters of the first run; `room` is zero for
    each cluster of the second.
    """
    total, s = 0.0, 0
    while s < order.size:
        own, end = first[order[s]], s
        while end < order.size and first[order[end]] == own:
            room[second[order[end]] - other] += count[order[end]]
            end += 1
        for t in range(s, end):
            cell = second[order[t]]
            both = room[cell - other]
            if both > 0:
                room[cell - other] = 0
                total += cell_distance(float(both), float(size[own]), float(size[cell]), vi)
        s = end
    return total
