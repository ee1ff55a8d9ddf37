"""Evidential clusterings: masses of belief on sets of clusters, the most general kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import Any, Self

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import tensors as device_rows
from clusterdiff.clusterings.arrays import as_value, as_values, is_frame, is_tensor, listed, opened
from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.columns import Column, column, hashable
from clusterdiff.clusterings.cover import INDICATOR, Cover, in_order, is_bit, is_indicator
from clusterdiff.clusterings.degrees import (
    BETWEEN,
    Degrees,
    DeviceMasses,
    Masses,
    check_extras,
    check_unknown,
    checked,
    degrees_of,
    degrees_of_rows,
    profiles_of,
    summing_to_one,
)
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.sets import Sets, number_sets, sets_of_rows, singles
from clusterdiff.clusterings.soft import Soft, coded
from clusterdiff.clusterings.tensors import on_host
from clusterdiff.errors import InputError, a_type, examples, shown

EMPTY = "∅"
"""The empty set, as a text."""


class Evidential(Soft):
    """Each object is in one cluster; masses say how much speaks for it being in one of a set.

    >>> Evidential([[1, 0], [0.5, 0.5]], focal=[["a"], ["a", "b"]])
    Evidential(2 objects, 2 clusters, 1 uncertain)
    >>> Evidential({"x": {"a": 0.7, "a|b": 0.2, "": 0.1}}).of("x")[frozenset()]
    0.1

    `focal` names the set of each column, or is a 0/1 matrix with a row for each set and a column
    for each cluster:

    >>> Evidential([[1, 0, 0], [0, 0.5, 0.5]], focal=np.array([[1, 0], [1, 1], [0, 0]])).of(1)
    {frozenset(): 0.5, frozenset({0, 1}): 0.5}

    Mass on the empty set says that the object is in none of the clusters, e.g. an outlier. In
    Python the empty set is `[]`, as a text it is "", "∅" or "{}". Dicts have a set as key: a text
    such as "a|b" or "{a,b}", a tuple or a frozenset. A result of the package evclust, a dict with
    "mass" and "F", is taken as it is.
    """

    kind = "evidential"
    focal: Sets
    """The sets of clusters that hold mass."""

    @cached_property
    def mass(self) -> Floats | None:
        """Distinct rows x focal sets; None where each row has all of its mass on its own set. What
        lies on a device is copied when it is asked for.
        """
        return np.asarray(on_host(self.tensor))

    def __init__(
        self,
        masses: Any,
        focal: Iterable[Any] | None = None,
        ids: Any = None,
        samples: Any = None,
        *,
        labels: Any = None,
    ) -> None:
        if isinstance(masses, Clustering):
            check_extras("evidential", focal=focal, ids=ids, samples=samples, labels=labels)
            self._lift(masses)
            return
        if is_credal(masses):
            if focal is not None:
                raise InputError("the focal sets are in F already.", "leave focal= out.")
            masses, focal = masses["mass"], masses["F"]
        found = degrees_of(masses, ids)._replace(samples=samples)
        if focal is None:
            if not found.named and all(found.matrix.shape):
                raise InputError(
                    f"a matrix of {found.matrix.shape[1]:,} columns of masses needs the set of "
                    "clusters that each column stands for.",
                    'cd.Evidential(masses, focal=[["a"], ["b"], ["a", "b"]])',
                )
            self._fill(found, list(map(split, found.labels.tolist())), labels)
            return
        if found.named:
            raise InputError(
                "the keys of the dicts are the focal sets already.", "leave focal= out."
            )
        if is_frame(type(focal)):
            raise InputError(
                f"focal sets are a list or a 0/1 matrix, but this is {a_type(focal)}.",
                "cd.Evidential(masses, focal=frame.to_numpy(), labels=list(frame.columns))",
            )
        focal = opened(focal)
        matrix = hasattr(focal, "tocoo") or getattr(focal, "ndim", 1) == 2
        named = isinstance(focal, str | bytes | Mapping | Set) or not isinstance(focal, Iterable)
        if not matrix and not named and is_indicator(focal := as_values(listed(focal))):
            focal, matrix = np.array(focal, np.float64), True
            self.notes = (INDICATOR,)
        if matrix:
            self._fill(found, *_of_matrix(focal, found.matrix.shape[1], labels))
            return
        if named:
            raise InputError(
                "focal sets are a list, one set of clusters per column of masses.",
                'focal=[["a"], ["b"], ["a", "b"]]; [] is the empty set.',
            )
        sets = [split(one) for one in focal]
        if len(sets) != found.matrix.shape[1]:
            raise InputError(
                f"there are {found.matrix.shape[1]:,} columns of masses and {len(sets):,} "
                "focal sets.",
                "give one set of clusters per column; [] is the empty set.",
            )
        self._fill(found, sets, labels)

    def _lift(self, other: Clustering) -> None:
        """The same clustering, of whatever kind it was."""
        if isinstance(other, Evidential):
            vars(self).update(vars(other))
        elif isinstance(other, Soft):
            self._shared(other)
            self.code, self.labels = other.code, other.labels
            self.focal, self.mass = other.masses.focal, other.masses.table
        elif isinstance(other, Partition):
            self._shared(other)
            self.code, self.labels = coded(other)
            self.focal, self.mass = singles(np.arange(len(self.labels))), None
        else:
            raise InputError.from_cover("evidential")

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
        matrix: Any = summing_to_one(found, checked(found), "refuse", "evidential")
        self._start(len(matrix), found.ids, found.samples)
        if labels is not None:
            _check_unknown(sets, labels)
        each = Cover._of_labels(sets)
        self.labels, each_set = _named(each, labels)
        code, example = number_sets(each_set)
        if is_tensor(matrix):
            self.focal = each_set.take(example)
            kept = np.equal.outer(code, np.arange(example.size)).astype(np.float64)
            self.code, self.tensor = device_rows.profiles_of(device_rows.mixed(matrix, kept))
            return
        if example.size < len(sets):
            merged = np.zeros((len(matrix), example.size))
            np.add.at(merged.T, code, matrix.T)
            matrix = merged
            self.focal = each_set.take(example)
        else:
            order = np.argsort(code)
            matrix, self.focal = np.ascontiguousarray(matrix[:, order]), each_set.take(order)
        self.code, self.mass = profiles_of(matrix)

    def _drop_empty(self) -> None:
        if self.mass is None:
            return
        some = np.flatnonzero(self.focal.size)
        kept = self.mass[:, some]
        total = kept.sum(axis=1, keepdims=True)
        self.focal, self.mass = self.focal.take(some), kept / np.where(total > 0, total, 1.0)

    @cached_property
    def masses(self) -> Masses:
        """The distinct mass functions."""
        if self.tensor is not None:
            return DeviceMasses(self.focal, self.clusters, self.tensor)
        return Masses(self.focal, self.clusters, self.mass)


def split(name: Any) -> list[Any]:
    """The clusters of a set that is written as a text, a collection or a single label."""
    name = as_value(name)
    if isinstance(name, str):
        return _split_text(name)
    if name is None:
        return []
    if isinstance(name, Iterable) and not isinstance(name, bytes):
        return in_order(name)
    return [name]


def _split_text(name: str) -> list[Any]:
    """The clusters of `a`, `a|b`, `{a,b}` or `{a|b}`; the empty set is ``, `∅` or `{}`."""
    text = name.strip()
    braces = text.startswith("{") and text.endswith("}")
    inside = text[1:-1].strip() if braces else text
    if inside in ("", EMPTY) and not (braces and inside):
        return []
    between = "," if braces and BETWEEN not in inside else BETWEEN
    parts = [part.strip() for part in inside.split(between)]
    if "" in parts or EMPTY in parts or (braces and set("{}") & set(inside)):
        raise InputError(
            f"the set {shown(name)} names a cluster without a name.",
            "write | between clusters only, e.g. a|b; the empty set is an empty text, ∅ or {}.",
        )
    if any("," in part for part in parts):
        clusters = BETWEEN.join(part.strip() for part in inside.split(",") if part.strip())
        raise InputError(
            f"{shown(name)} can be a set of clusters or one cluster with a comma in its name.",
            f"write {clusters} for the set; in Python, the tuple ({name!r},) is the one cluster.",
        )
    return parts


def is_credal(value: Any) -> bool:
    """Whether a value is a credal partition of evclust: a dict with the matrices mass and F."""
    return (
        isinstance(value, Mapping)
        and "mass" in value
        and "F" in value
        and all(getattr(value[name], "ndim", 0) == 2 for name in ("mass", "F"))
    )


def _of_matrix(matrix: Any, columns: int, labels: Any) -> tuple[list[list[Any]], Any]:
    """The sets of a 0/1 matrix, focal sets x clusters, and the names of all clusters."""
    rows, clusters = matrix.shape
    if rows != columns:
        raise InputError(
            f"the 0/1 matrix of focal sets has {rows:,} rows and {clusters:,} columns, but there "
            f"are {columns:,} columns of masses.",
            "the matrix has a row for each focal set and a column for each cluster"
            + (": transpose it, focal=F.T." if clusters == columns else "."),
        )
    names = list(range(clusters)) if labels is None else hashable(labels)
    if len(names) != clusters:
        raise InputError(
            f"the 0/1 matrix of focal sets has {clusters:,} columns, but the number of labels is "
            f"{len(names):,}.",
            "give one label per column of the matrix.",
        )
    entries = matrix.tocoo().data if hasattr(matrix, "tocoo") else np.ravel(matrix)
    wrong = [value for value in entries.tolist() if not is_bit(value)]
    if wrong:
        raise InputError(
            f"{len(wrong):,} of {rows * clusters:,} entries in the matrix of focal sets are "
            f"neither 0 nor 1 ({examples(wrong)}). Such a matrix has a row for each set and a "
            "column for each cluster.",
            "if the rows list labels, give nested lists, focal=matrix.tolist().",
        )
    each = Cover(matrix)
    sets = each.sets.take(each.code)
    members = np.split(sets.member, sets.start[1:-1])
    return [[names[c] for c in one] for one in members], names


def _check_unknown(sets: list[list[Any]], labels: Any) -> None:
    """Focal sets may only name clusters that there are."""
    known = hashable(labels)
    if len(set(known)) < len(known):
        raise InputError("two of the labels are the same.", "name each cluster once.")
    named = dict.fromkeys(hashable([c for one in sets for c in one]))
    check_unknown("the focal sets", named, known, near=True)


def _named(each: Cover, labels: Any) -> tuple[Column, Sets]:
    """The names of the clusters, and the set of each column in their numbers."""
    sets = each.sets.take(each.code)
    if labels is None:
        return each.labels, sets
    names = column(labels)
    place = {name: i for i, name in enumerate(names.tolist())}
    member: Ints = np.array([place[each.labels[c]] for c in sets.member], np.int64)
    return names, sets_of_rows(sets.owner, member, sets.number)[0]
