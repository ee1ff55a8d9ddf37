"""`clusterdiff diff`: what a new run repaired and what it broke."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.asked import asked_by, asked_for
from clusterdiff.cli.gates import newly_left_out, regressed, regression
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.options import Told as Format
from clusterdiff.cli.screen import write_told
from clusterdiff.cli.streams import say
from clusterdiff.measures import default_measures
from clusterdiff.results.diff.diff import differing

HELP = """\b
  clusterdiff diff truth.csv monday.csv tuesday.csv
  clusterdiff diff truth.csv old.csv new.csv --fail-on-regression elm_f
  clusterdiff diff truth.csv old.csv new.csv --fail-on-regression elm_f=0.002

\b
Exit codes: 0 done, 1 a score fell that must not, 2 bad input or usage.
With --samples the score is the mean of the samples (macro). Both runs are
judged on the same objects; a new run that lacks objects which the old one
has (--align shared), or calls them noise that is dropped, fails too.
"""


@with_inputs("kind", "degree", "rest")
def diff(
    inputs: Inputs,
    truth: o.Truth,
    old: Annotated[str, typer.Argument(help="The old run.")],
    new: Annotated[str, typer.Argument(help="The new run.")],
    by: o.By = None,
    measures: o.Measures = None,
    allow_code: o.AllowCode = False,
    top: o.Top = "5",
    ids: o.Ids = "5",
    format: Annotated[Format, typer.Option("-f", "--format", help="Output format.")] = Format.text,
    fail_on_regression: Annotated[
        list[str] | None,
        typer.Option(
            metavar="M[=X]", help="Exit with 1 if the new score is worse (by more than X)."
        ),
    ] = None,
) -> None:
    """Show what a new run repaired and what it broke: objects, clusters, scores."""
    most, named = o.number("--top", top), o.number("--objects", ids)
    guarded = [regression(text, allow_code) for text in fail_on_regression or []]
    asked, explained = asked_for(measures, allow_code), asked_by(by, allow_code)
    with inputs.opened(truth, old, new, whole=True) as (shop, left, right):
        sides = [shop.loaded(side) for side in (left, *right.values())]
    del left, right
    wanted = None
    if asked or guarded:
        shown = asked or default_measures(inputs.align.value, False, False)
        wanted = [*shown, *(measure for measure, _ in guarded)]
    found = differing(sides, explained or "elm_f", wanted, inputs.policy)
    write_told(found, format, most, named)
    told = [text for measure, slack in guarded for text in regressed(found, str(measure), slack)]
    told += newly_left_out(found, inputs.policy) if guarded else []
    if told:
        say("\n".join(told), err=True)
        raise typer.Exit(1)
