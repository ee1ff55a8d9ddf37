"""A sweep: scores of every line, the best line of each measure, clusterings at any threshold."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import Partition, column
from clusterdiff.compare.compare import compare
from clusterdiff.compare.differences import (
    notes_on_intervals,
    shown_p,
    with_interval,
    with_sign,
)
from clusterdiff.engines.counts import counted
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, printable
from clusterdiff.measures import measure_named
from clusterdiff.output import markup
from clusterdiff.output.describe import TOGETHER, count, side_sizes
from clusterdiff.output.result import TableResult, frame_of
from clusterdiff.output.score import Signature
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import columns, cut, pad, wrapped
from clusterdiff.sweep.lines import HeldOut, SweepLines, best_line, shown_thresholds

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Policy
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.statistics.confidence import Confidence
    from clusterdiff.statistics.intervals import ConfidenceInterval, ConfidenceIntervals, Difference

NAMED = 20
"""Terminal columns that the name of a file may take."""


@dataclass(frozen=True)
class Swept:
    """What was swept, and how it was understood."""

    shown: str
    """The name of the pairs, the tree or the levels."""
    taken_for: str
    """Columns, and whether they are similarities or distances; a dendrogram; levels."""
    columns: Mapping[str, Any] | None = None
    pairs: int = 0
    objects: int = 0
    scores: int = 0
    """Number of distinct scores."""
    self_pairs: int = 0
    """Pairs of an object with itself."""
    duplicates: int = 0
    """Pairs that were given before, in either direction."""
    not_in_truth: int = 0
    """Objects that pairs name and truth does not have."""
    not_in_pairs: int = 0
    """Objects of truth that no pair names."""
    noise: int = 0
    """Objects that truth calls noise."""
    is_tree: bool = False
    levels: Sequence[str] = ()
    read: tuple[str, ...] = ()
    """Notes on how sides were read where the user may have meant something else."""

    def to_dict(self) -> dict[str, Any]:
        """The counts, by the names that JSON has."""
        swept: dict[str, Any] = {"name": self.shown, "taken_for": self.taken_for}
        if self.columns is not None:
            swept["columns"] = dict(self.columns)
        if self.levels:
            return swept | {"levels": list(self.levels), "objects": self.objects}
        counts = (
            "pairs", "objects", "scores", "self_pairs", "duplicates", "not_in_truth", "not_in_pairs"
        )  # fmt: skip
        return swept | {name: getattr(self, name) for name in counts}

    def describe(self, lines: int) -> str:
        """What was swept, in a line; `lines` is the number of lines that merge something."""
        taken = " " + f"[{printable(self.taken_for)}]".replace(" ", TOGETHER)
        objects = count(self.objects, "object")
        if self.levels:
            return f"{objects}: {', '.join(self.levels[:4])}{', …' if self.levels[4:] else ''}"
        if self.is_tree:
            return f"{count(self.pairs, 'merge')} of {objects}, {count(lines, 'height')}{taken}"
        return (
            f"{count(self.pairs, 'pair')} of {objects}, {count(self.scores, 'score')}, "
            f"{lines:,} of them merge{'s' if lines == 1 else ''} something{taken}"
        )

    def left_out(self, policy: Policy) -> list[str]:
        """What was counted once, left out, or does not count."""
        unscored = "they link others and do not count"
        unknown = {"shared": unscored, "singletons": "each is a true cluster of its own"}
        noise = "each a cluster of its own" if policy.noise_as == "singletons" else unscored
        notes = [
            (self.duplicates, "pair", "given again: the stronger score counts"),
            (self.self_pairs, "pair", "of an object with itself: ignored"),
            (
                self.not_in_truth,
                "object",
                f"of pairs not in truth: {unknown.get(policy.align, '')}",
            ),
            (self.not_in_pairs, "object", "of truth in no pair: single on every line"),
            (self.noise, "noise object", f"of truth: {noise}"),
        ]
        return [f"{count(number, noun)} {what}" for number, noun, what in notes if number]


class LineDifference(NamedTuple):
    """The best line compared with another line."""

    what: str
    """Which line: the next one above or below, or an end of the flat run."""
    line: int
    thresholds: tuple[float, float]
    difference: Difference


@dataclass(frozen=True)
class Best:
    """The best line for a measure.

    Thresholds t with low < t <= high give this clustering (distances with low <= t < high); `flat`
    are the thresholds around it that lose at most `slack`.
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
    """Number of lines that were scored."""
    name: str = ""
    """The name of a level."""
    ci: ConfidenceInterval | ConfidenceIntervals | None = None
    """The confidence interval of the value, if intervals were asked for."""
    held_out: HeldOut | None = None
    """Scores of folds that did not take part in the choice, if folds were asked for."""
    differences: tuple[LineDifference, ...] = field(default=(), repr=False)
    """How far neighbours and the ends of the flat run fall short, if intervals were asked for."""
    distance: bool = field(default=False, repr=False)
    """Whether thresholds are distances."""
    signed: Callable[[], Signature] = field(default=Signature, repr=False, compare=False)
    """Makes the signature, which takes longer than the sweep."""

    @cached_property
    def signature(self) -> str:
        """The signature of the score, and a digest of the lines it was chosen from."""
        return str(self.signed())

    @property
    def threshold(self) -> float:
        """A threshold that gives this clustering: the closed end of the interval."""
        return self.low if self.distance else self.high

    def __str__(self) -> str:
        where = self.name or shown_thresholds(self.low, self.high, self.distance)
        return f"{self.measure} {self.value:.4f} at {where}"

    def to_dict(self) -> dict[str, Any]:
        """The best line for JSON; an infinite end is None."""
        best: dict[str, Any] = {"value": self.value}
        if self.name:
            best["name"] = self.name
        best |= {
            "low": _finite(self.low), "high": _finite(self.high),
            "flat_low": _finite(self.flat[0]), "flat_high": _finite(self.flat[1]),
            "clusters": self.clusters, "largest": self.largest, "line": self.line,
            "flat_lines": list(self.run), "scored_lines": self.scored,
        }  # fmt: skip
        if self.ci is not None:
            best["ci"] = self.ci.to_dict()
        if self.held_out is not None:
            best["held_out"] = self.held_out._asdict()
        if self.differences:
            best["differences"] = [
                {"what": what, "line": line}
                | {key: _finite(getattr(less, key)) for key in ("value", "low", "high", "p")}
                | ({"refused": less.refused} if less.refused else {})
                for what, line, _, less in self.differences
            ]
        return best | {"signature": self.signature}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(TableResult):
    """Scores over thresholds: `curve["elm_f"]` has the score of each line, `curve.best("elm_f")` is
    the best line. Line 0 links nothing; each further line is the next threshold at which clusters
    merge.
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
    """Number of lines scored for measures that have to be computed line by line."""
    confidence: Confidence | None = None
    fold: Ints | None = None
    """The fold of each object, if folds were asked for."""
    between: str | None = None
    """What the sources of truth are called, where pairs of one source do not count."""
    _values: dict[str, Floats] = field(default_factory=dict)
    _best: dict[str, Best] = field(default_factory=dict)

    @property
    def read(self) -> tuple[str, ...]:  # type: ignore[override]
        """Notes on how sides were read where the user may have meant something else."""
        return self.swept.read

    @property
    def thresholds(self) -> Floats:
        """The score of each line: infinite for line 0, then each score at which clusters merge."""
        return self.lines.thresholds

    @property
    def clusters(self) -> Ints:
        """Number of clusters of each line with objects that count."""
        return self.lines.clusters

    @property
    def largest(self) -> Ints:
        """Number of objects that count in the largest cluster of each line."""
        return self.lines.largest

    @property
    def rows(self) -> Ints:
        """Number of non-empty intersections of true clusters and clusters of each line."""
        return self.lines.rows

    @property
    def links(self) -> Ints | None:
        """Number of pairs that each line links; None for levels."""
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
        asked = self.measures.get(str(measure))
        return measure_named(measure) if asked is None else asked

    def best(self, measure: str | Measure | None = None) -> Best:
        """The best line of a measure, by default of the first one that was asked for."""
        m = self._measure(next(iter(self.measures)) if measure is None else measure)
        if str(m) not in self._best:
            self.find_best({str(m): m})
        return self._best[str(m)]

    def find_best(self, measures: Mapping[str, Measure]) -> None:
        """Find the best lines of several measures, which is faster than one by one."""
        if missing := {text: m for text, m in measures.items() if text not in self._values}:
            self._values.update(self.lines.values(missing, self.most))
        best = {text: self._line_of(m).line for text, m in measures.items()}
        held_out: Mapping[str, HeldOut] = {}
        if self.fold is not None:
            held_out = self.lines.held_out(measures, best, self.fold, self.most)
        for line in dict.fromkeys(best.values()):
            chosen = {text: m for text, m in measures.items() if best[text] == line}
            scores = self._report([line], list(chosen.values())).scores[self._name(line)]
            for text, m in chosen.items():
                self._best[text] = self._best_of(m, scores[text], held_out.get(text))

    def _line_of(self, m: Measure) -> Any:
        return best_line(self._values[str(m)], distance=m.is_distance, slack=self.slack)

    def _best_of(self, m: Measure, score: Score, held_out: HeldOut | None) -> Best:
        """The best line of a measure; its value is the score that `compare` finds there."""
        line, _, first, last = self._line_of(m)
        low, high = self.lines.interval(line)
        return Best(
            str(m), float(score), low, high, self.lines.interval(first, last),
            int(self.clusters[line]), int(self.largest[line]), line, (first, last),
            int((~np.isnan(self._values[str(m)])).sum()),
            name="" if self.lines.names is None else self.lines.names[line],
            ci=score.ci, held_out=held_out,
            differences=self._differences(m, line, (first, last)), distance=self.distance,
            signed=partial(self._signature, m, score, held_out),
        )  # fmt: skip

    def _signature(self, m: Measure, score: Score, held_out: HeldOut | None) -> Signature:
        """That of the best score, with a digest of all lines, their scores, and the folds."""
        digest = blake2b(self.thresholds.tobytes(), digest_size=8)
        for values in (self.clusters, self.rows, self._values[str(m)]):
            digest.update(np.ascontiguousarray(values).tobytes())
        if held_out is not None:  # not the lines, whose numbers follow the order of rows
            digest.update(repr(held_out.each).encode())
        lines = f"{len(self)} {digest.hexdigest()}"
        return Signature(score.signature | {"lines": lines, "slack": self.slack})

    def _differences(
        self, m: Measure, best: int, run: tuple[int, int]
    ) -> tuple[LineDifference, ...]:
        """How far the neighbours of the best line and the ends of its flat run fall short."""
        if self.confidence is None:
            return ()
        scored = np.flatnonzero(~np.isnan(self._values[str(m)])).tolist()
        at = scored.index(best)
        near = [
            ("the next stricter line", scored[max(at - 1, 0)]),
            ("the next looser line", scored[min(at + 1, len(scored) - 1)]),
            ("the strict end of the flat run", run[0]),
            ("the loose end of the flat run", run[1]),
        ]
        others: dict[int, str] = {}
        for what, line in near:
            if line != best:
                others.setdefault(line, what)
        if not others:
            return ()
        report = self._report([best, *others], [m])
        return tuple(
            LineDifference(
                what, line, self.lines.interval(line),
                report.difference(str(m), self._name(best), self._name(line)),
            )
            for line, what in others.items()
        )  # fmt: skip

    def _name(self, line: int) -> str:
        """The name of a line in reports."""
        return f"line {line}" if self.lines.names is None else self.lines.names[line]

    def _report(self, lines: Iterable[int], measures: Sequence[Measure]) -> Report:
        """Lines compared with truth; always all levels, so that they have the same objects."""
        some = lines if self.lines.names is None else range(len(self))
        guesses = {self._name(line): self.lines.partition(line) for line in some}
        truth, own = self.truth, {}
        if self.between is not None:
            truth = copy(truth)
            truth.samples, own = column(truth.sources), {"between": self.between}
        with catch_warnings():
            simplefilter("ignore", ClusterdiffWarning)
            return compare(
                truth, guesses, measures, align=self.policy.align, noise=self.policy.noise,
                noise_as=self.policy.noise_as, **own,
                confidence=None if self.confidence is None else self.confidence.level,
                seed=0 if self.confidence is None else self.confidence.seed,
            )  # fmt: skip

    def at(self, threshold: Any) -> Report:
        """The report of `compare` for the clustering at a threshold, or of a level by its name."""
        line = self.lines.line_at(threshold)
        name = str(threshold) if self.lines.names is None else self._name(line)
        report = self._report([line], list(self.measures.values()))
        return replace(report, scores={name: report.scores[self._name(line)]}, joint=None)

    def cut(self, threshold: Any) -> Partition:
        """The clustering at a threshold, or at the best one of a measure; each cluster is labelled
        with the smallest of its ids.
        """
        return self.clustering(self.line_of(threshold))

    def clustering(self, line: int) -> Partition:
        """The clustering of a line, without the objects that count 0."""
        made = self.lines.partition(line)
        if made.counts is None or made.counts.all():
            return made
        return counted([made])[0]  # type: ignore[return-value]

    def line_of(self, threshold: Any) -> int:
        """The line of a threshold, of a level, or of the best score of a measure."""
        level = self.lines.names is not None
        if isinstance(threshold, str) and threshold not in (self.lines.names or ()):
            try:
                return self.best(threshold).line
            except ClusterdiffError:
                if not level:
                    raise
        return self.lines.line_at(threshold)

    def head(self, width: int = 80) -> str:
        """The sizes of truth, what was swept, and what was left out."""
        name = cut(printable(self.swept.shown), NAMED)
        room = max(columns(name), len("truth"))
        lines = [
            f"{pad('truth', room)}  {side_sizes(self.lines.contingency(0), 'truth')}",
            f"{pad(name, room)}  {self.swept.describe(len(self) - 1)}",
            *self.swept.left_out(self.policy),
        ]
        return "\n".join(wrapped(line, width, more="  ") for line in lines).replace(TOGETHER, " ")

    def table(self) -> CellTable:
        """A row for each measure: its best score, the thresholds, the flat run, the clusters."""
        what = "thresholds" if self.lines.names is None else "level"
        headings = ["", "best", what, f"within {self.slack:g}", "clusters", "largest"]
        rows = []
        for text in self.measures:
            best = self.best(text)
            shown = digits(best.value)
            row = [
                text, shown if best.ci is None else with_interval(best.value, best.ci, shown),
                self.lines.describe(best.line), self.lines.describe(*best.run),
                f"{best.clusters:,}", f"{best.largest:,}",
            ]  # fmt: skip
            if (held := best.held_out) is not None:
                row.append(f"{digits(held.value)} ({with_sign(held.value - held.in_sample, 4)})")
            rows.append(tuple(row))
        headings += [] if self.fold is None else ["held out"]
        return CellTable(tuple(headings), tuple(rows))

    def notes(self) -> list[str]:
        """How thresholds are read, how flat the curve is, and what the best scores are worth."""
        notes, levels = [], self.lines.names is not None
        by_number, best = self.lines.counts_clusters, self.best()
        if by_number:
            notes.append("Thresholds are numbers of clusters: the tree has no heights.")
        elif self.distance and not levels:
            notes.append(
                "A threshold t links what is at most t apart; the thresholds of a line go from the "
                "first number to below the second."
            )
        elif not levels:
            notes.append(
                "A threshold t links pairs that score t or more; the thresholds of a line lie "
                "above the first number, up to the second."
            )
        if best.run[0] != best.run[1] and not levels and all(map(math.isfinite, best.flat)):
            first, _, last = self.lines.describe(*best.run).partition("–")
            run = f"above {first}, up to {last}"
            if self.distance or by_number:
                run = f"from {first} to {'below ' if self.distance else ''}{last}"
            within = f"scores {best.measure} within {self.slack:g} of the best."
            notes.append(f"Any threshold {run} {within}")
        if self.fold is None:
            notes.append(
                "The best score is optimistic: it is chosen on the labels that it is scored on "
                "(folds=5 or --folds 5 holds some out)."
            )
        else:
            notes.append(
                f"held out: the mean score of {int(self.fold.max()) + 1} folds of true clusters, "
                "each at the line that is best for the others; in brackets, the difference to the "
                "best line scored on the same folds. A fold is scored without the objects of the "
                "other folds, which could be merged with its own by mistake, so a held-out score "
                "can exceed the best score on all clusters."
            )
        known, unknown = len(self.truth), self.swept.not_in_truth
        if unknown > known and self.policy.align == "shared":
            notes.append(
                f"truth has {known:,} of {count(known + unknown, 'object')}: merges with the "
                "others are not seen, so precision looks better than it is."
            )
        notes += [note for text in self.measures for note in self._notes_of(text)]
        if self.confidence is None:
            return notes
        return notes + notes_on_intervals([(m, self.best(m).ci) for m in self.measures])

    def _notes_of(self, text: str) -> Iterator[str]:
        """What to know of the best line of a measure."""
        best = self.best(text)
        if best.scored < len(self):
            yield (
                f"{text} is scored on {best.scored:,} of {len(self):,} lines, spread over the "
                "merges; the best of them need not be the best of all."
            )
        if best.held_out is not None:
            lines = best.held_out.lines
            run = self.lines.describe(min(lines), max(lines))
            if len(set(lines)) == 1:
                yield f"{text}: the same line is best without any of the folds."
            else:
                yield f"{text}: the best lines without one of the folds lie within {run}."
        worse = []
        for what, _, _, less in best.differences:
            if not math.isnan(less.value):
                significant = "significantly, " if less.significant else ""
                p = shown_p(less.p) or f"not tested, because {less.refused}"
                worse.append(f"{what} by {abs(less.value):.4f} ({significant}{p})")
        if worse:
            yield f"{text} is worse on {', '.join(worse)}."

    def records(self) -> list[dict[str, Any]]:
        """One record for the best line of each measure."""
        records = []
        for text in self.measures:
            best = self.best(text).to_dict()
            flat = {k: v for k, v in best.items() if not isinstance(v, list | dict)}
            held = best.get("held_out")
            records.append(
                {"measure": text, **flat} | ({"held_out": held["value"]} if held else {})
            )
        return records

    def columns(self) -> dict[str, Any]:
        """The curve by columns, an entry for each line."""
        names, links = self.lines.names, self.links
        return {
            "line": np.arange(len(self)),
            **({} if names is None else {"level": list(names)}),
            "threshold": self.thresholds, "clusters": self.clusters, "largest": self.largest,
            "rows": self.rows, **({} if links is None else {"links": links}),
            **{text: self[text] for text in self.measures},
        }  # fmt: skip

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
        out = io.StringIO()  # millions of lines: written without a look at each cell
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        cells = (np.asarray(values).tolist() for values in columns.values())
        for row in zip(*cells, strict=True):
            writer.writerow(["" if value != value else value for value in row])
        return out.getvalue()

    def to_frame(self, library: str = "pandas", *, best: bool = False) -> Any:
        """The curve as a pandas, polars or pyarrow frame; with `best` only the best lines."""
        if best:
            return frame_of(self.records(), library)
        frame = type(frame_of([], library))
        return frame.from_pydict(self.columns()) if library == "pyarrow" else frame(self.columns())


def clusters_to_csv(clustering: Partition) -> str:
    """A clustering as a table: an id and a cluster per line."""
    ids = range(len(clustering)) if clustering.ids is None else clustering.ids.tolist()
    return markup.to_csv(["id", "cluster"], zip(ids, clustering.labels.tolist(), strict=True))
