"""The jackknife over units: what a score is when each unit in turn is left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.meet.exact_sums import exact_sum
from clusterdiff.statistics.sure import (
    Scale,
    Spread,
    Sure,
    Weights,
    interval,
    korn_graubard,
    near_an_end,
    no_spread,
    spread,
    sums_of_strata,
    weights_of,
)

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures.core.sums import UnitSums


EXACT = 1e-12
"""Scores as close as this to the best one have no error."""


class Jackknife(NamedTuple):
    """The score of all units, and without one unit of each type."""

    value: float
    without: Floats
    deviation: Floats
    """How far each is from the mean of all, or of its stratum."""
    units: Floats
    """How many units are of each type."""
    strata: Ints | None = None


def score_of_all(sums: UnitSums, count: Ints) -> float:
    """The score of all units together."""
    totals = {name: np.array([np.sum(count * term)]) for name, term in sums.terms.items()}
    return float(sums.score(totals)[0])


def leave_one_out(sums: UnitSums, count: Ints, strata: Ints | None = None) -> Jackknife:
    """The score without one unit of each type, the others made up for by K/(K - 1); with strata,
    by those of its stratum.
    """
    units = np.asarray(count, np.float64)
    where = np.zeros(units.size, np.int64) if strata is None else strata
    many = np.bincount(where, units)[where]
    whole, without = {}, {}
    for name, term in sums.terms.items():
        parts = sums_of_strata(units * term, where)
        total = exact_sum(parts)
        whole[name] = np.array([total])
        without[name] = total - parts[where] + (parts[where] - term) * (many / (many - 1))
    scores = np.asarray(sums.score(without), np.float64)
    mean = (sums_of_strata(units * scores, where) / np.bincount(where, units))[where]
    return Jackknife(float(sums.score(whole)[0]), scores, scores - mean, units, strata)


def jackknife(
    sums: UnitSums,
    count: Ints,
    level: float,
    bounds: tuple[float, float],
    *,
    units: str = "",
    value: float | None = None,
    best: float | None = None,
    strata: Ints | None = None,
    keep: float = 1.0,
) -> Sure:
    """A confidence interval by the jackknife on the scale of the measure's bounds, whatever the
    number of units.
    """
    found = leave_one_out(sums, count, strata)
    value = found.value if value is None else value
    wide = spread(found.deviation, found.units, strata, keep)
    weights = weights_of(sums.denominators, found.units)
    few = near_an_end(value, found.without, found.units)
    return interval_of(
        value, wide, weights, found.deviation, found.units, level, bounds, units, best, few=few
    )


def interval_of(
    value: float,
    wide: Spread,
    weights: Weights,
    deviation: Floats,
    count: Floats,
    level: float,
    bounds: tuple[float, float],
    units: str,
    best: float | None,
    scale: Scale | None = None,
    few: bool = False,
) -> Sure:
    """The interval from what leaving out units does: Student's t, or that of Korn and Graubard
    where few units err, or none.
    """
    total = int(count.sum())
    perfect = best is not None and abs(value - best) < EXACT
    finite = bounds[1] == 1 and not math.isinf(bounds[0])
    a_share = finite and 0 <= value <= 1 and weights.effective > 0
    if not wide.se and not (a_share and (perfect or value < EXACT)):
        return no_spread(units, total, level, perfect)
    method = "jackknife"
    if a_share and (not wide.se or few):
        method, (low, high) = "korn-graubard", korn_graubard(value, wide.se, weights, level)
    else:
        low, high = interval(value, wide.se, wide.df, level, bounds, scale)
    return Sure(
        min(low, value), max(high, value), level, wide.se, units, total, wide.effective, wide.df,
        weights.largest, method, influence={"deviation": deviation, "count": count},
    )  # fmt: skip
