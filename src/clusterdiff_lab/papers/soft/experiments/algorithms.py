"""The five algorithms of the paper, with its parameters and with some that give harder clusters."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

from clusterdiff.array_types import Floats
from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.soft import Soft
from clusterdiff.progress import progress


@dataclass(frozen=True)
class Parameters:
    """What the algorithms are told."""

    m: float
    """The exponent of fuzzy and possibilistic c-means."""
    alpha: float
    """How evidential c-means weighs large sets."""
    beta: float
    """Its exponent."""
    delta: float = 10.0
    """Its distance to outliers."""
    threshold: float = 1.1
    """How many times as far a centre may be that rough k-means does not rule out."""

    def __str__(self) -> str:
        return f"RKM {self.of('RKM')}; FCM, PCM {self.of('FCM')}; ECM {self.of('ECM')}"

    def of(self, algorithm: str) -> str:
        """What one of them is told."""
        told = {
            "RKM": f"ε = {self.threshold:g}",
            "ECM": f"α = {self.alpha:g}, β = {self.beta:g}, δ = {self.delta:g}",
        }
        return told.get(algorithm, f"m = {self.m:g}")


PRINTED = Parameters(m=5, alpha=5, beta=5)
"""As the paper has them."""
HARDER = Parameters(m=1.4, alpha=1, beta=1.4)
"""Memberships that fall with the fifth power of the distance: 5 = 2/(m - 1)."""
CLUSTERS = 3
NAMES = (
    "KM is k-means, RKM rough, FCM fuzzy, PCM possibilistic and ECM evidential c-means. RI is the "
    "Rand index, more is better; PD the partition distance, less is better."
)


class Fitted(NamedTuple):
    """What an algorithm found."""

    clustering: Partition | Soft
    seconds: float
    warned: str
    """What it warned of, and what was made of mass on the empty set."""


def fitted(data: Floats, parameters: Parameters, seed: int) -> dict[str, Fitted]:
    """The clusterings by the paper's names for the algorithms."""
    models = _models(parameters, seed)
    found = {}
    with progress("clustering", len(models)) as advance:
        for name, model in models.items():
            found[name] = _fit(model, data)
            advance(1)
    return found


def _models(p: Parameters, seed: int) -> dict[str, Any]:
    from clusterdiff_lab.estimators import (
        EvidentialCMeans,
        FuzzyCMeans,
        PossibilisticCMeans,
        RoughKMeans,
    )

    common: dict[str, Any] = {
        "n_clusters": CLUSTERS, "random_state": seed, "max_iter": 5000, "tol": 1e-10,
    }  # fmt: skip
    from sklearn.cluster import KMeans  # after ours, which say what to install where it is not

    return {
        "KM": KMeans(n_init=10, **common),
        "RKM": RoughKMeans(threshold=p.threshold, means="indifference", **common),
        "FCM": FuzzyCMeans(m=p.m, **common),
        "PCM": PossibilisticCMeans(m=p.m, **common),
        "ECM": EvidentialCMeans(alpha=p.alpha, beta=p.beta, delta=p.delta, **common),
    }


def _fit(model: Any, data: Floats) -> Fitted:
    begin = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data)
    seconds = perf_counter() - begin
    clustering = getattr(model, "clustering_", None)
    if clustering is None:
        clustering = Partition(model.labels_)
    warned = [str(one.message) for one in caught]
    if isinstance(clustering, Soft) and clustering.masses.empty.any():
        lost = float(clustering.masses.empty[clustering.code].mean())
        share = f"{lost:.1%}" if lost >= 0.001 else "less than 0.1%"
        warned.append(f"{share} of the mass is on the empty set, and shared among the rest.")
        clustering = clustering.normalise()
    return Fitted(clustering, seconds, " ".join(warned))
