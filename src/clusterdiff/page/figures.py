"""The figures of the page: places in percent, which the template draws as HTML and SVG."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.compare.differences import difference_of, shown_difference
from clusterdiff.compare.plot import at_most_one, spread_of
from clusterdiff.explain.ranking import WORDS, name_of
from clusterdiff.output.describe import count
from clusterdiff.output.table import percent
from clusterdiff.sweep.plot import axis_title, drawn_lines, halves_of, places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clusterdiff.array_types import Floats
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency.base import Histogram
    from clusterdiff.explain.partition import ClusterTable
    from clusterdiff.output.score import Score
    from clusterdiff.runs.matrix import ScoreMatrix
    from clusterdiff.sweep.result import Sweep
    from clusterdiff.table.table import ContingencyTable

SIDE = 1000
"""Units of a chart across and up; the page stretches it."""
NAMED = 8
"""Clusters that a chart names."""


class Whisker(NamedTuple):
    """A score with its interval, in percent of an axis."""

    low: float
    middle: float
    high: float
    zero: float
    """Where 0 is."""
    filled: bool = True

    @classmethod
    def on(
        cls, axis: tuple[float, float], points: tuple[float, float, float], filled: bool = True
    ) -> Whisker:
        """Low end, value and high end on an axis between two numbers."""
        low, high = axis
        wide = (high - low) or 1.0
        start, middle, end, zero = (
            round(min(100.0, max(0.0, 100 * (p - low) / wide)), 2) for p in (*points, 0.0)
        )
        return cls(start, middle, end, zero, filled)


def whiskers(scores: Sequence[Score]) -> list[Whisker | None]:
    """Scores by one measure on an axis from 0, or from -1 where any is negative, to 1; None of
    those that are unknown or have no bound.
    """
    spreads = [
        spread_of(one) if one.value is not None and at_most_one(one.measure) else None
        for one in scores
    ]
    low = -1.0 if any(points and points[0] < 0 for points in spreads) else 0.0
    return [points and Whisker.on((low, 1.0), points) for points in spreads]


class Change(NamedTuple):
    """A difference for display."""

    measure: str
    told: str
    whisker: Whisker | None


def changes_of(report: Report, leading: str) -> tuple[str, list[Change]]:
    """What is subtracted from what, and the differences: of two guesses by every measure, of more
    the best less each other one by the leading measure.
    """
    if len(report.scores) == 2:
        first, second = report.guesses
        title = f"{second} − {first}"
        found = {text: difference_of(report, text, second, first) for text in report.shown()}
    else:
        title, found = f"{leading}: the best guess less the other", report.against_best(leading)
    tested = [d for d in found.values() if d.tested]
    ends = [abs(end) for d in tested for end in (d.low, d.high, d.value)]
    widest = max((end for end in ends if end <= 1), default=0.0) or 1.0
    return title, [
        Change(
            name,
            shown_difference(d) if d.tested else f"{shown_difference(d)} not tested",
            Whisker.on((-widest, widest), (d.low, d.value, d.high), d.significant)
            if d.tested and max(abs(d.low), abs(d.high)) <= widest
            else None,
        )
        for name, d in found.items()
    ]


class Segment(NamedTuple):
    """A part of a bar."""

    kind: str
    word: str
    objects: int
    share: float

    @property
    def told(self) -> str:
        """What it stands for."""
        return f"{percent(self.share)} {self.word}"


def segments_of(outcomes: Mapping[str, int]) -> list[Segment]:
    """What became of the objects, as parts of a bar."""
    total = sum(outcomes.values()) or 1
    return [Segment(kind, WORDS.get(kind, kind), n, n / total) for kind, n in outcomes.items() if n]


class Band(NamedTuple):
    """Clusters of about one size: how many each side has, and how long its bars are in percent."""

    sizes: str
    clusters: list[tuple[int, float]]


def size_bands(histograms: Mapping[str, Histogram]) -> list[Band]:
    """Clusters by size, in bands that double."""
    most = max((max(h.size, default=1) for h in histograms.values()), default=1)
    ends = [0, *(2**i for i in range(math.ceil(math.log2(max(most, 1))) + 1))]
    bands = []
    for below, high in pairwise(ends):
        name = f"{high:,}" if high - below == 1 else f"{below + 1:,}–{high:,}"
        counts = [
            sum(n for size, n in zip(h.size, h.count, strict=True) if below < size <= high)
            for h in histograms.values()
        ]
        bands.append((name, counts))
    tallest = max((n for _, counts in bands for n in counts), default=1) or 1
    return [
        Band(name, [(n, round(100 * n / tallest, 2)) for n in counts])
        for name, counts in bands
        if any(counts)
    ]


Heat = dict[tuple[int, int], float]
"""How dark a cell is, between 0 and 1, by row and column."""


def heat_of_counts(found: ContingencyTable) -> Heat:
    """Dark cells hold most of their row; the first column has the names."""
    share = found.objects / np.maximum(found.truth_sizes[found.row], 1)
    cells = zip(found.row.tolist(), found.column.tolist(), share.tolist(), strict=True)
    return {(row, 1 + column): round(value, 3) for row, column, value in cells}


def heat_of_scores(found: ScoreMatrix) -> Heat:
    """Dark cells agree; none are of a table that lists pairs."""
    if found.table().headings[0]:
        return {}
    values = found.values[np.ix_(found.order, found.order)]
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    values = (values - low) / ((high - low) or 1.0)
    values = 1 - values if found.measure.is_distance else values
    return {
        (i, 1 + j): round(float(value), 3)
        for i, row in enumerate(values) for j, value in enumerate(row) if not np.isnan(value)
    }  # fmt: skip


# Charts: curves and points on two axes.


class Axis(NamedTuple):
    """Numbers on a side of a chart."""

    low: float
    high: float
    title: str
    ticks: list[tuple[float, str]]
    """Where lines are, in percent, and what they are called."""
    log: bool = False

    @classmethod
    def of(
        cls, values: Iterable[float], title: str, log: bool = False, names: Sequence[str] = ()
    ) -> Axis:
        """An axis that holds these values, or the places of these names."""
        known = [math.log10(max(v, 1e-9)) if log else v for v in values if math.isfinite(v)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        made = cls(low, high, title, [], log)
        if names:
            step = max(1, len(names) // 6)
            at = [(float(i), name_of(names[i])) for i in range(0, len(names), step)]
        elif log:
            at = [(10.0**i, f"{10**i:,}") for i in range(math.ceil(low), math.floor(high) + 1)]
        else:
            step = 10 ** math.floor(math.log10((high - low) / 3))
            step *= next(s for s in (5, 2, 1) if (high - low) / (s * step) >= 3)
            first = math.ceil(low / step - 1e-9)
            steps = range(first, math.floor(high / step + 1e-9) + 1)
            at = [(i * step, f"{round(i * step, 10):,g}") for i in steps]
        return made._replace(ticks=[(made.place(v) * 100 / SIDE, text) for v, text in at])

    def place(self, value: float) -> float:
        """Where a value is, in units of a chart."""
        value = math.log10(max(value, 1e-9)) if self.log else value
        return round(SIDE * (value - self.low) / (self.high - self.low), 1)


class Line(NamedTuple):
    """A curve, or points of one colour; `points` are places with a size and what they tell."""

    name: str
    kind: str
    path: str = ""
    points: Sequence[tuple[float, float, float, str]] = ()


class Chart(NamedTuple):
    """Lines on two axes, names beside points, and bands across."""

    what: str
    x: Axis
    y: Axis
    lines: list[Line]
    names: Sequence[tuple[float, float, str]] = ()
    bands: Sequence[tuple[float, float]] = ()


def _path(x: Axis, y: Axis, points: Iterable[tuple[float, float]], shape: str) -> str:
    """Points as a path: straight, or in steps that go up (or across) first."""
    placed = [(x.place(a), SIDE - y.place(b)) for a, b in points]
    made, before = [], None
    for at, up in placed:
        if before is None:
            made.append(f"M{at:g} {up:g}")
        elif shape == "vh":
            made.append(f"V{up:g}H{at:g}")
        elif shape == "hv":
            made.append(f"H{at:g}V{up:g}")
        elif shape == "hvh":
            made.append(f"H{(before + at) / 2:g}V{up:g}H{at:g}")
        else:
            made.append(f"L{at:g} {up:g}")
        before = at
    return "".join(made)


def sweep_charts(curve: Sweep) -> list[Chart]:
    """Scores over thresholds, with the flat run as a band and the best line marked; the number of
    clusters and the size of the largest; precision against recall where a measure has both.
    """
    best = curve.best()
    drawn = drawn_lines(curve, best)
    if best.scored < len(curve):
        drawn = np.union1d(drawn, np.flatnonzero(~np.isnan(curve[best.measure])))
    levels, by_number = curve.lines.names, curve.lines.counts_clusters
    at: Floats = np.asarray(np.arange(drawn.size) if levels else places_of(curve, drawn), float)
    names = [levels[line] for line in drawn.tolist()] if levels else []
    x = Axis.of(at.tolist(), axis_title(curve), by_number, names)
    shape = "hvh" if by_number else "hv" if curve.distance else "vh"

    def line(name: str, kind: str, values: Floats, y: Axis) -> Line:
        known = np.flatnonzero(~np.isnan(values))
        known = known[np.argsort(at[known], kind="stable")]
        stepped = shape if known.size == values.size and not levels else ""
        points = list(zip(at[known].tolist(), values[known].tolist(), strict=True))
        return Line(name, kind, _path(x, y, points, stepped))

    asked = curve._measure(best.measure)
    halves = halves_of(asked) or ()
    score = Axis.of([0.0, 1.0, *curve[best.measure][drawn].tolist()], "score")
    lines = [
        line(name, kind, curve[name][drawn], score)
        for name, kind in zip(map(str, (asked, *halves)), ("g0", "g1", "g2"), strict=False)
    ]
    place, bands = at[int(np.searchsorted(drawn, best.line))], []
    if not levels:
        for first, last in (best.run, (best.line, best.line)):
            low, high = curve.lines.interval(first, last)
            low, high = (max(low + by_number / 2, at.min()), min(high + by_number / 2, at.max()))
            bands.append((x.place(low) / 10, (x.place(high) - x.place(low)) / 10))
        place = place if by_number else (low + high) / 2
    told = f"best {best.measure} {best.value:.4f}, {curve.lines.describe(best.line)}"
    mark = (x.place(place), SIDE - score.place(best.value), 12.0, told)
    lines.append(Line(f"best {best.value:.4f}", "g0", points=[mark]))
    counts = curve.clusters[drawn].astype(float), curve.largest[drawn].astype(float)
    many = Axis.of(np.concatenate(counts).tolist(), "number, logarithmic", log=True)
    below = [
        line(name, kind, values, many)
        for name, kind, values in zip(
            ("clusters", "objects in the largest cluster"), ("soft", "g5"), counts, strict=True
        )
    ]
    return [
        Chart("Scores over the thresholds; the best one is marked, and the thresholds that score "
              "about as well are shaded.", x, score, lines, bands=bands),
        Chart("How many clusters every threshold gives, and how large the largest is.", x, many,
              below, bands=bands),
        *_halves_charts(curve),
    ]  # fmt: skip


def _halves_charts(curve: Sweep) -> list[Chart]:
    """Precision against recall, for the measures that have both."""
    x, y = (Axis.of([0.0, 1.0], f"{half} of the clusters") for half in ("recall", "precision"))
    lines = []
    for i, measure in enumerate(curve.measures.values()):
        if (halves := halves_of(measure)) is None:
            continue
        best = curve.best(measure)
        drawn = drawn_lines(curve, best)
        precision, recall = (curve[half][drawn].tolist() for half in halves)
        up, right = (float(curve[half][best.line]) for half in halves)
        told = f"best {best.measure} {best.value:.4f}, {curve.lines.describe(best.line)}"
        mark = (x.place(right), SIDE - y.place(up), 12.0, told)
        path = _path(x, y, zip(recall, precision, strict=True), "")
        lines.append(Line(str(measure), f"g{i % 6}", path, [mark]))
    what = "Precision against recall of the clusters that every threshold gives."
    return [Chart(what, x, y, lines)] if lines else []


def clusters_chart(table: ClusterTable) -> Chart:
    """True clusters by precision and recall of their best guess; those alike share a point."""
    ends = [0.0, 1.0]
    x = Axis.of(ends, "recall: share of the true cluster in its best guess")
    y = Axis.of(ends, "precision: share of that guess")
    lines = [
        Line(
            WORDS.get(kind, kind), kind,
            points=[(x.place(p.recall), SIDE - y.place(p.precision),
                     6.0 + 2 * p.clusters.bit_length(), p.told()) for p in points],
        )
        for kind, points in table.points().items()
    ]  # fmt: skip
    named: list[tuple[float, float, str]] = []
    for row in table.worst(3 * NAMED):
        right, up = 100 * row.recall, 100 * row.precision
        if len(named) < NAMED and all(abs(right - a) > 30 or abs(up - b) > 7 for a, b, _ in named):
            named.append((right, up, name_of(row.name)))
    what = f"{count(table.row.size, 'true cluster')} in conflict, each by its best guess."
    return Chart(what, x, y, lines, named)
