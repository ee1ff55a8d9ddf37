"""Hard clusterings: each object is in one cluster, and that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.encode.arrays import where_it_is
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.group import number
from clusterdiff.errors import InputError


class Partition(Clustering):
    """Each object is in one cluster, known.

    >>> Partition(["a", "a", "b"])
    Partition(3 objects in 2 clusters)
    >>> Partition({"x": 1, "y": 1, "z": 2}).ids.tolist()
    ['x', 'y', 'z']
    >>> Partition([{"x", "y"}, {"z"}])
    Partition(3 objects in 2 clusters)
    """

    kind = "partition"

    def __init__(self, labels: Any, ids: Any = None, samples: Any = None) -> None:
        labels = where_it_is(labels)
        if isinstance(labels, Mapping):
            if ids is not None:
                raise InputError("a dict from id to label has its ids already.", "leave ids= out.")
            ids, labels = list(labels.keys()), list(labels.values())
        elif is_list_of_sets(labels):
            if ids is not None:
                raise InputError("sets of objects have their ids already.", "leave ids= out.")
            ids, labels = objects_of(labels)
        self.labels: Column = column(labels).hashed()
        super().__init__(len(self.labels), ids, samples)
        if self.ids is not None and samples is None:
            kept = self.distinct()
            self.labels, self.ids, self.repeats = kept.labels, kept.ids, kept.repeats

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        clusters = np.unique(self.labels.keys).size
        return f"{type(self).__name__}({len(self):,} objects in {clusters:,} clusters)"

    def take(self, index: Ints) -> Self:
        """The same partition of the objects at these positions."""
        return self._taken(index, labels=self.labels.take(index))

    def distinct(self) -> Self:
        """One of several equal rows; an id with two different clusters is refused."""
        if self.ids is None:
            return self
        prints = self.ids.prints
        if prints is not None and number(prints)[1] == prints.size:
            return self
        if self.ids.all_differ():
            return self
        ids, labels = self.ids.keys, self.labels.keys
        order = np.argsort(ids, kind="stable")
        repeats = np.flatnonzero(ids[order[1:]] == ids[order[:-1]]) + 1
        later, earlier = order[repeats], order[repeats - 1]
        clash = np.flatnonzero(labels[later] != labels[earlier])
        if clash.size:
            count = np.unique(ids[later[clash]]).size
            shown = [
                (self.ids[later[c]], self.labels[earlier[c]], self.labels[later[c]])
                for c in clash[:3]
            ]
            raise InputError.from_duplicates(count, shown)
        keep = np.ones(ids.size, np.bool_)
        keep[later] = False
        kept = self.take(np.flatnonzero(keep))
        kept.repeats = later.size
        return kept


def is_list_of_sets(value: Any) -> bool:
    """Whether this is a list of clusters, each a set of objects."""
    return (
        isinstance(value, list | tuple | set | frozenset)
        and len(value) > 0
        and all(isinstance(cluster, set | frozenset) for cluster in value)
    )


def objects_of(clusters: Sequence[Iterable[Any]]) -> tuple[list[Any], list[int]]:
    """The objects of clusters, one after the other, and the number of the cluster of each."""
    ids = [item for cluster in clusters for item in cluster]
    labels = [number for number, cluster in enumerate(clusters) for _ in cluster]
    return ids, labels
