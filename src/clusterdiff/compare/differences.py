"""Confidence intervals and differences of a report: how they are written, tested and explained."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.contingency import HardMeet
from clusterdiff.errors import ClusterdiffError, KindError, did_you_mean
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.sums import UnitSums
from clusterdiff.output.describe import count
from clusterdiff.output.score import is_open
from clusterdiff.output.table import CellTable, digits
from clusterdiff.statistics.confidence import WITHIN, Confidence
from clusterdiff.statistics.intervals import (
    FEWEST,
    ConfidenceInterval,
    ConfidenceIntervals,
    Difference,
    difference,
    holm,
    tested,
)
from clusterdiff.statistics.units import (
    CELLS,
    Joint,
    by_name,
    has_large_clusters,
    mean_of_samples,
    spread_of_difference,
    strata_of,
    units_of_samples,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clusterdiff.compare.report import Report
    from clusterdiff.contingency import Meet
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import SampledTogether

    Labelled = Sequence[tuple[str, ConfidenceInterval | ConfidenceIntervals | None]]

SIGNIFICANT = " †"
"""The mark of a best score that is significantly better than that of every other guess."""
LEVERAGE = 0.1
"""The share of what a score divides by above which a note says that one unit holds it; where units
are few, the share must also be twice an equal one.
"""

# How intervals, differences and p-values are written.


def decimals(half_width: float) -> int:
    """Digits after the point that show two digits of a half-width, two to four of them.

    >>> decimals(0.0101), decimals(0.25), decimals(1e-9)
    (3, 2, 4)
    """
    return 4 if half_width <= 0 else min(4, max(2, 1 - math.floor(math.log10(half_width))))


def with_interval(
    value: Any, interval: ConfidenceInterval | ConfidenceIntervals | None, plain: str
) -> str:
    """A score with its confidence interval; `plain` is the score as it is shown without one."""
    if not interval:
        return plain if interval is None else f"{plain} (—)"
    if isinstance(interval, ConfidenceIntervals):
        return f"{plain} ({_range(interval.low.low, interval.high.high)})"
    places = decimals((interval.high - interval.low) / 2)
    score = value.low if isinstance(value, ScoreRange) else float(value)
    return f"{score:,.{places}f} ({_range(interval.low, interval.high)})"


def cells(score: Score, with_intervals: bool) -> tuple[str, ...]:
    """A score formatted for display: its value, over samples macro, standard deviation and micro;
    with confidence intervals, or else with the standard error of an estimate.
    """
    value = "—" if score.missing else digits(score.value)
    if score.error is not None and score.each is None:
        value += f" ± {score.error:.1g}"
    if with_intervals and not score.missing:
        value = with_interval(score.value, score.ci, value)
    if score.each is None:
        return (value,)
    micro = digits(score.micro)
    if with_intervals:
        micro = with_interval(score.micro, score.micro_ci, micro)
    return value, digits(score.std), micro


def _range(low: float, high: float) -> str:
    places = decimals((high - low) / 2)
    start, end = (f"{number:,.{places}f}".replace("-", "−") for number in (low, high))
    return f"{start} to {end}" if low < 0 else f"{start}–{end}"


def shown_p(p: float) -> str:
    """A p-value; near 5 %, where it decides, with one digit more.

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


def signed_range(low: float, high: float) -> str:
    """The interval of a difference."""
    places = decimals((high - low) / 2)
    return f"{with_sign(low, places)} to {with_sign(high, places)}"


def shown_difference(change: Difference) -> str:
    """A difference with its interval and p-value."""
    if math.isnan(change.value):
        return "—"
    places = decimals((change.high - change.low) / 2) if change.tested else 4
    return f"{with_sign(change.value, places)} {interval_and_p(change)}".rstrip()


def interval_and_p(change: Difference) -> str:
    """The interval of a difference, and its p-value; nothing where it was not tested."""
    if not change.tested:
        return ""
    return f"({signed_range(change.low, change.high)}) {shown_p(change.p)}".rstrip()


def told_change(change: Difference) -> str:
    """The interval and the p-value of a change, as the end of a sentence that states it."""
    if not change.tested:
        return f"; not tested, because {change.refused}" if change.refused else ""
    level, ends = f"{100 * change.level:g} %", signed_range(change.low, change.high)
    return f", {level} interval {ends}, {shown_p(change.p)}"


def in_words(parts: Iterable[str]) -> str:
    """ "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


# Intervals: those of a report, and what the notes below its table say of them.


def ends_of(
    interval: ConfidenceInterval | ConfidenceIntervals | None,
) -> tuple[ConfidenceInterval, ...]:
    """The interval of a score; where the score is a range, that of each end."""
    if interval is None:
        return ()
    return interval if isinstance(interval, ConfidenceIntervals) else (interval,)


def worse_end(value: float | ScoreRange | None, distance: bool) -> float | None:
    """A score, or the worse end of one that is a range."""
    if not isinstance(value, ScoreRange):
        return value
    return value.high if distance else value.low


def notes_of(report: Report, mark: str = "▲") -> list[str]:
    """What the intervals mean, why some are missing, and which scores hang on one unit; `mark` is
    that of the best score of a row.
    """
    assert report.confidence is not None
    intervals = [
        (report.label(guess, text) + part, interval)
        for guess, text, score in report.every_score()
        for part, interval in (("", score.ci), (" micro", score.micro_ci))
    ]
    tests = _notes_on_tests(report, mark) if len(report.scores) > 1 else []
    return notes_on_intervals(intervals, [*tests, *_note_on_partial_truth(report)])


def notes_on_intervals(intervals: Labelled, between: Iterable[str] = ()) -> list[str]:
    """What intervals mean and which scores hang on one unit, other notes between these two, and why
    some intervals are missing.
    """
    ends = [end for _, interval in intervals for end in ends_of(interval) if end]
    legend = _legend(ends) if ends else []
    return [*legend, *between, *_notes_on_leverage(intervals), *_notes_on_refusals(intervals)]


def _legend(intervals: list[ConfidenceInterval]) -> list[str]:
    """What the intervals mean, over which units, and how those near 0 and 1 were found."""
    counts: dict[str, dict[str, None]] = {}
    for interval in intervals:
        if interval.units:
            counts.setdefault(interval.units, {})[f"{interval.count:,}"] = None
    units = " and ".join(
        f"{in_words(n)} {name[:-1] if list(n) == ['1'] else name}" for name, n in counts.items()
    )
    if "objects" in counts:
        units += ", as if each object was drawn by itself and labelled by the same rules"
    what = "the range to expect on a comparable data set"
    if next(iter(counts), "") in ("records", "clusters"):  # drawn, from objects that are given
        what = "the range in which the score of all objects lies"
    level = f"{100 * intervals[0].level:g} %"
    lines = [f"{level} intervals: {what}{f'; units: {units}' if units else ''}."]
    if any(interval.method == "korn-graubard" for interval in intervals):
        lines.append("Where only a few units err, or none, the interval is Korn and Graubard's.")
    return lines


def _note_on_partial_truth(report: Report) -> list[str]:
    """Intervals do not cover objects that truth lacks, where these are left out."""
    alignments = [report.meet_of(guess).alignment for guess in report.guesses]
    extra = max(alignment.only_guess for alignment in alignments)
    if alignments[0].policy != "shared" or not extra:
        return []
    are, them = ("is", "it") if extra == 1 else ("are", "them")
    return [
        f"{count(extra, 'object')} that truth does not have {are} left out, and the intervals do "
        f"not cover {them}; if truth is a sample, use clusterdiff estimate."
    ]


def _notes_on_leverage(intervals: Labelled) -> list[str]:
    """The scores that hang on one unit, a line for each guess: with few errors in units of unequal
    size, an interval cannot know whether the large ones err.
    """
    heavy: dict[str, list[tuple[str, ConfidenceInterval]]] = {}
    for label, interval in intervals:
        if not isinstance(interval, ConfidenceInterval) or not interval:
            continue
        if interval.leverage > max(LEVERAGE, 2 / interval.count):
            guess, _, text = label.rpartition(": ")
            heavy.setdefault(guess, []).append((text, interval))
    lines = []
    for guess, scores in heavy.items():
        text, interval = max(scores, key=lambda score: score[1].leverage)
        rest = [other for other, _ in scores if other != text]
        too = f"; the same holds for {_first_three(rest)}" if rest else ""
        unit = {"records": "drawn cluster"}.get(interval.units, interval.units.removesuffix("s"))
        lines.append(
            f"{f'{guess}: ' if guess else ''}One {unit} holds {100 * interval.leverage:.0f} % of "
            f"what {text} divides by, so whether it errs decides the score{too}; more data would "
            "tell."
        )
    return lines


def _notes_on_refusals(intervals: Labelled, what: str = "") -> list[str]:
    """Why intervals, or `what` else, are missing: each reason once, with its measures."""
    reasons: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    every: dict[str, dict[str, None]] = {}
    for label, interval in intervals:
        guess, _, text = label.rpartition(": ")
        for end in ends_of(interval):
            every.setdefault(guess, {})[text] = None
            if end.refused:
                reasons.setdefault((end.refused, end.hint), {})[guess, text] = None
    lines, hinted = [], set()
    for (why, hint), found in reasons.items():
        guesses, texts = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
        named = all(why.startswith(text.removesuffix(" micro")) for text in texts)
        if len(texts) > MANY and texts == list(every[guesses[0]]):
            prefix = "" if what else f"all {len(texts)} scores: "
        else:
            prefix = "" if named else f"{_first_three(texts)}: "
        whose = f"{in_words(guesses)}: " if len(guesses) < len(every) else ""
        told = f" Hint: {hint}" if hint and hint not in hinted else ""
        hinted.add(hint)
        lines.append(f"— {what}{whose}{prefix}{why}.{told}")
    return lines


MANY = 4
"""Names that are listed; of more, the first three and how many follow."""


def _first_three(names: list[str]) -> str:
    if len(names) <= MANY:
        return ", ".join(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} more"


# Differences: tests of two guesses, and of the best guess against all others.


def difference_of(
    report: Report, measure: str | Measure, guess: str, other: str, micro: bool = False
) -> Difference:
    """The score of one guess less that of another, computed once."""
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
    scores = report[measure][guess], report[measure][other]
    key = (str(scores[0].measure), guess, other, micro)
    if key not in report._differences:
        change = PairedTest(scores, (guess, other), report.confidence, report.joint, micro).run()
        report._differences[key] = replace(change, of=scores, micro=micro)
    return report._differences[key]


@dataclass(frozen=True)
class PairedTest:
    """The paired test of two guesses by one measure."""

    scores: tuple[Score, Score]
    names: tuple[str, str]
    asked: Confidence
    joint: Joint | SampledTogether | None
    micro: bool

    def run(self) -> Difference:
        """The difference with its interval and p-value, or with the reason why it has none."""
        measure, level, joint = self.scores[0].measure, self.asked.level, self.joint
        values = [score.micro if self.micro else score.value for score in self.scores]
        if None in values or any(map(is_open, values)):
            why = "scores that are ranges have no single difference"
            if None in values:
                why = "there is no number for both guesses"
            return Difference(math.nan, level=level, refused=why)
        value = float(values[0]) - float(values[1])  # type: ignore[arg-type]
        bounds, samples = measure.claims.bounds, self.scores[0].samples
        if isinstance(joint, Joint) and self._leaves_objects_out(joint):
            spread, differing = spread_of_difference(measure, joint, *self.names)
            objects = self.scores[0].meet.objects
            return tested(value, spread, level, bounds, "objects", objects, differing)
        sums = self._sums_of_units(measure)
        if isinstance(sums, str):
            return Difference(value, level=level, refused=sums)
        one, other, counts, units = sums
        strata = strata_of(self.asked.strata, units, samples)
        if units == "samples":
            order = by_name(samples)
            one, other = (
                side._replace(terms={name: term[order] for name, term in side.terms.items()})
                for side in (one, other)
            )
            strata = None if strata is None else strata[order]
        return difference(
            one, other, counts, level, bounds=bounds, units=units, value=value, strata=strata,
            keep=1.0 if joint is None else joint.keep,
        )  # fmt: skip

    def _leaves_objects_out(self, joint: Joint) -> bool:
        """Whether units are objects: asked for, or all there is where few components have large
        clusters.
        """
        meets = [score.meet for score in self.scores]
        if self._by_samples or not all(map(has_few_cells, meets)):
            return False
        if self.asked.units is not None:
            return self.asked.units == "objects" and not self._sums_within_samples
        few = joint.units(*self.names)[0].number < FEWEST
        return few and all(map(has_large_clusters, meets))  # type: ignore[arg-type]

    @property
    def _by_samples(self) -> bool:
        """Whether samples are units: of means over samples always, of pooled scores by default."""
        is_default = self.asked.units in (None, "samples")
        has_samples = all(score.split is not None for score in self.scores)
        return has_samples and (is_default or not self.micro)

    @property
    def _sums_within_samples(self) -> bool:
        return self.scores[0].split is not None and self.scores[0].measure.sums_samples

    def _sums_of_units(self, measure: Measure) -> tuple[UnitSums, UnitSums, Any, str] | str:
        """What a unit of each type adds to both scores, how many units each type has, and what
        units are; or why this is unknown.
        """
        one, other = self.scores
        if self._by_samples:
            if one.samples != other.samples:
                return "the guesses are not judged on the same samples"
            if not self.micro:
                counts = np.ones(len(one.samples), np.int64)
                return mean_of_samples(one.each), mean_of_samples(other.each), counts, "samples"
            units: Any = units_of_samples(one.split), units_of_samples(other.split)  # type: ignore[arg-type]
        elif self._sums_within_samples:
            return WITHIN.format(measure)
        elif self.asked.units == "objects":
            return "differences over objects need partitions with a table of few cells"
        elif not all(isinstance(score.meet, HardMeet) for score in self.scores):
            return "differences of overlapping and uncertain clusterings need samples"
        elif self.joint is None:
            return "truth and all guesses have no common table, or none that fits in memory"
        else:
            units = self.joint.units(*self.names)
        if None in units:
            return "scores of uncertain clusterings are not sums over samples"
        try:
            sums = [side.sums(measure) for side in units]
        except KindError:
            return (
                f"{measure} needs the features of the objects, and units of two guesses have none"
            )
        if None in sums:
            return f"{measure} is not a sum over units"
        return *sums, units[0].count, units[0].name


def has_few_cells(meet: Meet) -> bool:
    """Whether one object can be left out of each cell of the table."""
    return isinstance(meet, HardMeet) and bool(meet.times.sum() <= CELLS)


def best_guess(report: Report, text: str, micro: bool = False) -> str:
    """The guess that scores better than every other one; "" where there is none, or no order."""
    scores = {guess: by_measure[text] for guess, by_measure in report.scores.items()}
    values = {guess: one.micro if micro else one.value for guess, one in scores.items()}
    if any(value is None or is_open(value) for value in values.values()):
        return ""
    numbers = {guess: float(value) for guess, value in values.items()}  # type: ignore[arg-type]
    best = (min if report.measures[text].is_distance else max)(numbers, key=numbers.__getitem__)
    return best if list(numbers.values()).count(numbers[best]) == 1 else ""


def best_less_others(report: Report, text: str, micro: bool = False) -> dict[str, Difference]:
    """The best guess less each other one, p corrected by Holm; empty where none is best."""
    if not (best := best_guess(report, text, micro)):
        return {}
    others = [guess for guess in report.scores if guess != best]
    tests = {guess: difference_of(report, text, best, guess, micro) for guess in others}
    corrected = holm({guess: test.p for guess, test in tests.items() if test.tested})
    return {
        guess: replace(test, p=corrected.get(guess, test.p), holm=len(tests))
        for guess, test in tests.items()
    }


def is_best_significant(report: Report, text: str, micro: bool = False) -> bool:
    """Whether the best guess is significantly better than every other one."""
    if report.confidence is None:
        return False
    tests = best_less_others(report, text, micro).values()
    return bool(tests) and all(test.significant for test in tests)


def differences_to_dict(report: Report) -> dict[str, Any]:
    """The differences as JSON-ready values: for two guesses the second less the first, for
    more the best less each other one.
    """
    if len(report.scores) == 2:
        first, second = report.guesses
        return {
            text: {f"{second} - {first}": difference_of(report, text, second, first).to_dict()}
            for text in report.measures
        }
    tests = {text: best_less_others(report, text) for text in report.measures}
    return {
        text: {
            f"{next(g for g in report.scores if g not in others)} - {guess}": test.to_dict()
            for guess, test in others.items()
        }
        for text, others in tests.items()
    }


# Marks and columns of the table, and the notes that explain them.


def best_cells(report: Report, step: int = 1) -> frozenset[tuple[int, int]]:
    """The cells of the table that are better than all others of their row; a guess has `step`
    columns.
    """
    cells = set()
    for row, text in enumerate(report.shown() if len(report.scores) > 1 else ()):
        values: list[Any] = [scores[text].value for scores in report.scores.values()]
        if None in values:
            continue
        smaller = report.measures[text].is_distance
        for place, value in enumerate(values):
            others = values[:place] + values[place + 1 :]
            # A range is below another where all of it is; overlapping ranges are not ordered.
            if all(value < other if smaller else value > other for other in others):
                cells.add((row, 1 + step * place))
    return frozenset(cells)


def with_tests(report: Report, table: CellTable, names: list[str]) -> CellTable:
    """The table with the mark of best scores that are significantly better; of two guesses, called
    by these names, also with a column for their difference, or two with samples.
    """
    if report.confidence is None or len(report.scores) < 2:
        return table
    rows = [list(row) for row in table.rows]
    for row, place in table.best:
        if is_best_significant(report, rows[row][0]):
            rows[row][place] += SIGNIFICANT
    headings = list(table.headings)
    if len(report.scores) == 2:
        first, second = report.guesses
        for micro in (False, True) if report.samples else (False,):
            part = (" micro" if micro else " macro") if report.samples else ""
            headings.append(f"{names[1]} − {names[0]}{part}")
            for cells in rows:
                change = difference_of(report, cells[0], second, first, micro)
                cells.append(shown_difference(change))
    return CellTable(tuple(headings), tuple(map(tuple, rows)), table.best)


def _notes_on_tests(report: Report, mark: str) -> list[str]:
    """How the guesses were tested, and why some were not."""
    assert report.confidence is not None
    if len(report.scores) > 2:
        tests = [
            (text, test) for text in report for test in best_less_others(report, text).values()
        ]
        both, corrected = "the two", f", p corrected for {len(report.scores) - 1} tests (Holm)"
    else:
        first, second = report.guesses
        tests = [
            (text + " micro" * micro, difference_of(report, text, second, first, micro))
            for micro in ((False, True) if report.samples else (False,))
            for text in report
        ]
        both, corrected = "both", ""
    lines = []
    over = {
        test.units: f"{test.count:,} {test.units}" for _, test in reversed(tests) if test.tested
    }
    if over and best_cells(report):
        if "components" in over:
            over["components"] += f" of truth and {both} guesses"
        level = f"{100 * (1 - report.confidence.level):.2g} %"
        lines.append(
            f"{mark} best of its row;{SIGNIFICANT} significantly better than every other guess at "
            f"{level} (paired jackknife t-test over {in_words(reversed(over.values()))}"
            f"{corrected})."
        )
    refused = [(text, ConfidenceInterval.refusal(t.refused, t.level)) for text, t in tests]
    return [*lines, *_notes_on_refusals(refused, "differences not tested: ")]
