"""The meet of two uncertain clusterings: how many objects have each pair of mass functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings.degrees import DeviceMasses, Masses, check_large
from clusterdiff.clusterings.grouping import group_sums, number
from clusterdiff.clusterings.sets import Sets, mix, singles
from clusterdiff.contingency.alignment import alignment_of_union
from clusterdiff.contingency.base import Sizes
from clusterdiff.contingency.digest import LARGE, Graph, TwoSided, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.contingency.hard import HardMeet


class Edges(NamedTuple):
    """What one clustering says as edges: mass functions to sets, sets to clusters."""

    sizes: tuple[int, int, int]
    """How many mass functions, sets and clusters there are."""
    ends: tuple[Ints, Ints]
    label: Hashes


@dataclass(frozen=True, eq=False)
class SoftSide:
    """What one clustering says of the rows of a meet."""

    kind: str
    """partition, rough, fuzzy, possibilistic or evidential."""
    row: Ints
    """For each row the number of its mass function."""
    masses: Masses
    """The distinct mass functions."""

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return self.masses.clusters

    @property
    def work(self) -> int:
        """What a round of colours costs."""
        return self.row.size if self.masses.table is None else self.masses.table.size

    @cached_property
    def labels(self) -> Ints | None:
        """The cluster of each row where all are known for certain, else None."""
        if (self.masses.take(self.row[:1000]).settled < 0).any():
            return None
        found = self.masses.settled[self.row]
        return None if (found < 0).any() else found

    def sizes(self, both: Ints) -> Sizes:
        """How many clusters have which size, where all are known for certain; else none."""
        none = np.zeros(0, np.int64)
        if self.labels is None:
            return Sizes(none, none)
        size = group_sums(self.labels, both)
        return Sizes(*np.unique(size[size > 0], return_counts=True))

    @cached_property
    def uncertain(self) -> Bools:
        """Which rows are not in one cluster for certain."""
        return np.asarray(self.masses.settled[self.row] < 0)

    def colours_around(self, colour: Hashes) -> Hashes:
        """For each row the colours of the clusters that it may be in, set by set."""
        m = self.masses
        of_profile = np.zeros(m.rows, np.uint64)
        np.add.at(of_profile, self.row, mix(colour))
        of_set = np.zeros(m.focal.number, np.uint64)
        for a, profile, word in self._entries():
            np.add.at(of_set, a, mix(word + of_profile[profile]))
        of_set = mix(of_set)
        of_cluster = np.zeros(m.clusters, np.uint64)
        np.add.at(of_cluster, m.focal.member, of_set[m.focal.owner])
        named = of_set.copy()
        np.add.at(named, m.focal.owner, mix(of_cluster)[m.focal.member])
        told = np.zeros(m.rows, np.uint64)
        for a, profile, word in self._entries():
            told[profile] += mix(mix(named[a]) + word)
        return np.asarray(mix(told)[self.row])

    def edges(self) -> Edges:
        """Masses on sets and clusters in them, as edges; what no row has is left out."""
        m = self.masses
        has_rows = np.zeros(m.rows, np.bool_)
        has_rows[self.row] = True
        parts = [(profile, a, word) for a, profile, word in self._entries()]
        profile, a, word = (np.concatenate(column) for column in zip(*parts, strict=True))
        kept = has_rows[profile]
        held = np.zeros(m.focal.number, np.bool_)
        held[a[kept]] = True
        named = held[m.focal.owner]
        sets, clusters = m.rows, m.rows + m.focal.number
        return Edges(
            (m.rows, m.focal.number, m.clusters),
            (
                np.concatenate([profile[kept], m.focal.owner[named] + sets]),
                np.concatenate([a[kept] + sets, m.focal.member[named] + clusters]),
            ),
            np.concatenate([word[kept], np.zeros(int(named.sum()), np.uint64)]),
        )

    def ordered(self, place: Ints) -> SoftSide:
        """The same with mass functions, sets and clusters in the order of these places; what no row
        has is left out.
        """
        m = self.masses
        sets, clusters = m.rows, m.rows + m.focal.number
        used = np.unique(self.row)
        profiles = used[np.argsort(place[used])]
        row = np.empty(m.rows, np.int64)
        row[profiles] = np.arange(profiles.size)
        kept, table = profiles, m.table
        if table is not None:
            held = np.flatnonzero((table[used] > 0).any(axis=0))
            kept = held[np.argsort(place[held + sets])]
            table = table[np.ix_(profiles, kept)]
        new = np.empty(m.clusters, np.int64)
        new[np.argsort(place[clusters:])] = np.arange(m.clusters)
        focal = m.focal.take(kept)
        sorted_members = np.lexsort((new[focal.member], focal.owner))
        focal = Sets(focal.start, new[focal.member][sorted_members])
        if isinstance(m, DeviceMasses):
            there = m.tensor[profiles][:, kept]
            return SoftSide(self.kind, row[self.row], DeviceMasses(focal, m.clusters, there))
        return SoftSide(self.kind, row[self.row], Masses(focal, m.clusters, table))

    def _entries(self) -> Iterator[tuple[Ints, Ints, Hashes]]:
        """Focal sets, mass functions with mass on them, and that mass as a hash; where there are
        several of a function, one set at a time.
        """
        m = self.masses
        size = m.focal.size.astype(np.uint64)
        every = np.arange(m.focal.number)
        if m.table is None:
            yield every, every, mix(fingerprint(np.ones((every.size, 1))) + size)
            return
        for a in every:
            profile = np.flatnonzero(m.table[:, a])
            amount = m.table[profile, a]
            yield np.full_like(profile, a), profile, mix(fingerprint(amount[:, None]) + size[a])


@dataclass(frozen=True, eq=False)
class SoftMeet(TwoSided):
    """Rows (what truth knows, what guess knows, objects of which both know that).

    >>> import clusterdiff as cd
    >>> cd.meet(["a", "a", "b"], cd.Fuzzy([[1, 0], [1, 0], [0.5, 0.5]]))
    SoftMeet(3 objects, partition of 2 x fuzzy of 2 clusters, 2 rows)
    """

    truth: SoftSide
    guess: SoftSide

    def __repr__(self) -> str:
        sides = [f"{side.kind} of {side.clusters:,}" for side in (self.truth, self.guess)]
        return (
            f"SoftMeet({self.objects:,} objects, {' x '.join(sides)} clusters, {self.rows:,} rows)"
        )

    @cached_property
    def in_truth(self) -> Bools:
        """Which rows are objects that truth knows: all."""
        return np.ones(self.rows, np.bool_)

    @property
    def in_guess(self) -> Bools:
        """Which rows are objects that guess knows: all."""
        return self.in_truth

    @property
    def clusters(self) -> tuple[int, int]:
        """How many clusters truth and guess have that hold any mass."""
        return self.truth.masses.held, self.guess.masses.held

    @property
    def truth_sizes(self) -> Sizes:
        """How many truth clusters have which size, where it is known; else none."""
        return self.truth.sizes(self.both)

    @property
    def guess_sizes(self) -> Sizes:
        """How many guess clusters have which size, where it is known; else none."""
        return self.guess.sizes(self.both)

    @cached_property
    def masses_on_device(self) -> bool:
        """Whether the mass functions of both sides lie on one device."""
        one, other = self.truth.masses.tensor, self.guess.masses.tensor
        return one is not None and other is not None and one.device == other.device

    @property
    def is_hard(self) -> bool:
        """Whether both sides know the cluster of each object for certain."""
        return self.truth.labels is not None and self.guess.labels is not None

    @cached_property
    def hard(self) -> HardMeet:
        """The same comparison as one of partitions, where both are certain."""
        from clusterdiff.contingency.hard import HardMeet

        assert self.truth.labels is not None
        assert self.guess.labels is not None
        cell, many = number(self.truth.labels * max(self.guess.clusters, 1) + self.guess.labels)
        first = np.empty(many, np.int64)
        first[cell] = np.arange(self.rows)
        both = group_sums(cell, self.both, many)
        return HardMeet.of_cells(
            self.truth.labels[first], self.guess.labels[first], both, alignment=self.alignment
        )

    @property
    def repeats(self) -> Ints:
        """How often each row counts: once for each object."""
        return self.both

    @property
    def _graph(self) -> Graph:
        """Mass functions, sets and clusters of both sides, with an edge for each row between mass
        functions, each mass on a set, and each cluster in a set.
        """
        sides = [self.truth.edges(), self.guess.edges()]
        sizes = [n for side in sides for n in side.sizes]
        after = sum(sides[0].sizes)
        kind = np.repeat(np.arange(1, len(sizes) + 1, dtype=np.uint64), sizes)
        first, second = (
            np.concatenate([rows, sides[0].ends[k], sides[1].ends[k] + after])
            for k, rows in enumerate((self.truth.row, self.guess.row + after))
        )
        label = np.concatenate([self.colours, *(side.label for side in sides)])
        return Graph(mix(kind), first, second, label)

    @cached_property
    def in_order(self) -> SoftMeet:
        """The same comparison with rows, sets and clusters in an order that does not depend on how
        it was given (but as said of `Graph.order`): draws then depend on the seed alone.
        """
        if self.work > LARGE:
            return self
        order = self._graph.order()
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        after = sum(self.truth.edges().sizes)
        truth, guess = self.truth.ordered(place[:after]), self.guess.ordered(place[after:])
        rows = np.lexsort((self.both, guess.row, truth.row))
        truth, guess = (replace(side, row=side.row[rows]) for side in (truth, guess))
        return SoftMeet(truth, guess, self.both[rows], self.alignment)


def known_for_certain(label: Ints, clusters: int) -> SoftSide:
    """A side that knows the cluster of each row."""
    return SoftSide("partition", label, Masses(singles(np.arange(clusters)), clusters))


def soft_union(meets: list[SoftMeet]) -> SoftMeet:
    """The meet of the disjoint union of many comparisons."""
    alignment = alignment_of_union(m.alignment for m in meets)
    return SoftMeet(
        _side_by_side([m.truth for m in meets]),
        _side_by_side([m.guess for m in meets]),
        np.concatenate([m.both for m in meets]),
        alignment,
    )


def _side_by_side(sides: list[SoftSide]) -> SoftSide:
    """One side of a disjoint union: profiles, sets and clusters of each part behind the others."""
    kinds = {side.kind for side in sides}
    rows = np.cumsum([0, *(side.masses.rows for side in sides)])
    clusters = np.cumsum([0, *(side.clusters for side in sides)])
    parts = list(zip(sides, rows, clusters, strict=False))
    member = np.concatenate([s.masses.focal.member + at for s, _, at in parts])
    size = np.concatenate([s.masses.focal.size for s in sides])
    focal = Sets(np.concatenate([[0], np.cumsum(size)]), member)
    table = None
    if any(side.masses.table is not None for side in sides):
        from scipy.linalg import block_diag

        check_large(int(rows[-1]), focal.number)
        table = block_diag(*(side.masses.mass for side in sides))
    return SoftSide(
        kinds.pop() if len(kinds) == 1 else "evidential",
        np.concatenate([s.row + at for s, at, _ in parts]),
        Masses(focal, int(clusters[-1]), table),
    )
