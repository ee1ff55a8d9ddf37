"""Compiled passes of possibilistic c-means: how typical each object is, cluster by cluster."""

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.estimators.kernels.distances import BLOCK, CHUNK, leaning, scatter, squared, total
from clusterdiff.estimators.kernels.powers import power


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
        y = ratio if exponent == 1.0 else power(ratio, exponent)
        damped = 1.0 / (1.0 + y) if exponent == 1.0 else power(1.0 + y, -1.0 / exponent)
        degree[r] = (1.0 if inside else y) / (1.0 + y)
        objective[r] += less * damped
        cost[r] = degree[r] * damped * (1.0 if inside else ratio)


@compiled
def judge_typical(  # type: ignore[no-untyped-def]  # pragma: no cover
    columns, centres, scale, exponent, order, begin, end, sums, found
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
            if found.size:
                scatter(degree, order[low:high], found)
