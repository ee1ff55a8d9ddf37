"""Compiled passes of rough k-means: which centres are about as near as the nearest."""

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.estimators.kernels.distances import BLOCK, CHUNK, leaning, scatter, squared, total


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
    columns, centres, threshold, ratio, shared, fixed, order, begin, end, sums, found
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
            if found.size:
                scatter(upper, order[low:high], found)
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
