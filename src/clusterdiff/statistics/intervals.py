"""Confidence intervals of scores: what they say, and the formulas behind them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.contingency.exact_sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.array_types import Floats
    from clusterdiff.measures import Measure

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

    An `Interval` is the range of scores that an ambiguous clustering allows; this is the range to
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
