"""Where the profiles of a consensus lie in each cluster of each run, for compiled searches.

A *cell* is a cluster of a run, all runs numbered through. For each cell there is a list of the
consensus clusters that share objects with it and how many: moving a profile looks at these alone,
so that no table of profiles by profiles or clusters by clusters is needed.

Both distances are W Σ_A φ(A) - 2 Σ_i w_i Σ_cells φ(A ∩ cell) + const, with φ(x) = x² for Mirkin's
and φ(x) = x log x for variation of information; W is the sum of the weights w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints


class Homes(NamedTuple):
    """A partition of profiles while it is searched."""

    cluster: Ints
    """Of each profile; -1 is alone, where such profiles have no entries."""
    size: Ints
    """Objects of each cluster; 0 is an unused number."""
    first: Ints
    """For each cell its first entry, -1 for none."""
    entry_cluster: Ints
    entry_objects: Ints
    entry_next: Ints
    unused: Ints
    """Numbers of clusters that are unused, the next one last."""
    tops: Ints
    """The first unused entry, and how many unused numbers of clusters there are."""
    gain: Floats
    """Room to add up what a cluster would gain."""
    stamp: Ints
    """When the room of a cluster was last used."""
    seen: Ints
    """When a cell was last looked at."""
    clock: Ints
    touched: Ints


@compiled
def phi(x: float, vi: bool) -> float:
    """What a group of so many objects weighs."""
    if not vi:
        return x * x
    return float(x * np.log(x)) if x > 0 else 0.0


@compiled
def together(x: float, y: float, vi: bool) -> float:
    """What two groups weigh more as one."""
    if not vi:
        return 2.0 * x * y
    return float(phi(x + y, vi) - phi(x, vi) - phi(y, vi))


@compiled
def empty_homes(profiles: int, runs: int, cells: int) -> Homes:
    """Room for a partition."""
    entries = profiles * runs
    return Homes(
        np.zeros(profiles, np.int64),
        np.zeros(profiles, np.int64),
        np.full(cells, -1, np.int64),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.int64),
        np.arange(1, entries + 1),
        np.zeros(profiles, np.int64),
        np.zeros(2, np.int64),
        np.zeros(profiles, np.float64),
        np.full(profiles, -1, np.int64),
        np.full(cells, -1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(profiles, np.int64),
    )


@compiled
def settle(homes: Homes, start: Ints, cells: NDArray[np.int32], count: Ints) -> None:
    """Begin with a partition whose clusters are numbered below the number of profiles, -1 alone."""
    profiles, runs = cells.shape
    homes.first[:] = -1
    homes.size[:] = 0
    homes.entry_next[:] = np.arange(1, homes.entry_next.size + 1)
    homes.tops[0] = 0
    for p in range(profiles):
        homes.cluster[p] = start[p]
        if start[p] < 0:
            continue
        homes.size[start[p]] += count[p]
        for i in range(runs):
            enter(homes, cells[p, i], start[p], count[p])
    homes.tops[1] = 0
    for a in range(profiles - 1, -1, -1):
        if homes.size[a] == 0:
            homes.unused[homes.tops[1]] = a
            homes.tops[1] += 1


@compiled
def enter(homes: Homes, cell: int, cluster: int, objects: int) -> None:
    """So many objects of a cell come to a cluster."""
    e = homes.first[cell]
    while e >= 0:
        if homes.entry_cluster[e] == cluster:
            homes.entry_objects[e] += objects
            return
        e = homes.entry_next[e]
    e = homes.tops[0]
    homes.tops[0] = homes.entry_next[e]
    homes.entry_cluster[e] = cluster
    homes.entry_objects[e] = objects
    homes.entry_next[e] = homes.first[cell]
    homes.first[cell] = e


@compiled
def leave(homes: Homes, cell: int, cluster: int, objects: int) -> None:
    """So many objects of a cell go away from a cluster."""
    before, e = -1, homes.first[cell]
    while homes.entry_cluster[e] != cluster:
        before, e = e, homes.entry_next[e]
    homes.entry_objects[e] -= objects
    if homes.entry_objects[e] > 0:
        return
    if before < 0:
        homes.first[cell] = homes.entry_next[e]
    else:
        homes.entry_next[before] = homes.entry_next[e]
    homes.entry_next[e] = homes.tops[0]
    homes.tops[0] = e


@compiled
def moved(homes: Homes, p: int, to: int, cells: NDArray[np.int32], count: Ints) -> None:
    """Move a profile; to -1, it is alone and has no entries."""
    own = homes.cluster[p]
    for i in range(cells.shape[1]):
        if own >= 0:
            leave(homes, cells[p, i], own, count[p])
        if to >= 0:
            enter(homes, cells[p, i], to, count[p])
    homes.cluster[p] = to
    if to >= 0:
        homes.size[to] += count[p]
    if own >= 0:
        homes.size[own] -= count[p]
        if homes.size[own] == 0:
            homes.unused[homes.tops[1]] = own
            homes.tops[1] += 1


@compiled
def new_cluster(homes: Homes) -> int:
    """A number for a cluster that there is not yet."""
    homes.tops[1] -= 1
    return int(homes.unused[homes.tops[1]])


@compiled
def objective(homes: Homes, count: Ints, weight_of_cell: Floats, whole: float, vi: bool) -> float:
    """The cost of the partition without what no partition changes."""
    total = 0.0
    for p in range(count.size):
        if homes.cluster[p] < 0:
            total -= whole * phi(float(count[p]), vi)
    for a in range(homes.size.size):
        total += whole * phi(float(homes.size[a]), vi)
    for cell in range(homes.first.size):
        e = homes.first[cell]
        while e >= 0:
            total -= 2.0 * weight_of_cell[cell] * phi(float(homes.entry_objects[e]), vi)
            e = homes.entry_next[e]
    return total
