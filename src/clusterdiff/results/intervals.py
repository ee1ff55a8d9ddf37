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

UNSURE = " △"
"""The mark of a best score that is not significantly better than another guess."""
MUCH = 0.05
"""The least share of the variance that is worth a word."""
DECIDE = 3
"""Effective units below which it is said that a few decide."""


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
    """A p-value: "p = 0.03", "p < 0.001"."""
    if math.isnan(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}" if p < 0.1 else f"p = {p:.2f}"


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
        return f"; {found.refused}" if found.refused else ""
    ends = interval_and_p(found).partition(")")[0].removeprefix("(")
    return f", {100 * found.level:g} % interval {ends}, {shown_p(found.p)}"


def refusals(scores: Iterable[tuple[str, Sure | SureEnds | None]]) -> list[str]:
    """Why scores have no interval, each reason once with the measures it holds for."""
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
        lines.append(f"— {prefix}{why}.{f' Hint: {hint}' if hint else ''}")
    return lines


def _listed(names: list[str]) -> str:
    return (
        ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
    )


def decided_by_few(
    scores: Iterable[tuple[str, Sure | SureEnds | None]], named: bool = True
) -> list[str]:
    """Which intervals a few units decide, a line for each guess; and where they are `named`."""
    found: dict[str, list[tuple[str, Sure]]] = {}
    for text, sure in scores:
        if isinstance(sure, Sure) and sure and sure.effective < DECIDE and variance_shares(sure):
            guess, _, measure = text.rpartition(": ")
            found.setdefault(guess, []).append((measure, sure))
    lines = []
    for guess, some in found.items():
        (measure, sure), rest = some[0], [name for name, _ in some[1:]]
        most = [share for share in variance_shares(sure)[:2] if share >= MUCH]
        shares = " and ".join(f"{100 * share:.0f} %" for share in most)
        too = f"; likewise {_listed(rest)}" if rest else ""
        prefix = f"{guess}: " if guess else ""
        verb = "decide" if len(most) > 1 else "decides"
        where = " explain --uncertainty names them." if named else ""
        lines.append(
            f"{prefix}{len(most)} of {sure.count:,} {sure.units} {verb} {measure} ({shares} of the "
            f"variance){too}.{where}"
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


def legend(level: float, units: Iterable[tuple[str, int]]) -> str:
    """What an interval says, and over which units."""
    known = dict.fromkeys((name, count) for name, count in units if name)
    names = dict.fromkeys(name for name, _ in known)
    told = " and ".join(
        f"{in_words(f'{count:,}' for own, count in known if own == name)} {name}" for name in names
    )
    of = {"components": "how another data set like this one would score",
          "samples": "how other samples like these would score",
          "objects": "how other objects of the same classes would score",
          "records": "where the score of all objects lies",
          "clusters": "where the score of all objects lies"}  # fmt: skip
    first = next(iter(known), ("", 0))[0]
    what = of.get(first, "how another sample would score")
    return f"{100 * level:g} %: {what}{f'; units: {told}' if told else ''}."


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
