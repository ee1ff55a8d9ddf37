"""Fuzzy c-means: each object is shared out among the clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.fuzzy import Fuzzy
from clusterdiff.clusterings.sets import Sets, singles
from clusterdiff_lab.estimators.base import CentreClusterer, FitRun, between, descend, parameter
from clusterdiff_lab.estimators.kernels import NOWHERE, in_chunks, share_out
from clusterdiff_lab.estimators.rows import SortedRows, to_host


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
        """One pass over the objects; `shares`, where NumPy gives it room, is filled as well."""
        xp, sets, points = rows.xp, self.sets, self.prototypes(centres)
        size, (many, features) = sets.size.astype(np.float64), centres.shape
        factor, alone = size**self.alpha, size ** (self.alpha - 1.0)
        if xp is np:
            noise = -1.0 if self.noise is None else self.noise
            exponent, split = 1.0 / (self.m - 1.0), 1 + len(points)

            def work(begin: int, end: int, room: Floats) -> None:
                share_out(
                    rows.columns, points, factor, noise, exponent, centres, *sets, alone,
                    rows.order, begin, end, room, shares,
                )  # fmt: skip

            room = in_chunks(rows.number, split + centres.size, work)
            return ShareSums(float(room[0]), room[1:split], room[split:].reshape(many, features))
        portion = np.zeros((many, sets.number))
        portion[sets.member, sets.owner] = alone[sets.owner]
        each = []
        for block in rows.blocks(len(points)):
            objective, _, weight = self._shared(rows, points, block)
            weight = weight if self.noise is None else weight[1:, :]
            pull = rows.pull(rows.here(portion) @ weight, block, centres)
            each.append((float(xp.sum(objective)), to_host(xp.sum(weight, axis=1)), pull))
        return ShareSums(*(sum(parts) for parts in zip(*each, strict=True)))

    def shares(self, rows: SortedRows, centres: Floats) -> Floats:
        """Objects x sets; the first column is what is shared with no cluster, where possible."""
        if rows.xp is np:
            shares = np.empty((rows.number, self.sets.number + (self.noise is not None)))
            self.sums(rows, centres, shares)
            return shares
        points = self.prototypes(centres)
        found = [self._shared(rows, points, block)[1].T for block in rows.blocks(len(points))]
        return rows.placed(rows.xp.concat(found, axis=0))  # type: ignore[no-any-return]

    def _shared(self, rows: SortedRows, points: Floats, block: slice) -> tuple[Any, Any, Any]:
        """The objective of each object, and sets x objects: shares, and their powers.

        As the compiled `_share_out`: nothing is raised to a power that could overflow.
        """
        xp, exponent = rows.xp, 1.0 / (self.m - 1.0)
        factor = rows.here(self.sets.size.astype(np.float64) ** self.alpha)
        cost = rows.squared_distances(points, block) * factor[:, None]
        if self.noise is not None:
            cost = xp.concat([xp.ones_like(cost[:1, :]) * self.noise, cost], axis=0)
        least = xp.min(cost, axis=0)[None, :]
        more, ones = cost > least, xp.ones_like(cost)
        ratio = xp.where(more, least / xp.where(more, cost, ones), ones)
        share = ratio if exponent == 1.0 else ratio**exponent
        whole = xp.sum(share, axis=0)[None, :]
        share = share / whole
        damped = whole ** (-1.0 / exponent)
        return (least * damped)[0, :], share, ratio * share * damped


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
