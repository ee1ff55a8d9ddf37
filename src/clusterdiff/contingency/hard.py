"""The meet of two partitions: the non-empty cells of their table, and little else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from math import lcm
from typing import Any, Self

import numpy as np

from clusterdiff.array_types import Bools, Floats, Hashes, Ints
from clusterdiff.clusterings.grouping import group_sums, number
from clusterdiff.clusterings.sets import mix, singles
from clusterdiff.contingency.alignment import Alignment, alignment_of_rows, alignment_of_union
from clusterdiff.contingency.base import Rows, Sizes, connected, dense
from clusterdiff.contingency.cells import (
    MOST,
    checked_cells,
    distinct_shapes,
    histogram,
    numbered,
    size_per_row,
)
from clusterdiff.contingency.cover import CoverMeet, CoverSide
from clusterdiff.contingency.digest import (
    Identified,
    digest,
    fingerprint,
    of_cluster,
    refined,
    step,
)
from clusterdiff.contingency.soft import SoftMeet, known_for_certain
from clusterdiff.errors import KindError, MeetError, MemoryNeeded

# Shapes: distinct (objects in both, size of the truth cluster, size of the guess cluster).
#
# Most measures are sums over shapes. Three million records may have a few hundred of them.


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted(Rows):
    """Rows of a comparison: `both` objects share a truth cluster of `truth_size` objects and a
    guess cluster of `guess_size`; there are `times` such rows.

    A size of 0 says that the objects are missing on that side.
    """

    both: Ints
    truth_size: Ints
    guess_size: Ints
    times: Ints
    alignment: Alignment = field(default_factory=Alignment)

    @cached_property
    def weight(self) -> Ints:
        """Objects per row, all its repetitions together."""
        return self.both * self.times

    @cached_property
    def in_truth(self) -> Bools:
        """Which rows are objects that truth knows."""
        return np.asarray(self.truth_size > 0)

    @cached_property
    def in_guess(self) -> Bools:
        """Which rows are objects that guess knows."""
        return np.asarray(self.guess_size > 0)

    @cached_property
    def found(self) -> Ints:
        """The objects of a row that are on both sides: all of them, or none."""
        return np.where(self.in_truth & self.in_guess, self.both, 0)

    @cached_property
    def truth_sizes(self) -> Sizes:
        """How many truth clusters have which size."""
        return _sizes(self.truth_size, self.weight)

    @cached_property
    def guess_sizes(self) -> Sizes:
        """How many guess clusters have which size."""
        return _sizes(self.guess_size, self.weight)

    def swap(self) -> Self:
        """The same rows with truth and guess exchanged."""
        return replace(
            self,
            truth_size=self.guess_size,
            guess_size=self.truth_size,
            alignment=self.alignment.swap(),
        )


class Shapes(Counted):
    """Rows without names: one for each distinct (both, truth size, guess size)."""


def _sizes(size: Ints, weight: Ints) -> Sizes:
    known = size > 0
    if not known.any():
        return Sizes(np.zeros(0, np.int64), np.zeros(0, np.int64))
    if int(size.max()) <= max(4096, 4 * size.size):
        in_size = group_sums(size[known], weight[known])
        sizes = np.flatnonzero(in_size)
        return Sizes(sizes, in_size[sizes] // sizes)
    sizes, inverse = np.unique(size[known], return_inverse=True)
    objects = group_sums(inverse, weight[known])
    return Sizes(sizes, objects // sizes)


@dataclass(frozen=True)
class Features:
    """What a meet keeps of the objects' features: enough for every within-cluster error."""

    mean: Floats
    """Mean feature vector of each row, rows x features."""
    error: Floats
    """Squared distance of the row's objects to that mean, summed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HardMeet(Identified, Counted):
    """Rows (truth cluster, guess cluster, objects in both) of two partitions.

    Clusters that agree exactly share one row per size, with `times` telling how many they are;
    the rows in conflict follow. Clusters are numbered, -1 is "missing on this side".

    >>> m = HardMeet.from_rows([0, 0, 1, 2], [0, 1, 1, 2], [2, 1, 2, 1])
    >>> m
    HardMeet(6 objects, 3 x 3 clusters, 4 rows, 1 of them agreeing)
    >>> m.times.tolist(), m.components
    ([1, 1, 1, 1], 2)
    """

    truth: Ints
    guess: Ints
    features: Features | None = None

    @classmethod
    def from_rows(
        cls,
        truth: Any,
        guess: Any,
        both: Any,
        times: Any = None,
        *,
        alignment: Alignment | None = None,
        features: Features | None = None,
    ) -> HardMeet:
        """A meet from the cells of a table, each given once.

        Clusters are 0, 1, … or -1 for missing, which is a comparison under align="penalise".
        `times` repeats a row, and is for clusters that agree: their row must be all they have.
        """
        cells = checked_cells(truth, guess, both, times)
        alignment = alignment_of_rows(cells.truth, cells.guess, cells.both, alignment)
        if features is not None and len(features.mean) != cells.both.size:
            raise MeetError.from_lengths({"both": cells.both.size, "features": len(features.mean)})
        return cls.of_cells(*cells, alignment=alignment, features=features)

    @classmethod
    def of_cells(
        cls,
        truth: Ints,
        guess: Ints,
        both: Ints,
        times: Ints | None = None,
        *,
        alignment: Alignment | None = None,
        features: Features | None = None,
    ) -> HardMeet:
        """The same from cells that an engine has counted, which are known to be right.

        Agreeing clusters are merged into one row per size; those in conflict keep their order.
        """
        truth, guess = numbered(truth), numbered(guess)
        times = np.broadcast_to(np.int64(1), both.shape) if times is None else times
        truth_size, guess_size = size_per_row(truth, both), size_per_row(guess, both)
        agree = (both == truth_size) & (both == guess_size)
        size, count = histogram(both[agree], times[agree])
        rest = ~agree
        own = np.arange(size.size)
        return cls(
            both=np.concatenate([size, both[rest]]),
            truth_size=np.concatenate([size, truth_size[rest]]),
            guess_size=np.concatenate([size, guess_size[rest]]),
            times=np.concatenate([count, times[rest]]),
            truth=np.concatenate([own, _behind(truth[rest], size.size)]),
            guess=np.concatenate([own, _behind(guess[rest], size.size)]),
            alignment=alignment or Alignment(),
            features=features and _kept(features, size.size, rest),
        )

    def __repr__(self) -> str:
        return (
            f"HardMeet({self.objects:,} objects, {self.truth_sizes.clusters:,} x "
            f"{self.guess_sizes.clusters:,} clusters, {self.rows:,} rows, "
            f"{self.agreeing:,} of them agreeing)"
        )

    @property
    def agreeing(self) -> int:
        """How many clusters truth and guess have alike."""
        return int(self.times[self.agree].sum())

    @property
    def fates(self) -> tuple[int, int, int]:
        """How many true clusters are split (over several guess clusters, none of which has objects
        of others), merged (in one that has), and both.
        """
        rows = np.flatnonzero(~self.agree & self.in_truth)
        cluster, many = number(self.truth[rows])
        known = self.in_guess[rows]
        split = np.bincount(cluster, known, many) > 1
        foreign = known & (self.both[rows] < self.guess_size[rows])
        merged = np.bincount(cluster, foreign, many) > 0
        both = int((split & merged).sum())
        return int(split.sum()) - both, int(merged.sum()) - both, both

    @cached_property
    def rows(self) -> int:
        """How many cells of the table are not empty, repeated ones counted."""
        return int(self.times.sum())

    @property
    def is_hard(self) -> bool:
        """Whether each object is in exactly one cluster of each side that knows it: yes."""
        return True

    @cached_property
    def agree(self) -> Bools:
        """Which rows are clusters that truth and guess have alike."""
        return np.asarray((self.both == self.truth_size) & (self.both == self.guess_size))

    @cached_property
    def shapes(self) -> Shapes:
        """The rows without their names: distinct sizes, with how often each occurs."""
        agree, rest = self.agree, ~self.agree
        distinct = distinct_shapes(self.both[rest], self.truth_size[rest], self.guess_size[rest])
        head = [a[agree] for a in (self.both, self.truth_size, self.guess_size, self.times)]
        both, truth_size, guess_size, times = (
            np.concatenate(pair) for pair in zip(head, distinct, strict=True)
        )
        return Shapes(
            both=both,
            truth_size=truth_size,
            guess_size=guess_size,
            times=times,
            alignment=self.alignment,
        )

    @cached_property
    def truth_sizes(self) -> Sizes:
        """How many truth clusters have which size."""
        return self.shapes.truth_sizes

    @cached_property
    def guess_sizes(self) -> Sizes:
        """How many guess clusters have which size."""
        return self.shapes.guess_sizes

    @cached_property
    def component(self) -> Ints:
        """The number of the join's cluster (connected component) that each row belongs to."""
        agree = self.agree
        found = np.cumsum(agree) - 1
        rest = ~agree
        found[rest] = int(agree.sum()) + connected(dense(self.truth[rest]), dense(self.guess[rest]))
        return found

    @cached_property
    def components(self) -> int:
        """How many clusters the join has."""
        repeats = int((self.times - 1).sum())
        return np.unique(self.component).size + repeats

    @cached_property
    def colours(self) -> Hashes:
        """A number for each row that depends on its place among the others, not on names."""
        return refined(self.colours_after(0), self._step, self.both.size)

    def colours_after(self, rounds: int) -> Hashes:
        """Colours of the rows that say what is as many clusters away, and no more."""
        start = self.both.astype(np.uint64)
        if self.features is not None:
            known = np.column_stack([self.features.mean, self.features.error])
            start += fingerprint(known)
        return reduce(lambda colour, _: self._step(colour), range(rounds), mix(start))

    @property
    def repeats(self) -> Ints:
        """How often each row counts."""
        return self.times

    @property
    def _step(self) -> Callable[[Hashes], Hashes]:
        """A round of colours."""
        return step(partial(of_cluster, self.truth), partial(of_cluster, self.guess))

    def written_out(self, order: Ints | None = None) -> tuple[Ints, Ints, Ints]:
        """Truth cluster, guess cluster and objects of each row, repeated rows one by one."""
        order = np.arange(self.both.size) if order is None else order
        row, times = np.repeat(order, self.times[order]), self.times[order]
        copy = np.arange(row.size) - np.repeat(np.cumsum(times) - times, times)
        own = (
            np.arange(row.size) + int(max(self.truth.max(initial=0), self.guess.max(initial=0))) + 1
        )
        truth = np.where(copy > 0, own, self.truth[row])
        return truth, np.where(copy > 0, own, self.guess[row]), self.both[row]

    @cached_property
    def cover(self) -> CoverMeet:
        """The same comparison as one of covers, in which each object is in one cluster."""
        truth, guess, both = self.written_out()
        return CoverMeet(_lifted(truth, both), _lifted(guess, both), both, self.alignment)

    @cached_property
    def soft(self) -> SoftMeet:
        """The same comparison as one of uncertain clusterings, in which all is certain."""
        truth, guess, both = self.written_out()
        if min(truth.min(initial=0), guess.min(initial=0)) < 0:
            raise KindError.from_missing_side()
        return SoftMeet(
            known_for_certain(*number(truth)),
            known_for_certain(*number(guess)),
            both,
            self.alignment,
        )

    def swap(self) -> Self:
        """The same meet with truth and guess exchanged."""
        return replace(super().swap(), truth=self.guess, guess=self.truth)


def alone_on_both(many: int, like: Alignment) -> HardMeet:
    """So many objects, each alone in truth and in guess, under the policy of another meet."""
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    alignment = Alignment(like.policy, noise_as=like.noise_as)
    return HardMeet.of_cells(zero, zero, one, np.array([many]), alignment=alignment)


def balanced(m: HardMeet) -> HardMeet:
    """The comparison in which every true cluster counts the same: each of its objects counts
    L / |T| times, L the least common multiple of the sizes of all true clusters.

    >>> balanced(HardMeet.from_rows([0, 0, 1], [0, 1, 1], [2, 1, 2])).both.tolist()
    [4, 2, 6]
    """
    if not m.in_truth.all():
        raise KindError(
            "a balanced score counts every true cluster the same, and some objects are in none.",
            'use align="shared", or align="singletons".',
        )
    common, clusters = lcm(*np.unique(m.truth_size).tolist()), m.truth_sizes.clusters
    if common * clusters >= MOST:
        raise KindError(
            f"every true cluster would count {common:.3g} times, the least common multiple of the "
            "sizes of all, and that is more than can be counted.",
            "the mean over true clusters has no such limit: bcubed_f(average='truth').",
        )
    both = m.both * (common // m.truth_size)
    name = f"{m.alignment.count}, balanced" if m.alignment.count else "balanced"
    alignment = replace(m.alignment, count=name)
    return HardMeet.of_cells(m.truth, m.guess, both, m.times, alignment=alignment)


def clusters_apart(meets: list[HardMeet]) -> tuple[Ints, Ints]:
    """The clusters of the rows of many comparisons, one after the other, with other numbers."""
    truth, guess, truths, guesses = [], [], 0, 0
    for m in meets:
        truth.append(_behind(m.truth, truths))
        guess.append(_behind(m.guess, guesses))
        truths += int(m.truth.max(initial=-1)) + 1
        guesses += int(m.guess.max(initial=-1)) + 1
    return np.concatenate(truth), np.concatenate(guess)


def hard_union(meets: list[HardMeet]) -> HardMeet:
    """The meet of the disjoint union of many comparisons."""
    alignment = alignment_of_union(m.alignment for m in meets)
    known = [m.features for m in meets if m.features is not None]
    widths = list(dict.fromkeys(f.mean.shape[1] for f in known))
    if len(widths) > 1:
        raise MeetError(
            f"meets with {' and '.join(map(str, widths))} features cannot be added.",
            "give all objects the same features.",
        )
    features = None
    if len(known) == len(meets):
        features = Features(
            np.concatenate([f.mean for f in known]), np.concatenate([f.error for f in known])
        )
    return HardMeet.of_cells(
        *clusters_apart(meets),
        np.concatenate([m.both for m in meets]),
        np.concatenate([m.times for m in meets]),
        alignment=alignment,
        features=features,
    )


def _lifted(cluster: Ints, both: Ints) -> CoverSide:
    """Clusters of rows as sets of one cluster; -1 stays."""
    known = np.flatnonzero(cluster >= 0)
    codes, many = number(cluster[known])
    row = np.full(cluster.size, -1)
    row[known] = codes
    return CoverSide(row, singles(np.arange(many)), both)


def _behind(cluster: Ints, first: int) -> Ints:
    """The same numbers from `first` on; -1 stays."""
    if cluster.min(initial=0) >= 0:
        return cluster + first
    return np.where(cluster >= 0, cluster + first, -1)


def _kept(features: Features, agreeing: int, rest: Bools) -> Features:
    """Features of the rows in conflict; clusters that agree do not need theirs."""
    return Features(
        np.concatenate([np.zeros((agreeing, features.mean.shape[1])), features.mean[rest]]),
        np.concatenate([np.zeros(agreeing), features.error[rest]]),
    )


# What is left of a meet whose rows in conflict are too many to hold: its shapes.


@dataclass(frozen=True, eq=False, kw_only=True)
class Sketch(Shapes):
    """Shapes alone: enough for pairs, BCubed, ELM and information; not for matching clusters."""

    need: int
    """Bytes that all rows would take."""
    memory: int
    """Bytes that are allowed."""

    @property
    def is_hard(self) -> bool:
        """Whether each object is in exactly one cluster of each side that knows it: yes."""
        return True

    @cached_property
    def rows(self) -> int:
        """How many cells of the table are not empty."""
        return int(self.times.sum())

    @property
    def shapes(self) -> Shapes:
        """The shapes: these."""
        return self

    def with_singles(self, singles: Mapping[str, int]) -> Sketch:
        """The same with extra singletons on both sides."""
        many = sum(singles.values())
        alone = (self.both == 1) & (self.truth_size == 1) & (self.guess_size == 1)
        if alone.any():
            return replace(self, times=self.times + many * alone)
        return replace(
            self,
            both=np.append(self.both, 1),
            truth_size=np.append(self.truth_size, 1),
            guess_size=np.append(self.guess_size, 1),
            times=np.append(self.times, many),
        )

    def refused(self, measure: str) -> MemoryNeeded:
        """What to say to a measure that needs the rows."""
        conflict = (self.both != self.truth_size) | (self.both != self.guess_size)
        rows = int(self.times[conflict].sum())
        what = f"{measure} needs all {rows:,} rows in conflict, which"
        return MemoryNeeded.from_rows(what, self.need, self.memory)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the shapes, whatever the order."""
        colour = np.zeros(self.both.size, np.uint64)
        for column in (self.both, self.truth_size, self.guess_size):
            colour = mix(colour + column.astype(np.uint64))
        return f"shapes-{digest(colour, self.times)}"
