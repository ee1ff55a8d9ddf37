"""`clusterdiff explain` and `clusterdiff diff`: where a guess errs, and what a new run changed."""

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
from clusterdiff.cli.streams import say, show
from clusterdiff.compare.gates import Summary, end_at, left_out, regressed, regression
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.diff import Diff, diff_sides
from clusterdiff.explain.explain import explain_sides
from clusterdiff.explain.partition import Explanation
from clusterdiff.explain.ranking import BaseExplanation
from clusterdiff.explain.slices import Slices
from clusterdiff.explain.speech import SpeechExplanation
from clusterdiff.explain.uncertainty import Uncertainty
from clusterdiff.io.sides import kind_asked
from clusterdiff.measures.compat import convention_named
from clusterdiff.output.formats import formats_of
from clusterdiff.output.writing import check_places

EXPLAIN_HELP = """\b
An object is
  right     if its guess cluster is its true cluster
  split     if its guess cluster lacks members of its true cluster
  merged    if its guess cluster has members of other true clusters
  both      if it is split and merged
and under --align penalise
  missing in guess, not in truth: only one side has it; members that one
  side lacks count as lost or wrong
Each connected component of the bipartite graph of clusters is explained as
a whole: split (one true cluster over several guess clusters), merged
(several in one), mixed (several over several), or missing and extra (they
differ only by objects that guess lacks, or that truth lacks). Each has its
share of the loss; the shares add up to 1 - score.
Objects are shown with their records: the other columns of the tables, or
those of --records. -f csv writes a review queue with a line for each record.
With --pairs, the links behind a merge stand below it, the weakest first, and
below a split the best-scoring pair across its parts.

\b
  clusterdiff explain truth.csv guess.csv --by bcubed_f --top 20
  clusterdiff explain truth.csv guess.csv --object r17
  clusterdiff explain people.csv::person run.csv --show first_name,surname
  clusterdiff explain truth.csv guess.csv --records people.parquet
  clusterdiff explain truth.csv guess.csv -f csv > queue.csv
  clusterdiff explain truth.csv guess.csv --pairs links.csv --threshold 0.9
  clusterdiff explain truth.csv guess.csv --uncertainty
  clusterdiff explain people.csv::person run.csv --slices
"""


@with_inputs(images=True)
@with_confidence()
@with_records()
def explain(
    ctx: typer.Context,
    inputs: Inputs,
    sureness: Sureness,
    shown: ShownRecords,
    truth: o.Truth,
    guess: o.Guess,
    by: o.By = None,
    compat: o.Compat = None,
    allow_code: o.AllowCode = False,
    top: o.Top = "10",
    ids: o.Ids = "5",
    only: Annotated[
        str | None,
        typer.Option(
            metavar="KIND[,KIND]…", help="Show only entries of these kinds, e.g. split,merged."
        ),
    ] = None,
    around: Annotated[
        str | None,
        typer.Option(metavar="CLUSTER", help="Show only entries that involve this cluster."),
    ] = None,
    min_size: Annotated[
        int, typer.Option(metavar="N", help="Show only entries of at least N objects.")
    ] = 1,
    object: Annotated[
        str | None, typer.Option(metavar="ID", help="Explain only this object.")
    ] = None,
    sample: Annotated[
        str | None, typer.Option(metavar="NAME", help="The sample of that object.")
    ] = None,
    between: o.Between = None,
    uncertainty: Annotated[
        bool,
        typer.Option("--uncertainty", help="Show the units that contribute most to the interval."),
    ] = False,
    slices: Annotated[
        bool,
        typer.Option(
            "--slices", help="Show which values of other columns go with errors, all or --show."
        ),
    ] = False,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scored pairs that the guess was made of: show which links merged clusters, and "
            "which pairs would have joined split ones.",
        ),
    ] = None,
    plot: Annotated[
        str | None, o.option("Draw speech as a timeline, as .html, .svg, .pdf or .png.")
    ] = None,
    format: Annotated[str, o.format_option(BaseExplanation)] = "text",
) -> None:
    """Show where a guess differs from the truth, and what that costs."""
    convention = convention_named(compat)
    measure = convention.explained(o.asked_by(by, allow_code))
    inputs = inputs.under(convention, ctx, [measure] if measure else ())
    inputs = replace(inputs, kind=inputs.kind or kind_asked([measure] if measure else None))
    most, named = o.number("--top", top), o.number("--objects", ids)
    if format == "csv":  # the queue is whole unless somebody says otherwise
        most = None if o.is_default(ctx, "top") else most
        named = None if o.is_default(ctx, "ids") else named
    some = only is not None or around is not None or min_size > 1
    if slices and (some or uncertainty or object is not None or sample is not None):
        raise ClusterdiffError(
            "--slices is about all objects.",
            "leave --only, --around, --min-size, --object, --sample and --uncertainty out.",
        )
    if pairs is not None and (slices or uncertainty):
        raise ClusterdiffError(
            f"--pairs shows links, and {'--slices' if slices else '--uncertainty'} has none.",
            "leave one of them out.",
        )
    if plot is not None:
        from clusterdiff.explain.plot import timeline_of
        from clusterdiff.output.figures import check_picture, save

        check_places([plot], [truth, guess])
        check_picture(plot)
    inputs, scored = inputs.beside_pairs(pairs, (truth, guess))
    if (uncertainty or slices) and sureness.confidence is None:
        sureness = replace(sureness, confidence=95.0)
    confidence = sureness.asked(inputs, truth)
    told = explain_sides(
        inputs.with_sources(between).opened(truth, guess), measure, inputs.policy, confidence,
        shown.asked(inputs), scored, between,
    )  # fmt: skip
    if plot is not None:
        if not isinstance(told, SpeechExplanation):
            raise ClusterdiffError(
                "--plot draws the timeline of speech, and this is none.",
                "leave it out, or see clusterdiff page for other pictures.",
            )
        save(timeline_of(told), plot)
        say(plot, err=True)
    if slices:
        assert confidence is not None
        limits = {} if o.is_default(ctx, "top") else {"top": most}
        show(Slices.of(told, confidence), format, **limits)
        return
    if some:
        told = told.only(None if only is None else only.split(","), around, min_size)
    if uncertainty:
        if not isinstance(told, Explanation):
            raise ClusterdiffError(
                "--uncertainty names components and samples of partitions.", "leave it out."
            )
        assert confidence is not None
        limits = {"top": 5 if top == "10" else most, "ids": named}
        show(Uncertainty.of(told, confidence), format, **limits)
    elif object is not None:
        found = told.object(object, sample)
        if format not in formats_of(type(found)):
            raise ClusterdiffError(f"one object is not written as {format}.", "use -f json.")
        show(found, format, ids=20 if ids == "5" else named)
    elif sample is not None:
        raise ClusterdiffError("--sample says in which sample an object is.", "add --object.")
    else:
        show(told, format, top=most, ids=named)


DIFF_HELP = """\b
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
    between: o.Between = None,
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
    sides = inputs.with_sources(between).opened(truth, old, new, whole=True)
    besides = [measure for measure, _ in guarded]
    if significant and sureness.confidence is None:
        sureness = replace(sureness, confidence=95.0)
    confidence = sureness.asked(inputs, truth)
    records = shown.asked(inputs)
    found = diff_sides(
        sides, explained, asked, inputs.policy, besides, confidence, records, between
    )
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
