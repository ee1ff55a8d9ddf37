"""Clusterings that differ in one object alone, while others are surely in clusters of their own.

The distances of all of them come in whole numbers: exact, and quick enough to try every mass.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.laboratory.spaces.soft import anchored, subsets
from clusterdiff.laboratory.spaces.soft_clusterings import ExactSoft


class AnchoredFamily(NamedTuple):
    """All clusterings of the family, and their distances as multiples of one unit."""

    members: tuple[ExactSoft, ...]
    near: Ints
    """The transported partition distance at alpha = 0."""
    moved: Ints
    """The partition distance with transport inside, at alpha = 1."""
    unit: Fraction

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return self.members[0].objects

    def widest(self) -> tuple[ExactSoft, ExactSoft] | None:
        """The first two of which `near` is above `moved` by the most, if it ever is."""
        gap = self.near - self.moved
        if gap.max() <= 0:
            return None
        one, other = np.unravel_index(gap.argmax(), gap.shape)
        return self.members[int(one)], self.members[int(other)]

    def not_told_apart(self) -> tuple[ExactSoft, ExactSoft] | None:
        """The first two that differ in more than names and have `moved` 0."""
        for one, other in np.argwhere(np.triu(self.moved == 0, 1)):
            if self.members[one].plain != self.members[other].plain:
                return self.members[one], self.members[other]
        return None


@cache
def family(clusters: int, parts: int, anchors: int) -> AnchoredFamily:
    """The free object has any mass of so many equal parts; some clusters have an anchor."""
    sets = subsets(clusters)
    masses = np.array(list(combinations_with_replacement(range(len(sets)), parts)), np.int64)
    places = [frozenset(w if w <= anchors else 0 for w in a) for a in sets]
    apart = np.array([[int(not a & b) for b in places] for a in places], np.int64)
    near = 2 * carried(masses, masses, apart)
    moved = _moved(masses, sets, clusters, anchors)
    return AnchoredFamily(
        anchored(clusters, parts, anchors), near, moved, Fraction(1, 2 * parts * anchors)
    )


def _moved(masses: Ints, sets: tuple[tuple[int, ...], ...], clusters: int, anchors: int) -> Ints:
    """The least sum of what differs over all ways to match clusters, anchors that move included."""
    parts = masses.shape[1]
    alone = np.array([[a == (w,) for w in range(1, clusters + 1)] for a in sets])
    unknown = np.array([[w in a for w in range(1, clusters + 1)] for a in sets]) & ~alone
    yes, open_ = (held[masses].sum(axis=1) for held in (alone, unknown))
    three = np.stack([yes, open_, parts - yes - open_], axis=2)
    differ = {
        (v, w): np.abs(three[:, None, v] - three[None, :, w]).sum(axis=2) // 2
        for v in range(clusters)
        for w in range(clusters)
    }
    best: Ints | None = None
    for matched in permutations(range(clusters)):
        total = sum(differ[v, w] for v, w in enumerate(matched))
        total = total + 2 * parts * sum(matched[v] != v for v in range(anchors))
        best = total if best is None else np.minimum(best, total)
    assert best is not None
    return best


def carried(left: Ints, right: Ints, cost: Ints) -> Ints:
    """The least cost of carrying each row of one table to each row of the other.

    A row names the place of each of its equal parts, and cost is a table of places, so that all
    ways to pair parts are all that there is to try: exact where the costs are whole numbers.
    """
    best: Ints | None = None
    for order in permutations(range(left.shape[1])):
        total = np.zeros((len(left), len(right)), np.int64)
        for at, to in enumerate(order):
            total += cost[np.ix_(left[:, at], right[:, to])]
        best = total if best is None else np.minimum(best, total)
    assert best is not None
    return best
