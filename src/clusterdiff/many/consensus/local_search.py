"""Local search for a median: move one profile at a time, join clusters, while either helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.many.consensus.cells import (
    Homes,
    empty_homes,
    enter,
    leave,
    moved,
    new_cluster,
    objective,
    settle,
    together,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints

TINY = 1e-11
"""Of what is weighed, so much may be rounding."""
SWEEPS = 200
"""The most rounds of moves; each helps, so that far fewer are needed."""


@compiled
def move_some(
    homes: Homes,
    begin: int,
    end: int,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    vi: bool,
    apart: bool,
) -> float:
    """Move each of some profiles to where it costs least; how much that saves in all.

    `apart` keeps profiles that are alone without entries: others do not come to them, and lists
    stay short where they are many.
    """
    runs, whole, saved = cells.shape[1], weights.sum(), 0.0
    for p in range(begin, end):
        homes.clock[0] += 1
        now, c, own, touched = homes.clock[0], float(count[p]), homes.cluster[p], 0
        stay = 0.0
        for i in range(runs):
            e = homes.first[cells[p, i]]
            while e >= 0:
                a, x = homes.entry_cluster[e], float(homes.entry_objects[e])
                if a == own:
                    stay += weights[i] * together(x - c, c, vi)
                else:
                    if homes.stamp[a] != now:
                        homes.stamp[a], homes.gain[a] = now, 0.0
                        homes.touched[touched] = a
                        touched += 1
                    homes.gain[a] += weights[i] * together(x, c, vi)
                e = homes.entry_next[e]
        mine = float(homes.size[own]) if own >= 0 else c
        here = whole * together(mine - c, c, vi) - 2.0 * stay
        least, to = 0.0, -1
        for t in range(touched):
            a = homes.touched[t]
            cost = whole * together(float(homes.size[a]), c, vi) - 2.0 * homes.gain[a]
            if cost < least or (cost == least and to >= 0 and a < to):
                least, to = cost, a
        if least < here - TINY * whole * c * (mine + c):
            if to < 0 and not apart:
                to = new_cluster(homes)
            moved(homes, p, to, cells, count)
            saved += here - least
    return saved


@compiled
def join_clusters(
    homes: Homes, cells: NDArray[np.int32], count: Ints, weights: Floats, vi: bool
) -> float:
    """Join each cluster with the one that it gains most by, if it gains; how much that saves."""
    profiles, runs = cells.shape
    whole, saved = weights.sum(), 0.0
    head, after = np.full(profiles, -1), np.full(profiles, -1)
    for p in range(profiles - 1, -1, -1):
        a = homes.cluster[p]
        if a >= 0:
            after[p], head[a] = head[a], p
    for a in range(profiles):
        if homes.size[a] == 0:
            continue
        homes.clock[0] += 1
        now, touched, p = homes.clock[0], 0, head[a]
        while p >= 0:
            for i in range(runs):
                cell = cells[p, i]
                if homes.seen[cell] == now:
                    continue
                homes.seen[cell] = now
                touched = _gains(homes, cell, a, weights[i], now, touched, vi)
            p = after[p]
        least, to = 0.0, -1
        own = float(homes.size[a])
        for t in range(touched):
            b = homes.touched[t]
            cost = whole * together(own, float(homes.size[b]), vi) - 2.0 * homes.gain[b]
            if cost < least or (cost == least and to >= 0 and b < to):
                least, to = cost, b
        if to >= 0 and least < -TINY * whole * own * (own + homes.size[to]):
            _absorb(homes, a, to, head, after, cells, count)
            saved -= least
    return saved


@compiled
def _gains(homes: Homes, cell: int, a: int, weight: float, now: int, touched: int, vi: bool) -> int:
    """Add what other clusters share with this one in a cell to what joining them would gain."""
    e = homes.first[cell]
    while homes.entry_cluster[e] != a:
        e = homes.entry_next[e]
    mine = float(homes.entry_objects[e])
    e = homes.first[cell]
    while e >= 0:
        b = homes.entry_cluster[e]
        if b != a:
            if homes.stamp[b] != now:
                homes.stamp[b], homes.gain[b] = now, 0.0
                homes.touched[touched] = b
                touched += 1
            homes.gain[b] += weight * together(mine, float(homes.entry_objects[e]), vi)
        e = homes.entry_next[e]
    return touched


@compiled
def _absorb(
    homes: Homes, a: int, to: int, head: Ints, after: Ints, cells: NDArray[np.int32], count: Ints
) -> None:
    """All profiles of a cluster go over to another one."""
    p, last = head[a], -1
    while p >= 0:
        for i in range(cells.shape[1]):
            leave(homes, cells[p, i], a, count[p])
            enter(homes, cells[p, i], to, count[p])
        homes.cluster[p] = to
        last, p = p, after[p]
    after[last] = head[to]
    head[to], head[a] = head[a], -1
    homes.size[to] += homes.size[a]
    homes.size[a] = 0
    homes.unused[homes.tops[1]] = a
    homes.tops[1] += 1


@compiled
def improve(homes: Homes, cells: NDArray[np.int32], count: Ints, weights: Floats, vi: bool) -> None:
    """Move and join until neither helps."""
    for _ in range(SWEEPS):
        while move_some(homes, 0, count.size, cells, count, weights, vi, False) > 0.0:
            pass
        if join_clusters(homes, cells, count, weights, vi) == 0.0:
            return


@compiled
def best_found(
    starts: Ints,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    weight_of_cell: Floats,
    vi: bool,
) -> Ints:
    """The best partition that searches from some starts end at; of equal ones the first."""
    profiles, runs = cells.shape
    homes = empty_homes(profiles, runs, weight_of_cell.size)
    best: Ints = starts[0].copy()
    least = np.inf
    for start in starts:
        settle(homes, start, cells, count)
        improve(homes, cells, count, weights, vi)
        cost = objective(homes, count, weight_of_cell, weights.sum(), vi)
        if cost < least - TINY * abs(cost):
            best[:], least = homes.cluster, cost
    return best


@compiled
def improve_leanings(cluster: Ints, lean: Floats) -> None:
    """Move profiles and join clusters, in place, until neither helps, by the table of leanings."""
    n = cluster.size
    size, gain = np.zeros(n, np.int64), np.zeros(n)
    for p in range(n):
        size[cluster[p]] += 1
    tiny = TINY * n * np.abs(lean).max()
    for _ in range(SWEEPS):
        better = False
        for p in range(n):
            gain[:] = 0.0
            for q in range(n):
                gain[cluster[q]] += lean[p, q]
            own, to = cluster[p], np.argmax(gain)
            if gain[to] <= tiny and gain[own] < -tiny:
                to = np.argmin(size)  # an unused number, since the profile is not alone
            if gain[to] > gain[own] + tiny:
                cluster[p], better = to, True
                size[own] -= 1
                size[to] += 1
        for a in range(n):
            if size[a] == 0:
                continue
            gain[:] = 0.0
            for p in range(n):
                if cluster[p] == a:
                    for q in range(n):
                        gain[cluster[q]] += lean[p, q]
            gain[a] = 0.0
            to = np.argmax(gain)
            if gain[to] > tiny:
                cluster[cluster == a] = to
                size[to] += size[a]
                size[a], better = 0, True
        if not better:
            return
