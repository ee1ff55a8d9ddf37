"""`clusterdiff draw`: the records whose true clusters are to be found, as a file to fill in."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli.inputs import Inputs, ShownRecords, with_inputs
from clusterdiff.cli.streams import exact, say
from clusterdiff.errors import printable
from clusterdiff.output.describe import count
from clusterdiff.output.writing import write
from clusterdiff.sampling.draw import CANDIDATES, check_existing, draw_side
from clusterdiff.sampling.sample import OTHERS

HELP = """\b
The file has a line for each record that was drawn, and for the other records
of the clusters that they are in. Fill in the column truth: a name for the true
cluster of each record that was drawn (hits is 1 or more), and the same name
for all other members of that cluster. Lines of records in other clusters stay
blank. In the column others_of_this_entity_not_listed_here, replace each ? by
the ids of members that have no line, separated by semicolons, or by none; or
add lines for these members. Other columns of the run, or those of --table, are
written beside each record to help decide. With --pairs, the records of other
clusters that score best with a drawn one are listed too: members that the run
has missed are among these.
"""


@with_inputs("kind", "align", "noise", "noise_as", "samples", "degree", "rest")
def draw(
    inputs: Inputs,
    run: Annotated[str, typer.Argument(help="The clustering to draw records from.")],
    records: Annotated[int, typer.Option(metavar="N", help="Number of records to draw.")],
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="File to write; - for stdout.")
    ],
    seed: Annotated[int, typer.Option(help="Seed of random draws.")] = 0,
    candidates: Annotated[
        int,
        typer.Option(metavar="N", help="Number of other records of its cluster to list."),
    ] = CANDIDATES,
    table: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Table with more columns for each record, joined by id."),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scored pairs that the run was made of: also list the records of other clusters "
            "that score best with a drawn one.",
        ),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN[,COLUMN]…",
            help='Columns to write beside each record, "all" or "none"; by default the first eight '
            "other columns of the run, or of --table.",
        ),
    ] = None,
) -> None:
    """Draw a random sample of records to label."""
    if out != "-":
        check_existing(out)
    how, scored = inputs.beside_pairs(pairs, [run])
    with how.opened(run) as (sessions, side, _):
        shown = ShownRecords(records=table, show=show).asked(how)
        drawn = draw_side(sessions, side, records, seed, candidates, shown, scored)
    for note in drawn.read:
        say(printable(f"{run}: {note}"), err=True)
    if out == "-":
        say(exact(drawn.to_csv()), nl=False)
        return
    write(out, drawn.to_csv(), [run])
    draws, population = count(drawn.hits, "draw"), count(drawn.population, "record")
    more = ""
    if drawn.left_out:
        are = "is" if drawn.left_out == 1 else "are"
        more = f"; {count(drawn.left_out, 'record')} of large clusters {are} not listed"
    say(f"{out}: {draws} of {population}, {count(len(drawn), 'line')}{more}", err=True)
    given = {"--id": inputs.id, "--as": inputs.as_, "--threshold": inputs.threshold}
    flags = "".join(f" {flag} {value}" for flag, value in given.items() if value is not None)
    say(
        f"Fill in the column truth, and replace each ? under\n{OTHERS} by ids or none, then:",
        err=True,
    )
    say(f"  clusterdiff estimate {out} {run} --design records{flags}", err=True)
