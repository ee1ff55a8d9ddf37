"""Compiled passes over masses: sums by label, and over pairs of rows, whose relations are made and
compared in the cache, never stored.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.encode.group_kernels import share_work, workers
from clusterdiff.compiled import compiled
from clusterdiff.measures.core.threads import summed_in_threads
from clusterdiff.measures.soft.pair_masses import MassFeatures

TILE = 512
"""Rows that one row is compared with at a time: what is made of them stays in the cache."""
ROWS = 64
"""Rows that are compared with a tile one after the other, while it is in the cache."""


def summed_by_label(table: Floats, row: Ints, label: Ints, both: Ints, labels: int) -> Floats:
    """Labels x columns: the masses of all objects with the label, added up."""
    sums = np.zeros((workers(), labels, table.shape[1]))
    _in_parts(label.size, sums, lambda a, b, part: _sum(table, row, label, both, a, b, part))
    return np.asarray(sums.sum(axis=0))


def summed_products(table: Floats, weight: Floats, first: Ints, second: Ints) -> float:
    """The sum over rows and over pairs of columns of the product of two masses."""
    sums = np.zeros((workers(), 1))
    _in_parts(
        len(table), sums, lambda a, b, part: _products(table, weight, first, second, a, b, part)
    )
    return float(sums.sum())


def _in_parts(rows: int, sums: Floats, work: Callable[[int, int, Floats], None]) -> None:
    """Do work(begin, end, sums of the part) on as many parts of the rows as there are sums."""
    edges = [rows * w // len(sums) for w in range(len(sums) + 1)]

    def some(begin: int, end: int) -> None:
        for w in range(begin, end):
            work(edges[w], edges[w + 1], sums[w])

    share_work(len(sums), len(sums), some)


@compiled
def _sum(table, row, label, both, begin, end, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(begin, end):
        weight = np.float64(both[i])
        for a in range(table.shape[1]):
            sums[label[i], a] += weight * table[row[i], a]


@compiled
def _products(table, weight, first, second, begin, end, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for i in range(begin, end):
        own = 0.0
        for k in range(first.size):
            own += table[i, first[k]] * table[i, second[k]]
        total += weight[i] * own
    sums[0] = total


def summed_distances(
    truth: MassFeatures, guess: MassFeatures, both: Ints, kind: int, alphas: list[float]
) -> Floats:
    """Sums over all pairs of objects of a distance of their relations, one for each alpha."""
    weight = both.astype(np.float64)
    rows = weight.size
    sides = [
        (
            side.label,
            side.single,
            side.single.T.copy(),
            side.against,
            side.mass.T.copy(),
            side.known,
        )
        for side in (truth, guess)
    ]
    chosen = np.array(alphas)
    work = 20 + sum(s.single.shape[1] + s.mass.shape[1] for s in (truth, guess))
    cost = np.arange(rows, 0, -1) * max(1, work // 8)

    def part(begin: int, end: int) -> Floats:
        return _pairs(*sides[0], *sides[1], weight, kind, chosen, begin, end)  # type: ignore[no-any-return]

    return summed_in_threads(part, cost, len(alphas), "pairs of rows")


FAST = {"nnan", "ninf", "nsz", "contract", "reassoc"}
"""Masses are finite, and sums may be taken in any order."""


@compiled(fastmath=FAST)
def _add(factor, row, total):  # type: ignore[no-untyped-def]  # pragma: no cover
    for j in range(row.size):
        total[j] += factor * row[j]


@compiled(fastmath=FAST)
def _relate(label, single, single_t, against, mass_t, known, i, begin, same, apart, empty):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Together, apart and impossible of row i with a tile of rows."""
    size = same.size
    if label.size:
        mine = label[i]
        others = label[begin : begin + size]
        for j in range(size):
            same[j] = 1.0 if others[j] == mine else 0.0
            apart[j] = 1.0 - same[j]
            empty[j] = 0.0
        return
    others_known = known[begin : begin + size]
    own = known[i]
    for j in range(size):
        same[j] = 0.0
        apart[j] = 0.0
        empty[j] = 1.0 - own * others_known[j]
    for c in range(single.shape[1]):
        if single[i, c] != 0.0:
            _add(single[i, c], single_t[c, begin : begin + size], same)
    if mass_t.shape[0] == 0:
        for j in range(size):
            apart[j] = 1.0 - empty[j] - same[j]
        return
    for a in range(mass_t.shape[0]):
        if against[i, a] != 0.0:
            _add(against[i, a], mass_t[a, begin : begin + size], apart)


@compiled(inline="always")
def _cost(s1, n1, e1, s2, n2, e2, alpha, saved):  # type: ignore[no-untyped-def]  # pragma: no cover
    t1, t2 = 1.0 - s1 - n1 - e1, 1.0 - s2 - n2 - e2
    t1 = t1 if t1 > 0.0 else 0.0
    t2 = t2 if t2 > 0.0 else 0.0
    lost = e1 - e2
    turn = 1.0 if lost >= 0.0 else -1.0
    same, apart, unknown = turn * (s1 - s2), turn * (n1 - n2), turn * (t1 - t2)
    surplus = (same if same > 0.0 else 0.0) + (apart if apart > 0.0 else 0.0)
    taken = surplus + unknown if unknown < 0.0 else surplus
    crossing = taken if taken > 0.0 else 0.0
    moved = surplus + (unknown if unknown > 0.0 else 0.0) - crossing
    least = t1 if t1 < t2 else t2
    through = crossing if crossing < least else least
    return turn * lost + crossing + alpha * moved - saved * through


@compiled(fastmath=FAST)
def _moving(same1, apart1, empty1, same2, apart2, empty2, weight, alpha):  # type: ignore[no-untyped-def]  # pragma: no cover
    saved = 1.0 - 2.0 * alpha if alpha < 0.5 else 0.0
    total = 0.0
    for j in range(weight.size):
        cost = _cost(same1[j], apart1[j], empty1[j], same2[j], apart2[j], empty2[j], alpha, saved)
        total += cost * weight[j]
    return total


@compiled(inline="always")
def _distance(s1, n1, e1, s2, n2, e2, kind):  # type: ignore[no-untyped-def]  # pragma: no cover
    s, n, e = s1 - s2, n1 - n2, e1 - e2
    if kind == 1:
        return 0.5 * (abs(s) + abs(n) + abs(e))
    if kind == 2:
        t = -(s + n + e)
        squared = 0.5 * (s * s + n * n + t * t + e * e + s * t + n * t)
        return np.sqrt(squared if squared > 0.0 else 0.0)
    return s1 * n2 + n1 * s2 + e1 + e2 - e1 * e2


@compiled(fastmath=FAST)
def _other(same1, apart1, empty1, same2, apart2, empty2, weight, kind):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for j in range(weight.size):
        found = _distance(same1[j], apart1[j], empty1[j], same2[j], apart2[j], empty2[j], kind)
        total += found * weight[j]
    return total


@compiled
def _pairs(  # type: ignore[no-untyped-def]  # pragma: no cover
    label1, single1, single1_t, against1, mass1_t, known1,
    label2, single2, single2_t, against2, mass2_t, known2,
    weight, kind, alphas, first, last,
):  # fmt: skip
    tiles = np.empty((6, TILE))
    sums = np.zeros(alphas.size)
    own = np.empty(1)
    rows = weight.size
    for block in range(first, last, ROWS):
        for begin in range(block, rows, TILE):
            end = min(begin + TILE, rows)
            for i in range(block, min(block + ROWS, last, end)):
                start = max(begin, i)
                size = end - start
                s1, n1, e1 = tiles[0][:size], tiles[1][:size], tiles[2][:size]
                s2, n2, e2 = tiles[3][:size], tiles[4][:size], tiles[5][:size]
                w = weight[start:end]
                _relate(label1, single1, single1_t, against1, mass1_t, known1, i, start, s1, n1, e1)
                _relate(label2, single2, single2_t, against2, mass2_t, known2, i, start, s2, n2, e2)
                own[0] = (weight[i] + 1) / 2
                for k in range(alphas.size):
                    if kind == 0:
                        total = _moving(s1, n1, e1, s2, n2, e2, w, alphas[k])
                        if start == i:
                            total -= _moving(s1, n1, e1, s2, n2, e2, own, alphas[k])
                    else:
                        total = _other(s1, n1, e1, s2, n2, e2, w, kind)
                        if start == i:
                            total -= _other(s1, n1, e1, s2, n2, e2, own, kind)
                    sums[k] += total * weight[i]
    return sums
