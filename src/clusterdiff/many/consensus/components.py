"""Parts of a median problem that can be solved one by one.

Mirkin: no cluster need hold two profiles that no chain of majorities joins, since cutting it there
costs nothing. Variation of information: no cluster of a median spans two components of the join of
all runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.group import number

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Ints
    from clusterdiff.many.consensus.problem import Problem

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
    from clusterdiff.many.consensus.pair_kernels import are_open

    found = np.zeros(size.size, np.bool_)
    low, _ = halves(problem)
    are_open(order, start, problem.cells, problem.weights, low, found)
    return Components(order, start, found)


def halves(problem: Problem) -> tuple[float, float]:
    """Weights that are less, and more, than half of all by more than rounding."""
    half = problem.whole / 2
    return half - 1e-12 * problem.whole, half + 1e-12 * problem.whole


def _joined(problem: Problem) -> Ints:
    from clusterdiff.many.consensus.pair_kernels import link_clusters

    parent = np.arange(problem.profiles)
    link_clusters(problem.cells, np.full(problem.first[-1], -1), parent)
    return parent


def _majorities(problem: Problem, most: int) -> Ints | None:
    """Profiles linked by majorities. Two that more than half of the weight puts together share a
    cluster in one of any runs that have half of the weight: those with the fewest pairs will do.
    Where runs abstain, one run can be a majority, and all given runs are looked at.
    """
    from clusterdiff.many.consensus.pair_kernels import link_majorities

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
