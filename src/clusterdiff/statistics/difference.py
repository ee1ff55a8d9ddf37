"""The difference of two guesses on the same units, and whether it is significant.

Both the interval and the p-value are those of the paired jackknife: each unit is left out of both
guesses, and the difference is compared with its standard error by Student's t. A test that
exchanges the guesses at random would ask whether they are interchangeable, not whether they score
the same: of two guesses with equal precision it prefers the one that makes fewer pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.statistics.intervals import EXACT, FEWEST, PLAIN, Target, interval
from clusterdiff.statistics.resampling import Spread, leave_one_out, score_of_all, spread

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.measures.sums import UnitSums


@dataclass(frozen=True)
class Difference:
    """The score of one guess minus that of another, with its interval and p-value."""

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    se: float = math.nan
    p: float = math.nan
    """The two-sided p-value of the paired jackknife t-test."""
    units: str = ""
    count: int = 0
    differ: int = 0
    """Number of units in which the guesses differ."""
    effective: float = math.nan
    df: float = math.nan
    holm: int = 1
    """Number of tests that p is corrected for."""
    refused: str = ""
    """Why there is no interval or no test."""
    of: Any = field(default=None, repr=False, compare=False)
    """Both scores, for the signature."""
    micro: bool = False
    """Whether the scores are those of all samples pooled."""

    @property
    def tested(self) -> bool:
        """Whether there is a p-value; `refused` says why not."""
        return not math.isnan(self.p)

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        return self.p <= 1 - self.level + EXACT

    def __repr__(self) -> str:
        if self.refused and math.isnan(self.low):
            return f"Difference({self.value:+.4f}, {self.refused})"
        return (
            f"Difference({self.value:+.4f}, {self.low:+.4f} to {self.high:+.4f}, p = {self.p:.3g})"
        )

    @property
    def signature(self) -> str:
        """What the interval and the test are computed from, on one line: the signatures of both
        scores, with two values where they differ, and the method.
        """
        parts: dict[str, Any] = {}
        if self.of is not None:
            one, other = (score.signature for score in self.of)
            for key in one | other:
                both = [str(side.get(key, "")) for side in (one, other)]
                parts[key] = both[0] if both[0] == both[1] else " ".join(both)
            for own in ("ci", "boot", "micro", "units", "count"):
                parts.pop(own, None)
        parts |= {"units": self.units, "count": self.count}
        parts |= {"micro": "yes"} if self.micro else {}
        parts |= {} if math.isnan(self.low) else {"ci": f"jackknife {100 * self.level:g}"}
        parts |= {"test": "jackknife t"} if self.tested else {}
        parts |= {"holm": self.holm} if self.tested and self.holm > 1 else {}
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    def to_dict(self) -> dict[str, Any]:
        """The difference for JSON."""
        if not self.tested and math.isnan(self.low):
            value = None if math.isnan(self.value) else self.value
            return {"value": value, "refused": self.refused}
        names = ["value"]
        names += [] if math.isnan(self.low) else ["low", "high", "se", "level"]
        told = {name: getattr(self, name) for name in names}
        told |= {"p": self.p, "test": "jackknife t"} if self.tested else {}
        told |= {"units": self.units, "count": self.count, "differ": self.differ}
        told |= {"holm": self.holm} if self.holm > 1 else {}
        told |= {"signature": self.signature}
        return told | ({"refused": self.refused} if self.refused else {})


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
    """The score of one guess minus that of another, from the sums over units of each type."""
    if value is None:
        value = score_of_all(one, count) - score_of_all(other, count)
    first, second = (np.stack([s.terms[name] for name in one.terms]) for s in (one, other))
    apart = ~np.isclose(first, second, rtol=1e-12, atol=0).all(axis=0)
    total = int(np.sum(count))
    if total < FEWEST:
        too_few = Target(value, level, bounds, None, units, total).too_few()
        return Difference(value, level=level, refused=too_few.refused)
    left, right = leave_one_out(one, count, strata), leave_one_out(other, count, strata)
    wide = spread(left.deviation - right.deviation, left.units, strata, keep)
    return tested(value, wide, level, bounds, units, total, int(np.asarray(count)[apart].sum()))


def tested(
    value: float, wide: Spread, level: float, bounds: tuple[float, float], units: str, count: int,
    differ: int,
) -> Difference:  # fmt: skip
    """The interval of a difference and the p of the same Student's t: p is at most 5 % exactly
    where the interval of 95 % does not contain 0.
    """
    from scipy.special import stdtr

    if not wide.se:
        if not differ or abs(value) <= EXACT:
            return Difference(value, value, value, level, 0.0, 1.0, units, count, differ)
        why = (
            f"the difference is the same whichever of the {count:,} {units} is left out, so there "
            "is no spread to measure"
        )
        return Difference(value, level=level, units=units, count=count, differ=differ, refused=why)
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
    corrected, highest = {}, 0.0
    for place, key in enumerate(sorted(values, key=lambda key: values[key])):
        highest = max(highest, min(1.0, values[key] * (len(values) - place)))
        corrected[key] = highest
    return {key: corrected[key] for key in values}
