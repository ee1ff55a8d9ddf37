"""Arrays of other libraries are clustered where they lie, under scikit-learn's dispatch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn

import clusterdiff as cd
from clusterdiff_lab.estimators import (
    EvidentialCMeans,
    FuzzyCMeans,
    PossibilisticCMeans,
    RoughKMeans,
)
from clusterdiff_lab.estimators import rows as array_rows
from clusterdiff_lab.estimators.rows import to_host
from lab.estimators.cases import groups
from refusals import refuses

torch = pytest.importorskip("torch")
strict = pytest.importorskip("array_api_strict")
pytest.importorskip("array_api_compat")
LIBRARIES: dict[str, Callable[[Any], Any]] = {"torch": torch.asarray, "strict": strict.asarray}
MODELS: dict[str, Any] = {
    "fuzzy": FuzzyCMeans(3, n_init=3),
    "hardly fuzzy": FuzzyCMeans(4, m=1.3, n_init=2),
    "very fuzzy": FuzzyCMeans(2, m=3.5, n_init=2),
    "evidential": EvidentialCMeans(3, n_init=2, delta=6),
    "few sets": EvidentialCMeans(4, n_init=2, focal="pairs", noise=False, beta=1.7, alpha=2),
    "outliers": EvidentialCMeans(2, n_init=2, delta=1.5, alpha=0),
}
DATA = groups(3, 120, 3)
CLOSE = 1e-9


@pytest.fixture
def dispatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield


def fitted(model: Any, data: Any, **more: Any) -> Any:
    copy = sklearn.clone(model).set_params(random_state=5, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return copy.fit(data)


def arrays(model: Any) -> dict[str, Any]:
    """What a fit has found, of each object and of each cluster."""
    kept = "memberships_" if isinstance(model, FuzzyCMeans) else "masses_"
    names = ["cluster_centers_", kept, "labels_", "objectives_"]
    names += ["outliers_"] if kept == "masses_" else []
    return {name: getattr(model, name) for name in names}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", MODELS)
def test_fits_are_those_of_numpy(name: str, library: str, dispatch: None) -> None:
    there = LIBRARIES[library]
    host, found = fitted(MODELS[name], DATA), fitted(MODELS[name], there(DATA))
    assert found.n_iter_ == host.n_iter_
    assert found.objective_ == pytest.approx(host.objective_, rel=CLOSE)
    for key, value in arrays(host).items():
        assert type(arrays(found)[key]) is type(there(DATA)), key
        assert to_host(arrays(found)[key]) == pytest.approx(value, rel=CLOSE, abs=CLOSE), key
    new = groups(4, 7, 2)
    assert to_host(found.transform(there(new))) == pytest.approx(host.transform(new), abs=CLOSE)
    assert to_host(found.predict(there(new))).tolist() == host.predict(new).tolist()
    soft = found.soft_predict(there(new))
    assert soft.of(3) == pytest.approx(host.soft_predict(new).of(3), abs=CLOSE)
    assert cd.rand_alpha(host.clustering_, found.clustering_).high == pytest.approx(1)


@pytest.mark.parametrize("name", ["fuzzy", "evidential"])
def test_objects_are_worked_on_in_parts(
    name: str, dispatch: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fitted(MODELS[name], torch.asarray(DATA))
    monkeypatch.setattr(array_rows, "CELLS", 100)
    parts = fitted(MODELS[name], torch.asarray(DATA))
    for key, value in arrays(whole).items():
        assert to_host(arrays(parts)[key]) == pytest.approx(to_host(value), rel=CLOSE, abs=CLOSE), (
            key
        )


@pytest.mark.parametrize("name", ["fuzzy", "evidential"])
def test_starts_that_are_given(name: str, dispatch: None) -> None:
    start = DATA[: MODELS[name].n_clusters] + 0.01
    host = fitted(MODELS[name], DATA, init=start)
    for data, init in ((DATA, start), (torch.asarray(DATA), torch.asarray(start))):
        found = fitted(MODELS[name], data, init=init)
        assert to_host(found.cluster_centers_) == pytest.approx(host.cluster_centers_, abs=CLOSE)


def test_objects_on_a_centre_and_repeated_ones(dispatch: None) -> None:
    data = np.repeat(np.array([[0.0, -0.0], [1.0, 2.0], [5.0, 5.0], [1e6, 3.0]]), 5, axis=0)
    for model in (FuzzyCMeans(3, init=data[[0, 5, 10]]), EvidentialCMeans(2, init=data[[0, 5]])):
        host, found = fitted(model, data), fitted(model, torch.asarray(data))
        for key, value in arrays(host).items():
            assert to_host(arrays(found)[key]) == pytest.approx(value, rel=CLOSE, abs=CLOSE), key


def test_objects_with_all_mass_on_no_cluster_get_the_nearest(dispatch: None) -> None:
    data = np.array([[0.0], [0.1], [1.0], [1.1], [1e9]])
    model = EvidentialCMeans(2, delta=1e-200, init=[[0.05], [1.05]], max_iter=1)
    host, found = fitted(model, data), fitted(model, torch.asarray(data))
    assert (host.masses_[:, 0] == 1).any()
    assert to_host(found.labels_).tolist() == host.labels_.tolist()


def test_warnings_are_the_same(dispatch: None) -> None:
    data = torch.asarray([[0.0], [0.0], [1.0]])
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="2 distinct rows"):
        FuzzyCMeans(3, random_state=0).fit(data)
    with pytest.raises(ValueError, match=r"n_samples=3 should be >= n_clusters=4"):
        FuzzyCMeans(4).fit(data)


def test_rows_of_another_library_than_that_of_the_fit_are_refused(dispatch: None) -> None:
    model = fitted(MODELS["fuzzy"], torch.asarray(DATA))
    with pytest.raises(ValueError, match=r"FuzzyCMeans\.predict\(\) must use the same namespace"):
        model.predict(DATA)


def test_without_dispatch_tensors_are_read_as_numpy() -> None:
    found = fitted(MODELS["fuzzy"], torch.asarray(DATA))
    assert isinstance(found.memberships_, np.ndarray)
    assert found.memberships_.tolist() == fitted(MODELS["fuzzy"], DATA).memberships_.tolist()


def test_without_dispatch_gradients_are_left_behind() -> None:
    found = fitted(MODELS["fuzzy"], torch.asarray(DATA).requires_grad_())
    assert found.labels_.tolist() == fitted(MODELS["fuzzy"], DATA).labels_.tolist()


def test_without_dispatch_tensors_that_cannot_be_read_are_refused_in_words() -> None:
    refuses("meta", FuzzyCMeans(2).fit, torch.zeros((5, 2), device="meta"))


def test_after_dispatch_a_fit_predicts_for_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        found = fitted(MODELS["fuzzy"], torch.asarray(DATA))
    host = fitted(MODELS["fuzzy"], DATA)
    assert found.transform(DATA) == pytest.approx(host.transform(DATA), abs=CLOSE)


@pytest.mark.parametrize("kind", [RoughKMeans, PossibilisticCMeans])
def test_other_estimators_read_arrays_as_numpy(kind: Any, dispatch: None) -> None:
    for there in LIBRARIES.values():
        found = fitted(kind(2, n_init=1), there(DATA))
        assert isinstance(found.cluster_centers_, np.ndarray)
        assert found.labels_.tolist() == fitted(kind(2, n_init=1), DATA).labels_.tolist()
