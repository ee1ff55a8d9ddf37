"""Measures as scorers: what scikit-learn's model selection does with them."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from refusals import refuses

sklearn = pytest.importorskip("sklearn")


def blobs() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_blobs

    found = make_blobs(120, centers=3, random_state=0, cluster_std=0.3)
    return found[0], found[1]


def test_a_search_finds_the_number_of_clusters() -> None:
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.model_selection import GridSearchCV

    data, truth = blobs()
    grid = {"n_clusters": [2, 3, 4]}
    for model in (KMeans(n_init=3, random_state=0), AgglomerativeClustering()):
        for measure in ("elm_f", "vi_distance"):
            search = GridSearchCV(model, grid, scoring=cd.scorer(measure)).fit(data, truth)
            assert search.best_params_ == {"n_clusters": 3}
        assert cd.elm_f(truth, search) == cd.elm_f(truth, search.best_estimator_.labels_)


def test_a_scorer_is_the_measure_of_what_is_predicted() -> None:
    from sklearn.cluster import DBSCAN, KMeans

    data, truth = blobs()
    fitted = KMeans(3, n_init=1, random_state=0).fit(data[:60])
    assert cd.scorer("rand")(fitted, data, truth) == cd.rand(truth, fitted.predict(data))
    noisy = DBSCAN(eps=0.2)
    labels = DBSCAN(eps=0.2).fit_predict(data)
    assert -1 in labels
    assert cd.scorer("elm_f", noise=-1)(noisy, data, truth) == cd.elm_f(truth, labels, noise=-1)
    with pytest.warns(cd.ClusterdiffWarning, match="-1 is taken as a cluster"):
        assert cd.scorer("elm_f")(noisy, data, truth) != cd.elm_f(truth, labels, noise=-1)
    assert cd.scorer("vi_distance")(fitted, data, truth) <= 0
    assert str(cd.scorer("vi_distance")(fitted, data, fitted.predict(data))) == "0.0"
    for y in ([], [None]):
        refuses("y is not given", cd.scorer("rand"), fitted, data, *y)


def test_samples_are_routed() -> None:
    from sklearn.cluster import KMeans
    from sklearn.model_selection import cross_validate

    data, truth = blobs()
    samples = np.arange(120) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        wanted = cd.scorer("elm_f").set_score_request(samples=True)
        found = cross_validate(
            KMeans(2, n_init=1, random_state=0), data, truth, scoring=wanted,
            params={"samples": samples}, cv=2, return_estimator=True, return_indices=True,
        )  # fmt: skip
    for score, model, held in zip(
        found["test_score"], found["estimator"], found["indices"]["test"], strict=True
    ):
        guess = model.predict(data[held])
        assert score == float(
            cd.compare(truth[held], guess, "elm_f", samples=samples[held])["elm_f"]
        )


def test_several_measures_are_one_scorer() -> None:
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score, rand_score
    from sklearn.model_selection import GridSearchCV, cross_validate

    data, truth = blobs()
    model = KMeans(3, n_init=1, random_state=0)
    both = cd.scorer({"ari": "adjusted_rand", "far": "vi_distance"})
    search = GridSearchCV(model, {"n_clusters": [2, 3]}, scoring=both, refit="ari", cv=2)
    assert search.fit(data, truth).best_params_ == {"n_clusters": 3}
    guess = search.predict(data)
    assert both(search, data, truth) == pytest.approx(
        {"ari": adjusted_rand_score(truth, guess), "far": -cd.vi_distance(truth, guess)}
    )
    assert (search.cv_results_["mean_test_far"] <= 0).all()
    listed = cd.scorer(["rand", cd.vi_distance])
    assert list(listed(model.fit(data), data, truth)) == ["rand", "neg_vi_distance"]
    assert cd.scorer("rand,elm_f")(model, data, truth).keys() == {"rand", "elm_f"}
    assert isinstance(cd.scorer(["rand"])(model, data, truth), dict)
    own = {"rand": "rand_score", "elm": cd.scorer("elm_f"), "nmi": cd.scorer("nmi", norm="min")}
    found = cross_validate(model, data, truth, scoring=own, cv=2, return_estimator=True)
    halves = cross_validate(model, data, truth, scoring=cd.scorer("rand"), cv=2)
    assert found["test_rand"] == pytest.approx(halves["test_score"])
    assert rand_score(truth, guess) == pytest.approx(cd.rand(truth, guess))
    refuses("no measure was asked for", cd.scorer, [])


def test_scorers_are_pickled() -> None:
    from sklearn.cluster import KMeans

    data, truth = blobs()
    model = KMeans(3, n_init=1, random_state=0).fit(data)
    for made in (cd.scorer("bcubed_f", alpha=0.3, noise=-1), cd.scorer(["elm_f", "rand"])):
        again = pickle.loads(pickle.dumps(made))
        assert repr(again) == repr(made)
        assert again(model, data, truth) == made(model, data, truth)


@pytest.mark.slow
def test_scorers_are_cloned_and_sent_to_workers() -> None:
    from sklearn.base import clone
    from sklearn.cluster import KMeans
    from sklearn.model_selection import GridSearchCV

    data, truth = blobs()
    model = KMeans(3, n_init=1, random_state=0)
    grid = GridSearchCV(model, {"n_clusters": [2, 3]}, scoring=cd.scorer("elm_f"), cv=2)
    parallel = clone(grid).set_params(n_jobs=2).fit(data, truth)
    assert parallel.best_score_ == grid.fit(data, truth).best_score_


def test_halving_pipelines_and_clusterers_without_predict() -> None:
    from sklearn.cluster import DBSCAN, KMeans
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data, truth = blobs()
    chain = make_pipeline(StandardScaler(), KMeans(n_init=1, random_state=0))
    grid = {"kmeans__n_clusters": [2, 3]}
    search = HalvingGridSearchCV(
        chain, grid, scoring=cd.scorer("elm_f"), cv=2, random_state=0, min_resources=60
    )
    assert search.fit(data, truth).best_params_ == {"kmeans__n_clusters": 3}
    noisy = make_pipeline(StandardScaler(), DBSCAN(eps=0.2))
    found = cross_val_score(
        noisy, data, truth, scoring=cd.scorer("elm_f", noise=-1), cv=[(range(60), range(60, 120))]
    )
    guess = noisy.fit_predict(data[60:])
    assert found == cd.elm_f(truth[60:], guess, noise=-1)


def test_an_index_of_pandas_does_not_match_rows() -> None:
    from sklearn.cluster import KMeans

    data, truth = blobs()
    shuffled = pd.Series(truth, index=np.arange(120)[::-1])
    model = KMeans(3, n_init=1, random_state=0).fit(data)
    assert cd.scorer("rand")(model, data, shuffled) == cd.scorer("rand")(model, data, truth)


def test_degrees_of_a_mixture_are_scored() -> None:
    from sklearn.mixture import GaussianMixture

    data, truth = blobs()
    model = GaussianMixture(4, random_state=0).fit(data)
    scorer = cd.scorer("rand_campello", response_method="predict_proba")
    assert scorer(model, data, truth) == cd.rand_campello(
        truth, cd.Fuzzy(model.predict_proba(data))
    )
    refuses("unknown response_method", cd.scorer, "rand", response_method="decision_function")
    rough = cd.scorer("transport(partition_distance)", response_method="predict_proba")
    lacking = cd.Rough([{0, 1}, {0}])
    assert isinstance(rough(model, data, truth), float)
    with pytest.raises(ClusterdiffError, match="an interval, and a search needs one number"):
        cd.scorer("rand_alpha")(Guesses(lacking), data[:2], truth[:2])


class Guesses:
    """A model that predicts whatever it is given."""

    def __init__(self, guess: Any) -> None:
        self.guess = guess

    def predict(self, data: Any) -> Any:
        return self.guess


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
def test_arrays_of_other_libraries_score_the_same(library: str) -> None:
    from sklearn.mixture import GaussianMixture

    other = pytest.importorskip(library)
    data, truth = blobs()
    scorer = cd.scorer(["elm_f", "vi_distance"])
    model = GaussianMixture(4, random_state=0, init_params="random_from_data")
    want = scorer(model.fit(data), data, truth)
    labels = Guesses(other.asarray(model.predict(data)))
    assert scorer(labels, None, other.asarray(truth)) == want


def test_a_measure_in_place_of_a_scorer_says_what_to_write() -> None:
    from sklearn.cluster import KMeans

    data, truth = blobs()
    error = refuses("given 3", cd.measure("elm_f"), KMeans(3), data, truth)
    assert 'scoring=cd.scorer("elm_f")' in error.hint


def test_a_search_does_not_choose_the_model_that_drops_most_objects_as_noise() -> None:
    from sklearn.cluster import DBSCAN
    from sklearn.datasets import make_blobs
    from sklearn.model_selection import GridSearchCV

    data, truth = make_blobs(300, centers=4, cluster_std=1.5, random_state=0)
    whole = [(range(300), range(300))]
    dropping = cd.scorer("elm_f", noise=-1, noise_as="drop")
    most = DBSCAN(eps=0.1, min_samples=3)
    labels = most.fit_predict(data)
    with pytest.warns(cd.ClusterdiffWarning, match="calls 291 of 300 objects noise") as told:
        assert math.isnan(dropping(most, data, truth))
    assert "the score is NaN" in str(told[0].message)
    assert cd.elm_f(truth, labels, noise=-1, noise_as="drop") > 0.5
    with pytest.warns(cd.ClusterdiffWarning, match="score is that of the others alone"):
        assert dropping(DBSCAN(eps=0.5, min_samples=3), data, truth) > 0
    for scoring, refit in ((dropping, True), (SEVERAL_DROPPING, "elm_f")):
        search = GridSearchCV(
            DBSCAN(min_samples=3), {"eps": [0.001, 0.1, 0.9]}, scoring=scoring, cv=whole,
            refit=refit,
        )  # fmt: skip
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            search.fit(data, truth)
        assert any("calls 300 of 300 objects noise" in str(one.message) for one in seen)
        assert search.best_params_ == {"eps": 0.9}


SEVERAL_DROPPING = cd.scorer(["elm_f", "pair_f"], noise=-1, noise_as="drop")
