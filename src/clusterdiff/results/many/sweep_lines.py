"""The clusterings of a sweep, a line each: how many clusters they have, and what they score."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.backends.memory.hard import meet_keys
from clusterdiff.clusterings import Partition, column
from clusterdiff.errors import ClusterdiffError, MemoryNeeded, did_you_mean
from clusterdiff.inputs.scored.aligned import Aligned, canonical_order
from clusterdiff.many.sweep.curve import curve_of
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from clusterdiff.many.sweep.forest import Forest
    from clusterdiff.measures import Measure
    from clusterdiff.meet import HardMeet


class SweepLines(ABC):
    """Clusterings of the same objects, in an order."""

    truth: Ints
    """The number of the true cluster of each object; -1 where it does not count."""
    thresholds: Floats
    clusters: Ints
    largest: Ints
    rows: Ints
    links: Ints | None = None
    """Pairs that each line uses; None of levels."""
    names: Sequence[str] | None = None
    """What the lines are called, of levels."""
    distance: bool = False

    @property
    def size(self) -> int:
        """How many lines there are."""
        return self.thresholds.size

    @abstractmethod
    def cluster_of(self, line: int) -> Ints:
        """The number of the cluster of each object on a line."""

    @abstractmethod
    def partition(self, line: int) -> Partition:
        """The clustering of a line, with ids."""

    @abstractmethod
    def line_at(self, threshold: Any) -> int:
        """The line that is the clustering at a threshold."""

    @abstractmethod
    def interval(self, first: int, last: int) -> tuple[float, float]:
        """The thresholds of a run of lines."""

    @abstractmethod
    def values(
        self, measures: Mapping[str, Measure], most: int, counted: Bools | None = None
    ) -> dict[str, Floats]:
        """What each line scores; NaN on lines that are not scored. Only objects that are
        `counted` count, if these are given.
        """

    def meet(self, line: int, counted: Bools | None = None) -> HardMeet:
        """Truth and a line on the objects that count."""
        some = self.truth >= 0 if counted is None else (self.truth >= 0) & counted
        return meet_keys(self.truth[some], self.cluster_of(line)[some])

    def scored_at(
        self, lines: Iterable[int], measures: Sequence[Measure], counted: Bools | None = None
    ) -> dict[str, Floats]:
        """What some lines score, by the meet of each; NaN on the others."""
        chosen = list(lines)
        found = {str(m): np.full(self.size, math.nan) for m in measures}
        if not measures:
            return found
        with progress("scoring lines", len(chosen)) as advance:
            for line in chosen:
                meet = self.meet(line, counted)
                for m in measures:
                    found[str(m)][line] = _score(m, meet)
                advance(1)
        return found


def _score(measure: Measure, meet: HardMeet) -> float:
    try:
        return float(measure.of(meet))
    except MemoryNeeded:
        return math.nan


class ForestLines(SweepLines):
    """Every threshold of scored pairs, or every height of a dendrogram."""

    def __init__(self, forest: Forest, aligned: Aligned) -> None:
        self.forest, self._ids = forest, aligned.ids
        self.truth, self.distance = aligned.truth, forest.distance
        self.thresholds = forest.thresholds
        found = curve_of(forest, self.truth, [], self.truth >= 0)
        self.clusters, self.largest = found.clusters, found.largest
        self.rows, self.links = found.rows, found.links

    def cluster_of(self, line: int) -> Ints:
        return self.forest.cut(line)

    def partition(self, line: int) -> Partition:
        """Each cluster is called like the smallest of its objects."""
        cluster = self.forest.cut(line)
        order = np.arange(cluster.size) if self._ids is None else canonical_order(self._ids)
        first = np.empty(int(cluster.max(initial=-1)) + 1, np.int64)
        first[cluster[order[::-1]]] = order[::-1]
        place = first[cluster]
        if self._ids is None:
            return Partition(column(place))
        return Partition(self._ids.take(place), self._ids)

    def line_at(self, threshold: Any) -> int:
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
            raise ClusterdiffError(
                f"{threshold!r} is not a threshold.", "give a number, or the name of a measure."
            )
        if math.isnan(threshold):
            raise ClusterdiffError("nan is not a threshold.", "give a number.")
        return self.forest.line_at(float(threshold))

    def interval(self, first: int, last: int) -> tuple[float, float]:
        return self.forest.interval(first, last)

    def values(
        self, measures: Mapping[str, Measure], most: int, counted: Bools | None = None
    ) -> dict[str, Floats]:
        some = self.truth >= 0 if counted is None else (self.truth >= 0) & counted
        found = curve_of(self.forest, self.truth, list(measures.values()), some)
        rest = [m for text, m in measures.items() if text not in found.values]
        slow = self.scored_at(self.chosen(most) if rest else [], rest, counted)
        return {text: found.values.get(text, slow.get(text, np.zeros(0))) for text in measures}

    def chosen(self, most: int) -> list[int]:
        """So many lines, spread evenly over the merges; the first and the last among them."""
        if self.size <= most:
            return list(range(self.size))
        merges = np.asarray(self.forest.ends)
        wanted = np.linspace(0, int(merges[-1]), most)
        lines = np.clip(np.searchsorted(merges, wanted), 0, self.size - 1)
        return sorted({0, self.size - 1, *lines.tolist()})


class LevelLines(SweepLines):
    """Clusterings that were made one by one, in the order in which they are given."""

    def __init__(self, truth: Ints, runs: Mapping[str, Ints], given: Mapping[str, Partition]):
        self.truth, self.names = truth, list(runs)
        self._runs, self._given = list(runs.values()), list(given.values())
        self.thresholds = levels_of(self.names)
        meets = [self.meet(line) for line in range(len(self._runs))]
        self.clusters = np.array([m.clusters[1] for m in meets])
        self.largest = np.array([int(m.guess_sizes.size.max()) for m in meets])
        self.rows = np.array([m.rows for m in meets])

    def cluster_of(self, line: int) -> Ints:
        return self._runs[line]

    def partition(self, line: int) -> Partition:
        return self._given[line]

    def line_at(self, threshold: Any) -> int:
        assert self.names is not None
        if threshold in self.names:
            return self.names.index(threshold)
        same = np.flatnonzero(self.thresholds == threshold) if _is_number(threshold) else []
        if len(same) == 1:
            return int(same[0])
        near = did_you_mean(str(threshold), list(self.names))
        raise ClusterdiffError(
            f"no level is called {threshold!r}.", f"{near}There are {', '.join(self.names[:8])}."
        )

    def interval(self, first: int, last: int) -> tuple[float, float]:
        ends = self.thresholds[[first, last]]
        return float(ends.min()), float(ends.max())

    def values(
        self, measures: Mapping[str, Measure], most: int, counted: Bools | None = None
    ) -> dict[str, Floats]:
        return self.scored_at(range(self.size), list(measures.values()), counted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number)


def levels_of(names: Sequence[str]) -> Floats:
    """The numbers at the end of names, if each has one and no two the same; else their places.

    >>> levels_of(["leiden_0.5", "leiden_1"]).tolist(), levels_of(["coarse", "fine"]).tolist()
    ([0.5, 1.0], [0.0, 1.0])
    """
    found = [re.search(r"(\d+(?:\.\d+)?)$", name) for name in names]
    numbers = [float(one[1]) for one in found if one is not None]
    if len(set(numbers)) == len(names):
        return np.array(numbers)
    return np.arange(len(names)).astype(np.float64)
