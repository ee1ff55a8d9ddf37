"""The jackknife over units: what a score is when each unit in turn is left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.contingency import HardMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.progress import progress
from clusterdiff.statistics.intervals import (
    FLAT,
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
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.measures.sums import UnitSums
    from clusterdiff.statistics.units import Units

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


# Bootstrap over units: units drawn again with replacement, as many as there are.

DRAWS = 2000
RECOMPUTED = 200
"""Draws of a measure that has to be computed anew for each."""
CELLS = 1 << 22
"""Counts that are held at a time."""


def draws_of_counts(
    count: Ints, draws: int, seed: int, strata: Ints | None = None, order: Ints | None = None
) -> Iterator[Floats]:
    """How often each type of unit is drawn, a row per draw, some draws at a time; within strata,
    as many units of each as there are. `order` is the one in which types take their turn.
    """
    if order is not None:
        place, own = np.argsort(order), None if strata is None else strata[order]
        for made in draws_of_counts(count[order], draws, seed, own):
            yield made[:, place]
        return
    rng = np.random.default_rng(seed)
    groups = [np.arange(count.size)] if strata is None else [
        np.flatnonzero(strata == s) for s in range(int(strata.max()) + 1)
    ]  # fmt: skip
    step = max(1, CELLS // max(count.size, 1))
    for begin in range(0, draws, step):
        rows = min(step, draws - begin)
        made = np.zeros((rows, count.size))
        for group in groups:
            units = int(count[group].sum())
            made[:, group] = rng.multinomial(units, count[group] / units, rows)
        yield made


def replicates(
    sums: UnitSums, count: Ints, draws: int, seed: int, strata: Ints | None = None,
    order: Ints | None = None,
) -> Floats:  # fmt: skip
    """The score of each draw."""
    found = []
    with progress(f"drawing {int(count.sum()):,} units {draws:,} times", draws) as advance:
        for drawn in draws_of_counts(count, draws, seed, strata, order):
            turns = slice(None) if order is None else order
            totals = {name: drawn[:, turns] @ term[turns] for name, term in sums.terms.items()}
            found.append(np.asarray(sums.score(totals), np.float64))
            advance(len(drawn))
    return np.concatenate(found)


def recomputed(
    measure: Measure, units: Units, draws: int, seed: int, strata: Ints | None = None,
    order: Ints | None = None,
) -> Floats | None:  # fmt: skip
    """The score of each draw, computed anew for the disjoint union of the units that were drawn;
    None where that is not to be had.
    """
    m = units.meet
    if not isinstance(m, HardMeet):
        return None
    found = []
    with progress(f"{measure} of {draws} draws", draws) as advance:
        for drawn in draws_of_counts(units.count, draws, seed, strata, order):
            for counts in drawn:
                found.append(float(measure.of(_repeated(m, counts[units.type].astype(np.int64)))))
                advance(1)
    return np.array(found)


def _repeated(m: HardMeet, times: Ints) -> HardMeet:
    """Each row so often, every time with clusters of its own."""
    row = np.repeat(np.arange(times.size), times)
    copy = np.arange(row.size) - np.repeat(np.cumsum(times) - times, times)
    sides = []
    for side in (m.truth, m.guess):
        most = int(side.max(initial=-1)) + 1
        sides.append(np.where(side[row] < 0, -1, side[row] + copy * most))
    return HardMeet.of_cells(sides[0], sides[1], m.both[row], m.times[row], alignment=m.alignment)


def percentile(
    values: Floats, score: float, level: float, bounds: tuple[float, float], units: str, count: int,
    seed: int, best: float | None,
) -> Sure:  # fmt: skip
    """The percentile interval of replicates."""
    se = float(np.std(values, ddof=1))
    if se < FLAT:
        return no_spread(units, count, level, best is not None and abs(score - best) < 1e-12)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Sure(
        max(low, bounds[0]), min(high, bounds[1]), level, se, units, count,
        method="bootstrap", draws=values.size, seed=seed,
    )  # fmt: skip
