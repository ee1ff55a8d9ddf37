"""Confidence intervals of scores, and what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.contingency.exact_sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.array_types import Floats, Ints

FEWEST = 10
"""Units that an interval needs at least."""
FLAT = 1e-13
"""A standard error below this is rounding."""


@dataclass(frozen=True)
class Sure:
    """How sure a score is: a confidence interval, or why there is none.

    >>> Sure(0.82, 0.84, 0.95, se=0.005, units="components", count=8901, effective=957.4)
    Sure(0.8200–0.8400 at 95 %)
    >>> Sure.refusal("no spread", 0.95)
    Sure(refused: no spread)

    An `Interval` is what ambiguity leaves open; this is what another sample could have scored.
    """

    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    se: float = math.nan
    """Standard error."""
    units: str = ""
    """What another sample would have others of: components, samples, records, clusters, objects."""
    count: int = 0
    """How many units there are."""
    effective: float = math.nan
    """Effective number of units: how many equally important ones would leave as much open."""
    df: float = math.nan
    """Effective degrees of freedom."""
    leverage: float = math.nan
    """The largest share that one unit has of what the score divides by."""
    method: str = "jackknife"
    draws: int = 0
    """Replicates of a bootstrap."""
    seed: int | None = None
    refused: str = ""
    """Why there is no interval, in one sentence."""
    hint: str = ""
    influence: Any = field(default=None, repr=False, compare=False)
    """For each type of unit, how far leaving one out moves the score, and how many there are."""

    @classmethod
    def refusal(cls, why: str, level: float, hint: str = "", **known: Any) -> Sure:
        """No interval, for this reason."""
        return cls(level=level, refused=why, hint=hint, **known)

    def __bool__(self) -> bool:
        return not self.refused

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __repr__(self) -> str:
        if self.refused:
            return f"Sure(refused: {self.refused})"
        return f"Sure({self.low:.4f}–{self.high:.4f} at {100 * self.level:g} %)"

    def to_dict(self) -> dict[str, Any]:
        """For programs; an interval that was refused says why."""
        if self.refused:
            return {"refused": self.refused, "level": self.level, "units": self.units} | (
                {"count": self.count} if self.count else {}
            )
        drawn: dict[str, Any] = {"draws": self.draws} if self.draws else {}
        drawn |= {} if self.seed is None else {"seed": self.seed}
        freedom = {} if math.isnan(self.df) else {"effective": self.effective, "df": self.df}
        return {
            "level": self.level, "low": self.low, "high": self.high, "se": self.se,
            "method": self.method, "units": self.units, "count": self.count, **freedom, **drawn,
            **({} if math.isnan(self.leverage) else {"leverage": self.leverage}),
        }  # fmt: skip


class SureEnds(NamedTuple):
    """How sure the two ends of an interval-valued score are, each by itself."""

    low: Sure
    high: Sure

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"low_end": self.low.to_dict(), "high_end": self.high.to_dict()}

    def __bool__(self) -> bool:
        return bool(self.low) and bool(self.high)


class Scale(NamedTuple):
    """The scale on which an interval is symmetric."""

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
    """By the bounds of a measure: logit of shares, log of what has no upper bound, log(1 - x) of
    scores that can be negative; plain where the value is at a bound.
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
    """Student's t around the value on the scale of its bounds, cut there."""
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


class Weights(NamedTuple):
    """How what a score divides by is spread over units."""

    effective: float
    """Kish's effective number of units, K / (1 + cv²) for the coefficient of variation cv."""
    largest: float
    """The largest share of a single unit."""


def weights_of(denominators: Mapping[str, Floats], count: Floats) -> Weights:
    """Of several denominators (the pairs of truth and those of guess), units weigh the mean of
    their shares, and the largest share is that of any of them.
    """
    shares = [
        size / total
        for size in denominators.values()
        if (total := exact_sum(np.asarray(size * count, np.float64))) > 0
    ]
    if not shares:
        return Weights(0.0, math.nan)  # nothing was asked of any unit, such as pairs of singletons
    mean = sum(shares) / len(shares)
    return Weights(1 / exact_sum(count * mean**2), max(float(one.max()) for one in shares))


FEW_ERR = 10
"""Units that err, below which the interval is that of a share near its end."""


def near_an_end(value: float, without: Floats, count: Floats) -> bool:
    """Whether only a few of many units err, or only a few do not, where Student's t has no footing:
    with one wrong merge among 2,000 entities its interval has one degree of freedom.

    A unit errs if the score is higher without it.
    """
    err = float(count[without > value + FLAT].sum())
    right = float(count[without < value - FLAT].sum())
    return min(err, right) < min(FEW_ERR, float(count.sum()) / 10)


def korn_graubard(value: float, se: float, weights: Weights, level: float) -> tuple[float, float]:
    """The interval of Clopper and Pearson for a share of n effective units, as Korn and Graubard
    (1998) have it.

    n is how many independent units would have this standard error, at most the effective number of
    units; without any error it is just that.
    """
    from scipy.special import betaincinv

    n = weights.effective if se == 0 else min(value * (1 - value) / se**2, weights.effective)
    hits, tail = n * value, (1 - level) / 2
    low = 0.0 if hits <= 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


class Spread(NamedTuple):
    """What leaving out units says: standard error, effective units, and degrees of freedom."""

    se: float
    effective: float
    df: float


def spread(deviation: Floats, count: Floats, strata: Any = None, keep: Any = 1.0) -> Spread:
    """From how far leaving out a unit of each type moves the score, and how many there are.

    The variance of K values of kurtosis κ is as noisy as that of 2K/(κ - 1) normal ones: these are
    the degrees of freedom, at most K - 1. With strata (a number for each type) deviations are from
    the mean of the stratum, and each stratum has its own factor; `keep` is 1 less the share of a
    finite population that was drawn, by stratum.
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


def sums_of_strata(values: Floats, strata: Ints) -> Floats:
    """The sum of each stratum, to the bit whatever the order of the units."""
    if not strata.any():
        return np.array([exact_sum(values)])
    return np.array([exact_sum(values[strata == s]) for s in range(int(strata.max()) + 1)])


def too_few(units: str, count: int, level: float, hint: str) -> Sure:
    """Refusal where there are too few units."""
    word = {"records": "drawn records", "clusters": "sampled clusters"}.get(units, units)
    are = f"{word} are" if count != 1 else f"{word.removesuffix('s')} is"
    why = f"{count} {are} too few for an interval ({FEWEST} are needed)"
    return Sure.refusal(why, level, hint, units=units, count=count)


def no_spread(units: str, count: int, level: float, perfect: bool) -> Sure:
    """Refusal where all units score alike: what is known instead, where none has an error."""
    why = f"leaving out any of the {count:,} units leaves the score as it is: no spread to measure"
    hint = ""
    if perfect:
        share = 1 - ((1 - level) / 2) ** (1 / count)
        why = f"no error in {count:,} units: there is no spread to measure"
        hint = (
            f"with {100 * level:g} % confidence at most {100 * share:.2g} % of such units have one."
        )
    return Sure.refusal(why, level, hint, units=units, count=count)


# Confidence intervals by betting: guaranteed for means of values from 0 to 1, at any number of
# them, and two to nine times as wide as others.
#
# Each possible mean is a game that is fair if it is the true one; means against which a bettor
# would have become rich are left out (the hedged capital process of Waudby-Smith and Ramdas).

GRID = 4001
"""Means that are tried."""
CAUTION = 0.5
"""The most of the capital that is at stake in one bet, over what keeps it positive."""


def betting(values: Floats, level: float, seed: int) -> tuple[float, float]:
    """The means that cannot be ruled out. The order of the values decides the bets: it is drawn
    with the seed, whatever the order in which they come.
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
        at = float(np.mean(values))
        return at, at
    step = 1 / (GRID - 1)
    return max(0.0, tried[left[0]] - step), min(1.0, tried[left[-1]] + step)
