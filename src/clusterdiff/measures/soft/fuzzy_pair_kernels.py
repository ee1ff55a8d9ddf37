"""Compiled sums over pairs of rows of degrees."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.compiled import compiled
from clusterdiff.measures.core.threads import summed_in_threads
from clusterdiff.measures.soft.fuzzy_pairs import ROUNDING


def summed_agreement(
    truth: Floats, guess: Floats, both: Ints, tnorm: int, conorm: int
) -> list[float]:
    """Sums over pairs: together in both, in truth alone, in guess alone, in neither."""
    weight = both.astype(np.float64)

    def part(begin: int, end: int) -> Floats:
        return np.asarray(_agreement(truth, guess, weight, tnorm, conorm, begin, end))

    wide = truth.shape[1] ** 2 + guess.shape[1] ** 2
    found = summed_in_threads(part, _cost(weight.size, wide), 4, "pairs of rows")
    return found.tolist()  # type: ignore[no-any-return]


def summed_differences(truth: Floats, guess: Floats, both: Ints, distance: int) -> float:
    """The sum over pairs of how much their distances differ."""
    weight = both.astype(np.float64)
    lengths = [np.sqrt(np.einsum("ij,ij->i", side, side)) for side in (truth, guess)]

    def part(begin: int, end: int) -> Floats:
        return np.atleast_1d(_differences(truth, guess, *lengths, weight, distance, begin, end))

    wide = truth.shape[1] + guess.shape[1]
    return float(summed_in_threads(part, _cost(weight.size, wide), 1, "pairs of rows")[0])


def _cost(rows: int, work: int) -> Ints:
    """Work per row, which meets itself and those behind it."""
    return np.arange(rows, 0, -1) * max(1, work)


@compiled(inline="always")
def _both(tnorm, one, other):  # type: ignore[no-untyped-def]  # pragma: no cover
    if tnorm == 0:
        return min(one, other)
    if tnorm == 1:
        return one * other
    both = one + other - 1.0
    return both if both > ROUNDING else 0.0


@compiled(inline="always")
def _either(conorm, one, other):  # type: ignore[no-untyped-def]  # pragma: no cover
    if conorm == 0:
        return max(one, other)
    if conorm == 1:
        return min(1.0, one + other)
    return one + other - one * other


@compiled(inline="always")
def _relate(one, other, tnorm, conorm):  # type: ignore[no-untyped-def]  # pragma: no cover
    same = 0.0
    apart = 0.0
    for a in range(one.size):
        for b in range(one.size):
            found = _both(tnorm, one[a], other[b])
            if a == b:
                same = _either(conorm, same, found)
            else:
                apart = _either(conorm, apart, found)
    return same, apart


@compiled
def _agreement(truth, guess, weight, tnorm, conorm, first, last):  # type: ignore[no-untyped-def]  # pragma: no cover
    sums = np.zeros(4)
    for i in range(first, last):
        for j in range(i, weight.size):
            v, x = _relate(truth[i], truth[j], tnorm, conorm)
            y, z = _relate(guess[i], guess[j], tnorm, conorm)
            count = weight[i] * weight[j] if i != j else weight[i] * (weight[i] - 1) / 2
            sums[0] += count * _both(tnorm, v, y)
            sums[1] += count * _both(tnorm, v, z)
            sums[2] += count * _both(tnorm, x, y)
            sums[3] += count * _both(tnorm, x, z)
    return sums


@compiled(inline="always")
def _apart(one, other, length, other_length, distance):  # type: ignore[no-untyped-def]  # pragma: no cover
    found = 0.0
    if distance == 2:
        if length == 0.0 and other_length == 0.0:
            return 0.0
        if length == 0.0 or other_length == 0.0:
            return 1.0
        for c in range(one.size):
            found += one[c] * other[c]
        return min(1.0, max(0.0, 1.0 - found / (length * other_length)))
    for c in range(one.size):
        gap = abs(one[c] - other[c])
        found = found + 0.5 * gap if distance == 0 else max(found, gap)
    return min(1.0, found)


@compiled
def _differences(truth, guess, length1, length2, weight, distance, first, last):  # type: ignore[no-untyped-def]  # pragma: no cover
    total = 0.0
    for i in range(first, last):
        for j in range(i, weight.size):
            count = weight[i] * weight[j] if i != j else weight[i] * (weight[i] - 1) / 2
            in_truth = _apart(truth[i], truth[j], length1[i], length1[j], distance)
            in_guess = _apart(guess[i], guess[j], length2[i], length2[j], distance)
            total += count * abs(in_truth - in_guess)
    return total
