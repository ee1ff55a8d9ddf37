"""Local search for a median: move one profile at a time, join clusters, while either helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.runs.median import Problem


class WeightedRuns(NamedTuple):
    """Profiles in several runs, as compiled functions take them."""

    cells: NDArray[np.int32]
    """The cluster of each profile (row) in each run; clusters of all runs are numbered through."""
    count: Ints  # type: ignore[assignment]
    """Objects of each profile."""
    weights: Floats
    """Of each run."""
    weight_of_cell: Floats
    """For each cluster of each run the weight of its run."""
    whole: float
    """The sum of the weights."""
    vi: bool
    """Whether the distance is variation of information, not Mirkin's."""


# Pairs of profiles: how much weight puts them together, and what that binds them to.


@compiled
def leaning(runs: WeightedRuns, p: int, q: int) -> float:
    """What it costs more to part two profiles than to put them together, in ordered pairs of
    objects; what differs from 0 by rounding alone is 0.
    """
    shared = 0.0
    for i in range(runs.weights.size):
        if runs.cells[p, i] == runs.cells[q, i]:
            shared += runs.weights[i]
    lean = 2.0 * shared - runs.whole
    if abs(lean) <= 2e-12 * runs.whole:
        return 0.0
    return 2.0 * lean * float(runs.count[p]) * float(runs.count[q])


@compiled
def root(parent: Ints, p: int) -> int:
    """The profile that stands for the component of this one."""
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


@compiled
def link_majorities(order: Ints, start: Ints, runs: WeightedRuns, parent: Ints) -> None:
    """Link the profiles of each group that more than half of the weight puts together."""
    for g in range(start.size - 1):
        for s in range(start[g], start[g + 1]):
            p = order[s]
            own = root(parent, p)
            for t in range(start[g], s):
                other = root(parent, order[t])
                if other != own and leaning(runs, p, order[t]) > 0.0:
                    low, high = min(own, other), max(own, other)
                    parent[high] = low
                    own = low


@compiled
def are_open(order: Ints, start: Ints, runs: WeightedRuns, found: Bools) -> None:
    """Which components have a pair that less than half of the weight puts together."""
    for g in range(start.size - 1):
        found[g] = False
        for s in range(start[g], start[g + 1]):
            if found[g]:
                break
            for t in range(start[g], s):
                if leaning(runs, order[s], order[t]) < 0.0:
                    found[g] = True
                    break


@compiled
def leanings(runs: WeightedRuns) -> Floats:
    """The leaning of each two profiles."""
    made = np.zeros((runs.count.size, runs.count.size))
    for p in range(runs.count.size):
        for q in range(p):
            made[p, q] = made[q, p] = leaning(runs, p, q)
    return made


@compiled
def excess(runs: WeightedRuns, cluster: Ints) -> float:
    """What a partition costs more than if each pair had the way of its majority."""
    total = 0.0
    for p in range(cluster.size):
        for q in range(p):
            lean = leaning(runs, p, q)
            if (lean > 0.0) != (cluster[p] == cluster[q]):
                total += abs(lean)
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
    """Clusters whose room is in use."""


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
def empty_homes(runs: WeightedRuns) -> Homes:
    """Room for a partition."""
    profiles, cells = runs.count.size, runs.weight_of_cell.size
    entries = runs.cells.size
    return Homes(
        np.zeros(profiles, np.int64), np.zeros(profiles, np.int64), np.full(cells, -1, np.int64),
        np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.arange(1, entries + 1),
        np.zeros(profiles, np.int64), np.zeros(2, np.int64), np.zeros(profiles, np.float64),
        np.full(profiles, -1, np.int64), np.full(cells, -1, np.int64), np.zeros(1, np.int64),
        np.zeros(profiles, np.int64),
    )  # fmt: skip


@compiled
def settle(homes: Homes, runs: WeightedRuns, start: Ints) -> None:
    """Begin with a partition whose clusters are numbered below the number of profiles, -1 alone."""
    homes.first[:] = -1
    homes.size[:] = 0
    homes.cluster[:] = -1
    homes.entry_next[:] = np.arange(1, homes.entry_next.size + 1)
    homes.tops[0] = 0
    for p in range(start.size):
        moved(homes, runs, p, start[p])
    homes.tops[1] = 0
    for a in range(start.size - 1, -1, -1):
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
def moved(homes: Homes, runs: WeightedRuns, p: int, to: int) -> None:
    """Move a profile; to -1, it is alone and has no entries."""
    own, objects = homes.cluster[p], runs.count[p]
    for i in range(runs.weights.size):
        if own >= 0:
            leave(homes, runs.cells[p, i], own, objects)
        if to >= 0:
            enter(homes, runs.cells[p, i], to, objects)
    homes.cluster[p] = to
    if to >= 0:
        homes.size[to] += objects
    if own >= 0:
        homes.size[own] -= objects
        if homes.size[own] == 0:
            homes.unused[homes.tops[1]] = own
            homes.tops[1] += 1


@compiled
def objective(homes: Homes, runs: WeightedRuns) -> float:
    """The cost of the partition without what no partition changes."""
    total, vi = 0.0, runs.vi
    for p in range(homes.cluster.size):
        if homes.cluster[p] < 0:
            total -= runs.whole * phi(float(runs.count[p]), vi)
    for a in range(homes.size.size):
        total += runs.whole * phi(float(homes.size[a]), vi)
    for cell in range(homes.first.size):
        e = homes.first[cell]
        while e >= 0:
            total -= 2.0 * runs.weight_of_cell[cell] * phi(float(homes.entry_objects[e]), vi)
            e = homes.entry_next[e]
    return total


TINY = 1e-11
"""Of what is weighed, so much may be rounding."""
SWEEPS = 200
"""The most rounds of moves; each helps, so that far fewer are needed."""


@compiled
def gather(
    homes: Homes, runs: WeightedRuns, cell: int, weight: float, own: int, objects: float, many: int
) -> int:
    """Add what the clusters in a cell gain there by so many objects of the cluster `own`, which
    itself has them already; how many clusters have gained so far.
    """
    e = homes.first[cell]
    while e >= 0:
        a, x = homes.entry_cluster[e], float(homes.entry_objects[e])
        if homes.stamp[a] != homes.clock[0]:
            homes.stamp[a], homes.gain[a] = homes.clock[0], 0.0
            homes.touched[many] = a
            many += 1
        homes.gain[a] += weight * together(x - objects if a == own else x, objects, runs.vi)
        e = homes.entry_next[e]
    return many


@compiled
def nearest(
    homes: Homes, runs: WeightedRuns, own: int, objects: float, many: int
) -> tuple[float, int]:
    """What it costs to put so many objects of the cluster `own` into the one where it costs least,
    and that cluster; (0, -1) where they had better be alone.
    """
    least, to = 0.0, -1
    for t in range(many):
        a = homes.touched[t]
        if a == own:
            continue
        cost = runs.whole * together(float(homes.size[a]), objects, runs.vi) - 2.0 * homes.gain[a]
        if cost < least or (cost == least and to >= 0 and a < to):
            least, to = cost, a
    return least, to


@compiled
def move_some(homes: Homes, runs: WeightedRuns, begin: int, end: int, apart: bool) -> float:
    """Move each of some profiles to where it costs least; how much that saves in all.

    `apart` keeps profiles that are alone without entries: others do not come to them, and lists
    stay short where they are many.
    """
    saved = 0.0
    for p in range(begin, end):
        homes.clock[0] += 1
        c, own, many = float(runs.count[p]), homes.cluster[p], 0
        for i in range(runs.weights.size):
            many = gather(homes, runs, runs.cells[p, i], runs.weights[i], own, c, many)
        mine = float(homes.size[own]) if own >= 0 else c
        stay = homes.gain[own] if own >= 0 else 0.0
        here = runs.whole * together(mine - c, c, runs.vi) - 2.0 * stay
        least, to = nearest(homes, runs, own, c, many)
        if least < here - TINY * runs.whole * c * (mine + c):
            if to < 0 and not apart:
                homes.tops[1] -= 1
                to = homes.unused[homes.tops[1]]
            moved(homes, runs, p, to)
            saved += here - least
    return saved


@compiled
def join_clusters(homes: Homes, runs: WeightedRuns) -> float:
    """Join each cluster with the one that it gains most by, if it gains; how much that saves."""
    profiles, saved = runs.count.size, 0.0
    head, after = np.full(profiles, -1), np.full(profiles, -1)
    for p in range(profiles - 1, -1, -1):
        a = homes.cluster[p]
        if a >= 0:
            after[p], head[a] = head[a], p
    for a in range(profiles):
        if homes.size[a] == 0:
            continue
        homes.clock[0] += 1
        many, p = 0, head[a]
        while p >= 0:
            for i in range(runs.weights.size):
                cell = runs.cells[p, i]
                if homes.seen[cell] == homes.clock[0]:
                    continue
                homes.seen[cell] = homes.clock[0]
                e = homes.first[cell]
                while homes.entry_cluster[e] != a:
                    e = homes.entry_next[e]
                mine = float(homes.entry_objects[e])
                many = gather(homes, runs, cell, runs.weights[i], a, mine, many)
            p = after[p]
        own = float(homes.size[a])
        least, to = nearest(homes, runs, a, own, many)
        if to >= 0 and least < -TINY * runs.whole * own * (own + homes.size[to]):
            p, last = head[a], -1
            while p >= 0:
                moved(homes, runs, p, to)
                last, p = p, after[p]
            after[last] = head[to]
            head[to], head[a] = head[a], -1
            saved -= least
    return saved


@compiled
def best_found(runs: WeightedRuns, starts: Ints) -> tuple[Ints, float]:
    """The best partition that moving and joining ends at, from some starts, and its objective; of
    equal ones the first.
    """
    homes = empty_homes(runs)
    best: Ints = starts[0].copy()
    least = np.inf
    for start in starts:
        settle(homes, runs, start)
        for _ in range(SWEEPS):
            while move_some(homes, runs, 0, start.size, False) > 0.0:
                pass
            if join_clusters(homes, runs) == 0.0:
                break
        cost = objective(homes, runs)
        if cost < least - TINY * abs(cost):
            best[:], least = homes.cluster, cost
    return best, least


# Search of components with many profiles, in steps short enough to be interrupted.

WORK = 10_000_000
"""Places of profiles in runs that all starts together may have; one start is searched anyway."""
MANY = 500_000
"""Places from which on profiles that are alone are searched by themselves, at the end."""
MEETINGS = 30_000_000
"""The same for how often two profiles meet in a cluster of a run: alone, each looks at all."""
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
    nearest_runs = np.argsort(total, kind="stable").tolist()
    most, slack, kicks = WORK // problem.cells.size, 0.0, 0
    if is_large(problem):
        slack = ENOUGH * float(total.min())
        starts = [problem.run(i) for i in nearest_runs[: max(1, most)]]
    else:
        starts = [np.arange(problem.profiles), *(problem.run(i) for i in nearest_runs[:most])]
        kicks = min(KICKS, most // 4)
    homes = empty_homes(problem.weighted)
    best, least = starts[0], np.inf
    for start in starts:
        cost = _improved(homes, problem, start, slack)
        if cost < least:
            best, least = homes.cluster.copy(), cost
    rng = np.random.default_rng(seed)
    for _ in range(kicks):
        kicked, unused = best.copy(), np.setdiff1d(np.arange(best.size), best)
        out = np.flatnonzero(rng.random(best.size) < TAKEN_OUT)[: unused.size]
        kicked[out] = unused[: out.size]
        cost = _improved(homes, problem, kicked, slack)
        if cost < least - 1e-12 * abs(least):
            best, least = homes.cluster.copy(), cost
    return _with_numbers(problem, best)


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
        homes = empty_homes(part.weighted)
        _improved(homes, part, made[alone], 0.0)
        made[alone] = homes.cluster
    made[alone] += cluster.max() + 1
    return made


def _improved(homes: Homes, problem: Problem, start: Ints, slack: float) -> float:
    """Move and join until neither saves more than the slack; the objective that this ends at."""
    runs, apart = problem.weighted, is_large(problem)
    step = max(1, STEP // problem.runs)
    settle(homes, runs, start)
    for _ in range(SWEEPS):
        saved = np.inf
        while saved > slack:
            saved = 0.0
            for begin in range(0, problem.profiles, step):
                end = min(begin + step, problem.profiles)
                saved += move_some(homes, runs, begin, end, apart)
        if join_clusters(homes, runs) <= slack:
            break
    return float(objective(homes, runs))


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
    runs: WeightedRuns, begin: int, best: Ints, least: float, rest: Floats, steps: int
) -> tuple[float, int]:
    """Improve on the best partition of the profiles from `begin` on, which costs `least`.

    What the best costs, and how many steps are left: 0 if the proof was given up.
    """
    n, vi = runs.count.size, runs.vi
    shared, size = np.zeros((n, runs.weight_of_cell.size)), np.zeros(n)
    total = np.zeros(runs.weight_of_cell.size)
    home, used = np.full(n, -1), np.zeros(n + 1, np.int64)
    paid = np.zeros(n + 1)
    p = begin
    while p >= begin:
        if home[p] >= 0:
            _take(runs, home[p], -1.0, p, shared, size, total)
        home[p] += 1
        if home[p] > used[p]:
            home[p] = -1
            p -= 1
            continue
        steps -= 1
        if steps <= 0:
            return least, 0
        a, c = home[p], float(runs.count[p])
        cost = runs.whole * together(size[a], c, vi)
        for i in range(runs.weights.size):
            cell = runs.cells[p, i]
            more = together(total[cell], c, vi) - 2.0 * together(shared[a, cell], c, vi)
            cost += runs.weights[i] * more
        _take(runs, a, 1.0, p, shared, size, total)
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
    runs: WeightedRuns, a: int, sign: float, p: int, shared: Floats, size: Floats, total: Floats
) -> None:
    """A profile comes to a cluster, or goes."""
    c = sign * float(runs.count[p])
    size[a] += c
    for i in range(runs.weights.size):
        shared[a, runs.cells[p, i]] += c
        total[runs.cells[p, i]] += c


@compiled
def median_of_few(runs: WeightedRuns, best: Ints, least: float, packed: Floats) -> bool:
    """Make the best partition known, which costs `least`, the median; whether that is proved."""
    n, steps, rest = runs.count.size, STEPS, packed.copy()
    if runs.vi:
        for begin in range(n - 1, 0, -1):
            own, first = np.zeros(n, np.int64), np.inf
            rest[begin], steps = placed_best(runs, begin, own, first, rest, steps)
            if steps == 0:
                return False
    else:
        majority = 0.0
        for p in range(n - 1, -1, -1):
            for q in range(p):
                pairs = float(runs.count[p]) * float(runs.count[q])
                majority += runs.whole * pairs - abs(leaning(runs, p, q)) / 2
            rest[p] += majority
    _, steps = placed_best(runs, 0, best, least, rest, steps)
    return bool(steps > 0)


# Components of a few profiles, one after the other: searched, bounded, and most of them proved.

SMALL = 80
"""Profiles of a component that is searched from every run, with others in one compiled call."""
FEW = {False: 24, True: 13}
"""Profiles of a component whose partitions are tried, for Mirkin's distance and for VI."""


@compiled
def solve_components(
    which: Ints, order: Ints, start: Ints, runs: WeightedRuns, place: Ints, few: int,
    cluster: Ints, gap: Floats,
) -> None:  # fmt: skip
    """Solve some components. The clusters of each profile are numbered within its component.

    `gap` is what may still be saved: 0 where it is proved that nothing can, NaN where nothing is
    known. `place` has room for every cluster of every run, all -1.
    """
    many_runs = runs.weights.size
    for one in range(which.size):
        some = order[start[which[one]] : start[which[one] + 1]]
        n, many = some.size, 0
        cells, starts = np.empty((n, many_runs), np.int32), np.zeros((many_runs + 2, n), np.int64)
        weight_of_cell = np.empty(n * many_runs)
        for i in range(many_runs):
            first = many
            for p in range(n):
                cell = runs.cells[some[p], i]
                if place[cell] < 0:
                    place[cell] = many
                    weight_of_cell[many] = runs.weights[i]
                    many += 1
                cells[p, i] = place[cell]
                starts[i, p] = place[cell] - first
            for p in range(n):
                place[runs.cells[some[p], i]] = -1
        starts[many_runs] = np.arange(n)
        part = WeightedRuns(
            cells, runs.count[some], runs.weights, weight_of_cell[:many], runs.whole, runs.vi
        )
        found, cost = best_found(part, starts)
        packed = np.zeros(n + 1)
        gap[one] = np.nan
        if not runs.vi:
            packed = packed_triangles(leanings(part))
            gap[one] = _open(part, found, packed[0])
        if gap[one] != 0.0 and n <= few:
            total = np.zeros(many)
            for p in range(n):
                for i in range(many_runs):
                    total[cells[p, i]] += part.count[p]
            for cell in range(many):
                cost += weight_of_cell[cell] * phi(total[cell], runs.vi)
            if median_of_few(part, found, cost, packed):
                gap[one] = 0.0
            elif not runs.vi:
                gap[one] = _open(part, found, packed[0])
        cluster[some] = found


@compiled
def _open(runs: WeightedRuns, cluster: Ints, packed: float) -> float:
    """What may still be saved; rounding is nothing."""
    more = excess(runs, cluster)
    return more - packed if more - packed > 1e-12 * more else 0.0
