"""A median problem: profiles of objects, runs with weights, and a distance."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import by_appearance, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Bools, Floats, Ints


class Problem:
    """Find the partition with the least weighted sum of distances to the runs.

    Objects with the same cluster in every run are together in every median, so that profiles stand
    for them.
    """

    def __init__(
        self,
        labels: NDArray[Any],
        count: Ints,
        weights: Floats,
        *,
        vi: bool = False,
        votes: Floats | None = None,
        seen: Bools | None = None,
    ) -> None:
        self.count = count
        """Objects of each profile."""
        self.weights = weights
        """Of each run, and of the runs that `abstaining` adds."""
        self.votes = weights if votes is None else votes
        """Of each run that was given; these runs come first."""
        self.seen = seen
        """Which profiles each given run has; None where every run has all of them."""
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
        return not self.vi and bool((self.votes == np.round(self.votes)).all())

    def run(self, i: int) -> Ints:
        """The cluster of each profile in a run, from 0 on."""
        return np.asarray(self.cells[:, i] - self.first[i])

    def seen_by(self, i: int) -> Ints:
        """The profiles that a given run has."""
        return np.arange(self.profiles) if self.seen is None else np.flatnonzero(self.seen[:, i])

    def clusters_of_runs(self) -> list[int]:
        """The number of clusters of each given run."""
        if self.seen is None:
            return list(map(int, np.diff(self.first)))
        return [np.unique(self.run(i)[self.seen_by(i)]).size for i in range(self.votes.size)]

    @cached_property
    def distances_of_partial_runs(self) -> tuple[Floats, Floats]:
        """Mirkin's distances between given runs that lack objects, in two forms: on the objects
        that both have, and (row to column) on all objects of the second, where those that the
        first lacks are singletons.
        """
        runs = self.votes.size
        shared, completed = np.zeros((runs, runs)), np.zeros((runs, runs))
        assert self.seen is not None
        objects = self.count @ self.seen
        squares = [
            float((np.bincount(self.run(i)[own], weights=self.count[own]) ** 2).sum())
            for i, own in enumerate(map(self.seen_by, range(runs)))
        ]
        for i in range(runs):
            for j in range(i):
                own = np.flatnonzero(self.seen[:, i] & self.seen[:, j])
                left, right, both = shared_objects(
                    self.run(i)[own], self.run(j)[own], self.count[own]
                )
                sides = [np.bincount(side, weights=both) for side in (left, right)]
                first, second = (float((side**2).sum()) for side in sides)
                agreed, many = 2.0 * float((both**2).sum()), int(both.sum())
                shared[i, j] = shared[j, i] = first + second - agreed
                completed[i, j] = squares[j] - objects[j] + first + many - agreed
                completed[j, i] = squares[i] - objects[i] + second + many - agreed
        return shared, completed

    def part(self, some: Ints) -> Problem:
        """The same of some profiles alone."""
        given = (self.cells[some], self.count[some], self.weights)
        seen = None if self.seen is None else self.seen[some]
        return Problem(*given, vi=self.vi, votes=self.votes, seen=seen)


def abstaining(labels: Ints, count: Ints, weights: Floats) -> Problem:
    """The problem in which a pair of objects counts only in the runs that have both; -1 is missing.

    A pair leans by 2 Σ w [together] - Σ w [both present]. The searches know leanings of the form
    2 Σ w [together] - Σ w, so that each run keeps its weight w, with every missing profile alone;
    each partial run adds a run of weight -w/2 that has its profiles in one cluster; and a run with
    all profiles in one cluster has half the weight of all partial runs.
    """
    seen = labels >= 0
    partial = ~seen.all(axis=0)
    if not partial.any():
        return Problem(labels, count, weights)
    alone = np.arange(1, len(count) + 1)[:, None]
    given = np.where(seen, labels, labels.max(axis=0) + alone)
    present = np.where(seen[:, partial], 0, alone)
    half = weights[partial] / 2
    return Problem(
        np.hstack([given, present, np.zeros_like(alone)]),
        count,
        np.concatenate([weights, -half, [half.sum()]]),
        votes=weights,
        seen=seen,
    )


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
