"""Machine learning: scikit-learn's data, clusterers, searches and mixtures, tensors, trackers and
notebooks.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clusterdiff as cd
from refusals import refuses

IRIS, DIGITS = load_iris(), load_digits()
SAME = {
    "rand": metrics.rand_score,
    "adjusted_rand": metrics.adjusted_rand_score,
    "fowlkes_mallows": metrics.fowlkes_mallows_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
    "v_measure": metrics.v_measure_score,
    "nmi": metrics.normalized_mutual_info_score,
}
"""Measures that scikit-learn has too."""


def scores_of(truth: Any, guess: Any) -> dict[str, float]:
    """What scikit-learn says."""
    return {name: score(truth, guess) for name, score in SAME.items()}


@pytest.fixture(scope="module")
def digits() -> Any:
    """Half of the digits, and a model of them."""
    data, target = DIGITS.data[:900], DIGITS.target[:900]
    return data, target, KMeans(10, n_init=1, random_state=0).fit(data)


def test_digits_through_k_means(digits: Any) -> None:
    _, target, model = digits
    report = cd.compare(target, model, list(SAME))
    assert "labels_ of KMeans, by position" in report.head()
    want = scores_of(target, model.labels_)
    assert {name: float(report[name]) for name in report} == pytest.approx(want, abs=1e-12)
    assert report.metrics("eval")["eval/adjusted_rand"] == float(report["adjusted_rand"])
    html = report._repr_html_()
    assert all(f">{want[name]:.4f}</td>" in html for name in want)
    worst = cd.explain(target, model)
    assert worst.score.value == cd.elm_f(target, model.labels_)
    assert "<table>" in worst._repr_html_()


def test_a_search_over_folds_is_scored_as_scikit_learn_scores(digits: Any) -> None:
    data, target, _ = digits
    chain = make_pipeline(StandardScaler(), KMeans(n_init=1, random_state=0))
    grid = {"kmeans__n_clusters": [5, 10]}
    search = GridSearchCV(chain, grid, scoring=cd.scorer("adjusted_rand"), cv=2).fit(data, target)
    theirs = GridSearchCV(chain, grid, scoring="adjusted_rand_score", cv=2).fit(data, target)
    assert search.best_params_ == theirs.best_params_
    assert search.cv_results_["mean_test_score"] == pytest.approx(
        theirs.cv_results_["mean_test_score"], abs=1e-12
    )
    own = search.best_estimator_[-1].labels_
    assert cd.compare(target, search, "rand")["rand"].value == cd.rand(target, own)


def test_noise_of_hdbscan_is_said_and_settled(digits: Any) -> None:
    data, target, _ = digits
    model = HDBSCAN(min_cluster_size=15, copy=True).fit(data)
    noise = int((model.labels_ == -1).sum())
    assert noise > 50
    plain = cd.compare(target, model, "adjusted_rand")
    assert f"-1 is taken as a cluster of {noise:,} objects" in " ".join(plain.head().split())
    want = metrics.adjusted_rand_score(target, model.labels_)
    assert plain["adjusted_rand"].value == pytest.approx(want, abs=1e-12)
    alone = np.where(model.labels_ < 0, -1 - np.arange(len(data)), model.labels_)
    single = cd.compare(target, model, "adjusted_rand", noise=-1)
    assert f"{noise:,} noise objects: each a cluster of its own" in single.head()
    want = metrics.adjusted_rand_score(target, alone)
    assert single["adjusted_rand"].value == pytest.approx(want, abs=1e-12)
    kept = model.labels_ >= 0
    dropped = cd.adjusted_rand(target, model, noise=-1, noise_as="drop")
    assert dropped == pytest.approx(metrics.adjusted_rand_score(target[kept], model.labels_[kept]))


def together(degrees: Any, i: int, j: int) -> float:
    """The chance of two objects to be in one cluster."""
    return math.fsum(degrees[i] * degrees[j])


def test_a_mixture_is_a_fuzzy_clustering() -> None:
    some = np.arange(0, 150, 5)
    data, target = IRIS.data[some], IRIS.target[some]
    model = GaussianMixture(3, random_state=0).fit(IRIS.data)
    fuzzy = cd.Fuzzy.from_model(model, data)
    degrees = model.predict_proba(data)
    pairs = list(combinations(range(len(some)), 2))
    agreed = [
        p if target[i] == target[j] else 1 - p for i, j in pairs for p in [together(degrees, i, j)]
    ]
    want = math.fsum(agreed) / len(pairs)
    assert cd.rand_belief(target, fuzzy) == pytest.approx(want, abs=1e-9)
    report = cd.compare(target, fuzzy)
    assert "fuzzy" in report.head()
    assert report.metrics()["rand_belief"] == pytest.approx(want, abs=1e-9)
    hard = cd.compare(target, model.predict(data), "rand")["rand"].value
    assert hard == pytest.approx(metrics.rand_score(target, degrees.argmax(axis=1)))


def test_topics_are_fuzzy_and_their_likeliest_one_a_label() -> None:
    data, target = DIGITS.data[:300], DIGITS.target[:300]
    model = LatentDirichletAllocation(10, max_iter=3, random_state=0).fit(data)
    topics = model.transform(data)
    error = refuses("keeps no labels_", cd.compare, target, model)
    assert "argmax" in error.hint
    likeliest = topics.argmax(axis=1)
    assert cd.nmi(target, likeliest) == pytest.approx(
        metrics.normalized_mutual_info_score(target, likeliest)
    )
    refuses("chances, a column per cluster", cd.compare, target, topics)
    assert len(cd.Fuzzy(topics)) == 300


def test_tensors_have_the_scores_of_arrays(digits: Any) -> None:
    torch = pytest.importorskip("torch")
    _, target, model = digits
    truth, guess = torch.as_tensor(target), torch.as_tensor(model.labels_.astype(np.int64))
    found = cd.compare(truth, {"k-means": guess}, list(SAME)).metrics()
    plain = cd.compare(target, {"k-means": model.labels_}, list(SAME)).metrics()
    assert found == plain
    logits = torch.log_softmax(torch.as_tensor(DIGITS.data[:40]), dim=1)
    fuzzy = cd.Fuzzy(torch.exp(logits))
    assert len(fuzzy) == 40


@pytest.mark.parametrize("confidence", [None, 0.95])
def test_scores_of_one_comparison_go_to_a_tracker(digits: Any, confidence: float | None) -> None:
    _, target, model = digits
    half = KMeans(5, n_init=1, random_state=0).fit(digits[0])
    report = cd.compare(
        target, {"10 clusters": model, "5 clusters": half}, "elm_f,bcubed_f", confidence=confidence
    )
    found = report.metrics()
    assert found["_10_clusters/elm_f"] == cd.elm_f(target, model)
    assert found["_5_clusters/bcubed_f"] == cd.bcubed_f(target, half)
    assert all(math.isfinite(value) for value in found.values())


ODD = ["run 1", "run/1", "../runs/a.csv", "/abs//path", "..", "5 fold", "", "日本", "x" * 400]
"""What guesses may be called."""


def odd_metrics() -> dict[str, float]:
    truth, guess = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]
    return cd.compare(truth, dict.fromkeys(ODD, guess), "elm_f,nmi(norm=min)").metrics("../x")


def test_mlflow_takes_the_names() -> None:
    validation = pytest.importorskip("mlflow.utils.validation")
    for name in odd_metrics():
        validation._validate_metric_name(name)
        validation._validate_length_limit("name", validation.MAX_ENTITY_KEY_LENGTH, name)
    with pytest.raises(Exception, match="must not resolve"):
        validation._validate_metric_name("../x")


def test_tensorboard_takes_the_names() -> None:
    summary = pytest.importorskip("tensorboardX.summary")
    for name, value in odd_metrics().items():
        made = summary.scalar(name, value).value[0]
        assert (made.tag, made.simple_value) == (name, pytest.approx(value))
