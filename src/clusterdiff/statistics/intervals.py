"""Confidence intervals of scores, and tests of differences: what they say, and their formulas.

Units are left out one by one (the jackknife) or drawn with replacement (the bootstrap). Both the
interval of a difference and its p-value are those of the paired jackknife: each unit is left out of
both guesses, and the difference is compared with its standard error by Student's t. A test that
exchanges the guesses at random would ask whether they are interchangeable, not whether they score
the same: of two guesses with equal precision it prefers the one that makes fewer pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.contingency import HardMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.measures.sums import UnitSums
    from clusterdiff.statistics.units import Units

FEWEST = 10
"""The smallest number of units for an interval."""
FLAT = 1e-13
"""A standard error below this is rounding."""
EXACT = 1e-12
"""A score as close as this to the best one has no error."""


@dataclass(frozen=True)
class ConfidenceInterval:
    """A confidence interval, or why there is none.

    >>> ConfidenceInterval(0.82, 0.84, 0.95, se=0.005, units="components", count=8901)
    ConfidenceInterval(0.8200–0.8400 at 95 %)
    >>> ConfidenceInterval.refusal("no spread", 0.95)
    ConfidenceInterval(refused: no spread)

    A `ScoreRange` is the range of scores that an ambiguous clustering allows; this is the range to
    expect of other samples.
    """

    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    se: float = math.nan
    """Standard error."""
    units: str = ""
    """What is resampled: components, samples, records, clusters or objects."""
    count: int = 0
    """Number of units."""
    effective: float = math.nan
    """Effective sample size: the number of equally weighted units with the same uncertainty."""
    df: float = math.nan
    """Effective degrees of freedom."""
    leverage: float = math.nan
    """The largest share that one unit has of what the score divides by."""
    method: str = "jackknife"
    draws: int = 0
    """Number of bootstrap replicates."""
    seed: int | None = None
    refused: str = ""
    """Why there is no interval, in one sentence."""
    hint: str = ""
    influence: Any = field(default=None, repr=False, compare=False)
    """For each type of unit, the change of the score when one is left out, and their number."""

    @classmethod
    def refusal(cls, why: str, level: float, hint: str = "", **known: Any) -> ConfidenceInterval:
        """No interval, for this reason."""
        return cls(level=level, refused=why, hint=hint, **known)

    def __bool__(self) -> bool:
        return not self.refused

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __repr__(self) -> str:
        if self.refused:
            return f"ConfidenceInterval(refused: {self.refused})"
        return f"ConfidenceInterval({self.low:.4f}–{self.high:.4f} at {100 * self.level:g} %)"

    def to_dict(self) -> dict[str, Any]:
        """The interval for JSON, or the reason for its refusal."""
        if self.refused:
            names = ["refused", "level", "units", *(["count"] if self.count else [])]
        else:
            names = ["level", "low", "high", "se", "method", "units", "count"]
            names += [] if math.isnan(self.df) else ["effective", "df"]
            names += ["draws"] if self.draws else []
            names += [] if self.seed is None else ["seed"]
            names += [] if math.isnan(self.leverage) else ["leverage"]
        return {name: getattr(self, name) for name in names}


class ConfidenceIntervals(NamedTuple):
    """A confidence interval for each end of an interval-valued score."""

    low: ConfidenceInterval
    high: ConfidenceInterval

    def to_dict(self) -> dict[str, Any]:
        """Both intervals for JSON."""
        return {"low_end": self.low.to_dict(), "high_end": self.high.to_dict()}

    def __bool__(self) -> bool:
        return bool(self.low) and bool(self.high)


class Target(NamedTuple):
    """The score that an interval is for."""

    value: float
    level: float
    bounds: tuple[float, float]
    best: float | None
    """The score without any error."""
    units: str = ""
    """What is resampled."""
    count: int = 0  # type: ignore[assignment]
    """Number of units."""

    @classmethod
    def of(
        cls, measure: Measure, value: float, level: float, units: str = "", count: int = 0
    ) -> Target:
        """The score of a measure."""
        return cls(value, level, measure.claims.bounds, measure.claims.best, units, count)

    @property
    def is_perfect(self) -> bool:
        """Whether the score has no error."""
        return self.best is not None and abs(self.value - self.best) < EXACT

    def refuse(self, why: str, hint: str = "") -> ConfidenceInterval:
        """No interval, for this reason."""
        return ConfidenceInterval.refusal(why, self.level, hint, units=self.units, count=self.count)

    def too_few(self, hint: str = "") -> ConfidenceInterval:
        """No interval, because there are too few units."""
        names = {"records": "drawn records", "clusters": "sampled clusters"}
        word = names.get(self.units, self.units)
        are = f"{word} are" if self.count != 1 else f"{word.removesuffix('s')} is"
        return self.refuse(
            f"{self.count} {are} too few for an interval ({FEWEST} are needed)", hint
        )

    def no_spread(self) -> ConfidenceInterval:
        """No interval, because all units score alike; without errors the rule of three is a hint:
        the largest rate of errors that K units without one leave possible.
        """
        if not self.is_perfect:
            return self.refuse(
                f"leaving out any of the {self.count:,} units leaves the score as it is: no spread "
                "to measure"
            )
        rate = 1 - ((1 - self.level) / 2) ** (1 / self.count)
        return self.refuse(
            f"no error in {self.count:,} units: there is no spread to measure",
            f"with {100 * self.level:g} % confidence at most {100 * rate:.2g} % of such units have "
            "one.",
        )


# Student's t, on a scale on which the interval is symmetric.


class Scale(NamedTuple):
    """A transformation, its inverse and its slope."""

    there: Any
    back: Any
    slope: Any


LOGIT = Scale(
    lambda x: math.log(x / (1 - x)), lambda y: 1 / (1 + math.exp(-y)), lambda x: 1 / (x * (1 - x))
)
LOG = Scale(math.log, math.exp, lambda x: 1 / x)
BELOW_ONE = Scale(lambda x: math.log(1 - x), lambda y: 1 - math.exp(y), lambda x: -1 / (1 - x))
PLAIN = Scale(lambda x: x, lambda y: y, lambda x: 1.0)


def scale_for(bounds: tuple[float, float], value: float) -> Scale:
    """The scale for the bounds of a measure: logit of shares, log of what has no upper bound,
    log(1 - x) of scores that can be negative; plain where the value is at a bound.
    """
    low, high = bounds
    if not low < value < high:
        return PLAIN
    if math.isinf(high):
        return LOG if low == 0 else PLAIN
    if high == 1:
        return LOGIT if low == 0 else BELOW_ONE
    return PLAIN


def interval(
    value: float,
    se: float,
    df: float,
    level: float,
    bounds: tuple[float, float],
    scale: Scale | None = None,
) -> tuple[float, float]:
    """Student's t around the value on the scale of its bounds, cut at the bounds."""
    from scipy.special import stdtrit

    scale = scale or scale_for(bounds, value)
    reach = float(stdtrit(df, (1 + level) / 2)) * se * abs(scale.slope(value))
    middle = scale.there(value)
    ends = []
    for at in (middle - reach, middle + reach):
        try:
            ends.append(scale.back(at))
        except OverflowError:
            ends.append(bounds[0] if (at < 0) == (scale is not BELOW_ONE) else bounds[1])
    low, high = sorted(ends)
    return max(low, bounds[0]), min(high, bounds[1])


# Korn and Graubard, for scores near 0 and 1.

FEW_ERR = 10
"""Number of units that err, below which the interval is that of Korn and Graubard."""


class Weights(NamedTuple):
    """How what a score divides by is spread over units."""

    effective: float
    """Kish's effective number of units, K / (1 + cv²) for the coefficient of variation cv."""
    largest: float
    """The largest share of a single unit."""


def weights_of(denominators: Mapping[str, Floats], count: Floats) -> Weights:
    """The weights of units in several denominators, such as the pairs of truth and of guess: the
    mean of their shares, and the largest share in any of them.
    """
    shares = [
        size / total
        for size in denominators.values()
        if (total := exact_sum(np.asarray(size * count, np.float64))) > 0
    ]
    if not shares:
        return Weights(0.0, math.nan)  # no unit could err, as with the pairs of singletons
    mean = sum(shares) / len(shares)
    return Weights(1 / exact_sum(count * mean**2), max(float(share.max()) for share in shares))


def near_an_end(value: float, without: Floats, count: Floats) -> bool:
    """Whether only a few of many units err, or only a few do not. Student's t fails there: with one
    wrong merge among 2,000 entities it has one degree of freedom.

    A unit errs if the score is higher without it.
    """
    err = float(count[without > value + FLAT].sum())
    right = float(count[without < value - FLAT].sum())
    return min(err, right) < min(FEW_ERR, float(count.sum()) / 10)


def korn_graubard(value: float, se: float, weights: Weights, level: float) -> tuple[float, float]:
    """The interval of Clopper and Pearson for a share of n effective units (Korn and Graubard,
    1998).

    n is the number of independent units with this standard error, at most the effective number of
    units, and exactly that without any error.
    """
    from scipy.special import betaincinv

    n = weights.effective if se == 0 else min(value * (1 - value) / se**2, weights.effective)
    hits, tail = n * value, (1 - level) / 2
    low = 0.0 if hits <= 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


# Percentiles of a bootstrap.


def percentile(target: Target, replicates: Floats, seed: int) -> ConfidenceInterval:
    """The percentile interval of bootstrap replicates."""
    se = float(np.std(replicates, ddof=1))
    if se < FLAT:
        return target.no_spread()
    tail = (1 - target.level) / 2
    low, high = np.quantile(replicates, [tail, (1 + target.level) / 2]).tolist()
    return ConfidenceInterval(
        max(low, target.bounds[0]), min(high, target.bounds[1]), target.level, se, target.units,
        target.count, method="bootstrap", draws=replicates.size, seed=seed,
    )  # fmt: skip


# Betting: guaranteed for means of values from 0 to 1, with any number of values, and two to nine
# times as wide as other intervals.
#
# Each possible mean is a game that is fair if it is the true mean; means against which a bettor
# would have become rich are excluded (the hedged capital process of Waudby-Smith and Ramdas, 2024).

GRID = 4001
"""Number of means that are tried."""
CAUTION = 0.5
"""The largest stake, as a share of what keeps the capital positive."""


def betting(values: Floats, level: float, seed: int) -> tuple[float, float]:
    """The means that cannot be excluded. The order of the values decides the bets; it is drawn with
    the seed from the sorted values.
    """
    values = np.random.default_rng(seed).permutation(np.sort(values))
    alpha, t = 1 - level, np.arange(1, values.size + 1)
    mean = (0.5 + np.cumsum(values)) / (t + 1)
    variance = (0.25 + np.cumsum((values - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    stake = np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1)))
    tried = np.linspace(0.0, 1.0, GRID)
    up, down = np.zeros(GRID), np.zeros(GRID)
    with np.errstate(divide="ignore"):
        most_up, most_down = CAUTION / tried, CAUTION / (1 - tried)
    for x, bet in zip(values.tolist(), stake.tolist(), strict=True):
        up += np.log1p(np.minimum(bet, most_up) * (x - tried))
        down += np.log1p(-np.minimum(bet, most_down) * (x - tried))
    left = np.flatnonzero(np.maximum(up, down) + np.log(0.5) < np.log(1 / alpha))
    if not left.size:
        return float(np.mean(values)), float(np.mean(values))
    step = 1 / (GRID - 1)
    return max(0.0, tried[left[0]] - step), min(1.0, tried[left[-1]] + step)


# The jackknife leaves out each unit in turn.


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


def jackknife_of_objects(
    scores: Floats, count: Ints, target: Target, effective: float | None = None
) -> ConfidenceInterval:
    """The confidence interval from the scores without an object of each cell: with n - 1 degrees of
    freedom, and on the logit scale for shares. Objects with counts are so many in effect.
    """
    is_share = target.bounds == (0.0, 1.0) and 0 < target.value < 1
    wide, deviation = spread_of_objects(scores, count)
    return _jackknife_interval(
        target._replace(units="objects", count=int(count.sum())), wide, deviation,
        count.astype(np.float64), Weights(effective or float(count.sum()), math.nan),
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


# The difference of two guesses on the same units, and whether it is significant.


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
    """Why there is no interval, and no test."""
    of: Any = field(default=None, repr=False, compare=False)
    """Both scores, for the signature."""
    micro: bool = False
    """Whether the scores are those of all samples pooled."""

    @property
    def tested(self) -> bool:
        """Whether there are an interval and a p-value; `refused` says why not."""
        return not math.isnan(self.p)

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        return self.p <= 1 - self.level + EXACT

    def __repr__(self) -> str:
        if not self.tested:
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
        if self.tested:
            parts |= {"ci": f"jackknife {100 * self.level:g}", "test": "jackknife t"}
            parts |= {"holm": self.holm} if self.holm > 1 else {}
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    def to_dict(self) -> dict[str, Any]:
        """The difference for JSON."""
        if not self.tested:
            value = None if math.isnan(self.value) else self.value
            return {"value": value, "refused": self.refused}
        names = ("value", "low", "high", "se", "level", "p")
        told = {name: getattr(self, name) for name in names} | {"test": "jackknife t"}
        told |= {"units": self.units, "count": self.count, "differ": self.differ}
        told |= {"holm": self.holm} if self.holm > 1 else {}
        return told | {"signature": self.signature}


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
