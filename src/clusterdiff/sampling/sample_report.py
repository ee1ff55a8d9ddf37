"""The result of an estimate: scores of all from a sample of truth clusters, printed and exported as
those of a comparison, with how the sample was drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clusterdiff.compare.report import Report
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.output.describe import count
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import columns as terminal_columns
from clusterdiff.output.text import cut, pad, wrapped
from clusterdiff.sampling.plan import ASSURANCE, SamplePlan, planned
from clusterdiff.statistics.intervals import Sure

if TYPE_CHECKING:
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import Sampled, SampledUnits


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

    def _ways(self) -> list[str]:
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
