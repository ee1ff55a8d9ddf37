"""Scores beside those of random guesses: expected value, standard deviation, z and p.

The truth is given, so a null model draws the guess: shuffled with its cluster sizes kept
(*permutation*), from all partitions with as many clusters (*number*), or from all (*uniform*).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.chance.null_models import (
    drawn_pairs,
    drawn_tables,
    every_table,
    refuse_too_many,
    together_among,
    together_uniformly,
)
from clusterdiff.measures.chance import expected_score, score_of_pairs
from clusterdiff.measures.pairs import pairs
from clusterdiff.progress import progress
from clusterdiff.statistics.intervals import NULLS, ChanceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clusterdiff.chance.null_models import Null
    from clusterdiff.contingency import HardMeet, Shapes, Sizes, Sketch
    from clusterdiff.measures import Measure

ENUMERATED = 8
"""Objects up to which all guesses of a model are scored."""
CLOSE = 1e-12
"""Scores as near to each other as this are equal."""


class PairMoments(NamedTuple):
    """Mean and variance of the pairs that truth and a shuffled guess have in common."""

    mean: Fraction
    variance: Fraction


def pair_moments(truth: Sizes, guess: Sizes) -> PairMoments:
    """The moments of the number X of pairs together in both, over all permutations.

    Definition:  E[X] = m₁m₂/M,  E[X²] = E[X] + 2 q₁q₂/Q + 2 (C(m₁,2) - q₁)(C(m₂,2) - q₂)/W

    with m the pairs of a side, q = Σ s C(s - 1, 2) its pairs of pairs that share an object, and M,
    Q, W all pairs, all pairs of pairs that share an object, and all that do not. In a permutation
    two pairs fall on any other two that share as many objects alike.
    """
    objects = int((truth.size * truth.count).sum())
    every = math.comb(objects, 2)
    joined = objects * math.comb(objects - 1, 2) if objects else 0
    apart = math.comb(every, 2) - joined
    (m1, q1), (m2, q2) = ((side.pairs, _joined_pairs(side)) for side in (truth, guess))
    mean = _part(m1 * m2, every)
    square = (
        mean
        + 2 * _part(q1 * q2, joined)
        + 2 * _part((math.comb(m1, 2) - q1) * (math.comb(m2, 2) - q2), apart)
    )
    return PairMoments(mean, square - mean**2)


def _joined_pairs(side: Sizes) -> int:
    """Pairs of pairs of one cluster that share an object."""
    known = zip(side.size.tolist(), side.count.tolist(), strict=True)
    return sum(count * size * math.comb(size - 1, 2) for size, count in known)


def _part(some: int, all_: int) -> Fraction:
    return Fraction(some, all_) if all_ else Fraction(0)


@dataclass(frozen=True)
class ChanceScore:
    """The score of a measure, and what random guesses score."""

    measure: Measure
    score: float
    expected: float
    """Mean score of random guesses."""
    sd: float
    """Standard deviation of their scores."""
    z: float | None
    """By how many standard deviations the score is better than expected; of a distance, lower.
    None where no draw differs from another.
    """
    p: float | None
    """Share of random guesses that score as well or better, the guess itself counted where they
    are drawn: (1 + as good)/(draws + 1). None without draws.
    """
    exact: bool
    """Whether the expected value is exact, in closed form or by enumeration."""
    closed: bool
    """Whether the standard deviation is in closed form or by enumeration as well."""
    draws: int
    """How many guesses were drawn; 0 where all of them were scored, or none."""

    @property
    def error(self) -> float:
        """Standard error of the expected value, where it is a mean over draws."""
        return 0.0 if self.exact else self.sd / math.sqrt(self.draws)

    @property
    def least(self) -> bool:
        """Whether p is the smallest that so many draws can give."""
        return bool(self.draws) and self.p == 1 / (self.draws + 1)


def chance_scores(
    m: HardMeet | Sketch, measures: Sequence[Measure], null: Null, draws: int, seed: int
) -> list[ChanceScore]:
    """Each measure beside what it gives for random guesses."""
    check_model(null, draws, seed)
    _refuse(m, measures, null)
    score = {measure: measure.of(m) for measure in measures}
    if m.objects <= ENUMERATED:
        return _enumerated(m, score, null)
    if draws or null != "permutation":
        refuse_too_many(m.truth_sizes, m.guess_sizes, null)
    found = []
    together = _together(m, null)
    of_pairs = {one: value for one, value in score.items() if _is_of_pairs(one, m.shapes)}
    rest = {one: value for one, value in score.items() if one not in of_pairs}
    values = _scores_of_pairs(m, of_pairs, null, draws, seed)
    values |= _scores_of_tables(m, rest, null, draws, seed)
    for measure in measures:
        spread = _closed_spread(measure, m) if null == "permutation" else None
        found.append(
            _beside(measure, score[measure], values[measure], null,
                    expected_score(measure, m.shapes, together), spread)
        )  # fmt: skip
    return found


def check_model(null: str, draws: int, seed: int) -> None:
    """Refuse a null model that does not exist, and numbers that are none."""
    if null not in NULLS:
        raise ChanceError.from_null(null)
    for name, number in (("draws", draws), ("seed", seed)):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 0:
            raise ChanceError.from_number(name, number)


def _refuse(m: HardMeet | Sketch, measures: Iterable[Measure], null: Null) -> None:
    """Models that have one guess alone, and measures of other clusterings."""
    if m.alignment.policy == "penalise":
        raise ChanceError.from_penalise()
    for measure in measures:
        if not measure.needs & {"shapes", "rows"}:
            near = measure.on_partitions or "elm_f"
            raise ChanceError.from_measure(str(measure), str(near))
    sides = {"truth": m.truth_sizes.clusters, "guess": m.guess_sizes.clusters}
    alike = {1: "one cluster alone", m.objects: "nothing but single objects"}
    decides = {"permutation": ("guess", "truth"), "number": ("guess",), "uniform": ()}[null]
    for side in decides:
        if sides[side] in alike:
            raise ChanceError.from_one_guess(f"{side} has {alike[sides[side]]}", null)
    if m.objects < 2:
        raise ChanceError.from_one_guess("there is one object alone", null)


def _together(m: HardMeet | Sketch, null: Null) -> Fraction | None:
    """The chance that two objects share a cluster of a random guess; None if its sizes are kept."""
    if null == "permutation":
        return None
    if null == "uniform":
        return together_uniformly(m.objects)
    return together_among(m.objects, m.guess_sizes.clusters)


def _is_of_pairs(measure: Measure, s: Shapes) -> bool:
    """Whether the score depends on nothing but how many pairs each side and both put together."""
    known = bool(measure.claims.linear) or measure.family == "pairs"
    p = pairs(s)
    return known and score_of_pairs(measure, s, p.guess, p.both) is not None


def _closed_spread(measure: Measure, m: HardMeet | Sketch) -> tuple[float, float] | None:
    """Standard deviation and z over all permutations of a score that is linear in the pairs."""
    s, p = m.shapes, pairs(m.shapes)
    if not measure.claims.linear or not _is_of_pairs(measure, s):
        return None
    none, one = (score_of_pairs(measure, s, p.guess, both) for both in (0, 1))
    moments = pair_moments(m.truth_sizes, m.guess_sizes)
    above = p.both - moments.mean
    z = math.copysign(_root(above**2 / moments.variance), above)
    return abs(float(one - none)) * _root(moments.variance), z


def _root(square: Fraction) -> float:
    """The square root of a fraction whose parts may be too large for a float."""
    shift = max(square.numerator.bit_length() - square.denominator.bit_length(), 0) // 2
    return math.ldexp(math.sqrt(square / (1 << 2 * shift)), shift)


class _Values(NamedTuple):
    """Scores of random guesses: each that occurs, how often, and how many are as good."""

    values: Mapping[float, int]
    as_good: int

    @property
    def total(self) -> int:
        return sum(self.values.values())

    @property
    def mean(self) -> float:
        return math.fsum(value * times for value, times in self.values.items()) / self.total

    def sd(self, less: int) -> float:
        """Standard deviation, `less` is 1 for that of a sample."""
        mean = self.mean
        squares = (times * (value - mean) ** 2 for value, times in self.values.items())
        return math.sqrt(math.fsum(squares) / max(self.total - less, 1))


def _as_good(measure: Measure, score: float, values: Mapping[float, int]) -> int:
    """How many scores are as good, equal ones among them whatever their last digits."""
    room = CLOSE * max(1.0, abs(score))
    if measure.is_distance:
        return sum(times for value, times in values.items() if value <= score + room)
    return sum(times for value, times in values.items() if value >= score - room)


def _enumerated(
    m: HardMeet | Sketch, score: Mapping[Measure, float], null: Null
) -> list[ChanceScore]:
    """All guesses of the model, scored."""
    stack = every_table(m.truth_sizes, m.guess_sizes, null).stack()
    together = _together(m, null)
    found = []
    for measure, value in score.items():
        values = Counter(map(float, measure.of_each(stack)))
        all_ = _Values(values, _as_good(measure, value, values))
        closed = expected_score(measure, m.shapes, together)
        expected = all_.mean if closed is None else float(closed)
        spread = _closed_spread(measure, m) if null == "permutation" else None
        sd = spread[0] if spread else all_.sd(0)
        if sd <= CLOSE * max(1.0, abs(value)):
            raise ChanceError.from_no_spread(str(measure), null, value)
        z = spread[1] if spread else _better(measure, value, expected) / sd
        p = float(Fraction(all_.as_good, all_.total))
        found.append(ChanceScore(measure, float(value), expected, sd, z, p, True, True, 0))
    return found


def _scores_of_pairs(
    m: HardMeet | Sketch, score: Mapping[Measure, float], null: Null, draws: int, seed: int
) -> dict[Measure, _Values]:
    """Scores of random guesses by the pairs that they put together.

    Given the sizes all of these measures get better with each pair that both put together.
    """
    if not score:
        return {}
    s, p = m.shapes, pairs(m.shapes)
    drawn: Counter[tuple[int, int]] = Counter()
    sizes = m.truth_sizes, m.guess_sizes
    with progress(f"{draws:,} random guesses", draws) as advance:
        if null == "permutation":
            for shared in drawn_pairs(*sizes, draws, seed):
                drawn.update((p.guess, both) for both in shared.tolist())
                advance(shared.size)
        else:
            for tables in drawn_tables(*sizes, null, draws, seed):
                columns = tables.pairs_of_guess().tolist(), tables.pairs_of_both().tolist()
                drawn.update(zip(*columns, strict=True))
                advance(tables.draws)
    found = {}
    for measure, value in score.items():
        values: Counter[float] = Counter()
        for (guess, both), times in drawn.items():
            values[float(score_of_pairs(measure, s, guess, both))] += times
        as_good = (
            sum(times for (_, both), times in drawn.items() if both >= p.both)
            if null == "permutation"
            else _as_good(measure, value, values)
        )
        found[measure] = _Values(values, as_good)
    return found


def _scores_of_tables(
    m: HardMeet | Sketch, score: Mapping[Measure, float], null: Null, draws: int, seed: int
) -> dict[Measure, _Values]:
    """Scores of random guesses by their tables; all measures see the same guesses."""
    if not score:
        return {}
    found: dict[Measure, Counter[float]] = {measure: Counter() for measure in score}
    with progress(f"{draws:,} random guesses", draws) as advance:
        for tables in drawn_tables(m.truth_sizes, m.guess_sizes, null, draws, seed):
            stack = tables.stack()
            for measure, values in found.items():
                values.update(map(float, measure.of_each(stack)))
            advance(tables.draws)
    return {
        measure: _Values(values, _as_good(measure, score[measure], values))
        for measure, values in found.items()
    }


def _beside(
    measure: Measure, score: float, drawn: _Values, null: Null, closed: Any,
    spread: tuple[float, float] | None,
) -> ChanceScore:  # fmt: skip
    """A score beside what is known in closed form, and what was drawn."""
    draws = drawn.total
    if draws < 2 and (closed is None or spread is None):
        raise ChanceError.from_undrawn(str(measure), null)
    expected = drawn.mean if closed is None else float(closed)
    sd = drawn.sd(1) if spread is None else spread[0]
    if spread is not None:
        z: float | None = spread[1]
    else:
        z = _better(measure, score, expected) / sd if sd > CLOSE * abs(expected) else None
    p = (1 + drawn.as_good) / (draws + 1) if draws else None
    exact = closed is not None
    return ChanceScore(measure, float(score), expected, sd, z, p, exact, spread is not None, draws)


def _better(measure: Measure, score: float, expected: float) -> float:
    """By how much a score is better than expected."""
    return expected - score if measure.is_distance else score - expected
