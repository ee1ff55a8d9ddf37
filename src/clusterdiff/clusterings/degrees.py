"""Degrees of membership as users have them: matrices, dicts, long tables, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import tensors as device_rows
from clusterdiff.clusterings.arrays import (
    as_rows,
    as_value,
    as_values,
    is_frame,
    is_tensor,
    listed,
    opened,
    stays,
    tensor_of,
)
from clusterdiff.clusterings.base import column_of_length, owners_of_rows
from clusterdiff.clusterings.columns import Column, column, hashable
from clusterdiff.clusterings.grouping import MANY, by_appearance, hash_columns, number
from clusterdiff.clusterings.sets import Sets
from clusterdiff.clusterings.tensors import on_host
from clusterdiff.errors import InputError, a_type, did_you_mean, examples, shown

# Evidence on objects as mass functions: how much belief says "it is in one of these".

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
        check_large(self.focal.number, self.focal.number)
        return np.eye(self.focal.number)

    @cached_property
    def member(self) -> Bools:
        """Focal sets x clusters: which clusters are in which set."""
        check_large(self.focal.number, self.clusters)
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
        check_large(self.focal.number, self.focal.number)
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


def check_large(rows: int, columns: int) -> None:
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
    keys = np.empty(len(matrix), np.uint64)
    for at in range(0, len(matrix), CHUNK):
        rows = matrix[at : at + CHUNK] + 0.0  # no zeros below zero
        keys[at : at + CHUNK] = hash_columns(rows.T.copy().view(np.uint64), len(rows), salt)
    return keys.view(np.int64)


BETWEEN = "|"
"""What stands between the clusters of a set that is written as a text."""


class Degrees(NamedTuple):
    """Objects x clusters (or sets of clusters), with the names of the columns."""

    matrix: Any
    """An array of NumPy, or a tensor that stays on its device."""
    labels: Column
    ids: Column | None = None
    samples: Any = None
    named: bool = False
    """Whether the names come from dicts, not from the places of columns."""


def check_extras(kind: str, **given: Any) -> None:
    """A clustering that is lifted has its ids, samples and labels already."""
    extra = [name for name, value in given.items() if value is not None]
    if extra:
        raise InputError(
            f"a clustering that becomes {kind} keeps what it has; {extra[0]}= is not taken.",
            f"leave {extra[0]}= out.",
        )


def check_unknown(where: str, names: Iterable[Any], known: list[Any], near: bool = False) -> None:
    """Refuse names of clusters that are not among the labels; `near` hints at one that is like."""
    places = set(known)
    unknown = [name for name in names if name not in places]
    if unknown:
        hint = did_you_mean(str(unknown[0]), list(map(str, known))) if near else ""
        raise InputError(
            f"{len(unknown):,} clusters of {where} are not among the {len(known):,} labels "
            f"(such as {shown(unknown[0])}).",
            f"{hint}labels= has to name every cluster; leave it out to take them as they come.",
        )


def degrees_of(values: Any, ids: Any = None, labels: Any = None) -> Degrees:
    """Degrees from a matrix, from a dict for each object, or from a dict of either by id."""
    if is_frame(type(values)):
        raise InputError(
            f"{a_type(values)} is not a matrix of degrees.",
            "a frame with a column per cluster: cd.Fuzzy(frame.to_numpy()); one with the columns "
            'id, cluster and degree: cd.compare(truth, frame, kind="fuzzy"), or '
            "cd.Fuzzy.from_rows(ids, clusters, degrees).",
        )
    if not isinstance(values, np.ndarray) and stays(values):
        tensor = tensor_of(values)
        if (matrix := device_rows.as_doubles(tensor)) is not None:
            return _with_names(matrix, ids, labels)
        values = tensor.cpu()
    values = opened(values)
    if isinstance(values, Mapping) and not hasattr(values, "tocoo"):
        if ids is not None:
            raise InputError("a dict from id to degrees has its ids already.", "leave ids= out.")
        ids, values = list(values.keys()), list(values.values())
    if hasattr(values, "tocoo"):
        check_large(*values.shape)
        values = values.toarray()
    if not isinstance(values, np.ndarray) or (values.dtype.kind == "O" and values.ndim):
        values = as_values(list(values) if isinstance(values, np.ndarray) else listed(values))
        if any(isinstance(one, Mapping) for one in values):
            return _from_dicts(values, ids, labels)
        if any(isinstance(one, np.ma.MaskedArray) for one in values):
            raise InputError("some degrees are masked.", "fill them, e.g. matrix.filled(0).")
    return _with_names(_matrix(as_rows(values)), ids, labels)


def _with_names(matrix: Any, ids: Any, labels: Any) -> Degrees:
    """Degrees with a name for each column, its place if nothing is said."""
    ids = column_of_length("ids", ids, len(matrix))
    names = column(np.arange(matrix.shape[1]) if labels is None else labels)
    if len(names) != matrix.shape[1]:
        raise InputError(
            f"there are {matrix.shape[1]:,} columns of degrees but {len(names):,} names for them.",
            "give one of labels= per column.",
        )
    _check_names(names)
    return Degrees(matrix, names, ids)


def _check_names(names: Column) -> None:
    """Clusters have different names, and all have one."""
    if names.nulls() is not None:
        raise InputError("a cluster has no name (null).", "name every cluster.")
    if number(names.keys)[1] < len(names):
        raise InputError("two columns of degrees have the same name.", "name each differently.")


def degrees_of_rows(ids: Any, clusters: Any, degrees: Any, samples: Any = None) -> Degrees:
    """Degrees from a table with a row for each object and cluster: id, cluster, degree."""
    ids, clusters = column(ids), column(clusters)
    given = _numbers(degrees)
    sample = None if samples is None else column(samples)
    if len(clusters) != given.size == len(ids):
        raise InputError.from_lengths("clusters", len(clusters), given.size)
    owner, objects, sample = owners_of_rows(given.size, ids, sample)
    if (nulls := clusters.nulls()) is not None:
        raise InputError.from_rows_without_cluster(int(nulls.sum()), given.size)
    member, example = by_appearance(clusters.keys)
    cell = owner * max(example.size, 1) + member
    if again := cell.size - number(cell)[1]:
        raise InputError.from_other_degrees(again)
    check_large(len(objects), example.size)
    matrix = np.zeros((len(objects), example.size))
    matrix[owner, member] = given
    return Degrees(matrix, clusters.take(example), objects, sample)


def _from_dicts(values: list[Any], ids: Any, labels: Any) -> Degrees:
    """Degrees from a dict for each object, from cluster to degree."""
    wrong = [one for one in values if not isinstance(one, Mapping)]
    if wrong:
        raise InputError(
            f"some objects have a dict of degrees, and another has {shown(wrong[0])}.",
            "write a dict from cluster to degree for each object.",
        )
    names = list(dict.fromkeys(label for one in values for label in one))
    if labels is not None:
        known = hashable(labels)
        check_unknown("the dicts", names, known)
        names = known
    check_large(len(values), len(names))
    place = {label: i for i, label in enumerate(names)}
    matrix = np.zeros((len(values), len(names)))
    for row, one in zip(matrix, values, strict=True):
        for label, degree in one.items():
            row[place[label]] = _number(degree)
    listed = np.empty(len(names), object)
    listed[:] = names
    made = column(names if _plain(names) else listed)
    _check_names(made)
    return Degrees(matrix, made, column_of_length("ids", ids, len(values)), named=True)


def _plain(names: list[Any]) -> bool:
    return all(isinstance(name, str) for name in names) or not any(
        isinstance(name, Iterable) for name in names
    )


def _number(value: Any) -> float:
    value = as_value(value)
    try:
        return np.nan if value is None else float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"a degree of membership is a number, but {shown(value)} is {a_type(value)}.",
            "write numbers from 0 to 1.",
        ) from None
    except OverflowError:
        raise _too_large() from None


def _too_large() -> InputError:
    return InputError(
        "a degree of membership is a number from 0 to 1, and one is above 1e308.",
        "counts or scores can be divided by their sum first.",
    )


def _numbers(values: Any) -> Floats:
    """One number for each row."""
    values = values.to_numpy() if hasattr(values, "to_numpy") else opened(values)
    if not isinstance(values, np.ndarray):
        values = as_values(listed(values))
    elif values.dtype.kind in "iufb":
        return values.astype(np.float64).reshape(-1)
    return np.array([_number(value) for value in values], np.float64)


def _matrix(values: Any) -> Floats:
    if isinstance(values, np.ma.MaskedArray):
        raise InputError("some degrees are masked.", "fill them, e.g. matrix.filled(0).")
    try:
        given = np.asarray(values)
        matrix = (
            np.zeros(()) if given.dtype.kind in "cmMV" else given.astype(np.float64, copy=False)
        )
    except (TypeError, ValueError):
        matrix = np.zeros(())
    except OverflowError:
        raise _too_large() from None
    if matrix.ndim == 1 and not matrix.size:
        matrix = matrix.reshape(0, 0)
    if matrix.ndim != 2:
        raise InputError(
            "degrees are a matrix of numbers, objects x clusters, "
            + (
                f"but this has the shape {matrix.shape}."
                if matrix.shape
                else "all rows equally long."
            ),
            "give a row per object, e.g. cd.Fuzzy([[0.9, 0.1], [0.2, 0.8]]), "
            'or a dict for each, [{"a": 0.9, "b": 0.1}, …].',
        )
    return np.ascontiguousarray(matrix)


def checked(found: Degrees, most: float = 1.0) -> Any:
    """The degrees, if they are numbers from 0 to `most`; rounding beyond an end is taken off."""
    if is_tensor(found.matrix):
        if (fine := device_rows.between(found.matrix, most)) is not None:
            return fine
        found = found._replace(matrix=device_rows.on_host(found.matrix))
    matrix = found.matrix
    bad = ~np.isfinite(matrix)
    if bad.any():
        raise _refused(
            found, bad, "NaN or infinite", "fill or drop them first, e.g. np.nan_to_num(matrix)."
        )
    low, high = -1e-9, most + 1e-9
    least, greatest = matrix.min(initial=0.0), matrix.max(initial=0.0)
    if least < low:
        raise _refused(found, matrix < low, "negative", "degrees are numbers from 0 to 1.")
    if greatest > high:
        raise _refused(
            found,
            matrix > high,
            "greater than one",
            "degrees are numbers from 0 to 1; counts or scores can be divided by their sum, "
            "matrix / matrix.sum(axis=1, keepdims=True).",
        )
    return np.clip(matrix, 0.0, most) if least < 0 or greatest > most else matrix


def _refused(found: Degrees, bad: Any, what: str, hint: str) -> InputError:
    """Some degrees are bad: how many, of how many objects, and three of them."""
    cells, ids = np.argwhere(bad), found.ids
    told = "; ".join(
        f"object {examples([int(i) if ids is None else ids[i]])}, cluster "
        f"{examples([found.labels[j]])}: {found.matrix[i, j]:g}"
        for i, j in cells[:3]
    )
    rows = np.unique(cells[:, 0]).size
    return InputError(f"{len(cells):,} degrees of {rows:,} objects are {what} ({told}).", hint)


def summing_to_one(found: Degrees, matrix: Any, rest: str, kind: str) -> Any:
    """Rows that sum to one; others are refused, divided by their sums, or left with a rest.

    Sums that are off by less than a hundred-thousandth are rounding and are mended.
    """
    if rest not in ("refuse", "normalise", "empty"):
        raise InputError(
            f"rest={shown(rest)} says nothing.", 'rest is "refuse", "normalise" or "empty".'
        )
    if is_tensor(matrix):
        if (fine := device_rows.summing_to_one(matrix, rest)) is not None:
            return fine
        matrix = device_rows.on_host(matrix)
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1.0)
    if rest == "normalise":
        if (sums == 0).any():
            raise InputError(
                f"{int((sums == 0).sum()):,} of {sums.size:,} objects have no degree at all: "
                "nothing can be divided by their sum.",
                'rest="empty" says that they are in no known cluster.',
            )
        return np.asarray(matrix / sums[:, None])
    wrong = sums > 1.0 + 1e-5 if rest == "empty" else off > 1e-5
    if wrong.any():
        worst = int(np.argmax(np.where(wrong, off, 0.0)))
        name = worst if found.ids is None else found.ids[worst]
        turned = bool((np.abs(matrix.sum(axis=0) - 1.0) < 1e-5).all())
        what = "degrees"
        hint = 'rest="normalise" (of cd.Fuzzy, cd.read) divides by the sums; '
        if sums[worst] < 1:
            hint += 'rest="empty" takes the rest as the chance to be in no known cluster; '
        hint += (
            "degrees that need not sum to one are possibilities, "
            'kind="possibilistic" (cd.Possibilistic).'
        )
        if kind == "evidential":
            what = "masses"
            hint = 'masses of an object sum to one; put the rest on the empty set, [] or "".'
        if turned:
            hint = f"the columns do: if they are the objects, give matrix.T; else {hint}"
        raise InputError(
            f"the {what} of {int(wrong.sum()):,} of {sums.size:,} objects do not sum to one "
            f"(the worst, {shown(name)}, to {sums[worst]:.6g}).",
            hint,
        )
    mend = (off <= 1e-5) & (off > 1e-12)
    if mend.any():
        matrix = np.where(mend[:, None], matrix / np.where(mend, sums, 1.0)[:, None], matrix)
    return matrix
