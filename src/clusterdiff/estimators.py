"""Deprecated: the estimators of soft clusterings live in `clusterdiff_lab.estimators`."""

from typing import Any

from clusterdiff.plugins import moved


def __getattr__(name: str) -> Any:
    if name not in ("EvidentialCMeans", "FuzzyCMeans", "PossibilisticCMeans", "RoughKMeans"):
        raise AttributeError(f"module 'clusterdiff.estimators' has no attribute {name!r}")
    return moved("clusterdiff.estimators", "clusterdiff_lab.estimators", name)
