"""Sums of fractions that grow and shrink by the million and stay exact.

Each term is rounded once to a multiple of a tiny unit and added as a whole number. A term that is
taken off leaves no trace, and the order of the terms changes no bit.

These functions are compiled into others: after a change here, delete what is kept (`make clean`).
"""

from __future__ import annotations

import math

import numpy as np

from clusterdiff.compiled import compiled

REST = 2.0**30


def unit_for(largest: float) -> float:
    """How many units make 1, so that a total up to `largest` fits 64 bits."""
    return math.ldexp(1.0, 60 - math.frexp(max(largest, 1.0))[1])


@compiled
def add(total, place, term, unit, times):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term so many times: whole units, and what is left in 2⁻³⁰ of a unit."""
    scaled = term * unit
    whole = np.floor(scaled)
    total[0, place] += np.int64(whole) * times
    total[1, place] += np.int64((scaled - whole) * REST + 0.5) * times


@compiled
def sum_of(total, place, unit):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The total as a number."""
    return (total[0, place] + total[1, place] / REST) / unit
