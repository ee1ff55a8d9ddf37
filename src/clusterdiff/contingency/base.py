"""What all meets have in common: rows that stand for objects, and means over these objects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.grouping import number
from clusterdiff.contingency.alignment import Alignment
from clusterdiff.contingency.exact_sums import count_pairs, exact_sum

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


class Rows:
    """Rows of a comparison; each stands for `weight` objects with the same labels on both sides."""

    alignment: Alignment
    mass: Floats | None = None
    """What the objects of each row weigh in a mean over objects, if not all weigh the same."""
    on_device: ClassVar[bool] = False
    """Whether the rows lie on a device, and come into memory where they are asked for."""

    @property
    @abstractmethod
    def truth_sizes(self) -> Sizes:
        """How many truth clusters have which size."""

    @property
    @abstractmethod
    def guess_sizes(self) -> Sizes:
        """How many guess clusters have which size."""

    @property
    def clusters(self) -> tuple[int, int]:
        """How many clusters truth and guess have."""
        return self.truth_sizes.clusters, self.guess_sizes.clusters

    @property
    @abstractmethod
    def weight(self) -> Ints:
        """Objects per row."""

    @property
    @abstractmethod
    def in_truth(self) -> Bools:
        """Which rows are objects that truth knows."""

    @property
    @abstractmethod
    def in_guess(self) -> Bools:
        """Which rows are objects that guess knows."""

    @cached_property
    def objects(self) -> int:
        """How many objects there are, on either side."""
        return int(self.weight.sum())

    @cached_property
    def truth_objects(self) -> int:
        """How many objects truth knows."""
        return int(self.weight[self.in_truth].sum())

    @cached_property
    def guess_objects(self) -> int:
        """How many objects guess knows."""
        return int(self.weight[self.in_guess].sum())

    def mean(self, values: Floats, over: Over = "all") -> float:
        """Mean over the objects (all, those of truth, those of guess) of a value per row."""
        if over == "all":
            total = self.objects
        else:
            total = self.truth_objects if over == "truth" else self.guess_objects
            if total != self.objects:
                values = np.where(self.in_truth if over == "truth" else self.in_guess, values, 0.0)
        return exact_sum(values * self.weight) / total if total else 0.0

    @property
    def pooled(self) -> Self:
        """All samples together; without samples, these rows."""
        return self

    def with_alignment(self, alignment: Alignment) -> Self:
        """The same comparison with another alignment."""
        rows: Any = self
        made: Self = replace(rows, alignment=alignment)
        return made

    def with_singles(self, singles: Mapping[str, int]) -> Any:
        """The same with extra singletons on both sides: how many, by the name of the
        sample ("" where there are no samples).
        """
        from clusterdiff.contingency import union
        from clusterdiff.contingency.hard import alone_on_both

        return union([self, alone_on_both(sum(singles.values()), self.alignment)])

    def __add__(self, other: object) -> Any:
        """The meet of the disjoint union: other objects, other clusters."""
        from clusterdiff.contingency import union

        return union([self, other]) if isinstance(other, Rows) else NotImplemented


# The join of two clusterings: connected components of the bipartite graph of their clusters.


def connected(truth: Ints, guess: Ints) -> Ints:
    """The number of the connected component of each row, as an edge between two clusters."""
    shared = (truth >= 0) & (guess >= 0)
    truths, guesses = int(truth.max(initial=-1)) + 1, int(guess.max(initial=-1)) + 1
    labels = components(truth[shared], guess[shared] + truths, truths + guesses)
    return np.asarray(labels[np.where(truth >= 0, truth, guess + truths)])


def components(first: Ints, second: Ints, size: int) -> Ints:
    """The number of the connected component of each of so many vertices, from the ends of edges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(first.size, np.int8), (first, second)), shape=(size, size))
    return connected_components(edges, directed=False)[1].astype(np.int64)


def dense(cluster: Ints) -> Ints:
    """Numbers from 0 on, not more than there are clusters and one; -1 stays."""
    codes, _ = number(cluster)
    return np.where(cluster < 0, -1, codes) if cluster.min(initial=0) < 0 else codes


class Histogram(NamedTuple):
    """How many clusters have which size."""

    size: list[int]
    count: list[int]  # type: ignore[assignment]
