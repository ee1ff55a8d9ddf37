"""Resampling of units: the jackknife, which leaves out each unit in turn, and the bootstrap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.contingency import HardMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.progress import progress
from clusterdiff.statistics.intervals import (
    EXACT,
    FLAT,
    LOGIT,
    PLAIN,
    ConfidenceInterval,
    Scale,
    Target,
    Weights,
    interval,
    korn_graubard,
    near_an_end,
    weights_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.measures.sums import UnitSums
    from clusterdiff.statistics.units import Units


class Jackknife(NamedTuple):
    """The score of all units, and without one unit of each type."""

    value: float
    without: Floats
    deviation: Floats
    """The difference of each from the mean of all, or of its stratum."""
    units: Floats
    """Number of units of each type."""


class Spread(NamedTuple):
    """Standard error, effective number of units and degrees of freedom of the jackknife."""

    se: float
    effective: float
    df: float


def score_of_all(sums: UnitSums, count: Ints) -> float:
    """The score of all units together."""
    totals = {name: np.array([np.sum(count * term)]) for name, term in sums.terms.items()}
    return float(sums.score(totals)[0])


def leave_one_out(sums: UnitSums, count: Ints, strata: Ints | None = None) -> Jackknife:
    """The score without one unit of each type, scaled up by K/(K - 1); with strata, only the units
    of its stratum are scaled.
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
    return Jackknife(float(sums.score(whole)[0]), scores, scores - mean, units)


def sums_of_strata(values: Floats, strata: Ints) -> Floats:
    """The sum of each stratum, with the same bits for any order of the units."""
    if not strata.any():
        return np.array([exact_sum(values)])
    return np.array([exact_sum(values[strata == s]) for s in range(int(strata.max()) + 1)])


def spread(deviation: Floats, count: Floats, strata: Any = None, keep: Any = 1.0) -> Spread:
    """The spread of scores from the deviations when a unit of each type is left out.

    The variance of K values of kurtosis κ is as noisy as that of 2K/(κ - 1) normal values: these
    are the degrees of freedom, at most K - 1. With strata (a number for each type) deviations are
    from the mean of the stratum, and each stratum has its own factor. `keep` is 1 minus the share
    of a finite population that was drawn, by stratum.
    """
    if strata is None:
        strata, keep = np.zeros(deviation.size, np.int64), np.atleast_1d(keep)
    units = np.bincount(strata, count)
    factor = np.broadcast_to(keep, units.shape) * (units - 1) / units
    squares = sums_of_strata(count * deviation**2, strata)
    second, fourth = exact_sum(squares), exact_sum(count * deviation**4)
    total = float(units.sum())
    se = math.sqrt(exact_sum(factor * squares))
    if not fourth or se < FLAT:
        return Spread(0.0 if se < FLAT else se, total, total - 1)
    effective = second**2 / fourth
    excess = total / effective - 1
    most = total - units.size
    df = min(2 * total / excess, most) if excess > 0 else most
    return Spread(se, effective, df if units.size == 1 else most)


def jackknife(
    sums: UnitSums, count: Ints, target: Target, strata: Ints | None = None, keep: float = 1.0
) -> ConfidenceInterval:
    """The confidence interval of a score that is a function of sums over units."""
    _, without, deviation, units = leave_one_out(sums, count, strata)
    few = near_an_end(target.value, without, units)
    wide, weights = spread(deviation, units, strata, keep), weights_of(sums.denominators, units)
    target = target._replace(count=int(units.sum()))
    return _jackknife_interval(target, wide, deviation, units, weights, few)


def jackknife_of_objects(scores: Floats, count: Ints, target: Target) -> ConfidenceInterval:
    """The confidence interval from the scores without an object of each cell: with n - 1 degrees of
    freedom, and on the logit scale for shares.
    """
    is_share = target.bounds == (0.0, 1.0) and 0 < target.value < 1
    wide, deviation = spread_of_objects(scores, count)
    return _jackknife_interval(
        target._replace(units="objects", count=int(count.sum())), wide, deviation,
        count.astype(np.float64), Weights(float(count.sum()), math.nan),
        scale=LOGIT if is_share else PLAIN,
    )  # fmt: skip


def spread_of_objects(scores: Floats, count: Ints) -> tuple[Spread, Floats]:
    """The standard error with n - 1 degrees of freedom, and how far each object moves the score."""
    objects = int(count.sum())
    deviation = scores - float(np.sum(count * scores)) / objects
    return spread(deviation, count.astype(np.float64))._replace(df=objects - 1.0), deviation


def _jackknife_interval(
    target: Target,
    wide: Spread,
    deviation: Floats,
    count: Floats,
    weights: Weights,
    few: bool = False,
    scale: Scale | None = None,
) -> ConfidenceInterval:
    """Student's t, or the interval of Korn and Graubard where few units err, or none."""
    value, level, bounds = target[:3]
    finite = bounds[1] == 1 and not math.isinf(bounds[0])
    is_share = finite and 0 <= value <= 1 and weights.effective > 0
    if not wide.se and not (is_share and (target.is_perfect or value < EXACT)):
        return target.no_spread()
    method = "jackknife"
    if is_share and (not wide.se or few):
        method, (low, high) = "korn-graubard", korn_graubard(value, wide.se, weights, level)
    else:
        low, high = interval(value, wide.se, wide.df, level, bounds, scale)
    return ConfidenceInterval(
        min(low, value), max(high, value), level, wide.se, target.units, target.count,
        wide.effective, wide.df, weights.largest, method,
        influence={"deviation": deviation, "count": count},
    )  # fmt: skip


# The bootstrap draws units with replacement, as many as there are.

DRAWS = 2000
RECOMPUTED = 200
"""Number of draws for a measure that is computed anew for each."""
CELLS = 1 << 22
"""Number of counts kept in memory at a time."""


def draws_of_counts(
    count: Ints, draws: int, seed: int, strata: Ints | None = None
) -> Iterator[Floats]:
    """How often each type of unit is drawn, a row per draw, in portions; within strata, as many
    units of each stratum as it has.
    """
    rng = np.random.default_rng(seed)
    groups = [np.arange(count.size)] if strata is None else [
        np.flatnonzero(strata == s) for s in range(int(strata.max()) + 1)
    ]  # fmt: skip
    step = max(1, CELLS // max(count.size, 1))
    for begin in range(0, draws, step):
        rows = min(step, draws - begin)
        drawn = np.zeros((rows, count.size))
        for group in groups:
            units = int(count[group].sum())
            drawn[:, group] = rng.multinomial(units, count[group] / units, rows)
        yield drawn


def replicates(
    sums: UnitSums, count: Ints, draws: int, seed: int, strata: Ints | None = None,
    order: Ints | None = None,
) -> Floats:  # fmt: skip
    """The score of each draw; `order` is the order in which types are drawn."""
    terms, layout = sums.terms, np.ascontiguousarray
    if order is not None:
        terms = {name: term[order] for name, term in terms.items()}
        count, strata = count[order], None if strata is None else strata[order]
        layout = np.asfortranarray  # the layout decides the last digits, which are on record
    scores = []
    with progress(f"drawing {int(count.sum()):,} units {draws:,} times", draws) as advance:
        for drawn in draws_of_counts(count, draws, seed, strata):
            matrix = layout(drawn)
            totals = {name: matrix @ term for name, term in terms.items()}
            scores.append(np.asarray(sums.score(totals), np.float64))
            advance(len(drawn))
    return np.concatenate(scores)


def recomputed(
    measure: Measure, units: Units, draws: int, seed: int, strata: Ints | None = None,
    order: Ints | None = None,
) -> Floats:  # fmt: skip
    """The score of each draw, computed anew for the disjoint union of the units that were drawn;
    `order` is the order in which types are drawn.
    """
    m = units.meet
    assert isinstance(m, HardMeet)
    order = np.arange(units.count.size) if order is None else order
    strata = None if strata is None else strata[order]
    place = np.argsort(order)[units.type]
    scores = []
    with progress(f"{measure} of {draws} draws", draws) as advance:
        for drawn in draws_of_counts(units.count[order], draws, seed, strata):
            for counts in drawn.astype(np.int64):
                scores.append(float(measure.of(_repeated(m, counts[place]))))
                advance(1)
    return np.array(scores)


def _repeated(m: HardMeet, times: Ints) -> HardMeet:
    """Each row `times` times, every copy with clusters of its own."""
    row = np.repeat(np.arange(times.size), times)
    copy = np.arange(row.size) - np.repeat(np.cumsum(times) - times, times)
    truth, guess = (
        np.where(side[row] < 0, -1, side[row] + copy * (int(side.max(initial=-1)) + 1))
        for side in (m.truth, m.guess)
    )
    return HardMeet.of_cells(truth, guess, m.both[row], m.times[row], alignment=m.alignment)
