"""`clusterdiff axioms`: which conditions a measure satisfies, with counterexamples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.asked import function_named, split
from clusterdiff.cli.streams import say, show, width
from clusterdiff.laboratory.batch import cores
from clusterdiff.measures import measures_named
from clusterdiff.results.catalogue.conditions import Laboratory, conditions_text, laboratory

HELP = """\b
Every condition is a program: it makes cases (a worse and a better guess for
one truth, a comparison and its parts, three partitions, …) and judges what
the measure gives them. All small cases are tried, then larger ones at random,
then neighbours of these that come nearer and nearer to failing; a case that is
against the condition is made as small as can be.
  ✓  no case was found against it (which is no proof)
  =  never the wrong way round, but equal where a difference is wanted
  ✗  a counterexample was found: 12|34 is a cluster of 1 and 2, and one of
     3 and 4; the line under it scores it again
  ·  the condition says nothing of such a measure

\b
  clusterdiff axioms                          all measures, one table
  clusterdiff axioms elm_f                    all about one
  clusterdiff axioms elm_f bcubed_f -c rag_bag -c homogeneity
  clusterdiff axioms --measure mymodule:my_function
my_function takes two lists of labels, truth and guess, and gives a number;
if it gives 0 to identical clusterings and more to others, it is a distance,
else a similarity from 0 to 1 that gives identical clusterings 1.
"""


def axioms(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MEASURE]...", help="Try these measures alone.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:FUNCTION", help="Try a function of your own: imports it and runs it."
        ),
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option("-c", "--condition", metavar="NAME", help="Hold them against this one alone."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Tell the conditions and stop.")] = False,
    objects: Annotated[
        int | None,
        typer.Option(min=1, max=9, help="Try all cases of up to so many objects."),
    ] = None,
    larger: Annotated[int, typer.Option(min=0, help="Then so many larger ones at random.")] = 300,
    climb: Annotated[
        int, typer.Option(min=0, help="Then so many steps from these towards a failure.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Of what is drawn at random.")] = 0,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Stop each search after so long.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Measures tried at a time; as there are cores.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the counterexamples as CSV files.")
    ] = None,
    format: Annotated[str, o.format_option(Laboratory)] = "text",
) -> None:
    """Which conditions measures satisfy: all of them, some, or a function of your own."""
    if listed:
        say(conditions_text(width()))
        return
    given: list[Any] = [one for text in names or [] for one in measures_named(text)]
    given += [function_named(text) for text in split(measure)]
    found = laboratory(
        given or None,
        split(condition) or None,
        objects=objects,
        larger=larger,
        climb=climb,
        seed=seed,
        seconds=seconds,
        jobs=jobs or cores(),
    )
    if export is not None:
        written = found.export(export)
        say(f"{len(written):,} files written to {export}.", err=True)
    show(found, format)
