"""Rough k-means: an object about as near to several centres is in the boundary of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.rough import Rough
from clusterdiff_lab.estimators.base import (
    CentreClusterer,
    FitRun,
    number,
    parameter,
    settle,
    words,
)
from clusterdiff_lab.estimators.kernels import (
    CHUNK,
    NOWHERE,
    approximate,
    closest,
    in_chunks,
)
from clusterdiff_lab.estimators.rows import SortedRows

NOBODY = np.zeros(0, np.int64)


def representatives(rows: SortedRows, centres: Floats) -> Ints:
    """For each object the cluster that it represents, -1 if none.

    The least of all distances between centres and objects is taken first, then the least between
    those that are left. Objects that are equal represent a cluster together.
    """
    cluster = np.full(rows.number, -1)
    distance, row = _closest(rows, centres, cluster)
    waiting = list(range(len(centres)))
    while waiting:
        chosen = min(waiting, key=lambda j: distance[j])
        if not np.isfinite(distance[chosen]):
            break
        waiting.remove(chosen)
        cluster[rows.twins(int(row[chosen]))] = chosen
        robbed = [j for j in waiting if cluster[row[j]] >= 0]
        if robbed:
            distance[robbed], row[robbed] = _closest(rows, centres[robbed], cluster)
    return cluster


def _closest(rows: SortedRows, centres: Floats, taken: Ints) -> tuple[Floats, Ints]:
    """The least squared distance of each centre to an object that is not taken, and which it is."""
    chunks = -(-rows.number // CHUNK)
    distance = np.full((chunks, len(centres)), np.inf)
    row = np.zeros(distance.shape, np.int64)

    def work(begin: int, end: int, room: Floats) -> None:
        closest(rows.columns, centres, taken, begin, end, distance, row)

    in_chunks(rows.number, 0, work)
    best = distance.argmin(axis=0)
    each = np.arange(len(centres))
    return distance[best, each], row[best, each]


@dataclass(eq=False, repr=False, kw_only=True)
class RoughKMeans(CentreClusterer):
    """Rough k-means (Lingras and West 2004): near one centre for certain, else in a boundary.

    With d_h the distance of an object to the nearest centre, it may be in the clusters

        T = {j: d_j <= threshold · d_h}    or, compare="difference",    {j: d_j - d_h <= threshold}

    The ratio is Peters' (2006) and does not depend on units, the difference the original. Alone in
    T, the object is in the lower approximation of h, otherwise in the boundary of all of T. New
    centres are, by `means`,

    * "lingras": weight_lower · mean of the lower approximation + the rest · mean of the boundary,
      or the mean of the one that is not empty;
    * "peters" (Peters 2006): the same with the upper approximation, which is both, in place of
      the boundary;
    * "indifference" (Peters 2014): the mean in which each object weighs 1/|T|.

    For the last two the object closest to each centre, and those equal to it, are in its lower
    approximation, the least distance first; new objects are judged by their distances alone. The
    objective, Σ_i of the mean of d_ij² over T, need not fall, and the centres may go round in a
    cycle. At threshold 1 it is k-means.

    `upper_` and `lower_` say which objects are in the approximations of which clusters;
    `transform` gives 1/|T| for the clusters of T.

    >>> model = RoughKMeans(2, threshold=1.5, random_state=0)
    >>> model.fit([[0.0], [1.0], [5.0], [9.0], [10.0]]).upper_.sum(axis=1)
    array([1, 1, 2, 1, 1])
    >>> model.clustering_
    Rough(5 objects, 2 clusters, 1 uncertain)
    """

    threshold: float = parameter(1.1, number(0))
    compare: str = parameter("ratio", words("ratio", "difference"))
    means: str = parameter("lingras", words("lingras", "peters", "indifference"))
    weight_lower: float = parameter(0.7, number(0, 1))

    def _prepare(self) -> None:
        if self.compare == "ratio" and self.threshold < 1:
            raise ValueError(
                f"threshold={self.threshold} is below 1: no centre is nearer than the nearest. "
                'Raise it, or take compare="difference".'
            )

    def _run(self, rows: SortedRows, start: Floats) -> FitRun:
        def step(centres: Floats) -> tuple[float, Floats]:
            sums = self._pass(rows, centres, self._fixed(rows, centres), NOWHERE)
            return float(sums[0]), self._following(centres, sums[1:])

        return settle(step, start, self.max_iter, self._tolerance(rows))

    def _fixed(self, rows: SortedRows, centres: Floats) -> Ints:
        """The cluster that an object represents, -1 for most of them."""
        return NOBODY if self.means == "lingras" else representatives(rows, centres)

    def _pass(self, rows: SortedRows, centres: Floats, fixed: Ints, upper: Floats) -> Floats:
        """Sums of lower approximations and boundaries; `found` gets the upper approximations."""
        ratio = self.compare == "ratio"
        threshold = self.threshold / (1.0 if ratio else rows.units.unit)
        shared = self.means == "indifference"

        def work(begin: int, end: int, room: Floats) -> None:
            approximate(
                rows.columns, centres, threshold, ratio, shared, fixed, rows.order,
                begin, end, room, upper,
            )  # fmt: skip

        return in_chunks(rows.number, 1 + 2 * (centres.size + len(centres)), work)

    def _following(self, centres: Floats, sums: Floats) -> Floats:
        """The centres that follow from the sums of lower approximations and boundaries."""
        many = len(centres)
        (lower, lower_sum), (other, other_sum) = (
            (part[:many, None], part[many:].reshape(centres.shape)) for part in np.split(sums, 2)
        )
        if self.means != "lingras":
            other, other_sum = lower + other, lower_sum + other_sum
        lower_mean = lower_sum / np.maximum(lower, 1e-300)
        other_mean = other_sum / np.maximum(other, 1e-300)
        if self.means == "indifference":
            return np.where(other > 0, other_mean, centres)
        both = self.weight_lower * lower_mean + (1 - self.weight_lower) * other_mean
        one = np.where(lower > 0, lower_mean, other_mean)
        some = np.where((lower > 0) & (other > 0), both, one)
        return np.where((lower > 0) | (other > 0), some, centres)

    def _shares(self, rows: SortedRows, fixed: Ints) -> Floats:
        """Objects x clusters: 1/|T| for the clusters of T."""
        upper = np.empty((rows.number, len(self.cluster_centers_)))
        self._pass(rows, self._centres(rows), fixed, upper)
        return np.asarray(upper / upper.sum(axis=1, keepdims=True))

    def _degrees(self, rows: SortedRows) -> Floats:
        return self._shares(rows, NOBODY)

    def _fitted_degrees(self, rows: SortedRows) -> Floats:
        return self._shares(rows, self._fixed(rows, self._centres(rows)))

    def _clustering(self, degrees: Floats) -> Rough:
        return Rough(degrees > 0)

    def _labels(self, rows: SortedRows, degrees: Floats) -> Ints:
        """The nearest of the centres that an object may be in the cluster of."""
        apart = rows.placed(rows.squared_distances(self._centres(rows)).T)
        return np.asarray(np.where(degrees > 0, apart, np.inf).argmin(axis=1))

    def _keep(self, degrees: Floats) -> None:
        self.upper_, self.lower_ = degrees > 0, degrees == 1
