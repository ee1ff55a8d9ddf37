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
from clusterdiff.statistics import confidence, difference, units
from clusterdiff.statistics import intervals as sure
from clusterdiff.statistics import resampling as jackknife
from clusterdiff.statistics import units as joint
from oracles import units as hand
from oracles.units import Compared, components, met, random_partitions, union

MEASURES = ("elm_f", "pair_f", "adjusted_rand", "nmi")


def several(seed: int = 0, many: int = 3) -> Compared:
    rng = np.random.default_rng(seed)
    return union(random_partitions(rng) for _ in range(many))


def lists(one: Compared) -> tuple[list[Any], list[Any]]:
    return [one.truth[x] for x in one.objects], [one.guess[x] for x in one.objects]


def by_hand(name: str, one: Compared) -> dict[str, float]:
    """From pairs and logarithms that are counted here, and from scores of what is left."""
    m = cd.measure(name)
    parts = components(one)
    k = len(parts)
    if name in ("elm_f", "pair_f"):
        rest = [met(union(parts[:i] + parts[i + 1 :])) for i in range(k)]
        without, value = [float(m.of(r)) for r in rest], float(m.of(met(one)))
        return hand.jackknife(value, without, m.claims.bounds, sizes=hand.sizes_of(name, parts))
    z = np.array([sums(part) for part in parts])
    score = {"adjusted_rand": adjusted_rand, "nmi": nmi}[name]
    without = [score((z.sum(axis=0) - own) * k / (k - 1)) for own in z]
    sizes = hand.sizes_of(name, parts)
    return hand.jackknife(score(z.sum(axis=0)), without, m.claims.bounds, sizes=sizes)


def sums(one: Compared) -> list[float]:
    made = [float(len(one.truth))]
    both = {x: (one.truth[x], one.guess[x]) for x in one.truth}
    for side in (one.truth, one.guess, both):
        labels = list(side.values())
        sizes = [labels.count(label) for label in set(labels)]
        made += [sum(s * (s - 1) / 2 for s in sizes), sum(s * math.log(s) for s in sizes)]
    return made


def adjusted_rand(z: np.ndarray) -> float:
    n, truth, _, guess, _, both, _ = z.tolist()
    chance = truth * guess / (n * (n - 1) / 2)
    return float((both - chance) / ((truth + guess) / 2 - chance))


def nmi(z: np.ndarray) -> float:
    n, _, truth, _, guess, _, both = z.tolist()
    h = [math.log(n) - logs / n for logs in (truth, guess, both)]
    return float((h[0] + h[1] - h[2]) / max(h[0], h[1]))


def caught(seed: int = 1) -> set[str]:
    """The measures whose intervals are not those by hand."""
    one = several(seed)
    report = cd.compare(*lists(one), MEASURES, confidence=0.95)
    wrong = set()
    for name in MEASURES:
        wanted, found = by_hand(name, one), report[name].sure
        if any(getattr(found, key) != pytest.approx(v, rel=1e-8) for key, v in wanted.items()):
            wrong.add(name)
    return wrong


def test_what_is_right_passes() -> None:
    assert caught() == caught(0) == set()


def without_making_up(s: UnitSums, count: Any, strata: Any = None) -> jackknife.Jackknife:
    """K/(K - 1) is left out."""
    totals = {name: count @ term for name, term in s.terms.items()}
    value = float(s.score({name: np.array([t]) for name, t in totals.items()})[0])
    scores = np.asarray(s.score({name: totals[name] - term for name, term in s.terms.items()}))
    mean = float(count @ scores / count.sum())
    return jackknife.Jackknife(value, scores, scores - mean, np.asarray(count, float), None)


def test_units_that_are_not_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jackknife, "leave_one_out", without_making_up)
    assert caught() == {"adjusted_rand", "nmi"}


right = sure.spread


def changed(**how: Any) -> Any:
    """What leaving out units says, with something changed."""

    def spread(deviation: Any, count: Any, *rest: Any, **more: Any) -> sure.Spread:
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
    monkeypatch.setattr(jackknife, "spread", wrong)
    assert caught() == set(MEASURES)


def test_scales_that_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sure, "scale_for", lambda bounds, value: sure.PLAIN)
    assert caught() == set(MEASURES)


def test_the_scale_of_another_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sure, "scale_for", lambda bounds, value: sure.LOGIT)
    assert caught() == {"adjusted_rand"}


def with_all_units(value: float, se: float, weights: Any, level: float) -> tuple[float, float]:
    return sure.korn_graubard(value, 0.0, weights, level)


def without_unequal_weights(
    value: float, se: float, weights: Any, level: float
) -> tuple[float, float]:
    return sure.korn_graubard(value, se, weights._replace(effective=1e9), level)


def test_intervals_where_few_units_err(monkeypatch: pytest.MonkeyPatch) -> None:
    """Student's t has one degree of freedom for one wrong merge."""
    truth = [i // 2 for i in range(4000)]
    guess = [0 if x <= 1 else x for x in truth]

    def low() -> float:
        report = cd.compare(truth, guess, "pair_precision", confidence=0.95)
        return float(report["pair_precision"].sure.low)

    assert low() > 0.98
    monkeypatch.setattr(jackknife, "near_an_end", lambda value, without, count: False)
    assert low() < 0.9
    assert caught() == set()


def test_weights_of_units_that_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A perfect run of a few large and many small entities has the low end of the few."""
    truth = [x for x in range(60) for _ in range(2 + x % 7)]

    def low() -> float:
        return float(cd.compare(truth, truth, "pair_f", confidence=0.95)["pair_f"].sure.low)

    right = low()
    monkeypatch.setattr(jackknife, "korn_graubard", without_unequal_weights)
    assert low() > right + 0.01


def test_units_that_do_not_weigh_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong merge of two pairs is worse than four wrong pairs in as many units."""
    truth = [i // 2 for i in range(4000)]
    guess = [0 if x <= 1 else x for x in truth]

    def low() -> float:
        report = cd.compare(truth, guess, "pair_precision", confidence=0.95)
        return float(report["pair_precision"].sure.low)

    assert low() == pytest.approx(0.9889, abs=5e-5)
    monkeypatch.setattr(jackknife, "korn_graubard", with_all_units)
    assert low() > 0.99


def test_types_that_look_at_sizes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components are one type only if what their objects meet is alike too."""

    def differ() -> float:
        far = 0.0
        for seed in range(6):
            meet = met(several(seed))
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
    parts = hand.parts(sides, hand.component_of_objects(sides))

    def gap(some: list[Any]) -> float:
        scores = [cd.elm_f.of(met(union(Compared(p[0], p[i]) for p in some))) for i in (1, 2)]
        return float(scores[0] - scores[1])

    without = [gap(parts[:i] + parts[i + 1 :]) for i in range(len(parts))]
    wanted = hand.jackknife(gap(parts), without, (-9.0, 9.0), plain=True)

    def is_right() -> bool:
        report = cd.compare(sides[0], {"a": sides[1], "b": sides[2]}, "elm_f", confidence=0.95)
        found = report.difference("elm_f", "a", "b")
        return found.count == len(parts) and found.se == pytest.approx(wanted["se"], rel=1e-8)

    assert is_right()
    component = joint._component
    monkeypatch.setattr(joint, "_component", lambda sides: component(sides[:2]))
    assert not is_right()


def test_differences_that_are_not_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variances of both guesses added up are another number."""
    truth, one, _ = pair()
    near = {x: 500 if x < 2 else c for x, c in one.items()}
    report = cd.compare(truth, {"a": one, "b": near}, "elm_f", confidence=0.95)
    found = report.difference("elm_f", "a", "b")
    apart = math.hypot(*(report["elm_f"][g].sure.se for g in "ab"))
    assert found.se < apart / 2


def test_tests_by_another_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """p is two-sided, and that of Student's t with the freedom of the interval."""
    sides = pair()

    def found() -> difference.Difference:
        report = cd.compare(sides[0], {"a": sides[1], "b": sides[2]}, "elm_f", confidence=0.95)
        return report.difference("elm_f", "a", "b")

    one = found()
    far = abs(one.value) / one.se
    assert one.p == pytest.approx(2 * student.sf(far, one.df))
    assert one.p != pytest.approx(2 * student.sf(far, one.count - 1), rel=1e-3)
    monkeypatch.setattr(difference, "spread", changed(df=lambda s, k: 1e9))
    assert found().p != pytest.approx(one.p, rel=1e-3)


def test_bonferroni_is_not_holm() -> None:
    values = {"a": 0.01, "b": 0.02, "c": 0.04}
    assert difference.holm(values) == pytest.approx({"a": 0.03, "b": 0.04, "c": 0.04})
    assert difference.holm(values) != {name: min(1.0, 3 * p) for name, p in values.items()}


# Bootstrap


def test_bootstrap_of_objects() -> None:
    """Copies of an object are a pair that both sides find: the interval misses the score."""
    rng = np.random.default_rng(0)
    truth = np.arange(400) // 2
    guess = np.where(rng.random(400) < 0.3, 1000 + np.arange(400), truth)
    score = cd.compare(truth, guess, "pair_f", confidence=0.95, method="bootstrap")["pair_f"]
    assert score.value in score.sure
    drawn = [rng.integers(0, 400, 400) for _ in range(200)]
    naive = [float(cd.pair_f(truth[d], guess[d])) for d in drawn]
    assert not np.quantile(naive, 0.025) <= score.value <= np.quantile(naive, 0.975)


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
        return float(report["elm_f"].sure.se)

    with_strata = se()
    monkeypatch.setattr(confidence, "strata_of", lambda *_: None)
    assert se() > 1.5 * with_strata


def test_the_rule_of_three() -> None:
    found = sure.no_spread("components", 50, 0.95, True)
    assert "7.1 %" in found.hint
    assert f"{300 / 50:.2g} %" not in found.hint
    assert replace(found, hint="").refused == found.refused
