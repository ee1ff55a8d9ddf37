"""Clusterings and tables as packages hand them out: frames of splink, clusters of dedupe."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.partition import objects_of


def unwrapped(value: Any) -> Any:
    """What splink wraps: a relation where it has one, else a frame; all else as it is."""
    for name in ("as_duckdbpyrelation", "as_pandas_dataframe"):
        if hasattr(type(value), name):
            return getattr(value, name)()
    return value


def is_scored_clusters(value: Any) -> bool:
    """Whether this is what dedupe makes of records: clusters, each the ids of its records and how
    sure it is of every one.

    >>> is_scored_clusters([(("r1", "r2"), (0.9, 0.9)), (("r3",), (1.0,))])
    True
    >>> is_scored_clusters([("r1", "r2"), ("r3", "r4")])
    False
    """
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_scored_cluster, value))


def _is_scored_cluster(value: Any) -> bool:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    ids, scores = value
    sized = isinstance(ids, tuple | list | np.ndarray) and hasattr(scores, "__len__")
    if not sized or isinstance(scores, str | bytes) or len(ids) != len(scores):
        return False
    return all(isinstance(one, float | np.floating) for one in scores)


def partition_of_scored(clusters: Any) -> Partition:
    """The clusters that dedupe found; what it says of how sure it is is left out."""
    groups = [ids.tolist() if isinstance(ids, np.ndarray) else ids for ids, _ in clusters]
    ids, labels = objects_of(groups)
    found = Partition(labels, ids)
    found.notes = ("clusters as (ids, scores); the scores are not used",)
    return found
