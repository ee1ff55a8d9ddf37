"""All small comparisons, whatever the objects are called: what measures are tried on."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import AnyClustering, Cover, Evidential, Fuzzy, Partition, Rough
from clusterdiff.inputs import meet
from clusterdiff.laboratory.spaces.comparison import Labels, numbered
from clusterdiff.laboratory.spaces.contingency import partitions
from clusterdiff.laboratory.spaces.covers import Family, families, renamed
from clusterdiff.meet import CoverMeet, Meet


@cache
def types(n: int) -> tuple[Labels, ...]:
    """One partition of n objects for each list of cluster sizes."""
    seen: dict[tuple[int, ...], Labels] = {}
    for p in partitions(n):
        seen.setdefault(tuple(sorted(np.bincount(p), reverse=True)), p)
    return tuple(seen.values())


@cache
def pairs_up_to_renaming(n: int) -> tuple[tuple[Labels, Labels], ...]:
    """Pairs of partitions such that every pair is just one of these with the objects renamed.

    Which one stands for the others is drawn, so that its clusters come in any order.
    """
    rng, found = random.Random(n), []
    for truth in types(n):
        left = dict.fromkeys(rng.sample(partitions(n), len(partitions(n))))
        while left:
            alike = [left.popitem()[0]]
            found.append((truth, alike[0]))
            for guess in alike:
                for names in _exchanges(truth):
                    moved = numbered(tuple(guess[i] for i in names))
                    if moved in left:
                        del left[moved]
                        alike.append(moved)
    return tuple(found)


@cache
def _exchanges(truth: Labels) -> tuple[Labels, ...]:
    """Names of objects that leave a partition as it is; all others are some of these in turn.

    Two objects of one cluster exchange their names, or two clusters of one size do.
    """
    clusters = [[i for i, own in enumerate(truth) if own == label] for label in set(truth)]
    swaps = [((i,), (j,)) for own in clusters for i, j in pairwise(own)]
    sides = [(a, b) for a, b in combinations(clusters, 2) if len(a) == len(b)]
    made = []
    for one, other in [*swaps, *sides]:
        names = list(range(len(truth)))
        for i, j in zip(one, other, strict=True):
            names[i], names[j] = j, i
        made.append(tuple(names))
    return tuple(made)


@cache
def cover_pairs(n: int) -> tuple[tuple[Family, Family], ...]:
    """Pairs of families such that every pair is one of these with the objects renamed."""
    return tuple(sorted({renamed(n, t, g) for t in families(n) for g in families(n)}))


def memberships(n: int, family: Family) -> dict[int, frozenset[int]]:
    """From each object to the clusters it is in."""
    return {i: frozenset(k for k, c in enumerate(family) if c >> i & 1) for i in range(n)}


@cache
def cover_meet(n: int, truth: Family, guess: Family) -> CoverMeet:
    """The meet of two covers."""
    made = meet(Cover(memberships(n, truth)), Cover(memberships(n, guess)))
    assert isinstance(made, CoverMeet)
    return made


KNOWN: list[dict[tuple[str, ...], float]] = [
    {("a",): 1.0},
    {("b",): 1.0},
    {("a", "b"): 1.0},
    {("a",): 0.5, ("b",): 0.5},
    {("a",): 0.25, ("b",): 0.75},
    {("a",): 0.75, ("b",): 0.25},
]
"""What is known of an object in an uncertain clustering of two clusters."""
RENAMED = [1, 0, 2, 3, 5, 4]
"""The same with the clusters exchanged."""


class Case(NamedTuple):
    """Two clusterings of n objects: partitions as labels, covers as families of clusters, or
    uncertain clusterings as numbers of `KNOWN`.
    """

    n: int
    truth: tuple[int, ...]
    guess: tuple[int, ...]
    kind: str = "partition"

    def swapped(self) -> Case:
        """Guess against truth, as the one that stands for all with these names."""
        return self._replace(truth=self.guess, guess=self.truth).one_of_its_kind()

    def one_of_its_kind(self) -> Case:
        """The one of those with other names of the objects that is tried; of partitions, itself."""
        if self.kind == "cover":
            return Case(self.n, *renamed(*self[:3]), self.kind)
        if self.kind == "soft" and self.n == 2:
            return min(self, self._replace(truth=self.truth[::-1], guess=self.guess[::-1]))
        return self

    @property
    def same(self) -> bool:
        """Whether both are one clustering, whatever the clusters are called."""
        if self.kind != "soft":
            return self.truth == self.guess
        return self.guess in (self.truth, tuple(RENAMED[one] for one in self.truth))

    @property
    def sides(self) -> tuple[Any, Any]:
        """Truth and guess, as a user has them."""
        return _side(self, self.truth), _side(self, self.guess)

    def __str__(self) -> str:
        return ", ".join(_typed(self, side) for side in (self.truth, self.guess))


def _side(case: Case, side: tuple[int, ...]) -> AnyClustering:
    if case.kind == "partition":
        return Partition(side)
    if case.kind == "cover":
        return Cover(memberships(case.n, side))
    return _soft(side)


def _soft(known: tuple[int, ...]) -> AnyClustering:
    """A clustering of the plainest kind that can say this."""
    masses = [KNOWN[one] for one in known]
    if all(len(mass) == 1 for mass in masses):
        return Rough([set(next(iter(mass))) for mass in masses])
    if 2 not in known:
        return Fuzzy([{name: m for (name,), m in mass.items()} for mass in masses])
    return Evidential(masses)


def _typed(case: Case, side: tuple[int, ...]) -> str:
    """A side as one types it."""
    if case.kind == "partition":
        return repr(list(side))
    if case.kind == "cover":
        listed = {i: sorted(own) for i, own in memberships(case.n, side).items()}
        return f"cd.Cover({listed})"
    return f"cd.Evidential({[KNOWN[one] for one in side]})"


@cache
def meet_of(case: Case) -> Meet:
    """The comparison of a case, as a measure takes it."""
    if case.kind == "cover":
        return cover_meet(*case[:3])
    return meet(*case.sides)


@cache
def cases(kind: str) -> tuple[Case, ...]:
    """All pairs of partitions of up to 5 objects, or of covers of up to 3, some left out, whatever
    the objects are called; or so of uncertain clusterings of 2 objects, with some of 3.
    """
    if kind == "cover":
        return tuple(Case(n, *pair, kind) for n in (1, 2, 3) for pair in cover_pairs(n))
    if kind == "soft":
        of_two = list(product(range(6), repeat=2))
        of_three = random.Random(1).sample(list(product(range(4), repeat=3)), 8)
        found = [
            Case(len(t), t, g, kind) for some in (of_two, of_three) for t, g in product(some, some)
        ]
        return tuple(case for case in found if case == case.one_of_its_kind())
    return tuple(Case(n, *pair) for n in range(1, 6) for pair in pairs_up_to_renaming(n))
