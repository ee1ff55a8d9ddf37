"""Uncertain clusterings: each object is in one cluster, and which one is known in part."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import tensors as device_rows
from clusterdiff.clusterings.arrays import as_value, is_tensor
from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.columns import Column
from clusterdiff.clusterings.degrees import Degrees, Masses, check_large, profiles_of
from clusterdiff.clusterings.grouping import number
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.tensors import on_host
from clusterdiff.errors import InputError, shown

if TYPE_CHECKING:
    from clusterdiff.clusterings.fuzzy import Fuzzy


class Relation(NamedTuple):
    """The relation of two objects: masses on impossible, together, apart, and unknown."""

    empty: float
    same: float
    apart: float
    unknown: float


class Soft(Clustering):
    """Each object is in one cluster; the evidence is distributed as masses on sets of them.

    Objects of which the same is known share a code.
    """

    code: Ints
    """For each object the number of its mass function."""
    labels: Column
    """The name of each cluster."""
    tensor: Any = None
    """The distinct rows of degrees or masses, where they lie on a device."""

    @property
    @abstractmethod
    def masses(self) -> Masses:
        """The distinct mass functions."""

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.labels)

    def __len__(self) -> int:
        return self.code.size

    def __repr__(self) -> str:
        said = f"{len(self):,} objects, {self.clusters:,} clusters"
        unsure = int((self.masses.settled[self.code] < 0).sum())
        return f"{type(self).__name__}({said}, {unsure:,} uncertain)"

    def take(self, index: Ints) -> Self:
        """The same clustering of the objects at these positions."""
        return self._taken(index, **{**vars(self), "code": self.code[index]})

    def of(self, item: Any) -> dict[frozenset[Any], float]:
        """The evidence on an object, by its id: sets of clusters and the mass on each."""
        m, row = self.masses, int(self.code[self._position(item)])
        names, focal = self.labels, m.focal
        sets = [row] if m.table is None else np.flatnonzero(m.table[row]).tolist()
        members = {a: focal.member[focal.start[a] : focal.start[a + 1]].tolist() for a in sets}
        return {
            frozenset(names[c] for c in members[a]): 1.0
            if m.table is None
            else float(m.table[row, a])
            for a in sorted(sets, key=lambda a: (len(members[a]), members[a]))
        }

    def relation(self, first: Any, second: Any) -> Relation:
        """The evidence on whether two different objects are in one cluster.

        >>> import clusterdiff as cd
        >>> cd.Rough([{"a"}, {"a", "b"}]).relation(0, 1)
        Relation(empty=0.0, same=0.0, apart=0.0, unknown=1.0)
        """
        if first == second:
            return Relation(0.0, 1.0, 0.0, 0.0)
        one, other = self.of(first), self.of(second)
        same = sum(m * other.get(a, 0.0) for a, m in one.items() if len(a) == 1)
        apart = sum(
            m * n for a, m in one.items() for b, n in other.items() if a and b and not a & b
        )
        none, lacks = one.get(frozenset(), 0.0), other.get(frozenset(), 0.0)
        empty = none + lacks - none * lacks
        unknown = max(0.0, 1.0 - empty - same - apart)
        return Relation(float(empty), float(same), float(apart), float(unknown))

    def relations(self) -> Iterator[tuple[Any, Any, Relation]]:
        """All pairs of objects with the evidence on each: quadratic, for small clusterings."""
        ids = [self.id_of(i) for i in range(len(self))]
        for i, first in enumerate(ids):
            for second in ids[i + 1 :]:
                yield first, second, self.relation(first, second)

    def distribution(self, most: int = 100_000) -> dict[tuple[frozenset[Any], ...], float]:
        """The clustering as chances of rough ones, which name a set of clusters for each object.

        >>> import clusterdiff as cd
        >>> cd.Fuzzy([[1, 0], [0.25, 0.75]]).distribution()
        {(frozenset({0}), frozenset({0})): 0.25, (frozenset({0}), frozenset({1})): 0.75}
        """
        each = [list(self.of(self.id_of(i)).items()) for i in range(len(self))]
        many = prod(map(len, each))
        if many > most:
            raise InputError(
                f"the clustering stands for {float(many):.3g} rough clusterings, more than "
                f"{most:,}.",
                "take fewer objects, clustering.take(positions), or raise most=.",
            )
        return {
            tuple(a for a, _ in chosen): prod(m for _, m in chosen) for chosen in product(*each)
        }

    def harden(self) -> Partition:
        """The likeliest cluster of each object, the first of those that are equally likely.

        What is unknown is shared out evenly. An object that is in no known cluster for certain
        gets a null label. What was uncertain is lost.
        """
        m = self.masses
        if m.table is None:
            nowhere = m.focal.size == 0
            best = np.append(m.focal.member, 0)[np.where(nowhere, -1, m.focal.start[:-1])]
        else:
            nowhere = m.betting.max(axis=1, initial=0.0) <= 0
            best = np.column_stack([m.betting, np.full(m.rows, -1.0)]).argmax(axis=1)
        chosen = best[self.code]
        if not nowhere[self.code].any():
            hard = Partition(self.labels.take(chosen), self.ids, self.samples)
            return hard.counting_like(self)
        names = [None if nowhere[c] else self.labels[int(best[c])] for c in self.code]
        return Partition(names, self.ids, self.samples).counting_like(self)

    def pignistic(self) -> Fuzzy:
        """Chances to bet with: the mass of each set shared evenly among its clusters.

        Mass on the empty set is shared among the rest in proportion. What told ignorance from
        chance is lost.
        """
        from clusterdiff.clusterings.fuzzy import Fuzzy

        self._check_lost("no chances follow")
        m = self.masses
        known = np.where(m.empty < 1, 1.0 - m.empty, 1.0)
        return Fuzzy._filled(self, m.betting / known[:, None])

    def normalise(self) -> Self:
        """The same if each object is in one of the known clusters: what is on the empty set is
        shared among the other sets in proportion (Dempster's rule of conditioning).

        >>> import clusterdiff as cd
        >>> cd.Possibilistic([[0.5, 0.25]]).normalise().of(0)
        {frozenset({0}): 0.5, frozenset({0, 1}): 0.5}
        """
        self._check_lost("nothing is left to share it among")
        made = self.take(np.arange(len(self)))
        vars(made).pop("masses", None)
        made._drop_empty()
        made.tensor = None
        return made

    @abstractmethod
    def _drop_empty(self) -> None:
        """Take the empty set away, where objects that are there have mass elsewhere."""

    def _check_lost(self, then: str) -> None:
        """Refuse objects that are in no known cluster for certain."""
        lost = (self.masses.empty >= 1)[self.code]
        if lost.any():
            raise InputError(
                f"{int(lost.sum()):,} of {len(self):,} objects have all of their mass on the "
                f"empty set (such as {shown(self.id_of(int(np.argmax(lost))))}): {then}.",
                "drop them, clustering.take(positions).",
            )

    def _position(self, item: Any) -> int:
        item = as_value(item)
        if self.ids is None:
            if not (isinstance(item, int | np.integer) and 0 <= item < len(self)):
                raise InputError(
                    f"there is no object {shown(item)}.", f"objects are 0 to {len(self) - 1}."
                )
            return int(item)
        where = np.flatnonzero(self.ids.equals(item))
        if not where.size:
            raise InputError(f"there is no object {shown(item)}.", "use an id of the clustering.")
        return int(where[0])

    def _shared(self, other: Clustering) -> None:
        """Take ids and samples from another clustering."""
        self.ids, self.samples = other.ids, other.samples
        self.counting_like(other)

    def _start(self, size: int, ids: Any, samples: Any) -> None:
        """Take ids and samples, each id once."""
        Clustering.__init__(self, size, ids, samples)
        self._check_repeats(f"cd.{type(self).__name__}.from_rows")


class Graded(Soft):
    """An uncertain clustering with a degree for each object and cluster."""

    @cached_property
    def degree(self) -> Floats:
        """Distinct rows x clusters; what lies on a device is copied when it is asked for."""
        return np.asarray(on_host(self.tensor))

    def _fill_degrees(self, found: Degrees, matrix: Any) -> None:
        """Take ids, samples and labels as they were found, and degrees as they were checked."""
        self._start(len(matrix), found.ids, found.samples)
        self.labels = found.labels
        if is_tensor(matrix):
            self.code, self.tensor = device_rows.profiles_of(matrix)
        else:
            self.code, self.degree = profiles_of(matrix)

    def _lift(self, other: Clustering) -> None:
        """The same clustering, each object in its cluster for certain."""
        if isinstance(other, type(self)):
            vars(self).update(vars(other))
            return
        if isinstance(other, Soft):
            raise InputError.from_lift(other.kind, self.kind)
        self._shared(other)
        self.code, self.labels = coded(other)
        check_large(len(self.labels), len(self.labels))
        self.degree = np.eye(len(self.labels))


def coded(partition: Clustering) -> tuple[Any, Any]:
    """The number of each object's cluster, and the names of the clusters."""
    if not isinstance(partition, Partition):
        raise InputError.from_cover("uncertain")
    if (nulls := partition.labels.nulls()) is not None:
        where = np.flatnonzero(nulls)
        raise InputError.from_nulls(
            "the partition", where.size, len(partition), [partition.id_of(int(where[0]))]
        )
    code, many = number(partition.labels.keys)
    first = np.empty(many, np.int64)
    first[code[::-1]] = np.arange(code.size)[::-1]
    return code, partition.labels.take(first)
