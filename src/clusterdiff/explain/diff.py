"""Two runs against one truth: what the new one repaired, and what it broke.

A diff is a table of groups of objects: how much less each takes off the best score, whether it was
and is right, and where it was and is. The groups are the true clusters of partitions, and of covers
the objects of which all three sides say the same.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from clusterdiff.clusterings import SOFT, Cover, LabelImage, Partition
from clusterdiff.clusterings.grouping import downcast_int32, group_sums, number
from clusterdiff.compare.compare import (
    default_for,
    joint_of,
    measures_by_text,
    rows_given,
    scored,
)
from clusterdiff.compare.differences import interval_and_p, told_change
from clusterdiff.contingency import BetweenMeet, Policy
from clusterdiff.engines.memory import every_row, in_order_of
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.errors import KindError
from clusterdiff.explain.cover import CoverExplanation, called
from clusterdiff.explain.partition import Explanation, outcome_of, partition_object
from clusterdiff.explain.ranking import (
    IDS,
    TOP,
    Entry,
    RankedResult,
    check_no_samples,
    name_of,
)
from clusterdiff.explain.speech import SpeechExplanation
from clusterdiff.io import EngineSessions, align_together
from clusterdiff.io.arguments import source_column
from clusterdiff.io.between import apart, between_of, check_between, named, named_between
from clusterdiff.io.sides import DEFAULT, Origins, RecordOptions, opened, records_of
from clusterdiff.io.speech import Scored, in_one_file, turns_of
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.attribution import losses
from clusterdiff.measures.compat import convention_named
from clusterdiff.measures.pairs import default_between
from clusterdiff.output import markup
from clusterdiff.output.describe import OBJECTS, Unit, count, time_unit, unit_of
from clusterdiff.output.result import Block, Listing
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import shown_ids, wrapped
from clusterdiff.statistics.confidence import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Listed, Meet, Stack
    from clusterdiff.explain.cover import Change, CoverObject, Standing
    from clusterdiff.explain.partition import PartitionObject
    from clusterdiff.explain.ranking import BaseExplanation
    from clusterdiff.io import AlignedComparison
    from clusterdiff.io.arguments import Lost
    from clusterdiff.io.sides import Kinds, Opened
    from clusterdiff.output.score import Score
    from clusterdiff.statistics.intervals import Difference

    Met = Meet | Stack | Listed

RUNS = ("old", "new")
ROUNDING = 1e-12
"""Changes below this are none."""


def diff(
    truth: Any,
    old: Any,
    new: Any,
    by: str | Measure | None = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    kind: Kinds = None,
    align: str | None = None,
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    between: Any = None,
    engine: Any = None,
    confidence: float | None = None,
    units: str | None = None,
    strata: Any = None,
    method: str = "jackknife",
    seed: int = 0,
    compat: str | None = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
) -> Diff:
    """Show what a new run repaired and what it broke: scores, objects, and changed clusters.

    >>> change = diff({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 3: "z"}, {1: "x", 2: "x", 3: "x"})
    >>> change.objects
    {'repaired': 0, 'broken': 1, 'better': 2, 'worse': 0, 'as right': 0, 'as wrong': 0}

    Clusters of partitions are ranked, by elm_f unless `by` names another measure; of overlapping
    clusterings (covers, or kind="cover") the objects of which all three sides say the same, by
    cice_f, and of speech the stretches of time, by diarization_error_rate. confidence=0.95 adds the
    interval and the p-value of each change; it, `compat`, `collar`, `skip_overlap` and `uem` are as
    in `compare`, `records` and `show` as in `explain`. With `between`, as in `compare`, only pairs
    of objects from different sources count, and clusters are ranked by pair_f if `by` is left out.
    """
    if between is not None:
        check_between(between, samples=samples)
    of = samples if between is None else source_column(between)
    time = Scored(collar, skip_overlap, uem)
    runs = opened(engine, truth, {"old": old, "new": new}, kind, of, count, whole=True, scored=time)
    convention = convention_named(compat)
    asked = convention.chosen(measures_by_text(measures).values()) if measures else []
    sureness = Confidence.of(confidence, units, method, strata, seed)
    policy, by = Policy(convention.align(align), noise, noise_as), convention.explained(by)
    asked = asked or convention.default(False)
    wanted = RecordOptions(records, show)
    return diff_sides(runs, by, asked, policy, confidence=sureness, shown=wanted, between=between)


def diff_sides(
    opened_sides: Opened,
    by: str | Measure | None,
    measures: Iterable[str | Measure] | None,
    policy: Policy,
    besides: Iterable[Measure] = (),
    confidence: Confidence | None = None,
    shown: RecordOptions = DEFAULT,
    between: Any = None,
) -> Diff:
    """What two runs have made of one truth, all of them in memory, of which the list lets go.
    `besides` are measures more, whatever the others are.
    """
    of = "" if between is None else named(between)
    with apart(opened_sides, between) if of else opened_sides as (sessions, left, guesses):
        sides = [sessions.loaded(side) for side in (left, *guesses.values())]
        sides = [side.plain() if isinstance(side, LabelImage) else side for side in sides]
    del left, guesses
    _check_uncertain(sides)
    origins = Origins.of(sides[0], {"old": sides[1], "new": sides[2]})
    attributes = records_of(sides, shown)
    overlap = any(isinstance(side, Cover) for side in sides)
    spoken = overlap and turns_of(sides[0]) is not None
    kind = SpeechExplanation if spoken else CoverExplanation
    chosen = measure_named(by or (kind.default if overlap else "pair_f" if of else "elm_f"))
    usual = default_between(policy.align) if of else default_for(sides, policy.align)
    scores = measures or usual
    asked = {str(chosen): chosen, **measures_by_text([*scores, *besides])}
    truth, old, new = sides
    sides.clear()
    if overlap:
        if not spoken:
            check_no_samples(truth, old, new, verb="diff")
        aligned = align_together(EngineSessions(), truth, {"old": old, "new": new}, policy)
        pooled = aligned.with_sides(in_one_file) if spoken else aligned
        covers = [CoverRun.of(kind.of(pooled, name, chosen)) for name in RUNS]
        meets: dict[str, Met] = {name: aligned.contingency_of(name) for name in RUNS}
        report = _scored(aligned, meets, asked, origins, confidence)
        lost = aligned.lost("new", "old")
        return CoverDiff(report[chosen]["new"], report, lost, *covers).read_from(
            origins, attributes
        )
    truth = cast(Partition, truth)
    both = {"old": in_order_of(truth, cast(Partition, old))}
    del old
    both["new"] = in_order_of(truth, cast(Partition, new))
    del new
    aligned = align_together(EngineSessions(), truth, both, policy)
    compared = {name: cast(MemoryNamedComparison, aligned.compared(name)) for name in RUNS}
    if of:
        compared = {
            name: cast(MemoryNamedComparison, named_between(aligned, name, one, of))
            for name, one in compared.items()
        }
    runs = [Run.of(one, chosen) for one in compared.values()]
    meets = {
        name: between_of(aligned, name, of)  # its rows are apart, as intervals need them
        if of
        else aligned.contingency_of(name)
        if one.sampled
        else one.meet
        for name, one in compared.items()
    }
    report = _scored(aligned, meets, asked, origins, confidence)
    lost = aligned.lost("new", "old")
    return PartitionDiff(report[chosen]["new"], report, lost, *runs).read_from(origins, attributes)


def diff_of(
    before: BaseExplanation[Any], after: BaseExplanation[Any], report: Report, lost: Lost
) -> Diff | None:
    """What one of two guesses of a comparison that are explained has made of the other; None where
    they are uncertain, or not in memory. The report has their scores as those of `RUNS`.
    """
    found: Diff | None = None
    if isinstance(before, CoverExplanation) and isinstance(after, CoverExplanation):
        found = CoverDiff(after.score, report, lost, CoverRun.of(before), CoverRun.of(after))
    elif isinstance(before, Explanation) and isinstance(after, Explanation):
        names = before.named, after.named
        if all(isinstance(named, MemoryNamedComparison) for named in names):
            old, new = (Run.of(cast(MemoryNamedComparison, n), after.measure) for n in names)
            found = PartitionDiff(after.score, report, lost, old, new)
    if found is not None:
        vars(found)["attributes"] = after.attributes
    return found


def _scored(
    aligned: AlignedComparison,
    meets: dict[str, Met],
    asked: dict[str, Measure],
    origins: Origins,
    confidence: Confidence | None,
) -> Report:
    """Both runs, side by side."""
    rows = rows_given(aligned, meets, confidence)
    report = scored(meets, asked, origins, confidence, rows)
    return replace(report, joint=joint_of(aligned, meets, confidence, rows))


def _check_uncertain(sides: list[AnyClustering]) -> None:
    for name, side in zip(("truth", "the old run", "the new run"), sides, strict=True):
        if side.kind in SOFT:
            raise KindError(
                f"a diff compares partitions and covers; {name} is {side.kind}.",
                "cd.compare(truth, {'old': old, 'new': new}) scores uncertain clusterings side by "
                "side.",
            )


# A diff of either kind: the scores of both runs, and the groups that changed, worst first.


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedChange(Entry):
    """Objects that fare otherwise in the new run."""

    change: float
    """How much less they take off the best score; negative if it is more."""
    fate: str
    """repaired (right now), broken (no more), better or worse."""
    old: Any
    new: Any
    ids: list[Any]
    """As many as were asked for."""

    size: int
    """How many objects it is about."""

    @property
    @abstractmethod
    def placed_in(self) -> tuple[str, str, str, str]:
        """Which objects, how many, where they were and where they are."""

    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """How much it changed, what became of it, and of which objects."""
        named = shown_ids(self.ids, ids, self.size)
        return signed(self.change), self.fate, *self.placed_in, named

    def total(self) -> int:
        """How many objects it is about."""
        return self.size

    def rows(self) -> list[dict[str, Any]]:
        """A row for each object that has a name."""
        facts = self.to_dict()
        del facts["ids"]
        return [facts | own | {"id": id} for id, own in zip(self.ids, self.each(), strict=True)]

    def each(self) -> Iterable[dict[str, Any]]:
        """The facts about each object."""
        return repeat({}, len(self.ids))

    @property
    def start(self) -> str:
        """How much it changed, and what became of it."""
        return f"  {signed(self.change):>8}  {self.fate:<8}  "


@dataclass(frozen=True, eq=False, repr=False)
class Diff(RankedResult):
    """What a new run changed: scores, objects, clusters."""

    schema = "diff/2"
    one = "entry"
    queued: ClassVar[tuple[str, ...]] = ("fate",)
    unit: ClassVar[str]
    """What changes are counted in: object, or true cluster."""

    score: Score
    """The score of the new run."""
    report: Report
    """Both runs, side by side."""
    lost: Lost
    """What the new run is not judged on, and the old one would be: the new one lacks it, or calls
    it noise that is dropped."""
    old: Any
    new: Any

    @cached_property
    def change(self) -> dict[str, float]:
        """For each measure, the score of the new run less that of the old one."""
        return {
            text: float(self.report[text]["new"]) - float(self.report[text]["old"])
            for text in self.report
        }

    @cached_property
    def _compared(self) -> Ints:
        """Positions of truth whose objects are compared in both runs."""
        return downcast_int32(np.flatnonzero((self.old.row >= 0) & (self.new.row >= 0)))

    @cached_property
    def _amounts(self) -> Ints:
        """How many objects each of these stands for."""
        return amounts(self.old.counts, self._compared)

    @property
    def gain(self) -> Floats:
        """How much less each object that is compared in both runs takes off the best score."""
        at = self._compared
        gain = self.old.row_loss[self.old.row[at]]
        gain -= self.new.row_loss[self.new.row[at]]
        gain[np.abs(gain) < ROUNDING / max(int(self._amounts.sum()), 1)] = 0.0
        return np.asarray(gain)

    @property
    def extra_gain(self) -> float:
        """How much less objects that truth lacks take off the best score; they are in no true
        cluster.
        """
        return float(self.old.extra_loss - self.new.extra_loss)

    @cached_property
    def objects(self) -> dict[str, int]:
        """Objects by what became of them."""
        at = self._compared
        return by_fate(self.old.right(at), self.new.right(at), self.gain, self._amounts)

    @property
    @abstractmethod
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them."""

    @property
    @abstractmethod
    def _groups(self) -> Groups:
        """The objects compared, in the groups that changes are about."""

    @abstractmethod
    def _named(self, at: Ints, change: float, fate: str, ids: int | None) -> Any:
        """The change of a group with names; `at` are the positions of its objects in truth."""

    def _size(self, at: Ints) -> int:
        """How many objects stand at these positions of truth."""
        return int(amounts(self.old.counts, at).sum())

    def changed(self, better: bool, top: int | None = TOP, ids: int | None = IDS) -> list[Any]:
        """What fares better (or worse) in the new run, most changed first."""
        groups = self._groups
        gain = groups.gain if better else -groups.gain
        order = np.argsort(-np.round(gain, 15), kind="stable")
        order = order[gain[order] > ROUNDING][:top]
        was_right, is_right = groups.was_right == groups.size, groups.is_right == groups.size
        changes = []
        for group, members in zip(order.tolist(), groups.members(order), strict=True):
            fate = "broken" if was_right[group] else "better" if better else "worse"
            fate = "repaired" if is_right[group] else fate
            at = self._compared[members]
            changes.append(self._named(at, float(groups.gain[group]), fate, ids))
        return changes

    def _meets(self) -> dict[str, Meet]:
        """What was compared, by run."""
        scores = self.report[self.measure]
        return {run: scores[run].meet for run in RUNS}

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
        """This diff with the measures alone whose change is sure, and the one explained."""
        kept = {
            text: measure
            for text, measure in self.report.measures.items()
            if measure == self.measure or self.difference(text).significant
        }
        return replace(self, report=replace(self.report, measures=kept)).read_from(
            self.origins, self.attributes
        )

    def blocks(self, width: int, top: int | None = TOP, ids: int | None = IDS) -> Iterator[Block]:
        """The scores of both runs, what became of objects, and what changed most."""
        yield wrapped(self.headline, width)
        yield scores_table(self)
        read = [wrapped(s, width) for s in [*self.sentences(), self.records_read()] if s]
        yield "\n".join(read + self.columns_read(width))
        for better, title in ((False, "Worse now"), (True, "Better now")):
            if some := self.changed(better, top, ids):
                lines = [f"{title}:", *self.texts(some, width, ids)]
                yield Listing("\n".join(lines), self.table_of(some, ids))
        yield from self.known(width, top, ids)
        if (below := self.cluster_table(top)).rows:
            yield below

    @property
    def _amount(self) -> Unit:
        """What amounts of objects are given in."""
        return unit_of(self.score.meet)

    def sentences(self) -> list[str]:
        """What became of objects and clusters, in a few sentences."""
        each = ("Time", "True speakers") if self._amount.second else ("Objects", "True clusters")
        counts = _counts(self.objects, self._amount), _counts(self.clusters)
        lines = [f"{what}: {told}." for what, told in zip(each, counts, strict=True)]
        if self.report.samples:
            lines.append(
                f"Changes by cluster are those of {self.measure} micro: all samples pooled."
            )
        if abs(self.extra_gain) > ROUNDING:
            lines.append(f"Objects that truth lacks: {signed(self.extra_gain)}.")
        if lost := self.lost.objects:
            lines.append(
                f"The new run lacks {self._amount.told(lost)} that the old run has; neither is "
                "judged on what one of them lacks."
            )
        return lines

    def to_markdown(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A comment on a pull request: a verdict, the scores, what became of objects and clusters,
        and, folded up, what changed most.
        """
        headline = markup.in_markdown(self.headline.replace(" -> ", " → "))
        blocks = [
            f"**{self._verdict()}: {headline}**",
            markup.to_markdown(scores_table(self)),
            *map(markup.in_markdown, self.sentences()),
        ]
        in_objects = self.unit == "object"
        counts = self.objects if in_objects else self.clusters
        for better, title in ((False, "Worse now"), (True, "Better now")):
            if some := self.changed(better, top, ids):
                fates = ("repaired", "better") if better else ("broken", "worse")
                many = sum(counts[fate] for fate in fates)
                listed = sum(change.size for change in some) if in_objects else len(some)
                number, told = OBJECTS.number, count(many, self.unit)
                if in_objects:
                    number, told = self._amount.number, self._amount.told(many)
                shown = f", {number(listed)} of them shown" if listed < many else ""
                blocks += [
                    f"<details><summary>{title}: {told}{shown}</summary>",
                    markup.to_markdown(self.table_of(some, ids)),
                    "</details>",
                ]
        return "\n\n".join(blocks)

    def _verdict(self) -> str:
        """Whether the new run is better by the measure that is explained, in a word or two."""
        change = self.change[str(self.measure)]
        if abs(change) <= ROUNDING:
            return "Unchanged"
        word = "Better" if (change < 0) == self.measure.is_distance else "Worse"
        if self.report.confidence is None:
            return word
        sure = self.difference(self.measure)
        return word if sure.significant or not sure.tested else f"{word}, not significantly"

    def entries(self, top: int | None, ids: int | None) -> list[Any]:
        """What changed most, first for the worse."""
        return [*self.changed(False, top, ids), *self.changed(True, top, ids)]

    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        differences: dict[str, Any] = {}
        if self.report.confidence is not None:
            tested = {text: self.difference(text).to_dict() for text in self.change}
            differences["differences"] = tested
        return {
            "measure": str(self.measure),
            "scores": {
                text: {run: self.report[text][run].to_dict() for run in RUNS} | {"change": change}
                for text, change in self.change.items()
            },
            **differences,
            **time_unit(self.score.meet),
            "objects": self.objects,
            "clusters": self.clusters,
            "extra_gain": self.extra_gain,
            "lost": self.lost.objects,
            "worse": self._with_records(self.changed(False, top, ids)),
            "better": self._with_records(self.changed(True, top, ids)),
            **self.facts(top),
            **self.origins.to_dict(),
        }


class Groups(NamedTuple):
    """The objects that are compared in both runs, in groups."""

    code: Ints
    """The group of each object."""
    gain: Floats
    """How much less the objects of each group take off the best score."""
    size: Ints
    was_right: Ints
    """How many objects of each group the old run has right."""
    is_right: Ints

    def members(self, groups: Ints) -> list[Ints]:
        """Where the objects of each of these groups stand, in their order."""
        wanted = np.full(self.size.size, -1)
        wanted[groups] = np.arange(groups.size)
        chosen = np.flatnonzero(wanted[self.code] >= 0)
        chosen = chosen[np.argsort(wanted[self.code[chosen]], kind="stable")]
        return np.split(chosen, np.cumsum(self.size[groups]))[:-1]


def amounts(counts: Ints | None, some: Ints | Bools) -> Ints:
    """How many objects each of these stands for."""
    if counts is not None:
        return counts[some]
    return np.ones(int(some.sum()) if some.dtype == np.bool_ else some.size, np.int64)


def by_fate(
    before: Bools, after: Bools, gain: Floats, objects: Ints | None = None
) -> dict[str, int]:
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
    if objects is not None:
        return {fate: int(objects[some].sum()) for fate, some in fates.items()}
    return {fate: int(some.sum()) for fate, some in fates.items()}


def scores_table(diff: Diff) -> CellTable:
    """Both runs; over samples the mean of their scores, and besides the score of all pooled."""
    report = diff.report
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
            change = diff.difference(text)
            row.append(interval_and_p(change) if change.tested else "not tested")
        rows.append(tuple(row))
    headings = [f"{run}{part}" for part in parts for run in (*RUNS, "change")]
    if report.confidence is not None:
        level = f"{100 * report.confidence.level:g} %"
        headings.append(f"{level} of change{next(iter(parts))}")
    return CellTable(("", *headings), tuple(rows))


def signed(change: float) -> str:
    """A change for display, with its sign (a true minus); 0 where there is none, however small it
    is.
    """
    if abs(change) <= ROUNDING:
        return "0"
    text = digits(abs(change))
    some = float(text.replace(",", "")) > 0
    return ("+" if change > 0 else "−") + (text if some else f"{abs(change):.1g}")


def moved(before: float, after: float) -> tuple[str, str]:
    """Two scores for display, with digits until their difference shows."""
    shown, places = (digits(before), digits(after)), 0
    while shown[0] == shown[1] and abs(after - before) > ROUNDING:
        places += 1
        shown = f"{before:.{places}f}", f"{after:.{places}f}"
    return shown


def _counts(counts: dict[str, int], unit: Unit = OBJECTS) -> str:
    """Counts by what they count."""
    return ", ".join(
        f"{unit.number(n)} {what.replace('as ', 'still ')}" for what, n in counts.items()
    )


# What a new run of partitions repaired and broke, true cluster by true cluster.


class Piece(NamedTuple):
    """A part of a true cluster in one cluster of a run."""

    cluster: Any
    objects: int
    others: int
    """Objects of other true clusters that are there too."""
    missing: bool = False
    """Whether the run lacks these objects, so that there is no cluster."""

    def __str__(self) -> str:
        if self.missing:
            return f"{self.objects:,} missing"
        others = f" with {count(self.others, 'other')}" if self.others else ""
        return f"{self.objects:,} in {name_of(self.cluster)}{others}"


@dataclass(frozen=True, eq=False)
class Run:
    """A run of partitions against the truth: what holds for all objects of a row is kept once."""

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
        if named.source is not None:
            rows = BetweenMeet.of(rows, row, named.source, named.objects.numbered().count)
        lost = losses(measure, rows) / rows.both
        where, row = named.objects.in_truth, downcast_int32(row)
        beyond = where < 0
        by_truth = np.full(len(named.truth), -1, row.dtype)
        by_truth[where[where >= 0]] = row[where >= 0]
        return cls(
            named,
            by_truth,
            downcast_int32(first),
            downcast_int32(rows.truth),
            downcast_int32(np.maximum(0, rows.guess_size - rows.both)),
            ~rows.in_guess,
            lost,
            outcome_of(rows) == 0,
            float((lost[row[beyond]] * amounts(named.objects.count, beyond)).sum()),
        )

    @property
    def counts(self) -> Ints | None:
        """How many objects each position of truth stands for."""
        return self.named.truth.counts

    def right(self, at: Ints) -> Bools:
        """Whether the objects at these positions of truth are right."""
        return self.row_right[self.row[at]]

    def clusters_of(self, at: Ints) -> list[Any]:
        """The clusters of the objects at these positions of truth; None where the run lacks
        them.
        """
        return self.named.names_of("guess", self.first[self.row[at]])

    def pieces(self, at: Ints) -> list[Piece]:
        """How the run has the objects at these positions of truth, all of one true cluster."""
        rows, row = np.unique(self.row[at], return_inverse=True)
        counts = group_sums(row.ravel(), amounts(self.counts, at))
        order = np.argsort(-counts, kind="stable")
        rows, counts = rows[order], counts[order]
        names = self.named.names_of("guess", self.first[rows])
        columns = counts, self.others[rows], self.missing[rows]
        return list(map(Piece, names, *(column.tolist() for column in columns)))


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterChange(RankedChange):
    """A true cluster that fares otherwise in the new run."""

    cluster: Any
    sample: Any
    old: list[Piece]
    new: list[Piece]
    placed: list[tuple[Any, Any]]
    """The clusters of the objects that have names, in the old and in the new run."""

    marks: ClassVar[Mapping[str, str]] = {"old": "was", "new": "is"}

    @property
    def placed_in(self) -> tuple[str, str, str, str]:
        """Its name and its size, where it was and where it is."""
        return name_of(self.cluster), f"{self.size:,}", _pieces(self.old), _pieces(self.new)

    def lines(self, ids: int | None) -> list[str]:
        """The cluster with its objects, where it was and where it is."""
        where = "" if self.sample is None else f", in {name_of(self.sample)}"
        named = "" if ids == 0 else f": {shown_ids(self.ids, ids, self.size)}"
        return [
            f"{name_of(self.cluster)}, {count(self.size, 'object')}{where}{named}",
            f"was {_pieces(self.old)}",
            f"is {_pieces(self.new)}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON-ready values."""
        runs = {run: [piece._asdict() for piece in getattr(self, run)] for run in RUNS}
        facts = {key: getattr(self, key) for key in ("cluster", "sample", "size", "change", "fate")}
        return {**facts, **runs, "ids": self.ids}

    def each(self) -> Iterable[dict[str, Any]]:
        """The clusters of each object."""
        return (dict(zip(RUNS, pair, strict=True)) for pair in self.placed)


def _pieces(pieces: list[Piece]) -> str:
    """How a true cluster lies in a run."""
    return "; ".join([*map(str, pieces[:4]), *(["…"] if len(pieces) > 4 else [])])


@dataclass(frozen=True, eq=False, repr=False)
class PartitionDiff(Diff):
    """True clusters that fare otherwise in the new run, by what their objects lose."""

    old: Run
    new: Run

    unit = "true cluster"
    queued = ("fate", "cluster", "old", "new")
    headings = ("change", "fate", "true cluster", "objects", "was", "is", "ids")
    columns = ("entry", "cluster", "sample", "size", "change", "fate", "old", "new", "id")

    @cached_property
    def _groups(self) -> Groups:
        at = self._compared
        code, many = number(self.old.truth[self.old.row[at]])
        gain = np.asarray(np.bincount(code, self.gain * self._amounts, many), np.float64)
        right = (np.bincount(code[run.right(at)], minlength=many) for run in (self.old, self.new))
        return Groups(downcast_int32(code), gain, np.bincount(code, minlength=many), *right)

    @cached_property
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them."""
        _, gain, size, before, after = self._groups
        gain = np.where(np.abs(gain) < ROUNDING, 0.0, gain)
        return by_fate(before == size, after == size, gain)

    def _named(self, at: Ints, change: float, fate: str, ids: int | None) -> ClusterChange:
        truth, first = self.old.named.truth, int(at[0])
        return ClusterChange(
            cluster=truth.labels[first], size=self._size(at), change=change, fate=fate,
            sample=None if truth.samples is None else truth.samples[first],
            old=self.old.pieces(at), new=self.new.pieces(at),
            placed=list(zip(*(run.clusters_of(at[:ids]) for run in (self.old, self.new)),
                            strict=True)),
            ids=[truth.id_of(int(i)) for i in at[:ids]],
        )  # fmt: skip

    def object(self, id: Any, sample: Any = None) -> dict[str, PartitionObject]:
        """The companions of an object in both runs."""
        return {run: partition_object(getattr(self, run).named, id, sample) for run in RUNS}


# What a new run of overlapping clusterings repaired and broke, by objects of which all three sides
# say the same.

RIGHT = CoverExplanation.kinds.index("right")


@dataclass(frozen=True, eq=False)
class CoverRun:
    """A run against the truth, object by object of truth."""

    told: CoverExplanation
    row: Ints
    """The row of the object at each position of truth, or -1 for one that is not compared."""
    row_loss: Floats
    """What an object of each row takes off the best score."""
    extra_loss: float
    """What objects that truth lacks take off the best score."""

    @classmethod
    def of(cls, told: CoverExplanation) -> CoverRun:
        """A run by the loss that is explained."""
        where, row = told.located.objects.in_truth, told.located.row
        in_truth, loss = where >= 0, told.loss / told.weight
        by_truth = np.full(len(told.located.truth), -1)
        by_truth[where[in_truth]] = row[in_truth]
        beyond = amounts(told.located.objects.count, ~in_truth)
        return cls(told, by_truth, loss, float((loss[row[~in_truth]] * beyond).sum()))

    @property
    def counts(self) -> Ints | None:
        """How many objects each position of truth stands for."""
        return self.told.located.truth.counts

    @cached_property
    def row_right(self) -> Bools:
        """Whether the objects of each row are in the clusters of truth, found to the last
        object.
        """
        return np.asarray(self.told.kind == RIGHT)

    def right(self, at: Ints) -> Bools:
        """Whether the objects at these positions of truth are right."""
        return self.row_right[self.row[at]]

    def placed(self, row: int) -> Placed:
        """Where the objects of a row are in this run."""
        missing, right = not self.told.meet.in_guess[row], bool(self.row_right[row])
        return Placed(self.told.counterparts.change(row), right, missing)

    def standings(self) -> dict[Any, Standing]:
        """The clusters that truth names, each with the guess cluster that stands for it."""
        counterparts = self.told.counterparts
        own = np.flatnonzero(~counterparts.truth.made).tolist()
        return {counterparts.truth.names[i]: counterparts.standing(i) for i in own}


class Placed(NamedTuple):
    """Where objects are in a run."""

    change: Change
    right: bool
    missing: bool
    """Whether the run lacks them."""

    def __str__(self) -> str:
        """In which clusters, and what was lost and gained."""
        if self.missing:
            return "missing"
        changes = self.change.in_words() or ("" if self.right else "other companions")
        return f"in {called(self.change.guess)}{f': {changes}' if changes else ''}"


@dataclass(frozen=True, eq=False, kw_only=True)
class CoverChange(RankedChange):
    """Objects of which each of the three sides says one thing, and that fare otherwise now."""

    old: Placed
    new: Placed
    unit: Unit = OBJECTS
    """What amounts of its objects are given in."""

    @property
    def objects(self) -> int:
        """How many objects it is about."""
        return self.size

    @property
    def placed_in(self) -> tuple[str, str, str, str]:
        """How many objects, their true clusters, where they were and where they are."""
        truth = called(self.old.change.truth)
        return self.unit.number(self.objects), truth, str(self.old), str(self.new)

    def lines(self, ids: int | None) -> list[str]:
        """The objects, where they should be, where they were and where they are."""
        named = "" if ids == 0 else f" ({shown_ids(self.ids, ids, self.objects)})"
        truth = called(self.old.change.truth)
        return [
            f"{self.unit.told(self.objects)}{named}: {truth} in truth",
            f"was {self.old}",
            f"is {self.new}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON-ready values."""
        old, new = self.old.change, self.new.change
        return {
            "truth": old.truth, "objects": self.objects, "change": self.change,
            "fate": self.fate, "old": old.guess, "old_lost": old.lost, "old_gained": old.gained,
            "new": new.guess, "new_lost": new.lost, "new_gained": new.gained, "ids": self.ids,
        }  # fmt: skip


class ClusterShift(NamedTuple):
    """A true cluster, and how similar its counterpart was and is."""

    cluster: Any
    size: int
    old: Any
    """None where no cluster stands for it."""
    old_jaccard: float
    new: Any
    new_jaccard: float

    @property
    def change(self) -> float:
        """How much more like it the new one is."""
        return self.new_jaccard - self.old_jaccard


@dataclass(frozen=True, eq=False, repr=False)
class CoverDiff(Diff):
    """Objects that fare otherwise in the new run, by the clusters they are in.

    >>> import clusterdiff as cd
    >>> truth = cd.Cover({1: ["a", "b"], 2: ["a"], 3: ["b"], 4: ["c"]})
    >>> old = cd.Cover({1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]})
    >>> cd.diff(truth, old, truth).objects
    {'repaired': 2, 'broken': 0, 'better': 0, 'worse': 0, 'as right': 2, 'as wrong': 0}
    """

    old: CoverRun
    new: CoverRun

    unit = "object"
    headings = ("change", "fate", "objects", "truth", "was", "is", "ids")
    columns = (
        "entry", "truth", "objects", "change", "fate", "old", "old_lost", "old_gained", "new",
        "new_lost", "new_gained", "id",
    )  # fmt: skip

    @cached_property
    def _groups(self) -> Groups:
        at = self._compared
        old_row, new_row = self.old.row[at], self.new.row[at]
        code, many = number(old_row * (int(new_row.max(initial=0)) + 1) + new_row)
        gain, size = np.zeros(many), np.bincount(code, minlength=many)
        was_right, is_right = np.zeros(many, np.int64), np.zeros(many, np.int64)
        # The objects of a group are alike, so that any of them speaks for it.
        gain[code], was_right[code] = self.gain, self.old.right(at)
        is_right[code] = self.new.right(at)
        objects = group_sums(code, self._amounts, many)
        return Groups(code, gain * objects, size, was_right * size, is_right * size)

    @cached_property
    def shifts(self) -> list[ClusterShift]:
        """The clusters that truth names, those that changed most first."""
        before, after = self.old.standings(), self.new.standings()
        shifts = [
            ClusterShift(name, was.truth_size, was.guess, was.jaccard, now.guess, now.jaccard)
            for name, was in before.items()
            if (now := after.get(name)) is not None
        ]
        return sorted(shifts, key=lambda shift: -abs(shift.change))

    @cached_property
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them: found to the last object, or more like one."""
        old, new = (
            np.array([shift[at] for shift in self.shifts], np.float64) for at in (3, 5)
        )  # fmt: skip
        return by_fate(old == 1, new == 1, new - old)

    def _named(self, at: Ints, change: float, fate: str, ids: int | None) -> CoverChange:
        truth, first = self.old.told.located.truth, at[0]
        return CoverChange(
            size=self._size(at), change=change, fate=fate, unit=self._amount,
            old=self.old.placed(int(self.old.row[first])),
            new=self.new.placed(int(self.new.row[first])),
            ids=[truth.id_of(int(i)) for i in at[:ids]],
        )  # fmt: skip

    def object(self, id: Any, sample: Any = None) -> dict[str, CoverObject]:
        """The clusters of an object in both runs."""
        return {name: getattr(self, name).told.object(id, sample) for name in RUNS}

    def cluster_table(self, top: int | None = TOP) -> CellTable:
        """The true clusters whose counterparts changed most, with their Jaccard indexes."""
        rows = tuple(
            (
                called([s.cluster]), self._amount.number(s.size), *_partner(s.old, s.old_jaccard),
                *_partner(s.new, s.new_jaccard), signed(s.change),
            )
            for s in self.shifts[:top]
            if abs(s.change) > ROUNDING
        )  # fmt: skip
        return CellTable(
            ("true cluster", self._amount.heading, "old", "jaccard", "new", "jaccard", "change"),
            rows,
        )

    def facts(self, top: int | None) -> dict[str, Any]:
        """For JSON: the true clusters whose counterparts changed most."""
        moved = [s for s in self.shifts[:top] if abs(s.change) > ROUNDING]
        return {"cluster_changes": [{**s._asdict(), "change": s.change} for s in moved]}


def _partner(name: Any, jaccard: float) -> tuple[str, str]:
    """A counterpart and its Jaccard index, which a cluster without one does not have."""
    return ("(none)", "") if jaccard == 0 else (called([name]), digits(jaccard))
