"""Multidimensional scaling of dissimilarities that are intervals: circles in the plane.

Two circles are at least as far apart as their nearest points and at most as far as their farthest
ones. These two distances are fitted to the two ends of each interval by least squares, after
Denœux and Masson (Pattern Recognition Letters, 2000).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints

STARTS = 20


class Circles(NamedTuple):
    """A circle for each object, and how well they fit."""

    centre: Floats
    radius: Floats
    stress: float
    """The root of the squared error over the squared dissimilarities."""


def circles(low: Floats, high: Floats, seed: int = 0) -> Circles:
    """The circles that fit best, of several starts: classical scaling, and random ones.

    `low` and `high` hold the ends of the dissimilarity of every two objects, as square matrices.

    >>> far = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> found = circles(far, far)
    >>> round(found.stress, 4), found.radius.round(3).tolist()
    (0.0, [0.0, 0.0, 0.0])
    """
    from scipy.optimize import minimize

    objects = len(low)
    one, other = np.triu_indices(objects, 1)
    least, most = low[one, other], high[one, other]
    rng = np.random.default_rng(seed)
    scale = float(most.max(initial=0.0)) or 1.0
    bounds = [(None, None)] * (2 * objects) + [(0.0, None)] * objects
    best = None
    for k in range(STARTS):
        centre = _classical((low + high) / 2)
        centre = rng.normal(scale=scale, size=centre.shape) if k else centre
        radius = np.full(objects, float((most - least).mean()) / 4 if least.size else 0.0)
        found = minimize(
            _error, np.concatenate([centre.ravel(), radius]), (one, other, least, most),
            method="L-BFGS-B", jac=True, bounds=bounds,
            options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
        )  # fmt: skip
        if best is None or found.fun < best.fun - 1e-12:
            best = found
    assert best is not None
    centre, radius = best.x[: 2 * objects].reshape(-1, 2), best.x[2 * objects :]
    size = float((least**2 + most**2).sum()) or 1.0
    return Circles(_turned(centre), radius, float(np.sqrt(best.fun / size)))


def _error(x: Floats, one: Ints, other: Ints, least: Floats, most: Floats) -> tuple[float, Floats]:
    """The squared error and its gradient."""
    objects = x.size // 3
    centre, radius = x[: 2 * objects].reshape(-1, 2), x[2 * objects :]
    apart = centre[one] - centre[other]
    distance = np.sqrt((apart**2).sum(axis=1)) + 1e-300
    both = radius[one] + radius[other]
    gap = np.maximum(distance - both, 0.0)
    below, above = np.where(distance > both, gap - least, 0.0), distance + both - most
    error = float(((gap - least) ** 2).sum() + (above**2).sum())
    pull = (2 * (below + above) / distance)[:, None] * apart
    slope, widen = np.zeros_like(centre), np.zeros_like(radius)
    np.add.at(slope, one, pull)
    np.add.at(slope, other, -pull)
    for side in (one, other):
        np.add.at(widen, side, 2 * (above - below))
    return error, np.concatenate([slope.ravel(), widen])


def _classical(distance: Floats) -> Floats:
    """Torgerson's scaling to the plane."""
    objects = len(distance)
    middle = np.eye(objects) - 1 / objects
    value, vector = np.linalg.eigh(-middle @ distance**2 @ middle / 2)
    plane = np.zeros((objects, 2))
    kept = vector[:, ::-1][:, :2] * np.sqrt(np.maximum(value[::-1][:2], 0.0))
    plane[:, : kept.shape[1]] = kept
    return plane


def _turned(centre: Floats) -> Floats:
    """The same picture in one position: widest from left to right, the first object at the left
    and not below the middle.
    """
    centre = centre - centre.mean(axis=0)
    centre = centre @ np.linalg.svd(centre, full_matrices=False)[2].T
    return centre * np.where(centre[0] * np.array([1, -1]) > 0, -1.0, 1.0)
