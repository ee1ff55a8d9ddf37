"""What goes with errors: slices of the objects, by their records, that lose more than their share.

Whatever the measure, a slice's share of the loss is compared with its share of the objects. Units
are those of intervals, since the objects of a component, or a sample, err together. A slice that
stands out goes with errors; the test does not say that it causes them.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.grouping import number
from clusterdiff.compare.differences import shown_p
from clusterdiff.engines.memory import every_row
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.explain.cover import CoverExplanation
from clusterdiff.explain.partition import Explanation, check_all_pairs
from clusterdiff.explain.ranking import NOTHING, TOP
from clusterdiff.io.records import shown_value
from clusterdiff.measures.attribution import losses
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Listing, Result, paragraphs
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import NARROW, hung, wrapped
from clusterdiff.statistics.intervals import EXACT, FEWEST, holm
from clusterdiff.statistics.units import component_of_covers

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.explain.ranking import BaseExplanation
    from clusterdiff.io.records import Records
    from clusterdiff.measures import Measure
    from clusterdiff.statistics.confidence import Confidence

OBJECTS = 20
"""The smallest number of objects of a slice."""
UNITS = 5
"""The smallest number of units that they are in."""
VALUES = 50
"""As many values of an attribute are slices of their own."""
QUANTILES = 5
"""Ranges of an attribute with more numbers than that, with about as many objects each."""
AT_ONCE = 8
"""Attributes that are looked up together."""
ORDERED = (int, float, Decimal, dt.date, dt.time, dt.timedelta, np.number)
"""Values that have ranges."""
COUNTED = {"words": "word", "characters": "character"}
"""Kinds of slices by how much text there is."""


class Slice(NamedTuple):
    """The objects of which an attribute says the same."""

    attribute: str
    kind: str
    """"value", "range", "missing", or the number of "words" or "characters" of a text."""
    value: str | None
    """As it is shown; None where it is missing."""
    objects: int
    share: float
    """Of all objects."""
    units: int
    wrong: int
    """Objects whose clusters differ."""
    loss: float
    """What its objects take off the best score."""
    loss_share: float
    """Of the whole loss."""
    p: float
    """Corrected by Holm's method for all slices that are tested; NaN where it is not tested."""

    @property
    def excess(self) -> float:
        """Its share of the loss less its share of the objects."""
        return self.loss_share - self.share

    @property
    def ratio(self) -> float:
        """Its share of the loss by its share of the objects: 1 is as much as any."""
        return self.loss_share / self.share

    @property
    def title(self) -> str:
        """The attribute and its value, as a clause."""
        said = f"is {'missing' if self.value is None else self.value}"
        if self.kind in COUNTED:
            said = f"has {self.value} {COUNTED[self.kind]}{'s' * (self.value != '1')}"
        return f"{shown_value(self.attribute)} {said}"


@dataclass(frozen=True, eq=False, repr=False)
class Slices(Result):
    """Slices of the objects, ranked by how much more of the loss than of the objects they have."""

    schema = "explain-slices/1"
    columns = (
        "attribute", "kind", "value", "objects", "share", "units", "wrong", "wrong_share", "loss",
        "loss_share", "excess", "ratio", "p",
    )  # fmt: skip

    measure: Measure
    loss: float
    objects: int
    wrong: int
    units: str
    """What is left out: components or samples."""
    number: int
    """How many of them there are."""
    level: float
    slices: tuple[Slice, ...]

    @classmethod
    def of(cls, told: BaseExplanation[Any], confidence: Confidence) -> Slices:
        """The slices of the objects of an explanation, by their records."""
        records = told.attributes
        check_all_pairs(told, "what goes with errors")
        if records is None or not records.every:
            raise ClusterdiffError(
                "there is nothing to slice by: no other columns of the objects are known.",
                "give a table with them, records=frame or records='people.csv'.",
                "name a table that has them, --records people.csv.",
            )
        objects = sliced_objects(told)
        if (
            confidence.method != "jackknife"
            or confidence.strata
            or confidence.units not in (None, "components", "samples")
        ):
            raise ClusterdiffError(
                "slices are tested by leaving out components, or samples.",
                "leave strata, the method and units of objects out.",
            )
        if confidence.units == "samples" and objects.samples is None:
            raise ClusterdiffError(
                'the units "samples" need samples, and there are none.',
                "name them with samples=, or leave units= out for components.",
            )
        found = Losses.of(objects, confidence.units)
        slices: list[Slice] = []
        for attribute, values in _columns(records, objects):
            for kind, value, members in slices_of(values):
                one = found.slice(attribute, kind, value, members)
                slices += [] if one is None else [one]
        ranked = sorted(corrected(slices), key=lambda s: -round(s.excess, 12))
        return cls(
            told.measure, found.total, int(found.count.sum()), int(found.count[found.wrong].sum()),
            found.name, found.units, confidence.level, tuple(ranked),
        )  # fmt: skip

    @property
    def tested(self) -> int:
        """How many slices are tested."""
        return sum(not math.isnan(one.p) for one in self.slices)

    def standing_out(self) -> list[Slice]:
        """The slices that lose more than their share by more than chance explains."""
        return [s for s in self.slices if s.excess > 0 and s.p <= 1 - self.level + EXACT]

    def verdict(self) -> str:
        """Whether any slice stands out, and of how many."""
        if not self.slices:
            return (
                f"No slice stands out: none has {OBJECTS} objects in {UNITS} {self.units} and "
                "leaves others."
            )
        if not self.tested:
            few = f"there are {self.number:,} {self.units}, and a test needs {FEWEST}"
            why = few if self.loss > NOTHING else "nothing is lost"
            return f"No slice stands out, since none can be tested: {why}."
        found, level = len(self.standing_out()), f"{100 * (1 - self.level):g} %"
        stand = "stands" if found == 1 else "stand"
        many = f"{found:,}" if found else "No slice"
        of = f" of {self.tested:,} tested slices {stand} out" if found else " stands out"
        tests = "" if found else f" among {self.tested:,} that were tested"
        return f"{many}{of}{tests} (Holm-corrected, {level})."

    @property
    def headline(self) -> str:
        """How much is wrong, and whether any slice stands out."""
        wrong = percent(self.wrong / self.objects if self.objects else 0.0)
        verb = "is" if self.wrong == 1 else "are"
        return (
            f"{self.wrong:,} of {count(self.objects, 'object')} {verb} wrong ({wrong}); "
            f"{self.measure} loses {digits(self.loss)}. {self.verdict()}"
        )

    def notes(self) -> list[str]:
        """What the columns are, and what the test does not say."""
        if not self.standing_out():
            return []
        return [
            "objects: the slice's share of all objects; wrong: the share of its objects whose "
            "clusters differ; loss: its share of the loss; ratio: loss by objects; p: the "
            f"probability of such a loss by chance if {self.units} err independently of each "
            f"other, corrected for {self.tested:,} tests. Slices overlap, and one that goes with "
            "errors need not cause them."
        ]

    def blocks(self, width: int, top: int | None = TOP) -> Iterator[Block]:
        """Whether a slice stands out, those that do, and what the columns are."""
        yield wrapped(self.headline, width)
        rows = self.table(top).rows
        if rows and width < NARROW:
            yield self.table(top)
        elif rows:
            lines = [f"  {'objects':>7}  {'wrong':>7}  {'loss':>7}  {'ratio':>6}  {'p':<9}  slice"]
            for title, objects, wrong, lost, ratio, p in rows:
                start = f"  {objects:>7}  {wrong:>7}  {lost:>7}  {ratio:>6}  {p:<9}  "
                lines.append(hung(start, [printable(title)], width))
            more = len(self.standing_out()) - len(rows)
            lines += [f"  … and {more:,} more"] if more > 0 else []
            yield Listing("\n".join(lines), self.table(top))
        yield from paragraphs(self.notes(), width)

    def table(self, top: int | None = TOP) -> CellTable:
        """The slices that stand out, as a table for display."""
        rows = tuple(
            (
                s.title, percent(s.share), percent(s.wrong / s.objects), percent(s.loss_share),
                f"{s.ratio:.1f}", shown_p(s.p),
            )
            for s in self.standing_out()[:top]
        )  # fmt: skip
        return CellTable(("slice", "objects", "wrong", "loss", "ratio", "p"), rows)

    def records(self, top: int | None = None) -> list[dict[str, Any]]:
        """One record per slice, those that do not stand out among them."""
        return [
            {
                "attribute": s.attribute, "kind": s.kind, "value": s.value, "objects": s.objects,
                "share": s.share, "units": s.units, "wrong": s.wrong,
                "wrong_share": s.wrong / s.objects, "loss": s.loss, "loss_share": s.loss_share,
                "excess": s.excess, "ratio": s.ratio,
                "p": None if math.isnan(s.p) else s.p,
            }
            for s in self.slices[:top]
        ]  # fmt: skip

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {
            "measure": str(self.measure),
            "loss": self.loss,
            "objects": self.objects,
            "wrong": self.wrong,
            "units": {"name": self.units, "count": self.number},
            "level": self.level,
            "tested": self.tested,
            "slices": self.records(top),
        }


class Groups(NamedTuple):
    """Objects that may belong to slices together: those of a cluster, or of a unit."""

    of_object: Ints
    sizes: Ints
    variance: float
    """Of the excess of a slice that has all or none of each group, by that of belonging to it."""

    @classmethod
    def of(cls, of_object: Ints, excess: Floats) -> Groups:
        """These groups, by how much more each object has of the loss than of the objects."""
        together = np.bincount(of_object, excess)
        return cls(of_object, np.bincount(of_object), float((together**2).sum()))

    def correlation(self, members: Ints, share: float) -> float:
        """How much the objects of a group belong to a slice together: 0 is as by chance, 1 is all
        or none.
        """
        several = self.sizes > 1
        sizes = self.sizes[several]
        inside = np.bincount(self.of_object[members], minlength=self.sizes.size)[several]
        apart = float(((inside - share * sizes) ** 2 / sizes).sum()) / (share * (1 - share))
        more = int(sizes.sum()) - sizes.size
        return min(1.0, max(0.0, (apart - sizes.size) / more)) if more else 0.0


class SlicedObjects(NamedTuple):
    """The objects of an explanation, one by one."""

    items: Ints
    """Their places among the objects of the comparison."""
    ids: list[Any]
    samples: list[Any] | None
    count: Ints  # type: ignore[assignment]
    """How often each counts."""
    loss: Floats
    """Of all its copies."""
    wrong: Bools
    component: Ints
    truth: Ints
    """The truth cluster of each, or the set of those that it is in; -1 for none."""
    guess: Ints


def sliced_objects(told: BaseExplanation[Any]) -> SlicedObjects:
    """The objects of an explanation in memory; of overlapping clusters, those that share any hang
    together.
    """
    if isinstance(told, Explanation):
        return _of_partitions(told)
    if not isinstance(told, CoverExplanation):
        raise ClusterdiffError(
            "slices are tested by leaving out components, and uncertain clusterings have none.",
            "explain what they are most likely to be, truth.harden() and guess.harden().",
            "leave --slices out.",
        )
    located = told.located
    items = np.flatnonzero((located.objects.in_truth >= 0) | (located.objects.in_guess >= 0))
    row, count = located.row[items], _counts(located.objects, items)
    meet, loss = told.meet, told.loss / np.maximum(told.weight, 1)
    unit = component_of_covers(meet)
    return SlicedObjects(
        items, [located.id_of(item) for item in items.tolist()], None, count, loss[row] * count,
        told.differs[row], unit[row], meet.truth.row[row], meet.guess.row[row],
    )  # fmt: skip


def _counts(objects: Any, items: Ints) -> Ints:
    """How often some objects count."""
    return np.ones(items.size, np.int64) if objects.count is None else objects.count[items]


def _of_partitions(told: Explanation) -> SlicedObjects:
    named = told.named
    if not isinstance(named, MemoryNamedComparison):
        raise ClusterdiffError(
            "slices need the records of all objects in memory, and this comparison is too "
            "large for that.",
            "allow more memory, or compare a sample of the clusters.",
        )
    rows, row, _ = every_row(named.objects)
    items = np.flatnonzero((named.objects.in_truth >= 0) | (named.objects.in_guess >= 0))
    row, count = row[items], _counts(named.objects, items)
    loss = losses(told.measure, rows) / rows.both
    return SlicedObjects(
        items, named.ids_of(items), named.samples_of(items) if named.sampled else None, count,
        loss[row] * count, ~rows.agree[row], rows.component[row], rows.truth[row], rows.guess[row],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Losses:
    """What each object loses, and the unit that it is in. Objects that count more than once are one
    each where it is asked how many there are to test with.
    """

    count: Ints
    loss: Floats
    wrong: Bools
    unit: Ints
    name: str
    """What units are: components or samples."""
    total: float
    alone: float
    """The variance of the excess of a slice whose objects belong to it one by one, by that of
    belonging to it.
    """
    groups: list[Groups]
    """By unit, by truth cluster and by guess cluster."""

    @classmethod
    def of(cls, objects: SlicedObjects, units: str | None) -> Losses:
        """The losses of these objects."""
        loss, count, many = objects.loss, objects.count, objects.items.size
        by_samples = objects.samples is not None and units != "components"
        if objects.samples is not None and by_samples:
            place: dict[Any, int] = {}
            unit = np.array(
                [place.setdefault(one, len(place)) for one in objects.samples], np.int64
            )
        else:
            unit = number(objects.component)[0]
        total = float(loss.sum())
        excess = (loss / total if total > NOTHING else loss) - count / max(int(count.sum()), 1)
        sides = (np.where(side < 0, side.max(initial=0) + 1 + np.arange(many), side)
                 for side in (objects.truth, objects.guess))  # fmt: skip
        groups = [Groups.of(each, excess) for each in (unit, *(number(side)[0] for side in sides))]
        return cls(
            count, loss, objects.wrong, unit, "samples" if by_samples else "components", total,
            float((excess**2).sum()), groups,
        )  # fmt: skip

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.groups[0].sizes.size)

    def slice(self, attribute: str, kind: str, value: str | None, members: Ints) -> Slice | None:
        """The slice of these objects; None where it is too small, or everything."""
        units = np.unique(self.unit[members]).size
        if members.size < OBJECTS or units < UNITS or members.size == self.unit.size:
            return None
        count, wrong = self.count[members], self.wrong[members]
        loss, objects = float(self.loss[members].sum()), int(count.sum())
        share = objects / int(self.count.sum())
        loss_share = loss / self.total if self.total > NOTHING else 0.0
        return Slice(
            attribute, kind, value, objects, share, units, int(count[wrong].sum()), loss,
            loss_share, self._p(members, share, loss_share),
        )  # fmt: skip

    def _p(self, members: Ints, share: float, loss_share: float) -> float:
        """The probability that a slice has so much of the loss if its objects err like all others.

        Its share of the loss is taken for one of as many draws as would have its variance, as
        Korn and Graubard do for rare errors. The variance is that of objects that belong to the
        slice as much together as they do, by units or clusters, whichever is more. A jackknife
        takes it from the errors in the slice: where the few there are happen to be in it, it sees
        no variance.
        """
        from scipy.special import betainc

        if self.units < FEWEST or self.total <= NOTHING:
            return math.nan
        if loss_share <= share:
            return 1.0
        variance = self.alone
        for group in self.groups:
            alike = group.correlation(members, members.size / self.unit.size)
            variance = max(variance, (1 - alike) * self.alone + alike * group.variance)
        if variance < NOTHING**2:
            return 1.0
        draws = 1 / variance
        return float(betainc(loss_share * draws, (1 - loss_share) * draws + 1, share))


def corrected(slices: Sequence[Slice]) -> list[Slice]:
    """Slices with p-values for all of them together."""
    together = holm({i: one.p for i, one in enumerate(slices) if not math.isnan(one.p)})
    return [one._replace(p=together.get(i, math.nan)) for i, one in enumerate(slices)]


def _columns(records: Records, objects: SlicedObjects) -> Iterator[tuple[str, list[Any]]]:
    """Each attribute with its value for each object, some attributes at a time."""
    nothing = True
    for at in range(0, len(records.every), AT_ONCE):
        some = replace(records, columns=records.every[at : at + AT_ONCE])
        for name, values in zip(
            some.columns, zip(*some.of(objects.ids, objects.samples), strict=True), strict=True
        ):
            nothing = nothing and all(value is None for value in values)
            yield name, list(values)
    if nothing:
        raise ClusterdiffError(
            f"{records.shown} says nothing of these objects.",
            "are its ids those of the clusterings, and is it still there?",
        )


def members_of(told: BaseExplanation[Any], slices: Sequence[Slice]) -> Iterator[tuple[Slice, Ints]]:
    """The objects of some slices of an explanation, by their places in the comparison."""
    records = told.attributes
    assert records is not None
    if not slices:
        return
    wanted = {(one.attribute, one.kind, one.value): one for one in slices}
    asked = replace(records, every=tuple(dict.fromkeys(one.attribute for one in slices)))
    objects = sliced_objects(told)
    for attribute, values in _columns(asked, objects):
        for kind, value, members in slices_of(values):
            if (one := wanted.get((attribute, kind, value))) is not None:
                yield one, objects.items[members]


# The slices of an attribute.

Places = dict[Any, list[int]]
"""The places of the objects of each value."""
Members = tuple[str, str | None, Any]
"""The kind of a slice, its value, and the places of its objects."""


def slices_of(values: Sequence[Any]) -> Iterator[Members]:
    """The slices by one attribute; None is missing.

    >>> [(kind, value, some.tolist()) for kind, value, some in slices_of(["a", None, "b", "a"])]
    [('missing', None, [1]), ('value', 'a', [0, 3]), ('value', 'b', [2])]
    """
    groups: dict[Any, list[int]] = {}
    for place, value in enumerate(values):
        kept = value is None or isinstance(value, (str, *ORDERED))
        groups.setdefault(value if kept else shown_value(value), []).append(place)
    if missing := groups.pop(None, []):
        yield "missing", None, np.array(missing)
    if len(groups) > VALUES and (ordered := _in_order(groups)):
        yield from _ranges(ordered, groups, "range")
        return
    most = sorted(groups, key=lambda value: -len(groups[value]))[:VALUES]
    for value in most:
        yield "value", shown_value(value), np.array(groups[value])
    if len(groups) > VALUES:
        texts = {value: value if isinstance(value, str) else shown_value(value) for value in groups}
        yield from _counted(groups, {v: len(text.split()) for v, text in texts.items()}, "word")
        yield from _counted(groups, {v: len(text) for v, text in texts.items()}, "character")


def _in_order(values: Iterable[Any]) -> list[Any]:
    """Numbers, or times, from the smallest on; nothing where values have no order."""
    if not all(isinstance(value, ORDERED) for value in values):
        return []
    try:
        return sorted(values)
    except TypeError:  # a date beside a number, or beside one with a time zone
        return []


def _counted(groups: Places, many: dict[Any, int], what: str) -> Iterator[Members]:
    """Slices by how many words, or characters, the texts have."""
    counted: Places = {}
    for value, places in groups.items():
        counted.setdefault(many[value], []).extend(places)
    if len(counted) > 1:
        yield from _ranges(sorted(counted), counted, f"{what}s")


def _ranges(ordered: list[Any], groups: Places, kind: str) -> Iterator[Members]:
    """Ranges of these values with about as many objects each; a value that is in several of them
    is in the first.
    """
    sizes = np.cumsum([len(groups[value]) for value in ordered])
    steps = np.ceil(sizes[-1] * np.arange(1, QUANTILES + 1) / QUANTILES)
    ends = np.unique(np.searchsorted(sizes, steps)) + 1
    for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        some = ordered[begin:end]
        shown = " to ".join(map(shown_value, dict.fromkeys((some[0], some[-1]))))
        yield kind, shown, np.array(sorted(at for value in some for at in groups[value]))
