"""A fingerprint of a meet that depends neither on order nor on names.

Rows start with a colour made of their count. In each round a cluster takes the colours of its
rows, and a row those of its two clusters (colour refinement). Meets that differ in a shape, in the
parts of a cluster, or in how clusters hang together, get different colours; where all is regular,
`canonical` has a certificate of what colours do not say.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import numpy as np

from clusterdiff.array_types import Floats, Hashes, Ints
from clusterdiff.clusterings.encode.sets import mix

Around = Callable[[Hashes], Hashes]

WORK = 10**7
"""Rows that are coloured in all rounds together, where the colours do not settle before."""
LEAST = 2
"""Rounds that every meet gets, however many rows it has."""
SETTLING = 4
"""Rounds before it is looked whether colours have settled."""
LARGE = WORK // SETTLING
"""Rows of a meet that is too large to look for more than colours."""


def digest(colour: Hashes, times: Ints, certificate: bytes = b"") -> str:
    """Hexadecimal digits for coloured rows and what their colours do not say; sums modulo 2⁶⁴
    stand in for sorting.
    """
    return digits(salted_sums(colour, times), certificate)


def salted_sums(colour: Hashes, times: Ints) -> Hashes:
    """What is left of coloured rows: two sums, modulo 2⁶⁴."""
    repeats = times.astype(np.uint64)
    sums = [(mix(colour + np.uint64(salt)) * repeats).sum(dtype=np.uint64) for salt in (1, 2)]
    return np.array(sums, np.uint64)


def digits(sums: Hashes, certificate: bytes = b"") -> str:
    """Hexadecimal digits for these sums."""
    return blake2b(sums.astype("<u8").tobytes() + certificate, digest_size=16).hexdigest()


def step(of_truth: Around, of_guess: Around) -> Around:
    """A round: rows take the colours of their clusters, which the two functions give."""

    def taken(colour: Hashes) -> Hashes:
        around_truth, around_guess = of_truth(colour), of_guess(colour)
        return mix(mix(colour + around_truth) + np.uint64(3) * around_guess)

    return taken


def colours(colour: Hashes, step: Around, work: int) -> tuple[Hashes, bool]:
    """A colour for each row that depends on how it hangs together with the others, not on names.

    A step is a round, for `work` steps of work. Rounds go on until they tell no more rows apart, or
    the work is spent; it is said which.
    """
    rounds = max(LEAST, WORK // max(work, 1))
    told_apart = 0
    for done in range(rounds):
        colour = step(colour)
        if rounds > SETTLING:
            ordered = np.sort(colour)
            now = int((ordered[1:] != ordered[:-1]).sum())
            if now == told_apart and done >= SETTLING:
                return colour, True
            told_apart = now
    return colour, False


def fingerprint(values: Floats) -> Hashes:
    """A hash of each row of numbers, to single precision: the order of sums does not show."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    place = mix(np.arange(1, words.shape[1] + 1, dtype=np.uint64))
    return np.asarray(mix(words + place).sum(axis=1, dtype=np.uint64))


def of_cluster(cluster: Ints, colour: Hashes) -> Hashes:
    """For each row the colours of its cluster, 0 where the cluster is missing."""
    sums = np.zeros(int(cluster.max(initial=-1)) + 2, np.uint64)
    np.add.at(sums, cluster + 1, mix(colour))
    sums[0] = 0
    return mix(sums)[cluster + 1]
