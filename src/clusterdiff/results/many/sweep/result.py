"""A sweep: scores of every line, the best of each measure, clusterings at any threshold."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning
from clusterdiff.measures import measure_named
from clusterdiff.results.compare import compare
from clusterdiff.results.many.sweep.best import (
    Best,
    HeldOut,
    LineDifference,
    best_of,
)
from clusterdiff.results.many.sweep.notes import head_of, notes_of, table_of
from clusterdiff.results.render import markup
from clusterdiff.results.render.frames import frame_of
from clusterdiff.results.render.result import TableResult
from clusterdiff.results.score import Signature

if TYPE_CHECKING:
    from clusterdiff.clusterings import Partition
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Policy
    from clusterdiff.results.many.sweep.lines import SweepLines
    from clusterdiff.results.many.sweep.source import Swept
    from clusterdiff.results.render.table import CellTable
    from clusterdiff.results.report import Report
    from clusterdiff.results.score import Score
    from clusterdiff.statistics.confidence import Confidence


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
        for one in (self.clusters, self.rows, self._values[str(m)], self.fold):
            made.update(b"" if one is None else np.ascontiguousarray(one).tobytes())
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
