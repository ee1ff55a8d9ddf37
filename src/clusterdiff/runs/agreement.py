"""What the scores of all pairs of runs say: order, medoid, stability."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.measures.base import Measure

MOST_ORDERED = 1000
"""Runs whose leaf order is optimised, which takes a time of their number to the third power."""


class MeanAgreement(NamedTuple):
    """Agreement of runs with each other."""

    mean: float
    """Mean score over all pairs of different runs."""
    spread: float
    """Standard deviation of the scores of the pairs; NaN of one pair."""
    error: float
    """Standard error of the mean by a jackknife over runs, since pairs share runs; NaN of fewer
    than three runs.
    """
    pairs: int


def symmetric_part(values: Floats) -> Floats:
    """The mean of both directions."""
    return np.asarray(values if is_symmetric(values) else (values + values.T) / 2)


def is_symmetric(values: Floats) -> bool:
    """Whether both directions have the same scores."""
    return np.array_equal(values, values.T, equal_nan=True)


def stability_of(values: Floats) -> MeanAgreement:
    """Mean over pairs, how far they spread, and how sure the mean is."""
    both = symmetric_part(values)
    runs = len(both)
    known = both[_pairs(runs)]
    known = known[~np.isnan(known)]
    if not known.size:
        return MeanAgreement(math.nan, math.nan, math.nan, 0)
    mean = _mean(known)
    spread = math.nan
    if known.size > 1:
        spread = math.sqrt(math.fsum((known - mean) ** 2) / (known.size - 1))
    return MeanAgreement(mean, spread, _jackknife(both), known.size)


def mean_with_others(values: Floats) -> Floats:
    """For each run the mean of its scores with all others."""
    both = symmetric_part(values)
    rest = [np.delete(row, i) for i, row in enumerate(both)]
    return np.array([_mean(row[~np.isnan(row)]) for row in rest])


def well_shared(shared: Ints) -> Bools:
    """Which runs share at least half as many objects with all others as the median run does: a
    mean over fewer objects says little, and that of a run of one object is perfect.
    """
    each = shared.sum(axis=1) - np.diag(shared)
    return np.asarray(2 * each >= np.median(each))


def medoid_of(values: Floats, distance: bool, shared: Ints) -> int:
    """The run that is nearest to all others on average, the first given of several; runs that
    share few objects with others are no candidates.
    """
    means = mean_with_others(values)
    worst = math.inf if distance else -math.inf
    means = np.where(np.isnan(means) | ~well_shared(shared), worst, means)
    return int(np.argmin(means) if distance else np.argmax(means))


def dissimilarities(values: Floats, distance: bool) -> Floats:
    """How far apart runs are: the distance, or what a similarity lacks to that of a run with
    itself.
    """
    both = symmetric_part(values)
    if not distance:
        own = np.diag(both)
        both = (own[:, None] + own[None, :]) / 2 - both
    found = np.maximum(both, 0.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def is_euclidean(measure: Measure) -> bool:
    """Whether the distance that a measure gives (of a similarity s, 1 - s) is the square of one
    between points of a Euclidean space, for all partitions of the same objects.

    Rand and Mirkin count coordinates that differ. Of the others the mean over objects is a sum over
    cells of c² k(|A|, |B|) with k(a, b) = 2/(a + b) or 1/max(a, b), an inner product of weighted
    co-membership matrices, since k is one of functions: ∫ 2 exp(-ta) exp(-tb) dt over t > 0, and
    ∫ [t < 1/a] [t < 1/b] dt. A partition has the product 1 with itself.
    """
    return bool(measure.get_hook("squared_euclidean"))


def leaf_order(values: Floats, distance: bool) -> list[int]:
    """Runs in an order that has similar ones side by side: average linkage, its leaves in the order
    that makes neighbours most similar. Of the two directions the one in which the first run given
    comes before the last.
    """
    apart = dissimilarities(values, distance)
    runs = len(apart)
    if runs < 3:
        return list(range(runs))
    unknown: Bools = np.isnan(apart)
    apart[unknown] = apart[~unknown].max(initial=1.0)
    from scipy.cluster.hierarchy import leaves_list, linkage

    tree = linkage(apart[_pairs(runs)], "average", optimal_ordering=runs <= MOST_ORDERED)
    order: list[int] = leaves_list(tree).tolist()
    return order if order.index(0) < order.index(runs - 1) else order[::-1]


def _jackknife(both: Floats) -> float:
    """Standard error of the mean over pairs, each run left out in turn."""
    runs = len(both)
    if runs < 3:
        return math.nan
    left = []
    for i in range(runs):
        some = np.delete(np.delete(both, i, 0), i, 1)[_pairs(runs - 1)]
        left.append(_mean(some[~np.isnan(some)]))
    middle = math.fsum(left) / runs
    return math.sqrt((runs - 1) / runs * math.fsum((one - middle) ** 2 for one in left))


def _pairs(runs: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(runs, 1)


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / values.size if values.size else math.nan


# Runs as points whose distances are those between the runs: classical scaling.


class Embedding(NamedTuple):
    """Runs as points, by classical multidimensional scaling (principal coordinates)."""

    points: Floats
    """Runs x dimensions, the widest dimension first."""
    stress: float
    """Kruskal's stress-1: root of the squared errors of all distances over all squared distances.
    0 is a faithful map.
    """
    eigenvalues: Floats
    """Of all dimensions, largest first; negative ones say that no Euclidean space holds these
    distances.
    """


def classical_scaling(distances: Floats, dimensions: int) -> Embedding:
    """Points in so many dimensions whose distances come near to the given ones.

    >>> made = classical_scaling(np.array([[0.0, 2.0], [2.0, 0.0]]), 1)
    >>> made.points.tolist(), made.stress
    ([[1.0], [-1.0]], 0.0)
    """
    runs = len(distances)
    centre = np.eye(runs) - 1.0 / runs
    gram = -0.5 * centre @ (distances**2) @ centre
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = min(dimensions, runs)
    points = vectors[:, :kept] * np.sqrt(np.maximum(values[:kept], 0.0))
    points = np.hstack([points * _signs(points), np.zeros((runs, dimensions - kept))])
    return Embedding(points, _stress(distances, points), values)


def _signs(points: Floats) -> Floats:
    """Signs that make the first of the largest coordinates of each dimension positive."""
    size = np.abs(points)
    largest = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    return np.where(points[largest, np.arange(points.shape[1])] < 0, -1.0, 1.0)


def _stress(distances: Floats, points: Floats) -> float:
    given = distances[np.triu_indices(len(distances), 1)]
    gaps = points[:, None, :] - points[None, :, :]
    shown = np.sqrt((gaps**2).sum(axis=2))[np.triu_indices(len(distances), 1)]
    whole = math.fsum((given**2).tolist())
    return math.sqrt(math.fsum(((shown - given) ** 2).tolist()) / whole) if whole else 0.0
