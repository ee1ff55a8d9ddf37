"""The median of several runs: the parts that the problem falls into, and how much better another
partition could be at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.grouping import by_appearance, number
from clusterdiff.contingency.base import components
from clusterdiff.errors import ClusterdiffError
from clusterdiff.runs.search import (
    FEW,
    SMALL,
    WeightedRuns,
    are_open,
    excess,
    leanings,
    link_majorities,
    packed_triangles,
    search,
    solve_components,
)
from clusterdiff.runs.tables import RunTables

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints

    Advance = Callable[[int], object]


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
    def weighted(self) -> WeightedRuns:
        """The problem as compiled functions take it."""
        of_cells = np.repeat(self.weights, np.diff(self.first))
        return WeightedRuns(self.cells, self.count, self.weights, of_cells, self.whole, self.vi)

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

    @property
    def between(self) -> Floats:
        """Distances of every pair of the given runs, on the objects that both have: in ordered
        pairs, or in nats times objects.
        """
        return self._distances[0]

    @property
    def completed(self) -> Floats:
        """Distances of every pair of the given runs (row to column) on all objects of the second,
        where those that the first lacks are singletons.
        """
        return self._distances[1]

    @cached_property
    def _distances(self) -> tuple[Floats, Floats]:
        runs, tables = self.votes.size, self.tables()
        squares = [_squares(own[own >= 0], self.count[own >= 0]) for own in tables.clusters]
        objects = [self.count[own >= 0].sum() for own in tables.clusters]
        between, completed = np.zeros((2, runs, runs))
        for i in range(runs):
            for j in range(i):
                first, second, both = tables.cells(i, j)
                apart = cell_distance(first, second, both, self.vi)
                between[i, j] = between[j, i] = apart
                for a, b, side in ((i, j, second), (j, i, first)):
                    lacking = objects[b] - both.sum()
                    completed[a, b] = apart + squares[b] - _squares(side, both) - lacking
        return between, between if self.seen is None else completed

    def tables(self, cluster: Ints | None = None) -> RunTables:
        """The given runs, and a partition of the profiles behind them, to be met two by two."""
        runs = self.votes.size
        clusters = np.ascontiguousarray((self.cells - self.first[:-1])[:, :runs].T)
        if self.seen is not None:
            clusters[~self.seen.T] = -1
        widths = np.diff(self.first)[:runs].tolist()
        if cluster is not None:
            clusters, widths = np.vstack([clusters, cluster]), [*widths, int(cluster.max()) + 1]
        return RunTables.of_groups(clusters, self.count, widths)

    def distances_to(self, cluster: Ints) -> Floats:
        """The distances of each given run to a partition, on the objects that the run has."""
        tables = self.tables(cluster)
        cells = (tables.cells(i, self.votes.size) for i in range(self.votes.size))
        return np.array([cell_distance(*one, self.vi) for one in cells])

    def part(self, some: Ints) -> Problem:
        """The problem of some profiles alone."""
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


def _squares(cluster: Ints, count: Ints) -> float:
    return float((np.bincount(cluster, weights=count) ** 2).sum())


def cell_distance(truth: Ints, guess: Ints, both: Ints, vi: bool) -> float:
    """The distance of two partitions from the objects that each two clusters share."""
    left, right = np.bincount(truth, both)[truth], np.bincount(guess, both)[guess]
    if vi:
        return float((both * (np.log(left / both) + np.log(right / both))).sum())
    return float((both * (left - both) + both * (right - both)).sum())


# Lower bounds on the cost of a median from distances between the runs: the mean over pairs of runs
# is at most the star, and that at most the median.

RUNS = 200
"""Runs that the star bound is computed for; it has as many unknowns, and a condition per pair."""


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
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    i, j = np.triu_indices(n, 1)
    d, pairs = between[i, j] / largest, np.arange(i.size)
    rows = np.concatenate([pairs, pairs] + [pairs + k * i.size for k in (1, 1, 2, 2)])
    columns = np.concatenate([i, j] * 3)
    signs = np.repeat([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0], i.size)
    conditions: Any = coo_array((signs, (rows, columns)), shape=(3 * i.size, n)).tocsr()
    limits = np.concatenate([-d, d, d])
    if not metric:
        conditions, limits = conditions[: i.size], limits[: i.size]
    solved: Any = linprog(weights, A_ub=conditions, b_ub=limits, bounds=(0.0, 1.0), method="highs")
    if solved.x is None:
        return pairs_bound(between, weights)
    # Whatever the tolerances of the solver, its multipliers prove this much.
    multipliers = np.maximum(-solved.ineqlin.marginals, 0.0)
    reduced = weights + conditions.T @ multipliers
    proved = float(np.minimum(reduced, 0.0).sum() - multipliers @ limits)
    return max(proved * largest, pairs_bound(between, weights))


# Parts of a median problem that can be solved one by one.
#
# Mirkin: no cluster need hold two profiles that no chain of majorities joins, since cutting it
# there costs nothing. Variation of information: no cluster of a median spans two components of the
# join of all runs.

PAIRS = 10**8
"""Pairs of profiles that are looked at one by one; of more, only distances between runs are."""


@dataclass(frozen=True, eq=False)
class Components:
    """Profiles by component, those of one component behind each other in ascending order."""

    order: Ints
    start: Ints
    open: Bools
    """Which components are not settled by being one cluster."""

    def members(self, component: int) -> Ints:
        """The profiles of a component."""
        return self.order[self.start[component] : self.start[component + 1]]


def components_of(problem: Problem, most: int = PAIRS) -> Components | None:
    """The components; None where more pairs than allowed would have to be looked at."""
    if problem.vi:  # profiles are linked where they are in one cluster of any run
        profiles, runs = problem.cells.shape
        own, cells = np.repeat(np.arange(profiles), runs), profiles + problem.cells.ravel()
        linked = components(own, cells, profiles + problem.first[-1])[:profiles]
        order, start = _grouped(linked)
        return Components(order, start, np.diff(start) > 1)
    parent = _majorities(problem, most)
    if parent is None:
        return None
    order, start = _grouped(parent)
    size = np.diff(start)
    if int((size * (size - 1) // 2).sum()) > most:
        return None
    is_open = np.zeros(size.size, np.bool_)
    are_open(order, start, problem.weighted, is_open)
    return Components(order, start, is_open)


def _majorities(problem: Problem, most: int) -> Ints | None:
    """Profiles linked by majorities. Two that more than half of the weight puts together share a
    cluster in one of any runs that have half of the weight: those with the fewest pairs will do.
    Where runs abstain, one run can be a majority, and all given runs are looked at.
    """
    size = np.bincount(problem.cells.ravel(), minlength=problem.first[-1])
    pairs = np.add.reduceat(size * (size - 1) // 2, problem.first[:-1])
    chosen = [] if problem.seen is None else list(range(problem.votes.size))
    for i in np.argsort(pairs, kind="stable").tolist():
        if float(problem.weights[chosen].sum()) >= problem.whole / 2 * (1 - 2e-12):
            break
        chosen.append(i)
    if int(pairs[chosen].sum()) > most:
        return None
    parent = np.arange(problem.profiles)
    for i in chosen:
        link_majorities(*_grouped(problem.run(i)), problem.weighted, parent)
    while not np.array_equal(up := parent[parent], parent):
        parent = up
    return parent


def _grouped(group: Ints) -> tuple[Ints, Ints]:
    """Places by group, and where each group begins."""
    codes, many = number(group)
    order = np.argsort(codes, kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=many))])


BATCH = 512
"""Components that are solved before an interrupt is listened to."""
ABSTAINING = 5000
"""Profiles of a component that is searched where runs abstain: each looks at all clusters."""
TRIANGLES = 1500
"""Profiles of a component whose triangles are packed for a bound."""


@dataclass
class Median:
    """The best partition found, and a lower bound on the optimal cost."""

    cluster: Ints
    """The cluster of each profile."""
    gap: float = 0.0
    """How much less a median may cost at most, in ordered pairs, or in nats times objects."""
    components: int = 0
    """Parts that were solved one by one; 0 where the problem was not taken apart."""
    largest: int = 0
    """Profiles of the largest one."""
    settled: int = 0
    """Components that are one cluster, without a search."""
    proved: int = 0
    """Components whose median was found and proved."""
    searched: int = 0
    """Components that were searched, with a gap left."""


def median_of(problem: Problem, seed: int = 0, advance: Advance = lambda done: None) -> Median:
    """The partition of the profiles with the least cost that is found, with its gap."""
    parts = components_of(problem)
    if parts is None:
        if problem.seen is not None:
            raise _too_large(f"more than {PAIRS:,} pairs of profiles are")
        cluster = by_appearance(search(problem, seed))[0]
        return Median(cluster, _gap_to_star(problem, cluster), searched=1)
    size, cluster = np.diff(parts.start), np.zeros(problem.profiles, np.int64)
    gaps = np.zeros(size.size)
    small = np.flatnonzero(parts.open & (size <= SMALL))
    place = np.full(problem.first[-1], -1)
    table = (parts.order, parts.start, problem.weighted, place, FEW[problem.vi], cluster)
    for begin in range(0, small.size, BATCH):
        which = small[begin : begin + BATCH]
        gap = np.zeros(which.size)
        solve_components(which, *table, gap)
        for k in np.flatnonzero(gap != 0).tolist():
            some = parts.members(which[k])
            part = problem.part(some)
            gap[k] = _gap_to_star(part, cluster[some]) if part.vi else _even(part, gap[k])
        gaps[which] = gap
        advance(int(size[which].sum()))
    for k in np.flatnonzero(parts.open & (size > SMALL)).tolist():
        some = parts.members(k)
        part = problem if some.size == problem.profiles else problem.part(some)
        cluster[some], gaps[k] = _large(part, seed)
        advance(int(size[k]))
    component = np.empty(problem.profiles, np.int64)
    component[parts.order] = np.repeat(np.arange(size.size), size)
    is_open, searched = int(parts.open.sum()), int((gaps > 0).sum())
    return Median(
        cluster=by_appearance(component * (1 + int(cluster.max(initial=0))) + cluster)[0],
        gap=fsum(gaps.tolist()),
        components=size.size,
        largest=int(size.max(initial=0)),
        settled=size.size - is_open,
        proved=is_open - searched,
        searched=searched,
    )


def _large(part: Problem, seed: int) -> tuple[Ints, float]:
    """The best partition that is found of a large component, and the gap that it leaves."""
    many, runs = part.profiles, part.weighted
    if part.seen is not None and many > ABSTAINING:
        raise _too_large(f"{many:,} profiles (at most {ABSTAINING:,} are supported) are")
    cluster = by_appearance(search(part, seed))[0]
    if part.vi:
        return cluster, _gap_to_star(part, cluster)
    packed = packed_triangles(leanings(runs))[0] if many <= TRIANGLES else 0.0
    return cluster, _even(part, excess(runs, cluster) - packed)


def _too_large(what: str) -> ClusterdiffError:
    return ClusterdiffError(
        f"runs that abstain can be combined only where they leave small parts to decide; here "
        f"{what} linked by the runs (a profile is a group of objects that no run separates).",
        'use align="shared" (objects that all runs have) or align="singletons", or combine '
        "subsets of the objects.",
    )


def _gap_to_star(part: Problem, cluster: Ints) -> float:
    cost = fsum((part.weights * part.distances_to(cluster)).tolist())
    least = star_bound(part.between, part.weights)
    assert least <= cost * (1 + 1e-6) + 1e-9, "a bound above a cost"
    gap = _even(part, cost - least * (1 - 1e-12))
    return 0.0 if gap <= 1e-11 * cost else gap


def _even(part: Problem, gap: float) -> float:
    """A gap of costs that are even whole numbers is one too."""
    return 2.0 * floor(gap / 2 + 1e-6) if part.integral else gap
