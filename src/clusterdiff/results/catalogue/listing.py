"""Measures to look up: a line each, or all about some of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from clusterdiff.laboratory.batch import cores
from clusterdiff.measures import Measure, families, measures
from clusterdiff.measures.core.citations import cited
from clusterdiff.results.catalogue.conditions import laboratory
from clusterdiff.results.catalogue.measures import facts, to_markdown
from clusterdiff.results.render.text import wrap_columns


@dataclass(frozen=True)
class MeasureList:
    """Measures that were asked for; where none was, all of them."""

    chosen: tuple[Measure, ...] = ()

    def to_text(self, width: int = 80) -> str:
        """All about those that were asked for; else a line for each there is."""
        if self.chosen:
            return "\n\n".join(_about(m, width) for m in self.chosen)
        blocks = []
        for family in families():
            rows = [(m.name, m.meaning) for m in measures() if m.family == family]
            blocks.append(f"{family}\n{wrap_columns(rows, width)}")
        count = len(measures())
        return "\n\n".join(
            [*blocks, f"{count} measures. All about one: clusterdiff measures elm_f"]
        )

    def to_json(self) -> str:
        """Each measure with its claims, for programs."""
        return json.dumps([_entry(m) for m in self.chosen or measures()], indent=2)

    def to_markdown(self) -> str:
        """A page, with the conditions that each satisfies."""
        return to_markdown(laboratory(self.chosen or None, jobs=cores()))


def _about(m: Measure, width: int) -> str:
    """A measure with its definition and claims, for eyes."""
    return f"{m}\n\n{m.__doc__}\n\n{wrap_columns(facts(m), width)}"


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
