"""Dendrograms as scored pairs: one pair per merge, of a leaf of either side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError
from clusterdiff.many.sweep.forest import ScoredPairs


class Dendrogram(NamedTuple):
    """A tree of merges, as pairs of its leaves."""

    pairs: ScoredPairs
    leaves: int
    distance: bool
    """Whether the scores are heights; otherwise they are numbers of clusters."""


def pairs_of_linkage(linkage: ArrayLike) -> Dendrogram:
    """The pairs of a linkage matrix as SciPy, fastcluster and HDBSCAN have it.

    >>> pairs_of_linkage([[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]]).pairs.score.tolist()
    [2.0, 2.0, 4.0]
    """
    table = _numbers(linkage, "a linkage matrix")
    if table.ndim != 2 or table.shape[1] not in (3, 4):
        raise ClusterdiffError(
            f"a linkage matrix has a row per merge and 4 columns, got an array of {table.shape}.",
            "give what scipy.cluster.hierarchy.linkage returns.",
        )
    return pairs_of_children(table[:, :2], table[:, 2])


def pairs_of_children(children: ArrayLike, distances: ArrayLike | None = None) -> Dendrogram:
    """The pairs of a tree as scikit-learn has it: `children_`, with `distances_` if there are any.

    A cluster exists from the largest height inside it on, as `fcluster` has it, so that a merge
    below an earlier one (an inversion) is cut with it. Without heights, the score of a merge is how
    many clusters it leaves.

    >>> pairs_of_children([[0, 1], [2, 3]]).pairs.score.tolist()
    [2.0, 1.0]
    """
    from clusterdiff.many.sweep.tree_kernels import climb

    nodes = _numbers(children, "children_")
    if nodes.ndim != 2 or nodes.shape[1] != 2:
        raise ClusterdiffError(
            f"children_ has a row of two nodes per merge, got an array of {nodes.shape}.",
            "give the children_ of a fitted estimator.",
        )
    merges = len(nodes)
    left, right = _whole(nodes)
    heights = _heights(distances, merges)
    leaf, height = np.empty((2, merges), np.int64), np.empty(merges)
    used = np.zeros(2 * merges + 1, np.bool_)
    wrong = climb(left, right, heights, leaf, height, used)
    if wrong >= 0:
        raise ClusterdiffError(
            f"row {wrong} of the dendrogram joins {left[wrong]} and {right[wrong]}: a node must be "
            "one of the leaves or made by an earlier row, and is joined once.",
            f"with {merges + 1:,} leaves, the first row makes node {merges + 1:,}.",
        )
    score = -height if distances is None else height
    return Dendrogram(ScoredPairs(leaf[0], leaf[1], score), merges + 1, distances is not None)


def _heights(distances: ArrayLike | None, merges: int) -> Floats:
    """The height of each merge; without heights, minus the number of clusters it leaves."""
    if distances is None:
        return np.arange(merges, dtype=np.float64) - merges
    heights = np.asarray(_numbers(distances, "distances_"), np.float64)
    if heights.shape != (merges,):
        raise ClusterdiffError(
            f"the dendrogram has {merges:,} merges and {heights.size:,} heights.",
            "give both of one fitted estimator.",
        )
    missing = np.flatnonzero(np.isnan(heights))
    if missing.size:
        raise ClusterdiffError(
            f"{missing.size:,} of {merges:,} heights are null (row {missing[0]}, …).",
            "fit again without missing values.",
        )
    return heights


def _numbers(values: ArrayLike, what: str) -> Any:
    found = np.asarray(values)
    if found.dtype.kind not in "iuf":
        raise ClusterdiffError(
            f"{what} holds numbers, got an array of {found.dtype}.",
            "give what scipy.cluster.hierarchy.linkage returns, or a fitted estimator.",
        )
    return found


def _whole(nodes: Any) -> tuple[Ints, Ints]:
    """Both columns as whole numbers; what is none becomes -1, which no node is."""
    numbers = np.where(np.isfinite(nodes) & (nodes == np.floor(nodes)), nodes, -1)
    columns = np.clip(numbers, -1, 2**62).astype(np.int64)
    return np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1])
