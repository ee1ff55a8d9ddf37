"""Possibilistic clusterings: how possible it is for each object to be in each cluster."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.arrays import opened
from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.columns import hashable
from clusterdiff.clusterings.degrees import (
    Degrees,
    Masses,
    check_extras,
    check_large,
    checked,
    degrees_of,
    degrees_of_rows,
)
from clusterdiff.clusterings.grouping import number
from clusterdiff.clusterings.rough import Rough
from clusterdiff.clusterings.sets import Sets, number_sets
from clusterdiff.clusterings.soft import Graded
from clusterdiff.clusterings.tensors import on_host
from clusterdiff.errors import InputError, examples, shown


class Possibilistic(Graded):
    """Each object is in one cluster, and each cluster is possible to a degree from 0 to 1.

    >>> Possibilistic([[1, 0], [1, 0.4]])
    Possibilistic(2 objects, 2 clusters, 1 uncertain)
    >>> Possibilistic([[0.6, 0.3]]).of(0)[frozenset()]
    0.4

    The degrees stand for nested sets, from what is most possible outwards. Where the largest
    degree is below 1, the rest is mass on the empty set: the object may be in no known cluster.
    """

    kind = "possibilistic"

    def __init__(
        self, degrees: Any, ids: Any = None, samples: Any = None, *, labels: Any = None
    ) -> None:
        if isinstance(degrees, Clustering):
            check_extras("possibilistic", ids=ids, samples=samples, labels=labels)
            self._lift(degrees)
            return
        self._fill(degrees_of(degrees, ids, labels)._replace(samples=samples))

    def _lift(self, other: Clustering) -> None:
        """The same clustering; each cluster that a rough one names is possible in full."""
        if not isinstance(other, Rough):
            super()._lift(other)
            return
        self._shared(other)
        self.code, self.labels = other.code, other.labels
        self.degree = other.masses.member.astype(np.float64)

    @classmethod
    def from_rows(cls, ids: Any, clusters: Any, degrees: Any, samples: Any = None) -> Self:
        """A possibilistic clustering from a table with a row for each object and cluster."""
        made = object.__new__(cls)
        made._fill(degrees_of_rows(ids, clusters, degrees, samples))
        return made

    def _fill(self, found: Degrees) -> None:
        self._fill_degrees(found, checked(found))

    def possibility(self, labels: Any, t_norm: Literal["min", "product"] = "min") -> float:
        """How possible it is that these are the clusters of all objects.

        >>> Possibilistic([[1, 0.4], [0.5, 1]]).possibility([1, 0], "product")
        0.2
        """
        if t_norm not in ("min", "product"):
            raise InputError(
                f"there is no t-norm {shown(t_norm)} here.", 't_norm is "min" or "product".'
            )
        place = {name: i for i, name in enumerate(self.labels.tolist())}
        given = hashable(list(opened(labels)))
        try:
            if len(given) != len(self):
                raise IndexError
            chosen = self.degree[self.code, [place[label] for label in given]]
        except (KeyError, IndexError):
            raise InputError(
                "these are not clusters of all the objects.",
                f"give one of {examples(place, 5)} for each of the {len(self):,} objects.",
            ) from None
        return float(chosen.min(initial=1.0) if t_norm == "min" else chosen.prod())

    def _drop_empty(self) -> None:
        most = self.degree.max(axis=1, keepdims=True, initial=0.0)
        self.degree = self.degree / np.where(most > 0, most, 1.0)

    @cached_property
    def masses(self) -> Masses:
        """The distinct mass functions: a step of the degrees on each of the nested sets."""
        return Nested(self.degree) if self.tensor is None else DeviceNested(self.tensor)


class Nested(Masses):
    """Mass functions on nested sets, given by degrees; the sets are found when they are needed."""

    degree: Floats

    def __init__(self, degree: Floats) -> None:
        object.__setattr__(self, "degree", degree)
        object.__setattr__(self, "clusters", degree.shape[1])

    @property
    def rows(self) -> int:
        """How many mass functions there are."""
        return len(self.degree)

    @cached_property
    def focal(self) -> Sets:
        """The sets that hold mass."""
        return self._written_out[0]

    @cached_property
    def table(self) -> Floats:
        """Rows x focal sets."""
        return self._written_out[1]

    @cached_property
    def plausible(self) -> Floats:
        """Rows x clusters: the degrees."""
        return self.degree

    @cached_property
    def single(self) -> Floats:
        """Rows x clusters: how far the most possible cluster is ahead of the next."""
        alone = np.zeros_like(self.degree)
        if self.clusters:
            best = self.degree.argmax(axis=1)
            level = np.sort(self.degree, axis=1)
            next_best = level[:, -2] if self.clusters > 1 else 0.0
            alone[np.arange(self.rows), best] = level[:, -1] - next_best
        return alone

    @cached_property
    def empty(self) -> Floats:
        """What the largest degree lacks to one."""
        return np.asarray(1.0 - self.degree.max(axis=1, initial=0.0))

    @cached_property
    def settled(self) -> Ints:
        """The cluster that each row is in for certain, -1 where it is not certain."""
        certain = (self.empty == 0) & ((self.degree > 0).sum(axis=1) == 1)
        best = self.degree.argmax(axis=1) if self.clusters else np.zeros(self.rows, np.int64)
        return np.where(certain, best, -1)

    @cached_property
    def held(self) -> int:
        """How many clusters are possible for any row."""
        return int((self.degree > 0).any(axis=0).sum())

    def take(self, rows: Ints) -> Nested:
        """The mass functions at these positions."""
        return Nested(self.degree[rows])

    @cached_property
    def _written_out(self) -> tuple[Sets, Floats]:
        """The sets that hold mass, and the table of masses."""
        rows, clusters = self.degree.shape
        check_large(rows, max(clusters, 1) ** 2)
        order = np.argsort(-self.degree, axis=1, kind="stable")
        level = np.take_along_axis(self.degree, order, axis=1)
        step = level - np.column_stack([level[:, 1:], np.zeros(rows)])
        nested, example = _nested(order)
        codes, first = number_sets(example)
        focal = example.take(first)
        with_empty = bool((self.empty > 0).any())
        check_large(rows, focal.number + with_empty)
        table = np.zeros((rows, focal.number + with_empty))
        np.add.at(table, (np.arange(rows)[:, None], codes[nested]), step)
        if with_empty:
            table[:, -1] = self.empty
            focal = Sets(np.append(focal.start, focal.start[-1]), focal.member)
        used = np.flatnonzero((table > 0).any(axis=0))
        return focal.take(used), np.ascontiguousarray(table[:, used])


class DeviceNested(Nested):
    """Nested sets by degrees on a device, which are copied to the host when they are asked for."""

    def __init__(self, tensor: Any) -> None:
        object.__setattr__(self, "tensor", tensor)
        object.__setattr__(self, "clusters", tensor.shape[1])

    @property
    def rows(self) -> int:
        """How many mass functions there are."""
        return len(self.tensor)

    @cached_property
    def degree(self) -> Floats:  # type: ignore[override]
        """Rows x clusters."""
        return np.asarray(on_host(self.tensor))

    def take(self, rows: Ints) -> DeviceNested:
        """The mass functions at these positions."""
        return DeviceNested(self.tensor[rows])


def _nested(order: Ints) -> tuple[Ints, Sets]:
    """For each row the numbers of its nested sets, the smallest first, and the sets.

    Rows with the same order of clusters have the same sets.
    """
    rows, clusters = order.shape
    key = np.zeros(rows, np.int64)
    for j in range(clusters):
        key = number(key * max(clusters, 1) + order[:, j])[0]
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    distinct = order[first]
    size = np.tile(np.arange(1, clusters + 1), len(distinct))
    start = np.concatenate([[0], np.cumsum(size)])
    inside = np.tril(np.ones((clusters, clusters), np.bool_))
    member = np.broadcast_to(distinct[:, None, :], (len(distinct), clusters, clusters))
    ranked = np.sort(np.where(inside, member, clusters), axis=2)
    kept = Sets(start, ranked[ranked < clusters])
    return np.arange(len(distinct) * clusters).reshape(len(distinct), clusters)[kind.ravel()], kept
