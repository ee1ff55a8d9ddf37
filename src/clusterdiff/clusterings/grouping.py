"""Grouping whole numbers: equal pairs counted, equal keys numbered."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints

MANY = 200_000
"""Keys from which on threads, compiled code and short cuts pay."""
FEW = 4096
"""Cells of a table that are always few."""
EXACT = 2**52
"""Sums below it are exact in floating point, and so is what it is known by."""
WIDEST = 2**62
"""Numbers from here on might not fit once two are combined."""


class PairCounts(NamedTuple):
    """Distinct pairs and how often each occurs."""

    first: Ints
    second: Ints
    count: Ints  # type: ignore[assignment]


def group_pairs(first: Ints, second: Ints, weight: Ints | None = None) -> PairCounts:
    """Distinct pairs of two columns, with counts, or with the sum of some whole numbers > 0.

    >>> group_pairs(np.array([5, 5, 7]), np.array([1, 1, 1])).count.tolist()
    [2, 1]
    >>> group_pairs(np.array([5, 5, 7]), np.array([1, 1, 1]), np.array([3, 4, 5])).count.tolist()
    [7, 5]

    Both become one whole number, so that one sort or one table does.
    """
    if not first.size:
        return PairCounts(first, second, np.zeros(0, np.int64))
    (low, wide), (other_low, other_wide) = span(first), span(second)
    if wide * other_wide >= WIDEST:
        order, begins = _side_by_side(first, second)
        starts = np.flatnonzero(begins)
        example = order[starts]
        if weight is None:
            count = np.diff(starts, append=order.size)
        else:
            count = np.add.reduceat(weight[order], starts)
        return PairCounts(first[example], second[example], count)
    cell = np.subtract(first, low, dtype=np.int64)
    cell *= other_wide
    cell += second
    cell -= other_low
    if wide * other_wide <= max(FEW, first.size):
        table = np.bincount(cell) if weight is None else group_sums(cell, weight)
        cell = np.flatnonzero(table)
        count = table[cell]
    elif weight is not None:
        cell, count = _summed(cell, wide * other_wide, weight)
    else:
        cell.sort()
        starts = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
        count = np.diff(starts, append=cell.size)
        cell = cell[starts]
    row, column = np.divmod(cell, other_wide)
    return PairCounts(row + low, column + other_low, count)


def _summed(cell: Ints, wide: int, weight: Ints) -> tuple[Ints, Ints]:
    """Distinct cells below `wide`, sorted, with the sum of the weights of each.

    Where a cell and its weight fit one number together, they are sorted together: that costs no
    more than cells alone, while an order and a look at each weight cost twice as much.
    """
    bits = int(weight.max()).bit_length()
    if wide < WIDEST >> bits:
        packed = cell << bits
        packed |= weight
        packed.sort()
        weight = packed & ((1 << bits) - 1)
        packed >>= bits
        starts = np.flatnonzero(_changes(packed))
        return packed[starts], np.add.reduceat(weight, starts)
    order, begins = _side_by_side(cell)
    starts = np.flatnonzero(begins)
    return cell[order[starts]], np.add.reduceat(weight[order], starts)


def group_sums(codes: Ints, weight: Ints, size: int = 0) -> Ints:
    """The sum of whole numbers >= 0 by code, exact up to 2⁶³.

    >>> group_sums(np.array([0, 1, 0]), np.array([2**60, 1, 1])).tolist()
    [1152921504606846977, 1]
    """
    small = int(weight.max(initial=0)) * weight.size < EXACT
    if small or float(weight.sum(dtype=np.float64)) < EXACT:  # up to there floats add exactly
        return np.bincount(codes, weight, size).astype(np.int64)
    sums = np.zeros(max(size, int(codes.max(initial=-1)) + 1), np.int64)
    np.add.at(sums, codes, weight)
    return sums


def number(keys: Ints) -> tuple[Ints, int]:
    """Dense codes 0, 1, … equal exactly when the keys are, and how many there are."""
    if not keys.size:
        return keys, 0
    low, wide = span(keys)
    if wide <= max(FEW, 4 * keys.size):
        seen = np.zeros(wide, np.int64)
        shifted = keys - low
        seen[shifted] = 1
        codes = np.cumsum(seen) - 1
        return codes[shifted], int(codes[-1]) + 1
    order, begins = _side_by_side(keys)
    ranks = np.cumsum(begins) - 1
    codes = np.empty_like(ranks)
    codes[order] = ranks
    return codes, int(ranks[-1]) + 1


def _side_by_side(*columns: Ints) -> tuple[Ints, Bools]:
    """An order in which equal rows of some columns stand side by side, and where others begin.

    NumPy sorts plain numbers several times as fast as it finds an order, so that the upper bits of
    a number are a key, or a hash of one, and the lower bits the place where it comes from.
    """
    words = [column.astype(np.int64, copy=False).view(np.uint64) for column in columns]
    size = columns[0].size
    low, wide = span(columns[0])
    bits = np.uint64(size.bit_length())
    place = np.uint64((1 << int(bits)) - 1)
    exact = len(columns) == 1 and wide < 1 << (64 - int(bits))
    if exact:
        packed = (words[0] - np.uint64(low % 2**64)) << bits
    elif size < MANY:  # in the order of the numbers themselves
        order = np.lexsort(columns[::-1])
        return order, _differing(columns, order)
    else:
        packed = hash_columns(words, size, 0) & ~place
    packed |= np.arange(size, dtype=np.uint64)
    packed.sort()
    order = (packed & place).view(np.int64)
    packed >>= bits
    begins = _changes(packed)
    if exact:
        return order, begins
    differ = _differing(columns, order)
    if not np.array_equal(differ, begins):  # different rows of one hash are put in order
        part = np.cumsum(begins)
        some = np.flatnonzero(np.isin(part, part[differ & ~begins]))
        again = np.lexsort((*(column[order[some]] for column in columns), part[some]))
        order[some] = order[some[again]]
        differ = _differing(columns, order)
    return order, differ


def _differing(columns: Iterable[Ints], order: Ints) -> Bools:
    """Which rows of some columns, in this order, differ from the one before."""
    return reduce(np.logical_or, (_changes(column[order]) for column in columns))


def _changes(values: Any) -> Bools:
    """Which values differ from the one before."""
    found = np.ones(values.size, np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


A = np.uint64(0x9E3779B97F4A7C15)
B = np.uint64(0xBF58476D1CE4E5B9)


def hash_columns(columns: Iterable[Hashes], size: int, salt: int) -> Hashes:
    """A hash of each row of some columns of this size."""
    mixed = np.full(size, salt, np.uint64)
    for column in columns:
        mixed ^= column
        mixed *= A
        mixed ^= mixed >> np.uint64(32)
    mixed *= B
    return mixed


def table_codes(keys: Ints) -> Ints:
    """Codes from 0 on, equal exactly when the keys are, small enough to index a table.

    Keys that lie close together are only shifted; others are numbered.
    """
    return small_codes(keys)[0]


def span(keys: Ints) -> tuple[int, int]:
    """The least key, and how many whole numbers lie from it to the greatest."""
    low = int(np.minimum.reduce(keys))
    return low, int(np.maximum.reduce(keys)) - low + 1


def downcast_int32(numbers: Ints) -> Ints:
    """Numbers in half as many bytes, where they fit."""
    fits = not numbers.size or (numbers.min() >= -(2**31) and numbers.max() < 2**31)
    return numbers.astype(np.int32) if fits else numbers


def by_appearance(keys: Ints) -> tuple[Ints, Ints]:
    """Dense codes in the order in which the keys first occur, and where they do."""
    if bool((keys[1:] >= keys[:-1]).all()):
        starts = np.concatenate([np.ones(min(keys.size, 1), np.bool_), keys[1:] != keys[:-1]])
        return np.cumsum(starts) - 1, np.flatnonzero(starts)
    codes, many = number(keys)
    first = np.full(many, keys.size)
    first[codes[::-1]] = np.arange(keys.size)[::-1]
    order = np.argsort(first)
    rank = np.empty(many, np.int64)
    rank[order] = np.arange(many)
    return rank[codes], first[order]


def small_codes(keys: Ints) -> tuple[Ints, int]:
    """Codes from 0 on, equal exactly when the keys are, and a number that all are below: keys that
    lie close together are only shifted, others are numbered.
    """
    if not keys.size:
        return keys, 0
    low, wide = span(keys)
    if wide > max(FEW, 4 * keys.size):
        return number(keys)
    return (keys - low if low else keys), wide


def seen_in_order(codes: Ints, many: int) -> tuple[Ints, Ints, Ints]:
    """Codes in the order in which they first occur, where each of so many codes does so first, and
    how often it occurs; -1 is no code.
    """
    first = np.full(many + 1, codes.size)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    size = np.bincount(codes + 1, minlength=many + 1)[1:]
    some = np.flatnonzero(size)
    firsts = np.full(codes.size, -1)
    firsts[first[some]] = some
    return firsts[firsts >= 0], first[:-1], size


def pair_keys(first: Ints, second: Ints) -> Ints:
    """A key for each pair of keys, equal exactly when both are."""
    (left, _), (right, many) = number(first), number(second)
    return left * max(many, 1) + right


def workers() -> int:
    """How many threads share the work; no more than is asked for, as by joblib of its processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    asked = [os.environ.get(name, "") for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")]
    return max(1, min(8, cores, *(int(number) for number in asked if number.isdigit())))


def share_work(workers: int, parts: int, work: Callable[[int, int], object]) -> None:
    """Let each worker do a contiguous share of the parts."""
    edges = [parts * w // workers for w in range(workers + 1)]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
