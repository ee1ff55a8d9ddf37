"""The catalogue of measures: what each means, promises and needs, and which conditions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.axioms import Unfit, Verdict
from clusterdiff.axioms.verdict import Against, number
from clusterdiff.measures import FAMILIES, Measure, measure_named
from clusterdiff.measures.cite import CITATIONS
from clusterdiff.report.markup import in_markdown

if TYPE_CHECKING:
    from clusterdiff.axioms.laboratory import Row
    from clusterdiff.report.laboratory import Laboratory

NEEDS = {
    frozenset({"shapes"}): "sizes alone",
    frozenset({"rows"}): "the table of both clusterings",
    frozenset({"cover"}): "which clusters each object is in",
    frozenset({"soft"}): "what is known of each object",
    frozenset({"shapes", "cover"}): "sizes alone; of covers, which clusters each object is in",
}


def facts(m: Measure) -> list[tuple[str, str]]:
    """What a measure promises and needs."""
    c = m.claims
    low, high = c.bounds
    reached = "reached" if c.reached else "never reached"
    return [
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.arguments.items()) or "none"),
        ("range", f"{low:g} ({reached}) to {high:g}"),
        ("identical", "depends on the clusterings" if c.best is None else f"{c.best:g}"),
        ("only then", "yes" if c.perfect else "no: others can score the same"),
        ("symmetric", "yes" if c.symmetric else "no: truth and guess are not alike"),
        ("--align", _alignments(m)),
        ("needs", NEEDS[m.needs]),
        ("from", CITATIONS[c.cite]),
    ]


def _alignments(m: Measure) -> str:
    """What an object on one side only may count as."""
    if "soft" in m.needs:
        return "exact, shared (of partitions also singletons)"
    return "all" if m.claims.penalise else "exact, shared, singletons"


def to_markdown(found: Laboratory) -> str:
    """The catalogue as a page: each measure with its facts and its row of conditions."""
    parts = [
        "# Measures\n",
        "Written by `clusterdiff measures --markdown`. A condition that holds is one against which"
        " no case was found: all small ones were tried, then larger ones at random. `clusterdiff"
        " axioms elm_f` tells how many; [the conditions](conditions.md) are programs.\n",
    ]
    for family in FAMILIES:
        own = [name for name in found.rows if measure_named(name).family == family]
        if own:
            parts.append(f"## {family}\n")
            parts += [section(measure_named(name), found[name]) for name in own]
    return "\n".join(parts)


def section(m: Measure, row: Row) -> str:
    """One measure."""
    told = "\n".join(f"* {name}: {in_markdown(text)}" for name, text in facts(m))
    doc = "\n".join(line.strip() for line in (m.__doc__ or "").splitlines())
    return f"### `{m}`\n\n{in_markdown_text(doc)}\n\n{told}\n\nConditions:\n\n{conditions(row)}\n"


def in_markdown_text(text: str) -> str:
    """Several paragraphs, each on a line."""
    return "\n\n".join(in_markdown(" ".join(part.split())) for part in text.split("\n\n"))


def conditions(row: Row) -> str:
    """Which conditions hold, and the smallest case against each that does not."""
    kept = [v for v in row.values() if not isinstance(v, Unfit)]
    holds = [v.axiom for v in kept if v.mark == "✓"]
    lines = [f"✓ {', '.join(holds)}"] if holds else []
    lines += [_against(v) for v in kept if isinstance(v, Against)]
    return "\n".join(f"* {in_markdown(line)}" for line in lines)


def _against(verdict: Verdict) -> str:
    assert isinstance(verdict, Against)
    found = verdict.counterexample
    shown = ", ".join(f"{part} {text}" for part, text in found.drawn.items())
    values = ", ".join(f"{what} {number(value)}" for what, value in found.values.items())
    note = f" ({verdict.note})" if verdict.note else ""
    return f"{verdict.mark} {verdict.axiom}{note}: {shown}: {values}"
