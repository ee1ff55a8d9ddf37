"""The object that represents each cluster: the closest to its centre that is no other's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.estimators.kernels.distances import CHUNK, in_chunks
from clusterdiff.estimators.kernels.rough import closest

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.estimators.rows import SortedRows


NOBODY = np.zeros(0, np.int64)


def representatives(rows: SortedRows, centres: Floats) -> Ints:
    """For each object the cluster that it represents, -1 if none.

    The least of all distances between centres and objects is taken first, then the least between
    those that are left. Objects that are equal represent a cluster together.
    """
    cluster = np.full(rows.number, -1)
    distance, row = _closest(rows, centres, cluster)
    waiting = list(range(len(centres)))
    while waiting:
        chosen = min(waiting, key=lambda j: distance[j])
        if not np.isfinite(distance[chosen]):
            break
        waiting.remove(chosen)
        cluster[rows.twins(int(row[chosen]))] = chosen
        robbed = [j for j in waiting if cluster[row[j]] >= 0]
        if robbed:
            distance[robbed], row[robbed] = _closest(rows, centres[robbed], cluster)
    return cluster


def _closest(rows: SortedRows, centres: Floats, taken: Ints) -> tuple[Floats, Ints]:
    """The least squared distance of each centre to an object that is not taken, and which it is."""
    chunks = -(-rows.number // CHUNK)
    distance = np.full((chunks, len(centres)), np.inf)
    row = np.zeros(distance.shape, np.int64)

    def work(begin: int, end: int, room: Floats) -> None:
        closest(rows.columns, centres, taken, begin, end, distance, row)

    in_chunks(rows.number, 0, work)
    best = distance.argmin(axis=0)
    each = np.arange(len(centres))
    return distance[best, each], row[best, each]
