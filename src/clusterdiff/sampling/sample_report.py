"""The scores estimated from a sample of truth clusters, and how many more clusters to label."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from clusterdiff.compare.report import Report
from clusterdiff.errors import ClusterdiffError, printable, shown
from clusterdiff.output.describe import count, side_sizes
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import columns as terminal_columns
from clusterdiff.output.text import cut, pad, wrapped
from clusterdiff.statistics.intervals import ConfidenceInterval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import SampledUnits
    from clusterdiff.sampling.sample import Sampled

ASSURANCE = 0.8
"""The share of planned studies whose interval is to be as narrow as wanted."""


@dataclass(frozen=True, repr=False)
class SampleReport(Report):
    """Scores that are estimated from a sample: rows are measures, columns are guesses."""

    schema = "estimate/2"
    layout = None

    sample: Sampled = field(kw_only=True)
    units: Mapping[str, SampledUnits] = field(kw_only=True)
    """The sample as each guess cuts it."""
    guess_objects: Mapping[str, int] = field(kw_only=True)
    """Number of objects in each whole guess."""
    told: tuple[str, ...] = field(default=(), kw_only=True)
    """Notes on how the sample was read."""

    @property
    def population(self) -> int | None:
        """Number of objects in all; None if it is unknown."""
        return next(iter(self.units.values())).population

    def plan(
        self, targets: Mapping[str, float] | None = None, *, assurance: float = ASSURANCE,
        **named: float,
    ) -> SamplePlan:  # fmt: skip
        """How many to label so that an interval is as narrow as wanted, with this sample as the
        pilot: `plan(elm_f=0.01)` for an interval of ± 0.01.

        The plain number reaches that in every other study, the assured number in 80 of 100
        (`assurance`). With several guesses, the one that needs most decides.
        """
        wanted = {**(targets or {}), **named}
        if not wanted:
            raise ClusterdiffError(
                "a plan needs a measure and the half-width of its interval.", "plan(elm_f=0.01)"
            )
        assert self.confidence is not None
        return planned(
            {text: [s.ci for s in self._scores(text)] for text in self.measures},
            {str(self._scores(text)[0].measure): half for text, half in wanted.items()},
            self.confidence.level,
            assurance,
            self.population,
        )

    def _scores(self, measure: str | Measure) -> list[Score]:
        found = self[measure]
        return list(found.values()) if isinstance(found, Mapping) else [found]

    def head(self, width: int = 80) -> str:
        """What was drawn, and the clusters of each guess that it touches."""
        meets = {name: units.meet for name, units in self.units.items()}
        sides = {"sample": side_sizes(next(iter(meets.values())), "truth")}
        for name, meet in meets.items():
            size = meet.guess_sizes
            sides[name] = (
                f"{count(self.guess_objects[name], 'object')}; the sample touches "
                f"{count(size.clusters, 'cluster')} (largest {int(size.size.max(initial=0)):,})"
            )
        room = min(max(12, width - 50), max(map(terminal_columns, sides)))
        lines = [f"{pad(cut(name, room), room)}  {text}" for name, text in sides.items()]
        lines += [self._drawn(), *self.origins.with_notes_of(meets).notes(), *self.told]
        return "\n".join(wrapped(printable(text), width, more="  ") for text in lines)

    def _drawn(self) -> str:
        """How the sample was drawn."""
        hits = int(self.sample.hits.sum())
        how = {
            "records": f"{count(hits, 'record')} drawn from "
            f"{count(len(self.sample.names), 'cluster')}, which were resolved",
            "clusters": f"{count(hits, 'cluster')} drawn alike",
            "weights": f"{count(hits, 'cluster')} drawn with given weights",
        }[self.sample.design]
        of = "" if self.sample.out_of is None else f" out of {self.sample.out_of:,}"
        every = "unknown" if self.population is None else f"{self.population:,} objects"
        return f"design: {how}{of}; population: {every}"

    def cells_under(self, names: list[str]) -> CellTable:
        """The cells; for one guess with the effective sample size."""
        table = super().cells_under(names)
        if len(self.scores) > 1:
            return table
        rows = [(*row, _effective(self[row[0]].ci)) for row in table.rows]
        return CellTable((*table.headings, "K_eff"), tuple(rows), table.best)

    def notes(self, mark: str = "▲") -> list[str]:
        """What intervals mean, why some are missing, and the effective sample sizes."""
        lines = [line for line in super().notes(mark) if "no number" not in line]
        if len(self.scores) > 1:
            for guess, scores in self.scores.items():
                sizes = (f"{text} {_effective(score.ci)}" for text, score in scores.items())
                lines.append(f"K_eff of {guess}: {', '.join(sizes)}")
        else:
            lines.append(f"K_eff: effective sample size, in {self.sample.units}.")
        missing = {s.missing: None for scores in self.scores.values() for s in scores.values()}
        return [*lines, *(f"— {why}" for why in missing if why)]

    def _notes_on_ranges(self) -> list[str]:
        return []

    def to_dict(self) -> dict[str, Any]:
        """The sample and the scores, with full precision and stable keys."""
        sample = self.sample
        drawn = {
            "design": sample.design,
            "hits": int(sample.hits.sum()),
            "clusters": len(sample.names),
            "objects": len(sample.objects),
            "population": self.population,
        }
        drawn |= {} if sample.out_of is None else {"out_of": sample.out_of}
        return {"sample": drawn, **super().to_dict()}

    def records(self) -> list[dict[str, Any]]:
        """One record per guess and measure."""
        records = super().records()
        for record in records:
            ci = self.scores[record["guess"]][record["measure"]].ci
            effective = {"effective": ci.effective if _has_effective(ci) else None}
            record |= effective | {"signature": record.pop("signature")}
        return records


def _has_effective(ci: Any) -> TypeGuard[ConfidenceInterval]:
    return isinstance(ci, ConfidenceInterval) and bool(ci) and not math.isnan(ci.effective)


def _effective(ci: Any) -> str:
    """An effective sample size for display."""
    return _rounded(ci.effective) if _has_effective(ci) else "—"


def _rounded(effective: float) -> str:
    return f"{effective:,.1f}" if effective < 100 else f"{effective:,.0f}"


# How many units to label, from a pilot.
#
# A pilot of K₀ units with standard error se₀ has σ² = K₀ · se₀², and an interval of ± h takes
# K = z² σ² / h² units. The pilot's σ² is itself uncertain: with σ² · df / χ²(1 - assurance, df)
# the planned study is narrow enough in that share of cases.


class Planned(NamedTuple):
    """The number of units that one measure needs."""

    measure: str
    half: float
    """The half-width that is wanted."""
    plain: int
    """Number of units that reach it in every other study."""
    assured: int
    """Number of units that reach it with the assurance."""


class Pilot(NamedTuple):
    """The widest interval of one measure in the pilot; NaN if there is none."""

    measure: str
    half: float = math.nan
    """Its half-width."""
    effective: float = math.nan
    """Effective sample size."""
    then: float = math.nan
    """The half-width to expect of the planned study."""


@dataclass(frozen=True)
class SamplePlan:
    """How many to label, and what to expect of it."""

    units: str
    """What is drawn: records or clusters."""
    pilot: int
    """Number of units in the pilot."""
    level: float
    assurance: float
    wanted: tuple[Planned, ...]
    measures: tuple[Pilot, ...]
    population: int | None = None
    """Number of all objects, if it is known."""

    @property
    def plain(self) -> int:
        """Number of units that reach what is wanted in every other study."""
        return max(target.plain for target in self.wanted)

    @property
    def assured(self) -> int:
        """Number of units that reach it with the assurance."""
        return max(target.assured for target in self.wanted)

    def __str__(self) -> str:
        lines = [
            f"{target.measure} ± {target.half:g} at {100 * self.level:g} %: {target.plain:,} "
            f"{self.units}; {target.assured:,} to reach it in {100 * self.assurance:g} of 100 "
            "studies"
            for target in self.wanted
        ]
        room = max(len(pilot.measure) for pilot in self.measures)
        lines += ["", f"{'':{room}}  K_eff  now ±   ± of {self.assured:,}"]
        for pilot in self.measures:
            cells = ("—", "—", "—")
            if not math.isnan(pilot.half):
                cells = (_rounded(pilot.effective), f"{pilot.half:.4f}", f"{pilot.then:.4f}")
            lines.append(f"{pilot.measure:{room}}  {cells[0]:>5}  {cells[1]:<6}  {cells[2]}")
        if self.units == "records" and self.population and self.plain >= self.population:
            lines += ["", f"There are only {self.population:,} records: label all of them, and "
                      "the scores have no error of sampling."]  # fmt: skip
        rule = (
            f"pilot: {self.pilot:,} {self.units}. Fix the number before you label: to go on until "
            "an interval is narrow enough makes it too narrow."
        )
        return "\n".join([*lines, "", rule])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The plan for JSON."""
        names = ("units", "pilot", "level", "assurance", "plain", "assured")
        return {
            **{name: getattr(self, name) for name in names},
            "wanted": {target.measure: target._asdict() for target in self.wanted},
            "measures": {
                pilot.measure: {
                    key: None if value != value else value for key, value in pilot._asdict().items()
                }
                for pilot in self.measures
            },
        }


def planned(
    pilot: Mapping[str, Sequence[Any]], targets: Mapping[str, float], level: float,
    assurance: float = ASSURANCE, population: int | None = None,
) -> SamplePlan:  # fmt: skip
    """A plan from the intervals of a pilot, for each measure those of one or several guesses."""
    from scipy.special import chdtri, ndtri

    if not isinstance(assurance, float) or not 0.5 <= assurance < 1:
        raise ClusterdiffError(
            f"assurance must be a number from 0.5 to below 1, got {shown(assurance)}.",
            "write e.g. assurance=0.8.",
        )
    usable = {text: list(filter(_has_effective, intervals)) for text, intervals in pilot.items()}
    z = float(ndtri((1 + level) / 2))
    wanted = []
    for text, half in targets.items():
        if isinstance(half, bool) or not isinstance(half, int | float) or not 0 < half < math.inf:
            raise ClusterdiffError(
                f"a half-width must be a number above 0, got {shown(half)}.",
                "write e.g. elm_f=0.01.",
            )
        known = usable[text]
        if not known or not all(ci.se for ci in known):
            reasons = (ci.refused for ci in pilot[text] if isinstance(ci, ConfidenceInterval))
            why = next(filter(None, reasons), "the pilot has no error" if known else "")
            raise ClusterdiffError(
                f"the pilot has no jackknife interval for {text}{f': {why}' if why else ''}.",
                "plan another measure, or label some more first.",
            )
        plain = [(z * ci.se / half) ** 2 * ci.count for ci in known]
        assured = [
            units * ci.df / float(chdtri(ci.df, assurance))
            for units, ci in zip(plain, known, strict=True)
        ]
        wanted.append(Planned(text, float(half), math.ceil(max(plain)), math.ceil(max(assured))))
    most = max(target.assured for target in wanted)
    measures = []
    for text, known in usable.items():
        if not known:
            measures.append(Pilot(text))
            continue
        widest = max(known, key=lambda ci: ci.se)
        half, then = (widest.high - widest.low) / 2, z * widest.se * math.sqrt(widest.count / most)
        measures.append(Pilot(text, half, widest.effective, then))
    drawn = usable[wanted[0].measure][0]
    each = tuple(wanted), tuple(measures)
    return SamplePlan(drawn.units, drawn.count, level, assurance, *each, population)
