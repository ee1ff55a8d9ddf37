"""What holds for all estimators: order of rows, threads, chance, objectives, when a run ends."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numba
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from clusterdiff_lab.estimators import (
    EvidentialCMeans,
    FuzzyCMeans,
    PossibilisticCMeans,
    RoughKMeans,
)
from lab.estimators.cases import ALL, DESCENDING, Floats, fit, groups, same_bits, soft

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
every = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
X = groups(5, 90, 3)
BUDGET: dict[str, Any] = {"n_init": 3, "random_state": 0}


# Order, threads and chance


@quiet
@every
@pytest.mark.parametrize("objects", [90, 20_000])
@pytest.mark.parametrize("init", ["k-means++", X[:3]], ids=["drawn", "given"])
def test_the_order_of_rows_changes_nothing(kind: Any, init: Any, objects: int) -> None:
    x = groups(5, objects, 3)
    order = np.random.default_rng(1).permutation(objects)
    given: dict[str, Any] = {"random_state": 4, "max_iter": 8}
    if isinstance(init, str):
        given |= {"n_init": 2}
    one, other = kind(init=init, **given).fit(x), kind(init=init, **given).fit(x[order])
    same_bits(one, other, order)


@quiet
@every
def test_rows_that_are_equal_get_the_same(kind: Any) -> None:
    x = np.repeat(np.round(X[:30]), 3, axis=0)[np.random.default_rng(0).permutation(90)]
    model = kind(**BUDGET).fit(x)
    _, first, again = np.unique(x, axis=0, return_index=True, return_inverse=True)
    assert np.array_equal(soft(model), soft(model)[first][again.ravel()])


@quiet
@pytest.mark.parametrize("means", ["peters", "indifference"])
@pytest.mark.parametrize("x", [X, np.round(X)], ids=["distinct", "repeated"])
def test_the_order_of_rows_does_not_change_who_is_closest(x: Floats, means: str) -> None:
    order = np.random.default_rng(2).permutation(len(x))
    for threshold in (1.5, 1e4):
        model = RoughKMeans(means=means, threshold=threshold, **BUDGET)
        one, other = clone(model).fit(x), clone(model).fit(x[order])
        same_bits(one, other, order)
        assert np.array_equal(one.lower_[order], other.lower_)


@quiet
@every
@pytest.mark.parametrize("m", [2, 1.7])
def test_the_number_of_threads_changes_nothing(
    kind: Any, m: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = groups(6, 30_000, 3)
    given = {RoughKMeans: {}, EvidentialCMeans: {"beta": m}}.get(kind, {"m": m})
    model = kind(init=x[:3], max_iter=6, **given)
    found = []
    most = numba.get_num_threads()
    for threads in (1, 3, 8):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, n=threads: set(range(n)))
        monkeypatch.setattr(os, "cpu_count", lambda n=threads: n)
        numba.set_num_threads(min(threads, most))
        try:
            found.append(fit(kind(**model.get_params()), x))
        finally:
            numba.set_num_threads(most)
    same_bits(found[0], found[1])
    same_bits(found[0], found[2])


@quiet
@every
def test_chance_is_reproducible(kind: Any) -> None:
    same_bits(kind(**BUDGET).fit(X), kind(**BUDGET).fit(X))
    state = np.random.RandomState(0)
    same_bits(kind(**BUDGET).fit(X), kind(n_init=3, random_state=state).fit(X))


@quiet
def test_starts_are_drawn() -> None:
    seen = {
        FuzzyCMeans(4, n_init=1, max_iter=1, random_state=seed).fit(X).objective_
        for seed in range(5)
    }
    assert len(seen) == 5


@quiet
@pytest.mark.parametrize("kind", [RoughKMeans, FuzzyCMeans, EvidentialCMeans])
def test_more_starts_are_never_worse(kind: Any) -> None:
    for seed in range(8):
        x = groups(seed, 60, 5)
        found = [
            kind(5, n_init=n, random_state=seed, max_iter=15).fit(x).objective_ for n in (1, 2, 5)
        ]
        assert found == sorted(found, reverse=True)


@quiet
def test_possibilities_begin_with_the_best_fuzzy_run() -> None:
    for seed in range(4):
        x = groups(seed, 60, 4)
        fuzzy = FuzzyCMeans(4, n_init=3, random_state=seed).fit(x)
        given = PossibilisticCMeans(4, init=fuzzy.cluster_centers_, max_iter=1).fit(x)
        model = PossibilisticCMeans(4, n_init=3, random_state=seed).fit(x)
        assert model.eta_ == pytest.approx(given.eta_, rel=0.05)


# Objectives


@quiet
@pytest.mark.parametrize("kind", DESCENDING, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("exponent", [1.2, 2, 3.5])
def test_objectives_never_grow(kind: Any, exponent: float) -> None:
    name = "beta" if kind is EvidentialCMeans else "m"
    for seed in range(40):
        clusters = 2 + seed % 4
        x = groups(seed, 15 + seed, clusters, features=1 + seed % 3, apart=1 + seed % 5)
        model = kind(clusters, n_init=1, random_state=seed, tol=1e-8, **{name: exponent}).fit(x)
        values = model.objectives_
        assert len(values) == model.n_iter_
        assert values[-1] == model.objective_
        assert (np.diff(values) <= 1e-12 * values[0]).all()


OPTIONS: list[dict[str, Any]] = [
    {"focal": "pairs", "alpha": 0.3},
    {"focal": "all", "noise": False, "alpha": 2},
    {"focal": [(0,), (1,), (2,), (0, 1, 2, 3)], "delta": 2},
]


@quiet
def test_evidential_objectives_never_grow_whatever_the_focal_sets() -> None:
    for seed in range(20):
        x = groups(seed, 30, 4)
        for given in OPTIONS:
            model = EvidentialCMeans(4, n_init=1, random_state=seed, **given).fit(x)
            assert (np.diff(model.objectives_) <= 1e-12 * model.objectives_[0]).all()


@quiet
def test_possibilistic_objectives_never_grow_in_the_second_pass() -> None:
    for seed in range(20):
        x = groups(seed, 40, 3)
        model = PossibilisticCMeans(3, n_init=1, random_state=seed, eta_cut=0.3).fit(x)
        assert (np.diff(model.objectives_) <= 1e-12 * model.objectives_[0]).all()


# When a run ends


@every
def test_a_run_that_is_cut_off_warns_and_says_what_to_do(kind: Any) -> None:
    x = groups(0, 200, 4, apart=1)
    with pytest.warns(ConvergenceWarning, match="max_iter") as warned:
        model = kind(4, max_iter=1, n_init=1, random_state=0).fit(x)
    assert model.n_iter_ == 1
    assert len(warned) == 1


def test_fuzzy_c_means_that_is_cut_off_is_told_by_possibilistic_c_means() -> None:
    """Which ends in time itself."""
    x = np.random.default_rng(4).normal(size=(200, 2))
    given: dict[str, Any] = {"n_init": 1, "random_state": 0, "max_iter": 20, "tol": 1e-4}
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        FuzzyCMeans(4, **given).fit(x)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model = PossibilisticCMeans(4, eta_scale=0.2, **given).fit(x)
    assert model.n_iter_ < 20
    assert any("max_iter" in str(one.message) for one in warned)


@every
def test_a_run_that_converges_does_not_warn(kind: Any) -> None:
    x = groups(1, 80, 2, apart=9)
    model = kind(2, init=x[[int(x[:, 0].argmin()), int(x[:, 0].argmax())]]).fit(x)
    assert 1 <= model.n_iter_ < 100


@every
def test_tolerance_is_relative_to_the_spread(kind: Any) -> None:
    """A power of two scales all numbers without rounding."""
    given = {"delta": 10.0} if kind is EvidentialCMeans else {}
    scaled = {"delta": 10.0 * 1024} if kind is EvidentialCMeans else {}
    one = kind(init=X[:3], **given).fit(X)
    other = kind(init=X[:3] * 1024, **scaled).fit(X * 1024)
    assert one.n_iter_ == other.n_iter_
    assert other.cluster_centers_ == pytest.approx(one.cluster_centers_ * 1024, rel=1e-12)


@quiet
@every
def test_without_tolerance_centres_stop(kind: Any) -> None:
    x = groups(2, 40, 2, apart=8)
    model = kind(2, tol=0, n_init=1, random_state=0, max_iter=2000).fit(x)
    again = fit(kind(2, init=model.cluster_centers_, tol=0, max_iter=1), x)
    if kind is not PossibilisticCMeans:
        assert again.cluster_centers_ == pytest.approx(model.cluster_centers_, rel=1e-12)


@every
def test_a_given_start_is_one_run(kind: Any) -> None:
    kind(init=X[:3]).fit(X)
    with pytest.warns(RuntimeWarning, match="n_init"):
        kind(init=X[:3], n_init=4).fit(X)


@every
def test_a_given_start_is_not_changed(kind: Any) -> None:
    start, x = X[:3].copy(), X.copy()
    kind(init=start).fit(x)
    assert np.array_equal(start, X[:3])
    assert np.array_equal(x, X)


# The rules of scikit-learn.


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([kind(n_init=2, max_iter=50) for kind in ALL])  # type: ignore[untyped-decorator]
def test_checks(estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings are the checks' own matter: some ask for them, some count them. Those of the array
    API run where it is switched on, for the libraries that are installed.
    """
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


# All estimators on numbers that are hard: equal rows, extreme scales and exponents, few rows.


def finite(model: Any, x: Floats) -> None:
    """All that was found is a number; degrees are between 0 and 1."""
    degrees = soft(model)
    assert degrees.shape == (len(x), degrees.shape[1])
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.objectives_).all()
    assert np.isfinite(degrees.astype(float)).all()
    assert (degrees >= 0).all()
    assert (degrees <= 1).all()
    assert ((model.labels_ >= 0) & (model.labels_ < len(model.cluster_centers_))).all()
    if isinstance(model, FuzzyCMeans | EvidentialCMeans):
        assert degrees.sum(axis=1) == pytest.approx(np.ones(len(x)), abs=1e-12)
    assert np.isfinite(model.transform(x)).all()
    assert len(model.clustering_) == len(x)


@quiet
@every
@pytest.mark.parametrize(
    "x",
    [
        np.array([[1.0, 2.0]] * 3),
        np.array([[0.0], [0.0], [0.0], [5.0], [5.0], [5.0]]),
        np.array([[1.0], [2.0], [3.0]]),
        np.array([[0.0, 0.0]] * 20 + [[1.0, 1.0]]),
        np.array([[0.0], [1e-300], [1.0], [2.0]]),
        np.array([[1e9], [1e9 + 1], [1e9 + 2], [1e9 + 5]]),
        np.array([[-0.0], [0.0], [1.0], [2.0]]),
    ],
    ids=["equal rows", "two places", "rows as clusters", "an odd one", "tiny", "far off", "zeros"],
)
def test_strange_data(kind: Any, x: Floats) -> None:
    finite(kind(3, random_state=0, n_init=2).fit(x), x)


@quiet
@every
@pytest.mark.parametrize("exponent", [1.0001, 1.01, 1.1, 20.0])
def test_strange_exponents(kind: Any, exponent: float) -> None:
    if kind is RoughKMeans:
        finite(kind(threshold=exponent, random_state=0).fit(X), X)
        return
    name = "beta" if kind is EvidentialCMeans else "m"
    for scale in (1e-8, 1.0, 1e8):
        finite(kind(random_state=0, n_init=2, **{name: exponent}).fit(X * scale), X)


@quiet
@every
@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e100], ids=str)
def test_scales(kind: Any, scale: float) -> None:
    """The same clustering, however large the numbers are."""
    given = {"delta": 10.0} if kind is EvidentialCMeans else {}
    scaled = {"delta": 10.0 * scale} if kind is EvidentialCMeans else {}
    one = kind(init=X[:3], **given).fit(X)
    other = kind(init=X[:3] * scale, **scaled).fit(X * scale)
    finite(other, X)
    assert soft(other).astype(float) == pytest.approx(soft(one).astype(float), abs=1e-9)
    assert other.cluster_centers_ / scale == pytest.approx(one.cluster_centers_, rel=1e-9)


@quiet
@every
@pytest.mark.parametrize("offset", [1e4, 1e7], ids=str)
def test_where_the_origin_is_does_not_matter(kind: Any, offset: float) -> None:
    one, other = kind(init=X[:3]).fit(X), kind(init=X[:3] + offset).fit(X + offset)
    assert soft(other).astype(float) == pytest.approx(soft(one).astype(float), abs=1e-8)


@quiet
@every
@pytest.mark.parametrize("far", [1e10, 1e100, 1e200], ids=str)
def test_rows_far_away_have_a_place(kind: Any, far: float) -> None:
    model = kind(**BUDGET).fit(X)
    new = [[far, 0.0], [-far, far]]
    assert np.isfinite(model.transform(new)).all()
    assert len(model.soft_predict(new)) == len(model.predict(new)) == 2


@quiet
@every
def test_how_numbers_are_laid_out_does_not_matter(kind: Any) -> None:
    model = kind(**BUDGET).fit(X)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.tolist()):
        same_bits(model, kind(**BUDGET).fit(same))
    whole = np.round(X * 10)
    same_bits(kind(**BUDGET).fit(whole), kind(**BUDGET).fit(whole.astype(np.int64)))


@quiet
@every
def test_single_precision_is_taken(kind: Any) -> None:
    one = kind(init=X[:3]).fit(X)
    other = kind(init=X[:3].astype(np.float32)).fit(X.astype(np.float32))
    finite(other, X)
    assert other.cluster_centers_ == pytest.approx(one.cluster_centers_, abs=1e-3)
    assert np.array_equal(other.predict(X.astype(np.float32)), other.labels_)


@quiet
@every
def test_one_row_and_one_cluster(kind: Any) -> None:
    x = np.array([[3.0, -1.0]])
    model = kind(1).fit(x)
    finite(model, x)
    assert model.cluster_centers_.tolist() == [[3, -1]]
    assert model.labels_.tolist() == [0]


@quiet
@every
def test_one_cluster(kind: Any) -> None:
    model = kind(1, random_state=0).fit(X)
    finite(model, X)
    assert (model.labels_ == 0).all()
    if kind in (RoughKMeans, FuzzyCMeans):
        assert model.cluster_centers_ == pytest.approx(X.mean(axis=0, keepdims=True), abs=1e-12)


@every
def test_fewer_distinct_rows_than_clusters_warns_as_k_means_does(kind: Any) -> None:
    """Possibilistic clusters coincide too, and say so."""
    x = np.array([[0.0], [0.0], [0.0], [5.0], [5.0], [5.0]])
    for model in (KMeans(3, n_init=1, random_state=0), kind(3, random_state=0)):
        with pytest.warns(ConvergenceWarning) as warned:
            model.fit(x)
        assert sum("distinct" in str(one.message) for one in warned) == 1
    finite(model, x)


@quiet
@pytest.mark.parametrize("focal", [[(0,), (1,)], [(0, 1)], [(0, 1, 2)], [(0,), (0, 1, 2)]], ids=str)
@pytest.mark.parametrize("noise", [True, False])
def test_focal_sets_that_do_not_settle_all_centres(focal: Any, noise: bool) -> None:
    model = EvidentialCMeans(3, focal=focal, noise=noise, random_state=0).fit(X)
    finite(model, X)
    assert model.clustering_.labels.tolist() == [0, 1, 2]
    assert (np.diff(model.objectives_) <= 1e-9 * model.objectives_[0]).all()


@quiet
def test_large_thresholds_name_all_clusters() -> None:
    model = RoughKMeans(threshold=1e6, random_state=0).fit(X)
    assert model.upper_.all()
    assert not model.lower_.any()


@quiet
def test_possibilities_without_width_are_numbers() -> None:
    x = np.array([[0.0], [0.0], [0.0], [9.0], [9.0], [9.0], [40.0]])
    several: list[dict[str, Any]] = [{"eta_cut": 0.999}, {"eta_cut": 0.001}, {"eta_scale": 1e-12}]
    for given in several:
        finite(PossibilisticCMeans(2, random_state=0, **given).fit(x), x)
