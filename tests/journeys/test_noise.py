"""Density-based clusterings with noise: which model to take, by a search, by intervals and by a
gate, when models differ in how much they call noise.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV

import clusterdiff as cd
from cli.runner import run

SIZE = 300
EPS = [0.1, 0.2, 0.4, 0.8]


@pytest.fixture(scope="module")
def points() -> tuple[Any, Any]:
    data, classes = make_blobs(SIZE, centers=4, cluster_std=0.5, random_state=3)
    far = np.arange(SIZE) % 6 == 0
    data[far] += np.random.default_rng(0).normal(0, 1.5, (far.sum(), 2))
    return data, classes


@pytest.fixture(scope="module")
def models(points: tuple[Any, Any]) -> dict[str, Any]:
    data, _ = points
    return {
        "hdbscan": HDBSCAN(min_cluster_size=10, min_samples=20, copy=True).fit(data),
        "dbscan": DBSCAN(eps=0.4).fit(data),
        "k-means": KMeans(4, n_init=5, random_state=0).fit(data),
    }


def told(report: Any) -> str:
    return " ".join(report.to_text(200).split())


def test_a_search_chooses_among_models_that_cluster_most_objects(points: tuple[Any, Any]) -> None:
    """The score of the others alone is best where almost all is called noise."""
    data, classes = points
    whole = [(range(SIZE), range(SIZE))]
    dropping = cd.scorer(["adjusted_rand", "elm_f"], noise=-1, noise_as="drop")
    search = GridSearchCV(DBSCAN(), {"eps": EPS}, scoring=dropping, refit="adjusted_rand", cv=whole)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        search.fit(data, classes)
    scores, noisy = [], []
    for eps in EPS:
        labels = DBSCAN(eps=eps).fit_predict(data)
        kept = labels >= 0
        scores.append(metrics.adjusted_rand_score(classes[kept], labels[kept]))
        noisy.append(int((~kept).sum()))
    assert noisy[0] > SIZE / 2 > noisy[-1]
    found = search.cv_results_["mean_test_adjusted_rand"]
    for score, wanted, many in zip(found, scores, noisy, strict=True):
        if many > SIZE / 2:
            assert math.isnan(score)
        else:
            assert score == pytest.approx(wanted, abs=1e-12)
    allowed = [k for k, many in enumerate(noisy) if many <= SIZE / 2]
    assert search.best_params_["eps"] == EPS[max(allowed, key=lambda k: scores[k])]
    said = " ".join(str(one.message) for one in seen)
    for many in noisy:
        assert (f"calls {many} of {SIZE} objects noise" in said) == (many >= SIZE / 10)


def test_scores_with_noise_are_scikit_learns(
    points: tuple[Any, Any], models: dict[str, Any]
) -> None:
    """As a cluster (with a note), as clusters of single objects, and left out for all models."""
    _, classes = points
    noise = {name: int((model.labels_ == -1).sum()) for name, model in models.items()}
    assert noise["hdbscan"] > noise["k-means"] == 0
    plain = cd.compare(classes, models, "adjusted_rand")
    single = cd.compare(classes, models, "adjusted_rand", noise=-1)
    dropped = cd.compare(classes, models, "adjusted_rand", noise=-1, noise_as="drop")
    everywhere = np.all([model.labels_ >= 0 for model in models.values()], axis=0)
    for name, model in models.items():
        labels = model.labels_
        alone = np.where(labels < 0, -1 - np.arange(SIZE), labels)
        for report, truth, guess in (
            (plain, classes, labels), (single, classes, alone),
            (dropped, classes[everywhere], labels[everywhere]),
        ):  # fmt: skip
            wanted = metrics.adjusted_rand_score(truth, guess)
            assert float(report["adjusted_rand"][name]) == pytest.approx(wanted, abs=1e-12)
        note = f"{name}: -1 is taken as a cluster of {noise[name]} objects"
        assert (note in told(plain)) == (noise[name] > 1)
        assert note not in told(single)
        assert f"{name}: {noise[name]} noise objects: each a cluster of its own" in told(single)
    assert f"judged on the {everywhere.sum()} objects that neither truth nor any guess" in told(
        dropped
    )


def test_the_interval_is_that_of_leaving_out_each_object(
    points: tuple[Any, Any], models: dict[str, Any]
) -> None:
    _, classes = points
    pair = {name: models[name] for name in ("hdbscan", "k-means")}
    report = cd.compare(classes, pair, "adjusted_rand", noise=-1, noise_as="drop", confidence=0.95)
    kept = pair["hdbscan"].labels_ >= 0
    truth = classes[kept]
    one, other = (model.labels_[kept] for model in pair.values())
    left = []
    for i in range(truth.size):
        rest = np.arange(truth.size) != i
        left.append([metrics.adjusted_rand_score(truth[rest], x[rest]) for x in (one, other)])
    scores = np.array(left)
    factor = (truth.size - 1) / truth.size
    for column, name in enumerate(pair):
        spread = scores[:, column] - scores[:, column].mean()
        error = math.sqrt(factor * (spread**2).sum())
        assert report["adjusted_rand"][name].ci.se == pytest.approx(error, rel=1e-3)
    found = report.difference("adjusted_rand", "hdbscan", "k-means")
    apart = scores[:, 0] - scores[:, 1]
    error = math.sqrt(factor * ((apart - apart.mean()) ** 2).sum())
    assert found.se == pytest.approx(error, rel=1e-3)
    assert found.units == "objects"
    assert found.count == truth.size
    text = told(report)
    assert "as if each object was drawn by itself and labelled by the same rules" in text
    assert ("†" in text.partition("95 % intervals")[0]) == found.significant


def test_explanation_and_gate(
    points: tuple[Any, Any], models: dict[str, Any], tmp_path: Path
) -> None:
    """Noise that is left out passes no gate: the model is judged without these objects."""
    _, classes = points
    labels = models["hdbscan"].labels_
    many = int((labels == -1).sum())
    found = cd.explain(classes, models["hdbscan"], noise=-1)
    lost = sum(part.loss for part in found.top(None))
    assert float(found.score) == pytest.approx(1 - lost, abs=1e-9)
    table = tmp_path / "points.csv"
    rows = zip(range(SIZE), classes, labels, strict=True)
    table.write_text("id,class,hdbscan\n" + "".join(f"{i},{a},{b}\n" for i, a, b in rows))
    sides = (f"{table}::class", f"{table}::hdbscan", "--id", "id")
    noise = ("--noise", "-1", "--noise-as")
    fine = run("compare", *sides, *noise, "drop", "-m", "elm_f", "-f", "json")
    (scores,) = json.loads(fine.stdout)["guesses"].values()
    value = scores["elm_f"]["value"]
    kept = labels >= 0
    assert value == pytest.approx(float(cd.elm_f(classes[kept], labels[kept])), abs=1e-12)
    gate = ("--fail-under", f"elm_f={value - 0.01:.4f}")
    dropped = run("compare", *sides, *noise, "drop", *gate)
    assert dropped.code == 1
    assert re.search(rf"calls noise {many} of {SIZE} objects that truth has", dropped.stderr)
    alone = np.where(kept, labels, -1 - np.arange(SIZE))
    single = float(cd.elm_f(classes, alone))
    low, high = (f"elm_f={single + d:.4f}" for d in (-0.01, 0.01))
    assert run("compare", *sides, *noise, "singletons", "--fail-under", low).code == 0
    assert run("compare", *sides, *noise, "singletons", "--fail-under", high).code == 1
