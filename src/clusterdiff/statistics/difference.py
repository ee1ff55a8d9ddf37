"""Two guesses on the same units: how far apart they are, and whether chance would do.

The interval is the paired jackknife: each unit is left out of both. The p-value is that of the swap
test, in which the guesses are exchanged within units at random.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.meet.exact_sums import exact_sum
from clusterdiff.progress import progress
from clusterdiff.statistics.bootstrap import CELLS
from clusterdiff.statistics.jackknife import leave_one_out, score_of_all
from clusterdiff.statistics.sure import FEWEST, PLAIN, interval, spread, too_few

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures.core.sums import UnitSums

SWAPS = 9999
"""Random exchanges of the swap test."""
ALL = 13
"""Units that differ, up to which all ways to exchange them are tried."""
EQUAL = 1e-12
"""Differences that are as close as this are equal."""


@dataclass(frozen=True)
class Difference:
    """The score of one guess less that of another, how sure it is, and the p of the swap test."""

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    se: float = math.nan
    p: float = math.nan
    """Of the swap test; two-sided."""
    units: str = ""
    count: int = 0
    differ: int = 0
    """Units in which the guesses are not alike."""
    effective: float = math.nan
    df: float = math.nan
    draws: int = 0
    """Random exchanges; 0 if all were tried."""
    seed: int = 0
    holm: int = 1
    """How many tests p is corrected for."""
    refused: str = ""
    """Why there is no interval, or no test."""

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
        """What the interval and the test take to be found again, on one line."""
        parts = {"units": self.units, "count": self.count}
        parts |= {} if math.isnan(self.low) else {"sure": f"jackknife {100 * self.level:g}"}
        if not math.isnan(self.p):
            parts["test"] = f"swap {self.draws}" if self.draws else "swap all"
            parts |= {"seed": self.seed} if self.draws else {}
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
            made |= {"p": self.p, "test": "swap", "draws": self.draws, "seed": self.seed}
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
    seed: int = 0,
    draws: int = SWAPS,
    keep: float = 1.0,
) -> Difference:
    """The first guess less the other, from what units of each type add to their scores."""
    total = int(np.sum(count))
    if value is None:
        value = score_of_all(one, count) - score_of_all(other, count)
    p, differ, drawn = swap_test(one, other, count, seed=seed, draws=draws)
    made = Difference(
        value, level=level, p=p, units=units, count=total, differ=differ, draws=drawn, seed=seed
    )
    if differ > 0 and 2.0 ** (1 - differ) > 1 - level:
        some = f"{differ} {units} differ" if differ > 1 else f"1 of {total} {units} differs"
        least = f"p ≥ {2.0 ** (1 - differ):.3g}"
        made = replace(made, refused=f"only {some}: no test can call that sure ({least})")
    if total < FEWEST:
        return replace(made, refused=too_few(units, total, level, "").refused)
    left, right = leave_one_out(one, count, strata), leave_one_out(other, count, strata)
    wide = spread(left.deviation - right.deviation, left.units, strata, keep)
    if not wide.se:
        return replace(made, low=value, high=value, se=0.0) if not differ else made
    most = bounds[1] - bounds[0]
    low, high = interval(value, wide.se, wide.df, level, (-most, most), PLAIN)
    return replace(made, low=low, high=high, se=wide.se, effective=wide.effective, df=wide.df)


def swap_test(
    one: UnitSums, other: UnitSums, count: Ints, *, seed: int = 0, draws: int = SWAPS
) -> tuple[float, int, int]:
    """The two-sided p of exchanging the guesses within units, the units that differ, and how many
    exchanges were drawn: 0 if all were tried.
    """
    names = list(one.terms)
    first, second = (np.stack([s.terms[name] for name in names]) for s in (one, other))
    apart = np.flatnonzero(~np.isclose(first, second, rtol=1e-12, atol=0).all(axis=0))
    whole = np.asarray(count)
    apart = apart[np.lexsort((whole[apart], *np.abs(first - second)[:, apart]))]  # A-B as B-A
    times = whole[apart].astype(np.int64)
    differ = int(times.sum())
    if not differ:
        return 1.0, 0, 0
    half = (first - second)[:, apart] / 2
    middle = np.array([exact_sum(row * count) for row in first + second]) / 2

    def far(signs: Floats) -> Floats:
        """How far apart the guesses are, for rows of signs, summed within types."""
        moved = signs @ half.T
        ends = (dict(zip(names, (middle + s * moved).T, strict=True)) for s in (1, -1))
        up, down = (np.asarray(one.score(sums), np.float64) for sums in ends)
        return np.abs(up - down)

    seen = float(far(times[None, :].astype(np.float64))[0])
    if differ <= ALL:
        signs = (np.arange(2**differ)[:, None] >> np.arange(differ) & 1) * 2.0 - 1
        of_type = np.add.reduceat(signs, np.cumsum(times) - times, axis=1)
        return float(np.mean(far(of_type) >= seen - EQUAL)), differ, 0
    rng, step, hits = np.random.default_rng(seed), max(1, CELLS // times.size), 0
    with progress(f"exchanging {differ:,} units {draws:,} times", draws) as advance:
        for begin in range(0, draws, step):
            rows = min(step, draws - begin)
            heads = rng.binomial(times, 0.5, (rows, times.size)).astype(np.float64)
            signs = 2 * heads - times
            hits += int((far(signs) >= seen - EQUAL).sum())
            advance(rows)
    return (1 + hits) / (draws + 1), differ, draws


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
