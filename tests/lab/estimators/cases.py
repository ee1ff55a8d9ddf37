"""Data sets with starts, fitted estimators, and where they differ from an oracle's run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from clusterdiff_lab.estimators import (
    EvidentialCMeans,
    FuzzyCMeans,
    PossibilisticCMeans,
    RoughKMeans,
)
from clusterdiff_lab.estimators.base import CentreClusterer
from oracles.estimators import Degrees, Points, Rule

Floats = NDArray[np.float64]

ALL: list[type[CentreClusterer]] = [RoughKMeans, FuzzyCMeans, PossibilisticCMeans, EvidentialCMeans]
DESCENDING = [FuzzyCMeans, PossibilisticCMeans, EvidentialCMeans]
"""Those whose objective never grows."""
SOFT: dict[type[CentreClusterer], str] = {
    RoughKMeans: "upper_",
    FuzzyCMeans: "memberships_",
    PossibilisticCMeans: "possibilities_",
    EvidentialCMeans: "masses_",
}
RULES = [Rule(1), Rule(2), Rule(5), Rule(300)]
"""A few iterations, and the usual end."""
LATE = Rule(300, 1e-10)


class Case(NamedTuple):
    """Objects and the centres to start from."""

    x: Floats
    start: Floats

    @property
    def points(self) -> Points:
        return [list(map(float, row)) for row in self.x]

    @property
    def centres(self) -> Points:
        return [list(map(float, row)) for row in self.start]


def groups(seed: int, objects: int, clusters: int, features: int = 2, apart: float = 4.0) -> Floats:
    """Objects around as many points as there are clusters."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(scale=apart, size=(clusters, features))
    drawn: Floats = middle[rng.integers(clusters, size=objects)]
    return drawn + rng.normal(size=(objects, features))


def case(seed: int, objects: int, clusters: int, features: int) -> Case:
    """Starts are near objects, never on them."""
    x = groups(seed, objects, clusters, features, apart=2)
    rng = np.random.default_rng(seed + 1000)
    chosen = rng.choice(objects, clusters, replace=False)
    return Case(x, x[chosen] + rng.normal(scale=0.3, size=(clusters, features)))


@cache
def cases() -> list[Case]:
    shapes = [(12, 2, 2), (25, 3, 2), (30, 4, 3), (20, 3, 1), (18, 2, 5), (9, 1, 2)]
    return [case(seed, *shape) for seed, shape in enumerate(shapes)]


class Found(NamedTuple):
    """What a run gave, by an estimator or an oracle."""

    centres: Floats | Points
    degrees: Floats | Degrees
    objectives: Floats | Sequence[float]
    labels: NDArray[np.int64] | Sequence[int]


def equal(one: Found, other: Found, tolerance: float = 1e-9) -> bool:
    """The same labels, and everything else to the tolerance."""
    for mine, theirs in zip(one, other, strict=True):
        a, b = np.asarray(mine, float), np.asarray(theirs, float)
        if a.shape != b.shape or not np.allclose(a, b, rtol=tolerance, atol=tolerance):
            return False
    return True


def differing(
    found: Callable[[Case], Found], wanted: Callable[[Case], Found], given: Sequence[Case]
) -> list[int]:
    """The numbers of the cases in which the two are not equal."""
    return [i for i, one in enumerate(given) if not equal(found(one), wanted(one))]


def fit(model: Any, x: Any) -> Any:
    """The fitted model; that it has not converged is no matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x)


def fitted(kind: Any, one: Case, rule: Rule, **given: Any) -> Any:
    """An estimator fitted from the start of the case."""
    clusters = len(one.start)
    model = kind(clusters, init=one.start, max_iter=rule.max_iter, tol=rule.tol, **given)
    return fit(model, one.x)


def soft(model: Any) -> Floats:
    """The memberships, possibilities, masses or upper approximations of the training data."""
    degrees: Floats = getattr(model, SOFT[type(model)])
    return degrees


def found_by(model: Any) -> Found:
    return Found(model.cluster_centers_, soft(model), model.objectives_, model.labels_)


def highest(degrees: Degrees) -> list[int]:
    """For each object the cluster of the highest degree, the first of several."""
    return [row.index(max(row)) for row in degrees]


def same_bits(one: Any, other: Any, order: Any = slice(None)) -> None:
    """All that two models found is equal, the rows of the second in this order."""
    assert one.cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
    assert one.objectives_.tobytes() == other.objectives_.tobytes()
    assert one.objective_ == other.objective_
    assert one.n_iter_ == other.n_iter_
    assert np.array_equal(soft(one)[order], soft(other))
    assert np.array_equal(one.labels_[order], other.labels_)
