"""Dendrograms as scored pairs: a pair of leaves for each merge, at the height where it exists.

A cluster exists from the largest height inside it on, as in `fcluster(…, "distance")`: where a
merge lies below one of its parts (an inversion of centroid or median linkage), it counts from there
on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors.scored import ScoredPairsError
from clusterdiff.inputs.scored.pairs import PairChunk, Scored

TREES = ("single_linkage_tree_", "_single_linkage_tree_")
"""Where HDBSCAN keeps its tree, in its own package and in scikit-learn."""


def is_estimator(value: Any) -> bool:
    """Whether this is an estimator that may have a tree."""
    return hasattr(value, "fit") and hasattr(value, "get_params")


def scored_estimator(value: Any, distance: bool | None) -> Scored:
    """The tree of a fitted AgglomerativeClustering or HDBSCAN."""
    for name in TREES:
        tree = _attribute(value, name)
        if tree is not None:
            return scored_tree(tree, distance, type(value).__name__)
    children = _attribute(value, "children_")
    if children is None:
        raise ScoredPairsError.no_tree()
    merges = np.asarray(children)
    leaves = int(_attribute(value, "n_leaves_") or len(merges) + 1)
    if merges.ndim != 2 or len(merges) < leaves - 1:
        raise ScoredPairsError.no_tree()
    return _scored(merges, _attribute(value, "distances_"), distance, type(value).__name__)


def scored_tree(value: Any, distance: bool | None, shown: str = "linkage") -> Scored:
    """A linkage matrix of SciPy, or a tree that gives one."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    matrix = np.asarray(value)
    if matrix.dtype.names:
        names = matrix.dtype.names
        matrix = np.column_stack([matrix[name].astype(np.float64) for name in names[:3]])
    return _scored(matrix[:, :2], matrix[:, 2], distance, shown)


def is_linkage(value: Any) -> bool:
    """Whether an array has the form of a linkage matrix: two parts, a height and a size each."""
    return getattr(value, "ndim", 0) == 2 and value.shape[1] == 4 and value.dtype.kind in "fiu"


def looks_like_tree(matrix: Any) -> bool:
    """Whether the first two columns name earlier merges, each part once."""
    parts = np.asarray(matrix)[:, :2]
    merges = len(parts)
    if not merges or not np.array_equal(np.sort(parts.reshape(-1)), np.arange(2 * merges)):
        return False
    return bool((parts < merges + 1 + np.arange(merges)[:, None]).all())


def _scored(parts: Any, heights: Any, distance: bool | None, shown: str) -> Scored:
    merges = _checked(np.asarray(parts))
    if distance is False and heights is not None:
        raise ScoredPairsError.from_heights()
    count = len(merges)
    if heights is None:
        left, right = _leaves(merges, np.zeros(count))[:2]
        score = np.arange(count, 0, -1).astype(np.float64)
    else:
        given = np.asarray(heights, np.float64)
        if given.shape != (count,) or np.isnan(given).any():
            raise ScoredPairsError.from_tree("its heights are not a number for each merge")
        left, right, score = _leaves(merges, given)
    chunk = PairChunk(left, right, score)
    return Scored(
        shown, None, count + 1, count, lambda: iter([chunk]), heights is not None, is_tree=True,
        counts_clusters=heights is None,
    )  # fmt: skip


def _checked(parts: Any) -> Ints:
    """The parts of each merge; refused where they are no tree."""
    if parts.ndim != 2 or parts.shape[1] != 2 or not len(parts):
        raise ScoredPairsError.from_tree("it has no two parts for each merge")
    whole = parts.astype(np.int64)
    if not np.array_equal(whole, parts):
        raise ScoredPairsError.from_tree("parts of a merge are not whole numbers")
    if not looks_like_tree(whole):
        raise ScoredPairsError.from_tree(
            "each leaf and each merge must be part of one later merge, the last of none"
        )
    return whole


def _leaves(merges: Ints, heights: Floats) -> tuple[Ints, Ints, Floats]:
    """A leaf of each part of every merge, and the largest height up to it."""
    count = len(merges)
    leaf = list(range(count + 1)) + [0] * count
    height = [-np.inf] * (count + 1) + heights.tolist()
    left, right = [0] * count, [0] * count
    for i, (one, other) in enumerate(merges.tolist()):
        left[i], right[i] = leaf[one], leaf[other]
        leaf[count + 1 + i] = left[i]
        height[count + 1 + i] = max(height[count + 1 + i], height[one], height[other])
    return np.array(left), np.array(right), np.array(height[count + 1 :])


def _attribute(value: Any, name: str) -> Any:
    """What an estimator has under a name; None where it is not fitted."""
    try:
        return getattr(value, name, None)
    except Exception:  # hdbscan raises its own where nothing was fitted
        return None
