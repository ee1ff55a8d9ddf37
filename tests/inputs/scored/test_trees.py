"""Dendrograms of SciPy, scikit-learn and HDBSCAN, cut at every height."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import HDBSCAN, AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.neighbors import kneighbors_graph

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from refusals import refuses

POINTS, LABELS = make_blobs(60, centers=4, random_state=1)
TRUTH = LABELS.tolist()


def same(a: Any, b: Any) -> bool:
    return cd.rand(list(a), list(b)) == 1


@pytest.mark.parametrize("method", ["single", "average", "ward", "centroid", "median"])
def test_every_line_is_the_cut_of_scipy(method: Any) -> None:
    tree = linkage(POINTS, method)
    curve = cd.sweep(TRUTH, tree, "adjusted_rand")
    assert curve.distance
    for line in range(1, len(curve)):
        at = curve.thresholds[line]
        cut = fcluster(tree, at, "distance")
        assert same(curve.cut(at).labels.tolist(), cut)
        assert curve.clusters[line] == len(set(cut))
    assert curve.at(curve.best().low)["adjusted_rand"].value == curve.best().value


def test_a_fitted_estimator_with_distances() -> None:
    model = AgglomerativeClustering(None, distance_threshold=0, linkage="average").fit(POINTS)
    curve = cd.sweep(TRUTH, model, "adjusted_rand")
    other = cd.sweep(TRUTH, linkage(POINTS, "average"), "adjusted_rand")
    assert curve["adjusted_rand"] == pytest.approx(other["adjusted_rand"])
    assert curve.swept.shown == "AgglomerativeClustering"


def test_children_without_distances_are_cut_by_numbers_of_clusters() -> None:
    model = AgglomerativeClustering(4, compute_full_tree=True).fit(POINTS)
    curve = cd.sweep(TRUTH, model, "adjusted_rand")
    assert not hasattr(model, "distances_")
    assert curve.cut(4).labels.tolist()
    assert same(curve.cut(4).labels.tolist(), model.labels_)
    assert curve.clusters.tolist() == list(range(60, 0, -1))
    assert "numbers of clusters" in str(curve)
    best = curve.best()
    assert best.high == best.clusters


def test_half_a_tree_and_an_unfitted_estimator_are_refused() -> None:
    near = kneighbors_graph(POINTS, 30, include_self=False)
    half = AgglomerativeClustering(30, compute_full_tree=False, connectivity=near).fit(POINTS)
    assert len(half.children_) == 30
    for model in (half, AgglomerativeClustering(), HDBSCAN(copy=True)):
        error = refuses("kept no full tree", cd.sweep, TRUTH, model)
        assert "compute_full_tree=True, compute_distances=True" in error.hint


class LinkageTree:
    """What hdbscan keeps as single_linkage_tree_."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def to_numpy(self) -> Any:
        return self.tree


class HdbscanLike:
    """An estimator of hdbscan, as far as a sweep knows it."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree

    def fit(self) -> None: ...

    def get_params(self) -> dict[str, Any]:
        return {}

    @property
    def single_linkage_tree_(self) -> LinkageTree:
        if self._tree is None:
            raise AttributeError("No single linkage tree was generated; try running fit first.")
        return LinkageTree(self._tree)


def test_the_tree_of_hdbscan() -> None:
    tree = linkage(POINTS, "single")
    wanted = cd.sweep(TRUTH, tree, "elm_f")["elm_f"]
    assert np.array_equal(cd.sweep(TRUTH, HdbscanLike(tree), "elm_f")["elm_f"], wanted)
    assert np.array_equal(cd.sweep(TRUTH, LinkageTree(tree), "elm_f")["elm_f"], wanted)
    refuses("kept no full tree", cd.sweep, TRUTH, HdbscanLike(None))


def test_the_tree_of_hdbscan_in_scikit_learn() -> None:
    model = HDBSCAN(min_cluster_size=3, copy=True).fit(POINTS)
    curve = cd.sweep(TRUTH, model, "adjusted_rand")
    assert curve.clusters[0] == 60
    assert curve.clusters[-1] == 1


def test_leaves_are_the_objects_of_truth_in_their_order() -> None:
    tree = linkage(POINTS, "average")
    named = cd.Partition(TRUTH, [f"p{i}" for i in range(60)])
    assert np.array_equal(
        cd.sweep(named, tree, "elm_f")["elm_f"], cd.sweep(TRUTH, tree, "elm_f")["elm_f"]
    )
    assert cd.sweep(named, tree, "elm_f").cut("elm_f").ids is not None
    error = refuses(None, cd.sweep, TRUTH[:57], tree)
    assert error.message == "the dendrogram has 60 leaves, truth has 57 objects."
    assert error.hint == "leaves are matched by position; give truth in their order."


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ([[0, 1, 1.0, 2], [0, 3, 2.0, 3]], "part of one later merge"),
        ([[0, 4, 1.0, 2], [1, 2, 2.0, 3]], "part of one later merge"),
        ([[0.5, 1, 1.0, 2], [2, 3, 2.0, 3]], "part of one later merge"),
        ([[0, 1, np.nan, 2], [2, 3, 2.0, 3]], "1 of 2 heights is null"),
    ],
)
def test_what_is_no_tree_is_refused(tree: list[list[float]], said: str) -> None:
    refuses(said, cd.sweep, list("aab"), np.array(tree))


def test_heights_are_distances() -> None:
    with pytest.raises(ClusterdiffError, match="heights of a dendrogram are distances"):
        cd.sweep(TRUTH, linkage(POINTS), distance=False)


def test_hdbscan_itself() -> None:
    hdbscan = pytest.importorskip("hdbscan")
    model = hdbscan.HDBSCAN(min_cluster_size=3, gen_min_span_tree=True).fit(POINTS)
    curve = cd.sweep(TRUTH, model, "adjusted_rand")
    at = curve.thresholds[len(curve) // 2]
    above = np.nextafter(at, np.inf)  # hdbscan links what is nearer than the threshold
    cut = model.single_linkage_tree_.get_clusters(above, min_cluster_size=1)
    assert same(curve.cut(at).labels.tolist(), cut)
