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
                if lean[p, q] > 0.0 and lean[p, r] > 0.0 and left[q, r] > 0.0:
                    least = min(left[q, r], left[p, q], left[p, r])
                    if least > 0.0:
                        total += least
                        for a, b in ((q, r), (p, q), (p, r)):
                            left[a, b] -= least
                            left[b, a] = left[a, b]
    return total


@compiled
def run_distance(
    order: Ints,
    i: int,
    j: int,
    cells: NDArray[np.int32],
    count: Ints,
    begin: int,
    size: Ints,
    room: Ints,
    vi: bool,
) -> float:
    """The distance of two runs, from profiles in the order of the clusters of the first.

    `size` has the objects of every cluster, `begin` is the number of the first cluster of the
    second run, and `room` is zero for each of them.
    """
    total, s = 0.0, 0
    while s < order.size:
        own, end = cells[order[s], i], s
        while end < order.size and cells[order[end], i] == own:
            room[cells[order[end], j] - begin] += count[order[end]]
            end += 1
        for t in range(s, end):
            cell = cells[order[t], j]
            both = room[cell - begin]
            if both > 0:
                room[cell - begin] = 0
                if vi:
                    x = float(both)
                    total += x * (np.log(size[own] / x) + np.log(size[cell] / x))
                else:
                    total += float(both * (size[own] - both) + both * (size[cell] - both))
        s = end
    return total
