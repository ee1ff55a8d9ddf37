"""Overlapping clusterings: each object is in all of the clusters named for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.column import Column, column
from clusterdiff.clusterings.group import number
from clusterdiff.clusterings.partition import Partition, objects_of
from clusterdiff.clusterings.sets import Sets, number_sets, sets_of_rows, singles
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


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
    once; two clusters with the same objects are two clusters.
    """

    kind = "cover"
    code: Ints
    """For each object the number of its set of clusters."""
    sets: Sets
    """The distinct sets of clusters."""
    labels: Column
    """The name of each cluster."""
    repeats: int = 0
    """How often an object was put in the same cluster again."""

    def __init__(self, sets: Any, ids: Any = None, samples: Any = None) -> None:
        if isinstance(sets, Mapping):
            if ids is not None:
                raise InputError("a dict from id to labels has its ids already.", "leave ids= out.")
            ids, sets = list(sets.keys()), list(sets.values())
        if hasattr(sets, "tocoo") or getattr(sets, "ndim", 1) == 2:
            owner, member, size = _memberships(sets)
            labels = column(np.arange(sets.shape[1]))
        else:
            listed = [_labels(one) for one in sets]
            size = len(listed)
            owner = np.repeat(np.arange(size), [len(one) for one in listed])
            labels = column([label for one in listed for label in one])
            owner, member, labels = _without_nulls(owner, labels, ids)
        super().__init__(size, ids, samples)
        if self.ids is not None and samples is None and number(self.ids.keys)[1] < size:
            raise InputError.from_repeated_ids(size - number(self.ids.keys)[1])
        self._fill(owner, member, size, labels)

    @classmethod
    def from_rows(cls, ids: Any, clusters: Any, samples: Any = None) -> Self:
        """A cover from a table with several rows per object: its id, and a cluster it is in.

        >>> Cover.from_rows(["x", "y", "y"], ["jazz", "jazz", "funk"])
        Cover(2 objects in 2 clusters)

        A row without a cluster (null) names an object that is in none.
        """
        ids, clusters = column(ids), column(clusters)
        if len(ids) != len(clusters):
            raise InputError.from_lengths("ids", len(ids), len(clusters))
        made = object.__new__(cls)
        sample = None if samples is None else column(samples)
        keys = ids.keys if sample is None else _pairs(sample.keys, ids.keys)
        owner, first = _by_appearance(keys)
        objects = ids.take(first)
        Clustering.__init__(
            made, first.size, objects, None if sample is None else sample.take(first)
        )
        owner, member, labels = _without_nulls(owner, clusters, objects)
        made._fill(owner, member, first.size, labels)
        return made

    @classmethod
    def from_clusters(cls, clusters: Any, objects: Iterable[Any] = ()) -> Self:
        """A cover from its clusters: iterables of objects, or a dict from name to objects.

        >>> Cover.from_clusters([{"x", "y"}, {"y", "z"}])
        Cover(3 objects in 2 clusters)

        `objects` names objects that may be in no cluster.
        """
        named = isinstance(clusters, Mapping)
        listed = [_labels(one, "a cluster") for one in (clusters.values() if named else clusters)]
        ids, labels = objects_of(listed)
        if named:
            names = list(clusters)
            labels = [names[label] for label in labels]
        known = set(ids)
        alone = [item for item in objects if item not in known]
        return cls.from_rows([*ids, *alone], [*labels, *[None] * len(alone)])

    @classmethod
    def from_partition(cls, partition: Partition) -> Self:
        """The same clustering as a cover: each object is in one cluster, or in none if null."""
        made = object.__new__(cls)
        made.ids, made.samples, made.repeats = partition.ids, partition.samples, partition.repeats
        owner = np.arange(len(partition))
        owner, member, labels = _without_nulls(owner, partition.labels, partition.ids)
        if owner.size < len(partition):
            made._fill(owner, member, len(partition), labels)
            made.repeats = partition.repeats
        else:
            made.code, made.sets, made.labels = member, singles(np.arange(len(labels))), labels
        return made

    def to_partition(self) -> Partition:
        """The same clustering as a partition, if each object is in exactly one cluster."""
        size = self.sets.size[self.code]
        if (size != 1).any():
            several, none = int((size > 1).sum()), int((size == 0).sum())
            raise InputError.not_a_partition(several, none, len(self))
        labels = self.labels.take(self.sets.member[self.sets.start[self.code]])
        return Partition(labels, self.ids, self.samples)

    def __len__(self) -> int:
        return self.code.size

    def __repr__(self) -> str:
        none = int((self.sets.size[self.code] == 0).sum())
        some = f", {none:,} object{'s' if none > 1 else ''} in none" if none else ""
        return (
            f"{type(self).__name__}({len(self):,} objects in {len(self.labels):,} clusters{some})"
        )

    def take(self, index: Ints) -> Self:
        """The same cover of the objects at these positions."""
        made = object.__new__(type(self))
        made.code, made.sets, made.labels = self.code[index], self.sets, self.labels
        made.ids = None if self.ids is None else self.ids.take(index)
        made.samples = None if self.samples is None else self.samples.take(index)
        return made

    def _fill(self, owner: Ints, member: Ints, size: int, labels: Column) -> None:
        """Set codes, sets and labels from rows (object, cluster)."""
        each, self.repeats = sets_of_rows(owner, member, size)
        self.code, example = number_sets(each)
        self.sets, self.labels = each.take(example), labels


def _labels(one: Any, what: str = "an object") -> Sequence[Any]:
    """The labels of an object (or the objects of a cluster), if it is a collection of them."""
    if type(one) in (list, tuple, set, frozenset):
        return one  # type: ignore[no-any-return]
    if isinstance(one, str | bytes) or not isinstance(one, Iterable):
        raise InputError.from_single_label(one, what)
    return list(one)


def _memberships(matrix: Any) -> tuple[Ints, Ints, int]:
    """Rows (object, cluster) of a 0/1 matrix, dense or sparse, objects x clusters."""
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        entries.sum_duplicates()
        values, owner, member = entries.data, entries.row, entries.col
    else:
        table = np.asarray(matrix)
        if table.dtype.kind not in "biuf":
            raise InputError.from_memberships(table.size, table.ravel()[:3].tolist(), table.shape)
        owner, member = np.nonzero(table)
        values = table[owner, member]
    wrong = np.flatnonzero(values != 1)
    real = wrong[values[wrong] != 0]
    if real.size:
        raise InputError.from_memberships(real.size, values[real[:3]].tolist(), matrix.shape)
    kept = values == 1
    return owner[kept].astype(np.int64), member[kept].astype(np.int64), int(matrix.shape[0])


def _without_nulls(owner: Ints, clusters: Column, ids: Any) -> tuple[Ints, Ints, Column]:
    """Rows (object, number of the cluster) that name a cluster, and the names of the clusters."""
    nulls = clusters.nulls()
    if nulls is not None:
        torn = np.intersect1d(owner[nulls], owner[~nulls])
        if torn.size:
            shown = torn[:3].tolist()
            raise InputError.from_nulls_among_labels(
                torn.size, shown if ids is None else [column(ids)[i] for i in shown]
            )
        kept = np.flatnonzero(~nulls)
        owner, clusters = owner[kept], clusters.take(kept)
    member, first = _by_appearance(clusters.keys)
    return owner, member, clusters.take(first)


def _by_appearance(keys: Ints) -> tuple[Ints, Ints]:
    """Dense codes in the order in which the keys first occur, and where they do."""
    codes, many = number(keys)
    first = np.full(many, keys.size)
    first[codes[::-1]] = np.arange(keys.size)[::-1]
    order = np.argsort(first)
    rank = np.empty(many, np.int64)
    rank[order] = np.arange(many)
    return rank[codes], first[order]


def _pairs(first: Ints, second: Ints) -> Ints:
    """A key for each pair of keys, equal exactly when both are."""
    (left, _), (right, many) = number(first), number(second)
    return left * max(many, 1) + right
