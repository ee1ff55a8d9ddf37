"""`clusterdiff compare`: scores of one or several guesses."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from clusterdiff.backends.table import kind_of
from clusterdiff.cli import options as o
from clusterdiff.cli.asked import asked_for
from clusterdiff.cli.gates import gate, left_out, missed
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.streams import exact, say, show
from clusterdiff.clusterings import SOFT
from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs import judged_together
from clusterdiff.measures import Measure, default_measures
from clusterdiff.results.compare import measures_by_text, scored
from clusterdiff.results.origins import Origins
from clusterdiff.results.render.formats import output_formats
from clusterdiff.results.render.text import printable
from clusterdiff.results.report import Report


@with_inputs()
def compare(
    inputs: Inputs,
    truth: o.Truth,
    guess: o.Guesses,
    measures: o.Measures = None,
    allow_code: o.AllowCode = False,
    format: Annotated[str, o.format_option(Report)] = "text",
    per_sample: Annotated[
        bool, typer.Option("--per-sample", help="Write the score of each sample as CSV.")
    ] = False,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="What each score takes to be had again.")
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="M=X", help="Exit with 1 if a score is worse, e.g. elm_f=0.8."),
    ] = None,
) -> None:
    """Scores of one or several guesses against the truth."""
    gates = [gate(text, allow_code) for text in fail_under or []]
    asked = asked_for(measures, allow_code)
    inputs = replace(inputs, kind=inputs.kind or _kind_for(asked))
    with inputs.opened(truth, *guess) as (shop, left, right):
        kinds = [kind_of(side) for side in (left, *right.values())]
        overlap = "cover" in kinds or "cover" in (inputs.kind or "")
        soft = any(own in SOFT for own in kinds)
        shown = asked or default_measures(inputs.align.value, overlap, soft)
        chosen = measures_by_text([*shown, *(measure for measure, _ in gates)])
        judged = judged_together(shop, left, right, inputs.policy)
        found = {name: judged.met(name) for name in right}
        lost = left_out(judged) if gates else []
    report = scored(found, chosen, Origins.of(left, right))
    _write(report, format, per_sample, signatures)
    told = [text for measure, least in gates for text in missed(report, str(measure), least)]
    told += lost
    if told:
        say("\n".join(told), err=True)
        raise typer.Exit(1)


def _kind_for(asked: list[Measure]) -> str | None:
    """Covers, where nothing else is asked for."""
    return "cover" if asked and all(m.needs == {"cover"} for m in asked) else None


def _write(report: Report, format: str, per_sample: bool, signatures: bool) -> None:
    if per_sample:
        if not report.samples:
            raise ClusterdiffError(
                "there are no samples to write.", "name their column with --samples."
            )
        say(exact(report.samples_to_csv()), nl=False)
        return
    show(report, format)
    if signatures and not output_formats()[format].signed:
        say("\n" + "\n".join(map(printable, report.signatures())))
