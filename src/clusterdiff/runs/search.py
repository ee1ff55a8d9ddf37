"""Local search for a median: move one profile at a time, join clusters, while either helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.runs.median import Problem

# Pairs of profiles: how much weight puts them together, and what that binds them to.


@compiled
def leaning(
    cells: NDArray[np.int32], count: Ints, weights: Floats, whole: float, p: int, q: int
) -> float:
    """What it costs more to part two profiles than to put them together, in ordered pairs of
    objects; what differs from 0 by rounding alone is 0.
    """
    shared = 0.0
    for i in range(weights.size):
        if cells[p, i] == cells[q, i]:
            shared += weights[i]
    lean = 2.0 * shared - whole
    if abs(lean) <= 2e-12 * whole:
        return 0.0
    return 2.0 * lean * float(count[p]) * float(count[q])


@compiled
def root(parent: Ints, p: int) -> int:
    """The profile that stands for the component of this one."""
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


@compiled
def link_majorities(
    order: Ints,
    start: Ints,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    whole: float,
    parent: Ints,
) -> None:
    """Link the profiles of each group that more than half of the weight puts together."""
    for g in range(start.size - 1):
        for s in range(start[g], start[g + 1]):
            p = order[s]
            own = root(parent, p)
            for t in range(start[g], s):
                other = root(parent, order[t])
                if other != own and leaning(cells, count, weights, whole, p, order[t]) > 0.0:
                    low, high = min(own, other), max(own, other)
                    parent[high] = low
                    own = low


@compiled
def are_open(
    order: Ints, start: Ints, cells: NDArray[np.int32], count: Ints, weights: Floats, found: Bools
) -> None:
    """Which components have a pair that less than half of the weight puts together."""
    whole = weights.sum()
    for g in range(start.size - 1):
        found[g] = False
        for s in range(start[g], start[g + 1]):
            if found[g]:
                break
            for t in range(start[g], s):
                if leaning(cells, count, weights, whole, order[s], order[t]) < 0.0:
                    found[g] = True
                    break


@compiled
def leanings(cells: NDArray[np.int32], count: Ints, weights: Floats) -> Floats:
    """The leaning of each two profiles."""
    whole = weights.sum()
    made = np.zeros((count.size, count.size))
    for p in range(count.size):
        for q in range(p):
            made[p, q] = made[q, p] = leaning(cells, count, weights, whole, p, q)
    return made


@compiled
def excess(cells: NDArray[np.int32], count: Ints, weights: Floats, cluster: Ints) -> float:
    """What a partition costs more than if each pair had the way of its majority."""
    whole, total = weights.sum(), 0.0
    for p in range(count.size):
        for q in range(p):
            lean = leaning(cells, count, weights, whole, p, q)
            if (lean > 0.0) != (cluster[p] == cluster[q]):
                total += abs(lean)
    return total


@compiled
def excess_of(lean: Floats, cluster: Ints) -> float:
    """What a partition costs more than if each pair had its way, from a table of leanings."""
    total = 0.0
    for p in range(cluster.size):
        for q in range(p):
            if (lean[p, q] > 0.0) != (cluster[p] == cluster[q]):
                total += abs(lean[p, q])
    return total


@compiled
def packed_triangles(lean: Floats) -> Floats:
    """For each place a bound on what every partition of the profiles from there on costs more than
    the majorities do.

    Where p is to be with q and with r but q is not to be with r, one of the three has to give way.
    Triangles are packed one after the other, each as often as the weight of its pairs allows.
    """
    n, total = len(lean), 0.0
    left, packed = np.abs(lean), np.zeros(n + 1)
    for p in range(n - 1, -1, -1):
        for q in range(p + 1, n):
            for r in range(p + 1, q):
                if left[p, q] <= 0.0:
                    break
                parted = int(lean[p, q] < 0.0) + int(lean[p, r] < 0.0) + int(lean[q, r] < 0.0)
                least = min(left[p, q], left[p, r], left[q, r])
                if parted == 1 and least > 0.0:
                    total += least
                    for a, b in ((p, q), (p, r), (q, r)):
                        left[a, b] -= least
                        left[b, a] = left[a, b]
        packed[p] = total
    return packed


# Where the profiles of a consensus lie in each cluster of each run, for compiled searches.
#
# A *cell* is a cluster of a run, all runs numbered through. For each cell there is a list of the
# consensus clusters that share objects with it and how many: moving a profile looks at these
# alone, so that no table of profiles by profiles or clusters by clusters is needed.
#
# Both distances are W Σ_A φ(A) - 2 Σ_i w_i Σ_cells φ(A ∩ cell) + const, with φ(x) = x² for
# Mirkin's and φ(x) = x log x for variation of information; W is the sum of the weights w.


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
def best_found(
    starts: Ints,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    weight_of_cell: Floats,
    vi: bool,
) -> tuple[Ints, float]:
    """The best partition that moving and joining ends at, from some starts, and its objective; of
    equal ones the first.
    """
    profiles, runs = cells.shape
    homes = empty_homes(profiles, runs, weight_of_cell.size)
    best: Ints = starts[0].copy()
    least = np.inf
    for start in starts:
        settle(homes, start, cells, count)
        for _ in range(SWEEPS):
            while move_some(homes, 0, profiles, cells, count, weights, vi, False) > 0.0:
                pass
            if join_clusters(homes, cells, count, weights, vi) == 0.0:
                break
        cost = objective(homes, count, weight_of_cell, weights.sum(), vi)
        if cost < least - TINY * abs(cost):
            best[:], least = homes.cluster, cost
    return best, least


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


# Search of components with many profiles, in steps short enough to be interrupted.

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


def search(problem: Problem, seed: int) -> Ints:
    """The best partition found: from runs, those nearest to all others first, from all profiles
    alone, and from the best with some profiles taken out.
    """
    total = problem.between @ problem.votes
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
    made[alone] = np.arange(alone.size)
    if not is_large(part):
        homes = empty_homes(part.profiles, part.runs, int(part.first[-1]))
        _improved(homes, part, made[alone], 0.0)
        made[alone] = homes.cluster
    made[alone] += cluster.max() + 1
    return made


def _kicked(cluster: Ints, rng: np.random.Generator) -> Ints:
    """Some profiles alone, in numbers that are unused."""
    made = cluster.copy()
    unused = np.setdiff1d(np.arange(cluster.size), cluster)
    out = np.flatnonzero(rng.random(cluster.size) < TAKEN_OUT)[: unused.size]
    made[out] = unused[: out.size]
    return made


def _improved(homes: Homes, problem: Problem, start: Ints, slack: float) -> float:
    """Move and join until neither saves more than the slack; the objective that this ends at."""

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

    step, saved = max(1, STEP // problem.runs), 0.0
    apart = is_large(problem)
    for begin in range(0, problem.profiles, step):
        end = min(begin + step, problem.profiles)
        given = (problem.cells, problem.count, problem.weights, problem.vi, apart)
        saved += move_some(homes, begin, end, *given)
    return saved


# The median of a few profiles, proved: all partitions are tried that could still be better.
#
# Profiles are placed one after the other. The cost of those that are placed never falls when
# another one comes, and the rest costs at least what it would cost alone: for Mirkin's distance
# pair by pair, for variation of information as the median of the rest (n · VI of a union is at
# least the sum).

STEPS = 300_000
"""Placements that are tried before a proof is given up."""


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
def median_of_few(
    best: Ints,
    least: float,
    packed: Floats,
    cells: NDArray[np.int32],
    count: Ints,
    weights: Floats,
    many: int,
    vi: bool,
) -> bool:
    """Make the best partition known, which costs `least`, the median; whether that is proved."""
    n, whole, steps = count.size, weights.sum(), STEPS
    rest = packed.copy()
    if vi:
        for begin in range(n - 1, 0, -1):
            own, first = np.zeros(n, np.int64), np.inf
            rest[begin], steps = placed_best(
                begin, own, first, rest, cells, count, weights, many, vi, steps
            )
            if steps == 0:
                return False
    else:
        majority = 0.0
        for p in range(n - 1, -1, -1):
            for q in range(p):
                lean = leaning(cells, count, weights, whole, p, q)
                majority += whole * float(count[p]) * float(count[q]) - abs(lean) / 2
            rest[p] += majority
    _, steps = placed_best(0, best, least, rest, cells, count, weights, many, vi, steps)
    return bool(steps > 0)


# Components of a few profiles, one after the other: searched, bounded, and most of them proved.

SMALL = 80
"""Profiles of a component that is searched from every run, with others in one compiled call."""
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
    runs = weights.size
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
        found, cost = best_found(starts, own, sizes, weights, weight_of_cell, vi)
        packed = np.zeros(n + 1)
        gap[one] = np.nan
        if not vi:
            lean = leanings(own, sizes, weights)
            packed = packed_triangles(lean)
            gap[one] = _open(lean, found, packed[0])
        if gap[one] != 0.0 and n <= few:
            total = np.zeros(first[runs])
            for p in range(n):
                for i in range(runs):
                    total[own[p, i]] += sizes[p]
            for cell in range(total.size):
                cost += weight_of_cell[cell] * phi(total[cell], vi)
            if median_of_few(found, cost, packed, own, sizes, weights, first[runs], vi):
                gap[one] = 0.0
            elif not vi:
                gap[one] = _open(lean, found, packed[0])
        cluster[some] = found


@compiled
def _open(lean: Floats, cluster: Ints, packed: float) -> float:
    """What may still be saved; rounding is nothing."""
    more = excess_of(lean, cluster)
    return more - packed if more - packed > 1e-12 * more else 0.0
