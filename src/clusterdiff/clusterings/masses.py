"""What is known of objects as mass functions: how much belief says "it is in one of these"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, ClassVar

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.encode.device_rows import on_host
from clusterdiff.clusterings.encode.group import MANY, by_appearance, number
from clusterdiff.clusterings.encode.sets import Sets, mix
from clusterdiff.errors import InputError

MOST = 1 << 28
"""Entries of a dense table that are held: 2 GiB of masses."""
CHUNK = 1 << 16
"""Rows that are worked on at a time."""


@dataclass(frozen=True, eq=False)
class Masses:
    """Distinct mass functions over sets of clusters, one per row.

    `table` is None where each row has all of its mass on one set, the one of the same number.
    """

    focal: Sets
    """The sets of clusters that hold mass; the empty one may be among them."""
    clusters: int
    """How many clusters there are, also those that no set names."""
    table: Floats | None = None
    """Rows x focal sets."""
    tensor: ClassVar[Any] = None
    """The same where it lies on a device."""

    @property
    def rows(self) -> int:
        """How many mass functions there are."""
        return self.focal.number if self.table is None else len(self.table)

    @cached_property
    def mass(self) -> Floats:
        """Rows x focal sets, also where each row has one set only."""
        if self.table is not None:
            return self.table
        refuse_large(self.focal.number, self.focal.number)
        return np.eye(self.focal.number)

    @cached_property
    def member(self) -> Bools:
        """Focal sets x clusters: which clusters are in which set."""
        refuse_large(self.focal.number, self.clusters)
        inside = np.zeros((self.focal.number, self.clusters), np.bool_)
        inside[self.focal.owner, self.focal.member] = True
        return inside

    @cached_property
    def incidence(self) -> Any:
        """Focal sets x clusters as a sparse 0/1 matrix."""
        from scipy.sparse import csr_array

        ones = np.ones(self.focal.member.size)
        shape = (self.focal.number, self.clusters)
        return csr_array((ones, self.focal.member, self.focal.start), shape=shape)

    @cached_property
    def disjoint(self) -> Floats:
        """Focal sets x focal sets: 1 where both hold clusters and share none."""
        refuse_large(self.focal.number, self.focal.number)
        inside = self.member.astype(np.float64)
        some = self.focal.size > 0
        return np.asarray((inside @ inside.T == 0) & some[:, None] & some, np.float64)

    @cached_property
    def bayesian(self) -> bool:
        """Whether no set holds more than one cluster."""
        return bool((self.focal.size <= 1).all())

    @cached_property
    def settled(self) -> Ints:
        """The cluster that each row is in for certain, -1 where it is not certain."""
        alone = self.focal.size == 1
        cluster = np.full(self.focal.number + 1, -1)
        cluster[:-1][alone] = self.focal.member[self.focal.start[:-1][alone]]
        if self.table is None:
            return cluster[:-1]
        chosen = np.full(self.rows, -1)
        row, column = np.nonzero(self.table == 1)
        chosen[row] = column
        return np.asarray(cluster[chosen])

    @cached_property
    def held(self) -> int:
        """How many clusters hold any mass."""
        named = np.ones(self.focal.number, np.bool_)
        if self.table is not None:
            named = np.asarray((self.table > 0).any(axis=0))
        return np.unique(self.focal.member[named[self.focal.owner]]).size

    @cached_property
    def empty(self) -> Floats:
        """The mass of each row on the empty set."""
        return np.asarray(self.summed((self.focal.size == 0).astype(np.float64)[:, None])[:, 0])

    @cached_property
    def single(self) -> Floats:
        """Rows x clusters: the mass on the cluster alone."""
        return self.summed(self.alone)

    @cached_property
    def alone(self) -> Floats:
        """Focal sets x clusters: 1 where the set is the cluster alone."""
        return np.asarray(self.member & (self.focal.size == 1)[:, None], np.float64)

    @cached_property
    def plausible(self) -> Floats:
        """Rows x clusters: the mass on sets that hold the cluster."""
        return self.summed(self.member.astype(np.float64))

    @cached_property
    def betting(self) -> Floats:
        """Rows x clusters: the mass of each set shared evenly among its clusters."""
        return self.summed(self.member.astype(np.float64) / np.maximum(self.focal.size, 1)[:, None])

    def summed(self, of_sets: Floats, rows: Ints | None = None) -> Floats:
        """For each row, or for some, the sum over sets of mass times a value of the set."""
        if self.table is None:
            return of_sets if rows is None else of_sets[rows]
        return np.asarray((self.table if rows is None else self.table[rows]) @ of_sets)

    def take(self, rows: Ints) -> Masses:
        """The mass functions at these positions."""
        if self.table is None:
            return Masses(self.focal.take(rows), self.clusters)
        return Masses(self.focal, self.clusters, self.table[rows])


class DeviceMasses(Masses):
    """Mass functions on a device; the table is copied to the host when it is asked for."""

    def __init__(self, focal: Sets, clusters: int, tensor: Any) -> None:
        for name, value in (("focal", focal), ("clusters", clusters), ("tensor", tensor)):
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        """How many mass functions there are."""
        return len(self.tensor)

    @cached_property
    def table(self) -> Floats:
        """Rows x focal sets."""
        return np.asarray(on_host(self.tensor))

    def take(self, rows: Ints) -> DeviceMasses:
        """The mass functions at these positions."""
        return DeviceMasses(self.focal, self.clusters, self.tensor[rows])


def refuse_large(rows: int, columns: int) -> None:
    """Refuse to lay out a table that is too large to hold."""
    if rows * columns > MOST:
        raise InputError(
            f"a table of {rows:,} x {columns:,} masses would be needed, more than {MOST:,} "
            "entries.",
            "compare fewer objects or clusters at a time, or clustering.harden().",
        )


def profiles_of(matrix: Floats) -> tuple[Ints, Floats]:
    """A code for each row, equal where rows are, and the distinct rows.

    Where most of many rows differ, each keeps a code of its own: nothing is gained by sorting them.
    """
    size = len(matrix)
    for salt in count(1):
        keys = _fingerprints(matrix, salt)
        if size >= MANY and 2 * number(keys)[1] > size:
            return np.arange(size), matrix
        codes, example = by_appearance(keys)
        table = matrix[example]
        if all(
            np.array_equal(table[codes[at : at + CHUNK]], matrix[at : at + CHUNK])
            for at in range(0, size, CHUNK)
        ):
            return codes, table
    raise AssertionError


def _fingerprints(matrix: Floats, salt: int) -> Ints:
    """A hash of each row of numbers."""
    if matrix.size >= MANY:
        from clusterdiff.clusterings.encode.group_kernels import hash_rows

        return hash_rows(matrix, salt)
    words = np.ascontiguousarray(matrix + 0.0).view(np.uint64).reshape(matrix.shape)
    place = mix(np.arange(1, matrix.shape[1] + 1, dtype=np.uint64) + np.uint64(salt << 40))
    return np.asarray(mix(words + place).sum(axis=1, dtype=np.uint64).view(np.int64))
