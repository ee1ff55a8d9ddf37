"""`clusterdiff browse`: review the parts in which a run differs from the truth; `decisions`: apply
what was decided; `check`: hold a run against judged pairs.
"""

from __future__ import annotations

import secrets
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from clusterdiff.browse.corrected import Decisions, decisions_on_sides
from clusterdiff.browse.journal import Journal
from clusterdiff.browse.judgements import TOP, JudgementCheck, check_sides
from clusterdiff.browse.review import Review
from clusterdiff.browse.server import (
    HOST,
    Browser,
    account,
    check_missing_tools,
    listening,
    serve,
)  # fmt: skip
from clusterdiff.cleanup import at_the_end
from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, ShownRecords, with_inputs, with_records
from clusterdiff.cli.streams import on_stdout, say, say_written, show
from clusterdiff.compare.gates import end_at
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.explain.explain import explain_sides
from clusterdiff.io.read import names_of
from clusterdiff.io.sides import RecordOptions
from clusterdiff.output.describe import count
from clusterdiff.output.writing import check_ending, check_place, check_places

BROWSE_HELP = """\b
The browser shows the parts in which the run differs from the truth, the
costliest first, with their records. Press 1 if the run is wrong, 2 if the
truth is, 3 if both are defensible; j and k go on and back, u takes a decision
back, n writes a note, ? lists all keys. Records can be moved to another group
to say what is right. Each decision is on disk before the next part is shown;
started again, the browser goes on where it stopped. Ctrl-C ends it.

\b
  clusterdiff browse people.csv::person run.csv
  clusterdiff browse truth.csv run.csv --records people.parquet
  clusterdiff browse truth.csv run.csv --pairs links.csv --threshold 0.9
  clusterdiff decisions decisions.jsonl --truth truth.csv -o corrected.csv

\b
The pages are for this machine and for whoever has the address that is
printed; nothing is sent anywhere.
"""


@with_inputs()
@with_records()
def browse(
    inputs: Inputs,
    shown: ShownRecords,
    truth: o.Truth,
    guess: Annotated[str, o.Argument(help="The run to compare with it.", metavar="RUN")],
    decisions: Annotated[
        str, typer.Option(metavar="FILE", help="File of decisions, begun or continued.")
    ] = "decisions.jsonl",
    reviewer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Your name in the decisions; by default your account's."),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scored pairs that the run was made of: show which links merged clusters, and "
            "which pairs would have joined split ones.",
        ),
    ] = None,
    by: o.By = None,
    allow_code: o.AllowCode = False,
    port: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Port of the address; any that is free by default.",
            show_default=False,
        ),
    ] = 0,
    open: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the address in your browser.")
    ] = True,
) -> None:
    """Review where a run differs from the truth, in a web browser."""
    check_missing_tools()
    check_place(decisions, [truth, guess])
    with ExitStack() as stack:
        listener = stack.enter_context(listening(port))
        measure = o.asked_by(by, allow_code)
        inputs, scored = inputs.beside_pairs(pairs, (truth, guess))
        told = explain_sides(
            inputs.opened(truth, guess), measure, inputs.policy, None, shown.asked(inputs), scored
        )
        if not told.order.size:
            raise ClusterdiffError(f"there is nothing to review: {told.same()}")
        names = Path(truth).name, names_of([guess])[0]
        name = account() if reviewer is None else reviewer
        review = stack.enter_context(
            Review.opened(
                told, names, decisions, name, inputs.noise_labels or (), inputs.engine_asked()
            )
        )
        stack.enter_context(at_the_end(lambda: _leave(review)))
        token = secrets.token_urlsafe(24)
        place = listener.getsockname()[1]
        browser = Browser(review, printable(" and ".join(names)))
        decided, _ = review.progress
        say(f"{count(review.index.parts, 'part')} in conflict, {decided:,} decided in {decisions}.")
        address = f"http://{HOST}:{place}/?token={token}"
        say(f"Open {address}\nCtrl-C ends it.")
        if open:
            threading.Thread(target=_open, args=(address,), daemon=True).start()
        serve(browser.app(place, token), listener)


def _open(address: str) -> None:
    """Open the address; where there is no browser, it has been printed."""
    try:
        opened = webbrowser.open(address)
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        say("No browser could be opened here: open the address yourself.", err=True)


def _leave(review: Review) -> None:
    decided, _ = review.progress
    say(
        f"{decided:,} of {count(review.index.parts, 'part')} decided, in {review.journal.path}.",
        err=True,
    )


DECISIONS_HELP = """\b
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


@with_inputs("kind", "align", "noise", "noise_as", "degree", "rest", "count")
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
    """Apply reviewed decisions to the truth, or make judged pairs."""
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


CHECK_HELP = """\b
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


@with_inputs("kind", "align", "noise", "noise_as", "degree", "rest", "count")
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
