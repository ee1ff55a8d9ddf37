"""Thresholds for eyes: as many digits as tell them apart, rounded so that they still hold."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

LEAST, MOST = 4, 17
"""Significant digits of a threshold."""


def shown_thresholds(low: float, high: float, distance: bool = False, whole: bool = False) -> str:
    """The thresholds of a line: above `low`, up to `high`; of distances from `low` to below `high`.

    What is shown lies within: the lower end is rounded up, the upper one down.

    >>> shown_thresholds(0.7, 0.9), shown_thresholds(0.85714285, 0.85858585)
    ('0.7–0.9', '0.8572–0.8585')
    >>> shown_thresholds(0.9, math.inf), shown_thresholds(-math.inf, 0.4)
    ('above 0.9', 'up to 0.4')
    >>> shown_thresholds(2.0, math.inf, distance=True), shown_thresholds(-math.inf, 2.0, True)
    ('from 2', 'below 2')
    """
    if whole:
        return _clusters(low, high)
    if math.isinf(low) and math.isinf(high):
        return "any"
    if math.isinf(high):
        return f"{'from' if distance else 'above'} {number(low, ROUND_CEILING)}"
    if math.isinf(low):
        return f"{'below' if distance else 'up to'} {number(high, ROUND_FLOOR)}"
    for places in range(LEAST, MOST + 1):
        first, last = number(low, ROUND_CEILING, places), number(high, ROUND_FLOOR, places)
        if low <= float(first) < float(last) <= high:
            break
    return f"{first}–{last}".replace("-", "−")


def _clusters(low: float, high: float) -> str:
    """Numbers of clusters above `low`, up to `high`."""
    if math.isinf(low):
        return "1" if high == 1 else f"1–{high:,.0f}"
    first = f"{low + 1:,.0f}"
    if math.isinf(high):
        return f"from {first}"
    return first if low + 1 == high else f"{first}–{high:,.0f}"


def number(value: float, rounding: str = ROUND_FLOOR, places: int = LEAST) -> str:
    """A number with so many significant digits, rounded in one direction, without vain zeros."""
    exact = Decimal(repr(float(value)))
    if not exact:
        return "0"
    unit = Decimal(1).scaleb(exact.adjusted() - places + 1)
    rounded = exact.quantize(unit, rounding=rounding).normalize()
    if not rounded or -5 < rounded.adjusted() < 9:
        return f"{rounded:f}"
    return f"{rounded:.{max(0, len(rounded.as_tuple().digits) - 1)}e}"
