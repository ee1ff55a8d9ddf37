"""Two runs against one truth: what the new one repaired, and what it broke."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from clusterdiff.clusterings import SOFT, Cover, Partition
from clusterdiff.clusterings.grouping import number, small
from clusterdiff.compare.compare import joint_of, measures_by_text, scored
from clusterdiff.contingency import Policy
from clusterdiff.engines.memory import in_order_of
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.errors import KindError
from clusterdiff.explain.base import IDS, TOP, name_of
from clusterdiff.explain.cover import CoverExplanation, called, changes_of
from clusterdiff.explain.diff_result import (
    ROUNDING,
    RUNS,
    ClusterChange,
    Diff,
    Run,
    by_fate,
    change_line,
    members_of,
    pieces,
    record,
    signed,
)
from clusterdiff.explain.object import CoverObject, PartitionObject, partition_object
from clusterdiff.explain.places import refuse_samples
from clusterdiff.io import Workshop, judged_together
from clusterdiff.io.sides import Origins, opened
from clusterdiff.measures import Measure, default_measures, measure_named
from clusterdiff.measures.compat import convention_named
from clusterdiff.output.describe import count
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import hung, shown_ids
from clusterdiff.statistics.confidence import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Listed, Meet, Stack
    from clusterdiff.explain.object import Change, Standing
    from clusterdiff.io import Judged
    from clusterdiff.io.sides import Kinds, Opened

# What a new run of partitions repaired and broke, true cluster by true cluster.


@dataclass(frozen=True, eq=False, repr=False)
class PartitionDiff(Diff):
    """True clusters that fare otherwise in the new run, by what their objects lose."""

    old: Run
    new: Run

    unit = "true cluster"
    columns = (
        "cluster", "sample", "size", "change", "fate", "old", "new", "ids",
    )  # fmt: skip

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

    def table_of(self, changes: Iterable[ClusterChange], ids: int | None) -> CellTable:
        """Clusters that changed, as a table for eyes."""
        rows = tuple(
            (
                signed(c.change), c.fate, name_of(c.cluster), f"{c.size:,}", pieces(c.old),
                pieces(c.new), shown_ids(c.ids, ids, c.size),
            )
            for c in changes
        )  # fmt: skip
        return CellTable(("change", "fate", "true cluster", "objects", "was", "is", "ids"), rows)

    def change_lines(self, change: ClusterChange, width: int, ids: int | None) -> str:
        """A cluster that changed, with where it was and where it is."""
        return change_line(change, width, ids)

    def record(self, change: ClusterChange) -> dict[str, Any]:
        """A change for programs."""
        return record(change)


# What a new run of overlapping clusterings repaired and broke, by objects of which all three sides
# say the same.

RIGHT = CoverExplanation.kinds.index("right")


@dataclass(frozen=True, eq=False)
class CoverRun:
    """A run against the truth, object by object of truth."""

    told: CoverExplanation
    row: Ints
    """The row of the object at each position of truth, or -1 for one that is not compared."""
    loss: Floats
    """What an object of each row takes off the best score."""
    extra_loss: float
    """What objects that truth lacks take off the best score."""

    @classmethod
    def of(cls, judged: Judged, name: str, by: Measure) -> CoverRun:
        """A run by the loss of a measure; refused if that does not decompose over objects."""
        told = CoverExplanation.of(judged, name, by)
        where, row = told.located.objects.in_truth, told.located.row
        known, loss = where >= 0, told.loss / told.weight
        at = np.full(len(told.located.truth), -1)
        at[where[known]] = row[known]
        return cls(told, at, loss, float(loss[row[~known]].sum()))

    @cached_property
    def right(self) -> Bools:
        """Whether the objects of each row are in the clusters of truth, found to the last
        object.
        """
        return np.asarray(self.told.kind == RIGHT)

    def placed(self, row: int) -> Placed:
        """Where the objects of a row are in this run."""
        missing, right = not self.told.meet.in_guess[row], bool(self.right[row])
        return Placed(self.told.counterparts.change(row), right, missing)

    def standings(self) -> dict[Any, Standing]:
        """The clusters that truth names, each with the guess cluster that stands for it."""
        names, made = self.told.counterparts.truth
        own = np.flatnonzero(~made).tolist()
        return {names[i]: self.told.counterparts.standing(i) for i in own}


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
        told = changes_of(self.change) or ("" if self.right else "other companions")
        return f"in {called(self.change.guess)}{f': {told}' if told else ''}"


class CoverChange(NamedTuple):
    """Objects of which all three sides say the same, and that fare otherwise in the new run."""

    objects: int
    change: float
    """How much less they take off the best score; negative if it is more."""
    fate: str
    """repaired (right now), broken (no more), better or worse."""
    old: Placed
    new: Placed
    ids: list[Any]


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
    columns = (
        "truth", "objects", "change", "fate", "old", "old_lost", "old_gained", "new", "new_lost",
        "new_gained", "ids",
    )  # fmt: skip

    @cached_property
    def _compared(self) -> Ints:
        """Positions of truth whose objects are compared in both runs."""
        return np.flatnonzero((self.old.row >= 0) & (self.new.row >= 0))

    @cached_property
    def _groups(self) -> tuple[Ints, Ints, Ints, Floats]:
        """The group of each object compared; for each group its row in both runs, and its gain."""
        at = self._compared
        rows = self.old.row[at], self.new.row[at]
        code, many = number(rows[0] * (int(rows[1].max(initial=0)) + 1) + rows[1])
        old, new = np.zeros(many, np.int64), np.zeros(many, np.int64)
        old[code], new[code] = rows
        gain = self.old.loss[old] - self.new.loss[new]
        gain[np.abs(gain) < ROUNDING / max(at.size, 1)] = 0.0
        return code, old, new, gain

    @property
    def extra_gain(self) -> float:
        """How much less objects that truth lacks take off the best score."""
        return self.old.extra_loss - self.new.extra_loss

    @cached_property
    def objects(self) -> dict[str, int]:
        """Objects by what became of them."""
        code, old, new, gain = self._groups
        return by_fate(self.old.right[old][code], self.new.right[new][code], gain[code])

    @cached_property
    def shifts(self) -> list[ClusterShift]:
        """The clusters that truth names, those that changed most first."""
        before, after = self.old.standings(), self.new.standings()
        made = [
            ClusterShift(name, one.truth_size, one.guess, one.jaccard, then.guess, then.jaccard)
            for name, one in before.items()
            if (then := after.get(name)) is not None
        ]
        return sorted(made, key=lambda shift: -abs(shift.change))

    @cached_property
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them: found to the last object, or more like one."""
        old, new = (
            np.array([shift[at] for shift in self.shifts], np.float64) for at in (3, 5)
        )  # fmt: skip
        return by_fate(old == 1, new == 1, new - old)

    def changed(
        self, better: bool, top: int | None = TOP, ids: int | None = IDS
    ) -> list[CoverChange]:
        """The objects that fare better (or worse) in the new run, most changed first."""
        code, old, new, gain = self._groups
        size = np.bincount(code, minlength=gain.size)
        signed_gain = gain * size if better else -gain * size
        order = np.argsort(-np.round(signed_gain, 15), kind="stable")
        order = order[signed_gain[order] > ROUNDING][:top]
        truth, made = self.old.told.located.truth, []
        for group, members in zip(order.tolist(), members_of(code, size, order), strict=True):
            was, now = self.old.placed(int(old[group])), self.new.placed(int(new[group]))
            fate = "broken" if was.right else "better" if better else "worse"
            made.append(
                CoverChange(
                    int(size[group]), float(gain[group] * size[group]),
                    "repaired" if now.right else fate, was, now,
                    [truth.id_of(int(i)) for i in self._compared[members[:ids]]],
                )
            )  # fmt: skip
        return made

    def object(self, id: Any, sample: Any = None) -> dict[str, CoverObject]:
        """The clusters of an object in both runs."""
        return {name: getattr(self, name).told.object(id, sample) for name in RUNS}

    def change_lines(self, change: CoverChange, width: int, ids: int | None) -> str:
        """Objects that changed, with where they should be, where they were and where they are."""
        named = "" if ids == 0 else f" ({shown_ids(change.ids, ids, change.objects)})"
        lines = [
            f"{count(change.objects, 'object')}{named}: {called(change.old.change.truth)} in truth",
            f"was {change.old}",
            f"is {change.new}",
        ]
        return hung(f"  {signed(change.change):>8}  {change.fate:<8}  ", lines, width)

    def record(self, change: CoverChange) -> dict[str, Any]:
        """A change for programs."""
        old, new = change.old.change, change.new.change
        return {
            "truth": old.truth, "objects": change.objects, "change": change.change,
            "fate": change.fate, "old": old.guess, "old_lost": old.lost, "old_gained": old.gained,
            "new": new.guess, "new_lost": new.lost, "new_gained": new.gained, "ids": change.ids,
        }  # fmt: skip

    def table_of(self, changes: Iterable[CoverChange], ids: int | None) -> CellTable:
        """Objects that changed, as a table for eyes."""
        rows = tuple(
            (
                signed(c.change), c.fate, f"{c.objects:,}", called(c.old.change.truth),
                str(c.old), str(c.new), shown_ids(c.ids, ids, c.objects),
            )
            for c in changes
        )  # fmt: skip
        return CellTable(("change", "fate", "objects", "truth", "was", "is", "ids"), rows)

    def cluster_table(self, top: int | None = TOP) -> CellTable:
        """The true clusters whose counterparts changed most, with their Jaccard indexes."""
        rows = tuple(
            (
                called([s.cluster]), f"{s.size:,}", *_partner(s.old, s.old_jaccard),
                *_partner(s.new, s.new_jaccard), signed(s.change),
            )
            for s in self.shifts[:top]
            if abs(s.change) > ROUNDING
        )  # fmt: skip
        return CellTable(
            ("true cluster", "objects", "old", "jaccard", "new", "jaccard", "change"), rows
        )

    def facts(self, top: int | None) -> dict[str, Any]:
        """For JSON: the true clusters whose counterparts changed most."""
        moved = [s for s in self.shifts[:top] if abs(s.change) > ROUNDING]
        return {"cluster_changes": [{**s._asdict(), "change": s.change} for s in moved]}


def _partner(name: Any, jaccard: float) -> tuple[str, str]:
    """A counterpart and its Jaccard index, which a cluster without one does not have."""
    return ("(none)", "") if jaccard == 0 else (called([name]), digits(jaccard))


if TYPE_CHECKING:
    Met = Meet | Stack | Listed


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

    Clusters of partitions are ranked, by elm_f unless `by` names another measure; of overlapping
    clusterings (covers, or kind="cover") the objects of which all three sides say the same, by
    cice_f. confidence=0.95 adds the interval and the p-value of each change; it and
    `compat` are as in `compare`.
    """
    runs = opened(engine, truth, {"old": old, "new": new}, kind, samples, whole=True)
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
    _refuse_uncertain(sides)
    origins = Origins.of(sides[0], {"old": sides[1], "new": sides[2]})
    overlap = any(isinstance(side, Cover) for side in sides)
    chosen = measure_named(by or (CoverExplanation.default if overlap else "elm_f"))
    shown = measures or default_measures(policy.align, overlap)
    asked = {str(chosen): chosen, **measures_by_text([*shown, *besides])}
    truth, old, new = sides
    sides.clear()
    if overlap:
        refuse_samples(truth, old, new, verb="diff")
        judged = judged_together(Workshop(), truth, {"old": old, "new": new}, policy)
        covers = [CoverRun.of(judged, name, chosen) for name in RUNS]
        meets: dict[str, Met] = {name: judged.met(name) for name in RUNS}
        made = _scored(judged, meets, asked, origins, confidence)
        found: Diff = CoverDiff(made[chosen]["new"], made, judged.lost("new", "old"), *covers)
        return found.read_from(origins)
    truth = cast(Partition, truth)
    both = {"old": in_order_of(truth, cast(Partition, old))}
    del old
    both["new"] = in_order_of(truth, cast(Partition, new))
    del new
    judged = judged_together(Workshop(), truth, both, policy)
    runs = [Run.of(cast(MemoryNamedComparison, judged.compared(name)), chosen) for name in RUNS]
    meets = {
        name: judged.met(name) if run.named.sampled else run.named.meet
        for name, run in zip(RUNS, runs, strict=True)
    }
    made = _scored(judged, meets, asked, origins, confidence)
    found = PartitionDiff(made[chosen]["new"], made, judged.lost("new", "old"), *runs)
    return found.read_from(origins)


def _scored(
    judged: Judged,
    meets: dict[str, Met],
    asked: dict[str, Measure],
    origins: Origins,
    confidence: Confidence | None,
) -> Report:
    """Both runs, side by side."""
    report = scored(meets, asked, origins, confidence)
    return replace(report, joint=joint_of(judged, meets, confidence))


def _refuse_uncertain(sides: list[AnyClustering]) -> None:
    for name, side in zip(("truth", "the old run", "the new run"), sides, strict=True):
        if side.kind in SOFT:
            raise KindError(
                f"a diff compares partitions and covers; {name} is {side.kind}.",
                "cd.compare(truth, {'old': old, 'new': new}) scores uncertain clusterings side by "
                "side.",
            )
