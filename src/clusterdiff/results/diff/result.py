"""What all diffs have in common: two runs side by side, and what changed, worst first."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from clusterdiff.results.describe import count
from clusterdiff.results.diff.changes import ROUNDING, RUNS, moved, signed, told
from clusterdiff.results.diff.tables import markdown_of, scores_table
from clusterdiff.results.explain.base import IDS, TOP, RankedResult
from clusterdiff.results.intervals import told_change
from clusterdiff.results.render.renderable import Block, Listing
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.render.text import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clusterdiff.inputs.together import Lost
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Meet
    from clusterdiff.results.report import Report
    from clusterdiff.results.score import Score
    from clusterdiff.statistics.difference import Difference


@dataclass(frozen=True, eq=False, repr=False)
class Diff(RankedResult):
    """What a new run changed: scores, objects, clusters."""

    schema = "diff/2"
    unit: ClassVar[str]
    """What changes are counted in: object, or true cluster."""

    score: Score
    """The score of the new run."""
    report: Report
    """Both runs, side by side."""
    lost: Lost
    """What the new run is not judged on, and the old one would be: the new one lacks it, or calls
    it noise that is dropped."""

    @cached_property
    def change(self) -> dict[str, float]:
        """For each measure, the score of the new run less that of the old one."""
        return {
            text: float(self.report[text]["new"]) - float(self.report[text]["old"])
            for text in self.report
        }

    @property
    @abstractmethod
    def objects(self) -> dict[str, int]:
        """Objects by what became of them."""

    @property
    @abstractmethod
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them."""

    def _meets(self) -> dict[str, Meet]:
        """What was compared, by run."""
        scores = self.report[self.measure]
        return {run: scores[run].meet for run in RUNS}

    @property
    def fates(self) -> dict[str, int]:
        """How many of what changes are counted in met which fate."""
        return self.objects if self.unit == "object" else self.clusters

    @property
    @abstractmethod
    def extra_gain(self) -> float:
        """How much less objects that truth lacks take off the best score; they are in no true
        cluster.
        """

    @abstractmethod
    def changed(self, better: bool, top: int | None = TOP, ids: int | None = IDS) -> list[Any]:
        """What fares better (or worse) in the new run, most changed first."""

    @abstractmethod
    def change_lines(self, change: Any, width: int, ids: int | None) -> str:
        """A change for a terminal."""

    @abstractmethod
    def table_of(self, changes: Iterable[Any], ids: int | None) -> CellTable:
        """Changes as a table for eyes."""

    @abstractmethod
    def record(self, change: Any) -> dict[str, Any]:
        """A change for programs."""

    def cluster_table(self, top: int | None = TOP) -> CellTable:
        """The table of clusters that stands below the changes; none where these are clusters."""
        return CellTable((), ())

    def facts(self, top: int | None) -> dict[str, Any]:
        """For JSON: what one kind of clusterings has besides."""
        return {}

    @property
    def headline(self) -> str:
        """The score of both runs."""
        before, after = (float(self.report[self.measure][run]) for run in RUNS)
        over = (
            f", mean of {count(len(self.report.samples), 'sample')}," if self.report.samples else ""
        )
        scores = f"{' -> '.join(moved(before, after))} ({signed(after - before)})"
        sure = "" if self.report.confidence is None else told_change(self.difference(self.measure))
        return f"{self.measure}{over} {scores}{sure}."

    def difference(self, measure: str | Measure) -> Difference:
        """The change of a measure with its interval and p-value."""
        return self.report.difference(measure, "new", "old")

    def significant(self) -> Self:
        """The same with the measures alone whose change is sure, and the one that is explained."""
        kept = {
            text: measure
            for text, measure in self.report.measures.items()
            if measure == self.measure or self.difference(text).sure
        }
        return replace(self, report=replace(self.report, measures=kept)).read_from(self.origins)

    def blocks(self, width: int, top: int | None = TOP, ids: int | None = IDS) -> Iterator[Block]:
        """The scores of both runs, what became of objects, and what changed most."""
        yield wrapped(self.headline, width)
        yield scores_table(self)
        yield "\n".join([wrapped(s, width) for s in self.sentences()] + self.columns_read(width))
        for better, title in ((False, "Worse now"), (True, "Better now")):
            if some := self.changed(better, top, ids):
                lines = [f"{title}:", *(self.change_lines(change, width, ids) for change in some)]
                yield Listing("\n".join(lines), self.table_of(some, ids))
        if (below := self.cluster_table(top)).rows:
            yield below

    def sentences(self) -> list[str]:
        """What became of objects and clusters, in a few sentences."""
        lines = [f"Objects: {told(self.objects)}.", f"True clusters: {told(self.clusters)}."]
        if self.report.samples:
            lines.append(
                f"Changes by cluster are those of {self.measure} micro: all samples pooled."
            )
        if abs(self.extra_gain) > ROUNDING:
            lines.append(f"Objects that truth lacks: {signed(self.extra_gain)}.")
        if lost := self.lost.objects:
            lines.append(
                f"The new run lacks {count(lost, 'object')} that the old run has; neither is "
                "judged on what one of them lacks."
            )
        return lines

    def table(self, top: int | None = TOP, ids: int | None = IDS) -> CellTable:
        """What changed most, as a table for eyes."""
        return self.table_of(self._both(top, ids), ids)

    def to_markdown(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A comment on a pull request: verdict, scores, and what changed."""
        return markdown_of(self, top, ids)

    def _both(self, top: int | None, ids: int | None) -> list[Any]:
        return [*self.changed(False, top, ids), *self.changed(True, top, ids)]

    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, for programs."""
        differences: dict[str, Any] = {}
        if self.report.confidence is not None:
            found = {text: self.difference(text).to_dict() for text in self.change}
            differences["differences"] = found
        return {
            "measure": str(self.measure),
            "scores": {
                text: {run: self.report[text][run].to_dict() for run in RUNS} | {"change": change}
                for text, change in self.change.items()
            },
            **differences,
            "objects": self.objects,
            "clusters": self.clusters,
            "extra_gain": self.extra_gain,
            "lost": self.lost.objects,
            "worse": [self.record(c) for c in self.changed(False, top, ids)],
            "better": [self.record(c) for c in self.changed(True, top, ids)],
            **self.facts(top),
            **self.origins.to_dict(),
        }

    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """A record for each change, those for the worse first."""
        return [self.record(c) for c in self._both(top, ids)]
