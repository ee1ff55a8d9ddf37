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
from clusterdiff.cli.options import Format
from clusterdiff.cli.streams import exact, say
from clusterdiff.clusterings import SOFT
from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs import judged_together
from clusterdiff.measures import Measure, default_measures
from clusterdiff.results.compare import measures_by_text, scored
from clusterdiff.results.origins import Origins
from clusterdiff.results.render.text import printable
from clusterdiff.results.report import Report


@with_inputs()
def compare(
    inputs: Inputs,
    truth: o.Truth,
    guess: o.Guesses,
    measures: o.Measures = None,
    allow_code: o.AllowCode = False,
    format: Annotated[Format, typer.Option("-f", "--format", help="Output format.")] = Format.table,
    per_sample: Annotated[
        bool, typer.Option("--per-sample", help="Write the score of each sample as CSV.")
    ] = False,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Print a reproducibility signature for each score.")
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="M=X", help="Exit with 1 if a score is worse, e.g. elm_f=0.8."),
    ] = None,
) -> None:
    """Score one or several guesses against the truth."""
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


def _write(report: Report, format: Format, per_sample: bool, signatures: bool) -> None:
    if per_sample:
        if not report.samples:
            raise ClusterdiffError(
                "there are no samples to write.", "name their column with --samples."
            )
        from clusterdiff.results.render.markup import to_csv

        records = report.sample_records()
        say(exact(to_csv(list(records[0]), [list(r.values()) for r in records])), nl=False)
        return
    match format:
        case Format.json:
            say(exact(report.to_json()))
        case Format.csv:
            say(exact(report.to_csv()), nl=False)
        case Format.md:
            say(report.to_markdown())
        case Format.latex:
            say(report.to_latex())
        case Format.table:
            from clusterdiff.cli.screen import show

            show(report)
    if signatures and format in (Format.table, Format.md):
        say("\n" + "\n".join(map(printable, report.signatures())))
