"""`clusterdiff check`: hold a run against judged pairs."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.browse.judgements import TOP, JudgementCheck, check_sides
from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, ShownRecords, with_inputs, with_records
from clusterdiff.cli.streams import show
from clusterdiff.compare.gates import end_at
from clusterdiff.errors import printable

HELP = """\b
  clusterdiff check run.csv --judgements pairs.csv
  clusterdiff check run.csv --judgements pairs.csv --records people.parquet

\b
A row for each pair of records, with yes if they belong together:
  left,right,same
  r1,r2,yes
  r1,r7,no
clusterdiff decisions --judgements makes such a table of reviewed decisions.
The command ends with 1 if a judgement is violated. Judgements on records that
the run lacks are counted, and not checked.
"""


@with_inputs("kind", "align", "noise", "noise_as", "degree", "rest")
@with_records()
def check(
    ctx: typer.Context,
    inputs: Inputs,
    shown: ShownRecords,
    run: Annotated[str, o.Argument(help="The clustering to check.")],
    judgements: Annotated[str, o.option("The judged pairs.")],
    top: o.Top = str(TOP),
    format: Annotated[str, o.format_option(JudgementCheck)] = "text",
) -> None:
    """Fail if a run violates judged pairs of records."""
    most = o.number("--top", top)
    done = check_sides(inputs.opened(run), judgements, shown.asked(inputs))
    limits = {} if o.is_default(ctx, "top") else {"top": most}
    show(done, format, **limits)
    end_at([] if done.passed else [f"clusterdiff: {printable(run)}: {done.headline()}"])
