"""Fuzzy c-means: each object is shared out among the clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings.encode.sets import singles
from clusterdiff.clusterings.fuzzy import Fuzzy
from clusterdiff.estimators.base import CentreClusterer
from clusterdiff.estimators.parameters import between, parameter
from clusterdiff.estimators.runs import FitRun, descend
from clusterdiff.estimators.shares import Sharing

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats
    from clusterdiff.estimators.rows import SortedRows


@dataclass(eq=False, repr=False, kw_only=True)
class FuzzyCMeans(CentreClusterer):
    """Fuzzy c-means (Bezdek 1981): an object belongs to near clusters more than to far ones.

    Least Σ_ij u_ij^m d_ij² with Σ_j u_ij = 1, by turns of

        u_ij = d_ij^(-2/(m-1)) / Σ_l d_il^(-2/(m-1)),    v_j = Σ_i u_ij^m x_i / Σ_i u_ij^m

    where d_ij is the distance of object i to the centre v_j. An object on a centre belongs to it
    alone. With m near 1 clusters are hard, as those of k-means; the larger m, the fuzzier.

    >>> model = FuzzyCMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [9.0], [10.0]])
    >>> model.memberships_.max(axis=1).round(2)
    array([0.99, 1.  , 0.5 , 1.  , 0.99])
    >>> model.clustering_
    Fuzzy(5 objects, 2 clusters, 5 uncertain)
    """

    m: float = parameter(2.0, between(1))

    def _run(self, rows: SortedRows, start: Floats) -> FitRun:
        return fuzzy_run(rows, start, self.m, self.max_iter, self._tolerance(rows))

    def _degrees(self, rows: SortedRows) -> Floats:
        return memberships(rows, self._centres(rows), self.m)

    def _clustering(self, degrees: Floats) -> Fuzzy:
        return Fuzzy(degrees)

    def _keep(self, degrees: Floats) -> None:
        self.memberships_ = degrees


def fuzzy_run(rows: SortedRows, start: Floats, m: float, max_iter: int, tolerance: float) -> FitRun:
    """Fuzzy c-means from a start."""
    sharing = _among(len(start), m)

    def step(centres: Floats) -> tuple[float, Floats]:
        sums = sharing.sums(rows, centres)
        return sums.objective, drawn(centres, sums.weight, sums.pull)

    return descend(step, start, max_iter, tolerance)


def memberships(rows: SortedRows, centres: Floats, m: float) -> Floats:
    """Objects x clusters."""
    return _among(len(centres), m).shares(rows, centres)


def drawn(centres: Floats, weight: Floats, pull: Floats) -> Floats:
    """The weighted means: centres drawn to their objects; one without any stays."""
    some = weight > 0
    return centres + np.where(some[:, None], pull / np.where(some, weight, 1.0)[:, None], 0.0)


def _among(clusters: int, m: float) -> Sharing:
    return Sharing(singles(np.arange(clusters)), m)
