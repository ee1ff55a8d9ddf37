"""`clusterdiff report`: one page to look at."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import (
    Inputs,
    ShownRecords,
    Sureness,
    with_confidence,
    with_inputs,
    with_records,
)
from clusterdiff.cli.streams import say, say_page
from clusterdiff.io.read import names_of
from clusterdiff.measures.compat import convention_named
from clusterdiff.output.writing import check_place, write
from clusterdiff.page.page import page_of_sides
from clusterdiff.sweep.command import swept
from clusterdiff.sweep.sweep import SweepOptions

HELP = """\b
The page is one file that needs no network and can be sent by mail. It says
how good a guess is, or which one is better, and shows what to fix first with
the records of the objects, a search over all clusters that differ, and the
scores with their signatures.

\b
  clusterdiff report truth.csv monday.csv tuesday.csv -o page.html
  clusterdiff report truth.csv clusters.csv --sweep pairs.parquet -o page.html
"""


@with_inputs(images=True)
@with_confidence()
@with_records()
def report(
    ctx: typer.Context,
    inputs: Inputs,
    sureness: Sureness,
    shown: ShownRecords,
    truth: o.Truth,
    guess: o.Guesses,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="File to write; - for stdout.")
    ],
    by: o.By = None,
    measures: o.Measures = None,
    between: o.Between = None,
    compat: o.Compat = None,
    allow_code: o.AllowCode = False,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "",
    sweep: Annotated[
        str | None,
        typer.Option(metavar="PAIRS", help="Scored pairs: show the score at every threshold."),
    ] = None,
) -> None:
    """Write the comparison as one self-contained HTML page."""
    command = shlex.join(["clusterdiff", *sys.argv[1:]])
    guess = inputs.expanded(guess)
    read = [truth, *guess, *([sweep] if sweep else [])]
    if out != "-":
        check_place(out, read)
    convention = convention_named(compat)
    asked = convention.chosen(o.asked_for(measures, allow_code))
    explained = convention.explained(o.asked_by(by, allow_code))
    inputs = inputs.under(convention, ctx)
    named = title or f"{Path(truth).name} against {', '.join(names_of(guess))}"
    if sureness != Sureness() and sureness.confidence is None:
        sureness = replace(sureness, confidence=95.0)
    curve = None
    if sweep is not None:
        usual = "elm_f" if between is None else "pair_f"
        wanted = SweepOptions([explained or usual], between=between)
        curve = swept(inputs, truth, [sweep], wanted)
    made = page_of_sides(
        inputs.with_sources(between).opened(truth, *guess), explained, asked, inputs.policy,
        title=named, command=command, confidence=sureness.asked(inputs, truth), curve=curve,
        convention=convention, shown=shown.asked(inputs), between=between,
    )  # fmt: skip
    if out == "-":
        say_page(made.html)
        return
    write(out, made.html, read)
    say(f"{out}: {len(made.html.encode()) / 1e6:.1f} MB", err=True)
