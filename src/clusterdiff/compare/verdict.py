"""Which guess is better by a measure, and whether that is significant, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.compare.differences import (
    best_guess,
    best_less_others,
    decimals,
    ends_of,
    in_words,
    shown_p,
    signed_range,
    with_interval,
)
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.output.score import is_open
from clusterdiff.output.table import digits

if TYPE_CHECKING:
    from clusterdiff.compare.report import Report
    from clusterdiff.output.score import Score
    from clusterdiff.statistics.intervals import Difference


def verdict(report: Report, measure: str) -> str:
    """One sentence on the guesses of a report, by one of its measures."""
    scores = {guess: by_measure[measure] for guess, by_measure in report.scores.items()}
    if len(scores) == 1:
        return f"{measure} is {_alone(*scores.values())}."
    return f"By {measure}, {finding(report, measure)}."


def finding(report: Report, measure: str) -> str:
    """Which of several guesses is better by a measure, and whether that is significant."""
    scores = {guess: by_measure[measure] for guess, by_measure in report.scores.items()}
    distance = report.measures[measure].is_distance
    if best := best_guess(report, measure):
        if report.confidence is None:
            rest = (f"{g} {digits(one.value)}" for g, one in scores.items() if g != best)
            own = f"{best} scores best with {digits(scores[best].value)}"
            return f"{own} ({in_words(rest)}); this was not tested"
        others = best_less_others(report, measure)
        return _against_others(best, "lower" if distance else "higher", others)
    values = [score.value for score in scores.values()]
    if None not in values and len(set(values)) == 1:
        return f"{in_words(scores)} score the same"
    return _undecided(distance, scores)


def _alone(score: Score) -> str:
    """The score of a single guess, and its interval or why it has none."""
    ends = ends_of(score.ci)
    plain = "unknown" if score.value is None else digits(score.value)
    if ends and all(ends):
        level = f"{100 * ends[0].level:g} %"
        value = with_interval(score.value, score.ci, plain)
        return f"{value}: the score and its {level} confidence interval"
    why = next((end.refused for end in ends if end.refused), "")
    return f"{plain}; it has no interval, because {why}" if why else plain


def _against_others(best: str, than: str, others: dict[str, Difference]) -> str:
    """How the best guess differs from each other one."""
    untested = {guess: test for guess, test in others.items() if not test.tested}
    close = {guess: test for guess, test in others.items() if test.tested and not test.significant}
    why = next((test.refused for test in untested.values()), "")
    if len(others) == 1:
        ((other, test),) = others.items()
        if untested:
            return (
                f"{best} scores {than} than {other} by {digits(abs(test.value))}; the difference "
                f"was not tested, because {why}"
            )
        if not close:
            return f"{best} is better than {other} by {_by(test)}"
        return (
            f"{best} and {other} do not differ significantly on this data: the difference is "
            f"{_by(test)}"
        )
    if untested:
        which = "each of the others" if len(untested) == len(others) else in_words(untested)
        more = f"; it does not differ significantly from {in_words(close)}" if close else ""
        return (
            f"{best} scores best; the difference from {which} was not tested, because {why}{more}"
        )
    if not close:
        return (
            f"{best} is best, significantly better than each of the {len(others)} others "
            f"({_largest_p(others)})"
        )
    return (
        f"{best} scores best, but does not differ significantly from {in_words(close)} on this "
        f"data ({_largest_p(close)})"
    )


def _undecided(distance: bool, scores: dict[str, Score]) -> str:
    """Why there is no best guess: several share the best score, or scores are ranges."""
    ranges = {
        guess: v if isinstance(v := score.value, ScoreRange) else ScoreRange(v, v)
        for guess, score in scores.items()
        if score.value is not None
    }
    if len(ranges) < len(scores):
        return "no single guess is best"
    if not any(map(is_open, ranges.values())):
        best = (min if distance else max)(one.low for one in ranges.values())
        ties = in_words(guess for guess, one in ranges.items() if one.low == best)
        return f"{ties} share the best score"
    for guess, one in ranges.items():
        rest = {other: ends for other, ends in ranges.items() if other != guess}
        if all(one < ends if distance else one > ends for ends in rest.values()):
            side = "below" if distance else "above"
            return (
                f"the range of {guess} lies {side} that of {in_words(rest)}; ranges are not tested"
            )
    return f"the ranges of {in_words(ranges)} overlap, so that no guess is best for certain"


def _by(test: Difference) -> str:
    """How much better, with the interval and p."""
    places = decimals((test.high - test.low) / 2)
    low, high = (test.low, test.high) if test.value >= 0 else (-test.high, -test.low)
    level = f"{100 * test.level:g} %"
    return (
        f"{abs(test.value):.{places}f} ({level} interval {signed_range(low, high)}, "
        f"{shown_p(test.p)})"
    )


def _largest_p(tests: dict[str, Difference]) -> str:
    """The largest p, and how it was corrected."""
    corrected = ", corrected by Holm" if next(iter(tests.values())).holm > 1 else ""
    return f"{shown_p(max(test.p for test in tests.values()))}{corrected}"
