"""Compiled passes over tables of masses: sums by label, and what each row has with itself."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.encode.group_kernels import share_work, workers
from clusterdiff.compiled import compiled


def summed_by_label(table: Floats, row: Ints, label: Ints, both: Ints, labels: int) -> Floats:
    """Labels x columns: the masses of all objects with the label, added up."""
    shares = workers()
    sums = np.zeros((shares, labels, table.shape[1]))
    edges = [label.size * w // shares for w in range(shares + 1)]
    share_work(
        shares,
        shares,
        lambda a, b: [
            _sum(table, row, label, both, edges[w], edges[w + 1], sums[w]) for w in range(a, b)
        ],
    )
    return np.asarray(sums.sum(axis=0))


def summed_products(table: Floats, weight: Floats, first: Ints, second: Ints) -> float:
    """The sum over rows and over pairs of columns of the product of two masses."""
    shares = workers()
    sums = np.zeros(shares)
    edges = [len(table) * w // shares for w in range(shares + 1)]

    def part(begin: int, end: int) -> None:
        for w in range(begin, end):
            sums[w] = _products(table, weight, first, second, edges[w], edges[w + 1])

    share_work(shares, shares, part)
    return float(sums.sum())


@compiled
def _sum(table, row, label, both, begin, end, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(begin, end):
        weight = np.float64(both[i])
        for a in range(table.shape[1]):
            sums[label[i], a] += weight * table[row[i], a]


@compiled
def _products(table, weight, first, second, begin, end):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for i in range(begin, end):
        own = 0.0
        for k in range(first.size):
            own += table[i, first[k]] * table[i, second[k]]
        total += weight[i] * own
    return total
