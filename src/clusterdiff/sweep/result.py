"""A sweep: scores of every line, the best of each measure, clusterings at any threshold."""

from __future__ import annotations

import csv
import io
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import Partition, column
from clusterdiff.compare.compare import compare
from clusterdiff.compare.differences import shown_p, with_interval, with_sign
from clusterdiff.engines.memory import meet_keys
from clusterdiff.engines.shared_objects import Together
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, did_you_mean, printable
from clusterdiff.io import settle_indexes
from clusterdiff.io.arguments import judged_together
from clusterdiff.io.scored import Aligned, canonical_order
from clusterdiff.io.sides import NOWHERE
from clusterdiff.measures import measure_named
from clusterdiff.output import markup
from clusterdiff.output.describe import TOGETHER, count, side_sizes
from clusterdiff.output.result import TableResult, frame_of
from clusterdiff.output.score import Signature
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import columns, cut, pad, wrapped
from clusterdiff.progress import progress
from clusterdiff.sweep.curve import (
    BestLine,
    best_line,
    curve_of,
    held_out_scores,
    score_lines,
    spread_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.clusterings import Column
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import HardMeet, Policy
    from clusterdiff.io.runs import Runs
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.difference import Difference
    from clusterdiff.statistics.intervals import Sure, SureEnds
    from clusterdiff.sweep.forest import Forest

# What a sweep goes over, and what it was taken for.


@dataclass(frozen=True)
class Swept:
    """What was swept, and taken for."""

    shown: str
    taken_for: str
    """Columns, and whether they are similarities or distances; a dendrogram; levels."""
    columns: Mapping[str, Any] | None = None
    pairs: int = 0
    objects: int = 0
    scores: int = 0
    """Different scores."""
    self_pairs: int = 0
    duplicates: int = 0
    """Pairs that were given before, in either direction."""
    unknown: int = 0
    """Objects that pairs name and truth does not have."""
    silent: int = 0
    """Objects of truth that no pair names."""
    noise: int = 0
    is_tree: bool = False
    whole: bool = False
    """Whether thresholds are numbers of clusters."""
    levels: Sequence[str] = ()
    read: tuple[str, ...] = ()
    """How sides were read where that may not be what was meant."""

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        told: dict[str, Any] = {"name": self.shown, "taken_for": self.taken_for}
        if self.columns is not None:
            told["columns"] = dict(self.columns)
        if self.levels:
            return told | {"levels": list(self.levels), "objects": self.objects}
        return told | {
            "pairs": self.pairs, "objects": self.objects, "scores": self.scores,
            "self_pairs": self.self_pairs, "duplicates": self.duplicates,
            "not_in_truth": self.unknown, "not_in_pairs": self.silent,
        }  # fmt: skip


# Thresholds for eyes: as many digits as tell them apart, rounded so that they still hold.

LEAST, MOST = 4, 17
"""Significant digits of a threshold."""


def shown_thresholds(low: float, high: float, distance: bool = False, whole: bool = False) -> str:
    """The thresholds of a line: above `low`, up to `high`; of distances from `low` to below `high`.

    What is shown lies within: the lower end is rounded up, the upper one down.

    >>> shown_thresholds(0.7, 0.9), shown_thresholds(0.85714285, 0.85858585)
    ('0.7–0.9', '0.8572–0.8585')
    >>> shown_thresholds(0.9, math.inf), shown_thresholds(-math.inf, 0.4)
    ('above 0.9', 'up to 0.4')
    >>> shown_thresholds(2.0, math.inf, distance=True), shown_thresholds(-math.inf, 2.0, True)
    ('from 2', 'below 2')
    """
    if whole:
        return _clusters(low, high)
    if math.isinf(low) and math.isinf(high):
        return "any"
    if math.isinf(high):
        return f"{'from' if distance else 'above'} {number(low, ROUND_CEILING)}"
    if math.isinf(low):
        return f"{'below' if distance else 'up to'} {number(high, ROUND_FLOOR)}"
    for places in range(LEAST, MOST + 1):
        first, last = number(low, ROUND_CEILING, places), number(high, ROUND_FLOOR, places)
        if low <= float(first) < float(last) <= high:
            break
    return f"{first}–{last}".replace("-", "−")


def _clusters(low: float, high: float) -> str:
    """Numbers of clusters above `low`, up to `high`."""
    if math.isinf(low):
        return "1" if high == 1 else f"1–{high:,.0f}"
    first = f"{low + 1:,.0f}"
    if math.isinf(high):
        return f"from {first}"
    return first if low + 1 == high else f"{first}–{high:,.0f}"


def number(value: float, rounding: str = ROUND_FLOOR, places: int = LEAST) -> str:
    """A number with so many significant digits, rounded in one direction, without vain zeros."""
    exact = Decimal(repr(float(value)))
    if not exact:
        return "0"
    unit = Decimal(1).scaleb(exact.adjusted() - places + 1)
    rounded = exact.quantize(unit, rounding=rounding).normalize()
    if not rounded or -5 < rounded.adjusted() < 9:
        return f"{rounded:f}"
    return f"{rounded:.{max(0, len(rounded.as_tuple().digits) - 1)}e}"


# The best line of a sweep: its thresholds, how flat the curve is there, and what it is worth.


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


# The clusterings of a sweep, a line each: how many clusters they have, and what they score.


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


# Levels: clusterings that were made one by one, scored as `compare` scores several guesses.


def level_lines(
    truth: Partition, runs: Runs, policy: Policy
) -> tuple[Partition, LevelLines, Swept]:
    """Truth and levels on the objects that all of them are judged on."""
    given = runs.partitions()
    settle_indexes([truth, *given.values()])
    judged = judged_together(runs.shop, truth, given, policy)
    meets = {name: judged.met(name).pooled for name in given}  # refuses what cannot be compared
    found = Together.of([truth, *given.values()], policy)
    own, *clusters = found.clusters()
    lines = LevelLines(own, dict(zip(given, clusters, strict=True)), given)
    first = next(iter(meets.values())).alignment
    swept = Swept(
        shown=f"{len(given):,} levels",
        taken_for="levels",
        objects=own.size,
        noise=first.noise,
        levels=list(given),
        read=NOWHERE.with_notes_of(meets).read,
    )
    return truth, lines, swept


# What a sweep prints: what was swept, the best lines, and what to know of them.

NAMED = 20
"""Columns that the name of a file may take."""


def head_of(sweep: Sweep, width: int) -> str:
    """Truth, what was swept, and what was left out."""
    name = cut(printable(sweep.swept.shown), NAMED)
    room = max(columns(name), len("truth"))
    lines = [
        f"{pad('truth', room)}  {side_sizes(sweep.lines.meet(0), 'truth')}",
        f"{pad(name, room)}  {_said(sweep)}",
        *_left_out(sweep),
    ]
    return "\n".join(wrapped(line, width, more="  ") for line in lines).replace(TOGETHER, " ")


def _said(sweep: Sweep) -> str:
    swept = sweep.swept
    taken = " " + f"[{printable(swept.taken_for)}]".replace(" ", TOGETHER)
    if swept.levels:
        return f"{count(swept.objects, 'object')}: {', '.join(swept.levels[:4])}" + (
            ", …" if len(swept.levels) > 4 else ""
        )
    lines = len(sweep) - 1
    merging = f"{lines:,} of them merge{'s' if lines == 1 else ''} something"
    if swept.is_tree:
        return f"{count(swept.pairs, 'merge')} of {count(swept.objects, 'object')}, " + (
            f"{count(len(sweep) - 1, 'height')}{taken}"
        )
    return (
        f"{count(swept.pairs, 'pair')} of {count(swept.objects, 'object')}, "
        f"{count(swept.scores, 'score')}, {merging}{taken}"
    )


def _left_out(sweep: Sweep) -> list[str]:
    swept = sweep.swept
    told = []
    if swept.duplicates:
        told.append(f"{count(swept.duplicates, 'pair')} given again: the stronger score counts")
    if swept.self_pairs:
        told.append(f"{count(swept.self_pairs, 'pair')} of an object with itself: links nothing")
    if swept.unknown:
        fate = {
            "shared": "they link others and do not count",
            "singletons": "each is a true cluster of its own",
        }.get(sweep.policy.align, "")
        told.append(f"{count(swept.unknown, 'object')} of pairs not in truth: {fate}")
    if swept.silent:
        told.append(f"{count(swept.silent, 'object')} of truth in no pair: single on every line")
    if swept.noise:
        alone = sweep.policy.noise_as == "singletons"
        fate = "each a cluster of its own" if alone else "they link others and do not count"
        told.append(f"{count(swept.noise, 'noise object')} of truth: {fate}")
    return told


def table_of(sweep: Sweep) -> CellTable:
    """A row for each measure: the best score, its thresholds, the flat run, and how it looks."""
    level = sweep.lines.names is not None
    headings = ["", "best", "level" if level else "thresholds", f"within {sweep.slack:g}"]
    headings += ["clusters", "largest"]
    if sweep.fold is not None:
        headings.append("held out")
    rows = []
    for text in sweep.measures:
        best = sweep.best(text)
        score = with_interval(best.value, best.sure, digits(best.value))
        row = [text, score, where(sweep, best.line, best.line), where(sweep, *best.run)]
        row += [f"{best.clusters:,}", f"{best.largest:,}"]
        if sweep.fold is not None:
            row.append(_held_out(best))
        rows.append(tuple(row))
    return CellTable(tuple(headings), tuple(rows))


def _held_out(best: Best) -> str:
    found = best.held_out
    if found is None:
        return ""
    return f"{digits(found.value)} ({with_sign(found.value - found.in_sample, 4)})"


def where(sweep: Sweep, first: int, last: int) -> str:
    """The thresholds, or the levels, of a run of lines."""
    names = sweep.lines.names
    if names is not None:
        return names[first] if first == last else f"{names[first]}–{names[last]}"
    low, high = sweep.lines.interval(first, last)
    return shown_thresholds(low, high, sweep.distance, sweep.swept.whole)


def notes_of(sweep: Sweep) -> list[str]:
    """How thresholds are read, how flat the curve is, what the score is worth."""
    told = [_reading(sweep), *_flat(sweep), _worth(sweep), _part(sweep)]
    for text in sweep.measures:
        best = sweep.best(text)
        if best.scored < len(sweep):
            told.append(
                f"{text} is scored on {best.scored:,} of {len(sweep):,} lines, spread over the "
                "merges; the best of them need not be the best of all."
            )
        told += _chosen(sweep, best) + _compared(sweep, best)
        if best.sure is not None and not best.sure and (why := _refused(best)):
            told.append(f"— {text}: {why}.")
    return [note for note in told if note]


def _reading(sweep: Sweep) -> str:
    if sweep.lines.names is not None:
        return ""
    if sweep.swept.whole:
        return "Thresholds are numbers of clusters: the tree has no heights."
    if sweep.distance:
        return (
            "A threshold t links what is at most t apart; the thresholds of a line go from the "
            "first number to below the second."
        )
    return (
        "A threshold t links pairs that score t or more; the thresholds of a line lie above the "
        "first number, up to the second."
    )


def _flat(sweep: Sweep) -> list[str]:
    """What the flat run means, for the first measure."""
    best = sweep.best()
    if best.run[0] == best.run[1] or sweep.lines.names is not None:
        return []
    low, high = best.flat
    if math.isinf(low) or math.isinf(high):
        return []
    ends = shown_thresholds(low, high, sweep.distance, sweep.swept.whole)
    first, _, last = ends.partition("–")
    run = f"above {first}, up to {last}"
    if sweep.distance or sweep.swept.whole:
        run = f"from {first} to {'below ' if sweep.distance else ''}{last}"
    return [f"Any threshold {run} scores {best.measure} within {sweep.slack:g} of the best."]


def _worth(sweep: Sweep) -> str:
    """What choosing on the labels that score does to the score."""
    if sweep.fold is None:
        return (
            "The best score is optimistic: it is chosen on the labels that it is scored on "
            "(folds hold some out)."
        )
    folds = int(sweep.fold.max()) + 1
    return (
        f"held out: the mean score of {folds} folds of true clusters, each at the line that is "
        "best for the others; in brackets, the difference to the best line scored on the same "
        "folds. A fold is scored without the objects of the other folds, which could be merged "
        "with its own by mistake, so a held-out score can exceed the best score on all clusters."
    )


def _chosen(sweep: Sweep, best: Best) -> list[str]:
    """Where the lines lie that are best without one of the folds."""
    if best.held_out is None:
        return []
    lines = best.held_out.lines
    if len(set(lines)) == 1:
        return [f"{best.measure}: the same line is best without any of the folds."]
    run = where(sweep, min(lines), max(lines))
    return [f"{best.measure}: the best lines without one of the folds lie within {run}."]


def _part(sweep: Sweep) -> str:
    """What it means that truth has few of the objects."""
    known, unknown = len(sweep.truth), sweep.swept.unknown
    if unknown <= known or sweep.policy.align != "shared":
        return ""
    return (
        f"truth has {known:,} of {count(known + unknown, 'object')}: merges with the others are "
        "not seen, so precision looks better than it is."
    )


def _compared(sweep: Sweep, best: Best) -> list[str]:
    """How far other lines fall short, and whether that is significant."""
    parts = []
    for what, _, _, found in best.differences:
        if math.isnan(found.value):
            continue
        sure = "significantly, " if found.sure else ""
        p = shown_p(found.p) or "not tested"
        parts.append(f"{what} by {abs(found.value):.4f} ({sure}{p})")
    return [f"{best.measure} is worse on {', '.join(parts)}."] if parts else []


def _refused(best: Best) -> str:
    sure = best.sure
    one = sure.low if isinstance(sure, tuple) else sure
    return "" if one is None else str(one.refused)


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(TableResult):
    """Scores over thresholds: `curve["elm_f"]` has one for each line, `curve.best("elm_f")` is the
    best line. Line 0 links nothing, each next line is the next threshold at which something merges.
    """

    schema = "sweep/1"

    truth: Partition
    lines: SweepLines
    measures: Mapping[str, Measure]
    """Measure text, as it prints -> measure."""
    policy: Policy
    swept: Swept
    slack: float = 0.01
    most: int = 50
    """Lines that measures are scored on which do not follow from line to line."""
    confidence: Confidence | None = None
    fold: Ints | None = None
    """The fold of each object, where folds were asked for."""
    _values: dict[str, Floats] = field(default_factory=dict)
    _best: dict[str, Best] = field(default_factory=dict)
    _held: dict[str, HeldOut] = field(default_factory=dict)

    @property
    def read(self) -> tuple[str, ...]:  # type: ignore[override]
        """How sides were read where that may not be what was meant."""
        return self.swept.read

    def prepare(self) -> None:
        """Score all lines by the measures that were asked for, in one pass."""
        self._values.update(self.lines.values(self.measures, self.most))
        if self.fold is not None:
            self._held.update(self.lines.held_out(self.measures, self.fold, self.most))
        self._find(self.measures)

    @property
    def thresholds(self) -> Floats:
        """The score of each line: of line 0 infinite, then the scores at which something merges."""
        return self.lines.thresholds

    @property
    def clusters(self) -> Ints:
        """How many clusters each line has, of objects that count."""
        return self.lines.clusters

    @property
    def largest(self) -> Ints:
        """How many objects that count the largest cluster of each line has."""
        return self.lines.largest

    @property
    def rows(self) -> Ints:
        """How many parts true clusters and clusters of each line have in common."""
        return self.lines.rows

    @property
    def links(self) -> Ints | None:
        """How many pairs each line uses; None of levels."""
        return self.lines.links

    @property
    def distance(self) -> bool:
        """Whether thresholds are distances."""
        return self.lines.distance

    def __len__(self) -> int:
        return self.lines.size

    def __getitem__(self, measure: str | Measure) -> Floats:
        m = self._measure(measure)
        if str(m) not in self._values:
            self._values.update(self.lines.values({str(m): m}, self.most))
        return self._values[str(m)]

    def _measure(self, measure: str | Measure) -> Measure:
        found = self.measures.get(str(measure))
        return measure_named(measure) if found is None else found

    def best(self, measure: str | Measure | None = None) -> Best:
        """The best line of a measure, the first one that was asked for where none is named."""
        m = self._measure(next(iter(self.measures)) if measure is None else measure)
        if str(m) not in self._best:
            _ = self[m]
            if self.fold is not None:
                one = {str(m): m}
                self._held.update(self.lines.held_out(one, self.fold, self.most))
            self._find({str(m): m})
        return self._best[str(m)]

    def _find(self, measures: Mapping[str, Measure]) -> None:
        """The best lines, scored again by `compare`: those of one line together."""
        by_line: dict[int, list[str]] = {}
        for text, m in measures.items():
            by_line.setdefault(best_of(self._values[text], m).line, []).append(text)
        for line, texts in by_line.items():
            chosen = [measures[text] for text in texts]
            scores = self._compared({"": line}, chosen)
            for text in texts:
                self._best[text] = self._made(measures[text], line, scores[""][text])

    def _made(self, m: Measure, line: int, score: Score) -> Best:
        values = self._values[str(m)]
        _, _, first, last = best_of(values, m, self.slack)
        low, high = self.lines.interval(line, line)
        made = Best(
            str(m), float(score), low, high, self.lines.interval(first, last),
            int(self.clusters[line]), int(self.largest[line]), line, (first, last),
            int((~np.isnan(values)).sum()),
            name="" if self.lines.names is None else self.lines.names[line],
            sure=score.sure, held_out=self._held_out(m, line), distance=self.distance,
            signature=str(self._signature(m, score)),
        )  # fmt: skip
        return made if self.confidence is None else self._with_differences(m, made)

    def _signature(self, m: Measure, score: Score) -> Signature:
        """That of the best score, with a digest of all lines, their scores, and the folds."""
        made = blake2b(self.thresholds.tobytes(), digest_size=8)
        for one in (self.clusters, self.rows, self._values[str(m)]):
            made.update(np.ascontiguousarray(one).tobytes())
        if self.fold is not None:  # scores of folds, since their numbers follow the order of rows
            made.update(repr(self._held[str(m)].each).encode())
        lines = f"{len(self)} {made.hexdigest()}"
        return Signature(score.signature | {"lines": lines, "slack": self.slack})

    def _held_out(self, m: Measure, line: int) -> HeldOut | None:
        """Scores of folds, beside those that they have at the best line of all."""
        if self.fold is None:
            return None
        every = range(int(self.fold.max()) + 1)
        scores = [float(m.of(self.lines.meet(line, self.fold == one))) for one in every]
        return self._held[str(m)]._replace(in_sample=math.fsum(scores) / len(scores))

    def _with_differences(self, m: Measure, best: Best) -> Best:
        """The same with how far its neighbours and the ends of the flat run fall short."""
        known = np.flatnonzero(~np.isnan(self._values[str(m)])).tolist()
        at = known.index(best.line)
        near = {
            "the next stricter line": known[at - 1] if at else None,
            "the next looser line": known[at + 1] if at + 1 < len(known) else None,
            "the strict end of the flat run": best.run[0],
            "the loose end of the flat run": best.run[1],
        }
        wanted: dict[int, str] = {}
        for what, line in near.items():
            if line is not None and line != best.line:
                wanted.setdefault(line, what)
        if not wanted:
            return best
        names = {"best": best.line} | {f"line {line}": line for line in wanted}
        report = self._report(names, [m])
        called = {line: name for name, line in self._called(names).items()}
        found = tuple(
            LineDifference(
                what, line, self.lines.interval(line, line),
                report.difference(str(m), called[best.line], called[line]),
            )
            for line, what in wanted.items()
        )  # fmt: skip
        return replace(best, differences=found)

    def _called(self, names: Mapping[str, int]) -> dict[str, int]:
        """What lines are called in a report; levels have names of their own."""
        if self.lines.names is None:
            return dict(names)
        return {name: line for line, name in enumerate(self.lines.names)}

    def _report(self, names: Mapping[str, int], measures: Sequence[Measure]) -> Report:
        """Lines compared with truth; of levels all, so that they are judged on the same objects."""
        guesses = {name: self.lines.partition(at) for name, at in self._called(names).items()}
        with catch_warnings():
            simplefilter("ignore", ClusterdiffWarning)
            return compare(
                self.truth, guesses, measures, align=self.policy.align, noise=self.policy.noise,
                noise_as=self.policy.noise_as,
                confidence=None if self.confidence is None else self.confidence.level,
                seed=0 if self.confidence is None else self.confidence.seed,
            )  # fmt: skip

    def _compared(
        self, names: Mapping[str, int], measures: Sequence[Measure]
    ) -> dict[str, Mapping[str, Score]]:
        report = self._report(names, measures)
        called = {line: name for name, line in self._called(names).items()}
        return {name: report.scores[called[line]] for name, line in names.items()}

    def at(self, threshold: Any) -> Report:
        """The report of `compare` for the clustering at a threshold, or of a level by its name."""
        line = self.lines.line_at(threshold)
        name = str(threshold) if self.lines.names is None else self.lines.names[line]
        report = self._report({name: line}, list(self.measures.values()))
        return replace(report, scores={name: report.scores[name]}, joint=None)

    def cut(self, threshold: Any) -> Partition:
        """The clustering at a threshold, or at the best one of a measure; a cluster is called like
        the smallest of its objects.
        """
        return self.lines.partition(self.line_of(threshold))

    def line_of(self, threshold: Any) -> int:
        """The line of a threshold, of a level, or of the best score of a measure."""
        if self.lines.names is not None and threshold in self.lines.names:
            return self.lines.line_at(threshold)
        if isinstance(threshold, str):
            try:
                return self.best(threshold).line
            except ClusterdiffError as error:
                if self.lines.names is None:
                    raise error
        return self.lines.line_at(threshold)

    def head(self, width: int = 80) -> str:
        """What was swept."""
        return head_of(self, width)

    def table(self) -> CellTable:
        """A row for each measure: its best line."""
        return table_of(self)

    def notes(self) -> list[str]:
        """How thresholds are read, and what the best scores are worth."""
        return notes_of(self)

    def records(self) -> list[dict[str, Any]]:
        """One record for the best line of each measure."""
        made = []
        for text in self.measures:
            told = self.best(text).to_dict()
            kept = {k: v for k, v in told.items() if not isinstance(v, list | dict)}
            held = told.get("held_out")
            made.append({"measure": text, **kept} | ({"held_out": held["value"]} if held else {}))
        return made

    def columns(self) -> dict[str, Any]:
        """The curve by columns, an entry for each line."""
        found: dict[str, Any] = {"line": np.arange(len(self))}
        if self.lines.names is not None:
            found["level"] = list(self.lines.names)
        found |= {"threshold": self.thresholds, "clusters": self.clusters, "largest": self.largest}
        found["rows"] = self.rows
        if self.links is not None:
            found["links"] = self.links
        return found | {text: self[text] for text in self.measures}

    def to_dict(self) -> dict[str, Any]:
        """The best line of each measure and what was swept, with full precision."""
        return {
            "pairs": self.swept.to_dict(),
            "lines": len(self),
            "distance": self.distance,
            "slack": self.slack,
            "best": {text: self.best(text).to_dict() for text in self.measures},
            **self.noted,
        }

    def to_csv(self) -> str:
        """The curve: a row for each line, full precision; empty where a line was not scored."""
        columns = self.columns()
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*map(_cells, columns.values()), strict=True))
        return out.getvalue()

    def to_frame(self, library: str = "pandas", *, best: bool = False) -> Any:
        """The curve as a pandas, polars or pyarrow frame; with `best` the best lines alone."""
        if best:
            return frame_of(self.records(), library)
        columns = {
            name: values if isinstance(values, list) else np.asarray(values)
            for name, values in self.columns().items()
        }
        made = frame_of([], library)
        module = type(made)
        return module.from_pydict(columns) if library == "pyarrow" else module(columns)


def _cells(values: Any) -> list[Any]:
    """A column for CSV; what is not known is empty."""
    listed = values if isinstance(values, list) else np.asarray(values).tolist()
    return ["" if isinstance(v, float) and math.isnan(v) else v for v in listed]


def clusters_to_csv(found: Partition) -> str:
    """A clustering as a table: an id and a cluster per line."""
    ids = range(len(found)) if found.ids is None else found.ids.tolist()
    return markup.to_csv(["id", "cluster"], zip(ids, found.labels.tolist(), strict=True))
