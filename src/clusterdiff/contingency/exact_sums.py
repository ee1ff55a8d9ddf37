"""Sums whose bits do not depend on the order of the terms."""

from __future__ import annotations

import math

import numpy as np

from clusterdiff.array_types import Floats, Ints

FEW = 20_000


def exact_sum(terms: Floats) -> float:
    """The sum rounded once, as `math.fsum`, in a few passes over the array.

    Each term is a 53-bit whole number times a power of two. Whole numbers with the same power
    are added in two halves, which cannot round; the few totals are added as Python integers.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0

    Fractions, in an array of objects, stay fractions.
    """
    if terms.dtype == object:
        return sum(terms.tolist())  # type: ignore[no-any-return]
    if terms.size <= FEW:
        return math.fsum(terms.tolist())
    fraction, power = np.frexp(terms)
    high = np.floor(fraction * 2.0**26)
    low = (fraction * 2.0**26 - high) * 2.0**27
    least = int(power.min())
    bins = power - least
    totals = zip(np.bincount(bins, high), np.bincount(bins, low), strict=True)
    whole = sum(((int(up) << 27) + int(down)) << k for k, (up, down) in enumerate(totals))
    shift = least - 53
    return float(whole << shift) if shift >= 0 else whole / (1 << -shift)


def exact_group_sums(groups: Ints, terms: Floats, size: int, largest: float) -> Floats:
    """The sum of the terms of each group, for terms that are 0 or at least 1.

    `largest` is at least as large as each sum. Terms are cut at a bit chosen so that neither the
    sums of the upper parts nor those of the lower parts round (while sum times number of terms
    stays below 2⁵³ in each group); only their final addition does.
    """
    unit = cut_at(largest)
    upper = np.round(terms / unit) * unit
    return np.asarray(np.bincount(groups, upper, size) + np.bincount(groups, terms - upper, size))


def cut_at(largest: float) -> float:
    """The bit at which `exact_group_sums` cuts its terms."""
    return math.ldexp(1.0, math.frexp(2.0 * max(largest, 1.0))[1] - 52)


def count_pairs(sizes: Ints, times: Ints) -> int:
    """How many pairs of distinct objects are in groups of these sizes, as a Python integer.

    >>> count_pairs(np.array([10**10]), np.array([3]))
    149999999985000000000
    """
    weight = sizes * times
    objects = int(np.add.reduce(weight))
    if sizes.size and int(np.maximum.reduce(sizes)) * objects < 2**62:
        return (int(weight.dot(sizes)) - objects) // 2
    return sum(s * (s - 1) // 2 * t for s, t in zip(sizes.tolist(), times.tolist(), strict=True))
