"""Models and matrices in place of labels: taken, or refused with the lines that work."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

import clusterdiff as cd
from refusals import refuses

pytest.importorskip("sklearn")

from sklearn import cluster, decomposition, linear_model, mixture, preprocessing
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

X, Y = make_blobs(120, centers=3, random_state=0, cluster_std=0.6)
CHANCES = mixture.GaussianMixture(3, random_state=0).fit(X).predict_proba(X)


def test_a_fitted_model_is_a_guess_and_says_what_it_was_taken_for() -> None:
    model = cluster.KMeans(3, n_init=1, random_state=0).fit(X)
    noisy = cluster.DBSCAN(eps=0.3).fit(X)
    report = cd.compare(Y, {"k-means": model, "dbscan": noisy}, "rand")
    assert float(report["rand"]["k-means"]) == cd.rand(Y, model.labels_)
    assert "labels_ of KMeans, by position" in report.head()
    assert "dbscan: -1 is taken as a cluster of " in " ".join(report.head().split())
    told = " ".join(cd.compare(Y, noisy, "rand", noise=-1).head().split())
    assert "-1 is" not in told
    assert "noise objects: each a cluster of its own" in told


@pytest.mark.parametrize("last", [[], ["passthrough"]])
def test_pipelines_and_searches_stand_for_the_clusterer_in_them(last: list[str]) -> None:
    chain = make_pipeline(
        preprocessing.StandardScaler(), cluster.KMeans(3, n_init=1, random_state=0), *last
    )
    assert cd.rand(Y, chain.fit(X)) == cd.rand(Y, chain[1].labels_)
    search = GridSearchCV(chain, {"kmeans__n_clusters": [2, 3]}, scoring=lambda *given: 1.0)
    own = search.fit(X, Y).best_estimator_[1]
    assert cd.rand(Y, search) == cd.rand(Y, own.labels_)


def test_noise_of_scikit_learns_hdbscan_has_three_names() -> None:
    odd = np.vstack([X, [[np.inf, 0], [np.nan, 0]]])
    model = cluster.HDBSCAN(min_cluster_size=8, copy=True).fit(odd)
    assert set(model.labels_) >= {-1, -2, -3}
    report = cd.compare([*Y, 0, 1], model, "rand")
    told = " ".join(report.head().split())
    assert "-1, -2 and -3 are clusters unless noise=[-1, -2, -3]" in told
    alone = np.where(model.labels_ < 0, -1 - np.arange(122), model.labels_)
    assert cd.rand([*Y, 0, 1], model, noise=[-1, -2, -3]) == cd.rand([*Y, 0, 1], alone)


COUNTS = np.abs(X)
MODELS: dict[str, tuple[Any, Any]] = {
    "unfitted": (cluster.KMeans(3, n_init=1, random_state=0), X),
    "chain": (make_pipeline(preprocessing.StandardScaler(), cluster.KMeans(3)), X),
    "search": (GridSearchCV(cluster.KMeans(3), {"n_clusters": [3]}, scoring=cd.scorer()), X),
    "lost": (
        GridSearchCV(cluster.KMeans(3), {"n_clusters": [3]}, scoring=cd.scorer(), refit=False),
        X,
    ),
    "classifier": (linear_model.LogisticRegression().fit(X, Y), X),
    "mixture": (mixture.GaussianMixture(3, random_state=0).fit(X), X),
    "nmf": (decomposition.NMF(2, max_iter=2000).fit(COUNTS), COUNTS),
    "topics": (decomposition.LatentDirichletAllocation(2).fit(COUNTS), COUNTS),
    "regressor": (linear_model.LinearRegression().fit(X, Y), X),
    "scaler": (preprocessing.StandardScaler().fit(X), X),
    "pca": (decomposition.PCA(2).fit(X), X),
    "class": (cluster.KMeans, X),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_a_model_without_labels_says_what_works(name: str) -> None:
    model, data = MODELS[name]
    error = refuses(r"keeps no labels_|class of models", cd.compare, Y, model)
    hint = error.hint.replace("refit=True, ", "")
    if name == "lost":
        model = model.set_params(refit=True)
    known = {"model": model, "search": model, "X": data, "y": Y, "cd": cd, **vars(cluster)}
    lines = calls(hint)
    assert lines
    for line in lines:
        eval(line, known)


def calls(hint: str) -> list[str]:
    """The calls in a hint, with all their parentheses."""
    found = []
    for match in re.finditer(r"(?<![\w.(])(?:cd\.\w+|KMeans|scipy[\w.]*)\(", hint):
        end = match.end()
        while hint[match.start() : end].count("(") > hint[match.start() : end].count(")"):
            end += 1
        rest = re.match(r"(\.\w+\([^()]*\))*", hint[end:])
        found.append(hint[match.start() : end + (rest.end() if rest else 0)])
    return found


DISTANCES = pdist(X)
MATRICES = {
    "linkage": (linkage(X, "ward"), "a linkage matrix"),
    "distances": (squareform(DISTANCES), "distances of all pairs"),
    "similarities": (np.exp(-squareform(DISTANCES)), "similarities of all pairs"),
    "one-hot": (np.eye(3)[Y], "one-hot"),
    "memberships": ((np.eye(3, dtype=bool)[Y] | (np.arange(3) == 1)) * 1.0, "memberships"),
    "chances": (CHANCES, "chances, a column per cluster"),
    "list": (CHANCES.tolist(), "chances, a column per cluster"),
    "turned": (CHANCES.T, "chances, a row per cluster"),
    "column": (Y[:, None], "a single row or column"),
    "row": (Y[None, :], "a single row or column"),
}


@pytest.mark.parametrize("name", list(MATRICES))
def test_a_matrix_in_place_of_labels_is_called_by_name(name: str) -> None:
    matrix, what = MATRICES[name]
    for call in (cd.compare, cd.rand):
        error = refuses(f"it looks like .*{what}", call, Y, matrix)
    known = paste(error.hint) | {"matrix": np.asarray(matrix), "labels": matrix}
    lines = calls(error.hint) or ["labels.ravel()"]
    for line in lines:
        made = eval(line, known)
        if isinstance(made, np.ndarray):
            assert cd.compare(Y, made, "elm_f")["elm_f"].value > 0
        elif isinstance(made, cd.Clustering):
            assert len(made) == 120


@pytest.mark.parametrize("dtype", [int, bool])
def test_zeros_and_ones_may_be_an_image(dtype: type) -> None:
    error = refuses(
        "zeros and ones can be a label image, or", cd.compare, Y, np.eye(3, dtype=dtype)[Y]
    )
    assert "cd.LabelImage(array) for an image; cd.Cover(array)" in error.hint


def paste(hint: str) -> dict[str, Any]:
    """What stands in a hint before its calls, run."""
    known: dict[str, Any] = {"cd": cd, "truth": Y, "np": np}
    for line in re.findall(r"from [\w.]+ import \w+", hint):
        exec(line, known)
    exec("import scipy.cluster.hierarchy", known)
    return known


def test_condensed_distances_are_told_from_labels() -> None:
    error = refuses("a number for each pair of 120 objects", cd.compare, Y, DISTANCES)
    known = paste(error.hint) | {"guess": DISTANCES}
    assert eval(calls(error.hint)[0], known).best("elm_f").value > 0.9
    for guess in (np.arange(7140), DISTANCES[1:]):
        error = refuses("list the same objects", cd.compare, Y, guess)
        assert "pair" not in str(error)


@pytest.mark.parametrize(
    "matrix", [X, np.log(CHANCES + 1e-9), CHANCES * np.nan, X[:, :1] @ X[:, 1:].T]
)
def test_other_matrices_are_refused_without_a_guess(matrix: Any) -> None:
    refuses(r"this array has the shape \(120, \d+\)\.", cd.compare, Y, matrix)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_frame_of_chances_is_not_taken_for_guesses(library: Any) -> None:
    frame = library(dict(zip("abc", CHANCES.T, strict=True)))
    error = refuses("the chances of clusters, not like guesses", cd.compare, Y, frame)
    for line in calls(error.hint):
        eval(line, {"cd": cd, "truth": Y, "frame": frame})
    guesses = library({"a": Y / 2, "b": Y * 1.5})
    assert float(cd.compare(Y, guesses, "rand")["rand"]["a"]) == 1


def test_chances_the_other_way_round() -> None:
    error = refuses("do not sum to one", cd.Fuzzy, CHANCES.T)
    assert "give matrix.T" in error.hint
    error = refuses("do not sum to one", cd.Fuzzy, CHANCES / 2)
    assert "matrix.T" not in error.hint


@pytest.mark.parametrize("kind", [mixture.GaussianMixture, mixture.BayesianGaussianMixture])
def test_degrees_of_mixtures(kind: Any) -> None:
    model = kind(n_components=3, random_state=0).fit(X)
    found = cd.Fuzzy.from_model(model, X)
    assert cd.rand_campello(Y, found) == cd.rand_campello(Y, cd.Fuzzy(model.predict_proba(X)))
    refuses("was not fitted", cd.Fuzzy.from_model, kind(n_components=3), X)
    refuses("without data", cd.Fuzzy.from_model, model)


def test_degrees_of_our_own_estimators() -> None:
    from clusterdiff_lab.estimators import FuzzyCMeans

    model = FuzzyCMeans(3, random_state=0).fit(X)
    assert cd.Fuzzy.from_model(model) is model.clustering_


def test_degrees_of_hdbscan() -> None:
    hdbscan = pytest.importorskip("hdbscan")
    model = hdbscan.HDBSCAN(min_cluster_size=8, prediction_data=True).fit(X)
    fitted = hdbscan.all_points_membership_vectors(model)
    assert fitted.sum(axis=1).min() < 0.9
    error = refuses("do not sum to one", cd.Fuzzy, fitted)
    assert 'rest="empty"' in error.hint
    made: list[Any] = [cd.Fuzzy.from_model(model), cd.Fuzzy.from_model(model, X)]
    for found in made:
        assert np.allclose(degrees(found), fitted)
        none = found.masses
        rest = (1 - fitted.sum(axis=1)).mean()
        assert none.table[found.code, -1].mean() == pytest.approx(rest)
    new = X[:7] + 0.01
    assert np.allclose(
        degrees(cd.Fuzzy.from_model(model, new)), hdbscan.membership_vector(model, new), atol=1e-5
    )
    alone = hdbscan.HDBSCAN(min_cluster_size=100, prediction_data=True).fit(X)
    refuses("found no cluster", cd.Fuzzy.from_model, alone)


def degrees(found: Any) -> Any:
    """A row for each object."""
    return found.degree[found.code]


def test_a_consensus_and_a_relabelled_run_are_clusterings() -> None:
    truth = {"a": 1, "b": 1, "c": 2, "d": 2}
    runs = [truth, truth, {"a": 1, "b": 2, "c": 2, "d": 2}]
    consensus, renamed = cd.consensus(runs), cd.relabel(truth, {"a": 5, "b": 5, "c": 5, "d": 6})
    assert cd.elm_f(truth, consensus) == cd.elm_f(consensus, truth) == 1
    assert cd.elm_f(truth, renamed) == cd.elm_f(truth, renamed.clustering) < 1
    report = cd.compare(consensus, {"renamed": renamed, "truth": truth}, "elm_f")
    scores = {name: float(score) for name, score in report["elm_f"].items()}
    assert scores == {"renamed": cd.elm_f(truth, renamed), "truth": 1}
    refuses("guess is a list of 2 clusterings", cd.compare, truth, [consensus, renamed], "elm_f")
    matrix = cd.matrix({"a": consensus, "b": renamed}, "elm_f")
    assert matrix.values[0, 1] == cd.elm_f(consensus, renamed)
    assert cd.diff(truth, renamed, consensus).change["elm_f"] > 0
