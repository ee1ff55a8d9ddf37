"""The catalogue of measures, as text, as JSON and as pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clusterdiff.measures import Measure, families, measures
from clusterdiff.measures.base import cited
from clusterdiff.output.markup import document
from clusterdiff.output.text import wrap_columns
from clusterdiff_lab.axioms.batch import cores
from clusterdiff_lab.axioms.laboratory import laboratory
from clusterdiff_lab.catalogue.facts import facts
from clusterdiff_lab.catalogue.pages import index, page, verdicts


@dataclass(frozen=True)
class MeasureList:
    """Measures that were asked for; where none was, all of them."""

    chosen: tuple[Measure, ...] = ()

    def to_text(self, width: int = 80) -> str:
        """All about those that were asked for; else a line for each there is."""
        if self.chosen:
            return "\n\n".join(
                f"{m}\n\n{m.__doc__}\n\n{wrap_columns(facts(m), width)}" for m in self.chosen
            )
        blocks = []
        for family in families():
            rows = [(m.name, m.meaning) for m in measures() if m.family == family]
            blocks.append(f"{family}\n{wrap_columns(rows, width)}")
        count = len(measures())
        return "\n\n".join(
            [*blocks, f"{count} measures. To describe one: clusterdiff measures elm_f"]
        )

    def to_json(self) -> str:
        """Each measure with its claims, for programs."""
        return document("measures/1", {"measures": list(map(_entry, self.chosen or measures()))})

    def to_markdown(self) -> str:
        """A page for each that was asked for, with the conditions that it satisfies; else a table
        of all.
        """
        if not self.chosen:
            return index()
        found = laboratory(self.chosen, jobs=cores())
        return "\n".join(page([m], [verdicts(m, found[str(m)])]) for m in self.chosen)


def _entry(m: Measure) -> dict[str, Any]:
    """A measure with its claims, for programs."""
    c = m.claims
    return {
        "name": m.name,
        "family": m.family,
        "meaning": m.meaning,
        "aliases": m.aliases,
        "parameters": {k: str(v) for k, v in m.arguments.items()},
        "citation": cited(c.cite),
        "bounds": [str(b) for b in c.bounds],
        "reaches_low": c.reached,
        "symmetric": c.symmetric,
        "perfect": c.perfect,
        "best": c.best,
        "penalise": c.penalise,
        "needs": sorted(m.needs),
    }
