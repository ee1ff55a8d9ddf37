"""A clustering that must not get worse: an assertion for tests, and the baselines it records."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterdiff.compare.compare import compare_sides, measures_by_text
from clusterdiff.compare.differences import interval_and_p
from clusterdiff.compare.report import Report
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.diff import ROUNDING, diff, moved, signed
from clusterdiff.explain.explain import explain
from clusterdiff.io.sides import kind_asked, opened
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.interval import Interval
from clusterdiff.output.describe import count
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable, percent
from clusterdiff.output.text import hung, to_text
from clusterdiff.output.writing import write
from clusterdiff.statistics.confidence import Confidence

UPDATE = "CLUSTERDIFF_UPDATE"
"""The environment variable under which baselines are recorded; the pytest plugin sets it."""
BEFORE, NOW = "baseline", "now"
SHOWN = 5
"""How many clusters a failure lists, and how many objects of each."""
WIDTH = 80
SAME = ("objects", "align", "samples", "clusters")
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
    report = compare_sides(
        opened(engine, truth, guesses, kind, samples),
        chosen,
        policy,
        kind=kind,
        lost=True if held.run is None else BEFORE,
        confidence=Confidence.of(0.95) if significant else None,
    )
    if recorded:
        write(baseline, report.to_json() + "\n")
        return report
    table = _Table(report, held, tolerance, significant)
    told = [*table.worse(), *_left_out(report, policy)]
    if told:
        options = {"align": align, "noise": noise, "noise_as": noise_as, "samples": samples}
        options |= {"kind": kind, "engine": engine}
        where = _where(truth, guess, held, table.first_worse, options)
        raise AssertionError("\n".join([*told, "", table.shown(), "", *where]))
    return report


class _Table:
    """The scores of a guess beside those of the baseline."""

    def __init__(
        self, report: Report, held: Baseline, tolerance: float | Mapping[str, float], sure: bool
    ) -> None:
        self.report, self.held, self.sure = report, held, sure
        slack = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(report, tolerance)
        known = {str(measure_named(name)): most for name, most in slack.items()}
        if unknown := [name for name in known if name not in report.measures]:
            raise ClusterdiffError(
                f"there is a tolerance for {', '.join(unknown)}, which is not compared.",
                f"the measures are {', '.join(report.measures)}.",
            )
        self.slack = {name: known.get(name, 0.0) for name in report.measures}
        self.pairs = {name: (self._before(name), self._now(name)) for name in report.measures}

    def _score(self, name: str, guess: str) -> Score:
        return self.report.scores[guess][name]

    def _now(self, name: str) -> float:
        return _worse_end(self._score(name, NOW).value, self.report.measures[name])

    def _before(self, name: str) -> float:
        measure = self.report.measures[name]
        if self.held.scores is None:
            return _worse_end(self._score(name, BEFORE).value, measure)
        found = {str(measure_named(text)): one for text, one in self.held.scores.items()}
        if name not in found:
            raise ClusterdiffError(
                f"{self.held.what} has no {name}.",
                f"it has {', '.join(found)}; pytest --clusterdiff-update records it anew.",
            )
        one = found[name]
        if not isinstance(one, Mapping):
            return float(one)
        _check_same(self.held.what, one["signature"], self._score(name, NOW).signature)
        if one["value"] is None and "low" in one:
            return float(one["high" if measure.is_distance else "low"])
        return float(one["value"])

    def is_worse(self, name: str) -> bool:
        """Whether a score fell by more than is tolerated; significantly, where that can be told."""
        before, now = self.pairs[name]
        distance = self.report.measures[name].is_distance
        lost = now - before if distance else before - now
        if self.sure and not self._refused(name):
            change = self.report.difference(name, NOW, BEFORE)
            lost = change.low if distance else -change.high
        return lost > max(self.slack[name], ROUNDING)

    def _refused(self, name: str) -> str:
        """Why it cannot be told whether a difference is significant, if it cannot."""
        if not self.sure:
            return ""
        change = self.report.difference(name, NOW, BEFORE)
        return (change.refused or "there is no interval") if math.isnan(change.low) else ""

    @property
    def first_worse(self) -> str | None:
        """The first measure that got worse."""
        return next(filter(self.is_worse, self.pairs), None)

    def worse(self) -> list[str]:
        """A line for each score that got worse."""
        made = []
        for name in filter(self.is_worse, self.pairs):
            before, now = moved(*self.pairs[name])
            allowed = f", and {self.slack[name]:g} is allowed" if self.slack[name] else ""
            why = self._refused(name)
            unsure = f"; whether significantly cannot be told: {why}" if why else ""
            made.append(f"{name} is worse: {before} -> {now}{allowed}{unsure}.")
        return made

    def shown(self) -> str:
        """All of them as a table, and what the baseline is."""
        rows = []
        for name, (before, now) in self.pairs.items():
            row = [name, *moved(before, now), signed(now - before)]
            if self.sure:
                row.append(interval_and_p(self.report.difference(name, NOW, BEFORE)))
            rows.append((*row, "worse" if self.is_worse(name) else ""))
        sure = ("95 % of difference",) if self.sure else ()
        table = CellTable(("measure", BEFORE, NOW, "difference", *sure, ""), tuple(rows))
        return f"{to_text(table, WIDTH)}\n\nBaseline: {self.held.what}."


def _worse_end(value: float | Interval | None, measure: Measure) -> float:
    if value is None:
        raise ClusterdiffError(f"{measure} has no value here.", "choose another measure.")
    if isinstance(value, Interval):
        return value.high if measure.is_distance else value.low
    return float(value)


def _is_report(baseline: Any) -> bool:
    """Whether a baseline is, or is to become, the JSON file of a report."""
    if not isinstance(baseline, str | os.PathLike) or Path(baseline).suffix != ".json":
        return False
    return not os.path.exists(baseline) or _saved(baseline) is not None


def _saved(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """A report that was saved as JSON; None for other JSON."""
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        return None
    schema = told.get("schema") if isinstance(told, dict) else None
    return told if isinstance(schema, str) and schema.startswith("clusterdiff/") else None


def _baseline(given: Any, significant: bool) -> Baseline:
    """What a baseline is: a saved report, scores, or an older run."""
    found = Baseline("the older run", run=given)
    if _is_report(given):
        found = _of_report(given)
    elif isinstance(given, Mapping) and given and all(map(_is_score, given.items())):
        found = Baseline("the scores given", scores={k: float(v) for k, v in given.items()})
    elif isinstance(given, str | os.PathLike):
        found = Baseline(f"the run {os.fspath(given)}", run=given)
    if significant and found.run is None:
        raise ClusterdiffError(
            f"a test of significance needs both runs, and the baseline is {found.what}.",
            "give the older run as baseline=, or leave significant= out.",
        )
    return found


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
    told = _saved(path)
    assert told is not None
    if not told["schema"].startswith("clusterdiff/compare/"):
        raise ClusterdiffError(
            f"{os.fspath(path)} is {told['schema']}, and no report of scores.",
            f"clusterdiff compare -f json writes one; {update}.",
        )
    if len(told["guesses"]) != 1:
        raise ClusterdiffError(
            f"{os.fspath(path)} has {len(told['guesses'])} guesses: {', '.join(told['guesses'])}.",
            "save a report of one guess, or give its scores: baseline={'elm_f': 0.8}.",
        )
    (scores,) = told["guesses"].values()
    version = next(iter(scores.values()))["signature"]["version"]
    return Baseline(f"{os.fspath(path)}, by clusterdiff {version}", scores=scores)


def _check_same(what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a saved score of other objects, or under other rules."""
    for key in SAME:
        one, other = (_told(key, signature.get(key)) for signature in (then, now))
        if one != other:
            name = "true clusters" if key == "clusters" else key
            raise ClusterdiffError(
                f"{what}, is of other data: {name} {one} then, {other} now.",
                "pytest --clusterdiff-update records it anew.",
            )


def _told(key: str, entry: Any) -> str:
    """An entry of a signature without what belongs to the guess."""
    return str(entry).partition("x" if key == "clusters" else "(")[0]


def _left_out(report: Report, policy: Policy) -> list[str]:
    """What is said of a guess that is judged without objects of truth, by its own doing."""
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
    that fell, or by another one if that has no parts.
    """
    for by in (*([measure] if measure else []), None):
        given = options if by is None else {"by": by, **options}
        try:
            if held.run is None:
                parts = explain(truth, guess, **given)
                rows = [
                    hung(f"  {percent(part.share):>7}  {part.kind:<7}  ", part.lines(SHOWN), WIDTH)
                    for part in parts.top(SHOWN, SHOWN)
                ]
                title = f"Where {parts.measure} is lost now:"
            else:
                found = diff(truth, held.run, guess, **given)
                worse = found.changed(False, SHOWN, SHOWN)
                rows = [one.to_text(WIDTH, SHOWN) for one in worse]
                title = f"{found.unit.capitalize()}s that are worse by {found.measure}:"
        except ClusterdiffError:
            continue
        return [title, *rows] if rows else []
    return []
