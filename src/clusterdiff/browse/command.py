"""`clusterdiff browse`: review the parts in which a run differs from the truth."""

from __future__ import annotations

import secrets
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from clusterdiff.browse.review import Review
from clusterdiff.browse.server import HOST, Browser, account, check_missing_tools, listening, serve
from clusterdiff.cleanup import at_the_end
from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, ShownRecords, with_inputs, with_records
from clusterdiff.cli.streams import say
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.explain.explain import explain_sides
from clusterdiff.io.read import names_of
from clusterdiff.output.describe import count
from clusterdiff.output.writing import check_place

HELP = """\b
The browser shows the parts in which the run differs from the truth, the
costliest first, with their records. Press 1 if the run is wrong, 2 if the
truth is, 3 if both are defensible; j and k go on and back, u takes a decision
back, n writes a note, ? lists all keys. Records can be moved to another group
to say what is right. Each decision is on disk before the next part is shown;
started again, the browser goes on where it stopped. Ctrl-C ends it.

\b
  clusterdiff browse people.csv::person run.csv
  clusterdiff browse truth.csv run.csv --records people.parquet
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
    by: o.By = None,
    allow_code: o.AllowCode = False,
    port: Annotated[
        int, typer.Option(metavar="N", help="Port of the address; any that is free by default.")
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
        told = explain_sides(
            inputs.opened(truth, guess), measure, inputs.policy, None, shown.asked(inputs)
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
