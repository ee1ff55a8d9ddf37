"""Grouping whole numbers: equal pairs counted, equal keys numbered.

NumPy for few objects; above `MANY` a compiled kernel that splits the keys by hash until
each part fits the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Ints

MANY = 200_000


class PairCounts(NamedTuple):
    """Distinct pairs and how often each occurs."""

    first: Ints
    second: Ints
    count: Ints  # type: ignore[assignment]


def group_pairs(first: Ints, second: Ints) -> PairCounts:
    """Distinct pairs of two columns, in no particular order, with counts.

    >>> group_pairs(np.array([5, 5, 7]), np.array([1, 1, 1])).count.tolist()
    [2, 1]
    """
    if not first.size:
        return PairCounts(first, second, np.zeros(0, np.int64))
    low, wide = span(first)
    other_low, other_wide = span(second)
    if wide * other_wide <= max(4096, first.size // 4):
        return _by_table(first, low, wide, second, other_low, other_wide)
    if first.size < MANY:
        return _by_sorting(first, second)
    from clusterdiff.clusterings.encode.group_kernels import group_pairs_by_hash

    return PairCounts(*group_pairs_by_hash(first, second))


def number(keys: Ints) -> tuple[Ints, int]:
    """Dense codes 0, 1, … equal exactly when the keys are, and how many there are."""
    if not keys.size:
        return keys, 0
    low, wide = span(keys)
    if wide <= max(4096, 4 * keys.size):
        seen = np.zeros(wide, np.int64)
        shifted = keys - low
        seen[shifted] = 1
        codes = np.cumsum(seen) - 1
        return codes[shifted], int(codes[-1]) + 1
    if keys.size < MANY:
        values, inverse = np.unique(keys, return_inverse=True)
        return inverse.astype(np.int64, copy=False), values.size
    from clusterdiff.clusterings.encode.group_kernels import number_by_hash

    return number_by_hash(keys)


def table_codes(keys: Ints) -> Ints:
    """Codes from 0 on, equal exactly when the keys are, small enough to index a table.

    Keys that lie close together are only shifted, in place; others are numbered.
    """
    if not keys.size:
        return keys
    low, wide = span(keys)
    if wide > max(4096, 4 * keys.size):
        return number(keys)[0]
    keys -= low
    return keys


def span(keys: Ints) -> tuple[int, int]:
    """The least key, and how many whole numbers lie from it to the greatest."""
    low = int(keys.min())
    return low, int(keys.max()) - low + 1


def small(numbers: Ints) -> Ints:
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
    if wide > max(4096, 4 * keys.size):
        return number(keys)
    return (keys - low if low else keys), wide


def seen_in_order(codes: Ints, many: int) -> tuple[Ints, Ints, Ints]:
    """Codes in the order in which they first occur, where each of so many codes does so first, and
    how often it occurs; -1 is no code.
    """
    if codes.size < MANY:
        first = np.full(many + 1, codes.size)
        first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
        size = np.bincount(codes + 1, minlength=many + 1)[1:]
        some = np.flatnonzero(size)
        return some[np.argsort(first[some])], first[:-1], size
    from clusterdiff.clusterings.encode.group_kernels import seen_in_order as compiled

    found: tuple[Ints, Ints, Ints] = compiled(codes, many)
    return found


def pair_keys(first: Ints, second: Ints) -> Ints:
    """A key for each pair of keys, equal exactly when both are."""
    (left, _), (right, many) = number(first), number(second)
    return left * max(many, 1) + right


def _by_table(
    first: Ints, low: int, wide: int, second: Ints, other_low: int, other_wide: int
) -> PairCounts:
    if first.size < MANY:
        table = np.bincount((first - low) * other_wide + (second - other_low))
    else:
        from clusterdiff.clusterings.encode.group_kernels import count_table

        table = count_table(first, low, wide, second, other_low, other_wide)
    cells = np.flatnonzero(table)
    return PairCounts(cells // other_wide + low, cells % other_wide + other_low, table[cells])


def _by_sorting(first: Ints, second: Ints) -> PairCounts:
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    change = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    starts = np.concatenate(([0], np.flatnonzero(change) + 1))
    return PairCounts(first[starts], second[starts], np.diff(np.append(starts, first.size)))
