"""What all diffs have in common: two runs side by side, and what changed, worst first."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from clusterdiff.clusterings.grouping import small
from clusterdiff.compare.differences import interval_and_p, told_change
from clusterdiff.engines.memory import every_row
from clusterdiff.explain.base import IDS, TOP, RankedResult, name_of
from clusterdiff.explain.summary import outcome_of
from clusterdiff.measures.attribution import losses
from clusterdiff.output import markup
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Listing
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import hung, shown_ids, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Meet
    from clusterdiff.engines.named import MemoryNamedComparison
    from clusterdiff.io.arguments import Lost
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.statistics.difference import Difference

# A run against the truth, object by object, and what a new run changes, in records and words.

RUNS = ("old", "new")
ROUNDING = 1e-12
"""Changes below this are none."""


class Piece(NamedTuple):
    """A part of a true cluster in one cluster of a run."""

    cluster: Any
    objects: int
    others: int
    """Objects of other true clusters that are there too."""
    missing: bool = False
    """Whether the run lacks these objects, so that there is no cluster."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run against the truth: what is the same for the objects of a row is kept once."""

    named: MemoryNamedComparison
    row: Ints
    """The row of the object at each position of truth, or -1 for one that is not compared."""
    first: Ints
    """An object of each row."""
    truth: Ints
    """The true cluster of each row, by number."""
    others: Ints
    """Objects that are in the guess cluster of each row and not in the row."""
    missing: Bools
    """Whether the run lacks the objects of each row."""
    row_loss: Floats
    """What an object of each row takes off the best score."""
    row_right: Bools
    """Whether the objects of each row are with all their companions and no others."""
    extra_loss: float
    """What objects that truth lacks take off the best score."""

    @classmethod
    def of(cls, named: MemoryNamedComparison, measure: Measure) -> Run:
        """A run by the loss of a measure; refused if that does not decompose over objects."""
        measure.of(named.meet)
        rows, row, first = every_row(named.objects)
        lost = losses(measure, rows) / rows.both
        return cls(
            named,
            _by_truth(row, named),
            small(first),
            small(rows.truth),
            small(np.maximum(0, rows.guess_size - rows.both)),
            ~rows.in_guess,
            lost,
            outcome_of(rows) == 0,
            float(lost[row[named.objects.in_truth < 0]].sum()),
        )

    def right(self, at: Ints) -> Bools:
        """Whether the objects at these positions of truth are right."""
        return self.row_right[self.row[at]]

    def pieces(self, at: Ints) -> list[Piece]:
        """How the run has the objects at these positions of truth, all of one true cluster."""
        rows, counts = np.unique(self.row[at], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        rows, counts = rows[order], counts[order]
        names = self.named.names_of("guess", self.first[rows])
        columns = counts, self.others[rows], self.missing[rows]
        return list(map(Piece, names, *(column.tolist() for column in columns)))


def _by_truth(row: Ints, named: MemoryNamedComparison) -> Ints:
    """The rows of objects that are compared in the order of truth."""
    where = named.objects.in_truth
    row, known = small(row), where >= 0
    found = np.full(len(named.truth), -1, row.dtype)
    found[where[known]] = row[known]
    return found


class ClusterChange(NamedTuple):
    """A true cluster that fares otherwise in the new run."""

    cluster: Any
    sample: Any
    size: int
    change: float
    """How much less its objects take off the best score; negative if it is more."""
    fate: str
    """repaired (found exactly now), broken (no more), better, worse, or other."""
    old: list[Piece]
    new: list[Piece]
    ids: list[Any]


def by_fate(before: Bools, after: Bools, gain: Floats) -> dict[str, int]:
    """How many became what: right or not before and after, and better or worse where wrong."""
    wrong = ~before & ~after
    fates = {
        "repaired": ~before & after,
        "broken": before & ~after,
        "better": wrong & (gain > 0),
        "worse": wrong & (gain < 0),
        "as right": before & after,
        "as wrong": wrong & (gain == 0),
    }
    return {fate: int(some.sum()) for fate, some in fates.items()}


def record(change: ClusterChange) -> dict[str, Any]:
    """A change for programs."""
    made = change._asdict()
    return made | {run: [piece._asdict() for piece in made[run]] for run in RUNS}


def signed(change: float) -> str:
    """A change for display, with its sign; 0 where there is none, however small it is."""
    if abs(change) <= ROUNDING:
        return "0"
    text = digits(abs(change))
    some = float(text.replace(",", "")) > 0
    return ("+" if change > 0 else "-") + (text if some else f"{abs(change):.1g}")


def moved(before: float, after: float) -> tuple[str, str]:
    """Two scores for display, with digits until their difference shows."""
    shown, places = (digits(before), digits(after)), 0
    while shown[0] == shown[1] and abs(after - before) > ROUNDING:
        places += 1
        shown = f"{before:.{places}f}", f"{after:.{places}f}"
    return shown


def told(counts: dict[str, int]) -> str:
    """Counts by what they count."""
    return ", ".join(f"{n:,} {what}" for what, n in counts.items())


def pieces(pieces: list[Piece]) -> str:
    """How a true cluster lies in a run."""
    shown = [f"{p.objects:,} {_place(p)}" for p in pieces[:4]]
    return "; ".join([*shown, *(["…"] if len(pieces) > 4 else [])])


def _place(piece: Piece) -> str:
    """Where a part of a true cluster is, and with how many others."""
    if piece.missing:
        return "missing"
    others = f" with {count(piece.others, 'other')}" if piece.others else ""
    return f"in {name_of(piece.cluster)}{others}"


def change_line(change: ClusterChange, width: int, ids: int | None) -> str:
    """A cluster that changed, with where it was and where it is."""
    where = "" if change.sample is None else f", in {name_of(change.sample)}"
    named = "" if ids == 0 else f": {shown_ids(change.ids, ids, change.size)}"
    lines = [
        f"{name_of(change.cluster)}, {count(change.size, 'object')}{where}{named}",
        f"was {pieces(change.old)}",
        f"is {pieces(change.new)}",
    ]
    return hung(f"  {signed(change.change):>8}  {change.fate:<8}  ", lines, width)


def members_of(code: Ints, size: Ints, clusters: Ints) -> list[Ints]:
    """Where the objects of each of these clusters stand, in their order."""
    wanted = np.full(size.size, -1)
    wanted[clusters] = np.arange(clusters.size)
    chosen = np.flatnonzero(wanted[code] >= 0)
    sorted_ = chosen[np.argsort(wanted[code[chosen]], kind="stable")]
    return np.split(sorted_, np.cumsum(size[clusters]))[:-1]


# A diff as tables: the scores of both runs, and a page of Markdown with what changed.


def scores_table(found: Diff) -> CellTable:
    """Both runs; over samples the mean of their scores, and besides the score of all pooled."""
    report = found.report
    parts: dict[str, Any] = {"": float}
    if report.samples:
        parts = {" macro": float, " micro": lambda score: float(score.micro)}
    rows = []
    for text in report:
        row = [text]
        for number_of in parts.values():
            old, new = (number_of(report[text][run]) for run in RUNS)
            row += [*moved(old, new), signed(new - old)]
        if report.confidence is not None:
            change = found.difference(text)
            row.append(interval_and_p(change) if change.tested else "not tested")
        rows.append(tuple(row))
    headings = [f"{run}{part}" for part in parts for run in (*RUNS, "change")]
    if report.confidence is not None:
        level = f"{100 * report.confidence.level:g} %"
        headings.append(f"{level} of change{next(iter(parts))}")
    return CellTable(("", *headings), tuple(rows))


def markdown_of(found: Diff, top: int | None, ids: int | None) -> str:
    """A diff as a comment on a pull request: a verdict, the scores, what became of objects and
    clusters, and, folded up, what changed most.
    """
    headline = markup.in_markdown(found.headline.replace(" -> ", " → "))
    blocks = [
        f"**{verdict(found)}: {headline}**",
        markup.to_markdown(scores_table(found)),
        *map(markup.in_markdown, found.sentences()),
    ]
    for better, title in ((False, "Worse now"), (True, "Better now")):
        fates = ("repaired", "better") if better else ("broken", "worse")
        many = sum(found.fates[fate] for fate in fates)
        if some := found.changed(better, top, ids):
            listed = sum(getattr(change, "objects", 1) for change in some)
            shown = f", {listed:,} of them shown" if listed < many else ""
            blocks += [
                f"<details><summary>{title}: {count(many, found.unit)}{shown}</summary>",
                markup.to_markdown(found.table_of(some, ids)),
                "</details>",
            ]
    return "\n\n".join(blocks)


def verdict(found: Diff) -> str:
    """Whether the new run is better by the measure that is explained, in a word or two."""
    change = found.change[str(found.measure)]
    if abs(change) <= ROUNDING:
        return "Unchanged"
    word = "Better" if (change < 0) == found.measure.is_distance else "Worse"
    if found.report.confidence is None:
        return word
    sure = found.difference(found.measure)
    return word if sure.sure or not sure.tested else f"{word}, not significantly"


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
