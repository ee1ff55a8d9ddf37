"""For each cluster its best partner on the other side, and how good that one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.encode.group import group_pairs
from clusterdiff.errors import UnknownParameter
from clusterdiff.meet import CoverMeet

Similarity = Callable[[Any, Any, Any, int], Any]
"""Of the objects in both, the size of the cluster, that of its partner, and all objects."""

CELLS = 1 << 22
"""Cells of a table of clusters and sizes that are looked at a time."""


def jaccard(both: Any, size: Any, other: Any, objects: int) -> Any:
    """Objects in both clusters over objects in either."""
    return both / (size + other - both)


def rand(both: Any, size: Any, other: Any, objects: int) -> Any:
    """The share of all objects that are in both clusters or in neither."""
    return (objects - size - other + 2 * both) / objects


def f(both: Any, size: Any, other: Any, objects: int) -> Any:
    """Harmonic mean of the shares of the two clusters that are in both."""
    return 2 * both / (size + other)


PAIRS_OF_CLUSTERS = "one pass over the memberships, then the pairs of clusters that share objects"
SIMILARITIES: dict[str, Similarity] = {"jaccard": jaccard, "rand": rand, "f": f}


def checked(similarity: Similarity) -> Similarity:
    """A similarity of a user's own, held to one number from 0 to 1 for each pair."""
    name = getattr(similarity, "__name__", type(similarity).__name__)

    def run(both: Any, size: Any, other: Any, objects: int) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, (both, size, other)))
        try:
            found = np.broadcast_to(
                np.asarray(similarity(both, size, other, objects), np.float64), shape
            )
        except Exception as error:
            raise UnknownParameter.from_similarity(name, f"fails: {error}") from error
        with np.errstate(invalid="ignore"):
            wrong = found[~((found >= 0) & (found <= 1))]
        if wrong.size:
            raise UnknownParameter.from_similarity(name, f"gives {float(wrong[0])!r}")
        return found

    return run


NOTHING_APART = (jaccard, f)
"""Similarities that are 0 for clusters without a common object."""


def best_partners(m: CoverMeet, similarity: Similarity, *, apart: bool) -> Floats:
    """The best similarity of each guess cluster to a truth cluster, of which there must be some.

    Clusters without a common object count too if `apart` says so. They need no table of pairs: how
    alike they are depends on their sizes alone, so for each cluster and each size of the other
    side it is enough to know whether a cluster of that size is left that it does not meet.
    """
    shared, own, other = m.shared, m.guess.size, m.truth.size
    best = np.full(own.size, -np.inf if apart else similarity(0, own, other.min(), m.objects))
    sizes = own[shared.guess], other[shared.truth]
    np.maximum.at(best, shared.guess, similarity(shared.both, *sizes, m.objects))
    return np.maximum(best, _best_apart(m, similarity)) if apart else best


def _best_apart(m: CoverMeet, similarity: Similarity) -> Floats:
    """The best similarity of each cluster to one that it has no object in common with."""
    sizes, place, total = np.unique(m.truth.size, return_inverse=True, return_counts=True)
    own, mine = np.unique(m.guess.size, return_inverse=True)
    values = np.broadcast_to(
        similarity(0, own[:, None], sizes[None], m.objects), (own.size, sizes.size)
    )
    met = group_pairs(m.shared.guess, place[m.shared.truth].astype(np.int64))
    order = np.argsort(met.first, kind="stable")
    found = np.full(mine.size, -np.inf)
    step = max(1, CELLS // sizes.size)
    for begin in range(0, found.size, step):
        end = min(begin + step, found.size)
        left = np.repeat(total[None], end - begin, axis=0)
        here = order[slice(*np.searchsorted(met.first[order], [begin, end]))]
        left[met.first[here] - begin, met.second[here]] -= met.count[here]
        found[begin:end] = np.where(left > 0, values[mine[begin:end]], -np.inf).max(axis=1)
    return found
