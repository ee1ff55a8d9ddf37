"""Dendrograms are cut as SciPy and scikit-learn cut them, inversions included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from clusterdiff.sweep.curve import best_line, curve_of
from clusterdiff.sweep.forest import (
    Dendrogram,
    Forest,
    forest_of,
    pairs_of_children,
    pairs_of_linkage,
)

METHODS = ["single", "complete", "average", "ward", "centroid", "median", "weighted"]


def forest_of_tree(tree: Dendrogram) -> Forest:
    return forest_of([tree.pairs], tree.leaves, distance=tree.distance)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(cd.rand(a, b) == 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_lines_are_those_of_fcluster(method: Any) -> None:
    inversions = cuts = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        points = rng.integers(0, 4, (20, 2)) if seed % 3 == 0 else rng.random((25, 2))
        tree = linkage(points, method)
        forest = forest_of_tree(pairs_of_linkage(tree))
        inversions += int((np.diff(tree[:, 2]) < 0).any())
        heights = np.unique(tree[:, 2])
        between = (heights[1:] + heights[:-1]) / 2
        for height in [*heights, *between, heights[0] - 1, heights[-1] + 1]:
            cuts += 1
            found = forest.cut(forest.line_at(height))
            assert same(found, fcluster(tree, height, "distance"))
    assert cuts > 200
    assert (inversions > 0) == (method in ("centroid", "median"))


def test_heights_as_they_stand_would_be_wrong_where_there_are_inversions() -> None:
    """A cluster that is made below the height of a part of it does not exist before that part."""
    wrong = 0
    for seed in range(12):
        tree = linkage(np.random.default_rng(seed).random((25, 2)), "centroid")
        pairs = pairs_of_linkage(tree).pairs._replace(score=tree[:, 2])
        forest = forest_of([pairs], 25, distance=True)
        wrong += any(
            not same(forest.cut(forest.line_at(h)), fcluster(tree, h, "distance"))
            for h in tree[:, 2]
        )
    assert wrong > 0


@pytest.mark.parametrize("link", ["ward", "average"])
def test_numbers_of_clusters_are_the_lines_of_a_tree_without_heights(link: str) -> None:
    points = np.random.default_rng(1).random((40, 3))
    fitted = AgglomerativeClustering(linkage=link, compute_full_tree=True).fit(points)
    tree = pairs_of_children(fitted.children_)
    forest = forest_of_tree(tree)
    assert not tree.distance
    assert forest.thresholds[1:].tolist() == list(range(39, 0, -1))
    for clusters in (1, 2, 7, 39):
        direct = AgglomerativeClustering(n_clusters=clusters, linkage=link).fit(points).labels_
        assert same(forest.cut(forest.line_at(clusters)), direct)


def test_heights_of_scikit_learn() -> None:
    points = np.random.default_rng(1).random((40, 3))
    fitted = AgglomerativeClustering(distance_threshold=0.0, n_clusters=None).fit(points)
    forest = forest_of_tree(pairs_of_children(fitted.children_, fitted.distances_))
    tree = linkage(points, "ward")
    for height in tree[::5, 2]:
        found = forest.cut(forest.line_at(height * (1 + 1e-9)))
        assert same(found, fcluster(tree, height * (1 + 1e-9), "distance"))


def test_digits_are_cut_best_at_ten_or_twelve_clusters() -> None:
    points, digit = load_digits(return_X_y=True)
    forest = forest_of_tree(pairs_of_linkage(linkage(points, "ward")))
    asked = [cd.measure("adjusted_rand"), cd.measure("elm_f")]
    curve = curve_of(forest, digit, asked)
    best = {name: best_line(curve.values[name]).line for name in curve.values}
    assert {name: int(curve.clusters[line]) for name, line in best.items()} == {
        "adjusted_rand": 12, "elm_f": 10,
    }  # fmt: skip


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_small_trees(rows: int) -> None:
    tree = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])[:rows]
    if rows == 1:
        tree = np.array([[0, 1, 1.0, 2]])
    forest = forest_of_tree(pairs_of_linkage(tree.reshape(rows, 4)))
    assert (forest.objects, forest.lines) == (rows + 1, rows + 1)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ([[0, 1, 1.0, 2], [0, 3, 2.0, 3]], "row 1 of the dendrogram joins 0 and 3"),
        ([[0, 4, 1.0, 2], [1, 2, 2.0, 2]], "row 0 of the dendrogram joins 0 and 4"),
        ([[0, -1, 1.0, 2]], "row 0 of the dendrogram joins 0 and -1"),
        ([[0.5, 1, 1.0, 2]], "row 0 of the dendrogram joins -1 and 1"),
        ([[1, 1, 1.0, 2]], "row 0 of the dendrogram joins 1 and 1"),
        ([[0, 1, float("nan"), 2]], "1 of 1 heights are null"),
        ([[0, 1]], "a row per merge and 4 columns"),
        ([0.0, 1.0], "a row per merge and 4 columns"),
        ([["a", "b", "c", "d"]], "a linkage matrix holds numbers"),
    ],
)
def test_what_is_no_tree_is_refused(tree: object, message: str) -> None:
    with pytest.raises(ClusterdiffError, match=message):
        pairs_of_linkage(tree)  # type: ignore[arg-type]


def test_children_of_another_length_are_refused() -> None:
    with pytest.raises(ClusterdiffError, match="1 merges and 2 heights"):
        pairs_of_children([[0, 1]], [1.0, 2.0])
    with pytest.raises(ClusterdiffError, match="a row of two nodes per merge"):
        pairs_of_children([[0, 1, 2]])
