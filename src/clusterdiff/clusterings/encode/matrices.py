"""Matrices in place of labels: what one looks like, and what would have been read."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.errors import InputError

TREE = (
    "cd.sweep(truth, matrix) scores every height of it; one cut is "
    'scipy.cluster.hierarchy.fcluster(matrix, 3, "maxclust").'
)
FEW = 2000
"""Rows and columns up to which a matrix is compared with itself, turned over."""


def not_labels(array: Any) -> InputError:
    """The error for an array that is no list of labels."""
    what, hint = _look(array) if _is_numbers(array) else ("", "")
    error = InputError.from_dimensions(array.shape)
    return InputError(f"{error.message[:-1]}: it looks like {what}.", hint) if what else error


def not_hashable(values: Any, wrong: Any) -> InputError:
    """The error for values that are no labels, such as this one; rows of numbers are a matrix."""
    try:
        matrix = np.array(list(values))
    except (TypeError, ValueError):
        return InputError.from_unhashable(wrong)
    known = _is_numbers(matrix) and 1 not in matrix.shape and _look(matrix)[0]
    return not_labels(matrix) if known else InputError.from_unhashable(wrong)


def _is_numbers(array: Any) -> bool:
    """Whether an array is a table of real numbers."""
    return bool(array.ndim == 2 and array.dtype.kind in "biuf")


def _look(matrix: Any) -> tuple[str, str]:
    """What a matrix looks like, and what to do with it; two empty texts where that is open."""
    rows, columns = matrix.shape
    if 1 in matrix.shape:
        return "labels in a single row or column", "give labels.ravel()."
    if matrix.dtype.kind == "f" and not np.isfinite(matrix).all():
        return "", ""
    if columns == 4 and looks_like_tree(matrix):
        return "a linkage matrix, the merges of a dendrogram", TREE
    likeliest = "cd.compare(truth, matrix.argmax(axis=1))"
    binary = np.isin(matrix, (0, 1)).all()
    if binary and is_chances(matrix):
        return "a one-hot encoding, a column per cluster", f"{likeliest}."
    if rows == columns <= FEW and np.array_equal(matrix, matrix.T):
        if not matrix.diagonal().any():
            return (
                "the distances of all pairs of objects",
                "cluster the objects first: from scipy.cluster.hierarchy import linkage; "
                "from scipy.spatial.distance import squareform; "
                'cd.sweep(truth, linkage(squareform(matrix), "average")).',
            )
        if (matrix.diagonal() == 1).all() and matrix.min() >= 0:
            return (
                "the similarities of all pairs of objects",
                "cluster the objects first: from scipy.cluster.hierarchy import linkage; "
                "from scipy.spatial.distance import squareform; "
                'cd.sweep(truth, linkage(squareform(1 - matrix), "average")).',
            )
    if not _within_unit(matrix):
        return "", ""
    if binary:
        return "memberships, a column per cluster", "they are a cover: cd.Cover(matrix)."
    if is_chances(matrix):
        return (
            "chances, a column per cluster",
            f"they are a fuzzy clustering: cd.Fuzzy(matrix); the likeliest clusters are "
            f"{likeliest}.",
        )
    if is_chances(matrix.T):
        return (
            "chances, a row per cluster",
            "they are a fuzzy clustering: cd.Fuzzy(matrix.T); the likeliest clusters are "
            "cd.compare(truth, matrix.argmax(axis=0)).",
        )
    if matrix.dtype.kind == "f" and rows > columns:
        return (
            "degrees, a column per cluster",
            "they are a possibilistic clustering: cd.Possibilistic(matrix); the clusters of the "
            f"highest degrees are {likeliest}.",
        )
    return "", ""


def is_chances(matrix: Any) -> bool:
    """Whether rows sum to one, and nothing is negative."""
    sums = matrix.sum(axis=1, dtype=np.float64)
    return _within_unit(matrix) and bool((np.abs(sums - 1) < 1e-5).all())


def _within_unit(matrix: Any) -> bool:
    return bool(matrix.min(initial=0) >= 0 and matrix.max(initial=0) <= 1 + 1e-9)


def looks_like_tree(matrix: Any) -> bool:
    """Whether the first two columns name leaves and earlier merges, each of them once."""
    parts = np.asarray(matrix)[:, :2]
    merges = len(parts)
    if not merges or not np.array_equal(np.sort(parts.reshape(-1)), np.arange(2 * merges)):
        return False
    return bool((parts < merges + 1 + np.arange(merges)[:, None]).all())
