"""Shapes: distinct (objects in both, size of the truth cluster, size of the guess cluster).

Most measures are sums over shapes. Three million records may have a few hundred of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.meet.alignment import Alignment
from clusterdiff.meet.base import Rows, Sizes


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
        in_size = np.bincount(size[known], weight[known]).astype(np.int64)
        sizes = np.flatnonzero(in_size)
        return Sizes(sizes, in_size[sizes] // sizes)
    sizes, inverse = np.unique(size[known], return_inverse=True)
    objects = np.bincount(inverse, weight[known]).astype(np.int64)
    return Sizes(sizes, objects // sizes)
