"""Objects in an order of their own: what is found does not depend on the order they came in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.estimators.kernels.distances import in_units, squared_distances


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
        found = squared_distances(columns, columns[:, drawn].T)
        best = int(np.minimum(found, nearest).sum(axis=1).argmin())
        owner[found[best] < nearest] = cluster
        nearest = np.minimum(nearest, found[best])
        picked.append(int(drawn[best]))
    size = np.bincount(owner, minlength=clusters)
    sums = [np.bincount(owner, column, clusters) for column in columns]
    means = np.array(sums).T / np.maximum(size, 1)[:, None]
    return np.where(size[:, None] > 0, means, columns[:, picked].T)
