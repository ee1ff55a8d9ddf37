"""The median of several runs, and how much better another partition could be at most."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import ceil, fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import by_appearance, number
from clusterdiff.errors import ClusterdiffError
from clusterdiff.runs.bounds import distances_between, distances_to, star_bound

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.runs.bounds import Advance, Problem

# Parts of a median problem that can be solved one by one.
#
# Mirkin: no cluster need hold two profiles that no chain of majorities joins, since cutting it
# there costs nothing. Variation of information: no cluster of a median spans two components of the
# join of all runs.

PAIRS = 10**8
"""Pairs of profiles that are looked at one by one; more are sampled."""


class Components(NamedTuple):
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
    if problem.vi:
        order, start = _grouped(_roots(_joined(problem)))
        return Components(order, start, np.diff(start) > 1)
    parent = _majorities(problem, most)
    if parent is None:
        return None
    order, start = _grouped(_roots(parent))
    size = np.diff(start)
    if int((size * (size - 1) // 2).sum()) > most:
        return None
    from clusterdiff.runs.bounds import are_open

    found = np.zeros(size.size, np.bool_)
    low, _ = halves(problem)
    are_open(order, start, problem.cells, problem.weights, low, found)
    return Components(order, start, found)


def halves(problem: Problem) -> tuple[float, float]:
    """Weights that are less, and more, than half of all by more than rounding."""
    half = problem.whole / 2
    return half - 1e-12 * problem.whole, half + 1e-12 * problem.whole


def _joined(problem: Problem) -> Ints:
    from clusterdiff.runs.bounds import link_clusters

    parent = np.arange(problem.profiles)
    link_clusters(problem.cells, np.full(problem.first[-1], -1), parent)
    return parent


def _majorities(problem: Problem, most: int) -> Ints | None:
    """Profiles linked by majorities. Two that more than half of the weight puts together share a
    cluster in one of any runs that have half of the weight: those with the fewest pairs will do.
    Where runs abstain, one run can be a majority, and all given runs are looked at.
    """
    from clusterdiff.runs.bounds import link_majorities

    size = np.bincount(problem.cells.ravel(), minlength=problem.first[-1])
    pairs = np.add.reduceat(size * (size - 1) // 2, problem.first[:-1])
    enough, high = halves(problem)
    chosen = [] if problem.seen is None else list(range(problem.votes.size))
    for i in np.argsort(pairs, kind="stable").tolist():
        if float(problem.weights[chosen].sum()) >= enough:
            break
        chosen.append(i)
    if int(pairs[chosen].sum()) > most:
        return None
    parent = np.arange(problem.profiles)
    for i in chosen:
        order, start = _grouped(problem.run(i))
        link_majorities(order, start, problem.cells, problem.weights, high, parent)
    return parent


def _roots(parent: Ints) -> Ints:
    """For each profile the one that stands for its component."""
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
FRACTIONS = 100
"""Pairs that the linear program leaves between together and apart; with more of them a whole-number
program could take minutes, and is not tried.
"""
PROGRAMS = 100
"""Whole-number programs that are tried at most: each may take seconds."""
LEANINGS = 5000
"""Profiles of a component whose leanings are tabulated, where runs abstain: a table of 200 MB."""
TRIANGLES = 1500
"""Profiles of a component whose triangles are packed for a bound."""


@dataclass
class Median:
    """The best partition found, and what is known of how good it is."""

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
    between: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """Distances of the runs."""
    sampled: SampledGap | None = None
    """Where the gap is from pairs that were drawn: how."""


def median_of(problem: Problem, seed: int = 0, advance: Advance = lambda done: None) -> Median:
    """The partition of the profiles with the least cost that is found, with its gap."""
    between = distances_between(problem)
    parts = components_of(problem)
    if parts is None:
        if problem.seen is not None:
            raise _too_large(f"more than {PAIRS:,} pairs of profiles are")
        return _undivided(problem, between, seed)
    cluster, found = np.zeros(problem.profiles, np.int64), _Found(problem, between, parts, seed)
    gap = found.solve(cluster, advance)
    size = np.diff(parts.start)
    component = np.empty(problem.profiles, np.int64)
    component[parts.order] = np.repeat(np.arange(size.size), size)
    is_open = int(parts.open.sum())
    searched = int((gap > 0).sum())
    return Median(
        cluster=by_appearance(component * (1 + int(cluster.max(initial=0))) + cluster)[0],
        gap=fsum(gap.tolist()),
        components=size.size,
        largest=int(size.max(initial=0)),
        settled=size.size - is_open,
        proved=is_open - searched,
        searched=searched,
        between=between,
    )


def _undivided(problem: Problem, between: Floats, seed: int) -> Median:
    """The whole searched at once, with a bound from pairs that are drawn."""
    from clusterdiff.runs.search import search

    cluster = by_appearance(search(problem, between, seed))[0]
    drawn, known = sampled_gap(problem, cluster, seed), _gap_to_star(problem, cluster, between)
    if known <= drawn.high:
        return Median(cluster, known, between=between, searched=1)
    return Median(cluster, drawn.high, between=between, searched=1, sampled=drawn)


class _Found:
    """Components while they are solved."""

    def __init__(self, problem: Problem, between: Floats, parts: Components, seed: int) -> None:
        self.problem, self.between, self.parts, self.seed = problem, between, parts, seed
        self.known: dict[bytes, tuple[Ints, float]] = {}
        """Components that were solved before, by their tables."""
        self.programs = PROGRAMS
        """Whole-number programs that may still be tried."""

    def solve(self, cluster: Ints, advance: Advance) -> Floats:
        """Write the clusters of all open components; the gap that each leaves."""
        from clusterdiff.runs.search import FEW, SMALL, solve_components

        problem, parts = self.problem, self.parts
        size = np.diff(parts.start)
        small = np.flatnonzero(parts.open & (size <= SMALL))
        gaps = []
        place = np.full(problem.first[-1], -1)
        for begin in range(0, small.size, BATCH):
            which = small[begin : begin + BATCH]
            gap = np.zeros(which.size)
            table = (parts.order, parts.start, problem.cells, problem.count, problem.weights)
            few = FEW[problem.vi]
            solve_components(which, *table, place, problem.vi, few, cluster, gap)
            for k in np.flatnonzero(gap != 0).tolist():
                gap[k] = self._harder(parts.members(which[k]), cluster)
            gaps.append(gap)
            advance(int(size[which].sum()))
        for one in np.flatnonzero(parts.open & (size > SMALL)).tolist():
            gaps.append(np.array([self._large(parts.members(one), cluster)]))
            advance(int(size[one]))
        return np.concatenate(gaps) if gaps else np.zeros(0)

    def _harder(self, some: Ints, cluster: Ints) -> float:
        """Components that were searched but not proved."""
        part = self.problem.part(some)
        key = part.cells.tobytes() + part.count.tobytes()
        if key not in self.known:
            self.known[key] = self._bounded(part, cluster[some])
        cluster[some], gap = self.known[key]
        return gap

    def _bounded(self, part: Problem, cluster: Ints) -> tuple[Ints, float]:
        """The best partition of a component by a program, and the gap that it leaves."""
        from clusterdiff.runs.bounds import TriangleProgram, excess_of
        from clusterdiff.runs.search import best_found

        if part.vi:
            return cluster, _gap_to_star(part, cluster, distances_between(part))
        lean = leanings_of(part)
        program = TriangleProgram(lean)
        x, least = program.relaxed()
        starts = np.stack([cluster, program.rounded(x)])
        given = (part.cells, part.count, part.weights, part.weight_of_cell, False)
        cluster = best_found(starts, *given)
        cost = excess_of(lean, cluster)
        between = int(((x > 1e-6) & (x < 1 - 1e-6)).sum())
        if _gap(part, cost, least) > 0 and between <= FRACTIONS and self.programs:
            self.programs -= 1
            best, bound = program.whole()
            least = max(least, bound)
            if best is not None and excess_of(lean, best) < cost:
                cluster, cost = best, excess_of(lean, best)
        return cluster, _gap(part, cost, least)

    def _large(self, some: Ints, cluster: Ints) -> float:
        from clusterdiff.runs.bounds import excess
        from clusterdiff.runs.search import search

        if self.problem.seen is not None:
            return self._large_partial(some, cluster)
        whole = some.size == self.problem.profiles
        part = self.problem if whole else self.problem.part(some)
        between = self.between if whole else distances_between(part)
        cluster[some] = found = by_appearance(search(part, between, self.seed))[0]
        if part.vi:
            return _gap_to_star(part, found, between)
        if some.size <= TRIANGLES:
            return _triangle_gap(part, found)
        given = (part.cells, part.count, part.weights, part.whole / 2)
        return float(excess(*given, found))

    def _large_partial(self, some: Ints, cluster: Ints) -> float:
        """A large component of runs that abstain, by the table of its leanings."""
        from clusterdiff.runs.bounds import excess_of, packed_triangles
        from clusterdiff.runs.search import search_leanings

        if some.size > LEANINGS:
            raise _too_large(f"{some.size:,} profiles (at most {LEANINGS:,} are supported) are")
        part = self.problem.part(some)
        lean = leanings_of(part)
        cluster[some] = found = by_appearance(search_leanings(part, lean, self.seed))[0]
        least = packed_triangles(lean) if some.size <= TRIANGLES else 0.0
        return _gap(part, excess_of(lean, found), least)


def _too_large(what: str) -> ClusterdiffError:
    return ClusterdiffError(
        f"runs that abstain can be combined only where they leave small parts to decide; here "
        f"{what} linked by the runs (a profile is a group of objects that no run separates).",
        'use align="shared" (objects that all runs have) or align="singletons", or combine '
        "subsets of the objects.",
    )


def leanings_of(part: Problem) -> Floats:
    """What it costs more to part each two profiles than to put them together."""
    from clusterdiff.runs.bounds import leanings

    lean = np.empty((part.profiles, part.profiles))
    leanings(part.cells, part.count, part.weights, part.whole / 2, lean)
    return lean


def _triangle_gap(part: Problem, cluster: Ints) -> float:
    from clusterdiff.runs.bounds import excess_of, packed_triangles

    lean = leanings_of(part)
    return _gap(part, excess_of(lean, cluster), packed_triangles(lean))


def _gap_to_star(part: Problem, cluster: Ints, between: Floats) -> float:
    cost = fsum((part.weights * distances_to(part, cluster)).tolist())
    return _gap(part, cost, star_bound(between, part.weights))


def _gap(part: Problem, cost: float, least: float) -> float:
    """Cost less bound; costs that are even whole numbers leave no smaller gap."""
    if part.integral:
        least = 2.0 * ceil(least / 2 * (1 - 1e-12) - 1e-6)
    assert least <= cost * (1 + 1e-6) + 1e-9, "a bound above a cost"
    return 0.0 if cost - least <= 1e-11 * cost else cost - least


# The majority bound from pairs of objects that are drawn, where all pairs would be too many.
#
# A pair is drawn with a chance in proportion to the weight that puts it together, the consensus
# counted as one more run with all the weight. Only such pairs can cost more than the majority
# would, and none costs more than that weight, so that the mean of numbers from 0 to 1 is what is
# unknown.

DRAWS = 1_000_000
LEVEL = 0.99


class SampledGap(NamedTuple):
    """What a partition costs more than the majorities, at most."""

    high: float
    """The upper end, at a level of confidence."""
    mean: float
    """What it is estimated to be."""
    pairs: int
    level: float


def sampled_gap(
    problem: Problem, cluster: Ints, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> SampledGap:
    """What a partition costs more than the majority would on each pair, from sampled pairs."""
    rng = np.random.default_rng(seed)
    sides = [*(problem.run(i) for i in range(problem.runs)), cluster]
    weights = np.append(problem.weights, problem.whole)
    masses = np.array([_ordered_pairs(side, problem.count) for side in sides]) * weights
    total = float(masses.sum())
    if total == 0:
        return SampledGap(0.0, 0.0, 0, level)
    seen, values = rng.multinomial(draws, masses / total), []
    for side, many in zip(sides, seen.tolist(), strict=True):
        p, q = _drawn(side, problem.count, many, rng)
        values.append(_shares(problem, cluster, p, q))
    mean = float(np.concatenate(values).sum()) / draws
    return SampledGap(_upper(mean, draws, 1 - level) * total, mean * total, draws, level)


def _ordered_pairs(side: Ints, count: Ints) -> float:
    sizes = np.bincount(side, weights=count)
    return float((sizes * (sizes - 1)).sum())


def _drawn(side: Ints, count: Ints, many: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Profiles of two different objects of one cluster, many times."""
    order = np.argsort(side, kind="stable")
    ends = np.cumsum(count[order])
    sizes = np.bincount(side, weights=count).astype(np.int64)
    begin = np.cumsum(sizes) - sizes
    chances = np.cumsum(sizes.astype(np.float64) * (sizes - 1))
    own = np.searchsorted(chances, rng.random(many) * chances[-1], side="right")
    first = rng.integers(0, sizes[own])
    other = rng.integers(0, sizes[own] - 1)
    other += other >= first
    one, two = (
        order[np.searchsorted(ends, begin[own] + place, side="right")] for place in (first, other)
    )
    return one, two


def _shares(problem: Problem, cluster: Ints, p: Ints, q: Ints) -> Floats:
    """For each pair what it costs too much, as a share of the weight that it is drawn by."""
    found = np.zeros(p.size)
    for i in range(problem.runs):
        found += problem.weights[i] * (problem.cells[p, i] == problem.cells[q, i])
    same, whole = cluster[p] == cluster[q], problem.whole
    over = np.where(same, whole - 2 * found, 2 * found - whole)
    return np.asarray(np.maximum(over, 0.0) / (found + whole * same))


def _upper(mean: float, draws: int, risk: float) -> float:
    """The upper end of a confidence interval of a mean of numbers from 0 to 1 (Hoeffding's bound by
    relative entropy).
    """
    most = -math.log(risk) / draws
    low, high = mean, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if _divergence(mean, middle) <= most:
            low = middle
        else:
            high = middle
    return high


def _divergence(mean: float, other: float) -> float:
    """Relative entropy of two chances."""
    yes = mean * math.log(mean / other) if mean > 0 else 0.0
    no = (1 - mean) * math.log((1 - mean) / (1 - other)) if mean < 1 else 0.0
    return yes + no
