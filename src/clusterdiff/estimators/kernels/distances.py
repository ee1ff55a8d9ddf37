"""Compiled passes over the objects: distances, memberships and sums while they are in the cache.

Objects are worked on in fixed chunks whose sums are added in order, so that the number of threads
does not change a bit. What is computed for one object is the same wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.encode.group_kernels import share_work, workers
from clusterdiff.compiled import compiled

CHUNK = 4096
"""Objects that are summed by one thread."""
BLOCK = 256
"""Objects that are worked on at a time."""
FARTHEST = 2.0**500
"""Values beyond this, in units of the data, are no different: their squares are numbers."""
ALONE = 4
"""Chunks below which threads cost more than they bring."""
NOWHERE = np.empty((0, 0))
"""Given in place of a table that is not wanted."""
FAST = {"contract", "reassoc", "nsz"}
"""Sums may be taken in any order, as long as it is always the same."""


def in_chunks(rows: int, sums: int, work: Callable[[int, int, Floats], object]) -> Floats:
    """The sums of work(first chunk, last chunk, room for the sums of each chunk)."""
    chunks = -(-rows // CHUNK)
    room = np.zeros((chunks, sums))
    if chunks < ALONE:
        work(0, chunks, room)
    else:
        share_work(workers(), chunks, lambda begin, end: work(begin, end, room))
    return np.asarray(room.sum(axis=0))


def squared_distances(columns: Floats, points: Floats) -> Floats:
    """Points x objects."""
    points = np.ascontiguousarray(points)
    found = np.empty((len(points), columns.shape[1]))
    in_chunks(columns.shape[1], 0, lambda a, b, room: _distances(columns, points, a, b, found))
    return found


def in_units(given: Floats, order: Ints, origin: Floats, unit: float) -> Floats:
    """Rows in an order, feature by feature, measured from an origin; all zeros are positive."""
    columns = np.empty(given.shape[::-1])
    in_chunks(
        len(given), 0, lambda a, b, room: _gather(given, order, origin, 1.0 / unit, a, b, columns)
    )
    return columns


@compiled
def _gather(given, order, origin, factor, begin, end, columns):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(begin * CHUNK, min(end * CHUNK, order.size)):
        row = given[order[i]]
        for q in range(row.size):
            value = (row[q] - origin[q]) * factor + 0.0
            columns[q, i] = min(max(value, -FARTHEST), FARTHEST)


@compiled
def _distances(columns, points, begin, end, found):  # type: ignore[no-untyped-def]  # pragma: no cover
    last = min(end * CHUNK, columns.shape[1])
    for low in range(begin * CHUNK, last, BLOCK):
        high = min(low + BLOCK, last)
        for j in range(points.shape[0]):
            squared(columns, points[j], low, high, found[j, low:high])


@compiled
def squared(columns, point, low, high, found):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Squared distances of a block of objects to a point.

    Slices of rows are taken here and elsewhere one at a time: those of a whole matrix are not
    known to be contiguous, and loops over them would not become vector code.
    """
    found[:] = 0.0
    for q in range(point.size):
        values = columns[q, low:high]
        for r in range(found.size):
            gap = values[r] - point[q]
            found[r] += gap * gap


@compiled(fastmath=FAST)
def total(values):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The sum."""
    found = 0.0
    for r in range(values.size):
        found += values[r]
    return found


@compiled(fastmath=FAST)
def leaning(weight, values, point):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The weighted sum of the differences to a point."""
    found = 0.0
    for r in range(values.size):
        found += weight[r] * (values[r] - point)
    return found


@compiled
def scatter(table, place, found):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Write degrees of a block, clusters x objects, to the rows of the objects."""
    for r in range(place.size):
        for a in range(table.shape[0]):
            found[place[r], a] = table[a, r]
