"""The front door: whatever a user has in hand becomes a clustering, and two become a meet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, ValuesView
from typing import Any

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.engines.arrays import meet_partitions
from clusterdiff.engines.samples import by_sample
from clusterdiff.errors import AlignmentError, InputError
from clusterdiff.meet import HardMeet, Policy
from clusterdiff.meet.hard import union
from clusterdiff.readers.base import read

MEET_OPTIONS = ("align", "noise", "noise_as", "features")


def clustering(value: Any) -> Partition:
    """A clustering from labels, a dict, sets, a frame, communities of a graph, or a path."""
    if isinstance(value, Partition):
        return value
    if isinstance(value, str | os.PathLike):
        return read(value)
    if isinstance(value, Mapping):
        return Partition(value)
    if isinstance(value, Iterator | ValuesView):
        value = list(value)
    if isinstance(value, list | tuple | range) or is_list_of_sets(value):
        return Partition(value)
    if isinstance(value, set | frozenset):
        raise InputError(
            "a set has no order, so its labels belong to no object.",
            "give a list of labels, a dict from id to label, or a list of sets of objects.",
        )
    if not hasattr(value, "dtype") and _is_frame(value):
        from clusterdiff.engines.frames import partition_of_frame

        return partition_of_frame(value)
    if hasattr(value, "membership") and "igraph" in sys.modules:
        return Partition(list(value.membership))
    if isinstance(getattr(value, "communities", None), list):
        return Partition([frozenset(c) for c in value.communities])
    if not hasattr(value, "__len__"):
        raise InputError.from_type(value)
    return Partition(value)


def meet(
    truth: Any,
    guess: Any,
    *,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    features: Any = None,
) -> HardMeet:
    """How many objects have each pair of labels: all that a measure needs to know.

    >>> meet(["a", "a", "b"], [1, 1, 1])
    HardMeet(3 objects, 2 x 1 clusters, 2 rows, 0 of them agreeing)

    `align` says what an object on one side only counts as: "exact" refuses it, "shared" leaves it
    out, "singletons" makes it a cluster of its own, "penalise" lets it earn nothing. Objects
    labelled `noise` (a label, or a list of labels; None stands for null) become singletons, or are
    left out with noise_as="drop".
    """
    refuse_shuffled_series(truth, guess)
    left, right, policy = clustering(truth), clustering(guess), Policy(align, noise, noise_as)
    if left.samples is None and right.samples is None:
        return meet_partitions(left, right, policy, features)
    return union([meet_partitions(s.truth, s.guess, policy) for s in by_sample(left, right)])


def refuse_shuffled_series(truth: Any, guess: Any) -> None:
    """Two pandas Series count by position; different indexes would pair the wrong rows."""
    pandas = sys.modules.get("pandas")
    if (
        pandas is not None
        and isinstance(truth, pandas.Series)
        and isinstance(guess, pandas.Series)
        and len(truth) == len(guess)
        and not truth.index.equals(guess.index)
    ):
        raise AlignmentError.from_indexes()


def _is_frame(value: Any) -> bool:
    from clusterdiff.engines.frames import is_frame

    return is_frame(value)
