"""A median problem: profiles of objects, runs with weights, and a distance."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.grouping import by_appearance, number
from clusterdiff.compiled import compiled
from clusterdiff.contingency.base import components

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints


class Problem:
    """Find the partition with the least weighted sum of distances to the runs.

    Objects with the same cluster in every run are together in every median, so that profiles stand
    for them.
    """

    def __init__(
        self,
        labels: NDArray[Any],
        count: Ints,
        weights: Floats,
        *,
        vi: bool = False,
        votes: Floats | None = None,
        seen: Bools | None = None,
    ) -> None:
        self.count = count
        """Objects of each profile."""
        self.weights = weights
        """Of each run, and of the runs that `abstaining` adds."""
        self.votes = weights if votes is None else votes
        """Of each run that was given; these runs come first."""
        self.seen = seen
        """Which profiles each given run has; None where every run has all of them."""
        self.vi = vi
        """Whether the distance is variation of information, not Mirkin's."""
        profiles, runs = labels.shape
        self.cells: NDArray[np.int32] = np.empty((profiles, runs), np.int32)
        """The cluster of each profile in each run; clusters of all runs are numbered through."""
        self.first = np.zeros(runs + 1, np.int64)
        """The first cluster of each run, and how many there are in all."""
        for i in range(runs):
            codes, example = by_appearance(np.ascontiguousarray(labels[:, i], dtype=np.int64))
            self.cells[:, i] = codes + self.first[i]
            self.first[i + 1] = self.first[i] + example.size

    @property
    def profiles(self) -> int:
        """How many different rows of labels there are."""
        return len(self.count)

    @property
    def runs(self) -> int:
        """How many clusterings there are."""
        return len(self.weights)

    @cached_property
    def whole(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @cached_property
    def weight_of_cell(self) -> Floats:
        """For each cluster the weight of its run."""
        return np.repeat(self.weights, np.diff(self.first))

    @cached_property
    def size_of_cell(self) -> Ints:
        """The objects of each cluster."""
        sizes = np.zeros(self.first[-1], np.int64)
        for i in range(self.runs):
            own = np.bincount(self.run(i), weights=self.count)
            sizes[self.first[i] : self.first[i + 1]] = own.astype(np.int64)
        return sizes

    @cached_property
    def integral(self) -> bool:
        """Whether every cost is an even whole number: Mirkin's with whole weights."""
        return not self.vi and bool((self.votes == np.round(self.votes)).all())

    def run(self, i: int) -> Ints:
        """The cluster of each profile in a run, from 0 on."""
        return np.asarray(self.cells[:, i] - self.first[i])

    def seen_by(self, i: int) -> Ints:
        """The profiles that a given run has."""
        return np.arange(self.profiles) if self.seen is None else np.flatnonzero(self.seen[:, i])

    def clusters_of_runs(self) -> list[int]:
        """The number of clusters of each given run."""
        if self.seen is None:
            return list(map(int, np.diff(self.first)))
        return [np.unique(self.run(i)[self.seen_by(i)]).size for i in range(self.votes.size)]

    @cached_property
    def distances_of_partial_runs(self) -> tuple[Floats, Floats]:
        """Mirkin's distances between given runs that lack objects, in two forms: on the objects
        that both have, and (row to column) on all objects of the second, where those that the
        first lacks are singletons.
        """
        runs = self.votes.size
        shared, completed = np.zeros((runs, runs)), np.zeros((runs, runs))
        assert self.seen is not None
        objects = self.count @ self.seen
        squares = [
            float((np.bincount(self.run(i)[own], weights=self.count[own]) ** 2).sum())
            for i, own in enumerate(map(self.seen_by, range(runs)))
        ]
        for i in range(runs):
            for j in range(i):
                own = np.flatnonzero(self.seen[:, i] & self.seen[:, j])
                left, right, both = shared_objects(
                    self.run(i)[own], self.run(j)[own], self.count[own]
                )
                sides = [np.bincount(side, weights=both) for side in (left, right)]
                first, second = (float((side**2).sum()) for side in sides)
                agreed, many = 2.0 * float((both**2).sum()), int(both.sum())
                shared[i, j] = shared[j, i] = first + second - agreed
                completed[i, j] = squares[j] - objects[j] + first + many - agreed
                completed[j, i] = squares[i] - objects[i] + second + many - agreed
        return shared, completed

    def part(self, some: Ints) -> Problem:
        """The same of some profiles alone."""
        given = (self.cells[some], self.count[some], self.weights)
        seen = None if self.seen is None else self.seen[some]
        return Problem(*given, vi=self.vi, votes=self.votes, seen=seen)


def abstaining(labels: Ints, count: Ints, weights: Floats) -> Problem:
    """The problem in which a pair of objects counts only in the runs that have both; -1 is missing.

    A pair leans by 2 Σ w [together] - Σ w [both present]. The searches know leanings of the form
    2 Σ w [together] - Σ w, so that each run keeps its weight w, with every missing profile alone;
    each partial run adds a run of weight -w/2 that has its profiles in one cluster; and a run with
    all profiles in one cluster has half the weight of all partial runs.
    """
    seen = labels >= 0
    partial = ~seen.all(axis=0)
    if not partial.any():
        return Problem(labels, count, weights)
    alone = np.arange(1, len(count) + 1)[:, None]
    given = np.where(seen, labels, labels.max(axis=0) + alone)
    present = np.where(seen[:, partial], 0, alone)
    half = weights[partial] / 2
    return Problem(
        np.hstack([given, present, np.zeros_like(alone)]),
        count,
        np.concatenate([weights, -half, [half.sum()]]),
        votes=weights,
        seen=seen,
    )


def shared_objects(first: Ints, second: Ints, count: Ints) -> tuple[Ints, Ints, Ints]:
    """Which clusters of two partitions of profiles share objects: of each pair of clusters that
    does, the first, the second, and how many objects.
    """
    width = int(second.max(initial=-1)) + 1
    codes, many = number(first * width + second)
    both = np.bincount(codes, weights=count, minlength=many).astype(np.int64)
    where = np.zeros(many, np.int64)
    where[codes] = np.arange(codes.size)
    return first[where], second[where], both


# Lower bounds on the cost of a median: from distances between the runs, and from linear programs.
#
# Each is at most the next: mean over pairs of runs, star, majority, triangles, the median itself.

if TYPE_CHECKING:
    Advance = Callable[[int], object]

RUNS = 200
"""Runs that the star bound is computed for; it has as many unknowns, and a condition per pair."""


def distances_between(problem: Problem, advance: Advance = lambda done: None) -> Floats:
    """The distances of all pairs of runs: in ordered pairs, or in nats times objects; of runs that
    abstain, on the objects that both have.
    """

    if problem.seen is not None:
        return problem.distances_of_partial_runs[0]
    made = np.zeros((problem.runs, problem.runs))
    width = np.diff(problem.first)
    room = np.zeros(int(width.max()), np.int64)
    by_run = np.ascontiguousarray(problem.cells.T)
    size, count, vi = problem.size_of_cell, problem.count, problem.vi
    for i in range(problem.runs):
        order = np.argsort(by_run[i], kind="stable")
        for j in range(i):
            begin = int(problem.first[i]), int(problem.first[j])
            if width[i] * width[j] <= max(4096, problem.profiles // 4):
                table = np.zeros((width[i], width[j]), np.int64)
                found = table_distance(by_run[i], by_run[j], *begin, count, size, table, vi)
            else:
                found = run_distance(order, by_run[i], by_run[j], count, begin[1], size, room, vi)
            made[i, j] = made[j, i] = found
        advance(1)
    return made


def distances_to(problem: Problem, cluster: Ints) -> Floats:
    """The distances of a partition to each run."""
    made = np.zeros(problem.runs)
    for i in range(problem.runs):
        own = problem.run(i)
        left, right, both = shared_objects(own, cluster, problem.count)
        sizes = [np.bincount(side, weights=both) for side in (left, right)]
        first, second = sizes[0][left], sizes[1][right]
        if problem.vi:
            made[i] = (both * (np.log(first / both) + np.log(second / both))).sum()
        else:
            made[i] = (both * (first - both) + both * (second - both)).sum()
    return made


def pairs_bound(between: Floats, weights: Floats) -> float:
    """Σ w_i w_j d_ij / (W - least w) over pairs of runs; with equal weights Σ d_ij / (N - 1)."""
    rest = float(weights.sum() - weights.min())
    return float(weights @ between @ weights) / 2 / rest if rest > 0 else 0.0


def star_bound(between: Floats, weights: Floats, metric: bool = True) -> float:
    """The least Σ w_i x_i with |x_i - x_j| ≤ d_ij ≤ x_i + x_j, as every metric has it.

    Distances on the objects that two runs share obey d_ij ≤ x_i + x_j alone: they are not `metric`.
    """
    n, largest = len(weights), float(between.max(initial=0.0))
    if n > RUNS or largest == 0:
        return pairs_bound(between, weights)
    from scipy.sparse import coo_array

    i, j = np.triu_indices(n, 1)
    d, pairs = between[i, j] / largest, np.arange(i.size)
    rows = np.concatenate([pairs, pairs] + [pairs + k * i.size for k in (1, 1, 2, 2)])
    columns = np.concatenate([i, j] * 3)
    signs = np.repeat([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0], i.size)
    conditions = coo_array((signs, (rows, columns)), shape=(3 * i.size, n)).tocsr()
    limits = np.concatenate([-d, d, d])
    if not metric:
        conditions, limits = conditions[: i.size], limits[: i.size]
    _, proved = solve_lp(weights, conditions, limits, upper=1.0)
    return max(proved * largest, pairs_bound(between, weights))


def solve_lp(cost: Floats, conditions: Any, limits: Floats, upper: float) -> tuple[Floats, float]:
    """The least cost · x with conditions · x ≤ limits and 0 ≤ x ≤ upper: x, and a bound on it.

    The bound is that of the multipliers which the solver found, whatever its tolerances.
    """
    from scipy.optimize import linprog

    solved: Any = linprog(cost, A_ub=conditions, b_ub=limits, bounds=(0.0, upper), method="highs")
    if solved.x is None:
        return np.zeros(cost.size), -np.inf
    multipliers = np.maximum(-solved.ineqlin.marginals, 0.0)
    reduced = cost + conditions.T @ multipliers
    proved = float(np.minimum(reduced, 0.0).sum() * upper - multipliers @ limits)
    return np.asarray(solved.x), proved


# Linear and whole-number programs of a component, for Mirkin's distance.
#
# x is 1 for a pair of profiles apart and 0 for one together, and x_pq ≤ x_pr + x_rq: triangles
# that are violated are added as they are found.

ROUNDS = 60
ADDED = 3000
"""Triangles that are added in a round, the most violated first."""
NODES = 300
"""Branches of a whole-number program before it is given up."""
TRIES = 6
"""Whole-number programs with more triangles each time, before they are given up."""


class TriangleProgram:
    """The program of one component, from what each pair of its profiles leans to."""

    def __init__(self, lean: Floats) -> None:
        self.size = len(lean)
        self.pairs = np.triu_indices(self.size, 1)
        self.number = np.zeros(lean.shape, np.int64)
        self.number[self.pairs] = np.arange(self.pairs[0].size)
        self.number += self.number.T
        self.scale = float(np.abs(lean).max(initial=0.0)) or 1.0
        self.cost = lean[self.pairs] / self.scale
        self.majority = float(np.minimum(self.cost, 0.0).sum())
        """What pairs cost that all have their way, beside the cost of none apart."""
        self.triangles = np.zeros((0, 3), np.int64)
        """Numbers of pairs: the first is at most the sum of the other two."""

    def relaxed(self) -> tuple[Floats, float]:
        """The best fractional solution, and what every partition costs more than majorities do."""
        x, proved = (self.cost < 0).astype(np.float64), self.majority
        for _ in range(ROUNDS):
            if not self._violated(x):
                break
            x, better = solve_lp(self.cost, self._conditions(), np.zeros(len(self.triangles)), 1.0)
            proved = max(proved, better)
        return x, (proved - self.majority) * self.scale

    def rounded(self, x: Floats) -> Ints:
        """Profiles less than half apart are together."""
        near = x < 0.5
        return components(self.pairs[0][near], self.pairs[1][near], self.size)

    def whole(self) -> tuple[Ints | None, float]:
        """The best partition, if it is found, and the bound, by branch and cut."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        proved = self.majority
        for _ in range(TRIES):
            rows = LinearConstraint(self._conditions(), -np.inf, 0.0)
            solved: Any = milp(
                self.cost,
                integrality=np.ones(self.cost.size, np.int64),
                bounds=Bounds(0, 1),
                constraints=rows if len(self.triangles) else None,
                options={"node_limit": NODES, "mip_rel_gap": 0.0},
            )
            if solved.mip_dual_bound is not None and np.isfinite(solved.mip_dual_bound):
                proved = max(proved, float(solved.mip_dual_bound) - 1e-7)
            if solved.x is None or solved.status != 0:
                break
            x = np.round(solved.x)
            if not self._violated(x):
                return self.rounded(x), float(self.cost @ x - self.majority) * self.scale
        return None, (proved - self.majority) * self.scale

    def _conditions(self) -> Any:
        from scipy.sparse import coo_array

        many = len(self.triangles)
        rows = np.tile(np.arange(many), 3)
        signs = np.repeat([1.0, -1.0, -1.0], many)
        shape = (many, self.cost.size)
        return coo_array((signs, (rows, self.triangles.T.ravel())), shape=shape).tocsr()

    def _violated(self, x: Floats) -> bool:
        """Add triangles that these values violate; whether there are any."""
        apart = np.zeros((self.size, self.size))
        apart[self.pairs] = x
        apart += apart.T
        found, worst = [], []
        for r in range(self.size):
            over = apart - apart[:, r, None] - apart[None, r, :]
            p, q = np.nonzero(np.triu(over > 1e-6, 1))
            kept = (p != r) & (q != r)
            p, q = p[kept], q[kept]
            found.append(np.stack([self.number[p, q], self.number[p, r], self.number[q, r]], 1))
            worst.append(over[p, q])
        every, by = np.concatenate(found), np.concatenate(worst)
        chosen = every[np.argsort(-by, kind="stable")[:ADDED]]
        self.triangles = np.unique(np.concatenate([self.triangles, chosen]), axis=0)
        return bool(len(chosen))


# Pairs of profiles: how much weight puts them together, and what that binds them to.


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
