"""Evidential c-means equals its definition, and fuzzy c-means where it knows single clusters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from clusterdiff_lab.estimators import EvidentialCMeans, FuzzyCMeans
from lab.estimators.cases import (
    LATE,
    RULES,
    Case,
    Found,
    cases,
    differing,
    fitted,
    found_by,
    highest,
)
from oracles import estimators as oracle
from oracles.estimators import Evidence, Rule

SIZES: dict[str, Any] = {
    "all": lambda k: range(1, k + 1),
    "pairs": lambda k: sorted({1, min(2, k), k}),
    "singletons": lambda k: [1],
}


def focal_of(clusters: int, focal: str, noise: bool) -> oracle.Focal:
    return oracle.focal_sets(clusters, SIZES[focal](clusters), noise)


def ours(one: Case, rule: Rule, **given: Any) -> Found:
    return found_by(fitted(EvidentialCMeans, one, rule, **given))


def wanted(one: Case, rule: Rule, focal: str = "all", noise: bool = True, **given: float) -> Found:
    clusters = len(one.start)
    e = Evidence(focal_of(clusters, focal, noise), **given)
    run = oracle.evidential(one.points, one.centres, e, rule)
    labels = highest(oracle.betting(run.degrees, e.focal, clusters))
    return Found(run.centres, run.degrees, run.objectives, labels)


def agree(given_cases: Sequence[Case], **given: Any) -> None:
    assert not differing(partial(ours, **given), partial(wanted, **given), given_cases)


@pytest.mark.parametrize("focal", ["all", "pairs", "singletons"])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_runs_equal_the_oracle(rule: Rule, focal: str) -> None:
    agree(cases(), rule=rule, focal=focal)


@pytest.mark.parametrize("noise", [True, False])
@pytest.mark.parametrize("alpha", [0, 0.5, 2])
@pytest.mark.parametrize("beta", [1.4, 2, 3])
def test_runs_equal_the_oracle_for_all_exponents(beta: float, alpha: float, noise: bool) -> None:
    focal = "pairs" if noise else "all"
    agree(cases()[:3], rule=Rule(12), focal=focal, noise=noise, alpha=alpha, beta=beta)


def test_late_ends_equal_the_oracle() -> None:
    agree(cases()[:2], rule=LATE, delta=4)


@pytest.mark.parametrize("delta", [0.8, 4, 1000])
def test_runs_equal_the_oracle_for_all_deltas(delta: float) -> None:
    agree(cases(), rule=Rule(8), delta=delta)


def test_starts_on_objects_equal_the_oracle() -> None:
    on_rows = [Case(one.x, one.x[:3]) for one in cases()]
    agree(on_rows, rule=Rule(3))


def test_given_focal_sets_equal_the_oracle() -> None:
    one = cases()[2]
    focal = [(), (0,), (1,), (2,), (3,), (0, 2), (1, 2, 3)]
    run = oracle.evidential(one.points, one.centres, Evidence(list(focal)), Rule())
    model = fitted(EvidentialCMeans, one, Rule(), focal=[(3, 2, 1), (2, 0), (3,), (0,), (1,), (2,)])
    assert model.focal_ == tuple(focal)
    assert model.masses_ == pytest.approx(np.array(run.degrees), abs=1e-9)


@pytest.mark.parametrize("beta", [1.5, 2, 3])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_single_clusters_without_noise_are_fuzzy_c_means(rule: Rule, beta: float) -> None:
    for one in cases():
        model = fitted(EvidentialCMeans, one, rule, focal="singletons", noise=False, beta=beta)
        fuzzy = fitted(FuzzyCMeans, one, rule, m=beta)
        assert model.n_iter_ == fuzzy.n_iter_
        assert model.masses_ == pytest.approx(fuzzy.memberships_, abs=1e-12)
        assert model.cluster_centers_ == pytest.approx(fuzzy.cluster_centers_, abs=1e-12)
        assert model.objectives_ == pytest.approx(fuzzy.objectives_, rel=1e-12)


def test_masses_by_hand() -> None:
    """Centres at 0 and 4; of 1 the squared distances are 1, 9, and 1 to the middle of both."""
    start = np.array([[0.0], [4.0]])
    model = EvidentialCMeans(2, init=start, noise=False).fit(start)
    assert model.cluster_centers_.tolist() == [[0], [4]]
    assert model.focal_ == ((0,), (1,), (0, 1))
    found = model.transform([[1.0]])
    assert found == pytest.approx(np.array([[18 / 29, 2 / 29, 9 / 29]]), abs=1e-15)
    noisy = EvidentialCMeans(2, init=start, delta=0.5).fit(start)
    weights = np.array([[4, 1, 1 / 9, 1 / 2]])
    assert noisy.focal_ == ((), (0,), (1,), (0, 1))
    assert noisy.transform([[1.0]]) == pytest.approx(weights / weights.sum(), abs=1e-15)


def test_an_object_in_the_middle_of_two_centres_is_in_both_for_certain() -> None:
    x = np.array([[-1.0], [1.0], [0.0]])
    model = EvidentialCMeans(2, init=x[:2]).fit(x)
    assert model.cluster_centers_.tolist() == [[-1], [1]]
    assert model.masses_.tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert model.labels_.tolist() == [0, 1, 0]
    assert model.objective_ == 0


def test_focal_sets_are_listed_by_size() -> None:
    x = cases()[2].x
    pairs = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    singles = ((0,), (1,), (2,), (3,))
    model = EvidentialCMeans(4, focal="pairs", random_state=0, n_init=1).fit(x)
    assert model.focal_ == ((), *singles, *pairs, (0, 1, 2, 3))
    single = EvidentialCMeans(4, focal="singletons", noise=False, random_state=0, n_init=1).fit(x)
    assert single.focal_ == singles
    every = EvidentialCMeans(4, random_state=0, n_init=1).fit(x)
    assert len(every.focal_) == 16


@pytest.mark.parametrize(
    ("focal", "wanted"),
    [
        ([(0, 1), (1, 0), (2,)], ((), (2,), (0, 1))),
        ([{2, 0}, [1]], ((), (1,), (0, 2))),
        ([(), (0,), (1,), (2,)], ((), (0,), (1,), (2,))),
    ],
    ids=["one twice", "sets and lists", "the empty set"],
)
def test_focal_sets_are_put_in_order(focal: Any, wanted: Any) -> None:
    model = EvidentialCMeans(3, focal=focal, n_init=1, random_state=0, tol=1e-2)
    assert model.fit(cases()[1].x).focal_ == wanted


def test_labels_are_the_best_bets_and_outliers_have_most_mass_on_nothing() -> None:
    x = np.vstack([cases()[1].x, [[60.0, -60.0]]])
    model = EvidentialCMeans(3, init=cases()[1].start, delta=3).fit(x)
    bets = np.array(oracle.betting(model.masses_.tolist(), list(model.focal_), 3))
    assert model.labels_.tolist() == bets.argmax(axis=1).tolist()
    assert model.outliers_.tolist() == (model.masses_.argmax(axis=1) == 0).tolist()
    assert model.outliers_[-1]
    assert model.outliers_.sum() < 5
    without = EvidentialCMeans(3, init=cases()[1].start, noise=False).fit(x)
    assert not without.outliers_.any()
