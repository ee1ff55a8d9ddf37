"""Thresholds for continuous integration: what a score must reach."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from clusterdiff.cli.options import asked_by, function_named
from clusterdiff.cli.streams import say
from clusterdiff.compare.differences import ends_of, worse_end
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.errors import ClusterdiffError, WriteError, pasted, printable
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.markup import in_markdown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.cli.inputs import Sureness
    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Policy
    from clusterdiff.explain.diff import Diff
    from clusterdiff.io.arguments import Lost
    from clusterdiff.output.score import Score

Summary = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Append the result, and whether it passed, as Markdown to a file, e.g. to "
        '"$GITHUB_STEP_SUMMARY".',
    ),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(metavar="M=X", help="Exit with code 1 if a score is worse, e.g. elm_f=0.8."),
]
WholeInterval = Annotated[
    bool,
    typer.Option("--sure", help="Require the whole confidence interval to pass --fail-under."),
]
ROUNDING = 1e-12
"""Falls below this are rounding."""


def gate(text: str, allow_code: bool = False) -> tuple[Measure, float]:
    """The measure and the threshold of a text such as `elm_f=0.8`."""
    measure, least = _threshold(text, allow_code)
    low, high = measure.claims.bounds
    if not low <= least <= high:
        percent = least / 100
        near = f"did you mean {pasted(f'{measure}={percent:g}')}?" if low <= percent <= high else ""
        raise ClusterdiffError(
            f"{measure} lies between {low:g} and {high:g}, and {least:g} does not.", near
        )
    return measure, least


def regression(text: str, allow_code: bool = False) -> tuple[Measure, float]:
    """The measure of `elm_f`, and how much its score may fall: of `elm_f=0.002` a little."""
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


def _threshold(text: str, allow_code: bool) -> tuple[Measure, float]:
    name, _, number = text.rpartition("=")
    try:
        measure = asked_by(name, allow_code)
        if measure is None or not math.isfinite(float(number)):
            raise ValueError
        return measure, float(number)
    except ValueError as error:
        if isinstance(error, ClusterdiffError) and name:
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
    """Intervals for gates with --sure: at 95 % where no level is given."""
    needs_gates(gates)
    return sureness if sureness.confidence is not None else replace(sureness, confidence=95.0)


def missed(report: Report, measure: str, least: float, sure: bool = False) -> list[str]:
    """The messages of a gate on the guesses that score worse than it allows; with `sure`, on those
    whose interval does not lie on the right side of it as a whole.
    """
    distance = report.measures[measure].is_distance
    messages = []
    for guess, scores in report.scores.items():
        score = scores[measure]
        value = worse_end(score.value, distance)
        what, why = f"{measure}{_mean_of_samples(score)}", score.missing
        if sure and value is not None:
            ends = ends_of(score.ci)
            refused = next((end.refused for end in ends if end.refused), "")
            if refused or not ends:
                why = f"{measure} has no interval: {refused or 'none was asked for'}."
            else:
                value = ends[-1].high if distance else ends[0].low
                what = f"the {'high' if distance else 'low'} end of {what}"
        if why:
            messages.append(f"clusterdiff: {printable(guess)}: {why}")
        elif value is not None and (value > least if distance else value < least):
            side = f"{value:.6g}, {'above' if distance else 'below'} {least:g}"
            messages.append(f"clusterdiff: {printable(guess)}: {what} is {side}.")
    return messages


def regressed(diff: Diff, measure: str, slack: float, sure: bool = False) -> list[str]:
    """The message of a gate on a new run that scores worse than the old one by more than `slack`;
    with `sure`, on one whose whole interval is worse, or that was not tested.
    """
    distance = diff.report.measures[measure].is_distance
    fall = diff.change[measure] if distance else -diff.change[measure]
    untested = ""
    if sure:
        change = diff.difference(measure)
        if not change.tested:
            untested = f"; the change was not tested, because {change.refused}"
        else:
            fall = change.low if distance else -change.high
    if not fall > max(slack, ROUNDING):
        return []
    scores = diff.report[measure]
    before, after = (f"{float(scores[run]):.6g}" for run in ("old", "new"))
    what = f"{measure}{_mean_of_samples(scores['new'])}"
    return [f"clusterdiff: {what} went from {before} to {after}{untested}."]


def _mean_of_samples(score: Score) -> str:
    """Where there are samples, that the gated number is their mean."""
    return "" if score.each is None else f", mean of {count(len(score.each), 'sample')},"


def left_out(lost: Mapping[str, Lost], policy: Policy, beside: str = "") -> list[str]:
    """The messages of a gate on guesses that leave objects of truth out of their own score: how
    many objects, and the flags under which they count.
    """
    plan = plan_of(policy)
    reasons = {
        "lacks": (plan.lacked, "--align singletons or penalise"),
        "calls noise": (plan.noise, "--noise-as singletons"),
    }
    flags = {does: flag for does, (fate, flag) in reasons.items() if fate is Fate.DROPPED}
    does, ways = " or ".join(flags), " and ".join(flags.values())
    return [
        f"clusterdiff: {printable(guess)} {does} {some.objects:,} of {count(some.of, 'object')} "
        f"that truth has{beside}, and is scored without them; {ways} would count them."
        for guess, some in lost.items()
        if some.objects
    ]


def end_at(
    messages: list[str], gates: int = 0, summary: str | None = None, shown: str = ""
) -> None:
    """Exit with 1 if a gate has a message. The file `summary` gets the verdict of all gates, above
    what is shown.
    """
    if summary is not None:
        lines = [in_markdown(message.removeprefix("clusterdiff: ")) for message in messages]
        passed = f"**✓ {count(gates, 'gate')} passed.**" if gates else ""
        verdict = "\n".join(f"**✗ {line}**  " for line in lines) or passed
        _append(summary, "\n\n".join(filter(None, [verdict, shown])))
    if messages:
        say("\n".join(messages), err=True)
        raise typer.Exit(1)


def _append(path: str, text: str) -> None:
    """Add a text to a file, which several steps of a workflow on GitHub share; - is stdout."""
    if path == "-":
        say(text)
        return
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n\n")
    except OSError as error:
        raise WriteError.from_os(path, error, "") from None
