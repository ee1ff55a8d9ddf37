"""The best line of a sweep: its thresholds, how flat the curve is there, and what it is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.errors import ClusterdiffError
from clusterdiff.results.many.sweep_text import shown_thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.results.many.sweep_lines import SweepLines
    from clusterdiff.statistics.difference import Difference
    from clusterdiff.statistics.sure import Sure, SureEnds

EQUAL = 1e-12
"""Scores that are as close as this are equal."""


class HeldOut(NamedTuple):
    """Scores of true clusters that had no say in the choice of the threshold."""

    value: float
    """The mean over folds."""
    each: tuple[float, ...]
    """The score of each fold at the line that the others chose."""
    lines: tuple[int, ...]
    """The line that was chosen without each fold."""

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"value": self.value, "each": list(self.each), "lines": list(self.lines)}


class LineDifference(NamedTuple):
    """The best line less another one."""

    what: str
    """Which one: the line above or below, or an end of the flat run."""
    line: int
    thresholds: tuple[float, float]
    difference: Difference


@dataclass(frozen=True)
class Best:
    """The best line for a measure.

    Thresholds t with low < t <= high give this clustering (of distances low <= t < high); `flat` are
    those around it that lose at most `slack`.
    """

    measure: str
    value: float
    low: float
    high: float
    flat: tuple[float, float]
    clusters: int
    largest: int
    line: int
    run: tuple[int, int]
    """The first and the last line of the flat run."""
    scored: int
    """How many lines were scored."""
    name: str = ""
    """What the line is called, of levels."""
    sure: Sure | SureEnds | None = None
    """The confidence interval of the value, where one was asked for."""
    held_out: HeldOut | None = None
    """Scores of folds that had no say in the choice, where these were asked for."""
    differences: tuple[LineDifference, ...] = field(default=(), repr=False)
    """How far neighbours and the ends of the flat run fall short, where intervals are asked for."""
    distance: bool = False
    """Whether thresholds are distances."""

    @property
    def threshold(self) -> float:
        """A threshold that gives this clustering: the end of the interval that belongs to it."""
        return self.low if self.distance else self.high

    def __str__(self) -> str:
        where = self.name or shown_thresholds(self.low, self.high, self.distance)
        return f"{self.measure} {self.value:.4f} at {where}"

    def to_dict(self) -> dict[str, Any]:
        """For programs; an end that is infinite is None."""
        told: dict[str, Any] = {"value": self.value}
        if self.name:
            told["name"] = self.name
        told |= {
            "low": _finite(self.low), "high": _finite(self.high),
            "flat_low": _finite(self.flat[0]), "flat_high": _finite(self.flat[1]),
            "clusters": self.clusters, "largest": self.largest, "line": self.line,
            "flat_lines": list(self.run), "scored_lines": self.scored,
        }  # fmt: skip
        if self.sure is not None:
            told["sure"] = self.sure.to_dict()
        if self.held_out is not None:
            told["held_out"] = self.held_out.to_dict()
        if self.differences:
            told["differences"] = [
                {"what": one.what, "line": one.line} | _difference(one.difference)
                for one in self.differences
            ]
        return told


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _difference(found: Difference) -> dict[str, Any]:
    ends = {"value": found.value, "low": found.low, "high": found.high, "p": found.p}
    return {key: _finite(value) for key, value in ends.items()}


def best_line(values: Floats, measure: Measure) -> int:
    """The line with the best score; of equal ones the first, which links fewest pairs."""
    better = -values if measure.is_distance else values
    if np.isnan(better).all():
        raise ClusterdiffError(
            f"{measure} could not be computed on any line.", "choose another measure."
        )
    return int(np.flatnonzero(better >= np.nanmax(better) - EQUAL)[0])


def flat_run(values: Floats, line: int, slack: float, measure: Measure) -> tuple[int, int]:
    """The first and the last line of the run around a line that lose at most `slack`."""
    known = np.flatnonzero(~np.isnan(values))
    better = (-values if measure.is_distance else values)[known]
    here = int(np.searchsorted(known, line))
    lost = np.flatnonzero(better < better[here] - slack - EQUAL)
    before, after = lost[lost < here], lost[lost > here]
    first = int(before[-1]) + 1 if before.size else 0
    last = int(after[0]) - 1 if after.size else known.size - 1
    return int(known[first]), int(known[last])


def folds_of(truth: Ints, order: Ints, folds: int, seed: int) -> Ints:
    """The fold of each object, by true clusters; the order of rows and the names of clusters do
    not matter. -1 for objects that do not count. `order` is that of the objects by their ids.
    """
    rank = np.empty(truth.size, np.int64)
    rank[order] = np.arange(truth.size)
    counted = truth >= 0
    clusters = int(truth.max(initial=-1)) + 1
    smallest = np.full(clusters, truth.size)
    np.minimum.at(smallest, truth[counted], rank[counted])
    used = np.flatnonzero(smallest < truth.size)
    if folds > used.size:
        raise ClusterdiffError(
            f"{folds:,} folds need as many true clusters, and there are {used.size:,}.",
            f"use folds={max(2, min(5, used.size))}.",
            f"use --folds {max(2, min(5, used.size))}.",
        )
    place = np.empty(used.size, np.int64)
    place[np.argsort(smallest[used])] = np.arange(used.size)
    shuffled = np.random.default_rng(seed).permutation(used.size)
    fold = np.full(clusters, -1)
    fold[used] = shuffled[place] % folds
    return np.where(counted, fold[truth], -1)


def held_out(
    lines: SweepLines, measures: Mapping[str, Measure], fold: Ints, most: int
) -> dict[str, HeldOut]:
    """For each measure the scores of folds at lines that the other folds chose."""
    each: dict[str, list[float]] = {text: [] for text in measures}
    chosen: dict[str, list[int]] = {text: [] for text in measures}
    for one in range(int(fold.max()) + 1):
        values = lines.values(measures, most, fold != one)
        for text, m in measures.items():
            line = best_line(values[text], m)
            chosen[text].append(line)
            each[text].append(float(m.of(lines.meet(line, fold == one))))
    return {
        text: HeldOut(math.fsum(each[text]) / len(each[text]), tuple(each[text]), tuple(at))
        for text, at in chosen.items()
    }
