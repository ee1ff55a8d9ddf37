"""Compiled counting of the cells of two clusterings over groups of objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Ints
from clusterdiff.compiled import compiled

NO_COUNT = np.zeros(0, np.int64)


def dense_table(
    truth: NDArray[Any], guess: NDArray[Any], count: Ints | None, rows: int, columns: int
) -> Ints:
    """Objects of each cell of a table whose first row and column are for missing ones (-1)."""
    if count is not None:
        table = np.zeros(rows * columns, np.int64)
        _add_counts(truth, guess, count, columns, table)
        return table
    tables = np.zeros((4, rows * columns), np.int32)
    _add_ones(truth, guess, columns, *tables)
    return np.asarray(tables.sum(axis=0, dtype=np.int64))


def sparse_cells(
    order: Ints, start: Ints, guess: NDArray[Any], count: Ints | None, columns: int
) -> tuple[Ints, Ints, Ints]:
    """Truth cluster, guess cluster and objects of the cells that are not empty; groups stand in the
    order of their truth clusters, those of a cluster from its start on.
    """
    out = np.empty((3, order.size), np.int64)
    scratch, touched = np.zeros(columns, np.int64), np.empty(columns, np.int64)
    counts = NO_COUNT if count is None else count
    found = _by_cluster(order, start, guess, counts, scratch, touched, *out)
    return out[0, :found], out[1, :found], out[2, :found]


@compiled
def _add_counts(truth, guess, count, columns, table):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(truth.size):
        table[(np.int64(truth[i]) + 1) * columns + guess[i] + 1] += count[i]


@compiled
def _add_ones(truth, guess, columns, first, second, third, fourth):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Four tables in turn, since the same cell often comes several times in a row."""
    whole = truth.size - truth.size % 4
    for i in range(0, whole, 4):
        first[(np.int64(truth[i]) + 1) * columns + guess[i] + 1] += 1
        second[(np.int64(truth[i + 1]) + 1) * columns + guess[i + 1] + 1] += 1
        third[(np.int64(truth[i + 2]) + 1) * columns + guess[i + 2] + 1] += 1
        fourth[(np.int64(truth[i + 3]) + 1) * columns + guess[i + 3] + 1] += 1
    for i in range(whole, truth.size):
        first[(np.int64(truth[i]) + 1) * columns + guess[i] + 1] += 1


@compiled
def _by_cluster(  # type: ignore[no-untyped-def]  # pragma: no cover
    order, start, guess, count, scratch, touched, truth_out, guess_out, both
):
    found = 0
    for cluster in range(start.size - 1):
        many = 0
        for k in range(start[cluster], start[cluster + 1]):
            group = order[k]
            other = np.int64(guess[group])
            if other < 0:
                continue
            if scratch[other] == 0:
                touched[many] = other
                many += 1
            scratch[other] += count[group] if count.size else 1
        for i in range(many):
            other = touched[i]
            truth_out[found], guess_out[found] = cluster, other
            both[found] = scratch[other]
            scratch[other] = 0
            found += 1
    return found
