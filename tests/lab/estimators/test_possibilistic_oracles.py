"""Possibilistic c-means equals its definition, from fuzzy c-means to the second pass."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from clusterdiff_lab.estimators import FuzzyCMeans, PossibilisticCMeans
from lab.estimators.cases import (
    LATE,
    RULES,
    Case,
    Found,
    cases,
    differing,
    fitted,
    found_by,
    groups,
    highest,
)
from oracles import estimators as oracle
from oracles.estimators import Rule

OPTIONS = [{}, {"eta_scale": 0.3}, {"eta_cut": 0.5}, {"eta_scale": 2.0, "eta_cut": 0.2}]


def names(options: dict[str, float]) -> str:
    return ",".join(f"{name}={value}" for name, value in options.items()) or "plain"


def ours(one: Case, m: float, rule: Rule, **options: Any) -> Found:
    return found_by(fitted(PossibilisticCMeans, one, rule, m=m, **options))


def wanted(one: Case, m: float, rule: Rule, **options: Any) -> Found:
    translated = {name.removeprefix("eta_"): value for name, value in options.items()}
    run = oracle.possibilistic(one.points, one.centres, m, rule, **translated).run
    return Found(run.centres, run.degrees, run.objectives, highest(run.degrees))


@pytest.mark.parametrize("options", OPTIONS, ids=names)
@pytest.mark.parametrize("m", [1.5, 2, 3])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_runs_equal_the_oracle(rule: Rule, m: float, options: dict[str, float]) -> None:
    given: dict[str, Any] = {"m": m, "rule": rule, **options}
    assert not differing(partial(ours, **given), partial(wanted, **given), cases())


def test_late_ends_equal_the_oracle() -> None:
    given: dict[str, Any] = {"m": 2, "rule": LATE, "eta_cut": 0.5}
    assert not differing(partial(ours, **given), partial(wanted, **given), cases()[:3])


def test_given_widths_are_kept() -> None:
    for one in cases():
        eta = np.linspace(1, 3, len(one.start))
        model = fitted(PossibilisticCMeans, one, Rule(), eta=eta)
        run = oracle.possibilistic(one.points, one.centres, 2, Rule(), eta.tolist()).run
        assert model.eta_.tolist() == eta.tolist()
        assert model.cluster_centers_ == pytest.approx(np.array(run.centres), abs=1e-9)


@pytest.mark.parametrize("options", OPTIONS, ids=names)
def test_widths_equal_the_oracle(options: dict[str, float]) -> None:
    translated: Any = {name.removeprefix("eta_"): value for name, value in options.items()}
    for one in cases():
        model = fitted(PossibilisticCMeans, one, Rule(), **options)
        eta = oracle.possibilistic(one.points, one.centres, 2, Rule(), **translated).eta
        assert model.eta_ == pytest.approx(np.array(eta), rel=1e-9)


def test_widths_are_mean_squared_distances_of_fuzzy_c_means() -> None:
    one = cases()[1]
    fuzzy = fitted(FuzzyCMeans, one, Rule())
    weights = fuzzy.memberships_**2
    d2 = ((one.x[:, None, :] - fuzzy.cluster_centers_) ** 2).sum(axis=2)
    eta = fitted(PossibilisticCMeans, one, Rule()).eta_
    assert eta == pytest.approx((weights * d2).sum(axis=0) / weights.sum(axis=0), rel=1e-9)


def test_an_object_is_half_possible_at_the_width() -> None:
    model = PossibilisticCMeans(1, init=np.array([[0.0]]), eta=[4.0]).fit([[-1.0], [1.0]])
    assert model.cluster_centers_.tolist() == [[0]]
    assert model.transform([[0.0], [2.0], [4.0]]).tolist() == [[1], [0.5], [0.2]]


def test_possibilities_need_not_sum_to_one() -> None:
    x = np.vstack([groups(3, 60, 2, apart=8), [[90.0, 90.0]]])
    model = PossibilisticCMeans(2, init=x[[x[:60, 0].argmin(), x[:60, 0].argmax()]]).fit(x)
    assert model.possibilities_[-1].max() < 0.05
    assert model.possibilities_.max() > 0.95


def test_clusters_that_coincide_are_told() -> None:
    x = np.random.default_rng(0).normal(size=(80, 2))
    model = PossibilisticCMeans(3, random_state=0, tol=1e-14, eta=[9.0, 9.0, 9.0])
    with pytest.warns(ConvergenceWarning, match="3 of 3 clusters coincide.*eta_scale"):
        model.fit(x)
    assert np.ptp(model.cluster_centers_, axis=0).max() < 1e-6


def test_so_are_those_that_nearly_do() -> None:
    """Each has its own η from fuzzy c-means, which keeps centres of one cloud a little apart."""
    x = np.random.default_rng(0).normal(size=(80, 2))
    with pytest.warns(ConvergenceWarning, match="3 of 3 clusters coincide"):
        model = PossibilisticCMeans(3, random_state=0, max_iter=1000).fit(x)
    assert 1e-6 < np.ptp(model.cluster_centers_, axis=0).max() < 0.1
    apart = groups(3, 60, 2, apart=8)
    PossibilisticCMeans(2, init=apart[[apart[:, 0].argmin(), apart[:, 0].argmax()]]).fit(apart)
