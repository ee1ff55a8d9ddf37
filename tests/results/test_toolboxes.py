"""Results in the hands of other tools: experiment trackers, model selection, data frames."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError

TRUTH, GUESS = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]


def test_metrics_are_floats_under_names_that_trackers_take() -> None:
    report = cd.compare(
        TRUTH, {"run 1": GUESS, "run/2": TRUTH}, ["elm_f", "bcubed_f(alpha=0.3)"], confidence=0.9
    )
    found = report.metrics("eval")
    assert found["eval/run_1/elm_f"] == float(report["elm_f"]["run 1"])
    assert found["eval/run_2/bcubed_f_alpha_0.3"] == 1.0
    assert all(type(value) is float for value in found.values())
    assert all(re.fullmatch(r"[A-Za-z0-9_.\-/ ]+", name) for name in found)


def test_metrics_of_samples_and_of_intervals() -> None:
    sampled = cd.compare(TRUTH, GUESS, "elm_f", samples=[1, 1, 2, 2, 2, 2])
    names = {"elm_f", "elm_f/std", "elm_f/micro"}
    assert set(sampled.metrics()) == names
    assert sampled.metrics()["elm_f/micro"] == sampled["elm_f"].micro
    rough = cd.Rough([{"a", "b"}, {"a"}, {"b"}])
    found = cd.compare([0, 0, 1], rough, "transport(rand)").metrics()
    assert found == pytest.approx({"transport_rand/low": 1 / 3, "transport_rand/high": 1.0})


def test_equal_names_are_numbered() -> None:
    found = cd.compare(TRUTH, {"a b": GUESS, "a_b": TRUTH}, "rand").metrics()
    assert sorted(found) == ["a_b/rand", "a_b/rand_2"]


def test_scores_of_objects_come_back_under_the_index() -> None:
    frame = pd.DataFrame({"truth": TRUTH, "leiden": GUESS}, index=list("pqrstu"))
    found = cd.objects(frame["truth"], frame["leiden"])
    frame["agreement"] = found.to_series()
    assert frame["agreement"].tolist() == found.scores.tolist()
    by_id = cd.objects(dict(zip("abc", "xxy", strict=True)), dict(zip("cab", "yxx", strict=True)))
    assert by_id.to_series().to_dict() == by_id.to_dict()
    assert by_id.to_frame("polars").columns == ["id", "score"]
    assert found.to_frame()["score"].tolist() == found.scores.tolist()
    assert "<table" in found._repr_html_()


def test_left_out_objects_leave_no_index_behind() -> None:
    truth = pd.Series(TRUTH, index=list("pqrstu"))
    found = cd.objects(truth, GUESS, noise=2, noise_as="drop")
    assert found.index is None
    assert len(found.to_series()) == len(found) == 4


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
    assert cd.scorer("elm_f")(noisy, data, truth) != cd.elm_f(truth, labels, noise=-1)
    assert cd.scorer("vi_distance")(fitted, data, truth) <= 0
    with pytest.raises(ClusterdiffError, match="y is not given"):
        cd.scorer("rand")(fitted, data, None)


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


def test_a_fitted_model_is_a_guess_and_says_what_it_was_taken_for() -> None:
    from sklearn.cluster import DBSCAN, KMeans
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data, truth = blobs()
    model = KMeans(3, n_init=1, random_state=0).fit(data)
    report = cd.compare(truth, {"k-means": model, "dbscan": DBSCAN(eps=0.2).fit(data)}, "rand")
    assert float(report["rand"]["k-means"]) == cd.rand(truth, model.labels_)
    assert "labels_ of KMeans, by position" in report.head()
    assert "-1 is a cluster unless noise=-1" in " ".join(report.head().split())
    chain = make_pipeline(StandardScaler(), KMeans(3, n_init=1, random_state=0)).fit(data)
    assert cd.rand(truth, chain) == cd.rand(truth, chain[-1].labels_)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("KMeans", "model.fit"), ("DBSCAN", "model.fit"), ("GaussianMixture", "from_model")],
)
def test_a_model_without_labels_is_refused(name: str, hint: str) -> None:
    from sklearn import cluster, mixture

    model = getattr(cluster, name, None) or getattr(mixture, name)
    with pytest.raises(ClusterdiffError, match=f"{name} that keeps no labels_") as error:
        cd.compare(TRUTH, model())
    assert hint in error.value.hint
