"""The meet of two covers: how many objects have each pair of sets of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings.encode.group import MANY
from clusterdiff.clusterings.encode.sets import Sets, mix
from clusterdiff.errors import MeetError, examples
from clusterdiff.meet.alignment import Alignment, alignment_of_rows, alignment_of_union
from clusterdiff.meet.base import Sizes
from clusterdiff.meet.cells import refuse_counts, refuse_repeated, whole_columns
from clusterdiff.meet.cover_side import CoverSide
from clusterdiff.meet.identity.equality import TwoSided
from clusterdiff.meet.identity.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.meet.hard import HardMeet


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
        refuse_counts(both, np.ones_like(both))
        for side, row, sets in (("truth", truth, truth_sets), ("guess", guess, guess_sets)):
            outside = row[(row < -1) | (row >= sets.number)]
            if outside.size:
                raise MeetError(
                    f"{side} has rows with sets {examples(outside.tolist())}, but its sets are "
                    f"numbered 0 to {sets.number - 1}.",
                    "use -1 for missing, nothing below.",
                )
        refuse_repeated(truth, guess)
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
        from clusterdiff.meet.hard import HardMeet

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
        if self.rows >= MANY:
            from clusterdiff.meet.count_kernels import count_shared

            start, rows = self.guess.rows_of_clusters
            entries, clusters = self.truth.each, self.truth.clusters
            guess, truth, both = count_shared(start, rows, self.both, entries, clusters)
            return Shared(truth, guess, both)
        incidence = self.truth.incidence()
        incidence.data *= np.repeat(self.both, self.truth.memberships)
        table = (incidence.T @ self.guess.incidence()).tocoo()
        return Shared(table.row.astype(np.int64), table.col.astype(np.int64), table.data)

    def _shared_by_table(self) -> Shared:
        """The same for few clusters and few memberships: one table, one membership at a time."""
        truth, guess = self.truth, self.guess
        total = np.zeros(truth.clusters * guess.clusters)
        for i in range(self.widest[1]):
            for j in range(self.widest[0]):
                rows = np.flatnonzero((truth.memberships > i) & (guess.memberships > j))
                first = truth.each.member[truth.each.start[rows] + i] * guess.clusters
                second = guess.each.member[guess.each.start[rows] + j]
                total += np.bincount(first + second, self.both[rows], total.size)
        found = np.flatnonzero(total)
        return Shared(*np.divmod(found, guess.clusters), total[found].astype(np.int64))

    @property
    def repeats(self) -> Ints:
        """How often each row counts: once."""
        return np.ones_like(self.both)

    @property
    def graph(self) -> Graph:
        """Rows, truth and guess clusters, with an edge for each membership."""
        truth, guess = self.truth, self.guess
        kind = np.repeat(np.array([1, 2], np.uint64), [truth.clusters, guess.clusters])
        member = [truth.each.member + self.rows, guess.each.member + self.rows + truth.clusters]
        owner = np.concatenate([truth.each.owner, guess.each.owner])
        return Graph(
            np.concatenate([self.colours, mix(kind)]),
            owner,
            np.concatenate(member),
            np.zeros(owner.size, np.uint64),
        )

    @cached_property
    def row_names(self) -> Hashes:
        """A number for each row, equal only where a symmetry takes one row to the other, as far as
        rows are told apart.
        """
        found = self.canonical
        return self.colours if found is None else found.names[: self.rows]

    @property
    def _as_given(self) -> tuple[list[Ints], list[NDArray[Any]]]:
        sides = (self.truth, self.guess)
        return [self.truth.row, self.guess.row, self.both], [a for s in sides for a in s.sets]

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
