"""Dendrograms are cut as SciPy cuts them, inversions included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import load_digits

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io.scored import Tree
from clusterdiff.sweep.forest import Forest, ScoredPairs, forest_of, forest_of_tree
from clusterdiff.sweep.lines import curve_of

METHODS = ["single", "complete", "average", "ward", "centroid", "median", "weighted"]


def forest_by_height(linked: np.ndarray) -> Forest:
    return forest_of_tree(Tree("linkage", linked[:, :2], linked[:, 2]))


def cut_as_scipy(forest: Forest, linked: np.ndarray, heights: Any) -> bool:
    cuts = ((forest.cut(forest.line_at(h)), fcluster(linked, h, "distance")) for h in heights)
    return all(cd.rand(own, theirs) == 1 for own, theirs in cuts)


@pytest.mark.parametrize("method", METHODS)
def test_lines_are_those_of_fcluster(method: Any) -> None:
    inversions = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        points = rng.integers(0, 4, (20, 2)) if seed % 3 == 0 else rng.random((25, 2))
        linked = linkage(points, method)
        inversions += int((np.diff(linked[:, 2]) < 0).any())
        heights = np.unique(linked[:, 2])
        between = (heights[1:] + heights[:-1]) / 2
        tried = [*heights, *between, heights[0] - 1, heights[-1] + 1]
        assert cut_as_scipy(forest_by_height(linked), linked, tried)
    assert (inversions > 0) == (method in ("centroid", "median"))


def test_heights_as_they_stand_would_be_wrong_where_there_are_inversions() -> None:
    """A cluster that is made below the height of a part of it does not exist before that part."""
    wrong = 0
    for seed in range(12):
        linked = linkage(np.random.default_rng(seed).random((25, 2)), "centroid")
        leaves = {i: i for i in range(25)}
        for row, (left, _, *_) in enumerate(linked):
            leaves[25 + row] = leaves[int(left)]
        ends = [np.array([leaves[int(node)] for node in linked[:, side]]) for side in (0, 1)]
        forest = forest_of([ScoredPairs(ends[0], ends[1], linked[:, 2])], 25, distance=True)
        wrong += not cut_as_scipy(forest, linked, linked[:, 2])
    assert wrong > 0


def test_digits_are_cut_best_at_ten_or_twelve_clusters() -> None:
    points, digit = load_digits(return_X_y=True)
    asked = [cd.measure("adjusted_rand"), cd.measure("elm_f")]
    curve = curve_of(forest_by_height(linkage(points, "ward")), digit, asked)
    best = [int(curve.sums.clusters[np.argmax(curve[str(m)])]) for m in asked]
    assert best == [12, 10]


def test_trees_without_heights_have_numbers_of_clusters() -> None:
    forest = forest_of_tree(Tree("children", [[0, 1], [2, 3]], None))
    assert not forest.distance
    assert forest.thresholds.tolist() == [np.inf, 2, 1]


def test_heights_of_another_tree_are_refused() -> None:
    with pytest.raises(ClusterdiffError, match="2 merges and 3 heights"):
        forest_of_tree(Tree("fitted", [[0, 1], [2, 3]], np.arange(3.0)))
