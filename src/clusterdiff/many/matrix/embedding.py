"""Runs as points whose distances are those between the runs: classical scaling."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats


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
