"""Thresholds for continuous integration: what a score must reach."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from clusterdiff.cli.options import asked_by, function_named
from clusterdiff.cli.streams import say
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.errors import ClusterdiffError, WriteError, pasted, printable
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.interval import Interval
from clusterdiff.output.describe import count
from clusterdiff.output.markup import in_markdown
from clusterdiff.statistics.intervals import Sure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.cli.inputs import Sureness
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Policy
    from clusterdiff.explain.diff import Diff
    from clusterdiff.io.arguments import Lost
    from clusterdiff.output.score import Score
    from clusterdiff.statistics.intervals import SureEnds

Summary = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Append the verdict of the gates and the result as Markdown, e.g. to "
        '"$GITHUB_STEP_SUMMARY".',
    ),
]


FailUnder = Annotated[
    list[str] | None,
    typer.Option(metavar="M=X", help="Exit with 1 if a score is worse, e.g. elm_f=0.8."),
]
WholeInterval = Annotated[
    bool,
    typer.Option("--sure", help="Require the whole confidence interval to pass --fail-under."),
]


def gate(text: str, allow_code: bool = False) -> tuple[Measure, float]:
    """`elm_f=0.8` taken apart."""
    measure, least = _threshold(text, allow_code)
    low, high = measure.claims.bounds
    if not low <= least <= high:
        percent = least / 100
        near = f"did you mean {pasted(f'{measure}={percent:g}')}?" if low <= percent <= high else ""
        raise ClusterdiffError(
            f"{measure} lies between {low:g} and {high:g}, and {least:g} does not.", near
        )
    return measure, least


def _threshold(text: str, allow_code: bool) -> tuple[Measure, float]:
    measure, _, least = text.rpartition("=")
    try:
        found = asked_by(measure, allow_code)
        if found is None or not math.isfinite(float(least)):
            raise ValueError
        return found, float(least)
    except ValueError as error:
        if isinstance(error, ClusterdiffError) and measure:
            raise
        raise ClusterdiffError(
            f"{text!r} is not a threshold.", "write a measure and a number, e.g. elm_f=0.8."
        ) from None


def needs_gates(gates: bool) -> None:
    """Refuse --sure where there is no threshold."""
    if not gates:
        raise ClusterdiffError(
            "--sure is for thresholds, and there is none.", "add e.g. --fail-under elm_f=0.8."
        )


def sure_gates(sureness: Sureness, gates: bool) -> Sureness:
    """Intervals at 95 % where a gate asks for them and nothing else is said."""
    needs_gates(gates)
    return sureness if sureness.confidence is not None else replace(sureness, confidence=95.0)


def missed(report: Report, measure: str, least: float, sure: bool = False) -> list[str]:
    """What a gate says of the guesses that are worse than it asks; or, where it asks to be `sure`,
    that may be.
    """
    distance = report.measures[measure].is_distance
    told = []
    for guess, scores in report.scores.items():
        value = scores[measure].value
        if value is None:
            told.append(f"clusterdiff: {printable(guess)}: {scores[measure].missing}")
            continue
        if isinstance(value, Interval):
            value = value.high if distance else value.low
        end = ""
        if sure:
            known = scores[measure].sure
            if not known:
                told.append(_no_interval(guess, measure, known))
                continue
            outer = known.high if distance else known.low
            inner = outer if isinstance(outer, Sure) else known
            assert isinstance(inner, Sure)
            value = inner.high if distance else inner.low
            end = f"the {'high' if distance else 'low'} end of "
        if value > least if distance else value < least:
            side = "above" if distance else "below"
            name, score = printable(guess), f"{end}{measure}{_over(scores[measure])}"
            told.append(f"clusterdiff: {name}: {score} is {value:.6g}, {side} {least:g}.")
    return told


def _no_interval(guess: str, measure: str, sure: Sure | SureEnds | None) -> str:
    """Why it is not sure that a guess reaches a threshold."""
    one = sure.low if isinstance(sure, tuple) else sure
    why = one.refused if one is not None else "none was asked for"
    return f"clusterdiff: {printable(guess)}: {measure} has no interval: {why}."


def _over(score: Score) -> str:
    """What the gated number is the mean of, where there are samples."""
    return "" if score.each is None else f", mean of {count(len(score.each), 'sample')},"


def end_at(told: list[str], gates: int = 0, summary: str | None = None, shown: str = "") -> None:
    """Exit with 1 where a gate has something to say; the `summary` has it above what is shown."""
    if summary is not None:
        lines = [in_markdown(one.removeprefix("clusterdiff: ")) for one in told]
        passed = f"**✓ {count(gates, 'gate')} passed.**" if gates else ""
        verdict = "\n".join(f"**✗ {line}**  " for line in lines) or passed
        _append(summary, "\n\n".join(filter(None, [verdict, shown])))
    if told:
        say("\n".join(told), err=True)
        raise typer.Exit(1)


def _append(path: str, text: str) -> None:
    """Add a text to a file, as GitHub wants it of several steps; - is standard output."""
    if path == "-":
        say(text)
        return
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n\n")
    except OSError as error:
        raise WriteError.from_os(path, error, "") from None


def left_out(found: Mapping[str, Lost], policy: Policy, beside: str = "") -> list[str]:
    """What a gate says of guesses that are judged without objects of truth, by their own doing:
    how many objects, and the flags under which they count.
    """
    plan = plan_of(policy)
    reasons = {
        "lacks": (plan.lacked, "--align singletons or penalise"),
        "calls noise": (plan.noise, "--noise-as singletons"),
    }
    some = {does: way for does, (fate, way) in reasons.items() if fate is Fate.DROPPED}
    does, ways = " or ".join(some), " and ".join(some.values())
    return [
        f"clusterdiff: {printable(who)} {does} {lost.objects:,} of {count(lost.of, 'object')} that "
        f"truth has{beside}, and is scored without them; {ways} would count them."
        for who, lost in found.items()
        if lost.objects
    ]


def regression(text: str, allow_code: bool = False) -> tuple[Measure, float]:
    """`elm_f`, or `elm_f=0.002` where a score may fall a little."""
    _, equals, slack = text.rpartition("=")
    if not equals or slack.endswith(")"):
        return measure_named(text, function_named if allow_code else None), 0.0
    measure, most = _threshold(text, allow_code)
    low, high = measure.claims.bounds
    if not 0 <= most <= high - low:
        raise ClusterdiffError(
            f"{measure} lies between {low:g} and {high:g}: it cannot fall by {most:g}.",
            f"write how much it may fall, e.g. {pasted(f'{measure}=0.01')}.",
        )
    return measure, most


def regressed(found: Diff, measure: str, slack: float, sure: bool = False) -> list[str]:
    """What a gate says of a new run that is worse than the old one; where it asks to be `sure`, of
    one whose whole interval is worse, or that has none.
    """
    change = found.change[measure]
    lost = change if found.report.measures[measure].is_distance else -change
    unsure = ""
    if sure:
        known = found.difference(measure)
        if math.isnan(known.low):
            unsure = f"; the change was not tested, because {known.refused}"
        else:
            lost = known.low if found.report.measures[measure].is_distance else -known.high
    if not lost > max(slack, 1e-12):
        return []
    before, after = (float(found.report[measure][run]) for run in ("old", "new"))
    score = f"{measure}{_over(found.report[measure]['new'])}"
    return [f"clusterdiff: {score} went from {before:.6g} to {after:.6g}{unsure}."]
