"""Objects in an order of their own: what is found does not depend on the order they came in.

They are worked on by the array API, in arrays of NumPy or of another library (PyTorch, CuPy, …),
where they lie; what there is of each cluster is NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.arrays import as_numpy
from clusterdiff.errors import ClusterdiffError
from clusterdiff_lab.estimators.kernels import squared_distances

FARTHEST = 2.0**500
"""Values beyond this, in units of the data, are cut: their squares stay finite."""
CELLS = 1 << 24
"""Objects x sets that are worked on at a time."""


class RowUnits(NamedTuple):
    """Where values are measured from, and the power of two that they are measured in.

    Both are such that a change of units is exact: values of a feature that are within a factor of
    two of each other are measured from the least of them, others from zero. No square overflows,
    and what is far from zero is summed as exactly as what is near.
    """

    origin: Floats
    exponent: int

    @classmethod
    def of(cls, given: Floats, also: Floats) -> Self:
        """Units in which the values of rows, and of others that lie elsewhere, are below one."""
        low, high = given.min(axis=0), given.max(axis=0)
        near = ((low > 0) & (high / 2 <= low)) | ((high < 0) & (low / 2 >= high))
        origin = np.where(near, low, 0.0)
        most = max(float(np.abs(v - origin).max(initial=0.0)) for v in (low, high, also))
        return cls(origin, int(np.clip(np.frexp(most)[1], -1000, 1000)))

    @property
    def unit(self) -> float:
        """The power of two."""
        return float(2.0**self.exponent)

    def inward(self, values: Floats) -> Floats:
        """Rows in these units, all zeros positive."""
        return np.asarray((values - self.origin) / self.unit + 0.0)

    def outward(self, values: Floats) -> Floats:
        """Rows in the units that they were given in."""
        return np.asarray(values * self.unit + self.origin)

    def columns(self, xp: Any, rows: Any) -> Any:
        """Rows in these units feature by feature, all zeros positive."""
        origin = xp.asarray(self.origin, device=device_of(rows))
        values = rows - origin[None, :]
        values *= 1.0 / self.unit
        values += 0.0
        columns = xp.clip(values, -FARTHEST, FARTHEST).T
        # what is compiled reads feature after feature
        return np.ascontiguousarray(columns) if xp is np else columns


def namespace_of(values: Any) -> Any:
    """The array API of the library of an array; NumPy, unless scikit-learn dispatches.

    `sklearn.set_config(array_api_dispatch=True)` says that arrays stay what and where they are.
    """
    if not get_config()["array_api_dispatch"] or isinstance(values, np.ndarray):
        return np
    try:
        from array_api_compat import array_namespace, is_array_api_obj
    except ImportError:
        raise ClusterdiffError(
            "array_api_dispatch=True needs array-api-compat, which is not installed.",
            "pip install 'clusterdiff[gpu]', or give an array of NumPy.",
        ) from None
    return array_namespace(values) if is_array_api_obj(values) else np


def device_of(values: Any) -> Any:
    """Where an array lies, as its library says it."""
    if isinstance(values, np.ndarray):
        return None
    from array_api_compat import device

    return device(values)


def to_host(values: Any) -> Any:
    """The numbers of an array as an array of NumPy."""
    if isinstance(values, np.ndarray) or not hasattr(values, "shape"):
        return values
    from array_api_compat import array_namespace, is_array_api_obj, is_cupy_array, to_device

    if is_cupy_array(values):
        return values.get()
    if is_array_api_obj(values):
        usual = array_namespace(values).__array_namespace_info__().default_device()
        values = to_device(values, usual)
    return as_numpy(values)


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Objects feature by feature, in units of their own."""

    xp: Any
    """The array API of their library."""
    columns: Any
    """Features x objects."""
    units: RowUnits
    order: Any
    """For each object the position at which it was given."""
    edges: Ints
    """Where runs of equal objects begin, and the end of the last; empty for objects as given."""

    @classmethod
    def in_order(cls, given: Any, also: Floats) -> Self:
        """The objects in lexicographic order."""
        xp = namespace_of(given)
        order = xp.argsort(given[:, 0])
        first = xp.take(given[:, 0], order)
        again = first[1:] == first[:-1]
        if tied := bool(xp.any(again)):
            order = xp.argsort(given[:, -1])
            for feature in range(given.shape[1] - 2, -1, -1):
                order = xp.take(order, xp.argsort(xp.take(given[:, feature], order), stable=True))
        rows = xp.take(given, order, axis=0)
        again = to_host(xp.all(rows[1:, :] == rows[:-1, :], axis=1) if tied else again)
        ends = np.stack([to_host(xp.min(given, axis=0)), to_host(xp.max(given, axis=0))])
        units = RowUnits.of(ends, also)
        edges = np.flatnonzero(~np.concatenate([[False], again, [False]]))
        return cls(xp, units.columns(xp, rows), units, order, edges)

    @classmethod
    def as_given(cls, given: Any, units: RowUnits) -> Self:
        """The objects in the order they were given in."""
        xp = namespace_of(given)
        order = xp.arange(given.shape[0], device=device_of(given))
        return cls(xp, units.columns(xp, given), units, order, np.zeros(0, np.int64))

    @property
    def number(self) -> int:
        """How many objects there are."""
        return int(self.columns.shape[1])

    @property
    def distinct(self) -> int:
        """How many different objects there are."""
        return self.edges.size - 1

    @cached_property
    def variance(self) -> float:
        """The mean variance of the features."""
        return float(self.xp.mean(self.xp.var(self.columns, axis=1)))

    def twins(self, row: int) -> slice:
        """All objects that are equal to this one."""
        run = int(np.searchsorted(self.edges, row, side="right"))
        return slice(int(self.edges[run - 1]), int(self.edges[run]))

    def here(self, values: Any) -> Any:
        """Numbers of NumPy as the library of the objects has them, where the objects lie."""
        return self.xp.asarray(values, device=device_of(self.columns))

    def placed(self, values: Any) -> Any:
        """Objects x columns of something, in the order the objects were given in."""
        return self.xp.take(values, self.xp.argsort(self.order), axis=0)

    def blocks(self, points: int) -> Iterator[slice]:
        """Objects that are held against so many points at a time."""
        step = max(1, CELLS // points)
        return (slice(at, min(at + step, self.number)) for at in range(0, self.number, step))

    def squared_distances(self, points: Floats, block: slice = slice(None)) -> Any:
        """Points x objects."""
        if self.xp is np:
            return squared_distances(self.columns, points)
        columns, places = self.columns[:, block], self.here(points)
        squares: Any = 0.0
        for feature in range(columns.shape[0]):
            gap = columns[feature, :][None, :] - places[:, feature][:, None]
            gap *= gap
            squares += gap
        return squares

    def pull(self, weight: Any, block: slice, points: Floats) -> Floats:
        """Points x features: how far objects, weighted for each point, are from it in sum."""
        xp, columns = self.xp, self.columns[:, block]
        sums = []
        for k, point in enumerate(points):
            apart = columns - self.here(point)[:, None]
            apart *= weight[k, :][None, :]
            sums.append(to_host(xp.sum(apart, axis=1)))
        return np.stack(sums)

    def start(self, clusters: int, random: Any) -> Floats:
        """Centres to start with: k-means++, then the mean of the objects nearest to each.

        Each next object is drawn by its squared distance to those before, the best of a few draws.
        The means are taken because an object that a centre lies on belongs to it alone and holds
        it.
        """
        xp, columns = self.xp, self.columns
        trials = 2 + int(np.log(clusters))
        picked = [int(random.randint(self.number))]
        nearest = self.squared_distances(self._points(picked))[0, :]
        owner = xp.zeros_like(nearest)
        # NumPy calls it so from 2.1 on
        cumulative = xp.cumulative_sum if hasattr(xp, "cumulative_sum") else xp.cumsum
        for cluster in range(1, clusters):
            ends = cumulative(nearest)
            wanted = random.uniform(size=trials) * float(ends[-1])
            drawn = [int(xp.count_nonzero(ends <= float(one))) for one in wanted]
            drawn = [min(one, self.number - 1) for one in drawn]
            distances = self.squared_distances(self._points(drawn))
            sums = xp.sum(xp.minimum(distances, nearest[None, :]), axis=1)
            best = int(xp.argmin(sums))
            owner = xp.where(distances[best, :] < nearest, xp.ones_like(owner) * cluster, owner)
            nearest = xp.minimum(nearest, distances[best, :])
            picked.append(drawn[best])
        none = xp.zeros_like(owner)
        mine = xp.stack([xp.where(owner == c, none + 1.0, none) for c in range(clusters)])
        size = to_host(xp.sum(mine, axis=1))
        sums = self.pull(mine, slice(None), np.zeros((clusters, columns.shape[0])))
        means = sums / np.maximum(size, 1)[:, None]
        return np.where(size[:, None] > 0, means, self._points(picked))

    def _points(self, at: list[int]) -> Floats:
        """Some objects, objects x features."""
        return np.asarray(to_host(self.xp.take(self.columns, self.here(at), axis=1))).T

    def nearest(self, centres: Floats) -> Any:
        """The nearest centre of each object, in the order the objects were given in."""
        return self.placed(self.xp.argmin(self.squared_distances(centres), axis=0))

    def likeliest(self, degrees: Any, centres: Floats) -> Any:
        """The cluster of the largest degree; the nearest, where all degrees are zero."""
        best, none = self.xp.argmax(degrees, axis=1), self.xp.max(degrees, axis=1) <= 0
        if not bool(self.xp.any(none)):
            return best
        return self.xp.where(none, self.nearest(centres), best)
