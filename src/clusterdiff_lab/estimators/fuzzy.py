"""Fuzzy c-means: each object is shared out among the clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.fuzzy import Fuzzy
from clusterdiff.clusterings.sets import Sets, singles
from clusterdiff_lab.estimators.base import CentreClusterer, FitRun, between, descend, parameter
from clusterdiff_lab.estimators.kernels import NOWHERE, in_chunks, share_out
from clusterdiff_lab.estimators.rows import ArrayRows, SortedRows


class ShareSums(NamedTuple):
    """What a pass over the objects finds for the centres."""

    objective: float
    weight: Floats
    """Of each prototype: the sum of the shares to the power of m."""
    pull: Floats
    """Clusters x features: the weighted sum of the differences of the objects to the centre."""


class Sharing(NamedTuple):
    """How objects share themselves out: a prototype for each set of clusters, the mean of theirs.

    The cost of a set A is |A|^alpha times the squared distance to its prototype. Shares go with
    costs to the power of -1/(m-1), and those to the power of m weigh the objects.
    """

    sets: Sets
    m: float
    alpha: float = 0.0
    noise: float | None = None
    """The cost of sharing with no cluster, where that is possible."""

    def prototypes(self, centres: Floats) -> Floats:
        """Sets x features."""
        sums = np.add.reduceat(centres[self.sets.member], self.sets.start[:-1], axis=0)
        return np.asarray(sums / self.sets.size[:, None])

    def sums(self, rows: SortedRows, centres: Floats, shares: Floats = NOWHERE) -> ShareSums:
        """One pass over the objects; the shares are written to `found`, if it has room."""
        if isinstance(rows, ArrayRows):
            return ShareSums(*rows.shared(self, centres, shares=False)[:3])
        columns, (many, features) = rows.columns, centres.shape
        points, size = self.prototypes(centres), self.sets.size.astype(np.float64)
        factor, portion = size**self.alpha, size ** (self.alpha - 1.0)
        noise = -1.0 if self.noise is None else self.noise
        exponent = 1.0 / (self.m - 1.0)

        def work(begin: int, end: int, room: Floats) -> None:
            share_out(
                columns, points, factor, noise, exponent, centres, *self.sets, portion,
                rows.order, begin, end, room, shares,
            )  # fmt: skip

        room = in_chunks(rows.number, 1 + len(points) + many * features, work)
        split = 1 + len(points)
        return ShareSums(float(room[0]), room[1:split], room[split:].reshape(many, features))

    def shares(self, rows: SortedRows, centres: Floats) -> Floats:
        """Objects x sets; the first column is what is shared with no cluster, where possible."""
        if isinstance(rows, ArrayRows):
            return rows.shared(self, centres, shares=True)[3]  # type: ignore[no-any-return]
        shares = np.empty((rows.number, self.sets.number + (self.noise is not None)))
        self.sums(rows, centres, shares)
        return shares


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
    _takes_arrays: ClassVar[bool] = True

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
