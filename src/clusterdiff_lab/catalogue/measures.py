"""The catalogue of measures, as text, as JSON and as pages."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import Any

from clusterdiff.measures import Measure, families, measures
from clusterdiff.measures.base import cited
from clusterdiff.output.markup import document
from clusterdiff.output.text import wrap_columns
from clusterdiff_lab.axioms.batch import cores
from clusterdiff_lab.axioms.laboratory import laboratory
from clusterdiff_lab.catalogue.pages import index, page, verdicts

# What the catalogue says of a measure: its names, formula, promises, needs and cost.

NEEDS = {
    frozenset({"shapes"}): "sizes alone",
    frozenset({"rows"}): "the contingency table",
    frozenset({"cover"}): "which clusters each object is in",
    frozenset({"soft"}): "what is known of each object",
    frozenset({"shapes", "cover"}): "sizes alone; of covers, which clusters each object is in",
}

COSTS = {
    frozenset({"shapes"}): "one pass over the objects, then the distinct sizes in conflict",
    frozenset({"rows"}): "one pass over the objects, then the rows in conflict",
    frozenset({"cover"}): "one pass over the memberships, then the distinct pairs of sets of"
    " clusters; objects in many clusters are compared with those they share one with",
    frozenset({"soft"}): "linear in the objects against a hard clustering, else all pairs of"
    " distinct rows",
    frozenset({"shapes", "cover"}): "one pass over the objects; of covers, each object with all"
    " in its connected component",
}
"""What a measure costs by what it needs, unless it says otherwise."""
DEFINITION, ALSO = "Definition:", "Also known as:"


def facts(m: Measure) -> list[tuple[str, str]]:
    """What a measure promises, needs and costs."""
    c = m.claims
    low, high = c.bounds
    reached = "reached" if c.reached else "never reached"
    free = "that of the measure" if isinf(low) and isinf(high) else ""
    return [
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.arguments.items()) or "none"),
        ("range", free or f"{low:g} ({reached}) to {high:g}"),
        ("if identical", "depends on the clusterings" if c.best is None else f"{c.best:g}"),
        ("only if identical", "yes" if c.perfect else "no: others can score the same"),
        ("symmetric", "yes" if c.symmetric else "no: truth and guess cannot be exchanged"),
        ("--align", _alignments(m)),
        ("needs", NEEDS[m.needs]),
        ("costs", m.claims.cost or COSTS[m.needs]),
        ("from", cited(c.cite)),
    ]


def _alignments(m: Measure) -> str:
    """What an object on one side only may count as."""
    if "soft" in m.needs:
        return "exact, shared (of partitions also singletons)"
    return "all" if m.claims.penalise else "exact, shared, singletons"


def paragraphs(m: Measure) -> list[str]:
    """What a measure means, its formula, and what else is to be said, a line each."""
    parts = [" ".join(part.split()) for part in (m.__doc__ or "").split("\n\n")]
    formula = next((part for part in parts if part.startswith(DEFINITION)), "")
    rest = [part for part in parts[1:] if part != formula]
    return [parts[0], formula.removeprefix(DEFINITION).strip(), *rest]


def title(m: Measure) -> tuple[str, str]:
    """Its name in the literature with its abbreviation, and what it means.

    >>> from clusterdiff.measures import measure_named
    >>> title(measure_named("ARI"))
    ('Adjusted Rand index (ARI)', 'Agreement on pairs, corrected for chance.')
    """
    name, colon, meaning = m.meaning.partition(": ")
    return (name, meaning[:1].upper() + meaning[1:]) if colon else (m.name, m.meaning)


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
