"""Compiled sums of the values of cells over groups of objects, rounding errors kept."""

from __future__ import annotations

import numpy as np

from clusterdiff.compiled import compiled


@compiled(inline="always")
def _add(i, value, total, error, terms):  # type: ignore[no-untyped-def]  # pragma: no cover
    old = total[i]
    new = old + value
    if old >= value:
        error[i] += (old - new) + value
    else:
        error[i] += (value - new) + old
    total[i] = new
    terms[i] += 1


@compiled
def add_dense(truth, guess, columns, values, total, error, terms):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add to each group the value of its cell of a whole table; negative where one is missing."""
    for i in range(truth.size):
        value = values[(np.int64(truth[i]) + 1) * columns + guess[i] + 1]
        if value >= 0:
            _add(i, value, total, error, terms)


@compiled
def add_sparse(  # type: ignore[no-untyped-def]  # pragma: no cover
    order, start, guess, first, column, values, scratch, total, error, terms
):
    """The same cluster by cluster, whose cells are listed from `first` on."""
    for cluster in range(start.size - 1):
        for cell in range(first[cluster], first[cluster + 1]):
            scratch[column[cell]] = values[cell]
        for k in range(start[cluster], start[cluster + 1]):
            group = order[k]
            if guess[group] >= 0:
                _add(group, scratch[guess[group]], total, error, terms)
