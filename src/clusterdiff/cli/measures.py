"""`clusterdiff measures`: the catalogue."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from clusterdiff.cli.screen import width
from clusterdiff.measures import FAMILIES, Measure, measure_named
from clusterdiff.measures import measures as all_measures
from clusterdiff.measures.cite import CITATIONS
from clusterdiff.report.text import wrap_columns


def measures(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MEASURE]...", help="Tell all about these.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """All measures in a line each, or all about some of them."""
    chosen = [measure_named(name) for name in names or []]
    if as_json:
        typer.echo(json.dumps([entry(m) for m in chosen or all_measures()], indent=2))
    elif chosen:
        typer.echo("\n\n".join(about(m) for m in chosen))
    else:
        typer.echo(catalogue())


NEEDS = {
    frozenset({"shapes"}): "sizes alone",
    frozenset({"rows"}): "the table of both clusterings",
    frozenset({"cover"}): "which clusters each object is in",
    frozenset({"soft"}): "what is known of each object",
    frozenset({"shapes", "cover"}): "sizes alone; of covers, which clusters each object is in",
}


def catalogue() -> str:
    """The measures, family by family."""
    blocks = []
    for family in FAMILIES:
        rows = [(m.name, m.meaning) for m in all_measures() if m.family == family]
        blocks.append(f"{family}\n{wrap_columns(rows, width())}")
    count = len(all_measures())
    return "\n\n".join([*blocks, f"{count} measures. All about one: clusterdiff measures elm_f"])


def entry(m: Measure) -> dict[str, Any]:
    """A measure with its claims, for programs."""
    c = m.claims
    return {
        "name": m.name,
        "family": m.family,
        "meaning": m.meaning,
        "parameters": {k: str(v) for k, v in m.arguments.items()},
        "citation": CITATIONS[c.cite],
        "bounds": [str(b) for b in c.bounds],
        "reaches_low": c.reached,
        "symmetric": c.symmetric,
        "perfect": c.perfect,
        "best": c.best,
        "penalise": c.penalise,
        "needs": sorted(m.needs),
    }


def about(m: Measure) -> str:
    """A measure with its definition and claims, for eyes."""
    c = m.claims
    low, high = c.bounds
    reached = "reached" if c.reached else "never reached"
    facts = [
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.arguments.items()) or "none"),
        ("range", f"{low:g} ({reached}) to {high:g}"),
        ("identical", "depends on the clusterings" if c.best is None else f"{c.best:g}"),
        ("only then", "yes" if c.perfect else "no: others can score the same"),
        ("symmetric", "yes" if c.symmetric else "no: truth and guess are not alike"),
        ("--align", _alignments(m)),
        ("needs", NEEDS[m.needs]),
        ("from", CITATIONS[c.cite]),
    ]
    return f"{m}\n\n{m.__doc__}\n\n{wrap_columns(facts, width())}"


def _alignments(m: Measure) -> str:
    """What an object on one side only may count as."""
    if "soft" in m.needs:
        return "exact, shared (of partitions also singletons)"
    return "all" if m.claims.penalise else "exact, shared, singletons"
