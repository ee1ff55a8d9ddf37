"""Formulas that are wrong on purpose are caught by what the tests of this folder compare."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import clusterdiff as cd
from clusterdiff.measures.sums import UnitSums
from clusterdiff.statistics import confidence, intervals, units
from clusterdiff.statistics.intervals import Jackknife, Spread
from oracles.units import (
    Compared,
    component_of_objects,
    components,
    jackknife,
    jackknife_by_hand,
    labels,
    large,
    met,
    parts,
    sizes_of,
    union,
)
from oracles.units import korn_graubard as by_korn_graubard

MEASURES = ("elm_f", "pair_f", "adjusted_rand", "nmi")


def caught(seed: int = 1) -> set[str]:
    """The measures whose intervals are not those by hand."""
    one = large(seed, 3)
    report = cd.compare(*labels(one), MEASURES, confidence=0.95)
    wrong = set()
    for name in MEASURES:
        wanted, found = jackknife_by_hand(name, one), report[name].ci
        if any(getattr(found, key) != pytest.approx(v, rel=1e-8) for key, v in wanted.items()):
            wrong.add(name)
    return wrong


def test_what_is_right_passes() -> None:
    assert caught() == caught(0) == set()


def without_making_up(s: UnitSums, count: Any, strata: Any = None) -> Jackknife:
    """K/(K - 1) is left out."""
    totals = {name: count @ term for name, term in s.terms.items()}
    value = float(s.score({name: np.array([t]) for name, t in totals.items()})[0])
    scores = np.asarray(s.score({name: totals[name] - term for name, term in s.terms.items()}))
    mean = float(count @ scores / count.sum())
    return Jackknife(value, scores, scores - mean, np.asarray(count, float))


def test_units_that_are_not_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "leave_one_out", without_making_up)
    assert caught() == {"adjusted_rand", "nmi"}


right, korn_graubard = intervals.spread, intervals.korn_graubard


def changed(**how: Any) -> Any:
    """What leaving out units says, with something changed."""

    def spread(deviation: Any, count: Any, *rest: Any, **more: Any) -> Spread:
        found = right(deviation, count, *rest, **more)
        return found._replace(**{name: f(found, float(np.sum(count))) for name, f in how.items()})

    return spread


@pytest.mark.parametrize(
    "wrong",
    [
        changed(se=lambda s, k: s.se * math.sqrt(k / (k - 1))),
        changed(se=lambda s, k: s.se / math.sqrt(k - 1)),
        changed(df=lambda s, k: k - 1),
        changed(df=lambda s, k: s.effective),
        changed(df=lambda s, k: 1e9),
    ],
    ids=["no (K-1)/K", "se of one unit", "K-1", "effective units", "normal"],
)
def test_standard_errors_and_degrees_of_freedom(
    monkeypatch: pytest.MonkeyPatch, wrong: Any
) -> None:
    monkeypatch.setattr(intervals, "spread", wrong)
    assert caught() == set(MEASURES)


def test_scales_that_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "scale_for", lambda bounds, value: intervals.PLAIN)
    assert caught() == set(MEASURES)


def test_the_scale_of_another_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "scale_for", lambda bounds, value: intervals.LOGIT)
    assert caught() == {"adjusted_rand"}


def with_all_units(value: float, se: float, weights: Any, level: float) -> tuple[float, float]:
    return korn_graubard(value, 0.0, weights, level)


def with_equal_weights(value: float, se: float, weights: Any, level: float) -> tuple[float, float]:
    return korn_graubard(value, se, weights._replace(effective=1e9), level)


def test_intervals_where_few_units_err(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong merge: Student's t has one degree of freedom, and four wrong pairs are one unit."""
    truth = [i // 2 for i in range(4000)]
    guess = [0 if x <= 1 else x for x in truth]

    def sure() -> Any:
        return cd.compare(truth, guess, "pair_precision", confidence=0.95)["pair_precision"].ci

    found, units = sure(), components(Compared(dict(enumerate(truth)), dict(enumerate(guess))))
    wanted = by_korn_graubard(2000 / 2004, found.se, sizes_of("pair_precision", units))
    assert (found.low, found.high) == pytest.approx(wanted)
    assert (found.low, found.method) == (pytest.approx(0.9889, abs=5e-5), "korn-graubard")
    with monkeypatch.context() as patch:
        patch.setattr(intervals, "korn_graubard", with_all_units)
        assert sure().low > 0.99
    monkeypatch.setattr(intervals, "near_an_end", lambda value, without, count: False)
    assert sure().low < 0.9
    assert caught() == set()


def test_weights_of_units_that_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A perfect run of a few large and many small entities has the low end of the few."""
    truth = [x for x in range(60) for _ in range(2 + x % 7)]

    def low() -> float:
        return float(cd.compare(truth, truth, "pair_f", confidence=0.95)["pair_f"].ci.low)

    right = low()
    monkeypatch.setattr(intervals, "korn_graubard", with_equal_weights)
    assert low() > right + 0.01


def test_types_that_look_at_sizes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components are one type only if what their objects meet is alike too."""

    def differ() -> float:
        far = 0.0
        for seed in range(6):
            meet = met(large(seed, 3))
            for m in (cd.split_merge, cd.elm_precision):
                found = units.units_of_components(meet)
                s = found.sums(m)
                assert s is not None
                totals = {name: np.array([found.count @ t]) for name, t in s.terms.items()}
                far = max(far, abs(float(s.score(totals)[0]) - float(m.of(meet))))
        return far

    assert differ() < 1e-12
    monkeypatch.setattr(units, "NEAR", 0)
    assert differ() > 1e-3


# Two guesses


def pair(seed: int = 0) -> tuple[dict[int, Any], dict[int, Any], dict[int, Any]]:
    """Clusters of three; one guess loses objects, the other joins clusters."""
    rng = np.random.default_rng(seed)
    truth = {x: x // 3 for x in range(90)}
    one = {x: 100 + x if rng.random() < 0.1 else c for x, c in truth.items()}
    joined = rng.random(30) < 0.3
    return truth, one, {x: c - c % 2 if joined[c // 2] else c for x, c in truth.items()}


def test_components_of_truth_and_one_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = pair()
    joined = parts(sides, component_of_objects(sides))

    def gap(some: list[Any]) -> float:
        scores = [cd.elm_f.of(met(union(Compared(p[0], p[i]) for p in some))) for i in (1, 2)]
        return float(scores[0] - scores[1])

    without = [gap(joined[:i] + joined[i + 1 :]) for i in range(len(joined))]
    wanted = jackknife(gap(joined), without, (-9.0, 9.0), plain=True)

    def is_right() -> bool:
        report = cd.compare(sides[0], {"a": sides[1], "b": sides[2]}, "elm_f", confidence=0.95)
        found = report.difference("elm_f", "a", "b")
        return found.count == len(joined) and found.se == pytest.approx(wanted["se"], rel=1e-8)

    assert is_right()
    component = units._component_of_cells
    monkeypatch.setattr(units, "_component_of_cells", lambda sides: component(sides[:2]))
    assert not is_right()


def test_differences_that_are_not_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variances of both guesses added up are another number."""
    truth, one, _ = pair()
    near = {x: 500 if x < 2 else c for x, c in one.items()}
    report = cd.compare(truth, {"a": one, "b": near}, "elm_f", confidence=0.95)
    found = report.difference("elm_f", "a", "b")
    apart = math.hypot(*(report["elm_f"][g].ci.se for g in "ab"))
    assert found.se < apart / 2


def test_tests_by_another_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """p is two-sided, and that of Student's t with the freedom of the interval."""
    sides = pair()

    def found() -> intervals.Difference:
        report = cd.compare(sides[0], {"a": sides[1], "b": sides[2]}, "elm_f", confidence=0.95)
        return report.difference("elm_f", "a", "b")

    one = found()
    far = abs(one.value) / one.se
    assert one.p == pytest.approx(2 * student.sf(far, one.df))
    assert one.p != pytest.approx(2 * student.sf(far, one.count - 1), rel=1e-3)
    monkeypatch.setattr(intervals, "spread", changed(df=lambda s, k: 1e9))
    assert found().p != pytest.approx(one.p, rel=1e-3)


def test_bonferroni_is_not_holm() -> None:
    values = {"a": 0.01, "b": 0.02, "c": 0.04}
    assert intervals.holm(values) == pytest.approx({"a": 0.03, "b": 0.04, "c": 0.04})
    assert intervals.holm(values) != {name: min(1.0, 3 * p) for name, p in values.items()}


def test_strata_that_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    pairs, strata = {}, {}
    for d in range(20):
        truth = rng.integers(0, 4, 30)
        wrong = 0.1 if d % 2 else 0.6
        pairs[f"d{d}"] = truth, np.where(rng.random(30) < wrong, 10 + np.arange(30), truth)
        strata[f"d{d}"] = d % 2

    def se() -> float:
        report = cd.compare(samples=pairs, measures="elm_f", confidence=0.95, strata=strata)
        return float(report["elm_f"].ci.se)

    with_strata = se()
    monkeypatch.setattr(confidence, "strata_of", lambda *_: None)
    assert se() > 1.5 * with_strata


def test_the_rule_of_three() -> None:
    found = intervals.Target(1.0, 0.95, (0.0, 1.0), 1.0, "components", 50).no_spread()
    assert "7.1 %" in found.hint
    assert f"{300 / 50:.2g} %" not in found.hint
    assert replace(found, hint="").refused == found.refused
