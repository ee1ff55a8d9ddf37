"""`clusterdiff decisions`: a corrected truth and judged pairs, from decisions."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.browse.corrected import Decisions, decisions_on_sides
from clusterdiff.browse.journal import Journal
from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import on_stdout, say, say_written, show
from clusterdiff.io.sides import RecordOptions
from clusterdiff.output.writing import check_ending, check_places

HELP = """\b
  clusterdiff decisions decisions.jsonl --truth truth.csv -o corrected.csv
  clusterdiff decisions decisions.jsonl --truth people.csv::person \\
    -o corrected.csv --judgements pairs.csv

\b
The corrected truth has the columns that the truth had, and five more for the
records that were reviewed: the previous cluster where it is another one, the
verdict, who gave it, when, and the note. The judged pairs say which records
belong together and which do not; clusterdiff check holds a run against them.
Components on which both sides are defensible change nothing.
"""


@with_inputs("kind", "align", "noise", "noise_as", "degree", "rest")
def decisions(
    inputs: Inputs,
    file: Annotated[
        str, typer.Argument(metavar="DECISIONS", help="What clusterdiff browse wrote.")
    ],
    truth: Annotated[str, o.option("The truth that was reviewed.")],
    out: Annotated[
        str | None,
        o.option("Where to write the corrected truth: .csv, .tsv or .parquet.", "-o", "--out"),
    ] = None,
    judgements: Annotated[
        str | None, o.option("Where to write judged pairs: .csv, .tsv or .parquet.")
    ] = None,
    format: Annotated[str, o.format_option(Decisions)] = "text",
) -> None:
    """Apply reviewed decisions to the truth, or make judged pairs of them."""
    check_places([out, judgements], [file, truth])
    printed = on_stdout(out=out, judgements=judgements)
    for place in (out, judgements):
        if place not in (None, "-"):
            check_ending(place)
    shown = RecordOptions(None, "all", inputs.id, inputs.pair_options(), inputs.engine_asked())
    done = decisions_on_sides(Journal.read(file), inputs.opened(truth), truth, shown)
    for place, write in ((out, done.write), (judgements, done.write_judgements)):
        if place == "-":
            say_written(write)
        elif place is not None:
            write(place, [file, truth])
    if printed is not None:
        say(done.head(), err=True)
    else:
        show(done, format)
