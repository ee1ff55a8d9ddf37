"""The meet of two partitions: the non-empty cells of their table, and little else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.group import MANY, group_pairs, number
from clusterdiff.clusterings.sets import mix, singles
from clusterdiff.errors import ClusterdiffError, KindError
from clusterdiff.meet.align import Alignment
from clusterdiff.meet.base import Sizes
from clusterdiff.meet.cover import CoverMeet, Side
from clusterdiff.meet.digest import colours, digest, fingerprint, of_cluster, step
from clusterdiff.meet.join import connected, dense
from clusterdiff.meet.shapes import Counted, Shapes
from clusterdiff.meet.soft import SoftMeet, known_for_certain

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Features:
    """What a meet keeps of the objects' features: enough for every within-cluster error."""

    mean: Floats
    """Mean feature vector of each row, rows x features."""
    error: Floats
    """Squared distance of the row's objects to that mean, summed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HardMeet(Counted):
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
        """A meet from the cells of a table; numbers of clusters are 0, 1, … or -1 for missing.

        `times` repeats a row, and is for clusters that agree: their row must be all they have.
        """
        truth, guess, both = (np.asarray(a, np.int64) for a in (truth, guess, both))
        truth, guess = _numbered(truth), _numbered(guess)
        single = times is None
        times = np.broadcast_to(np.int64(1), both.shape) if single else np.asarray(times, np.int64)
        if both.size and (both.min() < 1 or (not single and times.min() < 1)):
            raise ClusterdiffError(
                "a row of a meet has at least one object.", "leave the empty cells out."
            )
        if min(truth.min(initial=0), guess.min(initial=0)) < -1:
            raise ClusterdiffError(
                "clusters of a meet are numbered from 0 on.", "use -1 for missing, nothing below."
            )
        truth_size, guess_size = size_per_row(truth, both), size_per_row(guess, both)
        agree = (both == truth_size) & (both == guess_size)
        if not single and (times[~agree] != 1).any():
            raise ClusterdiffError(
                "only rows of clusters that agree exactly can stand for several.",
                "leave times=1 where a cluster has other rows too.",
            )
        return cls._merged(
            truth, guess, both, times, truth_size, guess_size, agree, alignment, features
        )

    @classmethod
    def _merged(
        cls,
        truth: Ints,
        guess: Ints,
        both: Ints,
        times: Ints,
        truth_size: Ints,
        guess_size: Ints,
        agree: NDArray[np.bool_],
        alignment: Alignment | None,
        features: Features | None,
    ) -> HardMeet:
        """Agreeing clusters merged into one row per size; those in conflict keep their order."""
        size, count = _histogram(both[agree], times[agree])
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
            f"{int(self.times[self.agree].sum()):,} of them agreeing)"
        )

    @cached_property
    def rows(self) -> int:
        """How many cells of the table are not empty, repeated ones counted."""
        return int(self.times.sum())

    @property
    def is_hard(self) -> bool:
        """Whether each object is in exactly one cluster of each side that knows it: yes."""
        return True

    @cached_property
    def agree(self) -> NDArray[np.bool_]:
        """Which rows are clusters that truth and guess have alike."""
        return np.asarray((self.both == self.truth_size) & (self.both == self.guess_size))

    @cached_property
    def shapes(self) -> Shapes:
        """The rows without their names: distinct sizes, with how often each occurs."""
        agree, rest = self.agree, ~self.agree
        distinct = _distinct(self.both[rest], self.truth_size[rest], self.guess_size[rest])
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
    def digest(self) -> str:
        """A fingerprint of the comparison, whatever the order and the names."""
        return digest(self.colours, self.times)

    @cached_property
    def colours(self) -> NDArray[np.uint64]:
        """A number for each row that tells it from others by its place, not by names."""
        start = self.both.astype(np.uint64)
        if self.features is not None:
            known = np.column_stack([self.features.mean, self.features.error])
            start += fingerprint(known)
        return colours(mix(start), self._step, self.both.size)

    @property
    def _step(self) -> Callable[[NDArray[np.uint64]], NDArray[np.uint64]]:
        """A round of colours, compiled where rows are many."""
        if self.both.size < MANY:
            return step(partial(of_cluster, self.truth), partial(of_cluster, self.guess))
        from clusterdiff.meet.kernels import coloured

        return partial(coloured, self.truth, self.guess)

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

    def swap(self) -> HardMeet:
        """The same meet with truth and guess exchanged."""
        return HardMeet(
            both=self.both,
            truth_size=self.guess_size,
            guess_size=self.truth_size,
            times=self.times,
            truth=self.guess,
            guess=self.truth,
            alignment=self.alignment.swap(),
            features=self.features,
        )

    def __add__(self, other: HardMeet) -> HardMeet:
        """The meet of the disjoint union: other objects, other clusters."""
        return hard_union([self, other]) if isinstance(other, HardMeet) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HardMeet) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def hard_union(meets: list[HardMeet]) -> HardMeet:
    """The meet of the disjoint union of many comparisons."""
    truth, guess, truths, guesses = [], [], 0, 0
    for m in meets:
        truth.append(np.where(m.truth >= 0, m.truth + truths, -1))
        guess.append(np.where(m.guess >= 0, m.guess + guesses, -1))
        truths += int(m.truth.max(initial=-1)) + 1
        guesses += int(m.guess.max(initial=-1)) + 1
    alignment = meets[0].alignment
    for m in meets[1:]:
        alignment += m.alignment
    features = None
    if all(m.features is not None for m in meets):
        features = Features(
            np.concatenate([m.features.mean for m in meets if m.features]),
            np.concatenate([m.features.error for m in meets if m.features]),
        )
    return HardMeet.from_rows(
        np.concatenate(truth),
        np.concatenate(guess),
        np.concatenate([m.both for m in meets]),
        np.concatenate([m.times for m in meets]),
        alignment=alignment,
        features=features,
    )


def _lifted(cluster: Ints, both: Ints) -> Side:
    """Clusters of rows as sets of one cluster; -1 stays."""
    known = np.flatnonzero(cluster >= 0)
    codes, many = number(cluster[known])
    row = np.full(cluster.size, -1)
    row[known] = codes
    return Side(row, singles(np.arange(many)), both)


def _numbered(cluster: Ints) -> Ints:
    """Numbers small enough to index a table; -1 stays."""
    if not cluster.size or int(cluster.max()) <= max(4096, 5 * cluster.size):
        return cluster
    return dense(cluster)


def size_per_row(cluster: Ints, both: Ints) -> Ints:
    """The size of the cluster of each row, 0 where the cluster is missing."""
    sizes = np.bincount(cluster + 1, both).astype(np.int64)
    if sizes.size:
        sizes[0] = 0
    return np.asarray(sizes[cluster + 1])


def _histogram(size: Ints, times: Ints) -> tuple[Ints, Ints]:
    """Distinct sizes and how many clusters have each."""
    sizes, inverse = np.unique(size, return_inverse=True)
    counts = np.bincount(inverse.ravel(), times, sizes.size).astype(np.int64)
    return sizes, counts


def _distinct(both: Ints, truth_size: Ints, guess_size: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Distinct rows of three columns, sorted, and how often each occurs."""
    radix = int(truth_size.max(initial=0)) + 1
    if int(both.max(initial=0)) * radix < 2**62:
        groups = group_pairs(both * radix + truth_size, guess_size)
        order = np.lexsort((groups.second, groups.first))
        both, truth_size = np.divmod(groups.first[order], radix)
        return both, truth_size, groups.second[order], groups.count[order]
    table, counts = np.unique(np.stack([both, truth_size, guess_size]), axis=1, return_counts=True)
    return table[0], table[1], table[2], counts


def _behind(cluster: Ints, first: int) -> Ints:
    """The same numbers from `first` on; -1 stays."""
    if cluster.min(initial=0) >= 0:
        return cluster + first
    return np.where(cluster >= 0, cluster + first, -1)


def _kept(features: Features, agreeing: int, rest: NDArray[np.bool_]) -> Features:
    """Features of the rows in conflict; clusters that agree do not need theirs."""
    return Features(
        np.concatenate([np.zeros((agreeing, features.mean.shape[1])), features.mean[rest]]),
        np.concatenate([np.zeros(agreeing), features.error[rest]]),
    )
