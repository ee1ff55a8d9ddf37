"""The median of several runs, and how much better another partition could be at most."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, fsum
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings.encode.group import by_appearance
from clusterdiff.errors import ClusterdiffError
from clusterdiff.many.consensus.bounds import distances_between, distances_to, star_bound
from clusterdiff.many.consensus.components import PAIRS, Components, components_of

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.many.consensus.bounds import Advance
    from clusterdiff.many.consensus.problem import Problem
    from clusterdiff.many.consensus.sampled_pairs import SampledGap

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
    from clusterdiff.many.consensus.large_components import search
    from clusterdiff.many.consensus.sampled_pairs import sampled_gap

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
        from clusterdiff.many.consensus.small_components import FEW, SMALL, solve_components

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
        from clusterdiff.many.consensus.local_search import best_found
        from clusterdiff.many.consensus.pair_kernels import excess_of
        from clusterdiff.many.consensus.triangle_lp import TriangleProgram

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
        from clusterdiff.many.consensus.large_components import search
        from clusterdiff.many.consensus.pair_kernels import excess

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
        from clusterdiff.many.consensus.large_components import search_leanings
        from clusterdiff.many.consensus.pair_kernels import excess_of, packed_triangles

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
    from clusterdiff.many.consensus.pair_kernels import leanings

    lean = np.empty((part.profiles, part.profiles))
    leanings(part.cells, part.count, part.weights, part.whole / 2, lean)
    return lean


def _triangle_gap(part: Problem, cluster: Ints) -> float:
    from clusterdiff.many.consensus.pair_kernels import excess_of, packed_triangles

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
