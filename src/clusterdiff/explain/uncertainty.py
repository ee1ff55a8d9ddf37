"""Why an interval is so wide: the units that decide it, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.compare.differences import notes_on_intervals, with_interval
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.partition import Explanation, check_all_pairs
from clusterdiff.explain.ranking import IDS, name_of
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Listing, Result, paragraphs
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import hung, wrapped
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals
from clusterdiff.statistics.intervals import ConfidenceInterval, Jackknife, leave_one_out

if TYPE_CHECKING:
    from clusterdiff.measures import Measure
    from clusterdiff.statistics.units import Units

DECIDING = 5
"""How many units are named where nobody says otherwise."""


class Deciding(NamedTuple):
    """A unit, or several that are alike, with its share of the variance of a score."""

    share: float
    """Of the variance, each."""
    units: int
    without: float
    """The score without one of them."""
    kind: str
    lines: list[str]
    """Which it is, in words."""
    component: int = -1
    """Its place among the components that are explained, where it is one of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Uncertainty(Result):
    """A score with its interval, and the units that decide how wide that is."""

    schema = "explain-uncertainty/1"

    measure: Measure
    score: float
    ci: ConfidenceInterval
    told: Explanation
    units: Units
    left_out: Jackknife

    @classmethod
    def of(cls, told: Explanation, confidence: Confidence) -> Uncertainty:
        """The uncertainty of the score that is explained; refused where there is no interval."""
        score, measure = told.score, told.measure
        check_all_pairs(told, "what decides an interval")
        asked = ScoreIntervals(confidence, score.meet, score.split, (measure,))
        ci = asked.score(measure, float(score))
        if not ci:
            raise ClusterdiffError(f"{measure} has no interval: {ci.refused}.", ci.hint)
        if ci.units == "objects" or not ci.se:
            why = "its units are single objects"
            if not ci.se:
                why = f"none of the {ci.count:,} {ci.units} changes the score"
            raise ClusterdiffError(f"no unit decides the interval of {measure}: {why}.")
        units = asked.units
        sums = None if isinstance(units, ConfidenceInterval) else units.sums(measure)
        if (
            isinstance(units, ConfidenceInterval)
            or sums is None
            or confidence.method != "jackknife"
        ):
            raise ClusterdiffError(
                "units are left out one by one by the jackknife.", "leave the method out."
            )
        return cls(measure, float(score), ci, told, units, leave_one_out(sums, units.count))

    def top(self, n: int | None = DECIDING, ids: int | None = IDS) -> list[Deciding]:
        """The units that decide most."""
        square = self.left_out.deviation**2
        share = square / float((square * self.left_out.units).sum())
        order = np.argsort(-np.round(share, 15), kind="stable")
        deciding: list[Deciding] = []
        for kind in order.tolist():
            if n is not None and len(deciding) >= n:
                break
            each, without = float(share[kind]), float(self.left_out.without[kind])
            deciding += [
                Deciding(each, units, without, what, lines, at)
                for units, what, lines, at in self._named(
                    kind, None if n is None else n - len(deciding), ids
                )
            ]
        return deciding

    def _named(
        self, kind: int, most: int | None, ids: int | None
    ) -> list[tuple[int, str, list[str], int]]:
        """The units of a type: those in conflict one by one, clusters that agree together."""
        if self.units.name == "samples":
            names = self.told.score.samples
            return [(1, "sample", [f"{name_of(names[kind])}, {self._objects(kind)}"], -1)]
        where = np.flatnonzero(self.units.of_unit == kind)
        agreeing = self.told.named.agreeing
        right = int(self.units.count[kind])
        if where.size and where[0] < agreeing:
            each = f" of {self._objects(kind)}{' each' if right > 1 else ''}"
            return [(right, "right", [f"{count(right, 'cluster')}{each}"], -1)]
        component = self.told.named.meet.component[agreeing:]
        code = np.full(int(component.max(initial=0)) + 1, -1)
        code[component] = self.told.of_row
        some = np.sort(code[where])[:most]
        parts = self.told.named_parts(some, ids)
        return [
            (1, part.kind, part.lines(ids), at)
            for part, at in zip(parts, some.tolist(), strict=True)
        ]

    def _objects(self, kind: int) -> str:
        return count(int(self.units.objects[kind]), "object")

    @property
    def headline(self) -> str:
        """The score with its interval, and how many units it rests on."""
        shown = with_interval(self.score, self.ci, digits(self.score))
        level = f"{100 * self.ci.level:g} %"
        many = f"{self.ci.count:,} {self.ci.units}"
        equal = f"{self.ci.effective:,.1f}"
        return f"{self.measure} {shown} at {level}, from {many}; effective sample size {equal}."

    def blocks(
        self, width: int, top: int | None = DECIDING, ids: int | None = IDS
    ) -> Iterator[Block]:
        """The score with its interval, the units that decide most, and what the columns are."""
        yield wrapped(self.headline, width)
        lines = ["  share    without   unit"]
        for unit in self.top(top, ids):
            share = percent(unit.share * unit.units)
            start = f"  {share:>7}  {digits(unit.without)}    {unit.kind:<7}  "
            lines.append(hung(start, unit.lines, width))
        yield Listing("\n".join(lines), self.table(top, ids))
        yield wrapped(
            "share: of the variance of the score; without: the score if the unit is left out "
            "(one of them, where several are alike).",
            width,
        )
        yield from paragraphs(notes_on_intervals([(str(self.measure), self.ci)]), width)

    def table(self, top: int | None = DECIDING, ids: int | None = IDS) -> CellTable:
        """The units that decide most, as a table for display."""
        rows = [
            (percent(d.share * d.units), digits(d.without), d.kind, "; ".join(d.lines))
            for d in self.top(top, ids)
        ]
        return CellTable(("share of the variance", "score without", "kind", "unit"), tuple(rows))

    def records(self, top: int | None = DECIDING, ids: int | None = IDS) -> list[dict[str, Any]]:
        """One record per unit, or per several that are alike."""
        return [
            {"share": d.share, "units": d.units, "without": d.without, "kind": d.kind,
             "unit": "; ".join(d.lines)}
            for d in self.top(top, ids)
        ]  # fmt: skip

    def to_dict(self, top: int | None = DECIDING, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {
            "measure": str(self.measure),
            "value": self.score,
            "ci": self.ci.to_dict(),
            "units": self.records(top, ids),
        }
