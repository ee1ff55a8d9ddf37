"""All estimators on numbers that are hard: equal rows, extreme scales and exponents, few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from clusterdiff_lab.estimators import (
    EvidentialCMeans,
    FuzzyCMeans,
    PossibilisticCMeans,
    RoughKMeans,
)
from lab.estimators.cases import ALL, Floats, groups, same_bits, soft

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
every = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
X = groups(5, 90, 3)
BUDGET: dict[str, Any] = {"n_init": 3, "random_state": 0}


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
