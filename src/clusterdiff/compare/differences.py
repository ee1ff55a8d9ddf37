"""Differences between guesses: of a report, its marks, and the notes below its table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.contingency import HardMeet
from clusterdiff.errors import ClusterdiffError, KindError, did_you_mean
from clusterdiff.measures.interval import Interval
from clusterdiff.measures.sums import UnitSums
from clusterdiff.output.describe import count
from clusterdiff.output.score import is_open
from clusterdiff.output.table import CellTable
from clusterdiff.statistics.confidence import WITHIN, Confidence, ScoreIntervals
from clusterdiff.statistics.difference import Difference, difference, holm, tested
from clusterdiff.statistics.intervals import FEWEST, Sure, SureEnds
from clusterdiff.statistics.units import (
    CELLS,
    Joint,
    Units,
    by_name,
    has_large_clusters,
    spread_of_difference,
    strata_of,
    units_of_samples,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clusterdiff.compare.report import Report
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import SampledUnits

# Intervals and differences as a report shows them: cells, marks, and what stands below.

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


def difference_of(
    report: Report, measure: str | Measure, guess: str, other: str, micro: bool = False
) -> Difference:
    """The score of one guess less that of another, found once."""
    if report.confidence is None:
        raise ClusterdiffError(
            "there are no intervals in this report.", "compare with confidence=0.95."
        )
    for name in (guess, other):
        if name not in report.scores:
            raise ClusterdiffError(
                f"there is no guess {name!r}.",
                f"{did_you_mean(name, report.guesses)}There are {', '.join(report.guesses)}.",
            )
    if guess == other:
        raise ClusterdiffError(f"{guess!r} is compared with itself.", "name two guesses.")
    scores = report[measure]
    pair: tuple[Score, Score] = (scores[guess], scores[other])
    key = (str(pair[0].measure), guess, other, micro)
    if key not in report._differences:
        found = _difference(report, pair, (guess, other), micro)
        report._differences[key] = replace(found, of=pair, micro=micro)
    return report._differences[key]


def _difference(
    report: Report, pair: tuple[Score, Score], names: tuple[str, str], micro: bool
) -> Difference:
    asked, measure = report.confidence, pair[0].measure
    assert asked is not None
    values = [score.micro if micro else score.value for score in pair]
    if any(value is None or is_open(value) for value in values):
        why = "scores that are ranges have no single difference"
        if None in values:
            why = "there is no number for both guesses"
        return Difference(float("nan"), level=asked.level, refused=why)
    value = float(values[0]) - float(values[1])  # type: ignore[arg-type]
    if _by_objects(report, pair, names):
        assert isinstance(report.joint, Joint)
        wide, differ = spread_of_difference(measure, report.joint, *names)
        objects = pair[0].meet.objects
        return tested(value, wide, asked.level, measure.claims.bounds, "objects", objects, differ)
    found = _sums(report, pair, names, micro)
    if isinstance(found, str):
        return Difference(value, level=asked.level, refused=found)
    one, other, count, units = found
    strata = strata_of(asked.strata, units, pair[0].samples)
    if units == "samples":
        order = by_name(pair[0].samples)
        one, other = (
            sums._replace(terms={name: term[order] for name, term in sums.terms.items()})
            for sums in (one, other)
        )
        strata = None if strata is None else strata[order]
    return difference(
        one, other, count, asked.level, bounds=measure.claims.bounds, units=units, value=value,
        strata=strata, keep=1.0 if report.joint is None else report.joint.keep,
    )  # fmt: skip


def _by_objects(report: Report, pair: tuple[Score, Score], names: tuple[str, str]) -> bool:
    """Whether objects are the units: asked for, or of few large clusters all there is."""
    asked, joint = report.confidence, report.joint
    meets = [score.meet for score in pair]
    hard = [m for m in meets if isinstance(m, HardMeet) and m.times.sum() <= CELLS]
    if asked is None or not isinstance(joint, Joint) or len(hard) < 2 or pair[0].split is not None:
        return False
    if asked.units is not None:
        return asked.units == "objects"
    return joint.units(*names)[0].number < FEWEST and all(map(has_large_clusters, hard))


def _sums(
    report: Report, pair: tuple[Score, Score], names: tuple[str, str], micro: bool
) -> tuple[UnitSums, UnitSums, Any, str] | str:
    """What units add to both scores, how many of each type there are, and what they are; or why
    that is not known.
    """
    measure, asked = pair[0].measure, report.confidence
    assert asked is not None
    if asked.units == "objects":
        return "differences over objects need partitions with a table of few cells"
    splits = pair[0].split, pair[1].split
    sides: tuple[Any, Any]
    if splits[0] is not None and splits[1] is not None and asked.units in (None, "samples"):
        if pair[0].samples != pair[1].samples:
            return "the guesses are not judged on the same samples"
        count = np.ones(len(pair[0].samples), np.int64)
        if not micro:
            return *(_mean_sums(score) for score in pair), count, "samples"  # type: ignore[return-value]
        sides = units_of_samples(splits[0]), units_of_samples(splits[1])
    elif measure.sums_samples and splits[0] is not None:
        return WITHIN.format(measure)
    elif not isinstance(pair[0].meet, HardMeet):
        return "differences of overlapping and uncertain clusterings need samples"
    elif report.joint is None:
        return "the clusters of all guesses do not fit in memory together"
    else:
        sides = report.joint.units(*names)
    if sides[0] is None or sides[1] is None:
        return "scores of uncertain clusterings are not sums over samples"
    return _of_units(measure, (sides[0], sides[1]))


def _mean_sums(score: Score) -> UnitSums:
    each = np.array([float(one) for one in score.each or ()])
    terms = {"score": each, "samples": np.ones(each.size)}
    return UnitSums(terms, lambda s: s["score"] / s["samples"])


def _of_units(
    measure: Measure, sides: tuple[Units | SampledUnits, Units | SampledUnits]
) -> tuple[UnitSums, UnitSums, Any, str] | str:
    try:
        one, other = sides[0].sums(measure), sides[1].sums(measure)
    except KindError:
        return f"{measure} needs the features of the objects, and units of two guesses have none"
    if one is None or other is None:
        return f"{measure} is not a sum over units"
    return one, other, sides[0].count, sides[0].name


def best_less_others(report: Report, text: str, micro: bool = False) -> dict[str, Difference]:
    """The best guess less each other one, p corrected by Holm; nothing where none is best."""
    values = {
        guess: scores[text].micro if micro else scores[text].value
        for guess, scores in report.scores.items()
    }
    if any(value is None or is_open(value) for value in values.values()):
        return {}
    numbers = {guess: float(value) for guess, value in values.items()}  # type: ignore[arg-type]
    small = report.measures[text].is_distance
    best = (min if small else max)(numbers, key=lambda guess: numbers[guess])
    others = [guess for guess in numbers if guess != best]
    if any(numbers[guess] == numbers[best] for guess in others):
        return {}
    found = {guess: difference_of(report, text, best, guess, micro) for guess in others}
    known = {guess: d.p for guess, d in found.items() if d.p == d.p}
    corrected = holm(known)
    return {
        guess: replace(d, p=corrected.get(guess, d.p), holm=len(others))
        for guess, d in found.items()
    }


def told_apart(report: Report, table: CellTable, names: list[str]) -> CellTable:
    """The mark of a best score that is significantly better than every other; and a column for the
    difference of two guesses, two with samples.
    """
    rows = [list(row) for row in table.rows]
    for i, j in table.best:
        differences = best_less_others(report, rows[i][0])
        if differences and all(d.sure for d in differences.values()):
            rows[i][j] += SIGNIFICANT
    headings = list(table.headings)
    if len(report.scores) == 2:
        first, second = report.guesses
        called = names if len(names) == 2 else [first, second]
        for micro in (False, True) if report.samples else (False,):
            kind = (" micro" if micro else " macro") if report.samples else ""
            headings.append(f"{called[1]} − {called[0]}{kind}")
            for row in rows:
                found = difference_of(report, row[0], second, first, micro)
                row.append(shown_difference(found))
    return CellTable(tuple(headings), tuple(map(tuple, rows)), table.best)


def notes_of(report: Report, mark: str = "▲") -> list[str]:
    """What intervals say, why some are missing, and which scores hang on one unit; `mark` is that
    of the best score of a row.
    """
    assert report.confidence is not None
    sures = score_sures(report.scores)
    every = [one for _, sure in sures for one in (sure if isinstance(sure, SureEnds) else (sure,))]
    known = [one for one in every if isinstance(one, Sure) and one]
    lines = legend(report.confidence.level, known) if known else []
    if len(report.scores) > 1:
        lines += _of_differences(report, mark)
    lines += partial_truth(report)
    return [*lines, *with_leverage(sures), *refusals(sures)]


def partial_truth(report: Report) -> list[str]:
    """That intervals say nothing of objects that truth does not know, where these are left out."""
    found = [next(iter(some.values())).meet for some in report.scores.values()]
    strange = max(m.alignment.only_guess for m in found)
    if found[0].alignment.policy != "shared" or not strange:
        return []
    return [
        f"{count(strange, 'object')} that truth does not have {'is' if strange == 1 else 'are'} "
        f"left out, and the intervals do not cover {'it' if strange == 1 else 'them'}; if truth is "
        "a sample, use clusterdiff estimate."
    ]


def _of_differences(report: Report, mark: str) -> list[str]:
    """How the guesses were tested, and why some were not."""
    assert report.confidence is not None
    several = len(report.scores) > 2
    if several:
        found = [(text, d) for text in report for d in best_less_others(report, text).values()]
        over = f", p corrected for {len(report.scores) - 1} tests (Holm)"
    else:
        first, second = report.guesses
        found = [
            (text + " micro" * micro, difference_of(report, text, second, first, micro))
            for micro in ((False, True) if report.samples else (False,))
            for text in report
        ]
        over = ""
    known = [d for _, d in found if d.tested]
    lines = []
    if known and best_cells(report):
        one, sides = known[0], "the two guesses" if several else "both guesses"
        what = f"components of truth and {sides}" if one.units == "components" else one.units
        level = f"{100 * (1 - report.confidence.level):.2g} %"
        lines.append(
            f"{mark} best of its row;{SIGNIFICANT} significantly better than every other guess at "
            f"{level} (paired jackknife t-test over {one.count:,} {what}{over})."
        )
    refused = [(text, Sure.refusal(d.refused, d.level)) for text, d in found if not d.tested]
    return [*lines, *refusals(refused, "differences not tested: ")]


def differences_to_dict(report: Report) -> dict[str, Any]:
    """The differences for programs: of two guesses the second less the first, of more the best less
    each other one.
    """
    if len(report.scores) == 2:
        first, second = report.guesses
        return {
            text: {f"{second} - {first}": difference_of(report, text, second, first).to_dict()}
            for text in report.measures
        }
    made = {}
    for text in report.measures:
        found = best_less_others(report, text)
        best = next((g for g in report.scores if g not in found), "")
        made[text] = {f"{best} - {guess}": d.to_dict() for guess, d in found.items()}
    return made


def best_cells(report: Report, step: int = 1) -> frozenset[tuple[int, int]]:
    """The cells of the table of a report that are better than all others of their row."""
    found = set()
    for i, text in enumerate(report.shown() if len(report.scores) > 1 else ()):
        values = [scores[text].value for scores in report.scores.values()]
        spans = [v if isinstance(v, Interval) else Interval(v, v) for v in values if v is not None]
        if len(spans) < len(values):
            continue
        smaller = report.measures[text].is_distance
        for j, one in enumerate(spans):
            rest = spans[:j] + spans[j + 1 :]
            if all(one < other if smaller else one > other for other in rest):
                found.add((i, 1 + step * j))
    return frozenset(found)
