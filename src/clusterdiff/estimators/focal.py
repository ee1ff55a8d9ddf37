"""Which sets of clusters may hold mass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from numbers import Integral
from typing import Any

import numpy as np

from clusterdiff.clusterings.encode.sets import Sets
from clusterdiff.errors import ClusterdiffError

MOST = 12
"""Clusters of which every subset may hold mass: 4,095 sets."""

Focal = tuple[tuple[int, ...], ...]


def focal_sets(focal: Any, clusters: int) -> Focal:
    """Non-empty sets of cluster numbers, small ones first.

    >>> focal_sets("pairs", 3)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    """
    everything = range(clusters)
    if not isinstance(focal, str):
        found = {_checked(one, clusters) for one in focal} - {()}
    elif focal == "all":
        if clusters > MOST:
            raise ClusterdiffError(
                f"{clusters} clusters have 2^{clusters} - 1 sets that could hold mass; "
                f'focal="all" is for at most {MOST} clusters.',
                'focal="pairs" takes single clusters, pairs, and the set of all.',
            )
        found = set(chain.from_iterable(combinations(everything, k + 1) for k in everything))
    else:
        found = {(cluster,) for cluster in everything}
        if focal == "pairs":
            found |= {*combinations(everything, 2), tuple(everything)}
    if not found:
        raise ClusterdiffError(
            "focal names no set of clusters.", "give some, e.g. focal=[(0,), (1,), (0, 1)]."
        )
    return tuple(sorted(found, key=lambda one: (len(one), one)))


def _checked(one: Any, clusters: int) -> tuple[int, ...]:
    if not isinstance(one, Iterable) or isinstance(one, str):
        raise ClusterdiffError(
            f"a focal set is a collection of cluster numbers, but {one!r} is none.",
            "write a tuple for each, e.g. focal=[(0,), (1,), (0, 1)].",
        )
    members = list(one)
    if not all(isinstance(c, Integral) and 0 <= int(c) < clusters for c in members):
        raise ClusterdiffError(
            f"the focal set {tuple(members)!r} is not of the clusters 0 to {clusters - 1}.",
            "raise n_clusters, or leave it out.",
        )
    return tuple(sorted({int(c) for c in members}))


def as_sets(focal: Sequence[tuple[int, ...]]) -> Sets:
    """The same sets, one after the other."""
    start = np.concatenate([[0], np.cumsum([len(one) for one in focal])])
    return Sets(start, np.array(list(chain.from_iterable(focal)), np.int64))
