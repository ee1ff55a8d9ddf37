"""Compiled passes of fuzzy and evidential c-means: each object shares itself out by costs."""

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.estimators.kernels.distances import BLOCK, CHUNK, leaning, scatter, squared, total
from clusterdiff.estimators.kernels.powers import power


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
                given[r] = power(own[r], exponent)
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
            whole[r] = power(whole[r], -1.0 / exponent)
    for a in range(cost.shape[0]):
        own, given = cost[a, :size], share[a, :size]
        for r in range(size):
            own[r] *= given[r] * whole[r]
    for r in range(size):
        least[r] *= whole[r]


@compiled
def share_out(  # type: ignore[no-untyped-def]  # pragma: no cover
    columns, points, factor, noise, exponent, centres, start, member, portion,
    order, begin, end, sums, found,
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
            if found.size:
                scatter(share, order[low:high], found)
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


@compiled
def bet(masses, start, member, chances):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Share the mass of each set evenly among its clusters."""
    for i in range(masses.shape[0]):
        for a in range(masses.shape[1]):
            for at in range(start[a], start[a + 1]):
                chances[i, member[at]] += masses[i, a] / (start[a + 1] - start[a])
