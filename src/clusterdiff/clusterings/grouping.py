"""Grouping whole numbers: equal pairs counted, equal keys numbered."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.compiled import compiled

MANY = 200_000
"""Keys from which on compiled code pays."""
FEW = 4096
"""Cells of a table that are always few."""
WIDEST = 2**62
"""Numbers from here on might not fit once two are combined."""


class PairCounts(NamedTuple):
    """Distinct pairs and how often each occurs."""

    first: Ints
    second: Ints
    count: Ints  # type: ignore[assignment]


def group_pairs(first: Ints, second: Ints) -> PairCounts:
    """Distinct pairs of two columns, with counts.

    >>> group_pairs(np.array([5, 5, 7]), np.array([1, 1, 1])).count.tolist()
    [2, 1]

    Both become one whole number, so that one sort or one table does.
    """
    if not first.size:
        return PairCounts(first, second, np.zeros(0, np.int64))
    (low, wide), (other_low, other_wide) = span(first), span(second)
    if wide * other_wide >= WIDEST:
        (left, examples), (right, others) = _numbered(first), _numbered(second)
        pairs = group_pairs(left, right)
        return PairCounts(examples[pairs.first], others[pairs.second], pairs.count)
    cell = np.subtract(first, low, dtype=np.int64)
    cell *= other_wide
    cell += second
    cell -= other_low
    if wide * other_wide <= max(FEW, first.size):
        table = np.bincount(cell)
        cell = np.flatnonzero(table)
        count = table[cell]
    else:
        cell.sort()
        starts = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
        count = np.diff(starts, append=cell.size)
        cell = cell[starts]
    row, column = np.divmod(cell, other_wide)
    return PairCounts(row + low, column + other_low, count)


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Dense codes of keys, and the key of each code."""
    codes, many = number(keys)
    values = np.empty(many, np.int64)
    values[codes] = keys
    return codes, values


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
    if keys.size < MANY:
        values, inverse = np.unique(keys, return_inverse=True)
        return inverse.astype(np.int64, copy=False), values.size

    return number_by_hash(keys)


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
    if codes.size < MANY:
        first = np.full(many + 1, codes.size)
        first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
        size = np.bincount(codes + 1, minlength=many + 1)[1:]
        some = np.flatnonzero(size)
        return some[np.argsort(first[some])], first[:-1], size

    counted: tuple[Ints, Ints, Ints] = _seen_in_order(codes, many)
    return counted


def pair_keys(first: Ints, second: Ints) -> Ints:
    """A key for each pair of keys, equal exactly when both are."""
    (left, _), (right, many) = number(first), number(second)
    return left * max(many, 1) + right


# Numbering many keys that lie far apart: partition by hash, then number inside the cache.
#
# Two passes move the keys into parts by the upper bits of a hash; a part is small enough
# that an open-addressing table over it stays in the second-level cache. Functions release
# the interpreter lock, and plain threads share the work. For 5 million keys it is four times as
# fast as NumPy's unique.

A = np.uint64(0x9E3779B97F4A7C15)
B = np.uint64(0xBF58476D1CE4E5B9)
PART = 8192
"""Keys per part, about: as many places and a table of them fit the cache."""


def number_by_hash(keys: Ints) -> tuple[Ints, int]:
    """Dense codes for keys of any size, and how many there are."""
    shares = workers()
    keys, index, starts = _partition(keys, shares)
    codes = np.empty(keys.size, np.int64)
    found = np.zeros(starts.size - 1, np.int64)
    share_work(shares, found.size, lambda a, b: _number(keys, starts, a, b, found))
    offsets = np.cumsum(found) - found
    share_work(shares, found.size, lambda a, b: _place(keys, index, starts, offsets, a, b, codes))
    return codes, int(found.sum())


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


def _partition(keys: Ints, workers: int) -> tuple[Ints, Ints, Ints]:
    """The keys moved into parts by hash, where each was, and the starts of the parts, one past the
    end included.
    """
    size = keys.size
    bits = int(np.clip(np.ceil(np.log2(size / PART)), 1, 12))
    edges = [size * w // workers for w in range(workers + 1)]
    sizes = np.zeros((workers, 1 << bits), np.int64)
    share_work(
        workers, workers, lambda w, _: _histogram(keys, edges[w], edges[w + 1], bits, sizes[w])
    )
    ends = np.cumsum(sizes.T.ravel())
    next_free = np.ascontiguousarray((ends - sizes.T.ravel()).reshape(-1, workers).T)
    starts = np.append(next_free[0], size)
    moved, index = np.empty(size, np.int64), np.empty(size, np.int64)

    def move(w: int, _: int) -> None:
        _scatter(keys, edges[w], edges[w + 1], bits, next_free[w], moved, index)

    share_work(workers, workers, move)
    return moved, index, starts


@compiled(inline="always")
def _hash(first, second):  # type: ignore[no-untyped-def]  # pragma: no cover
    mixed = np.uint64(first) * A ^ (np.uint64(second) + B)
    mixed ^= mixed >> np.uint64(32)
    mixed *= B
    mixed ^= mixed >> np.uint64(29)
    return mixed * A


@compiled(inline="always")
def _capacity(keys):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Slots of an open-addressing table that is at most half full: a power of two."""
    slots = 16
    while slots < 2 * keys:
        slots *= 2
    return slots


@compiled
def _histogram(keys, begin, end, bits, sizes):  # type: ignore[no-untyped-def]  # pragma: no cover
    shift = np.uint64(64 - bits)
    for i in range(begin, end):
        sizes[_hash(keys[i], 0) >> shift] += 1


@compiled
def _scatter(keys, begin, end, bits, next_free, moved, index):  # type: ignore[no-untyped-def]  # pragma: no cover
    shift = np.uint64(64 - bits)
    for i in range(begin, end):
        part = _hash(keys[i], 0) >> shift
        k = next_free[part]
        next_free[part] = k + 1
        moved[k] = keys[i]
        index[k] = i


@compiled
def _number(keys, starts, from_part, to_part, found):  # type: ignore[no-untyped-def]  # pragma: no cover
    table = np.empty(16, np.int64)
    used = np.empty(16, np.int32)
    for part in range(from_part, to_part):
        start, end = starts[part], starts[part + 1]
        capacity = _capacity(end - start)
        if capacity > table.size:
            table = np.empty(capacity, np.int64)
            used = np.empty(capacity, np.int32)
        used[:capacity] = -1
        mask = np.uint64(capacity - 1)
        rows = 0
        for i in range(start, end):
            x = keys[i]
            slot = (_hash(x, 0) >> np.uint64(8)) & mask
            while used[slot] >= 0 and table[slot] != x:
                slot = (slot + np.uint64(1)) & mask
            if used[slot] < 0:
                used[slot] = rows
                table[slot] = x
                rows += 1
            keys[i] = used[slot]
        found[part] = rows


@compiled
def _place(keys, index, starts, offsets, from_part, to_part, codes):  # type: ignore[no-untyped-def]  # pragma: no cover
    for part in range(from_part, to_part):
        for i in range(starts[part], starts[part + 1]):
            codes[index[i]] = keys[i] + offsets[part]


def hash_rows(matrix: Floats, salt: int) -> Ints:
    """A hash of each row of numbers; rows that are equal have equal ones."""
    keys = np.empty(len(matrix), np.int64)
    words = np.ascontiguousarray(matrix).view(np.int64).reshape(matrix.shape)
    share_work(workers(), len(matrix), lambda a, b: _hash_rows(words, salt, a, b, keys))
    return keys


@compiled
def _hash_rows(words, salt, begin, end, keys):  # type: ignore[no-untyped-def]  # pragma: no cover
    minus_zero = np.int64(-(2**63))
    for i in range(begin, end):
        hashed = np.uint64(salt)
        for j in range(words.shape[1]):
            word = words[i, j]
            hashed = _hash(np.int64(0) if word == minus_zero else word, hashed)
        keys[i] = np.int64(hashed)


@compiled
def _seen_in_order(codes, many):  # type: ignore[no-untyped-def]  # pragma: no cover
    first = np.full(many, codes.size, np.int64)
    size = np.zeros(many, np.int64)
    seen = np.empty(many, np.int64)
    found = 0
    for i in range(codes.size):
        code = codes[i]
        if code >= 0:
            if size[code] == 0:
                first[code] = i
                seen[found] = code
                found += 1
            size[code] += 1
    return seen[:found], first, size
