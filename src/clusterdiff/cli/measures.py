"""`clusterdiff measures`: the catalogue."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from clusterdiff.cli.screen import width
from clusterdiff.cli.streams import say
from clusterdiff.laboratory.laboratory import cores
from clusterdiff.measures import FAMILIES, Measure, measures_named
from clusterdiff.measures import measures as all_measures
from clusterdiff.measures.core.citations import CITATIONS
from clusterdiff.results.catalogue.conditions import laboratory
from clusterdiff.results.catalogue.measures import facts, to_markdown
from clusterdiff.results.render.text import wrap_columns


def measures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MEASURE]...", help="Describe these: a name or abbreviation, e.g. ARI."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Write Markdown, with the conditions that each satisfies."),
    ] = False,
) -> None:
    """List the measures, or describe some of them."""
    chosen = [one for text in names or [] for one in measures_named(text)]
    if markdown:
        say(to_markdown(laboratory(chosen or None, jobs=cores())), nl=False)
        return
    if as_json:
        say(json.dumps([entry(m) for m in chosen or all_measures()], indent=2))
    elif chosen:
        say("\n\n".join(about(m) for m in chosen))
    else:
        say(catalogue())


def catalogue() -> str:
    """The measures, family by family."""
    blocks = []
    for family in FAMILIES:
        rows = [(m.name, m.meaning) for m in all_measures() if m.family == family]
        blocks.append(f"{family}\n{wrap_columns(rows, width())}")
    count = len(all_measures())
    return "\n\n".join([*blocks, f"{count} measures. To describe one: clusterdiff measures elm_f"])


def entry(m: Measure) -> dict[str, Any]:
    """A measure with its claims, for programs."""
    c = m.claims
    return {
        "name": m.name,
        "family": m.family,
        "meaning": m.meaning,
        "aliases": m.aliases,
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
    return f"{m}\n\n{m.__doc__}\n\n{wrap_columns(facts(m), width())}"
