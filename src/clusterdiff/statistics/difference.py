"""Two guesses on the same units: how far apart they are, and whether that is significant.

Both the interval and the p-value are those of the paired jackknife: each unit is left out of both
guesses, and the difference is compared with its standard error by Student's t. A test that
exchanges the guesses at random would ask whether they are interchangeable, not whether they score
the same: of two guesses with equal precision it calls one better when that one makes fewer pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.statistics.intervals import FEWEST, PLAIN, Spread, interval, spread, too_few
from clusterdiff.statistics.resampling import leave_one_out, score_of_all

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.measures.sums import UnitSums

EQUAL = 1e-12
"""Differences that are as close as this are equal."""


@dataclass(frozen=True)
class Difference:
    """The score of one guess less that of another, with its interval and p-value."""

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    se: float = math.nan
    p: float = math.nan
    """Of the paired jackknife t-test; two-sided."""
    units: str = ""
    count: int = 0
    differ: int = 0
    """Units in which the guesses are not alike."""
    effective: float = math.nan
    df: float = math.nan
    holm: int = 1
    """How many tests p is corrected for."""
    refused: str = ""
    """Why there is no interval, or no test."""
    of: Any = field(default=None, repr=False, compare=False)
    """Both scores, for the signature."""
    micro: bool = False
    """Whether they are those of the disjoint union of samples."""

    @property
    def tested(self) -> bool:
        """Whether there is a p-value; `refused` says why not."""
        return not math.isnan(self.p)

    @property
    def sure(self) -> bool:
        """Whether the difference is significant."""
        return self.p <= 1 - self.level + EQUAL

    def __repr__(self) -> str:
        if self.refused and math.isnan(self.low):
            return f"Difference({self.value:+.4f}, {self.refused})"
        return (
            f"Difference({self.value:+.4f}, {self.low:+.4f} to {self.high:+.4f}, p = {self.p:.3g})"
        )

    @property
    def signature(self) -> str:
        """What the interval and the test take to be found again, on one line: what was compared,
        with both values where the scores differ in them, and how.
        """
        parts: dict[str, Any] = {}
        if self.of is not None:
            one, other = (score.signature for score in self.of)
            for key in one | other:
                both = [str(side.get(key, "")) for side in (one, other)]
                parts[key] = both[0] if both[0] == both[1] else " ".join(both)
            for own in ("sure", "boot", "micro", "units", "count"):
                parts.pop(own, None)
        parts |= {"units": self.units, "count": self.count}
        parts |= {"micro": "yes"} if self.micro else {}
        parts |= {} if math.isnan(self.low) else {"sure": f"jackknife {100 * self.level:g}"}
        if not math.isnan(self.p):
            parts["test"] = "jackknife t"
            parts |= {"holm": self.holm} if self.holm > 1 else {}
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        if math.isnan(self.p) and math.isnan(self.low):
            value = None if math.isnan(self.value) else self.value
            return {"value": value, "refused": self.refused}
        known = {"low": self.low, "high": self.high, "se": self.se, "level": self.level}
        made: dict[str, Any] = {"value": self.value}
        made |= {} if math.isnan(self.low) else known
        if not math.isnan(self.p):
            made |= {"p": self.p, "test": "jackknife t"}
        made |= {"units": self.units, "count": self.count, "differ": self.differ}
        made |= {"holm": self.holm} if self.holm > 1 else {}
        made["signature"] = self.signature
        return made | ({"refused": self.refused} if self.refused else {})


def difference(
    one: UnitSums,
    other: UnitSums,
    count: Ints,
    level: float,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    units: str = "units",
    strata: Ints | None = None,
    value: float | None = None,
    keep: float = 1.0,
) -> Difference:
    """The first guess less the other, from what units of each type add to their scores."""
    if value is None:
        value = score_of_all(one, count) - score_of_all(other, count)
    first, second = (np.stack([s.terms[name] for name in one.terms]) for s in (one, other))
    apart = ~np.isclose(first, second, rtol=1e-12, atol=0).all(axis=0)
    total = int(np.sum(count))
    if total < FEWEST:
        return Difference(value, level=level, refused=too_few(units, total, level, "").refused)
    left, right = leave_one_out(one, count, strata), leave_one_out(other, count, strata)
    wide = spread(left.deviation - right.deviation, left.units, strata, keep)
    differ = int(np.asarray(count)[apart].sum())
    return tested(value, wide, level, bounds, units, total, differ)


def tested(
    value: float, wide: Spread, level: float, bounds: tuple[float, float], units: str, count: int,
    differ: int,
) -> Difference:  # fmt: skip
    """The interval of a difference and the p of the same Student's t, so that p is at most 5 %
    exactly where the interval of 95 % does not hold 0.
    """
    from scipy.special import stdtr

    if not wide.se:
        if differ and abs(value) > EQUAL:
            why = (
                f"the difference is the same whichever of the {count:,} {units} is left out, so "
                "there is no spread to measure"
            )
            return Difference(value, level=level, units=units, count=count, differ=differ,
                              refused=why)  # fmt: skip
        return Difference(value, value, value, level, 0.0, 1.0, units, count, differ)
    most = bounds[1] - bounds[0]
    low, high = interval(value, wide.se, wide.df, level, (-most, most), PLAIN)
    p = float(2 * stdtr(wide.df, -abs(value) / wide.se))
    return Difference(
        value, low, high, level, wide.se, p, units, count, differ, wide.effective, wide.df
    )


def holm(values: Mapping[Any, float]) -> dict[Any, float]:
    """p-values corrected for their number by Holm's step-down method.

    >>> holm({"a": 0.01, "b": 0.04})
    {'a': 0.02, 'b': 0.04}
    """
    order = sorted(values, key=lambda key: values[key])
    made, highest = {}, 0.0
    for place, key in enumerate(order):
        highest = max(highest, min(1.0, values[key] * (len(order) - place)))
        made[key] = highest
    return {key: made[key] for key in values}
