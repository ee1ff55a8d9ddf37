"""`clusterdiff axioms`: which conditions a measure satisfies, with counterexamples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.streams import say, show, width
from clusterdiff.measures import measures_named
from clusterdiff_lab.axioms.laboratory import Laboratory, conditions_text, cores, laboratory

HELP = """\b
Every condition is a program: it makes cases (a worse and a better guess for
one truth, a comparison and its parts, three partitions, …) and judges what
the measure gives them. All small cases are tried, then larger ones at random,
then neighbours of these that come nearer and nearer to failing; a
counterexample is made as small as possible.
  ✓  no counterexample was found (which is not a proof)
  =  never the wrong way round, but equal where a difference is wanted
  ✗  a counterexample was found: 12|34 is a cluster of 1 and 2, and one of
     3 and 4; the line under it reproduces the scores
  ·  the condition does not apply to such a measure

\b
  clusterdiff axioms                          all measures, one table
  clusterdiff axioms elm_f                    one measure in detail
  clusterdiff axioms elm_f bcubed_f -c rag_bag -c homogeneity
  clusterdiff axioms --measure mymodule:my_function
my_function takes two lists of labels, truth and guess, and returns a number;
if it is 0 for identical clusterings and more for others, it is a distance,
otherwise a similarity from 0 to 1 that is 1 for identical clusterings.
"""


def axioms(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MEASURE]...", help="Measures to test; all by default."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:FUNCTION", help="A function of your own, which is imported and run."
        ),
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "-c", "--condition", metavar="NAME", help="Condition to test; all by default."
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the conditions and exit.")] = False,
    objects: Annotated[
        int | None,
        typer.Option(
            min=1, max=9, help="Largest number of objects up to which all cases are tested."
        ),
    ] = None,
    larger: Annotated[
        int, typer.Option(min=0, help="Number of larger cases to draw at random.")
    ] = 300,
    climb: Annotated[
        int, typer.Option(min=0, help="Number of steps from those towards a failure.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Stop each search after this time.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Number of measures to test in parallel; all cores by default."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the counterexamples as CSV files.")
    ] = None,
    format: Annotated[str, o.format_option(Laboratory)] = "text",
) -> None:
    """Test which conditions (axioms) a measure or function satisfies."""
    if listed:
        say(conditions_text(width()))
        return
    given: list[Any] = [one for text in names or [] for one in measures_named(text)]
    given += [o.function_named(text) for text in o.split(measure)]
    result = laboratory(
        given or None,
        o.split(condition) or None,
        objects=objects,
        larger=larger,
        climb=climb,
        seed=seed,
        seconds=seconds,
        jobs=jobs or cores(),
    )
    if export is not None:
        written = result.export(export)
        say(f"{len(written):,} files written to {export}.", err=True)
    show(result, format)
