"""Objects in an order of their own: what is found does not depend on the order they came in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn import get_config

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.arrays import as_numpy
from clusterdiff.errors import ClusterdiffError
from clusterdiff_lab.estimators.kernels import FARTHEST, in_units, squared_distances

if TYPE_CHECKING:
    from clusterdiff_lab.estimators.fuzzy import Sharing


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


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Objects feature by feature, in units of their own."""

    columns: Floats
    """Features x objects."""
    units: RowUnits
    order: Ints
    """For each object the position at which it was given."""
    edges: Ints
    """Where runs of equal objects begin, and the end of the last; empty for objects as given."""

    @classmethod
    def in_order(cls, given: Floats, also: Floats) -> Self:
        """The objects in lexicographic order."""
        order, again = lexicographic(given)
        units = RowUnits.of(given, also)
        edges = np.flatnonzero(~np.append(again, False))
        return cls(in_units(given, order, units.origin, units.unit), units, order, edges)

    @classmethod
    def as_given(cls, given: Floats, units: RowUnits) -> Self:
        """The objects in the order they were given in."""
        order = np.arange(len(given))
        columns = in_units(given, order, units.origin, units.unit)
        return cls(columns, units, order, np.zeros(0, np.int64))

    def here(self, values: Any) -> Any:
        """Numbers of NumPy as the library of the objects has them."""
        return values

    def squared_distances(self, points: Floats) -> Any:
        """Points x objects."""
        return squared_distances(self.columns, points)

    def start(self, clusters: int, random: Any) -> Floats:
        """Centres to start with."""
        return spread_start(self, clusters, random)

    @property
    def number(self) -> int:
        """How many objects there are."""
        return int(self.columns.shape[1])

    @cached_property
    def variance(self) -> float:
        """The mean variance of the features."""
        return float(self.columns.var(axis=1).mean())

    @property
    def distinct(self) -> int:
        """How many different objects there are."""
        return self.edges.size - 1

    def twins(self, row: int) -> slice:
        """All objects that are equal to this one."""
        run = int(np.searchsorted(self.edges, row, side="right"))
        return slice(int(self.edges[run - 1]), int(self.edges[run]))


def lexicographic(given: Floats) -> tuple[Ints, Bools]:
    """The order of rows by their first value, then the second, …, and which repeat the one before.

    Columns are looked at only as long as there are rows that are equal so far.
    """
    order = np.argsort(given[:, 0])
    again = _repeats(given[order, 0])
    for column in given.T[1:]:
        if not again.any():
            break
        tied = np.flatnonzero(again | np.append(again[1:], False))
        group = np.cumsum(~again)[tied]
        some = order[tied]
        some = some[np.lexsort((column[some], group))]
        order[tied] = some
        again[tied] &= _repeats(column[some])
    return order, again


def _repeats(values: Floats) -> Bools:
    """Which values are equal to the one before."""
    return np.append(False, values[1:] == values[:-1])


def spread_start(rows: SortedRows, clusters: int, random: Any) -> Floats:
    """Centres to start with: k-means++, then the mean of the objects nearest to each.

    Each next object is drawn by its squared distance to those before, the best of a few draws.
    The means are taken because an object that a centre lies on belongs to it alone and holds it.
    """
    columns = rows.columns
    trials = 2 + int(np.log(clusters))
    chosen = int(random.randint(rows.number))
    nearest = squared_distances(columns, columns[:, [chosen]].T)[0]
    owner = np.zeros(rows.number, np.int64)
    picked = [chosen]
    for cluster in range(1, clusters):
        ends = np.cumsum(nearest)
        drawn = np.searchsorted(ends, random.uniform(size=trials) * ends[-1], side="right")
        drawn = np.minimum(drawn, rows.number - 1)
        distances = squared_distances(columns, columns[:, drawn].T)
        best = int(np.minimum(distances, nearest).sum(axis=1).argmin())
        owner[distances[best] < nearest] = cluster
        nearest = np.minimum(nearest, distances[best])
        picked.append(int(drawn[best]))
    size = np.bincount(owner, minlength=clusters)
    sums = [np.bincount(owner, column, clusters) for column in columns]
    means = np.array(sums).T / np.maximum(size, 1)[:, None]
    return np.where(size[:, None] > 0, means, columns[:, picked].T)


# Objects in arrays of another library (PyTorch, CuPy, …): passes over them by the array API, where
# they lie; what there is of each cluster is NumPy's.

CELLS = 1 << 24
"""Objects x sets that are worked on at a time."""


def namespace_of(values: Any) -> Any:
    """The array API of the library of an array; None for NumPy, and unless scikit-learn dispatches.

    `sklearn.set_config(array_api_dispatch=True)` says that arrays stay what and where they are.
    """
    if not get_config()["array_api_dispatch"] or isinstance(values, np.ndarray):
        return None
    try:
        from array_api_compat import array_namespace, is_array_api_obj
    except ImportError:
        raise ClusterdiffError(
            "array_api_dispatch=True needs array-api-compat, which is not installed.",
            "pip install 'clusterdiff[gpu]', or give an array of NumPy.",
        ) from None
    return array_namespace(values) if is_array_api_obj(values) else None


def device_of(values: Any) -> Any:
    """Where an array lies, as its library says it."""
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
class ArrayRows(SortedRows):
    """Objects feature by feature, in arrays of another library; `order` is one of them, too."""

    xp: Any = None
    """The array API of the library."""

    @classmethod
    def in_order(cls, given: Any, also: Floats) -> Self:
        """The objects in lexicographic order."""
        xp = namespace_of(given)
        order = xp.argsort(given[:, -1])
        for feature in range(given.shape[1] - 2, -1, -1):
            order = xp.take(order, xp.argsort(xp.take(given[:, feature], order), stable=True))
        rows = xp.take(given, order, axis=0)
        again = to_host(xp.all(rows[1:, :] == rows[:-1, :], axis=1))
        ends = np.stack([to_host(xp.min(given, axis=0)), to_host(xp.max(given, axis=0))])
        units = RowUnits.of(ends, also)
        edges = np.flatnonzero(~np.concatenate([[False], again, [False]]))
        return cls(_in_units(xp, rows, units), units, order, edges, xp)

    @classmethod
    def as_given(cls, given: Any, units: RowUnits) -> Self:
        """The objects in the order they were given in."""
        xp = namespace_of(given)
        order = xp.arange(given.shape[0], device=device_of(given))
        return cls(_in_units(xp, given, units), units, order, np.zeros(0, np.int64), xp)

    @cached_property
    def variance(self) -> float:
        """The mean variance of the features."""
        return float(self.xp.mean(self.xp.var(self.columns, axis=1)))

    def here(self, values: Any) -> Any:
        """Numbers of NumPy where the objects lie."""
        return self.xp.asarray(values, device=device_of(self.columns))

    def squared_distances(self, points: Floats) -> Any:
        """Points x objects."""
        return _squared(self.columns, self.here(points))

    def start(self, clusters: int, random: Any) -> Floats:
        """As `spread_start`, with the same draws."""
        xp, columns = self.xp, self.columns
        trials = 2 + int(np.log(clusters))
        picked = [int(random.randint(self.number))]
        nearest = self.squared_distances(self._points(picked))[0, :]
        owner = xp.zeros_like(nearest)
        for cluster in range(1, clusters):
            ends = xp.cumulative_sum(nearest)
            wanted = random.uniform(size=trials) * float(ends[-1])
            drawn = [int(xp.count_nonzero(ends <= float(one))) for one in wanted]
            drawn = [min(one, self.number - 1) for one in drawn]
            distances = self.squared_distances(self._points(drawn))
            sums = xp.sum(xp.minimum(distances, nearest[None, :]), axis=1)
            best = int(xp.argmin(sums))
            owner = xp.where(distances[best, :] < nearest, xp.ones_like(owner) * cluster, owner)
            nearest = xp.minimum(nearest, distances[best, :])
            picked.append(drawn[best])
        mine = xp.stack([xp.astype(owner == c, columns.dtype) for c in range(clusters)])
        size = to_host(xp.sum(mine, axis=1))
        means = to_host(mine @ columns.T) / np.maximum(size, 1)[:, None]
        return np.where(size[:, None] > 0, means, self._points(picked))

    def _points(self, at: list[int]) -> Floats:
        """Some objects, objects x features."""
        return np.asarray(to_host(self.xp.take(self.columns, self.here(at), axis=1))).T

    def placed(self, values: Any) -> Any:
        """Objects x columns of something, in the order the objects were given in."""
        return self.xp.take(values, self.xp.argsort(self.order), axis=0)

    def likeliest(self, degrees: Any, centres: Floats) -> Any:
        """The cluster of the largest degree; the nearest, where all degrees are zero."""
        best, none = self.xp.argmax(degrees, axis=1), self.xp.max(degrees, axis=1) <= 0
        if not bool(self.xp.any(none)):
            return best
        nearest = self.xp.argmin(self.squared_distances(centres), axis=0)
        return self.xp.where(none, self.placed(nearest), best)

    def shared(self, sharing: Sharing, centres: Floats, *, shares: bool) -> tuple[Any, ...]:
        """The sums of `Sharing.sums`, and objects x sets of shares if they are wanted."""
        points, size = sharing.prototypes(centres), sharing.sets.size.astype(np.float64)
        portion = np.zeros((len(centres), sharing.sets.number))
        portion[sharing.sets.member, sharing.sets.owner] = (size ** (sharing.alpha - 1.0))[
            sharing.sets.owner
        ]
        factor = self.here(size**sharing.alpha)
        totals, parts = [], []
        step = max(1, CELLS // len(points))
        for at in range(0, self.number, step):
            columns = self.columns[:, at : min(at + step, self.number)]
            cost = _squared(columns, self.here(points)) * factor[:, None]
            objective, share, weight = _share_out(self.xp, cost, sharing)
            if shares:
                parts.append(share.T)
            totals.append(self._sums(columns, centres, portion, objective, weight, sharing))
        added = [np.sum(each, axis=0) for each in zip(*totals, strict=True)]
        return *added, self.placed(self.xp.concat(parts, axis=0)) if shares else None

    def _sums(
        self, columns: Any, centres: Floats, portion: Floats, objective: Any, weight: Any,
        sharing: Sharing,
    ) -> tuple[float, Floats, Floats]:  # fmt: skip
        """The objective, the weight of each set, and how far objects are from each centre."""
        xp = self.xp
        weight = weight if sharing.noise is None else weight[1:, :]
        pulling = self.here(portion) @ weight
        moved = self.here(centres)
        pull = [to_host((columns - moved[c, :, None]) @ pulling[c, :]) for c in range(len(centres))]
        return float(xp.sum(objective)), to_host(xp.sum(weight, axis=1)), np.stack(pull)


def _in_units(xp: Any, rows: Any, units: RowUnits) -> Any:
    """Rows feature by feature, measured from an origin; all zeros are positive."""
    origin = xp.asarray(units.origin, device=device_of(rows))
    columns = (rows - origin[None, :]) * (1.0 / units.unit) + 0.0
    return xp.clip(columns, -FARTHEST, FARTHEST).T


def _squared(columns: Any, points: Any) -> Any:
    """Points x objects: squared distances."""
    squares = (columns[0, :][None, :] - points[:, 0][:, None]) ** 2
    for feature in range(1, columns.shape[0]):
        squares = squares + (columns[feature, :][None, :] - points[:, feature][:, None]) ** 2
    return squares


def _share_out(xp: Any, cost: Any, sharing: Sharing) -> tuple[Any, Any, Any]:
    """The objective of each object, and sets x objects: shares, and their powers.

    As the compiled `_share_out`: nothing is raised to a power that could overflow.
    """
    if sharing.noise is not None:
        cost = xp.concat([xp.ones_like(cost[:1, :]) * sharing.noise, cost], axis=0)
    exponent = 1.0 / (sharing.m - 1.0)
    least = xp.min(cost, axis=0)[None, :]
    more = cost > least
    ones = xp.ones_like(cost)
    ratio = xp.where(more, least / xp.where(more, cost, ones), ones)
    share = ratio if exponent == 1.0 else ratio**exponent
    whole = xp.sum(share, axis=0)[None, :]
    share = share / whole
    damped = whole ** (-1.0 / exponent)
    return (least * damped)[0, :], share, ratio * share * damped
