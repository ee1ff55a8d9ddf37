"""Shapes: distinct (objects in both, size of the truth cluster, size of the guess cluster).

Most measures are sums over shapes. Three million records may have a few hundred of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from clusterdiff.meet.align import Alignment
from clusterdiff.meet.exact import count_pairs, exact_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Over = Literal["all", "truth", "guess"]


class Sizes(NamedTuple):
    """Sizes of clusters and how many clusters have each."""

    size: Ints
    count: Ints  # type: ignore[assignment]

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.count.sum())

    @property
    def pairs(self) -> int:
        """How many pairs of objects share a cluster."""
        return count_pairs(self.size, self.count)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted:
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
    def objects(self) -> int:
        """How many objects there are, on either side."""
        return int(self.weight.sum())

    @cached_property
    def truth_objects(self) -> int:
        """How many objects truth knows."""
        return int(self.weight[self.truth_size > 0].sum())

    @cached_property
    def guess_objects(self) -> int:
        """How many objects guess knows."""
        return int(self.weight[self.guess_size > 0].sum())

    @cached_property
    def found(self) -> Ints:
        """The objects of a row that are on both sides: all of them, or none."""
        return np.where((self.truth_size > 0) & (self.guess_size > 0), self.both, 0)

    @cached_property
    def truth_sizes(self) -> Sizes:
        """How many truth clusters have which size."""
        return _sizes(self.truth_size, self.weight)

    @cached_property
    def guess_sizes(self) -> Sizes:
        """How many guess clusters have which size."""
        return _sizes(self.guess_size, self.weight)

    def mean(self, values: Floats, over: Over = "all") -> float:
        """Mean over the objects (all, those of truth, those of guess) of a value per row."""
        total = {"all": self.objects, "truth": self.truth_objects, "guess": self.guess_objects}
        if not total[over]:
            return 0.0
        if over != "all" and total[over] != self.objects:
            known = (self.truth_size if over == "truth" else self.guess_size) > 0
            values = np.where(known, values, 0.0)
        return exact_sum(values * self.weight) / total[over]


class Shapes(Counted):
    """Rows without names: one for each distinct (both, truth size, guess size)."""

    def swap(self) -> Shapes:
        """The same shapes with truth and guess exchanged."""
        return Shapes(
            both=self.both,
            truth_size=self.guess_size,
            guess_size=self.truth_size,
            times=self.times,
            alignment=self.alignment.swap(),
        )


def _sizes(size: Ints, weight: Ints) -> Sizes:
    known = size > 0
    if not known.any():
        return Sizes(np.zeros(0, np.int64), np.zeros(0, np.int64))
    sizes, inverse = np.unique(size[known], return_inverse=True)
    objects = np.bincount(inverse, weight[known]).astype(np.int64)
    return Sizes(sizes, objects // sizes)
