"""Which guess is better by a measure, and how sure that is, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.compare.differences import (
    best_less_others,
    decimals,
    in_words,
    shown_p,
    with_interval,
    with_sign,
)
from clusterdiff.measures.interval import Interval
from clusterdiff.output.score import is_open
from clusterdiff.output.table import digits
from clusterdiff.statistics.intervals import SureEnds

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report
    from clusterdiff.statistics.difference import Difference


def verdict(report: Report, measure: str) -> str:
    """One sentence on the guesses of a report, by one of its measures."""
    scores = {guess: found[measure] for guess, found in report.scores.items()}
    if len(scores) == 1:
        (score,) = scores.values()
        plain = "unknown" if score.value is None else _plain(score.value)
        both = score.sure if isinstance(score.sure, SureEnds) else (score.sure,)
        ends = [end for end in both if end is not None]
        if score.sure:
            level = f"{100 * ends[0].level:g} %"
            return (
                f"{measure} is {with_interval(score.value, score.sure, plain)}: the score and its "
                f"{level} confidence interval."
            )
        why = next((end.refused for end in ends if end.refused), "")
        return f"{measure} is {plain}" + (f"; it has no interval, because {why}." if why else ".")
    found = best_less_others(report, measure)
    if not found:
        values = {guess: score.value for guess, score in scores.items()}
        if len(set(values.values())) == 1 and None not in values.values():
            return f"By {measure}, {in_words(scores)} score the same."
        return f"By {measure}, {_undecided(report, measure, values)}."
    best = next(guess for guess in scores if guess not in found)
    than = "lower" if report.measures[measure].is_distance else "higher"
    untested = {guess: d for guess, d in found.items() if not d.tested}
    unsure = {guess: d for guess, d in found.items() if d.tested and not d.sure}
    if len(found) == 1:
        ((other, one),) = found.items()
        if untested:
            return (
                f"By {measure}, {best} scores {than} than {other} by {digits(abs(one.value))}; the "
                f"difference was not tested, because {one.refused}."
            )
        if one.sure:
            return f"By {measure}, {best} is better than {other} by {_by(one)}."
        return (
            f"By {measure}, {best} and {other} do not differ significantly on this data: the "
            f"difference is {_by(one)}."
        )
    if untested:
        some = "each of the others" if len(untested) == len(found) else in_words(untested)
        why = next(iter(untested.values())).refused
        more = f"; it does not differ significantly from {in_words(unsure)}" if unsure else ""
        return (
            f"By {measure}, {best} scores best; the difference from {some} was not tested, because "
            f"{why}{more}."
        )
    if not unsure:
        return (
            f"By {measure}, {best} is best, significantly better than each of the "
            f"{len(found)} others ({_worst(found)})."
        )
    return (
        f"By {measure}, {best} scores best, but does not differ significantly from "
        f"{in_words(unsure)} on this data ({_worst(unsure)})."
    )


def _undecided(report: Report, measure: str, values: dict[str, float | Interval | None]) -> str:
    """Why there is no best guess: several share the best score, or scores are ranges."""
    distance = report.measures[measure].is_distance
    some = {
        g: v if isinstance(v, Interval) else Interval(v, v)
        for g, v in values.items()
        if v is not None
    }
    if len(some) < len(values):
        return "no single guess is best"
    if not any(is_open(value) for value in values.values()):
        best = (min if distance else max)(one.low for one in some.values())
        return f"{in_words(g for g, one in some.items() if one.low == best)} share the best score"
    for guess, one in some.items():
        rest = {g: other for g, other in some.items() if g != guess}
        if all(one < other if distance else one > other for other in rest.values()):
            return (
                f"the range of {guess} lies {'below' if distance else 'above'} that of "
                f"{in_words(rest)}; ranges are not tested"
            )
    return f"the ranges of {in_words(some)} overlap, so that no guess is best for certain"


def _plain(value: float | Interval) -> str:
    if isinstance(value, Interval):
        return f"{digits(value.low)}–{digits(value.high)}"
    return digits(value)


def _by(found: Difference) -> str:
    """How much better, with the interval and p."""
    places = decimals((found.high - found.low) / 2)
    sign = -1 if found.value < 0 else 1
    low, high = sorted((sign * found.low, sign * found.high))
    ends = f"{with_sign(low, places)} to {with_sign(high, places)}"
    level = f"{100 * found.level:g} %"
    return f"{abs(found.value):.{places}f} ({level} interval {ends}, {shown_p(found.p)})"


def _worst(found: dict[str, Difference]) -> str:
    """The largest p, and how it was corrected."""
    known = [d.p for d in found.values()]
    corrected = ", corrected by Holm" if next(iter(found.values())).holm > 1 else ""
    return f"{shown_p(max(known))}{corrected}"
