"""Two runs against one truth: what the new one repaired, and what it broke."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from clusterdiff.backends.labelled.memory import Named
from clusterdiff.backends.memory.match import in_order_of
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.encode.group import number, small
from clusterdiff.errors import KindError
from clusterdiff.inputs import Workshop, judged_together
from clusterdiff.measures import Measure, default_measures, measure_named
from clusterdiff.measures.compat import convention_named
from clusterdiff.meet import Policy
from clusterdiff.results.compare import joint_of, measures_by_text, scored
from clusterdiff.results.describe import count
from clusterdiff.results.diff.changes import (
    ROUNDING,
    RUNS,
    ClusterChange,
    Run,
    by_fate,
    change_line,
    members_of,
    record,
    signed,
    told,
)
from clusterdiff.results.diff.tables import changes_table, markdown_of, scores_table
from clusterdiff.results.explain.base import IDS, TOP, RankedResult
from clusterdiff.results.explain.object import PartitionObject, partition_object
from clusterdiff.results.intervals import told_change
from clusterdiff.results.origins import Origins
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import to_text, wrapped
from clusterdiff.results.sides import opened
from clusterdiff.statistics.confidence import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.inputs.together import Lost
    from clusterdiff.results.report import Report
    from clusterdiff.results.score import Score
    from clusterdiff.results.sides import Opened
    from clusterdiff.statistics.difference import Difference


def diff(
    truth: Any,
    old: Any,
    new: Any,
    by: str | Measure | None = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    align: str | None = None,
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    engine: Any = None,
    confidence: float | None = None,
    units: str | None = None,
    strata: Any = None,
    method: str = "jackknife",
    seed: int = 0,
    compat: str | None = None,
) -> Diff:
    """What a new run repaired and what it broke: scores, objects, and clusters ranked by change.

    >>> change = diff({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 3: "z"}, {1: "x", 2: "x", 3: "x"})
    >>> change.objects
    {'repaired': 0, 'broken': 1, 'better': 2, 'worse': 0, 'as right': 0, 'as wrong': 0}

    `by` is the measure whose loss is explained, elm_f if none is named. confidence=0.95 adds the
    interval of each change and the p of the swap test; it and `compat` are as in `compare`.
    """
    runs = opened(engine, truth, {"old": old, "new": new}, None, samples, whole=True)
    convention = convention_named(compat)
    asked = convention.chosen(measures_by_text(measures).values()) if measures else []
    sureness = Confidence.of(confidence, units, method, strata, seed)
    policy, by = Policy(convention.align(align), noise, noise_as), convention.explained(by)
    return diff_sides(runs, by, asked or convention.default(False), policy, confidence=sureness)


def diff_sides(
    opened_sides: Opened,
    by: str | Measure | None,
    measures: Iterable[str | Measure] | None,
    policy: Policy,
    besides: Iterable[Measure] = (),
    confidence: Confidence | None = None,
) -> Diff:
    """What two runs have made of one truth, all of them in memory, of which the list lets go.
    `besides` are measures more, whatever the others are.
    """
    with opened_sides as (shop, left, guesses):
        sides = [shop.loaded(side) for side in (left, *guesses.values())]
    del left, guesses
    kinds = zip(("truth", "the old run", "the new run"), [one.kind for one in sides], strict=True)
    for name, kind in kinds:
        if kind != Partition.kind:
            raise KindError(
                f"a diff compares partitions; {name} is {kind}.",
                "cd.compare(truth, {'old': old, 'new': new}) scores overlapping and uncertain "
                "clusterings side by side.",
            )
    origins = Origins.of(sides[0], {"old": sides[1], "new": sides[2]})
    chosen = measure_named(by or "elm_f")
    truth = cast(Partition, sides.pop(0))
    both = {name: in_order_of(truth, cast(Partition, sides.pop(0))) for name in RUNS}
    judged = judged_together(Workshop(), truth, both, policy)
    runs = {name: Run.of(cast(Named, judged.compared(name)), chosen) for name in RUNS}
    shown = measures_by_text([*(measures or default_measures(policy.align)), *besides])
    meets = {
        name: judged.met(name) if run.named.sampled else run.named.meet
        for name, run in runs.items()
    }
    report = scored(meets, {str(chosen): chosen, **shown}, origins, confidence)
    report = replace(report, joint=joint_of(judged, meets, confidence))
    lost = judged.lost("new", unless="old")
    found = Diff(report[chosen]["new"], runs["old"], runs["new"], report, lost)
    return found.read_from(origins)


@dataclass(frozen=True, eq=False, repr=False)
class Diff(RankedResult):
    """What a new run changed: scores, objects, clusters."""

    schema = "diff/1"

    score: Score
    """The score of the new run."""
    old: Run
    new: Run
    report: Report
    """Both runs, side by side."""
    lost: Lost
    """What the new run is not judged on, and the old one would be: the new one lacks it, or calls
    it noise that is dropped."""

    columns = (
        "cluster", "sample", "size", "change", "fate", "old", "new", "ids",
    )  # fmt: skip

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
        return small(np.flatnonzero((self.old.row >= 0) & (self.new.row >= 0)))

    @property
    def gain(self) -> Floats:
        """How much less each object that is compared in both runs takes off the best score."""
        at = self._compared
        gain = self.old.row_loss[self.old.row[at]]
        gain -= self.new.row_loss[self.new.row[at]]
        gain[np.abs(gain) < ROUNDING / max(at.size, 1)] = 0.0
        return gain

    @property
    def extra_gain(self) -> float:
        """How much less objects that truth lacks take off the best score; they are in no true
        cluster.
        """
        return self.old.extra_loss - self.new.extra_loss

    @cached_property
    def objects(self) -> dict[str, int]:
        """Objects by what became of them."""
        at = self._compared
        return by_fate(self.old.right(at), self.new.right(at), self.gain)

    @cached_property
    def _by_cluster(self) -> tuple[Ints, Floats, Ints, Ints, Ints]:
        """The true cluster of each object compared, and for each cluster: its gain, objects, and
        how many of them were and are right.
        """
        at = self._compared
        code, many = number(self.old.truth[self.old.row[at]])
        gain = np.asarray(np.bincount(code, self.gain, many), np.float64)
        size = np.bincount(code, minlength=many)
        before, after = (
            np.bincount(code[run.right(at)], minlength=many) for run in (self.old, self.new)
        )
        return small(code), gain, size, before, after

    @cached_property
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them."""
        _, gain, size, before, after = self._by_cluster
        gain = np.where(np.abs(gain) < ROUNDING, 0.0, gain)
        return by_fate(before == size, after == size, gain)

    def changed(
        self, better: bool, top: int | None = TOP, ids: int | None = IDS
    ) -> list[ClusterChange]:
        """The true clusters that fare better (or worse) in the new run, most changed first."""
        code, gain, size, before, after = self._by_cluster
        signed = gain if better else -gain
        order = np.argsort(-np.round(signed, 15), kind="stable")
        order = order[signed[order] > ROUNDING][:top]
        truth, members = self.old.named.truth, members_of(code, size, order)
        made = []
        for c, where in zip(order.tolist(), members, strict=True):
            at = self._compared[where]
            first = int(at[0])
            whole, now = before[c] == size[c], after[c] == size[c]
            fate = "repaired" if now else "broken" if whole else "better" if better else "worse"
            made.append(
                ClusterChange(
                    truth.labels[first], None if truth.samples is None else truth.samples[first],
                    int(size[c]), float(gain[c]), fate, self.old.pieces(at), self.new.pieces(at),
                    [truth.id_of(int(i)) for i in at[:ids]],
                )
            )  # fmt: skip
        return made

    def object(self, id: Any, sample: Any = None) -> dict[str, PartitionObject]:
        """The companions of an object in both runs."""
        runs = {"old": self.old, "new": self.new}
        return {name: partition_object(run.named, id, sample) for name, run in runs.items()}

    @property
    def headline(self) -> str:
        """The score of both runs."""
        before, after = (float(self.report[self.measure][run]) for run in RUNS)
        over = f", mean of {len(self.report.samples):,} samples," if self.report.samples else ""
        moved = f"{digits(before)} -> {digits(after)} ({signed(after - before)})"
        sure = "" if self.report.confidence is None else told_change(self.difference(self.measure))
        return f"{self.measure}{over} {moved}{sure}."

    def difference(self, measure: str | Measure) -> Difference:
        """The change of a measure with its interval and the p of the swap test."""
        return self.report.difference(measure, "new", "old")

    def significant(self) -> Diff:
        """The same with the measures alone whose change is sure, and the one that is explained."""
        kept = {
            text: measure
            for text, measure in self.report.measures.items()
            if measure == self.measure or self.difference(text).sure
        }
        return replace(self, report=replace(self.report, measures=kept))

    def to_text(
        self, width: int | None = None, top: int | None = TOP, ids: int | None = IDS
    ) -> str:
        """The change for a terminal of this width."""
        columns = width or shutil.get_terminal_size().columns
        lines = [wrapped(self.headline, columns), "", to_text(scores_table(self), columns), ""]
        lines += [wrapped(line, columns) for line in self.sentences()]
        lines += self.columns_read(columns)
        for better, title in ((False, "Worse now"), (True, "Better now")):
            some = self.changed(better, top, ids)
            if some:
                lines += ["", f"{title}:"]
                lines += [change_line(change, columns, ids) for change in some]
        return "\n".join(lines)

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
        """The clusters that changed most, as a table for eyes."""
        return changes_table(self._both(top, ids), ids)

    def to_markdown(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A comment on a pull request: verdict, scores, and the clusters that changed."""
        return markdown_of(self, top, ids)

    def _both(self, top: int | None, ids: int | None) -> list[ClusterChange]:
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
            "worse": [record(c) for c in self.changed(False, top, ids)],
            "better": [record(c) for c in self.changed(True, top, ids)],
            **self.origins.to_dict(),
        }

    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """One record per true cluster that changed, those that are worse first."""
        return [record(c) for c in self._both(top, ids)]
