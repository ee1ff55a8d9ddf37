"""Differences between guesses: of a report, its marks, and the notes below its table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import ClusterdiffError, KindError, did_you_mean
from clusterdiff.measures.core.interval import Interval
from clusterdiff.measures.core.sums import UnitSums
from clusterdiff.meet import HardMeet
from clusterdiff.results.describe import count
from clusterdiff.results.intervals import (
    SIGNIFICANT,
    legend,
    refusals,
    score_sures,
    shown_difference,
    with_leverage,
)
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.score import is_open
from clusterdiff.statistics.confidence import WITHIN
from clusterdiff.statistics.difference import Difference, difference, holm, tested
from clusterdiff.statistics.joint import Joint
from clusterdiff.statistics.objects import CELLS, has_large_clusters, spread_of_difference
from clusterdiff.statistics.sampled.estimate import SampledUnits
from clusterdiff.statistics.sure import FEWEST, Sure, SureEnds
from clusterdiff.statistics.units import Units, by_name, strata_of, units_of_samples

if TYPE_CHECKING:
    from clusterdiff.measures import Measure
    from clusterdiff.results.report import Report
    from clusterdiff.results.score import Score


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
