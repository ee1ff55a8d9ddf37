"""The fused kernel of Triton: relations of a tile of rows with rows are made, compared and added up
in registers, and never stored.

Functions are compiled when they are first asked for (`ready`): reading this file needs no Triton.
What is in capitals is known when they are compiled.
"""

from __future__ import annotations

from functools import cache
from typing import Any

# type checkers know nothing of the language of kernels
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"


tl: Any = None
"""triton.language, once it is asked for."""
FUNCTIONS = (
    "_product",
    "_meeting",
    "_both",
    "_either",
    "_by_norms",
    "_relate",
    "_tile",
    "_add",
    "pairs",
)


@cache
def ready() -> Any:
    """The kernel, compiled for the types and constants that it is called with."""
    import triton
    import triton.language

    globals()["tl"] = triton.language
    for name in FUNCTIONS:
        globals()[name] = triton.jit(globals()[name])
    return globals()["pairs"]


def _product(one, other, i, j, rows, COLUMNS: tl.constexpr):  # noqa: N803  # pragma: no cover
    """The sum over columns of products, as matrix products of up to 64 columns."""
    DEPTH: tl.constexpr = min(COLUMNS, 64)  # noqa: N806
    total = i[:, None].to(tl.float64) * 0.0 + j[None, :].to(tl.float64) * 0.0
    for c in range(0, COLUMNS, DEPTH):
        at = rows * (c + tl.arange(0, DEPTH))
        left = tl.load(one + at[None, :] + i[:, None])
        right = tl.load(other + at[:, None] + j[None, :])
        total = tl.dot(left, right, total, out_dtype=tl.float64)
    return total


def _meeting(step, degree, order, i, j, rows, COLUMNS: tl.constexpr):  # noqa: N803  # pragma: no cover
    """The area of the rectangles of nested sets."""
    area = i[:, None].to(tl.float64) * 0.0 + j[None, :].to(tl.float64) * 0.0
    best = area
    for c in range(COLUMNS):
        place = tl.load(order + rows * c + i).to(tl.int64)
        best = tl.maximum(best, tl.load(degree + (rows * place)[:, None] + j[None, :]))
        area += tl.load(step + rows * c + i)[:, None] * best
    return area


def _both(one, other, TNORM: tl.constexpr):  # noqa: N803  # pragma: no cover
    """A t-norm."""
    if TNORM == 0:
        return tl.minimum(one, other)
    elif TNORM == 1:  # noqa: RET505
        return one * other
    else:
        found = one + other - 1.0
        return tl.where(found > 1e-15, found, 0.0)


def _either(one, other, CONORM: tl.constexpr):  # noqa: N803  # pragma: no cover
    """A t-conorm."""
    if CONORM == 0:
        return tl.maximum(one, other)
    elif CONORM == 1:  # noqa: RET505
        return tl.minimum(one + other, 1.0)
    else:
        return one + other - one * other


def _by_norms(
    values, first, order, i, j, rows, COLUMNS: tl.constexpr, TNORM: tl.constexpr,  # noqa: N803
    CONORM: tl.constexpr,  # noqa: N803
):  # fmt: skip  # pragma: no cover
    """How far rows are together and apart, by a t-norm and a t-conorm."""
    same = i[:, None].to(tl.float64) * 0.0 + j[None, :].to(tl.float64) * 0.0
    apart = same
    for a in range(COLUMNS):
        mine = tl.load(values + rows * a + i)[:, None]
        same = _either(same, _both(mine, tl.load(values + rows * a + j)[None, :], TNORM), CONORM)
        if CONORM != 0:
            for b in range(COLUMNS):
                found = _both(mine, tl.load(values + rows * b + j)[None, :], TNORM)
                apart = _either(apart, tl.where(a == b, 0.0, found), CONORM)
    if CONORM == 0:
        first1, first2 = tl.load(first + i)[:, None], tl.load(first + j)[None, :]
        second1, second2 = tl.load(first + rows + i)[:, None], tl.load(first + rows + j)[None, :]
        other = tl.maximum(_both(first1, second2, TNORM), _both(second1, first2, TNORM))
        differ = tl.load(order + i)[:, None] != tl.load(order + j)[None, :]
        apart = tl.where(differ, _both(first1, first2, TNORM), other)
    return same, apart


def _relate(
    values, against, mass, known, order, i, j, rows,
    RELATING: tl.constexpr, COLUMNS: tl.constexpr, SETS: tl.constexpr,  # noqa: N803
    TNORM: tl.constexpr, CONORM: tl.constexpr,  # noqa: N803
):  # fmt: skip  # pragma: no cover
    """Together, apart, and all that is not impossible."""
    every = tl.load(known + i)[:, None] * tl.load(known + j)[None, :]
    if RELATING == "form":
        same = _product(against, mass, i, j, rows, SETS)
        apart = same
    elif RELATING == "half_l1":
        same = every * 0.0
        for c in range(COLUMNS):
            at = values + rows * c
            same += tl.abs(tl.load(at + i)[:, None] - tl.load(at + j)[None, :])
        same = tl.minimum(0.5 * same, 1.0)
        apart = same
    elif RELATING == "max":
        same = every * 0.0
        for c in range(COLUMNS):
            at = values + rows * c
            same = tl.maximum(same, tl.abs(tl.load(at + i)[:, None] - tl.load(at + j)[None, :]))
        apart = same
    elif RELATING == "norms":
        same, apart = _by_norms(values, mass, order, i, j, rows, COLUMNS, TNORM, CONORM)
    else:
        same = _product(values, values, i, j, rows, COLUMNS)
        if RELATING == "singles":
            apart = every - same
        elif RELATING == "bounded":
            apart = tl.minimum(every - same, 1.0)
            same = tl.minimum(same, 1.0)
        elif RELATING == "sets":
            apart = _product(against, mass, i, j, rows, SETS)
        else:
            apart = every - _meeting(against, mass, order, i, j, rows, SETS)
    return same, apart, every


def _tile(
    values1, against1, mass1, known1, order1, values2, against2, mass2, known2, order2, i, j, rows,
    RELATING1: tl.constexpr, COLUMNS1: tl.constexpr, SETS1: tl.constexpr,  # noqa: N803
    RELATING2: tl.constexpr, COLUMNS2: tl.constexpr, SETS2: tl.constexpr,  # noqa: N803
    COMBINING: tl.constexpr, TNORM: tl.constexpr, CONORM: tl.constexpr,  # noqa: N803
):  # fmt: skip  # pragma: no cover
    """What each pair of rows adds to the sums, of which some combinations have less than four."""
    s1, n1, k1 = _relate(
        values1, against1, mass1, known1, order1, i, j, rows, RELATING1, COLUMNS1, SETS1,
        TNORM, CONORM,
    )  # fmt: skip
    if COMBINING == "size":
        found = tl.abs(s1)
        return found, found, found, found
    s2, n2, k2 = _relate(
        values2, against2, mass2, known2, order2, i, j, rows, RELATING2, COLUMNS2, SETS2,
        TNORM, CONORM,
    )  # fmt: skip
    if COMBINING == "gap":
        found = tl.abs(s1 - s2)
        return found, found, found, found
    elif COMBINING == "agreement":  # noqa: RET505
        together, alone = _both(s1, s2, TNORM), _both(s1, n2, TNORM)
        return together, alone, _both(n1, s2, TNORM), _both(n1, n2, TNORM)
    elif COMBINING == "alpha":
        t1, t2 = tl.maximum(k1 - s1 - n1, 0.0), tl.maximum(k2 - s2 - n2, 0.0)
        lost, unknown = tl.abs(k1 - k2), tl.abs(t1 - t2)
        differing = tl.abs(s1 - s2) + tl.abs(n1 - n2) - lost
        crossing = tl.maximum(0.5 * (differing - unknown), 0.0)
        through = tl.minimum(crossing, tl.minimum(t1, t2))
        return lost + crossing, 0.5 * (differing + unknown) - crossing, through, through
    else:
        s, n, e = s1 - s2, n1 - n2, k2 - k1
        if COMBINING == "belief":
            found = 0.5 * (tl.abs(s) + tl.abs(n) + tl.abs(e))
        else:
            t = -(s + n + e)
            found = 0.5 * (s * s + n * n + t * t + e * e + (s + n) * t)
            found = tl.sqrt(tl.maximum(found, 0.0))
        return found, found, found, found


def _add(total, found, count, same, on_diagonal, WIDE: tl.constexpr):  # noqa: N803  # pragma: no cover
    """Add what pairs of rows have in a sum. Of a block with itself half is added, and half of each
    row with itself taken off: its pairs are left, and those of the objects of a row.
    """
    if WIDE == 1:
        total += tl.sum(found * count, 1, keep_dims=True)
        if on_diagonal:
            total -= tl.sum(tl.where(same, found, 0.0), 1, keep_dims=True) * 0.5
    else:
        total += found * count
        if on_diagonal:
            total -= tl.where(same, found, 0.0) * 0.5
    return total


def pairs(
    values1, against1, mass1, known1, order1, values2, against2, mass2, known2, order2,
    weight, sums, rows, first, blocks, strips,
    RELATING1: tl.constexpr, COLUMNS1: tl.constexpr, SETS1: tl.constexpr,  # noqa: N803
    RELATING2: tl.constexpr, COLUMNS2: tl.constexpr, SETS2: tl.constexpr,  # noqa: N803
    COMBINING: tl.constexpr, TNORM: tl.constexpr, CONORM: tl.constexpr,  # noqa: N803
    SUMS: tl.constexpr, SIDE: tl.constexpr, TILES: tl.constexpr, WIDE: tl.constexpr,  # noqa: N803
):  # fmt: skip  # pragma: no cover
    """A block of rows with itself and those behind it, `TILES` blocks in each program of a row.

    Rows that fill up the last block weigh nothing. Each program writes sums of its own. They
    are `WIDE`, `SIDE` or 1, columns until its end: one where registers are needed for the rest.
    """
    block = (first + tl.program_id(0)).to(tl.int64)
    begin = block + tl.program_id(1) * TILES
    if begin >= blocks:
        return
    rows = rows.to(tl.int64)
    own = tl.arange(0, SIDE)
    same = own[:, None] == own[None, :]
    i = block * SIDE + own
    total0 = tl.zeros((SIDE, WIDE), tl.float64)
    total1, total2, total3 = total0, total0, total0
    for step in range(TILES):
        tile = tl.minimum(begin + step, blocks - 1)
        j = tile * SIDE + own
        a, b, c, d = _tile(
            values1, against1, mass1, known1, order1, values2, against2, mass2, known2, order2,
            i, j, rows, RELATING1, COLUMNS1, SETS1, RELATING2, COLUMNS2, SETS2,
            COMBINING, TNORM, CONORM,
        )  # fmt: skip
        part = tl.where(begin + step == block, 0.5, 1.0)
        count = (tl.load(weight + j) * tl.where(begin + step < blocks, part, 0.0))[None, :]
        on_diagonal = begin + step == block
        total0 = _add(total0, a, count, same, on_diagonal, WIDE)
        if SUMS > 1:
            total1 = _add(total1, b, count, same, on_diagonal, WIDE)
        if SUMS > 2:
            total2 = _add(total2, c, count, same, on_diagonal, WIDE)
        if SUMS > 3:
            total3 = _add(total3, d, count, same, on_diagonal, WIDE)
    mine = tl.load(weight + i)
    at = sums + (tl.program_id(0) * strips + tl.program_id(1)) * SUMS
    tl.store(at, tl.sum(tl.sum(total0, 1) * mine, 0))
    if SUMS > 1:
        tl.store(at + 1, tl.sum(tl.sum(total1, 1) * mine, 0))
    if SUMS > 2:
        tl.store(at + 2, tl.sum(tl.sum(total2, 1) * mine, 0))
    if SUMS > 3:
        tl.store(at + 3, tl.sum(tl.sum(total3, 1) * mine, 0))
