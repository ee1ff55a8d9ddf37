"""Objects around an object by how many guess and truth clusters they share with it: compiled.

Everything is counted in whole numbers until the very end, so neither the names of clusters nor the
order of objects show in the last bit. A cell holds the objects, and their summed likeness of guess
and of truth clusters, each in two parts, below and above `LOW` bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

LOW = 29
MASK = (1 << LOW) - 1
MIX = np.uint64(0x9E3779B97F4A7C15)
SMALL = 16
"""Slots that a table has at least."""


def table_size(keys: int) -> int:
    """Slots of an open-addressing table for so many keys, half of them free: a power of two."""
    return max(SMALL, 1 << (2 * keys).bit_length())


class Found(NamedTuple):
    """What was found for each row."""

    sums: Floats
    """Rows x (precision, recall, both with likeness), each with what it rounded off beside it."""
    around: Ints
    """Rows x (objects that share a guess cluster, objects that share a truth cluster)."""
    pairs: Ints
    """Ordered pairs of objects by shared guess and truth clusters, in two parts."""

    @classmethod
    def nothing(cls, rows: int, widest: tuple[int, int]) -> Found:
        """Zeros, for rows with up to so many memberships on each side."""
        pairs = np.zeros((2, widest[0] + 1, widest[1] + 1), np.int64)
        return cls(np.zeros((rows, 8)), np.zeros((rows, 2), np.int64), pairs)

    def add(self, other: Found) -> None:
        """Add what was found elsewhere; arrays without rows say nothing."""
        if other.sums.size:
            self.sums[:] += other.sums
            self.around[:] += other.around
        self.pairs[:] += other.pairs


@njit(inline="always")
def bits_for(keys, slots):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Bits of a table that is at most half full, within the slots there are."""
    bits = 4
    while (1 << bits) < 2 * keys and (1 << bits) < slots:
        bits += 1
    return bits


@njit(inline="always")
def hashed(key, shift):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The slot at which to look for a key first."""
    return np.int64((np.uint64(key) * MIX) >> shift)


@njit(inline="always")
def add(sums, row, place, term):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term to a sum; what is rounded off goes to the place beside it."""
    old = sums[row, place]
    new = old + term
    part = new - old
    sums[row, place] = new
    sums[row, place + 1] += (old - (new - part)) + (term - part)


@njit(inline="always")
def clear(cells, guesses, truths):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Empty the cells of an object in so many guess and truth clusters."""
    for g in range(guesses + 1):
        for t in range(truths + 1):
            for k in range(5):
                cells[g, t, k] = 0


@njit(inline="always")
def count(cells, g, t, objects, likeness, reverse):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Count objects that share g guess clusters of this likeness and t truth clusters."""
    cells[g, t, 0] += objects
    cells[g, t, 1] += objects * (likeness & MASK)
    cells[g, t, 2] += objects * (likeness >> LOW)
    cells[g, t, 3] += objects * (reverse & MASK)
    cells[g, t, 4] += objects * (reverse >> LOW)


@njit(inline="always")
def settle(  # type: ignore[no-untyped-def]  # pragma: no cover
    cells, guesses, truths, row, weight, unit, sums, around, pairs
):
    """Add what the cells hold to the sums of a row."""
    for g in range(guesses + 1):
        for t in range(truths + 1):
            objects = cells[g, t, 0]
            if objects == 0 or g + t == 0:
                continue
            around[row, 0] += objects if g > 0 else 0
            around[row, 1] += objects if t > 0 else 0
            pairs[0, g, t] += weight * (objects & MASK)
            pairs[1, g, t] += weight * (objects >> LOW)
            if g > 0 and t > 0:
                least = min(g, t)
                likeness = float(cells[g, t, 1]) + float(cells[g, t, 2]) * (MASK + 1)
                reverse = float(cells[g, t, 3]) + float(cells[g, t, 4]) * (MASK + 1)
                add(sums, row, 0, least * objects / g)
                add(sums, row, 2, least * objects / t)
                add(sums, row, 4, least * likeness / (g * g * unit))
                add(sums, row, 6, least * reverse / (t * t * unit))
