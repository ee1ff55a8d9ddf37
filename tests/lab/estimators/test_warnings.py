"""Warnings point at the line of the user, also through a pipeline."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from clusterdiff_lab.estimators import FuzzyCMeans, PossibilisticCMeans

X = np.random.default_rng(0).normal(size=(40, 2))


@pytest.mark.parametrize("method", ["fit", "fit_predict", "fit_transform"])
@pytest.mark.parametrize("deep", [False, True])
def test_the_line_is_here(method: str, deep: bool) -> None:
    model = FuzzyCMeans(3, max_iter=1, n_init=1, random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        getattr(make_pipeline(StandardScaler(), model) if deep else model, method)(X)
    assert [one.filename for one in told] == [__file__]


def test_few_distinct_rows_are_told_once() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        PossibilisticCMeans(3, random_state=0).fit(np.ones((10, 2)))
    assert ["distinct rows" in str(one.message) for one in told] == [True]
