"""How estimators are used: parameters, frames, pipelines, clusterings."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clusterdiff as cd
from clusterdiff_lab.estimators import (
    EvidentialCMeans,
    FuzzyCMeans,
    PossibilisticCMeans,
    RoughKMeans,
)
from clusterdiff_lab.estimators.base import CentreClusterer
from lab.estimators.cases import ALL, groups, soft

every = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
X = groups(4, 60, 3, apart=7)
Y = np.repeat([0, 1, 2], 20)
COLUMNS: dict[type[CentreClusterer], list[str]] = {
    RoughKMeans: ["roughkmeans0", "roughkmeans1"],
    FuzzyCMeans: ["fuzzycmeans0", "fuzzycmeans1"],
    PossibilisticCMeans: ["possibilisticcmeans0", "possibilisticcmeans1"],
    EvidentialCMeans: ["{}", "{0}", "{1}", "{0,1}"],
}
KINDS: dict[type[CentreClusterer], Any] = {
    RoughKMeans: cd.Rough,
    FuzzyCMeans: cd.Fuzzy,
    PossibilisticCMeans: cd.Possibilistic,
    EvidentialCMeans: cd.Evidential,
}


def fitted(kind: Any, clusters: int = 3, **given: Any) -> Any:
    return kind(clusters, random_state=0, **given).fit(X)


def shares(upper: Any) -> Any:
    return upper / upper.sum(axis=1, keepdims=True)


# As scikit-learn's


@every
def test_transform_gives_what_was_fitted(kind: Any) -> None:
    model = fitted(kind)
    wanted = shares(soft(model)) if kind is RoughKMeans else soft(model)
    assert np.array_equal(model.transform(X), wanted)
    assert np.array_equal(kind(3, random_state=0).fit_transform(X), wanted)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(kind(3, random_state=0).fit_predict(X), model.labels_)


@every
def test_what_is_new_depends_on_itself_alone(kind: Any) -> None:
    model = fitted(kind)
    new = np.random.default_rng(3).normal(scale=5, size=(11, 2))
    together = model.transform(new)
    for i, row in enumerate(new):
        assert np.array_equal(model.transform(row[None]), together[i : i + 1])
    assert np.array_equal(model.transform(new[::-1]), together[::-1])


@every
@pytest.mark.parametrize("far", [1e6, 1e100, 1e200], ids=str)
def test_a_row_far_away_does_not_change_the_others(kind: Any, far: float) -> None:
    model = fitted(kind)
    wanted = model.transform(X)
    assert np.array_equal(model.transform(np.vstack([X, [[far, -far]]]))[:-1], wanted)


@every
def test_centres_belong_to_themselves(kind: Any) -> None:
    model = fitted(kind)
    of_centres = model.transform(model.cluster_centers_)
    if kind is EvidentialCMeans:
        single = [model.focal_.index((j,)) for j in range(3)]
        assert np.array_equal(of_centres[:, single], np.eye(3))
    elif kind is PossibilisticCMeans:
        assert np.diag(of_centres).tolist() == [1, 1, 1]
    else:
        assert np.array_equal(of_centres, np.eye(3))
    assert model.predict(model.cluster_centers_).tolist() == [0, 1, 2]


@every
def test_what_is_found_is_of_plain_types(kind: Any) -> None:
    model = fitted(kind)
    assert type(model.objective_) is float
    assert type(model.n_iter_) is int
    assert model.labels_.dtype.kind == model.predict(X).dtype.kind == "i"
    assert model.cluster_centers_.shape == (3, 2)
    assert model.objectives_.ndim == 1


@every
def test_a_second_fit_forgets_the_first(kind: Any) -> None:
    model = fitted(kind).set_params(n_clusters=2)
    again = model.fit(X[:30, :1])
    fresh = kind(2, random_state=0).fit(X[:30, :1])
    assert np.array_equal(soft(again), soft(fresh))
    assert list(again.get_feature_names_out()) == COLUMNS[kind]


@every
def test_columns_have_names(kind: Any) -> None:
    model = fitted(kind, 2)
    assert list(model.get_feature_names_out()) == COLUMNS[kind]
    assert model.transform(X).shape == (60, len(COLUMNS[kind]))


@every
def test_frames_go_in_and_come_out(kind: Any) -> None:
    frame = pd.DataFrame(X, columns=["width", "height"], index=[f"row {i}" for i in range(60)])
    model = kind(2, random_state=0).set_output(transform="pandas")
    out = model.fit_transform(frame)
    assert list(out.columns) == COLUMNS[kind]
    assert list(out.index) == list(frame.index)
    assert list(model.feature_names_in_) == ["width", "height"]
    assert model.n_features_in_ == 2
    assert model.clustering_.ids is None
    assert np.array_equal(out.to_numpy(), kind(2, random_state=0).fit_transform(X))
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"width": "depth"}))


@every
def test_models_are_copied_and_kept(kind: Any) -> None:
    model = fitted(kind, n_init=2)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(X), model.transform(X))
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "cluster_centers_")
    assert kind().set_params(n_clusters=7).n_clusters == 7
    assert "n_clusters=7" in repr(kind(7))


@every
def test_defaults_are_those_of_k_means_but_for_the_clusters_and_the_end(kind: Any) -> None:
    params = kind().get_params()
    wanted = {
        "n_clusters": 3,
        "init": "k-means++",
        "n_init": 10,
        "max_iter": 1000,
        "tol": 1e-18,
        "random_state": None,
    }
    assert {name: params[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("kind", "own"),
    [
        (FuzzyCMeans, {"m": 2.0}),
        (PossibilisticCMeans, {"m": 2.0, "eta": "fuzzy", "eta_scale": 1.0, "eta_cut": None}),
        (
            EvidentialCMeans,
            {"alpha": 1.0, "beta": 2.0, "delta": 10.0, "focal": "all", "noise": True},
        ),
        (
            RoughKMeans,
            {"threshold": 1.1, "compare": "ratio", "means": "lingras", "weight_lower": 0.7},
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_own_parameters(kind: Any, own: dict[str, Any]) -> None:
    params = kind().get_params()
    assert {name: params[name] for name in own} == own
    assert len(params) == len(own) + 6


def test_parameters_go_by_name() -> None:
    with pytest.raises(TypeError):
        FuzzyCMeans(3, 2.0)


@every
def test_pipelines(kind: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), kind(random_state=0))
    pipeline.fit(X)
    scaled = StandardScaler().fit_transform(X)
    model = kind(random_state=0).fit(scaled)
    assert np.array_equal(pipeline.transform(X), model.transform(scaled))
    assert np.array_equal(pipeline.predict(X), model.labels_)
    assert list(pipeline.get_feature_names_out()) == list(model.get_feature_names_out())


# Clusterings


@every
def test_clusterings_are_of_their_kind(kind: Any) -> None:
    model = fitted(kind)
    assert type(model.clustering_) is KINDS[kind]
    assert model.clustering_.ids is None
    assert len(model.clustering_) == 60
    assert sorted(model.clustering_.labels.tolist()) == [0, 1, 2]


@every
def test_new_rows_have_a_clustering(kind: Any) -> None:
    model = fitted(kind)
    some = model.soft_predict(X[:7])
    assert type(some) is KINDS[kind]
    assert len(some) == 7
    assert [some.of(i) for i in range(7)] == [model.clustering_.of(i) for i in range(7)]


def test_clusterings_say_what_the_model_says() -> None:
    rough, fuzzy, possible, evidence = (fitted(kind) for kind in ALL)
    for i in range(60):
        (names,) = rough.clustering_.of(i)
        assert names == frozenset(np.flatnonzero(rough.upper_[i]).tolist())
        of_fuzzy = fuzzy.clustering_.of(i)
        chances = [of_fuzzy.get(frozenset({j}), 0.0) for j in range(3)]
        assert chances == pytest.approx(fuzzy.memberships_[i].tolist(), abs=1e-12)
        assert possible.clustering_.of(i).get(frozenset(), 0.0) == pytest.approx(
            1 - possible.possibilities_[i].max(), abs=1e-12
        )
        of_masses = evidence.clustering_.of(i)
        masses = [of_masses.get(frozenset(a), 0.0) for a in evidence.focal_]
        assert masses == pytest.approx(evidence.masses_[i].tolist(), abs=1e-12)


@every
def test_hardened_clusterings_are_the_labels(kind: Any) -> None:
    model = fitted(kind)
    if kind is not RoughKMeans:
        assert model.clustering_.harden().labels.tolist() == model.labels_.tolist()


@every
def test_clusterings_are_compared(kind: Any) -> None:
    model = fitted(kind)
    truth = model.labels_
    report = cd.compare(truth, model.clustering_)
    assert len(list(report)) > 0
    good, bad = cd.rand_alpha(truth, model.clustering_), cd.rand_alpha(Y, model.clustering_)
    assert 0 <= bad.low <= bad.high <= 1
    assert good.high > bad.high
    carried = cd.measure("transport(rand)")(truth, model.clustering_)
    assert 0 <= carried.low <= carried.high <= 1
    two = cd.compare(fitted(FuzzyCMeans).clustering_, model.clustering_)
    assert len(list(two)) > 0


# Warnings point at the line of the user, also through a pipeline.


@pytest.mark.parametrize("method", ["fit", "fit_predict", "fit_transform"])
@pytest.mark.parametrize("deep", [False, True])
def test_the_line_is_here(method: str, deep: bool) -> None:
    model = FuzzyCMeans(3, max_iter=1, n_init=1, random_state=0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        getattr(make_pipeline(StandardScaler(), model) if deep else model, method)(X)
    assert [one.filename for one in warned] == [__file__]


def test_few_distinct_rows_are_told_once() -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        PossibilisticCMeans(3, random_state=0).fit(np.ones((10, 2)))
    assert ["distinct rows" in str(one.message) for one in warned] == [True]


# What estimators refuse, and how they say it.


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
