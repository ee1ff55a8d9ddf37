"""`clusterdiff compare`: scores of one or several guesses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, Sureness, with_confidence, with_inputs
from clusterdiff.cli.options import HELP as HELP
from clusterdiff.cli.streams import exact, say, show
from clusterdiff.compare.compare import compare_sides
from clusterdiff.compare.differences import best_guess
from clusterdiff.compare.gates import (
    FailUnder,
    Summary,
    WholeInterval,
    end_at,
    gate,
    left_out,
    missed,
    sure_gates,
)
from clusterdiff.compare.report import Report
from clusterdiff.contingency import HardMeet
from clusterdiff.errors import ClusterdiffError, pasted, printable
from clusterdiff.io.between import check_between
from clusterdiff.io.sides import kind_asked, level_names
from clusterdiff.measures.compat import convention_named
from clusterdiff.output.formats import output_formats
from clusterdiff.output.writing import check_places
from clusterdiff.statistics.intervals import FEWEST
from clusterdiff.statistics.units import has_large_clusters

FORMATS = "Output format; latex-paper is a table with a guess per row, as in papers."


@with_inputs(images=True)
@with_confidence()
def compare(
    ctx: typer.Context,
    inputs: Inputs,
    sureness: Sureness,
    truth: o.Truth,
    guess: o.Guesses,
    measures: o.Measures = None,
    compat: o.Compat = None,
    allow_code: o.AllowCode = False,
    format: Annotated[str, o.format_option(Report, help=FORMATS)] = "text",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of what objects weigh in scores that are means over them.",
        ),
    ] = None,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Count every true cluster the same.")
    ] = False,
    levels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,COLUMN[,COLUMN]…",
            autocompletion=o.complete_columns,
            help="Columns of the truth to score one by one, e.g. cell_type,lineage; says which "
            "errors at a fine level are right at a coarse one.",
        ),
    ] = None,
    between: o.Between = None,
    per_sample: Annotated[
        bool, typer.Option("--per-sample", help="Write the scores of each sample as CSV.")
    ] = False,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Print a reproducibility signature for each score.")
    ] = False,
    fail_under: FailUnder = None,
    sure: WholeInterval = False,
    summary: Summary = None,
) -> None:
    """Compare one or several clusterings with the truth."""
    convention = convention_named(compat)
    gates = [gate(text, allow_code) for text in fail_under or []]
    gates = [(convention.measure(measure), least) for measure, least in gates]
    asked = convention.chosen(o.asked_for(measures, allow_code))
    inputs = inputs.under(convention, ctx, asked)
    inputs = replace(inputs, kind=inputs.kind or kind_asked(asked))
    guess = inputs.expanded(guess)
    check_places([summary], [truth, *guess])
    check_between(between, weights=weights, balanced=balanced, levels=levels)
    if sure:
        sureness = sure_gates(sureness, bool(gates))
    sources = inputs.sources_beside(between, [truth, *guess])
    inputs = inputs if sources is not None else inputs.with_sources(between)
    scoring: Callable[..., Report] = compare_sides
    first, others = truth, list[str]()
    if levels is not None:
        from clusterdiff.compare.levels import compare_levels, level_paths

        if gates:
            raise ClusterdiffError(
                "--fail-under needs one score for each measure, and --levels gives several.",
                f"gate one level: clusterdiff compare {pasted(truth)}::COLUMN …",
            )
        names, (first, *others) = level_paths(truth, level_names(levels))
        scoring = partial(compare_levels, names=names)
    report = scoring(
        inputs.opened(first, *guess, levels=others),
        asked,
        inputs.policy,
        besides=[measure for measure, _ in gates],
        kind=inputs.kind,
        lost=bool(gates),
        confidence=sureness.asked(inputs, truth),
        convention=convention,
        balanced=balanced,
        weights=weights,
        between=between,
        **({} if sources is None else {"sources": sources}),
    )
    following = next_step(report, o.as_typed(ctx, Inputs), [truth, *guess])
    _write(report, format, per_sample, signatures, following)
    failures = [f for measure, least in gates for f in missed(report, str(measure), least, sure)]
    failures += left_out(report.lost, inputs.policy)
    end_at(failures, len(gates), summary, _summary(report) if summary else "")


def next_step(report: Report, flags: list[str], paths: list[str]) -> list[str]:
    """The words of the command to type after this one: of several guesses whether differences are
    significant, else what explains the best one. The flags say how files are read.
    """
    if report.layout is None or "-" in paths:
        return []
    truth, *guesses = paths
    named = dict(zip(report.guesses, guesses, strict=True))
    leading = report.layout.leading
    best = best_guess(report, leading) or report.guesses[0]
    differ = len({tuple(by[m].value for m in by) for by in report.scores.values()}) > 1
    if differ and report.confidence is None and _has_enough_units(report, best):
        return ["clusterdiff", *map(pasted, paths), *flags, "--confidence 95"]
    if report.scores[best][leading].value == report.measures[leading].claims.best:
        return []
    return ["clusterdiff", "explain", pasted(truth), pasted(named[best]), *flags]


def _has_enough_units(report: Report, guess: str) -> bool:
    """Whether differences can be tested over samples, or over components of partitions."""
    if report.samples:
        return len(report.samples) >= FEWEST
    meet = report.meet_of(guess)
    if not isinstance(meet, HardMeet):
        return meet.is_hard
    agree = meet.agree
    units = int(meet.times[agree].sum()) + np.unique(meet.component[~agree]).size
    return units >= FEWEST or (meet.objects >= FEWEST and has_large_clusters(meet))


def _write(
    report: Report, format: str, per_sample: bool, signatures: bool, following: list[str]
) -> None:
    if per_sample:
        if not report.samples:
            raise ClusterdiffError(
                "there are no samples to write.", "name their column with --samples."
            )
        say(exact(report.samples_to_csv()), nl=False)
        return
    show(report, format, **({"following": following} if format == "text" else {}))
    if signatures and not output_formats()[format].signed:
        say("\n" + "\n".join(map(printable, report.signatures())))


def _summary(report: Report) -> str:
    """A report as a comment on a pull request; the signatures are folded up."""
    signatures = "\n".join(map(printable, report.signatures()))
    return (
        f"{report.to_markdown()}\n\n<details><summary>Signatures</summary>\n\n"
        f"```text\n{signatures}\n```\n\n</details>"
    )
