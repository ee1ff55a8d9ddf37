"""A fingerprint of a meet that depends neither on order nor on names.

Rows start with a colour made of their count. In each round a cluster takes the colours of its
rows, and a row those of its two clusters (colour refinement). Meets that differ in a shape, in the
parts of a cluster, or in how clusters hang together a few steps away, get different colours.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Hashes = NDArray[np.uint64]
    Ints = NDArray[np.int64]

WORK = 10**7
"""Rows that are coloured in all rounds together, where the colours do not settle before."""
LEAST = 4
"""Rounds that every meet gets, however many rows it has."""


def digest(colour: Hashes, times: Ints) -> str:
    """Hexadecimal digits for coloured rows; sums modulo 2⁶⁴ stand in for sorting."""
    repeats = times.astype(np.uint64)
    sums = [(_mix(colour + np.uint64(salt)) * repeats).sum(dtype=np.uint64) for salt in (1, 2)]
    return blake2b(np.array(sums, "<u8").tobytes(), digest_size=16).hexdigest()


def colours(truth: Ints, guess: Ints, both: Ints, more: Hashes | None = None) -> Hashes:
    """A colour for each row that depends on how it hangs together with the others, not on names.

    `more` is anything else that tells rows apart. Rounds go on until they tell no more rows apart,
    or the work is spent.
    """
    colour = _mix(both.astype(np.uint64) + (np.uint64(0) if more is None else more))
    rounds = max(LEAST, WORK // max(both.size, 1))
    told_apart = 0
    for done in range(rounds):
        of_truth, of_guess = _of_cluster(truth, colour), _of_cluster(guess, colour)
        colour = _mix(_mix(colour + of_truth) + np.uint64(3) * of_guess)
        if rounds > LEAST:
            now = np.unique(colour).size
            if now == told_apart and done >= LEAST:
                break
            told_apart = now
    return colour


def fingerprint(values: Floats) -> Hashes:
    """A hash of each row of numbers, to single precision: the order of sums does not show."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    place = _mix(np.arange(1, words.shape[1] + 1, dtype=np.uint64))
    return np.asarray(_mix(words + place).sum(axis=1, dtype=np.uint64))


def _of_cluster(cluster: Ints, colour: Hashes) -> Hashes:
    """For each row the colours of its cluster, 0 where the cluster is missing."""
    sums = np.zeros(int(cluster.max(initial=-1)) + 2, np.uint64)
    np.add.at(sums, cluster + 1, _mix(colour))
    sums[0] = 0
    return _mix(sums)[cluster + 1]


def _mix(x: Hashes) -> Hashes:
    """Spread 64 bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
