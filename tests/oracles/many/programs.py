"""Linear programs in fractions, by the dual simplex method on a table of rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..common import Number


def least(
    prices: Sequence[Number], rows: Sequence[Sequence[Number]], bounds: Sequence[Number]
) -> Fraction:
    """The least prices·x with x >= 0 and every row·x >= its bound; no price is below 0.

    The smallest numbers go in and out (Bland), so that it ends.
    """
    n, m = len(prices), len(rows)
    table = [
        [-Fraction(v) for v in row] + [Fraction(i == j) for j in range(m)] + [-Fraction(bound)]
        for i, (row, bound) in enumerate(zip(rows, bounds, strict=True))
    ]
    reduced = [Fraction(p) for p in prices] + [Fraction()] * (m + 1)
    if min(reduced) < 0:
        raise ValueError("a price is below 0")
    basis = list(range(n, n + m))
    while True:
        infeasible = [i for i in range(m) if table[i][-1] < 0]
        if not infeasible:
            return -reduced[-1]
        out = min(infeasible, key=lambda i: basis[i])
        steps = [(reduced[j] / -table[out][j], j) for j in range(n + m) if table[out][j] < 0]
        if not steps:
            raise ValueError("no x obeys all rows")
        _, into = min(steps)
        pivot = table[out][into]
        table[out] = [v / pivot for v in table[out]]
        for i in range(m):
            if i != out and table[i][into]:
                factor = table[i][into]
                table[i] = [v - factor * u for v, u in zip(table[i], table[out], strict=True)]
        factor = reduced[into]
        reduced = [v - factor * u for v, u in zip(reduced, table[out], strict=True)]
        basis[out] = into
