"""Fits end where the optimum is: different starts that find the same one agree to six digits."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import clusterdiff as cd
from clusterdiff_lab.estimators import EvidentialCMeans, FuzzyCMeans
from lab.estimators.cases import ALL, DESCENDING, SOFT, Floats

DATA = Path(__file__).parents[4] / "shared" / "data"
CLUSTERS = {"iris": 3, "fourclass": 4, "butterfly": 2}
SIX_DIGITS = 5e-7


@cache
def data(name: str) -> Floats:
    if name == "iris":
        return np.asarray(load_iris().data)
    if not DATA.exists():
        pytest.skip("the data sets are not here")
    return np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)[:, :2]


def fit(kind: Any, name: str, **given: Any) -> Any:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        model = kind(CLUSTERS[name], **given).fit(data(name))
    assert not [one for one in warned if "did not converge" in str(one.message)]
    return model


def degrees(model: Any) -> Floats:
    """Those of each object from small to large: clusters may be found in any order."""
    return np.sort(np.asarray(getattr(model, SOFT[type(model)]), np.float64), axis=1)


@pytest.mark.parametrize("name", CLUSTERS)
@pytest.mark.parametrize("kind", ALL)
def test_seeds_that_find_the_same_optimum_agree(kind: Any, name: str) -> None:
    models = [fit(kind, name, random_state=seed) for seed in range(10)]
    best = min(model.objective_ for model in models)
    same = [model for model in models if model.objective_ < best * (1 + 1e-6)]
    assert len(same) >= 9
    assert np.ptp([degrees(model) for model in same], axis=0).max() < SIX_DIGITS


@pytest.mark.parametrize("name", CLUSTERS)
@pytest.mark.parametrize("kind", DESCENDING)
def test_more_iterations_change_nothing(kind: Any, name: str) -> None:
    model = fit(kind, name, random_state=0)
    later = fit(kind, name, random_state=0, tol=1e-24, max_iter=5000)
    assert later.n_iter_ > model.n_iter_
    assert degrees(model) == pytest.approx(degrees(later), rel=0, abs=SIX_DIGITS)


def test_iris_is_not_left_after_a_few_iterations() -> None:
    model = fit(FuzzyCMeans, "iris", random_state=0)
    assert model.n_iter_ >= 30
    assert model.objective_ == pytest.approx(60.505711, abs=SIX_DIGITS)


def test_scores_of_the_four_classes_do_not_depend_on_the_seed() -> None:
    data("fourclass")
    truth = np.loadtxt(DATA / "fourclass.csv", delimiter=",", skiprows=1)[:, 2].astype(int)
    for seed in range(4):
        model = fit(EvidentialCMeans, "fourclass", random_state=seed)
        score = float(cd.rand_belief(truth, model.clustering_))
        assert score == pytest.approx(0.659091, abs=SIX_DIGITS)
