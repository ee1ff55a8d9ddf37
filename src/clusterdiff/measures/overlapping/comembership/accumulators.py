"""Objects around an object by how many guess and truth clusters they share with it: compiled.

Everything is counted in whole numbers until the very end, so neither the names of clusters nor the
order of objects show in the last bit. A cell holds the objects, and their summed likeness of guess
and of truth clusters, each in two parts, below and above `LOW` bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.compiled import compiled
from clusterdiff.measures.overlapping.comembership.dense import LOW

MASK = (1 << LOW) - 1
MIX = np.uint64(0x9E3779B97F4A7C15)
WIDE = 255
"""Memberships up to which the cells of an object are held in a table."""
SMALL = 16
"""Slots that a table has at least."""


def room_for_cells(widest: tuple[int, int]) -> Ints:
    """Cells of an object with up to so many memberships, as far as they are held."""
    return np.zeros((min(widest[0], WIDE) + 1, min(widest[1], WIDE) + 1, 5), np.int64)


def table_size(keys: int) -> int:
    """Slots of an open-addressing table for so many keys, half of them free: a power of two."""
    return max(SMALL, 1 << (2 * keys).bit_length())


class CoMemberCounts(NamedTuple):
    """What was found for each row."""

    sums: Floats
    """Rows x (precision, recall, both with likeness), each with what it rounded off beside it."""
    around: Ints
    """Rows x (objects that share a guess cluster, objects that share a truth cluster)."""
    pairs: Ints
    """Ordered pairs of objects that share a cluster: by the number of guess clusters, by that of
    truth clusters, and (place 0) how many share equally many; each in two parts."""

    @classmethod
    def nothing(cls, rows: int, widest: int) -> CoMemberCounts:
        """Zeros, for rows with up to so many memberships on each side."""
        pairs = np.zeros((2, 3, widest + 1), np.int64)
        return cls(np.zeros((rows, 8)), np.zeros((rows, 2), np.int64), pairs)

    def add(self, other: CoMemberCounts) -> None:
        """Add what was found elsewhere; arrays without rows say nothing."""
        if other.sums.size:
            old, term = self.sums[:, ::2], other.sums[:, ::2]
            new = old + term
            part = new - old
            self.sums[:, 1::2] += other.sums[:, 1::2] + ((old - (new - part)) + (term - part))
            self.sums[:, ::2] = new
            self.around[:] += other.around
        self.pairs[:] += other.pairs


@compiled(inline="always")
def bits_for(keys, slots):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Bits of a table that is at most half full, within the slots there are."""
    bits = 4
    while (1 << bits) < 2 * keys and (1 << bits) < slots:
        bits += 1
    return bits


@compiled(inline="always")
def hashed(key, shift):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The slot at which to look for a key first."""
    return np.int64((np.uint64(key) * MIX) >> shift)


@compiled(inline="always")
def add(sums, row, place, term):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term to a sum; what is rounded off goes to the place beside it."""
    old = sums[row, place]
    new = old + term
    part = new - old
    sums[row, place] = new
    sums[row, place + 1] += (old - (new - part)) + (term - part)


@compiled(inline="always")
def clear(cells, guesses, truths):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Empty the cells of an object in so many guess and truth clusters."""
    for g in range(guesses + 1):
        for t in range(truths + 1):
            for k in range(5):
                cells[g, t, k] = 0


@compiled(inline="always")
def count(cells, g, t, objects, likeness, reverse):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Count objects that share g guess clusters of this likeness and t truth clusters."""
    cells[g, t, 0] += objects
    cells[g, t, 1] += objects * (likeness & MASK)
    cells[g, t, 2] += objects * (likeness >> LOW)
    cells[g, t, 3] += objects * (reverse & MASK)
    cells[g, t, 4] += objects * (reverse >> LOW)


@compiled(inline="always")
def pair(pairs, g, t, weight, objects):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Count pairs of objects that share g guess and t truth clusters."""
    low, high = weight * (objects & MASK), weight * (objects >> LOW)
    pairs[0, 0, g] += low
    pairs[1, 0, g] += high
    pairs[0, 1, t] += low
    pairs[1, 1, t] += high
    if g == t:
        pairs[0, 2, 0] += low
        pairs[1, 2, 0] += high


@compiled(inline="always")
def credit(  # type: ignore[no-untyped-def]  # pragma: no cover
    sums, around, row, g, t, objects, likeness, reverse, unit
):
    """Add to the sums of a row objects that share g guess and t truth clusters with it."""
    around[row, 0] += objects if g > 0 else 0
    around[row, 1] += objects if t > 0 else 0
    if g > 0 and t > 0:
        least = min(g, t)
        add(sums, row, 0, objects * (least / g))
        add(sums, row, 2, objects * (least / t))
        add(sums, row, 4, objects * (least * float(likeness) / (g * g * unit)))
        add(sums, row, 6, objects * (least * float(reverse) / (t * t * unit)))


@compiled(inline="always")
def matched(  # type: ignore[no-untyped-def]  # pragma: no cover
    guess, truth, table_start, table_truth, table_precise, table_recalled, most
):
    """Sums, over the guess and over the truth clusters that two objects share, of the best
    similarity to one of the other side.
    """
    precise = recalled = 0
    most[: truth.size] = 0
    for c in guess:
        best = 0
        begin, end = table_start[c], table_start[c + 1]
        for k in range(truth.size):
            at = begin + np.searchsorted(table_truth[begin:end], truth[k])
            best = max(best, table_precise[at])
            most[k] = max(most[k], table_recalled[at])
        precise += best
    for k in range(truth.size):
        recalled += most[k]
    return precise, recalled


@compiled(inline="always")
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
            pair(pairs, g, t, weight, objects)
            if g > 0 and t > 0:
                least = min(g, t)
                likeness = float(cells[g, t, 1]) + float(cells[g, t, 2]) * (MASK + 1)
                reverse = float(cells[g, t, 3]) + float(cells[g, t, 4]) * (MASK + 1)
                add(sums, row, 0, least * objects / g)
                add(sums, row, 2, least * objects / t)
                add(sums, row, 4, least * likeness / (g * g * unit))
                add(sums, row, 6, least * reverse / (t * t * unit))
