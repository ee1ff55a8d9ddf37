"""Compiled passes over the objects: distances, memberships and sums while they are in the cache.

Objects are worked on in fixed chunks whose sums are added in order, so that the number of threads
does not change a bit. What is computed for one object is the same wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.grouping import share_work, workers
from clusterdiff.compiled import compiled

CHUNK = 4096
"""Objects that are summed by one thread."""
BLOCK = 256
"""Objects that are worked on at a time."""
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
    squares = np.empty((len(points), columns.shape[1]))
    in_chunks(columns.shape[1], 0, lambda a, b, room: _distances(columns, points, a, b, squares))
    return squares


@compiled
def _distances(columns, points, begin, end, squares):  # type: ignore[no-untyped-def]  # pragma: no cover
    last = min(end * CHUNK, columns.shape[1])
    for low in range(begin * CHUNK, last, BLOCK):
        high = min(low + BLOCK, last)
        for j in range(points.shape[0]):
            squared(columns, points[j], low, high, squares[j, low:high])


@compiled
def squared(columns, point, low, high, squares):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Squared distances of a block of objects to a point.

    Slices of rows are taken here and elsewhere one at a time: those of a whole matrix are not
    known to be contiguous, and loops over them would not become vector code.
    """
    squares[:] = 0.0
    for q in range(point.size):
        values = columns[q, low:high]
        for r in range(squares.size):
            gap = values[r] - point[q]
            squares[r] += gap * gap


@compiled(fastmath=FAST)
def total(values):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The sum."""
    result = 0.0
    for r in range(values.size):
        result += values[r]
    return result


@compiled(fastmath=FAST)
def leaning(weight, values, point):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The weighted sum of the differences to a point."""
    result = 0.0
    for r in range(values.size):
        result += weight[r] * (values[r] - point)
    return result


@compiled
def scatter(table, place, degrees):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Write degrees of a block, clusters x objects, to the rows of the objects."""
    for r in range(place.size):
        for a in range(table.shape[0]):
            degrees[place[r], a] = table[a, r]


# Compiled passes of rough k-means: which centres are about as near as the nearest.


@compiled
def _about_as_near(squares, threshold, ratio, upper, least):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Which clusters each object may be in, by its squared distances."""
    size = least.size
    least[:] = np.inf
    for j in range(squares.shape[0]):
        own, apart = squares[j, :size], upper[j, :size]
        for r in range(size):
            apart[r] = np.sqrt(own[r])
            least[r] = min(least[r], apart[r])
    for j in range(squares.shape[0]):
        apart = upper[j, :size]
        if ratio:
            for r in range(size):
                apart[r] = 1.0 if apart[r] <= threshold * least[r] else 0.0
        else:
            for r in range(size):
                apart[r] = 1.0 if apart[r] - least[r] <= threshold else 0.0


@compiled(error_model="numpy")
def _divide(squares, shared, upper, lower, many, spread):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Separate lower approximations from boundaries, in which `upper` becomes the weight.

    `spread` becomes the mean of the squared distances to the clusters of an object.
    """
    size = many.size
    many[:] = 0.0
    spread[:] = 0.0
    for j in range(squares.shape[0]):
        own, above = squares[j, :size], upper[j, :size]
        for r in range(size):
            many[r] += above[r]
            spread[r] += above[r] * own[r]
    for r in range(size):
        spread[r] /= many[r]
    for j in range(squares.shape[0]):
        above, below = upper[j, :size], lower[j, :size]
        for r in range(size):
            below[r] = above[r] if many[r] == 1.0 else 0.0
            above[r] = (above[r] - below[r]) / (many[r] if shared else 1.0)


@compiled
def approximate(  # type: ignore[no-untyped-def]  # pragma: no cover
    columns, centres, threshold, ratio, shared, fixed, order, begin, end, sums, approximations
):
    """One pass of rough k-means.

    `fixed`, where it is given, names the cluster that an object is in whatever its distances, or
    -1. Sums are the objective, and for the lower approximations and for the boundaries the
    weights of the clusters and their weighted sums of objects.
    """
    features, rows = columns.shape
    clusters = centres.shape[0]
    squares, upper = np.empty((clusters, BLOCK)), np.empty((clusters, BLOCK))
    lower, least, spread = np.empty((clusters, BLOCK)), np.empty(BLOCK), np.empty(BLOCK)
    each = clusters * (1 + features)
    for chunk in range(begin, end):
        room = sums[chunk]
        last = min((chunk + 1) * CHUNK, rows)
        for low in range(chunk * CHUNK, last, BLOCK):
            high = min(low + BLOCK, last)
            size = high - low
            for j in range(clusters):
                squared(columns, centres[j], low, high, squares[j, :size])
            _about_as_near(squares, threshold, ratio, upper, least[:size])
            if fixed.size:
                for r in range(size):
                    if fixed[low + r] >= 0:
                        upper[:, r] = 0.0
                        upper[fixed[low + r], r] = 1.0
            if approximations.size:
                scatter(upper, order[low:high], approximations)
            _divide(squares, shared, upper, lower, least[:size], spread[:size])
            room[0] += total(spread[:size])
            for j in range(clusters):
                for kind in range(2):
                    weight = lower[j, :size] if kind == 0 else upper[j, :size]
                    at = 1 + kind * each
                    room[at + j] += total(weight)
                    for q in range(features):
                        place = at + clusters + j * features + q
                        room[place] += leaning(weight, columns[q, low:high], 0.0)


@compiled
def closest(columns, centres, taken, begin, end, distance, row):  # type: ignore[no-untyped-def]  # pragma: no cover
    """For each chunk and centre the least squared distance of an object not taken, and which."""
    rows = columns.shape[1]
    squares = np.empty(BLOCK)
    for chunk in range(begin, end):
        last = min((chunk + 1) * CHUNK, rows)
        for low in range(chunk * CHUNK, last, BLOCK):
            high = min(low + BLOCK, last)
            own = squares[: high - low]
            for j in range(centres.shape[0]):
                squared(columns, centres[j], low, high, own)
                for r in range(own.size):
                    if own[r] < distance[chunk, j] and taken[low + r] < 0:
                        distance[chunk, j] = own[r]
                        row[chunk, j] = low + r


# Compiled passes of fuzzy and evidential c-means: each object shares itself out by costs.


@compiled(error_model="numpy")
def _share_out(cost, exponent, share, least, whole):  # type: ignore[no-untyped-def]  # pragma: no cover
    """What each object gives to each prototype, by costs; costs become weights.

    With the least cost c and s_j = (c / c_j)^exponent, the share u_j is s_j / Σ s. Its power
    u_j^m, m = 1 + 1/exponent, is u_j (c / c_j) (Σ s)^(1-m), and Σ u_j^m c_j is c (Σ s)^(1-m):
    nothing is raised that could overflow. `least` becomes the latter, the objective.
    """
    size = least.size
    least[:] = np.inf
    whole[:] = 0.0
    for a in range(cost.shape[0]):
        own = cost[a, :size]
        for r in range(size):
            least[r] = min(least[r], own[r])
    for a in range(cost.shape[0]):
        own, given = cost[a, :size], share[a, :size]
        for r in range(size):
            own[r] = least[r] / own[r] if own[r] > least[r] else 1.0
        if exponent == 1.0:
            for r in range(size):
                given[r] = own[r]
                whole[r] += own[r]
        else:
            for r in range(size):
                given[r] = own[r] ** exponent
                whole[r] += given[r]
    for a in range(cost.shape[0]):
        given = share[a, :size]
        for r in range(size):
            given[r] /= whole[r]
    if exponent == 1.0:
        for r in range(size):
            whole[r] = 1.0 / whole[r]
    else:
        for r in range(size):
            whole[r] = whole[r] ** (-1.0 / exponent)
    for a in range(cost.shape[0]):
        own, given = cost[a, :size], share[a, :size]
        for r in range(size):
            own[r] *= given[r] * whole[r]
    for r in range(size):
        least[r] *= whole[r]


@compiled
def share_out(  # type: ignore[no-untyped-def]  # pragma: no cover
    columns, points, factor, noise, exponent, centres, start, member, portion,
    order, begin, end, sums, shares,
):  # fmt: skip
    """One pass of fuzzy or evidential c-means.

    The cost of a prototype is its factor times the squared distance; `noise`, where it is not
    negative, is the cost of one that is equally far from all. Sums are the objective, the weight
    of each prototype, and for each centre how far its objects, weighted, are from it.
    """
    features, rows = columns.shape
    sets, clusters, first = points.shape[0], centres.shape[0], 1 if noise >= 0.0 else 0
    cost, share = np.empty((first + sets, BLOCK)), np.empty((first + sets, BLOCK))
    least, whole, pull = np.empty(BLOCK), np.empty(BLOCK), np.empty((clusters, BLOCK))
    for chunk in range(begin, end):
        room = sums[chunk]
        last = min((chunk + 1) * CHUNK, rows)
        for low in range(chunk * CHUNK, last, BLOCK):
            high = min(low + BLOCK, last)
            size = high - low
            cost[:first, :size] = noise
            for a in range(sets):
                weight = cost[first + a, :size]
                squared(columns, points[a], low, high, weight)
                multiply(weight, factor[a])
            _share_out(cost, exponent, share, least[:size], whole[:size])
            if shares.size:
                scatter(share, order[low:high], shares)
            room[0] += total(least[:size])
            pull[:] = 0.0
            for a in range(sets):
                weight = cost[first + a, :size]
                room[1 + a] += total(weight)
                for at in range(start[a], start[a + 1]):
                    add_part(weight, portion[a], pull[member[at], :size])
            for j in range(clusters):
                for q in range(features):
                    room[1 + sets + j * features + q] += leaning(
                        pull[j, :size], columns[q, low:high], centres[j, q]
                    )


@compiled
def multiply(values, factor):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Multiply all values."""
    if factor != 1.0:
        for r in range(values.size):
            values[r] *= factor


@compiled
def add_part(values, portion, row):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a multiple of the values."""
    for r in range(row.size):
        row[r] += portion * values[r]


# Compiled passes of possibilistic c-means: how typical each object is, cluster by cluster.


@compiled(error_model="numpy")
def _typical(cost, scale, exponent, degree, objective):  # type: ignore[no-untyped-def]  # pragma: no cover
    """How possible each object is in a cluster by its squared distances, which become weights.

    With y the ratio of the smaller of d² and η to the larger, to the power of the exponent, the
    possibility is 1/(1+y) inside and y/(1+y) outside of η, and both terms of the objective make
    min(d², η) (1+y)^(1-m) together.
    """
    for r in range(cost.size):
        inside = cost[r] <= scale
        less, more = min(cost[r], scale), max(cost[r], scale)
        ratio = less / more if less > 0.0 else 0.0
        y = ratio if exponent == 1.0 else ratio**exponent
        damped = 1.0 / (1.0 + y) if exponent == 1.0 else (1.0 + y) ** (-1.0 / exponent)
        degree[r] = (1.0 if inside else y) / (1.0 + y)
        objective[r] += less * damped
        cost[r] = degree[r] * damped * (1.0 if inside else ratio)


@compiled
def judge_typical(  # type: ignore[no-untyped-def]  # pragma: no cover
    columns, centres, scale, exponent, order, begin, end, sums, degrees
):
    """One pass of possibilistic c-means; sums as in `share_out`."""
    features, rows = columns.shape
    clusters = centres.shape[0]
    cost, degree = np.empty((clusters, BLOCK)), np.empty((clusters, BLOCK))
    objective = np.empty(BLOCK)
    for chunk in range(begin, end):
        room = sums[chunk]
        last = min((chunk + 1) * CHUNK, rows)
        for low in range(chunk * CHUNK, last, BLOCK):
            high = min(low + BLOCK, last)
            size = high - low
            objective[:size] = 0.0
            for j in range(clusters):
                weight = cost[j, :size]
                squared(columns, centres[j], low, high, weight)
                _typical(weight, scale[j], exponent, degree[j, :size], objective[:size])
                room[1 + j] += total(weight)
                for q in range(features):
                    room[1 + clusters + j * features + q] += leaning(
                        weight, columns[q, low:high], centres[j, q]
                    )
            room[0] += total(objective[:size])
            if degrees.size:
                scatter(degree, order[low:high], degrees)
