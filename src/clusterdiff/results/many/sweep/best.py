"""The best line of a sweep: its thresholds, how flat the curve is there, and what it is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.errors import ClusterdiffError
from clusterdiff.many.sweep.best import BestLine, best_line
from clusterdiff.results.many.sweep.text import shown_thresholds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.array_types import Floats
    from clusterdiff.measures import Measure
    from clusterdiff.statistics.difference import Difference
    from clusterdiff.statistics.sure import Sure, SureEnds


class HeldOut(NamedTuple):
    """Scores of true clusters that had no say in the choice of the threshold.

    Where a fold is scored, the clusters of the others do not count: merges with them are not seen,
    and all scores are higher than on all clusters. What choosing adds is `optimism`.
    """

    value: float
    """The mean over folds."""
    each: tuple[float, ...]
    """The score of each fold at the line that the others chose."""
    lines: tuple[int, ...]
    """The line that was chosen without each fold."""
    in_sample: float = math.nan
    """The mean score of the same folds at the best line of all."""

    @classmethod
    def of(cls, each: Iterable[float], lines: Iterable[int]) -> HeldOut:
        """The scores of folds at these lines."""
        scores = tuple(map(float, each))
        return cls(math.fsum(scores) / len(scores), scores, tuple(map(int, lines)))

    @property
    def optimism(self) -> float:
        """How much the same clusters score more at the line that they helped to choose."""
        return self.in_sample - self.value

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "value": self.value,
            "in_sample": self.in_sample,
            "each": list(self.each),
            "lines": list(self.lines),
        }


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

    Thresholds t with low < t <= high give this clustering (of distances low <= t < high); `flat`
    are those around it that lose at most `slack`.
    """

    measure: str
    value: float
    low: float
    high: float
    flat: tuple[float, float]
    clusters: int
    largest: int
    line: int
    run: tuple[int, int] = field(repr=False)
    """The first and the last line of the flat run."""
    scored: int = field(repr=False)
    """How many lines were scored."""
    name: str = ""
    """What the line is called, of levels."""
    sure: Sure | SureEnds | None = None
    """The confidence interval of the value, where one was asked for."""
    held_out: HeldOut | None = None
    """Scores of folds that had no say in the choice, where these were asked for."""
    differences: tuple[LineDifference, ...] = field(default=(), repr=False)
    """How far neighbours and the ends of the flat run fall short, where intervals are asked for."""
    distance: bool = field(default=False, repr=False)
    """Whether thresholds are distances."""
    signature: str = field(default="", repr=False)
    """What was computed, on what, how: that of the score, and what was swept."""

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
        return told | {"signature": self.signature}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _difference(found: Difference) -> dict[str, Any]:
    ends = {"value": found.value, "low": found.low, "high": found.high, "p": found.p}
    return {key: _finite(value) for key, value in ends.items()}


def best_of(values: Floats, measure: Measure, slack: float = 0.0) -> BestLine:
    """The best line and the flat run around it, among the lines that are scored."""
    known = np.flatnonzero(~np.isnan(values))
    if not known.size:
        raise ClusterdiffError(
            f"{measure} could not be computed on any line.", "choose another measure."
        )
    found = best_line(values[known], distance=measure.is_distance, slack=slack)
    line, first, last = (int(known[at]) for at in (found.line, found.first, found.last))
    return found._replace(line=line, first=first, last=last)
