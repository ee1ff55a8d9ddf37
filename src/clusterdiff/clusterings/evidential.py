"""Evidential clusterings: masses of belief on sets of clusters, the most general kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from clusterdiff.clusterings.column import Column, column
from clusterdiff.clusterings.cover import Cover
from clusterdiff.clusterings.degrees import (
    BETWEEN,
    Degrees,
    checked,
    degrees_of,
    degrees_of_rows,
    summing_to_one,
)
from clusterdiff.clusterings.fuzzy import coded
from clusterdiff.clusterings.masses import Masses, profiles_of
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.sets import Sets, number_sets, sets_of_rows, singles
from clusterdiff.clusterings.soft import Soft
from clusterdiff.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Evidential(Soft):
    """Each object is in one cluster; masses say how much speaks for it being in one of a set.

    >>> Evidential([[1, 0], [0.5, 0.5]], focal=[["a"], ["a", "b"]])
    Evidential(2 objects, 2 clusters, 1 uncertain)
    >>> Evidential({"x": {"a": 0.7, "a|b": 0.2, "": 0.1}}).of("x")[frozenset()]
    0.1

    `focal` names the set of each column; the empty set is allowed and stands for "none of them".
    Dicts have a set as key: a text with | between clusters, a tuple or a frozenset.
    """

    kind = "evidential"
    focal: Sets
    """The sets of clusters that hold mass."""
    mass: Floats | None
    """Distinct rows x focal sets; None where each row has all of its mass on its own set."""

    def __init__(
        self,
        masses: Any,
        focal: Iterable[Any] | None = None,
        ids: Any = None,
        samples: Any = None,
        *,
        labels: Any = None,
    ) -> None:
        if isinstance(masses, Evidential):
            vars(self).update(vars(masses))
        elif isinstance(masses, Soft):
            self._shared(masses)
            self.code, self.labels = masses.code, masses.labels
            self.focal, self.mass = masses.masses.focal, masses.masses.table
        elif isinstance(masses, Partition):
            self._shared(masses)
            self.code, self.labels = coded(masses)
            self.focal, self.mass = singles(np.arange(len(self.labels))), None
        elif focal is None:
            found = degrees_of(masses, ids)
            if not (isinstance(masses, Mapping) or _has_dicts(masses)):
                raise InputError(
                    f"a matrix of {found.matrix.shape[1]:,} columns of masses needs the set of "
                    "clusters that each column stands for.",
                    'cd.Evidential(masses, focal=[["a"], ["b"], ["a", "b"]])',
                )
            self._fill(found._replace(samples=samples), list(map(split, found.labels.tolist())))
        else:
            sets = [split(one) for one in focal]
            found = degrees_of(masses, ids)
            if len(sets) != found.matrix.shape[1]:
                raise InputError(
                    f"there are {found.matrix.shape[1]:,} columns of masses and {len(sets):,} "
                    "focal sets.",
                    "give one set of clusters per column; [] is the empty set.",
                )
            self._fill(found._replace(samples=samples), sets, labels)

    @classmethod
    def from_rows(cls, ids: Any, clusters: Any, masses: Any, samples: Any = None) -> Self:
        """An evidential clustering from a table with a row for each object and set (`a|b`).

        >>> Evidential.from_rows(["x", "x", "y"], ["a", "a|b", "b"], [0.5, 0.5, 1])
        Evidential(2 objects, 2 clusters, 1 uncertain)
        """
        sets = column(clusters)
        if (nulls := sets.nulls()) is not None:
            named = ["" if null else name for name, null in zip(sets.tolist(), nulls, strict=True)]
            sets = column(named)
        found = degrees_of_rows(ids, sets, masses, samples)
        made = object.__new__(cls)
        made._fill(found, list(map(split, found.labels.tolist())))
        return made

    def _fill(self, found: Degrees, sets: list[list[Any]], labels: Any = None) -> None:
        matrix = summing_to_one(found, checked(found), "refuse", "evidential")
        self._start(len(matrix), found.ids, found.samples)
        if labels is not None:
            _refuse_unknown(sets, labels)
        each = Cover(sets)
        self.labels, each_set = _named(each, labels)
        code, example = number_sets(each_set)
        if example.size < len(sets):
            merged = np.zeros((len(matrix), example.size))
            np.add.at(merged.T, code, matrix.T)
            matrix = merged
            self.focal = each_set.take(example)
        else:
            order = np.argsort(code)
            matrix, self.focal = np.ascontiguousarray(matrix[:, order]), each_set.take(order)
        self.code, self.mass = profiles_of(matrix)

    @cached_property
    def masses(self) -> Masses:
        """The distinct mass functions."""
        return Masses(self.focal, self.clusters, self.mass)


def split(name: Any) -> list[Any]:
    """The clusters of a set that is written as a text, a collection or a single label."""
    if isinstance(name, str):
        return [part.strip() for part in name.split(BETWEEN)] if name.strip() else []
    if name is None:
        return []
    if isinstance(name, Iterable) and not isinstance(name, bytes):
        return list(name)
    return [name]


def _has_dicts(masses: Any) -> bool:
    return isinstance(masses, list | tuple) and any(isinstance(one, Mapping) for one in masses)


def _refuse_unknown(sets: list[list[Any]], labels: Any) -> None:
    """Focal sets may only name clusters that there are."""
    known = column(labels).tolist()
    unknown = list(dict.fromkeys(c for one in sets for c in one if c not in set(known)))
    if unknown:
        near = did_you_mean(str(unknown[0]), [str(label) for label in known])
        raise InputError(
            f"{len(unknown):,} clusters of the focal sets are not among the {len(known):,} labels "
            f"(such as {unknown[0]!r}).",
            f"{near}labels= has to name every cluster; leave it out to take them as they come.",
        )


def _named(each: Cover, labels: Any) -> tuple[Column, Sets]:
    """The names of the clusters, and the set of each column in their numbers."""
    sets = each.sets.take(each.code)
    if labels is None:
        return each.labels, sets
    names = column(labels)
    place = {name: i for i, name in enumerate(names.tolist())}
    member: Ints = np.array([place[each.labels[c]] for c in sets.member], np.int64)
    return names, sets_of_rows(sets.owner, member, sets.number)[0]
