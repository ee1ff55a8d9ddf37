"""`clusterdiff diff`: what a new run repaired and what it broke."""

from __future__ import annotations

from dataclasses import replace
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
from clusterdiff.cli.streams import show
from clusterdiff.compare.gates import Summary, end_at, left_out, regressed, regression
from clusterdiff.explain.diff import Diff, diff_sides
from clusterdiff.measures.compat import convention_named
from clusterdiff.output.writing import check_places

HELP = """\b
  clusterdiff diff truth.csv monday.csv tuesday.csv
  clusterdiff diff truth.csv old.csv new.csv --fail-on-regression elm_f
  clusterdiff diff truth.csv old.csv new.csv --fail-on-regression elm_f=0.002
  clusterdiff diff truth.csv old.csv new.csv --confidence 95
  clusterdiff diff topics.json old.json new.json --kind cover
  clusterdiff diff truth.csv old.csv new.csv --fail-on-regression elm_f \\
                   --significant

\b
Exit codes: 0 done, 1 a score fell that must not, 2 bad input or usage.
With --samples the score is the mean of the samples (macro). Both runs are
judged on the same objects; a new run that lacks objects which the old one
has (--align shared), or calls them noise that is dropped, fails too.
"""


@with_inputs("degree", "rest")
@with_confidence()
@with_records()
def diff(
    ctx: typer.Context,
    inputs: Inputs,
    sureness: Sureness,
    shown: ShownRecords,
    truth: o.Truth,
    old: Annotated[str, typer.Argument(help="The old run.")],
    new: Annotated[str, typer.Argument(help="The new run.")],
    by: o.By = None,
    measures: o.Measures = None,
    compat: o.Compat = None,
    allow_code: o.AllowCode = False,
    top: o.Top = "5",
    ids: o.Ids = "5",
    format: Annotated[str, o.format_option(Diff)] = "text",
    fail_on_regression: Annotated[
        list[str] | None,
        typer.Option(
            metavar="M[=X]", help="Exit with 1 if the new score is worse (by more than X)."
        ),
    ] = None,
    significant: Annotated[
        bool,
        typer.Option(
            "--significant",
            help="Show only significant changes; --fail-on-regression fails only on those.",
        ),
    ] = False,
    summary: Summary = None,
) -> None:
    """Show what a new run repaired and what it broke."""
    most, named = o.number("--top", top), o.number("--objects", ids)
    if format == "csv":  # the queue is whole unless somebody says otherwise
        most = None if o.is_default(ctx, "top") else most
        named = None if o.is_default(ctx, "ids") else named
    convention = convention_named(compat)
    guarded = [regression(text, allow_code) for text in fail_on_regression or []]
    guarded = [(convention.measure(measure), slack) for measure, slack in guarded]
    asked = convention.chosen(o.asked_for(measures, allow_code)) or convention.default(False)
    explained = convention.explained(o.asked_by(by, allow_code))
    inputs = inputs.under(convention, ctx)
    check_places([summary], [truth, old, new])
    sides = inputs.opened(truth, old, new, whole=True)
    besides = [measure for measure, _ in guarded]
    if significant and sureness.confidence is None:
        sureness = replace(sureness, confidence=95.0)
    confidence = sureness.asked(inputs, truth)
    records = shown.asked(inputs)
    found = diff_sides(sides, explained, asked, inputs.policy, besides, confidence, records)
    told_of = found.significant() if significant else found
    show(told_of, format, top=most, ids=named)
    told = [
        text
        for measure, slack in guarded
        for text in regressed(found, str(measure), slack, significant)
    ]
    lost = {"the new run": found.lost} if guarded else {}
    told += left_out(lost, inputs.policy, " and the old run has")
    end_at(told, len(guarded), summary, told_of.to_markdown(most, named) if summary else "")
