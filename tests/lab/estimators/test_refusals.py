"""What estimators refuse, and how they say it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from clusterdiff_lab.estimators import (
    EvidentialCMeans,
    FuzzyCMeans,
    PossibilisticCMeans,
    RoughKMeans,
)
from lab.estimators.cases import ALL, groups

every = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
X = groups(4, 60, 3, apart=7)


def fitted(kind: Any, clusters: int = 3, **given: Any) -> Any:
    return kind(clusters, random_state=0, **given).fit(X)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *((kind, {"n_clusters": 0}) for kind in ALL),
        *((kind, {"n_clusters": 2.5}) for kind in ALL),
        *((kind, {"max_iter": 0}) for kind in ALL),
        *((kind, {"n_init": 0}) for kind in ALL),
        *((kind, {"tol": -1.0}) for kind in ALL),
        *((kind, {"init": "best"}) for kind in ALL),
        *((kind, {"init": np.zeros((2, 2))}) for kind in ALL),
        *((kind, {"init": np.zeros((3, 5))}) for kind in ALL),
        *((kind, {"init": np.full((3, 2), np.nan)}) for kind in ALL),
        *((kind, {"random_state": "once"}) for kind in ALL),
        (FuzzyCMeans, {"m": 1}),
        (FuzzyCMeans, {"m": 0.5}),
        (FuzzyCMeans, {"m": np.inf}),
        (FuzzyCMeans, {"m": np.nan}),
        (FuzzyCMeans, {"m": "two"}),
        (PossibilisticCMeans, {"m": 1}),
        (PossibilisticCMeans, {"eta": "mean"}),
        (PossibilisticCMeans, {"eta": [1.0, 2.0]}),
        (PossibilisticCMeans, {"eta": [1.0, 2.0, -1.0]}),
        (PossibilisticCMeans, {"eta": [1.0, 2.0, 0.0]}),
        (PossibilisticCMeans, {"eta": [1.0, 2.0, np.nan]}),
        (PossibilisticCMeans, {"eta_scale": 0}),
        (PossibilisticCMeans, {"eta_cut": 0}),
        (PossibilisticCMeans, {"eta_cut": 1}),
        (EvidentialCMeans, {"beta": 1}),
        (EvidentialCMeans, {"alpha": -1}),
        (EvidentialCMeans, {"delta": 0}),
        (EvidentialCMeans, {"delta": -3}),
        (EvidentialCMeans, {"delta": np.nan}),
        (EvidentialCMeans, {"focal": "triples"}),
        (EvidentialCMeans, {"focal": [(0, 3)]}),
        (EvidentialCMeans, {"focal": [(-1,)]}),
        (EvidentialCMeans, {"focal": []}),
        (EvidentialCMeans, {"focal": [()]}),
        (EvidentialCMeans, {"focal": [("a",)]}),
        (RoughKMeans, {"threshold": 0.99}),
        (RoughKMeans, {"threshold": -0.1, "compare": "difference"}),
        (RoughKMeans, {"threshold": np.nan}),
        (RoughKMeans, {"compare": "quotient"}),
        (RoughKMeans, {"means": "median"}),
        (RoughKMeans, {"weight_lower": 1.2}),
        (RoughKMeans, {"weight_lower": -0.2}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "-".join(value),
)
def test_parameters_that_are_not_allowed(kind: Any, given: dict[str, Any]) -> None:
    (name, *_) = given
    with pytest.raises(ValueError, match=name):
        kind(**given).fit(X)


@every
def test_data_that_are_no_data(kind: Any) -> None:
    with pytest.raises(ValueError, match="NaN"):
        kind().fit([[0.0], [np.nan], [1.0], [2.0]])
    with pytest.raises(ValueError, match="infinity"):
        kind().fit([[0.0], [np.inf], [1.0], [2.0]])
    with pytest.raises(ValueError, match=r"2.*3"):
        kind(3).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="1D array"):
        kind(1).fit([0.0, 1.0])
    with pytest.raises(ValueError, match="features"):
        fitted(kind).predict(np.zeros((2, 5)))


@every
def test_models_are_fitted_first(kind: Any) -> None:
    for name in ("predict", "transform", "soft_predict"):
        with pytest.raises(NotFittedError):
            getattr(kind(), name)(X)


@every
def test_a_fit_that_fails_changes_nothing(kind: Any) -> None:
    bad = [[0.0, 1.0], [np.nan, 1.0], [2.0, 3.0]]
    model = kind(2)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad)
    with pytest.raises(NotFittedError):
        model.transform(X)
    before = fitted(kind)
    wanted = before.transform(X)
    with pytest.raises(ValueError, match="NaN"):
        before.set_params(n_clusters=2).fit(bad)
    assert before.transform(X).shape == wanted.shape


def test_too_many_focal_sets_have_a_hint() -> None:
    x = groups(0, 40, 4)
    with pytest.raises(ValueError, match="pairs"):
        EvidentialCMeans(20).fit(x)
    assert (
        len(EvidentialCMeans(14, focal="pairs", n_init=1, max_iter=3, tol=1e9).fit(x).focal_) == 107
    )


def run(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout


def test_without_scikit_learn_the_install_line_is_told() -> None:
    output = run(
        "import sys; sys.modules['sklearn'] = None; import clusterdiff as cd\n"
        "try:\n    from clusterdiff_lab.estimators import FuzzyCMeans\n"
        "except cd.ClusterdiffError as error:\n    print(error)"
    )
    assert output == (
        "estimators need scikit-learn, which is not installed.\n\n"
        'Hint: pip install "clusterdiff[sklearn]"\n'
    )


def test_importing_the_package_does_not_import_scikit_learn() -> None:
    assert run("import sys, clusterdiff; print('sklearn' in sys.modules)") == "False\n"
