"""Overlapping clusterings: each object is in all of the clusters named for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Self

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.arrays import (
    as_numpy,
    as_values,
    is_frame,
    is_tensor,
    listed,
    opened,
    where_it_is,
)
from clusterdiff.clusterings.base import Clustering, column_of_length, owners_of_rows
from clusterdiff.clusterings.columns import Column, column, hashable
from clusterdiff.clusterings.grouping import by_appearance
from clusterdiff.clusterings.partition import Partition, objects_of
from clusterdiff.clusterings.sets import Sets, number_sets, sets_of_rows, singles
from clusterdiff.clusterings.tensors import DeviceSets, TensorColumn, sets_of_matrix, sets_of_pairs
from clusterdiff.clusterings.tensors import by_appearance as by_appearance_there
from clusterdiff.errors import InputError, a_type, shown

INDICATOR = "nested lists of 0 and 1 were read as a matrix with one column per cluster"
"""The note on lists that were taken for an indicator matrix, not for labels."""


class Cover(Clustering):
    """Each object is in *all* of the clusters named for it: several, one, or none.

    >>> Cover([{"jazz"}, {"jazz", "funk"}, set()])
    Cover(3 objects in 2 clusters, 1 object in none)
    >>> Cover({"x": ["jazz"], "y": ["jazz", "funk"]}).ids.tolist()
    ['x', 'y']
    >>> Cover(np.array([[1, 0], [1, 1]]))
    Cover(2 objects in 2 clusters)

    Objects with the same clusters share a code: `sets` says what each code means, as numbers of
    clusters, and `labels` what the clusters are called. A cluster named twice for an object counts
    once; two clusters with the same objects are two clusters. A 0/1 matrix, as an array or as
    nested lists, has a row for each object and a column for each cluster.
    """

    kind = "cover"
    tensor: Any = None
    """The same as `code`, on the device where the cover was found."""
    sets: Sets
    """The distinct sets of clusters."""
    labels: Column
    """The name of each cluster."""
    again: Ints | None = None
    """How often each object was put in the same cluster again, if any was."""

    def __init__(self, sets: Any, ids: Any = None, samples: Any = None) -> None:
        if isinstance(sets, Partition | Cover):
            vars(self).update(vars(sets if isinstance(sets, Cover) else Cover.from_partition(sets)))
            return
        if is_frame(type(sets)):
            raise InputError(
                f"{a_type(sets)} is not one set of labels per object.",
                'cd.compare(frame, guess, kind="cover") reads the columns id and cluster, '
                "cd.Cover.from_rows(ids, clusters) two columns, cd.Cover(frame.to_numpy()) a "
                "matrix of 0 and 1.",
            )
        sets = where_it_is(sets)
        if is_tensor(sets):
            if sets.ndim == 2 and (found := sets_of_matrix(sets)) is not None:
                super().__init__(len(sets), ids, samples)
                self._check_repeats("from_rows(ids, clusters), e.g. cd.Cover.from_rows")
                self._keep(found, column(np.arange(sets.shape[1])))
                return
            sets = as_numpy(sets)
        if isinstance(sets, Mapping) and not hasattr(sets, "tocoo"):
            if ids is not None:
                raise InputError("a dict from id to labels has its ids already.", "leave ids= out.")
            ids, sets = list(sets.keys()), list(sets.values())
        matrix = hasattr(sets, "tocoo") or getattr(sets, "ndim", 1) == 2
        if not matrix and is_indicator(sets := as_values(listed(sets))):
            sets, matrix = np.array(sets, np.float64), True
            self.notes = (INDICATOR,)
        if matrix:
            owner, member, size = _memberships(sets)
            super().__init__(size, ids, samples)
            self._check_repeats("from_rows(ids, clusters), e.g. cd.Cover.from_rows")
            self._fill(owner, member, size, column(np.arange(sets.shape[1])))
        else:
            self._list(sets, ids, samples)

    @classmethod
    def _of_labels(cls, sets: Sequence[Any], ids: Any = None, samples: Any = None) -> Self:
        """A cover from lists that are known to hold labels, also where all of them are 0 or 1."""
        made = object.__new__(cls)
        made._list(sets, ids, samples)
        return made

    def _list(self, sets: Sequence[Any], ids: Any, samples: Any) -> None:
        each = [named_in(one) for one in sets]
        size = len(each)
        owner = np.repeat(np.arange(size), [len(one) for one in each])
        labels = column([label for one in each for label in one])
        ids = column_of_length("ids", ids, size)
        owner, member, labels = _without_nulls(owner, labels, ids)
        super().__init__(size, ids, samples)
        self._check_repeats("from_rows(ids, clusters), e.g. cd.Cover.from_rows")
        self._fill(owner, member, size, labels)

    @classmethod
    def from_rows(cls, ids: Any, clusters: Any, samples: Any = None) -> Self:
        """A cover from a table with several rows per object: its id, and a cluster it is in.

        >>> Cover.from_rows(["x", "y", "y"], ["jazz", "jazz", "funk"])
        Cover(2 objects in 2 clusters)

        A row without a cluster (null) names an object that is in none; one with a list of clusters
        stands for several.
        """
        clusters = column(clusters)
        if samples is None and (made := cls._from_tensors(column(ids), clusters)) is not None:
            return made
        sample = None if samples is None else column(samples)
        owner, objects, sample = owners_of_rows(len(clusters), column(ids), sample)
        made = object.__new__(cls)
        rows, clusters, lists_are_rows = _one_per_row(clusters)
        if rows is not None:
            owner = owner[rows]
        Clustering.__init__(made, len(objects), objects, sample)
        owner, member, labels = _without_nulls(owner, clusters, objects)
        made._fill(owner, member, len(objects), labels)
        if lists_are_rows:
            made.notes = (INDICATOR,)
        return made

    @classmethod
    def _from_tensors(cls, ids: Column, clusters: Column) -> Self | None:
        """The same for rows on a device; None if they are in memory, or name no cluster."""
        if not isinstance(ids, TensorColumn) or not isinstance(clusters, TensorColumn):
            return None
        nulls = ids.nulls() is not None or clusters.nulls() is not None
        if len(ids) != len(clusters) or not len(ids) or nulls:
            return None
        owner, objects = by_appearance_there(ids.key_tensor)
        member, named = by_appearance_there(clusters.key_tensor.to(owner.device))
        made = object.__new__(cls)
        Clustering.__init__(made, len(objects), TensorColumn(ids.tensor[objects], ids.family))
        found = sets_of_pairs(owner, member, len(objects), len(named))
        made._keep(found, column(as_numpy(clusters.tensor[named])))
        return made

    @classmethod
    def from_clusters(cls, clusters: Any, objects: Iterable[Any] | None = None) -> Self:
        """A cover from its clusters: iterables of objects, or a dict from name to objects.

        >>> Cover.from_clusters([{"x", "y"}, {"y", "z"}])
        Cover(3 objects in 2 clusters)

        `objects` names objects that may be in no cluster.
        """
        names = list(clusters) if isinstance(clusters, Mapping) else None
        each = _members(clusters if names is None else clusters.values())
        ids, numbers = objects_of([named_in(one, "a cluster") for one in each])
        labels = [number if names is None else names[number] for number in numbers.tolist()]
        alone = [] if objects is None else _named(objects)
        known = set(hashable(ids)) if alone else set()
        alone = [item for item in alone if item not in known]
        found = cls.from_rows([*ids, *alone], [*labels, *[None] * len(alone)])
        found.labels.made = names is None
        return found

    @classmethod
    def from_partition(cls, partition: Partition) -> Self:
        """The same clustering as a cover: each object is in one cluster, or in none if null."""
        made = object.__new__(cls)
        made.ids, made.samples = partition.ids, partition.samples
        made.counting_like(partition)
        if partition.repeats:
            made.again = np.zeros(len(partition), np.int64)
            made.again[0] = partition.repeats
        owner = np.arange(len(partition))
        owner, member, labels = _without_nulls(owner, partition.labels, partition.ids)
        if owner.size < len(partition):
            again = made.again
            made._fill(owner, member, len(partition), labels)
            made.again = again
        else:
            made.code, made.sets, made.labels = member, singles(np.arange(len(labels))), labels
        return made

    def to_partition(self) -> Partition:
        """The same clustering as a partition, if each object is in exactly one cluster."""
        size = self.sets.size[self.code]
        if (size != 1).any():
            several, none = int((size > 1).sum()), int((size == 0).sum())
            raise InputError(
                f"{several:,} of {len(self):,} objects are in several clusters and {none:,} in "
                "none; a partition has each object in one.",
                "compare it as a cover, e.g. cd.extended_bcubed_f(truth, guess).",
            )
        labels = self.labels.take(self.sets.member[self.sets.start[self.code]])
        return Partition(labels, self.ids, self.samples).counting_like(self)

    @property
    def repeats(self) -> int:  # type: ignore[override]
        """How often an object was put in the same cluster again."""
        return 0 if self.again is None else int(self.again.sum())

    @cached_property
    def code(self) -> Ints:
        """For each object the number of its set of clusters."""
        return np.asarray(self.tensor.cpu())

    def __len__(self) -> int:
        return int(self.code.size if self.tensor is None else len(self.tensor))

    def __repr__(self) -> str:
        none = int((self.sets.size[self.code] == 0).sum())
        clusters = np.unique(self.sets.take(np.unique(self.code)).member).size
        some = f", {none:,} object{'s' if none > 1 else ''} in none" if none else ""
        return f"{type(self).__name__}({len(self):,} objects in {clusters:,} clusters{some})"

    def take(self, index: Ints) -> Self:
        """The same cover of the objects at these positions."""
        again = None if self.again is None else self.again[index]
        code = self.code[index]
        return self._taken(index, code=code, sets=self.sets, labels=self.labels, again=again)

    def _keep(self, found: DeviceSets, labels: Column) -> None:
        """Set codes, sets and labels from what was found on a device."""
        self.tensor, self.sets, self.again = found
        self.labels = labels

    def _fill(self, owner: Ints, member: Ints, size: int, labels: Column) -> None:
        """Set codes, sets and labels from rows (object, cluster)."""
        each, repeats = sets_of_rows(owner, member, size)
        if repeats:
            self.again = np.bincount(owner, minlength=size) - each.size
        self.code, example = number_sets(each)
        self.sets, self.labels = each.take(example), labels


def named_in(one: Any, what: str = "an object") -> Sequence[Any]:
    """The labels of an object (or the objects of a cluster), if it is a collection of them."""
    if type(one) in (list, tuple):
        return one  # type: ignore[no-any-return]
    if type(one) in (set, frozenset):
        return in_order(one)
    if one is None:
        return ()
    if isinstance(one, Mapping):
        raise InputError(
            f"{what} is given by a collection of names, but {shown(one)} is {a_type(one)}, "
            "and a cover has no degrees.",
            "write a list or set for each, e.g. ['jazz', 'funk']; degrees of membership are a "
            "fuzzy clustering, cd.Fuzzy(dicts).",
        )
    if isinstance(one, str | bytes) or not isinstance(one, Iterable):
        raise InputError.from_single_label(one, what)
    return list(one)


def _members(values: Any) -> Sequence[Any]:
    """What a collection of clusters holds; their order does not matter."""
    return in_order(values) if isinstance(values, Set) else as_values(listed(opened(values)))


def _named(objects: Any) -> list[Any]:
    """The objects that are named by whatever one can go through, also a graph, a set or a text."""
    objects = as_numpy(objects)
    if not isinstance(objects, Iterable) or getattr(objects, "ndim", 1) == 0:
        raise InputError.from_single_label(objects, "what may be in no cluster")
    return hashable(list(objects))


def in_order(labels: Iterable[Any]) -> list[Any]:
    """Labels as a list; those of a set in an order that is the same in every run."""
    listed = list(labels)
    if isinstance(labels, set | frozenset) and len(listed) > 1:
        try:
            listed.sort()
        except TypeError:
            listed.sort(key=lambda label: shown(label, 1000))
    return listed


def is_indicator(rows: Sequence[Any], *, in_table: bool = False) -> bool:
    """Whether nested lists are a 0/1 matrix: equally long rows of 0 and 1, one of which has a value
    twice, which the labels of a set do not. Rows that can be either are refused; those of a table
    are sets of labels, and so are tuples, unless one is another one in reverse.
    """
    width = len(rows[0]) if rows and _is_row(rows[0]) else 0
    if width < 2 or not all(
        _is_row(row) and len(row) == width and all(map(is_bit, row)) for row in rows
    ):
        return False
    if width > 2 or any(row[0] == row[1] for row in rows):
        return True
    if in_table or all(isinstance(row, tuple) and row == rows[0] for row in rows):
        return False
    each = (
        f"each of the {len(rows):,} rows is [0, 1] or [1, 0]"
        if len(rows) > 1
        else (f"the only row is {list(rows[0])}")
    )
    raise InputError(
        f"{each}, which can be the labels 0 and 1 or a row of a 0/1 matrix with one column per "
        "cluster.",
        "write labels as sets, [{0, 1}, …], or a matrix as an array, np.array(rows).",
    )


def _is_row(row: object) -> bool:
    return isinstance(row, list | tuple) or len(getattr(row, "shape", ())) == 1


def _memberships(matrix: Any) -> tuple[Ints, Ints, int]:
    """Rows (object, cluster) of a 0/1 matrix, dense or sparse, objects x clusters."""
    if len(matrix.shape) != 2 or isinstance(matrix, np.ma.MaskedArray):
        raise InputError(
            f"a {type(matrix).__name__} of the shape {matrix.shape} is not a full matrix, "
            "objects x clusters.",
            "give two dimensions, and fill what is masked, e.g. matrix.filled(0).",
        )
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo(copy=True)
        entries.sum_duplicates()
        values, owner, member = entries.data, entries.row, entries.col
    else:
        table = np.asarray(matrix)
        if table.dtype.kind == "O":
            values = np.fromiter(as_values(table.ravel().tolist()), object, table.size)
            table = values.reshape(table.shape)
        kind = table.dtype.kind
        if kind not in "biufO" or (kind == "O" and not all(map(_is_real, table.flat))):
            raise InputError.from_memberships(table.size, table.ravel()[:3].tolist(), table.shape)
        owner, member = np.nonzero(table)
        values = table[owner, member]
    wrong = np.flatnonzero(values != 1)
    real = wrong[values[wrong] != 0]
    if real.size:
        raise InputError.from_memberships(real.size, values[real[:3]].tolist(), matrix.shape)
    kept = values == 1
    return owner[kept].astype(np.int64), member[kept].astype(np.int64), int(matrix.shape[0])


def is_bit(value: Any) -> bool:
    """Whether a value is 0 or 1, of whatever type of number."""
    return _is_real(value) and value in (0, 1)


def _is_real(value: object) -> bool:
    return isinstance(value, int | float | np.bool_ | np.integer | np.floating)


def _one_per_row(clusters: Column) -> tuple[Ints | None, Column, bool]:
    """Lists of clusters written out, with the row each stands in, None where there are no lists;
    and whether the lists are the rows of a 0/1 matrix.
    """
    many = (list, set, frozenset, np.ndarray)
    if clusters.family != "values" or not any(isinstance(one, many) for one in clusters.values):
        return None, clusters, False
    values = clusters.values.tolist()
    bits = is_indicator(values, in_table=True)
    rows: list[int] = []
    labels: list[Any] = []
    for row, one in enumerate(values):
        if bits:
            one = np.flatnonzero(one).tolist()
        own = (list(one) or [None]) if isinstance(one, many) else [one]
        rows += [row] * len(own)
        labels += own
    return np.array(rows, np.int64), column(labels), bits


def _without_nulls(owner: Ints, clusters: Column, ids: Column | None) -> tuple[Ints, Ints, Column]:
    """Rows (object, number of the cluster) that name a cluster, and the names of the clusters."""
    nulls = clusters.nulls()
    if nulls is not None:
        torn = np.intersect1d(owner[nulls], owner[~nulls])
        if torn.size:
            few = torn[:3].tolist()
            raise InputError.from_nulls_among_labels(
                torn.size, few if ids is None else [ids[i] for i in few]
            )
        kept = np.flatnonzero(~nulls)
        owner, clusters = owner[kept], clusters.take(kept)
    member, first = by_appearance(clusters.keys)
    return owner, member, clusters.take(first)
