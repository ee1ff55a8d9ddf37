"""`clusterdiff table`: how many objects each true cluster shares with each guess cluster."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import say, show
from clusterdiff.engines.named import Most
from clusterdiff.output.writing import check_places
from clusterdiff.table.table import (
    ContingencyTable,
    check_shares,
    check_top,
    contingency_of_sides,
)

HELP = """\b
  clusterdiff table cells.csv::cell_type cells.csv::leiden
  clusterdiff table truth.csv guess.csv --shares rows --plot table.html
  clusterdiff table truth.csv guess.csv --top all -f csv > cells.csv

\b
True clusters are rows, the largest first. Guess clusters are columns, each
below the true cluster that most of its objects come from. CSV, JSON and
frames have a record for each cell that is not empty, with both shares.
"""


@with_inputs(images=True)
def table(
    inputs: Inputs,
    truth: o.Truth,
    guess: o.Guess,
    shares: Annotated[
        str | None,
        typer.Option(metavar="<rows|columns>", help="Print shares of rows or columns, not counts."),
    ] = None,
    top: Annotated[
        str,
        typer.Option(
            metavar="N",
            help='Number of clusters to show on each side, largest first, or "all"; '
            "auto is 20 of more than 50.",
        ),
    ] = "auto",
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw a heat map: .html, .svg, .pdf or .png."),
    ] = None,
    format: Annotated[str, o.format_option(ContingencyTable)] = "text",
) -> None:
    """Count the objects that true and guess clusters share."""
    most: Most = "auto" if top == "auto" else o.number("--top", top)
    check_top(most)
    check_shares(shares)
    if plot is not None:
        from clusterdiff.output.figures import check_picture, save

        check_places([plot], [truth, guess])
        check_picture(plot)
    found = contingency_of_sides(inputs.opened(truth, guess), inputs.policy, most, shares)
    show(found, format)
    if plot is not None:
        save(found.plot(), plot)
        say(plot, err=True)
