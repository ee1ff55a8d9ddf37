"""Components of a few profiles, one after the other: searched, bounded, and most of them proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.many.consensus.branch_and_bound import median_of_few
from clusterdiff.many.consensus.local_search import best_found
from clusterdiff.many.consensus.pair_kernels import excess_of, leanings, packed_triangles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints

SMALL = 80
"""Profiles of a component that a linear program is tried for, if it has to be."""
FEW = {False: 24, True: 13}
"""Profiles of a component whose partitions are tried, for Mirkin's distance and for VI."""


@compiled
def solve_components(
    which: Ints,
    order: Ints,
    start: Ints,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    place: Ints,
    vi: bool,
    few: int,
    cluster: Ints,
    gap: Floats,
) -> None:
    """Solve some components. The clusters of each profile are numbered within its component.

    `gap` is what may still be saved: 0 where it is proved that nothing can, NaN where nothing is
    known. `place` has room for every cluster of every run, all -1.
    """
    runs, half = weights.size, weights.sum() / 2
    for one in range(which.size):
        some = order[start[which[one]] : start[which[one] + 1]]
        n = some.size
        own, first = np.empty((n, runs), np.int32), np.zeros(runs + 1, np.int64)
        starts = np.zeros((runs + 2, n), np.int64)
        for i in range(runs):
            many = first[i]
            for p in range(n):
                cell = cells[some[p], i]
                if place[cell] < 0:
                    place[cell] = many
                    many += 1
                own[p, i] = place[cell]
                starts[i, p] = place[cell] - first[i]
            for p in range(n):
                place[cells[some[p], i]] = -1
            first[i + 1] = many
        starts[runs] = np.arange(n)
        weight_of_cell = np.empty(first[runs])
        for i in range(runs):
            weight_of_cell[first[i] : first[i + 1]] = weights[i]
        sizes = count[some]
        found = best_found(starts, own, sizes, weights, weight_of_cell, vi)
        gap[one] = np.nan
        if not vi:
            lean = np.empty((n, n))
            leanings(own, sizes, weights, half, lean)
            more = excess_of(lean, found)
            gap[one] = more - packed_triangles(lean)
            if gap[one] <= 1e-12 * more:
                gap[one] = 0.0
        if gap[one] != 0.0 and n <= few:
            found, _, proved = median_of_few(found, own, sizes, weights, first[runs], vi)
            if proved:
                gap[one] = 0.0
            elif not vi:
                gap[one] = excess_of(lean, found) - packed_triangles(lean)
        cluster[some] = found
