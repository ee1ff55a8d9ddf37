"""A median problem: profiles of objects, runs with weights, and a distance."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import by_appearance, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Floats, Ints


class Problem:
    """Find the partition with the least weighted sum of distances to the runs.

    Objects with the same cluster in every run are together in every median, so that profiles stand
    for them.
    """

    def __init__(
        self, labels: NDArray[Any], count: Ints, weights: Floats, *, vi: bool = False
    ) -> None:
        self.count = count
        """Objects of each profile."""
        self.weights = weights
        """Of each run."""
        self.vi = vi
        """Whether the distance is variation of information, not Mirkin's."""
        profiles, runs = labels.shape
        self.cells: NDArray[np.int32] = np.empty((profiles, runs), np.int32)
        """The cluster of each profile in each run; clusters of all runs are numbered through."""
        self.first = np.zeros(runs + 1, np.int64)
        """The first cluster of each run, and how many there are in all."""
        for i in range(runs):
            codes, example = by_appearance(np.ascontiguousarray(labels[:, i], dtype=np.int64))
            self.cells[:, i] = codes + self.first[i]
            self.first[i + 1] = self.first[i] + example.size

    @property
    def profiles(self) -> int:
        """How many different rows of labels there are."""
        return len(self.count)

    @property
    def runs(self) -> int:
        """How many clusterings there are."""
        return len(self.weights)

    @cached_property
    def whole(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @cached_property
    def weight_of_cell(self) -> Floats:
        """For each cluster the weight of its run."""
        return np.repeat(self.weights, np.diff(self.first))

    @cached_property
    def size_of_cell(self) -> Ints:
        """The objects of each cluster."""
        sizes = np.zeros(self.first[-1], np.int64)
        for i in range(self.runs):
            own = np.bincount(self.run(i), weights=self.count)
            sizes[self.first[i] : self.first[i + 1]] = own.astype(np.int64)
        return sizes

    @cached_property
    def integral(self) -> bool:
        """Whether every cost is an even whole number: Mirkin's with whole weights."""
        return not self.vi and bool((self.weights == np.round(self.weights)).all())

    def run(self, i: int) -> Ints:
        """The cluster of each profile in a run, from 0 on."""
        return np.asarray(self.cells[:, i] - self.first[i])

    def starts(self) -> Ints:
        """Every run, each profile alone, and all of them together."""
        alone, one = np.arange(self.profiles), np.zeros(self.profiles, np.int64)
        return np.stack([*(self.run(i) for i in range(self.runs)), alone, one])

    def part(self, some: Ints) -> Problem:
        """The same of some profiles alone."""
        return Problem(self.cells[some], self.count[some], self.weights, vi=self.vi)


def shared_objects(first: Ints, second: Ints, count: Ints) -> tuple[Ints, Ints, Ints]:
    """Which clusters of two partitions of profiles share objects: of each pair of clusters that
    does, the first, the second, and how many objects.
    """
    width = int(second.max(initial=-1)) + 1
    codes, many = number(first * width + second)
    both = np.bincount(codes, weights=count, minlength=many).astype(np.int64)
    where = np.zeros(many, np.int64)
    where[codes] = np.arange(codes.size)
    return first[where], second[where], both
