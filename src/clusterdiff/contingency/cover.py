"""The meet of two covers: how many objects have each pair of sets of clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings.grouping import group_pairs, group_sums
from clusterdiff.clusterings.sets import Sets, joined, mix
from clusterdiff.contingency.alignment import Alignment, alignment_of_rows, alignment_of_union
from clusterdiff.contingency.base import Sizes
from clusterdiff.contingency.cells import check_counts, check_repeated, whole_columns
from clusterdiff.contingency.digest import TwoSided
from clusterdiff.errors import MeetError, examples

if TYPE_CHECKING:
    from clusterdiff.contingency.hard import HardMeet

# What one clustering says of the rows of a meet of covers.


@dataclass(frozen=True, eq=False)
class CoverSide:
    """What one clustering says of the rows of a meet."""

    row: Ints
    """For each row the number of its set, -1 where the clustering lacks the objects."""
    sets: Sets
    """Distinct sets of clusters; the clusters are 0, 1, …"""
    both: Ints
    """Objects per row."""

    @classmethod
    def restricted(cls, row: Ints, sets: Sets, both: Ints) -> CoverSide:
        """Only the sets that rows have and the clusters in them, numbered anew."""
        used, place = _used(row, sets.number, by_appearance=True)
        kept = sets.take(used)
        clusters, renumbered = _used(kept.member, int(kept.member.max(initial=-1)) + 1)
        if clusters.size < renumbered.size - 1:
            kept = Sets(kept.start, renumbered[kept.member])
        return cls(place[row], kept, both)

    @cached_property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.sets.member.max(initial=-1)) + 1

    @cached_property
    def each(self) -> Sets:
        """The set of each row; of objects that the clustering lacks, an empty one."""
        nothing = Sets(np.zeros(2, np.int64), np.zeros(0, np.int64))
        return joined(self.sets, nothing).take(np.where(self.row < 0, self.sets.number, self.row))

    @cached_property
    def memberships(self) -> Ints:
        """For each row the number of clusters its objects are in."""
        return self.each.size

    @property
    def work(self) -> int:
        """What a round of colours costs."""
        return self.each.member.size

    @cached_property
    def size(self) -> Ints:
        """How many objects each cluster has."""
        objects = np.repeat(self.both, self.memberships)
        return group_sums(self.each.member, objects, self.clusters)

    @cached_property
    def sizes(self) -> Sizes:
        """How many clusters have which size."""
        return Sizes(*np.unique(self.size, return_counts=True))

    @cached_property
    def uncovered(self) -> Bools:
        """Which rows are objects that the clustering knows and has in no cluster."""
        return np.asarray((self.row >= 0) & (self.memberships == 0))

    @cached_property
    def rows_of_clusters(self) -> tuple[Ints, Ints]:
        """Where the rows of each cluster start, and the rows, one cluster after the other."""
        entries = self.each
        count = np.bincount(entries.member, minlength=self.clusters)
        start = np.concatenate([[0], np.cumsum(count)])
        keys = entries.member * entries.number + entries.owner  # sorts as fast as numbers do
        keys.sort()
        return start, keys % max(entries.number, 1)

    def incidence(self) -> Any:
        """Rows x clusters as a sparse 0/1 matrix."""
        from scipy.sparse import csr_array

        entries = self.each
        ones = np.ones(entries.member.size, np.int64)
        shape = (self.row.size, self.clusters)
        return csr_array((ones, entries.member, entries.start), shape=shape)

    def colours_around(self, colour: Hashes) -> Hashes:
        """For each row the colours of its clusters, which are those of their rows."""
        entries, missing = self.each, (self.row < 0).astype(np.uint64)
        of_cluster = np.zeros(self.clusters, np.uint64)
        np.add.at(of_cluster, entries.member, mix(colour)[entries.owner])
        words = mix(of_cluster)[entries.member]
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)])
        return np.asarray(mix(sums[entries.start[1:]] - sums[entries.start[:-1]] + missing))


def _used(numbers: Ints, most: int, *, by_appearance: bool = False) -> tuple[Ints, Ints]:
    """Which of the numbers 0, 1, … occur, in order or as they appear, and the place of each among
    them; of -1, it is -1.
    """
    first = np.full(most + 1, numbers.size)
    first[numbers[::-1]] = np.arange(numbers.size)[::-1]
    used = np.flatnonzero(first[:-1] < numbers.size)
    if by_appearance:
        appears = np.zeros(numbers.size, np.bool_)
        appears[first[used]] = True
        used = numbers[appears]
    place = np.full(most + 1, -1)
    place[used] = np.arange(used.size)
    return used, place


FEW = 4096
"""Cells of a table of clusters by clusters that are always few."""


class Shared(NamedTuple):
    """Pairs of a truth and a guess cluster that share objects, and how many."""

    truth: Ints
    guess: Ints
    both: Ints


@dataclass(frozen=True, eq=False)
class CoverMeet(TwoSided):
    """Rows (set of truth clusters, set of guess clusters, objects with both) of two covers.

    >>> import clusterdiff as cd
    >>> cd.meet(cd.Cover([{1}, {1, 2}, {1}]), cd.Cover([{1}, {1}, {1}]))
    CoverMeet(3 objects, 2 x 1 clusters, 2 rows)
    """

    truth: CoverSide
    guess: CoverSide

    @classmethod
    def from_rows(
        cls,
        truth: Ints,
        guess: Ints,
        both: Ints,
        truth_sets: Sets,
        guess_sets: Sets,
        alignment: Alignment | None = None,
    ) -> CoverMeet:
        """A meet from rows of set numbers, -1 for missing, and what the numbers mean."""
        columns = whole_columns({"truth": truth, "guess": guess, "both": both})
        truth, guess, both = columns.values()
        check_counts(both, np.ones_like(both))
        for side, row, sets in (("truth", truth, truth_sets), ("guess", guess, guess_sets)):
            outside = row[(row < -1) | (row >= sets.number)]
            if outside.size:
                raise MeetError(
                    f"{side} has rows with sets {examples(outside.tolist())}, but its sets are "
                    f"numbered 0 to {sets.number - 1}.",
                    "use -1 for missing, nothing below.",
                )
        check_repeated(truth, guess)
        alignment = alignment_of_rows(truth, guess, both, alignment)
        return cls.of_cells(truth, guess, both, truth_sets, guess_sets, alignment)

    @classmethod
    def of_cells(
        cls,
        truth: Ints,
        guess: Ints,
        both: Ints,
        truth_sets: Sets,
        guess_sets: Sets,
        alignment: Alignment,
    ) -> CoverMeet:
        """The same from rows that an engine has counted, which are known to be right."""
        return cls(
            CoverSide.restricted(truth, truth_sets, both),
            CoverSide.restricted(guess, guess_sets, both),
            both,
            alignment,
        )

    def __repr__(self) -> str:
        return (
            f"CoverMeet({self.objects:,} objects, {self.truth.clusters:,} x "
            f"{self.guess.clusters:,} clusters, {self.rows:,} rows)"
        )

    @cached_property
    def in_truth(self) -> Bools:
        """Which rows are objects that truth knows."""
        return np.asarray(self.truth.row >= 0)

    @cached_property
    def in_guess(self) -> Bools:
        """Which rows are objects that guess knows."""
        return np.asarray(self.guess.row >= 0)

    @cached_property
    def widest(self) -> tuple[int, int]:
        """The most clusters that an object is in, of guess and of truth."""
        return (
            int(self.guess.memberships.max(initial=0)),
            int(self.truth.memberships.max(initial=0)),
        )

    @property
    def truth_sizes(self) -> Sizes:
        """How many truth clusters have which size."""
        return self.truth.sizes

    @property
    def guess_sizes(self) -> Sizes:
        """How many guess clusters have which size."""
        return self.guess.sizes

    @cached_property
    def not_in_one(self) -> int:
        """How many objects are in several clusters, or in none, of a side that knows them."""
        torn = [(side.row >= 0) & (side.memberships != 1) for side in (self.truth, self.guess)]
        return int(self.both[torn[0] | torn[1]].sum())

    @property
    def is_hard(self) -> bool:
        """Whether each object is in exactly one cluster of each side that knows it."""
        return not self.not_in_one

    @cached_property
    def hard(self) -> HardMeet:
        """The same comparison as one of partitions, where each object is in one cluster."""
        from clusterdiff.contingency.hard import HardMeet

        assert self.is_hard
        truth, guess = (
            np.where(side.row < 0, -1, np.append(side.each.member, -1)[side.each.start[:-1]])
            for side in (self.truth, self.guess)
        )
        return HardMeet.of_cells(truth, guess, self.both, alignment=self.alignment)

    @cached_property
    def shared(self) -> Shared:
        """Which clusters of truth and guess share objects."""
        cells = self.truth.clusters * self.guess.clusters
        if cells <= max(FEW, 4 * self.rows) and self.widest[0] * self.widest[1] <= 16:
            return self._shared_by_table()
        incidence = self.truth.incidence()
        incidence.data *= np.repeat(self.both, self.truth.memberships)
        table = (incidence.T @ self.guess.incidence()).tocoo()
        return Shared(table.row.astype(np.int64), table.col.astype(np.int64), table.data)

    @cached_property
    def exact(self) -> Bools:
        """Which truth clusters guess has too, to the last object; of two that are equal, both."""
        truth, guess, both = self.shared
        same = (both == self.truth.size[truth]) & (both == self.guess.size[guess])
        found = np.zeros(self.truth.clusters, np.bool_)
        found[truth[same]] = True
        return found

    def _shared_by_table(self) -> Shared:
        """The same for few clusters and few memberships: one table, one membership at a time."""
        truth, guess = self.truth, self.guess
        total = np.zeros(truth.clusters * guess.clusters, np.int64)
        for i in range(self.widest[1]):
            for j in range(self.widest[0]):
                rows = np.flatnonzero((truth.memberships > i) & (guess.memberships > j))
                first = truth.each.member[truth.each.start[rows] + i] * guess.clusters
                second = guess.each.member[guess.each.start[rows] + j]
                total += group_sums(first + second, self.both[rows], total.size)
        found = np.flatnonzero(total)
        return Shared(*np.divmod(found, guess.clusters), total[found])

    @property
    def repeats(self) -> Ints:
        """How often each row counts: once."""
        return np.ones_like(self.both)

    def swap(self) -> Self:
        """The same meet with truth and guess exchanged."""
        made = super().swap()
        if "shared" in vars(self):
            vars(made)["shared"] = Shared(self.shared.guess, self.shared.truth, self.shared.both)
        return made


def cover_union(meets: list[CoverMeet]) -> CoverMeet:
    """The meet of the disjoint union of many comparisons."""
    alignment = alignment_of_union(m.alignment for m in meets)
    both = np.concatenate([m.both for m in meets])
    return CoverMeet(
        _side_by_side([m.truth for m in meets], both),
        _side_by_side([m.guess for m in meets], both),
        both,
        alignment,
    )


def _side_by_side(sides: list[CoverSide], both: Ints) -> CoverSide:
    """One side of a disjoint union: sets and clusters of each part behind those before."""
    before = np.cumsum([0, *(side.sets.number for side in sides)])
    clusters = np.cumsum([0, *(side.clusters for side in sides)])
    entries = np.cumsum([0, *(side.sets.member.size for side in sides)])
    start = [side.sets.start[1:] + at for side, at in zip(sides, entries, strict=False)]
    return CoverSide(
        np.concatenate(
            [np.where(s.row < 0, -1, s.row + at) for s, at in zip(sides, before, strict=False)]
        ),
        Sets(
            np.concatenate([[0], *start]).astype(np.int64),
            np.concatenate([s.sets.member + at for s, at in zip(sides, clusters, strict=False)]),
        ),
        both,
    )


# The contingency table of two runs over time: which clusters share how many objects, and how
# large each of them is, objects of one run alone included.


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Clusters of the old run are numbered in the order of their ids, those of the new run in the
    order of the smallest object that each has: nothing depends on the labels of the new run, or on
    the order in which objects come. Rows come in any order.
    """

    old: Ints
    """For each row the old cluster."""
    new: Ints
    shared: Ints
    """Objects in both of them."""
    old_size: Ints
    """Objects of each old cluster, with those that the new run lacks."""
    new_size: Ints
    weight: Ints | None = None
    """What the objects of each row count together, in units of `1 / scale`."""
    scale: int = 1

    @classmethod
    def of_objects(
        cls, old: Ints, new: Ints, sizes: tuple[Ints, Ints], count: Ints | None = None
    ) -> Overlaps:
        """Of the cluster of each shared object on both sides, the sizes of all clusters, and how
        often each object counts.
        """
        found = group_pairs(old, new, count)
        return cls(found.first, found.second, found.count, *sizes).in_order()

    def ranked(self, rank: Ints) -> Overlaps:
        """The same with old clusters numbered by their places in an order."""
        size = np.empty_like(self.old_size)
        size[rank] = self.old_size
        return replace(self, old=rank[self.old], old_size=size)

    def rows_at(self, rows: Ints) -> Overlaps:
        """The same with these rows alone, in their order."""
        weight = None if self.weight is None else self.weight[rows]
        old, new, shared = self.old[rows], self.new[rows], self.shared[rows]
        return replace(self, old=old, new=new, shared=shared, weight=weight)

    def without(self, gone: Bools) -> Overlaps:
        """The same without some old clusters."""
        made, place = self.rows_at(np.flatnonzero(~gone[self.old])), np.cumsum(~gone) - 1
        return replace(made, old=place[made.old], old_size=self.old_size[~gone])

    def in_order(self) -> Overlaps:
        """The same with rows in the order of (old, new)."""
        return self.rows_at(np.argsort(self.old * max(self.new_size.size, 1) + self.new))

    @property
    def objects(self) -> int:
        """How many objects both runs have."""
        return int(self.shared.sum())

    @cached_property
    def old_shared(self) -> Ints:
        """Objects of each old cluster that the new run has too."""
        return sums(self.old, self.shared, self.old_size.size)

    @cached_property
    def new_shared(self) -> Ints:
        """Objects of each new cluster that the old run has too."""
        return sums(self.new, self.shared, self.new_size.size)

    @cached_property
    def thousandths(self) -> Ints:
        """The Jaccard index of the two clusters of each row, in whole thousandths."""
        return self.thousandths_of(np.arange(self.shared.size))

    def thousandths_of(self, rows: Ints) -> Ints:
        """The same of some rows."""
        shared = self.shared[rows]
        either = self.old_size[self.old[rows]] + self.new_size[self.new[rows]] - shared
        return 1000 * shared // either

    @cached_property
    def alike(self) -> tuple[Ints, Ints]:
        """For each row the part and the whole of |A ∩ B| / max(|A|, |B|), over shared objects."""
        return self.shared, np.maximum(self.old_shared[self.old], self.new_shared[self.new])


def sums(group: Ints, amount: Ints, groups: int) -> Ints:
    """The sum of the amounts of each group, in whole numbers."""
    made = np.zeros(groups, np.int64)
    np.add.at(made, group, amount)
    return made
