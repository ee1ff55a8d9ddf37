"""Compiled sums over pairs of rows: relations are made and compared in the cache, never stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from clusterdiff.clusterings.kernels import compiled
from clusterdiff.measures.threads import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.measures.relations import Features

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TILE = 512
"""Rows that one row is compared with at a time: what is made of them stays in the cache."""


def summed_distances(
    truth: Features, guess: Features, both: Ints, kind: int, alphas: list[float]
) -> Floats:
    """Sums over all pairs of objects of a distance of their relations, one for each alpha."""
    weight = both.astype(np.float64)
    rows = weight.size
    sides = [
        (side.label, side.single, side.single.T.copy(), side.against, side.mass.T.copy(), side.known)
        for side in (truth, guess)
    ]
    chosen = np.array(alphas)
    work = 20 + sum(s.single.shape[1] + s.mass.shape[1] for s in (truth, guess))
    cost = np.arange(rows, 0, -1) * max(1, work // 8)

    def part(begin: int, end: int, sums: Floats) -> None:
        sums += _pairs(*sides[0], *sides[1], weight, kind, chosen, begin, end)

    rooms = in_threads(part, cost, lambda: np.zeros(len(alphas)), "pairs of rows")
    return np.asarray(np.sum(rooms, axis=0))


@njit(inline="always")
def _relate(label, single, single_t, against, mass_t, known, i, begin, size, same, apart, empty):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Together, apart and impossible of row i with a tile of rows."""
    if label.size:
        mine = label[i]
        for j in range(size):
            same[j] = 1.0 if label[begin + j] == mine else 0.0
            apart[j] = 1.0 - same[j]
            empty[j] = 0.0
        return
    for j in range(size):
        same[j] = 0.0
        empty[j] = 1.0 - known[i] * known[begin + j]
    for c in range(single.shape[1]):
        factor = single[i, c]
        if factor != 0.0:
            for j in range(size):
                same[j] += factor * single_t[c, begin + j]
    if mass_t.shape[0] == 0:
        for j in range(size):
            apart[j] = 1.0 - empty[j] - same[j]
        return
    for j in range(size):
        apart[j] = 0.0
    for a in range(mass_t.shape[0]):
        factor = against[i, a]
        if factor != 0.0:
            for j in range(size):
                apart[j] += factor * mass_t[a, begin + j]


@compiled
def _pairs(  # type: ignore[no-untyped-def]  # pragma: no cover
    label1, single1, single1_t, against1, mass1_t, known1,
    label2, single2, single2_t, against2, mass2_t, known2,
    weight, kind, alphas, first, last,
):  # fmt: skip
    same1, apart1, empty1 = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    same2, apart2, empty2 = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    sums = np.zeros(alphas.size)
    rows = weight.size
    for i in range(first, last):
        of_row = np.zeros(alphas.size)
        for begin in range(i, rows, TILE):
            size = min(TILE, rows - begin)
            _relate(
                label1, single1, single1_t, against1, mass1_t, known1, i, begin, size,
                same1, apart1, empty1,
            )  # fmt: skip
            _relate(
                label2, single2, single2_t, against2, mass2_t, known2, i, begin, size,
                same2, apart2, empty2,
            )  # fmt: skip
            for k in range(alphas.size):
                total = 0.0
                if kind == 0:
                    total = _moving(same1, apart1, empty1, same2, apart2, empty2, weight, begin, size, alphas[k])
                else:
                    total = _other(same1, apart1, empty1, same2, apart2, empty2, weight, begin, size, kind)
                if begin == i:
                    own = _own(same1, apart1, empty1, same2, apart2, empty2, kind, alphas[k])
                    total -= own * (weight[i] + 1) / 2
                of_row[k] += total
        for k in range(alphas.size):
            sums[k] += of_row[k] * weight[i]
    return sums


@njit(inline="always")
def _cost(s1, n1, e1, s2, n2, e2, alpha, saved):  # type: ignore[no-untyped-def]  # pragma: no cover
    t1 = max(0.0, 1.0 - s1 - n1 - e1)
    t2 = max(0.0, 1.0 - s2 - n2 - e2)
    turn = 1.0 if e1 >= e2 else -1.0
    same, apart, unknown = turn * (s1 - s2), turn * (n1 - n2), turn * (t1 - t2)
    surplus = max(same, 0.0) + max(apart, 0.0)
    crossing = max(0.0, surplus - max(-unknown, 0.0))
    moved = surplus + max(unknown, 0.0) - crossing
    through = min(crossing, min(t1, t2))
    return abs(e1 - e2) + crossing + alpha * moved - saved * through


@njit(inline="always", fastmath={"reassoc", "contract", "nsz", "arcp"})
def _moving(same1, apart1, empty1, same2, apart2, empty2, weight, begin, size, alpha):  # type: ignore[no-untyped-def]  # pragma: no cover
    saved = max(0.0, 1.0 - 2.0 * alpha)
    total = 0.0
    for j in range(size):
        cost = _cost(
            same1[j], apart1[j], empty1[j], same2[j], apart2[j], empty2[j], alpha, saved
        )
        total += cost * weight[begin + j]
    return total


@njit(inline="always")
def _distance(s1, n1, e1, s2, n2, e2, kind):  # type: ignore[no-untyped-def]  # pragma: no cover
    s, n, e = s1 - s2, n1 - n2, e1 - e2
    if kind == 1:
        return 0.5 * (abs(s) + abs(n) + abs(e))
    if kind == 2:
        t = -(s + n + e)
        return np.sqrt(max(0.0, 0.5 * (s * s + n * n + t * t + e * e + s * t + n * t)))
    return s1 * n2 + n1 * s2 + e1 + e2 - e1 * e2


@njit(inline="always", fastmath={"reassoc", "contract", "nsz", "arcp"})
def _other(same1, apart1, empty1, same2, apart2, empty2, weight, begin, size, kind):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for j in range(size):
        found = _distance(same1[j], apart1[j], empty1[j], same2[j], apart2[j], empty2[j], kind)
        total += found * weight[begin + j]
    return total


@njit(inline="always")
def _own(same1, apart1, empty1, same2, apart2, empty2, kind, alpha):  # type: ignore[no-untyped-def]  # pragma: no cover
    if kind == 0:
        saved = max(0.0, 1.0 - 2.0 * alpha)
        return _cost(same1[0], apart1[0], empty1[0], same2[0], apart2[0], empty2[0], alpha, saved)
    return _distance(same1[0], apart1[0], empty1[0], same2[0], apart2[0], empty2[0], kind)
