"""Intervals and differences as a report shows them: cells, marks, and what stands below."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from clusterdiff.measures.core.interval import Interval
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals
from clusterdiff.statistics.sure import Sure, SureEnds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clusterdiff.results.score import Score
    from clusterdiff.statistics.difference import Difference

SIGNIFICANT = " †"
"""The mark of a best score that is significantly better than that of every other guess."""
LEVERAGE = 0.1
"""The share of what a score divides by, above which it is said that one unit holds it; of few units
it must also be twice an equal share.
"""


def decimals(half: float) -> int:
    """Digits after the point that show two digits of a half-width, two to four of them.

    >>> decimals(0.0101), decimals(0.25), decimals(1e-9)
    (3, 2, 4)
    """
    return 4 if half <= 0 else min(4, max(2, 1 - math.floor(math.log10(half))))


def with_interval(value: Any, sure: Sure | SureEnds | None, plain: str) -> str:
    """A score with its interval; `plain` is how it is shown without one."""
    if sure is None:
        return plain
    if isinstance(sure, SureEnds):
        if not sure:
            return f"{plain} (—)"
        return f"{plain} ({_ends(sure.low.low, sure.high.high)})"
    if not sure:
        return f"{plain} (—)"
    places = decimals((sure.high - sure.low) / 2)
    score = value.low if isinstance(value, Interval) else float(value)
    return f"{score:,.{places}f} ({_ends(sure.low, sure.high, places)})"


def _ends(low: float, high: float, places: int | None = None) -> str:
    places = decimals((high - low) / 2) if places is None else places
    ends = [f"{end:,.{places}f}".replace("-", "−") for end in (low, high)]
    return f"{ends[0]} to {ends[1]}" if low < 0 else f"{ends[0]}–{ends[1]}"


def shown_p(p: float) -> str:
    """A p-value, near 5 % with a digit more, as it decides there.

    >>> shown_p(0.0301), shown_p(0.0496), shown_p(0.0503), shown_p(0.00001), shown_p(0.514)
    ('p = 0.03', 'p = 0.0496', 'p = 0.0503', 'p < 0.001', 'p = 0.51')
    """
    if math.isnan(p):
        return ""
    if p < 0.001 or p >= 0.1:
        return "p < 0.001" if p < 0.001 else f"p = {p:.2f}"
    return f"p = {p:.{3 if f'{p:.2g}' == '0.05' else 2}g}"


def with_sign(value: float, places: int) -> str:
    """A number with its sign, with a true minus; 0 is positive."""
    value = 0.0 if abs(value) < 0.5 * 10**-places else value
    return f"{value:+,.{places}f}".replace("-", "−")


def shown_difference(found: Difference) -> str:
    """A difference with its interval and p."""
    if math.isnan(found.value):
        return "—"
    places = 4 if math.isnan(found.low) else decimals((found.high - found.low) / 2)
    return f"{with_sign(found.value, places)} {interval_and_p(found)}".rstrip()


def interval_and_p(found: Difference) -> str:
    """The interval of a difference, and its p."""
    if math.isnan(found.low):
        return shown_p(found.p) if found.p < 1 else ""
    places = decimals((found.high - found.low) / 2)
    low, high = (with_sign(end, places) for end in (found.low, found.high))
    return f"({low} to {high}) {shown_p(found.p)}".rstrip()


def told_change(found: Difference) -> str:
    """How sure a change is, to go on a sentence with."""
    if math.isnan(found.low):
        return f"; not tested, because {found.refused}" if found.refused else ""
    ends = interval_and_p(found).partition(")")[0].removeprefix("(")
    return f", {100 * found.level:g} % interval {ends}, {shown_p(found.p)}"


def refusals(scores: Iterable[tuple[str, Sure | SureEnds | None]], what: str = "") -> list[str]:
    """Why scores have no interval, or `what` else is missing, each reason once with the measures it
    holds for.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for text, sure in scores:
        for one in sure if isinstance(sure, SureEnds) else (sure,):
            if one is not None and one.refused:
                found.setdefault((one.refused, one.hint), []).append(text)
    lines = []
    for (why, hint), names in found.items():
        names = list(dict.fromkeys(name.rpartition(": ")[2] for name in names))
        own = all(why.startswith(name.removesuffix(" micro")) for name in names)
        prefix = "" if own else f"{_listed(names)}: "
        lines.append(f"— {what}{prefix}{why}.{f' Hint: {hint}' if hint else ''}")
    return lines


def _listed(names: list[str]) -> str:
    return (
        ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
    )


def with_leverage(scores: Iterable[tuple[str, Sure | SureEnds | None]]) -> list[str]:
    """The scores that hang on one unit, a line for each guess: with few errors in units of unequal
    size, an interval cannot know whether the large ones err.
    """
    found: dict[str, list[tuple[str, Sure]]] = {}
    for text, sure in scores:
        if isinstance(sure, Sure) and sure and sure.leverage > max(LEVERAGE, 2 / sure.count):
            guess, _, measure = text.rpartition(": ")
            found.setdefault(guess, []).append((measure, sure))
    lines = []
    for guess, some in found.items():
        measure, sure = max(some, key=lambda one: one[1].leverage)
        rest = [name for name, _ in some if name != measure]
        too = f"; the same holds for {_listed(rest)}" if rest else ""
        unit = {"records": "drawn cluster"}.get(sure.units, sure.units.removesuffix("s"))
        lines.append(
            f"{f'{guess}: ' if guess else ''}One {unit} holds {100 * sure.leverage:.0f} % of what "
            f"{measure} divides by, so whether it errs decides the score{too}; more data would "
            "tell."
        )
    return lines


def variance_shares(sure: Sure) -> list[float]:
    """The share of the variance that a unit of each type has, largest first."""
    if sure.influence is None:
        return []
    square = sure.influence["deviation"] ** 2
    total = float((square * sure.influence["count"]).sum())
    return sorted((square / total).tolist(), reverse=True) if total else []


def sure_of(score: Score) -> Sure | None:
    """The interval of a score, at 95 % where none was asked for; None where there is none."""
    sure = score.sure
    if sure is None and score.value is not None:
        asked = ScoreIntervals(Confidence(0.95), score.meet, score.split, (score.measure,))
        sure = (
            asked.score(score.measure, score.value)
            if score.each is None
            else asked.macro(score.measure, score.each, score.value)
        )
    return sure if isinstance(sure, Sure) and sure else None


def in_words(parts: Iterable[str]) -> str:
    """ "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def legend(level: float, sures: Iterable[Sure]) -> list[str]:
    """What the intervals mean, over which units, and how they were found near 0 and 1."""
    sures = list(sures)
    known = dict.fromkeys((one.units, one.count) for one in sures if one.units)
    names = list(dict.fromkeys(name for name, _ in known))
    counts = {name: in_words(f"{count:,}" for own, count in known if own == name) for name in names}
    units = " and ".join(
        f"{counts[name]} {name[:-1] if counts[name] == '1' else name}" for name in names
    )
    if "objects" in names:
        units += ", as if each object was drawn by itself and labelled by the same rules"
    what = {
        "records": "the range in which the score of all objects lies",
        "clusters": "the range in which the score of all objects lies",
    }.get(names[0] if names else "", "the range to expect on a comparable data set")
    lines = [f"{100 * level:g} % intervals: {what}{f'; units: {units}' if units else ''}."]
    if any(one.method == "korn-graubard" for one in sures):
        lines.append("Where only a few units err, or none, the interval is Korn and Graubard's.")
    return lines


def score_sures(scores: Mapping[str, Mapping[str, Score]]) -> list[tuple[str, Any]]:
    """All intervals of a report with the measures, and of several guesses the guess, they are
    of.
    """
    several = len(scores) > 1
    return [
        ((f"{guess}: " if several else "") + text + part, sure)
        for guess, by_measure in scores.items()
        for text, score in by_measure.items()
        for part, sure in (("", score.sure), (" micro", score.micro_sure))
    ]
