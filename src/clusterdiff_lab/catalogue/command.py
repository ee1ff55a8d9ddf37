"""`clusterdiff measures`: the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.streams import show
from clusterdiff.measures import measures_named
from clusterdiff_lab.catalogue.pages import MeasureList


def measures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MEASURE]...", help="Measures to describe, by name or abbreviation, e.g. ARI."
        ),
    ] = None,
    format: Annotated[str, o.format_option(MeasureList)] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON; as -f json.")] = False,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Write Markdown: a table of all, or a page for each."),
    ] = False,
) -> None:
    """List the measures, or describe some of them."""
    chosen = [one for text in names or [] for one in measures_named(text)]
    show(MeasureList(tuple(chosen)), o.one_format(format, json=as_json, md=markdown))
