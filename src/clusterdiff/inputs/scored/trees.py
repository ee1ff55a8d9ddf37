"""Dendrograms as people have them: linkage matrices, fitted estimators, trees of HDBSCAN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.encode.matrices import looks_like_tree as looks_like_tree
from clusterdiff.errors.scored import ScoredPairsError
from clusterdiff.inputs.scored.pairs import Precise, precision_of

TREES = ("single_linkage_tree_", "_single_linkage_tree_")
"""Where HDBSCAN keeps its tree, in its own package and in scikit-learn."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Merges of leaves and earlier merges, in order; leaves are the objects of truth in theirs."""

    shown: str
    """What to call it."""
    children: Any
    """The two parts of each merge."""
    heights: Floats | None
    """How far apart they are; None where levels are numbers of clusters."""
    precision: type[Precise] = np.float64
    """The type in which heights were given."""

    @property
    def leaves(self) -> int:
        """How many objects there are."""
        return len(self.children) + 1

    @property
    def taken_for(self) -> str:
        """What it was taken for."""
        return f"dendrogram, {'by merges' if self.heights is None else 'heights'}"


def is_estimator(value: Any) -> bool:
    """Whether this is an estimator that may have a tree."""
    return hasattr(value, "fit") and hasattr(value, "get_params")


def tree_of_estimator(value: Any, distance: bool | None = None) -> Tree:
    """The tree of a fitted AgglomerativeClustering or HDBSCAN."""
    name = type(value).__name__
    for where in TREES:
        if (tree := _attribute(value, where)) is not None:
            return tree_of_linkage(tree, distance, name)
    children = _attribute(value, "children_")
    if children is None:
        raise ScoredPairsError.no_tree()
    merges = np.asarray(children)
    leaves = int(_attribute(value, "n_leaves_") or len(merges) + 1)
    if merges.ndim != 2 or len(merges) < leaves - 1:
        raise ScoredPairsError.no_tree()
    return _tree(name, merges, _attribute(value, "distances_"), distance)


def tree_of_linkage(value: Any, distance: bool | None = None, shown: str = "linkage") -> Tree:
    """A linkage matrix of SciPy, or a tree that gives one."""
    matrix = np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
    if names := matrix.dtype.names:
        matrix = np.column_stack([matrix[name].astype(np.float64) for name in names[:3]])
    if matrix.ndim != 2 or matrix.shape[1] < 3:
        raise ScoredPairsError.from_tree("it has no two parts and a height for each merge")
    return _tree(shown, matrix[:, :2], matrix[:, 2], distance)


def _tree(shown: str, children: Any, heights: Any, distance: bool | None) -> Tree:
    if distance is False and heights is not None:
        raise ScoredPairsError.from_heights()
    known = None if heights is None else np.asarray(heights, np.float64)
    if known is not None and (nulls := np.isnan(known)).any():
        raise ScoredPairsError.from_tree(f"{int(nulls.sum()):,} of {known.size:,} heights are null")
    if not looks_like_tree(children):
        raise ScoredPairsError.from_tree(
            "each leaf and each merge must be part of one later merge, the last of none"
        )
    return Tree(shown, np.asarray(children), known, precision_of(np.asarray(heights).dtype))


def is_linkage(value: Any) -> bool:
    """Whether an array has the form of a linkage matrix: two parts, a height and a size each."""
    return getattr(value, "ndim", 0) == 2 and value.shape[1] == 4 and value.dtype.kind in "fiu"


def _attribute(value: Any, name: str) -> Any:
    """What an estimator has under a name; None where it is not fitted."""
    try:
        return getattr(value, name, None)
    except Exception:  # hdbscan raises its own where nothing was fitted
        return None
