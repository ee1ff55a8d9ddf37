"""The result of an estimate: scores of all from a sample of truth clusters, printed and exported as
those of a comparison, with how the sample was drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.compare.report import Report
from clusterdiff.errors import ClusterdiffError, printable, shown
from clusterdiff.output.describe import count
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import columns as terminal_columns
from clusterdiff.output.text import cut, pad, wrapped
from clusterdiff.statistics.intervals import Sure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import Sampled, SampledUnits


ASSURANCE = 0.8
"""In how many of the planned studies the interval is to be as narrow as wanted."""


@dataclass(frozen=True, repr=False)
class SampleReport(Report):
    """Scores that are estimated from a sample: rows are measures, columns are guesses."""

    schema = "estimate/2"

    sample: Sampled = field(kw_only=True)
    units: Mapping[str, SampledUnits] = field(kw_only=True)
    """The sample as each guess cuts it."""
    guess_objects: Mapping[str, int] = field(kw_only=True)
    """How many objects each whole guess has."""
    told: tuple[str, ...] = field(default=(), kw_only=True)
    """What else to know of how the sample was read."""

    @property
    def population(self) -> int | None:
        """How many objects there are in all; None if that is not known."""
        return next(iter(self.units.values())).population

    def plan(
        self, targets: Mapping[str, float] | None = None, *, assurance: float = ASSURANCE,
        **named: float,
    ) -> SamplePlan:  # fmt: skip
        """How many more to label so that an interval is as narrow as wanted, with this sample as
        the pilot: `plan(elm_f=0.01)` for an interval of ± 0.01.

        The plain number reaches that in every other study, the assured one in 80 of 100
        (`assurance`). Of several guesses the one that needs most decides.
        """
        wanted = {**(targets or {}), **named}
        if not wanted:
            raise ClusterdiffError(
                "a plan needs a measure and how narrow its interval is to be.", "plan(elm_f=0.01)"
            )
        assert self.confidence is not None
        texts = {next(iter(self._scores(text))).measure: half for text, half in wanted.items()}
        return planned(
            {text: [s.sure for s in self._scores(text)] for text in self.measures},
            {str(measure): half for measure, half in texts.items()},
            self.confidence.level,
            assurance,
        )

    def _scores(self, measure: str | Measure) -> list[Score]:
        found = self[measure]
        return list(found.values()) if isinstance(found, Mapping) else [found]

    def head(self, width: int = 80) -> str:
        """What was drawn, and what of each guess it touches."""
        names = ["sample", *self.scores]
        wide = min(max(12, width - 50), max(map(terminal_columns, names)))

        def line(name: str, text: str) -> str:
            return f"{pad(cut(name, wide), wide)}  {text}"

        first = next(iter(self.units.values())).meet
        sizes = first.truth_sizes
        single = int(sizes.count[sizes.size == 1].sum())
        lines = [
            line(
                "sample",
                f"{count(first.truth_objects, 'object')} in {count(sizes.clusters, 'cluster')} "
                f"(largest {int(sizes.size.max()):,}, {single / sizes.clusters:.0%} single)",
            )
        ]
        for name, units in self.units.items():
            touched = units.meet.guess_sizes
            lines.append(
                line(
                    name,
                    f"{count(self.guess_objects[name], 'object')}; the sample touches "
                    f"{count(touched.clusters, 'cluster')} "
                    f"(largest {int(touched.size.max(initial=0)):,})",
                )
            )
        meets = {name: units.meet for name, units in self.units.items()}
        read = self.origins.with_notes_of(meets).notes()
        lines += [self._drawn(), *read, *self.told]
        return "\n".join(wrapped(printable(text), width, more="  ") for text in lines)

    def _drawn(self) -> str:
        """How the sample was drawn, in a sentence."""
        sample, hits = self.sample, int(self.sample.hits.sum())
        clusters = len(sample.names)
        how = {
            "records": f"{count(hits, 'record')} drawn from {count(clusters, 'cluster')}, which "
            "were resolved",
            "clusters": f"{count(hits, 'cluster')} drawn alike",
            "weights": f"{count(hits, 'cluster')} drawn with weights that were given",
        }[sample.design]
        of = "" if sample.out_of is None else f" out of {sample.out_of:,}"
        every = "unknown" if self.population is None else f"{self.population:,} objects"
        return f"design: {how}{of}; population: {every}"

    def _table(self, names: list[str]) -> CellTable:
        """The cells; of one guess with the effective number of units."""
        table = super()._table(names)
        if len(self.scores) > 1:
            return table
        rows = [(*row, _effective(self[row[0]].sure)) for row in table.rows]
        return CellTable((*table.headings, "K_eff"), tuple(rows), table.best)

    def notes(self, mark: str = "▲") -> list[str]:
        """What intervals say, why some are missing, and the effective sample sizes."""
        lines = [line for line in super().notes(mark) if "no number" not in line]
        if len(self.scores) > 1:
            lines += [
                f"K_eff of {guess}: "
                + ", ".join(f"{text} {_effective(s.sure)}" for text, s in scores.items())
                for guess, scores in self.scores.items()
            ]
        else:
            lines.append(f"K_eff: effective sample size, in {self.sample.units}.")
        missing = {s.missing: None for scores in self.scores.values() for s in scores.values()}
        return [*lines, *(f"— {why}" for why in missing if why)]

    def _notes_on_ranges(self) -> list[str]:
        return []

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
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
        made = []
        for record in super().records():
            sure = self.scores[record["guess"]][record["measure"]].sure
            known = isinstance(sure, Sure) and sure and not math.isnan(sure.effective)
            signature = record.pop("signature")
            made.append(
                record | {"effective": sure.effective if known else None, "signature": signature}  # type: ignore[union-attr]
            )
        return made


def _effective(sure: Any) -> str:
    """An effective number of units for eyes."""
    if not isinstance(sure, Sure) or not sure or math.isnan(sure.effective):
        return "—"
    return f"{sure.effective:,.1f}" if sure.effective < 100 else f"{sure.effective:,.0f}"


# How many units to label, from a pilot.
#
# A pilot of K₀ units with standard error se₀ says σ² = K₀ · se₀², and an interval of ± h takes
# K = z² σ² / h² units. The pilot's σ² is itself uncertain: with σ² · df / χ²(1 - assurance, df)
# the planned study is narrow enough in that share of cases.


class Planned(NamedTuple):
    """What one measure takes."""

    measure: str
    half: float
    """Half the width that is wanted."""
    plain: int
    """Units that reach it in every other study."""
    assured: int
    """Units that reach it with the assurance."""


class Pilot(NamedTuple):
    """What the pilot knows of one measure."""

    measure: str
    half: float
    """Half the width of its interval now; nan where there is none."""
    effective: float
    """Effective number of units."""
    then: float
    """Half the width to expect of the planned study."""


@dataclass(frozen=True)
class SamplePlan:
    """How many to label, and what to expect of it."""

    units: str
    """What is drawn: records, or clusters."""
    pilot: int
    """How many the pilot has."""
    level: float
    assurance: float
    wanted: tuple[Planned, ...]
    measures: tuple[Pilot, ...]

    @property
    def plain(self) -> int:
        """Units that reach what is wanted in every other study."""
        return max(one.plain for one in self.wanted)

    @property
    def assured(self) -> int:
        """Units that reach it with the assurance."""
        return max(one.assured for one in self.wanted)

    def __str__(self) -> str:
        lines = [
            f"{one.measure} ± {one.half:g} at {100 * self.level:g} %: {one.plain:,} {self.units}; "
            f"{one.assured:,} to reach it in {100 * self.assurance:g} of 100 studies"
            for one in self.wanted
        ]
        wide = max(len(one.measure) for one in self.measures)
        lines += ["", f"{'':{wide}}  K_eff  now ±   ± of {self.assured:,}"]
        for one in self.measures:
            if math.isnan(one.half):
                lines.append(f"{one.measure:{wide}}  {'—':>5}  {'—':<6}  —")
            else:
                effective = (
                    f"{one.effective:,.1f}" if one.effective < 100 else f"{one.effective:,.0f}"
                )
                lines.append(
                    f"{one.measure:{wide}}  {effective:>5}  {one.half:<6.4f}  {one.then:.4f}"
                )
        return "\n".join(
            [
                *lines,
                "",
                f"pilot: {self.pilot:,} {self.units}. Fix the number before you label: to go on "
                "until an interval is narrow enough makes it too narrow.",
            ]
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "units": self.units,
            "pilot": self.pilot,
            "level": self.level,
            "assurance": self.assurance,
            "plain": self.plain,
            "assured": self.assured,
            "wanted": {one.measure: one._asdict() for one in self.wanted},
            "measures": {
                one.measure: {
                    key: None if isinstance(value, float) and math.isnan(value) else value
                    for key, value in one._asdict().items()
                }
                for one in self.measures
            },
        }


def planned(
    pilot: Mapping[str, Sequence[Any]], targets: Mapping[str, float], level: float,
    assurance: float = ASSURANCE,
) -> SamplePlan:  # fmt: skip
    """A plan from the intervals of a pilot, of one or several guesses for each measure."""
    from scipy.special import chdtri, ndtri

    if not isinstance(assurance, float) or not 0.5 <= assurance < 1:
        raise ClusterdiffError(
            f"assurance must be a number from 0.5 to below 1, got {shown(assurance)}.",
            "write e.g. assurance=0.8.",
        )
    z = float(ndtri((1 + level) / 2))
    wanted = []
    for text, half in targets.items():
        if isinstance(half, bool) or not isinstance(half, int | float) or not 0 < half < math.inf:
            raise ClusterdiffError(
                f"the half-width that is wanted must be a number above 0, got {shown(half)}.",
                "write e.g. elm_f=0.01.",
            )
        known = [sure for sure in pilot[text] if isinstance(sure, Sure) and sure]
        if not known or any(math.isnan(sure.df) or not sure.se for sure in known):
            why = next((s.refused for s in pilot[text] if isinstance(s, Sure) and s.refused), "")
            why = why or "the pilot has no error"
            because = f": {why}" if why else ""
            raise ClusterdiffError(
                f"the pilot has no interval by the jackknife for {text}{because}.",
                "plan another measure, or label some more first.",
            )
        plain = max((z * s.se / half) ** 2 * s.count for s in known)
        assured = max(
            (z * s.se / half) ** 2 * s.count * s.df / float(chdtri(s.df, assurance)) for s in known
        )
        wanted.append(Planned(text, float(half), math.ceil(plain), math.ceil(assured)))
    some = next(s for text in targets for s in pilot[text] if isinstance(s, Sure) and s)
    most = max(one.assured for one in wanted)
    measures = [_pilot(text, sures, z, most) for text, sures in pilot.items()]
    return SamplePlan(some.units, some.count, level, assurance, tuple(wanted), tuple(measures))


def _pilot(text: str, sures: Sequence[Any], z: float, most: int) -> Pilot:
    """The widest interval of a measure, and what to expect of so many units."""
    known = [s for s in sures if isinstance(s, Sure) and s and not math.isnan(s.df)]
    if not known:
        return Pilot(text, math.nan, math.nan, math.nan)
    widest = max(known, key=lambda s: s.se)
    half = (widest.high - widest.low) / 2
    return Pilot(text, half, widest.effective, z * widest.se * math.sqrt(widest.count / most))
