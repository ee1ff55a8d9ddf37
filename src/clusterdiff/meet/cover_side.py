"""What one clustering says of the rows of a meet of covers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings.encode.group import MANY
from clusterdiff.clusterings.encode.sets import Sets, joined, mix
from clusterdiff.meet.base import Sizes


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
        return np.bincount(self.each.member, objects, self.clusters).astype(np.int64)

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
        if entries.member.size < MANY:
            return start, entries.owner[np.argsort(entries.member, kind="stable")]
        from clusterdiff.meet.count_kernels import owners_by_member

        return start, owners_by_member(entries, self.clusters)

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
