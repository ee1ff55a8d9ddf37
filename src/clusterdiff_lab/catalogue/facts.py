"""What the catalogue says of a measure: its names, formula, promises, needs and cost."""

from __future__ import annotations

from math import isinf

from clusterdiff.measures import Measure
from clusterdiff.measures.base import cited

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
