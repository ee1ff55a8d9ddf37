"""The clusterings of a sweep, a line each: how many clusters they have, and what they score."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.backends.memory.hard import meet_keys
from clusterdiff.clusterings import Partition, column
from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff.inputs.scored.aligned import Aligned, canonical_order
from clusterdiff.many.sweep.chosen import score_lines, spread_lines
from clusterdiff.many.sweep.curve import curve_of
from clusterdiff.many.sweep.folds import held_out_scores
from clusterdiff.progress import progress
from clusterdiff.results.many.sweep.best import HeldOut, best_of

if TYPE_CHECKING:
    from clusterdiff.clusterings import Column
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
    ids: Column | None = None
    """The id of each object; None where objects are positions."""

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
    def values(self, measures: Mapping[str, Measure], most: int) -> dict[str, Floats]:
        """What each line scores; NaN on lines that are not scored."""

    @abstractmethod
    def held_out(
        self, measures: Mapping[str, Measure], fold: Ints, most: int
    ) -> dict[str, HeldOut]:
        """For each measure the scores of folds at lines that the other folds chose."""

    def meet(self, line: int, counted: Bools | None = None) -> HardMeet:
        """Truth and a line on the objects that count, or on those of them that are `counted`."""
        some = self.truth >= 0 if counted is None else (self.truth >= 0) & counted
        return meet_keys(self.truth[some], self.cluster_of(line)[some])


class ForestLines(SweepLines):
    """Every threshold of scored pairs, or every height of a dendrogram."""

    def __init__(self, forest: Forest, aligned: Aligned, measures: Mapping[str, Measure]) -> None:
        self.forest, self.ids = forest, aligned.ids
        self.truth, self.distance = aligned.truth, forest.distance
        self.thresholds = forest.thresholds
        self._known = curve_of(forest, self.truth, list(measures.values()))
        self.clusters, self.largest = self._known.clusters, self._known.largest
        self.rows, self.links = self._known.rows, self._known.links

    def cluster_of(self, line: int) -> Ints:
        """The number of the cluster of each object."""
        return self.forest.cut(line)

    def partition(self, line: int) -> Partition:
        """Each cluster is called like the smallest of its objects."""
        cluster = self.forest.cut(line)
        order = np.arange(cluster.size) if self.ids is None else canonical_order(self.ids)
        first = np.empty(int(cluster.max(initial=-1)) + 1, np.int64)
        first[cluster[order[::-1]]] = order[::-1]
        place = first[cluster]
        if self.ids is None:
            return Partition(column(np.arange(place.size)).as_made(place))
        return Partition(self.ids.as_made(place), self.ids)

    def line_at(self, threshold: Any) -> int:
        """The line whose thresholds include this one."""
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
            raise ClusterdiffError(
                f"{threshold!r} is not a threshold.", "give a number, or the name of a measure."
            )
        if math.isnan(threshold):
            raise ClusterdiffError("nan is not a threshold.", "give a number.")
        return self.forest.line_at(float(threshold))

    def interval(self, first: int, last: int) -> tuple[float, float]:
        """From the threshold of the line after the run to that of its first."""
        return self.forest.interval(first, last)

    def values(self, measures: Mapping[str, Measure], most: int) -> dict[str, Floats]:
        """Scores of every line; where a measure does not follow from line to line, of `most`."""
        found, wanted = self._known, list(measures.values())
        if any(m not in found.unknown and str(m) not in found.values for m in wanted):
            found = curve_of(self.forest, self.truth, wanted)
        rest = [m for m in wanted if str(m) not in found.values]
        lines = spread_lines(self.forest, most) if rest else np.zeros(0, np.int64)
        slow = score_lines(self.forest, self.truth, rest, lines) if rest else {}
        made = {}
        for text in measures:
            if text in slow:
                made[text] = np.full(self.size, math.nan)
                made[text][lines] = slow[text]
            else:
                made[text] = np.array(found.values[text])
        return made

    def held_out(
        self, measures: Mapping[str, Measure], fold: Ints, most: int
    ) -> dict[str, HeldOut]:
        """Scores of folds at lines that the others chose."""
        found = held_out_scores(self.forest, self.truth, list(measures.values()), fold, most)
        return {text: HeldOut.of(one.held_out, one.lines) for text, one in found.items()}


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
        """The number of the cluster of each object."""
        return self._runs[line]

    def partition(self, line: int) -> Partition:
        """The clustering as it was given."""
        return self._given[line]

    def line_at(self, threshold: Any) -> int:
        """The level of this name, or of this number."""
        assert self.names is not None
        if threshold in self.names:
            return self.names.index(threshold)
        if _is_number(threshold) and (self.thresholds == threshold).sum() == 1:
            return int(np.argmax(self.thresholds == threshold))
        near = did_you_mean(str(threshold), list(self.names))
        raise ClusterdiffError(
            f"no level is called {threshold!r}.", f"{near}There are {', '.join(self.names[:8])}."
        )

    def interval(self, first: int, last: int) -> tuple[float, float]:
        """The least and the largest number of the levels at both ends."""
        ends = self.thresholds[[first, last]]
        return float(ends.min()), float(ends.max())

    def values(self, measures: Mapping[str, Measure], most: int) -> dict[str, Floats]:
        """Scores of every level."""
        return self._scored(measures)

    def _scored(
        self, measures: Mapping[str, Measure], counted: Bools | None = None
    ) -> dict[str, Floats]:
        found = {text: np.full(self.size, math.nan) for text in measures}
        with progress("scoring levels", self.size) as advance:
            for line in range(self.size):
                meet = self.meet(line, counted)
                for text, m in measures.items():
                    found[text][line] = float(m.of(meet))
                advance(1)
        return found

    def held_out(
        self, measures: Mapping[str, Measure], fold: Ints, most: int
    ) -> dict[str, HeldOut]:
        """Scores of folds at levels that the others chose."""
        every = range(int(fold.max()) + 1)
        chosen: dict[str, list[int]] = {text: [] for text in measures}
        each: dict[str, list[float]] = {text: [] for text in measures}
        for one in every:
            others, own = self._scored(measures, fold != one), self._scored(measures, fold == one)
            for text, m in measures.items():
                chosen[text].append(best_of(others[text], m).line)
                each[text].append(float(own[text][chosen[text][-1]]))
        return {text: HeldOut.of(each[text], chosen[text]) for text in measures}


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
