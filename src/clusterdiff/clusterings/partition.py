"""Hard clusterings: each object is in one cluster, and that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Self

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.arrays import is_mask, where_it_is
from clusterdiff.clusterings.base import Clustering, column_of_length, pandas_series
from clusterdiff.clusterings.columns import Column, column
from clusterdiff.clusterings.counts import check_same_counts
from clusterdiff.clusterings.grouping import number
from clusterdiff.clusterings.tensors import TensorColumn
from clusterdiff.errors import ClusterdiffWarning, InputError, shorten, warn


class Partition(Clustering):
    """Each object is in exactly one cluster, which is known.

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
        elif is_mask(labels):
            warning = ClusterdiffWarning(
                f"an array of {len(labels):,} times True or False is taken as labels of two "
                "clusters.",
                "if it is a mask, apply it to the labels of both sides first, labels[mask]; if "
                "not, make them whole numbers, labels.astype(int), of a tensor labels.int().",
            )
            warn(warning)
        self.labels: Column = column(labels).hashed()
        super().__init__(len(self.labels), ids, samples)
        if self.ids is not None and samples is None:
            kept = self.distinct()
            self.labels, self.ids, self.repeats = kept.labels, kept.ids, kept.repeats

    @classmethod
    def from_pairs(
        cls,
        pairs: Any,
        threshold: float | None = None,
        *,
        ids: Any = None,
        left: str | Sequence[str] | None = None,
        right: str | Sequence[str] | None = None,
        score: str | None = None,
        distance: bool | None = None,
    ) -> Partition:
        """The connected components of pairs that score at least the threshold.

        >>> pairs = [("r1", "r2", 0.95), ("r2", "r3", 0.92), ("r3", "r4", 0.4)]
        >>> Partition.from_pairs(pairs, 0.9)
        Partition(4 objects in 2 clusters)
        >>> Partition.from_pairs([("r1", "r2"), ("r3", "r4")], ids=["r1", "r2", "r3", "r4", "r5"])
        Partition(5 objects in 3 clusters)

        `pairs` is a table of two ids and perhaps a score (a frame, a DuckDB relation, a path, what
        splink predicts), an array of scores of dedupe, a list of (left, right) or (left, right,
        score), arrays of these, or edges of a graph. Columns are found by name (unique_id_l,
        unique_id_r and match_probability; id_l and id_r; left and right), those of two or three
        that say nothing by position; `left`, `right` and `score` name them, and several are one id
        together, left=["source_dataset_l", "unique_id_l"]. score="" says that there are no scores.

        Pairs with scores need a threshold, all pairs without scores link. distance=True links pairs
        that score the threshold or less; it is taken from the name of the score where nothing is
        said. Objects that no pair names are not there: `ids` brings all objects in, each of those a
        cluster of its own; align="singletons" does so in a comparison.
        """
        link = import_module("clusterdiff.io.scored").linked  # of a layer above
        names = {"left": left, "right": right, "score": score}
        found: Partition = link(pairs, threshold, ids=ids, distance=distance, names=names)
        return found

    @classmethod
    def from_begins(cls, begins: Any, ids: Any = None, samples: Any = None) -> Partition:
        """The stretches of a sequence, from a flag for each object that says where one begins.

        >>> Partition.from_begins([1, 0, 0, 1, 0]).labels.tolist()
        [1, 1, 1, 2, 2]
        >>> Partition.from_begins([1, 0, 1, 0], samples=["s1", "s1", "s2", "s2"]).labels.tolist()
        [1, 1, 1, 1]

        A flag is 1 or True where a cluster begins, and 0 or False elsewhere. The objects are in
        their order, of each sample its own; the first one of each begins a cluster whatever its
        flag is. Whole numbers as ids must ascend with it.
        """
        flags = _flags(column(where_it_is(begins)))
        made = cls(np.zeros(flags.size, np.int64), samples=samples)
        known = column_of_length("ids", ids, flags.size)
        sample = np.zeros(flags.size, np.int64) if made.samples is None else made.samples.keys
        order = np.argsort(sample, kind="stable")
        first = np.flatnonzero(np.diff(sample[order], prepend=~sample[order[:1]]) != 0)
        _check_order(known, order, first)
        flags = flags[order]
        flags[first] = 1
        clusters = np.empty_like(flags)
        of_sample = np.repeat(first, np.diff(first, append=flags.size))
        counted = np.cumsum(flags)
        clusters[order] = counted - counted[of_sample] + 1
        return cls(clusters, ids=ids, samples=samples)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        labels = self.labels
        if isinstance(labels, TensorColumn):
            clusters = labels.different()
        else:
            clusters = np.unique(labels.keys).size
        return f"{type(self).__name__}({len(self):,} objects in {clusters:,} clusters)"

    def to_series(self) -> Any:
        """A pandas Series of the labels, under the ids of the objects, the index that they came
        with, or their positions; with samples, under (sample, id).
        """
        index = range(len(self)) if self.index is None else self.index
        index = index if self.ids is None else self.ids.tolist()
        if self.samples is not None:
            index = list(zip(self.samples.tolist(), index, strict=True))
        return pandas_series(self.labels.tolist(), index, "cluster")

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
        differ, nulls = labels[later] != labels[earlier], self.labels.nulls()
        if nulls is not None:
            differ &= ~(nulls[later] & nulls[earlier])
        clash = np.flatnonzero(differ)
        if clash.size:
            count = np.unique(ids[later[clash]]).size

            def label(at: int) -> Any:
                return None if nulls is not None and nulls[at] else self.labels[at]

            shown = [(self.ids[later[c]], label(earlier[c]), label(later[c])) for c in clash[:3]]
            raise InputError.from_duplicates(count, shown)
        if self.counts is not None:
            check_same_counts(self.counts[earlier], self.counts[later], self.ids, later)
        keep = np.ones(ids.size, np.bool_)
        keep[later] = False
        kept = self.take(np.flatnonzero(keep))
        kept.repeats = later.size
        return kept


FLAGS = {"0": 0, "1": 1, "false": 0, "true": 1}
"""What says whether a cluster begins, in small letters."""


def _flags(begins: Column) -> Ints:
    """1 where a cluster begins, else 0."""
    values, nulls = begins.tolist(), begins.nulls()
    known = {value: FLAGS.get(_as_text(value)) for value in dict.fromkeys(values)}
    strange = [value for value, flag in known.items() if flag is None]
    missing = [] if nulls is None else np.flatnonzero(nulls).tolist()
    if strange or missing:
        at = missing[0] if missing else values.index(strange[0])
        shown = "None" if missing else shorten(repr(strange[0]), 40)
        raise InputError(
            f"object {at + 1:,} has {shown} where 0 or 1 says whether a cluster begins.",
            "write 1 or true where a cluster begins, and 0 or false elsewhere; a column of cluster "
            "labels is read without begins.",
        )
    return np.array([known[value] for value in values], np.int64)


def _as_text(value: Any) -> str:
    """A flag as it is written in a file: 1.0 as 1, True as true."""
    whole = isinstance(value, float) and value == int(value) if value == value else False
    return str(int(value) if whole else value).strip().lower()


def _check_order(ids: Column | None, order: Ints, first: Ints) -> None:
    """Refuse objects that are numbered, and in another order."""
    listed = [] if ids is None else ids.tolist()
    if not listed or not all(isinstance(one, int) for one in listed):
        return
    numbers = np.array([listed[at] for at in order.tolist()])
    back = np.diff(numbers) <= 0
    back[first[1:] - 1] = False
    if back.any():
        at = int(np.flatnonzero(back)[0])
        raise InputError(
            f"object {numbers[at + 1]} comes after {numbers[at]}, and where a cluster begins says "
            "nothing unless the objects are in order.",
            "sort them by their ids; of objects in several sequences, name the samples.",
        )


def is_list_of_sets(value: Any) -> bool:
    """Whether this is a list of clusters, each a set of objects."""
    return (
        isinstance(value, list | tuple | set | frozenset)
        and len(value) > 0
        and all(isinstance(cluster, set | frozenset) for cluster in value)
    )


def objects_of(clusters: Sequence[Iterable[Any]]) -> tuple[list[Any], Column]:
    """The objects of clusters, one after the other, and the number of the cluster of each."""
    ids = [item for cluster in clusters for item in cluster]
    labels = [number for number, cluster in enumerate(clusters) for _ in cluster]
    return ids, column(range(len(clusters))).as_made(np.array(labels, np.int64))
