"""A clustering that must not get worse: an assertion for tests, and the baselines it records."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterdiff.compare.compare import compare_sides, measures_by_text
from clusterdiff.compare.differences import interval_and_p, worse_end
from clusterdiff.compare.report import Report
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.diff import ROUNDING, diff, moved, signed
from clusterdiff.explain.explain import explain
from clusterdiff.io.arguments import source_column
from clusterdiff.io.between import check_between
from clusterdiff.io.sides import kind_asked, opened
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.describe import count
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import to_text
from clusterdiff.output.writing import write
from clusterdiff.statistics.confidence import Confidence

if TYPE_CHECKING:
    from clusterdiff.statistics.intervals import Difference

UPDATE = "CLUSTERDIFF_UPDATE"
"""The environment variable under which baselines are recorded; the pytest plugin sets it."""
BEFORE, NOW = "baseline", "now"
SHOWN = 5
"""How many clusters a failure lists, and how many objects of each."""
WIDTH = 80
SAME = ("objects", "align", "between", "samples", "clusters")
"""Entries of a signature that a saved report must share."""


@dataclass(frozen=True)
class Baseline:
    """What the scores are held against."""

    what: str
    """What it was taken for, in words."""
    run: Any = None
    """The older run, if it is one."""
    scores: Mapping[str, float | Mapping[str, Any]] | None = None
    """Given scores, or those of a saved report, each with its signature."""


def assert_no_regression(
    truth: Any,
    guess: Any,
    *,
    baseline: Any,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    tolerance: float | Mapping[str, float] = 0.0,
    significant: bool = False,
    kind: str | tuple[str, str] | None = None,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    between: Any = None,
    engine: Any = None,
) -> Report:
    """Fail if a guess scores worse than its baseline; the AssertionError has what got worse.

    >>> truth, old, new = list("aaabb"), list("xxyzz"), list("xxxxy")
    >>> report = assert_no_regression(truth, old, baseline={"elm_f": 0.6, "nmi": 0.6})
    >>> assert_no_regression(truth, new, baseline=old, measures="elm_f")
    Traceback (most recent call last):
    AssertionError: elm_f is worse: 0.6667 -> 0.4800.
    ...

    `baseline` is an older guess, the path of a report that was saved as JSON (`compare -f json`),
    or a dict from measure to score. `tolerance` is how much a score may fall, or a dict from
    measure to that. With `significant`, which needs an older guess, a score must have fallen
    significantly at 95 %. The other arguments are those of `compare`.

    Under `pytest --clusterdiff-update`, or with CLUSTERDIFF_UPDATE=1, a baseline that is a JSON
    file is recorded: written from this guess, and not checked.
    """
    __tracebackhide__ = True
    policy = Policy(align, noise, noise_as)
    asked = None if measures is None else list(measures_by_text(measures).values())
    recorded = _is_report(baseline) and bool(os.environ.get(UPDATE))
    held = Baseline("") if recorded else _baseline(baseline, significant)
    chosen = asked or ([*map(measure_named, held.scores)] if held.scores else None)
    guesses = {NOW: guess} if held.run is None else {BEFORE: held.run, NOW: guess}
    kind = kind or kind_asked(chosen)
    check_between(between, samples=samples)
    of = samples if between is None else source_column(between)
    report = compare_sides(
        opened(engine, truth, guesses, kind, of, count),
        chosen,
        policy,
        kind=kind,
        lost=True if held.run is None else BEFORE,
        confidence=Confidence.of(0.95) if significant else None,
        between=between,
    )
    if recorded:
        write(baseline, report.to_json() + "\n")
        return report
    changes = _changes(report, held, tolerance, significant)
    worse = [change for change in changes if change.is_worse]
    failures = [*(change.sentence() for change in worse), *_left_out(report, policy)]
    if failures:
        options = {"align": align, "noise": noise, "noise_as": noise_as}
        options |= {"kind": kind, "engine": engine, "samples": samples, "count": count}
        options |= {} if between is None else {"between": between}
        where = _where(truth, guess, held, worse[0].name if worse else None, options)
        table = f"{_table(changes, significant)}\n\nBaseline: {held.what}."
        raise AssertionError("\n".join([*failures, "", table, "", *where]))
    return report


@dataclass(frozen=True)
class Change:
    """The score of the guess beside that of the baseline, by one measure."""

    name: str
    before: float
    now: float
    distance: bool
    slack: float
    """How much the score may fall."""
    test: Difference | None
    """Where only a significant fall counts."""

    @property
    def untested(self) -> str:
        """Why a test of significance is missing."""
        if self.test is None or self.test.tested:
            return ""
        return self.test.refused or "there is no interval"

    @property
    def is_worse(self) -> bool:
        """Whether the score fell by more than the tolerance, significantly where that is tested."""
        fall = self.now - self.before if self.distance else self.before - self.now
        if self.test is not None and not self.untested:
            fall = self.test.low if self.distance else -self.test.high
        return fall > max(self.slack, ROUNDING)

    def sentence(self) -> str:
        """The line of a failure."""
        before, now = moved(self.before, self.now)
        allowed = f", and {self.slack:g} is allowed" if self.slack else ""
        why = self.untested
        unsure = f"; whether significantly cannot be told: {why}" if why else ""
        return f"{self.name} is worse: {before} -> {now}{allowed}{unsure}."


def _changes(
    report: Report, held: Baseline, tolerance: float | Mapping[str, float], significant: bool
) -> list[Change]:
    slack = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(report, tolerance)
    slack = {str(measure_named(name)): most for name, most in slack.items()}
    if unknown := [name for name in slack if name not in report.measures]:
        raise ClusterdiffError(
            f"there is a tolerance for {', '.join(unknown)}, which is not compared.",
            f"the measures are {', '.join(report.measures)}.",
        )
    return [
        Change(
            name,
            _score_before(report, held, name),
            _number(report.scores[NOW][name]),
            measure.is_distance,
            slack.get(name, 0.0),
            report.difference(name, NOW, BEFORE) if significant else None,
        )
        for name, measure in report.measures.items()
    ]


def _score_before(report: Report, held: Baseline, name: str) -> float:
    if held.scores is None:
        return _number(report.scores[BEFORE][name])
    scores = {str(measure_named(text)): score for text, score in held.scores.items()}
    if name not in scores:
        raise ClusterdiffError(
            f"{held.what} has no {name}.",
            f"it has {', '.join(scores)}; pytest --clusterdiff-update records it anew.",
        )
    score = scores[name]
    if not isinstance(score, Mapping):
        return float(score)
    _check_same(held.what, score["signature"], report.scores[NOW][name].signature)
    if score["value"] is None and "low" in score:
        return float(score["high" if report.measures[name].is_distance else "low"])
    return float(score["value"])


def _number(score: Score) -> float:
    """A score, or the worse end of one that is a range."""
    value = worse_end(score.value, score.measure.is_distance)
    if value is None:
        raise ClusterdiffError(f"{score.measure} has no value here.", "choose another measure.")
    return float(value)


def _table(changes: list[Change], significant: bool) -> str:
    rows = [
        (
            change.name,
            *moved(change.before, change.now),
            signed(change.now - change.before),
            *(() if change.test is None else (interval_and_p(change.test),)),
            "worse" if change.is_worse else "",
        )
        for change in changes
    ]
    interval = ("95 % of difference",) if significant else ()
    headings = ("measure", BEFORE, NOW, "difference", *interval, "")
    return to_text(CellTable(headings, tuple(rows)), WIDTH)


def _is_report(baseline: Any) -> bool:
    """Whether a baseline is, or is to become, the JSON file of a report."""
    if not isinstance(baseline, str | os.PathLike) or Path(baseline).suffix != ".json":
        return False
    return not os.path.exists(baseline) or _saved(baseline) is not None


def _saved(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """A report that was saved as JSON; None for other JSON."""
    try:
        entries = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        return None
    schema = entries.get("schema") if isinstance(entries, dict) else None
    return entries if isinstance(schema, str) and schema.startswith("clusterdiff/") else None


def _baseline(given: Any, significant: bool) -> Baseline:
    """What a baseline is: a saved report, scores, or an older run."""
    if _is_report(given):
        held = _of_report(given)
    elif isinstance(given, Mapping) and given and all(map(_is_score, given.items())):
        held = Baseline("the scores given", scores={k: float(v) for k, v in given.items()})
    else:
        is_path = isinstance(given, str | os.PathLike)
        held = Baseline(f"the run {os.fspath(given)}" if is_path else "the older run", run=given)
    if significant and held.run is None:
        raise ClusterdiffError(
            f"a test of significance needs both runs, and the baseline is {held.what}.",
            "give the older run as baseline=, or leave significant= out.",
        )
    return held


def _is_score(entry: tuple[Any, Any]) -> bool:
    """Whether an entry of a dict is a measure and its score, not an id and its label."""
    name, value = entry
    if not isinstance(name, str) or not isinstance(value, float | int | Score):
        return False
    try:
        return bool(measure_named(name))
    except ClusterdiffError:
        return False


def _of_report(path: Any) -> Baseline:
    update = "pytest --clusterdiff-update records it"
    if not os.path.exists(path):
        raise ClusterdiffError(f"there is no baseline {os.fspath(path)}.", f"{update}.")
    report = _saved(path)
    assert report is not None
    if not report["schema"].startswith("clusterdiff/compare/"):
        raise ClusterdiffError(
            f"{os.fspath(path)} is {report['schema']}, which is not a report of scores.",
            f"clusterdiff compare -f json writes one; {update}.",
        )
    guesses = report["guesses"]
    if len(guesses) != 1:
        raise ClusterdiffError(
            f"{os.fspath(path)} has {len(guesses)} guesses: {', '.join(guesses)}.",
            "save a report of one guess, or give its scores: baseline={'elm_f': 0.8}.",
        )
    (scores,) = guesses.values()
    version = next(iter(scores.values()))["signature"]["version"]
    return Baseline(f"{os.fspath(path)}, by clusterdiff {version}", scores=scores)


def _check_same(what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a saved score of other objects, or under other rules."""
    for key in SAME:
        # The guess's own fields: its clusters, and how many objects it lacks.
        separator = "x" if key == "clusters" else "("
        old, new = (str(side.get(key)).partition(separator)[0] for side in (then, now))
        if old != new:
            name = "true clusters" if key == "clusters" else key
            raise ClusterdiffError(
                f"{what}, is of other data: {name} {old} then, {new} now.",
                "pytest --clusterdiff-update records it anew.",
            )


def _left_out(report: Report, policy: Policy) -> list[str]:
    """The line of a failure on objects of truth that the guess leaves out of its own score."""
    lost = report.lost[NOW]
    if not lost.objects:
        return []
    does = "lacks" if plan_of(policy).lacked is Fate.DROPPED else "calls noise"
    return [
        f"The guess {does} {lost.objects:,} of {count(lost.of, 'object')} that truth has, and is "
        "scored without them."
    ]


def _where(
    truth: Any, guess: Any, held: Baseline, measure: str | None, options: dict[str, Any]
) -> list[str]:
    """The clusters that got worse, or without an older run those that cost most, by the measure
    that fell, or by the default one if that measure does not decompose. Between two runs, losses of
    pairs across sources are not told.
    """
    if held.run is not None and "between" in options:
        return []
    for by in (*([measure] if measure else []), None):
        given = options if by is None else {"by": by, **options}
        try:
            if held.run is None:
                loss = explain(truth, guess, **given)
                rows = loss.texts(loss.top(SHOWN, SHOWN), WIDTH, SHOWN)
                title = f"Where {loss.measure} is lost now:"
            else:
                change = diff(truth, held.run, guess, **given)
                worse = change.changed(False, SHOWN, SHOWN)
                rows = change.texts(worse, WIDTH, SHOWN)
                title = f"{change.unit.capitalize()}s that are worse by {change.measure}:"
        except ClusterdiffError:
            continue
        return [title, *rows] if rows else []
    return []
