"""Scores beside those of random guesses: expected value, standard deviation, z and p.

The truth is given, so a null model draws the guess: shuffled with its cluster sizes kept
(*permutation*), from all partitions with as many clusters (*number*), or from all (*uniform*).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.chance.null_models import (
    drawn_pairs,
    drawn_tables,
    every_table,
    refuse_too_many,
    together_among,
    together_uniformly,
)
from clusterdiff.errors import ClusterdiffError, did_you_mean, shown
from clusterdiff.measures.chance import expected_score, score_of_pairs
from clusterdiff.measures.pairs import pairs
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clusterdiff.chance.null_models import Null
    from clusterdiff.contingency import HardMeet, Shapes, Sizes, Sketch
    from clusterdiff.measures import Measure

NULLS = ("permutation", "number", "uniform")
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
    every = m.objects <= ENUMERATED
    if not every and (draws or null != "permutation"):
        refuse_too_many(m.truth_sizes, m.guess_sizes, null)
    of_pairs = {
        measure: value
        for measure, value in score.items()
        if not every and _is_of_pairs(measure, m.shapes)
    }
    rest = {measure: value for measure, value in score.items() if measure not in of_pairs}
    guesses = _scores_of_pairs(m, of_pairs, null, draws, seed)
    guesses |= _scores_of_tables(m, rest, null, draws, seed)
    return [_beside(m, measure, score[measure], guesses[measure], null) for measure in measures]


def check_model(null: str, draws: int, seed: int) -> None:
    """Refuse a null model that does not exist, and numbers that are none."""
    if null not in NULLS:
        near = did_you_mean(null, NULLS) if isinstance(null, str) else ""
        raise ClusterdiffError(
            f"unknown null model {shown(null)}.",
            f"{near}Choose from permutation (the guess is shuffled, its sizes kept), number (all "
            "partitions with as many clusters) and uniform (all partitions).",
        )
    for name, number, example in (("draws", draws, 9999), ("seed", seed, 0)):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 0:
            raise ClusterdiffError(
                f"{name} must be a whole number from 0 on, got {shown(number)}.",
                f"write e.g. {name}={example}.",
                f"write e.g. --{name} {example}.",
            )


def _refuse(m: HardMeet | Sketch, measures: Iterable[Measure], null: Null) -> None:
    """Models that have one guess alone, and measures of other clusterings."""
    if m.alignment.policy == "penalise":
        raise ClusterdiffError(
            'align="penalise" leaves objects on one side only, and a random guess has all objects '
            "of the truth.",
            'use align="shared" or align="singletons".',
        )
    for measure in measures:
        if not measure.needs & {"shapes", "rows"}:
            raise ClusterdiffError(
                f"random guesses are partitions, and {measure} compares other clusterings.",
                f"{measure.on_partitions or 'elm_f'} compares partitions.",
            )
    sides = {"truth": m.truth_sizes.clusters, "guess": m.guess_sizes.clusters}
    alike = {1: "one cluster alone", m.objects: "nothing but single objects"}
    decides = {"permutation": ("guess", "truth"), "number": ("guess",), "uniform": ()}[null]
    why = [f"{side} has {alike[sides[side]]}" for side in decides if sides[side] in alike]
    if why or m.objects < 2:
        draw = (
            'null="uniform" draws from all partitions.',
            "--null uniform draws from all partitions.",
        )
        raise ClusterdiffError(
            f"{why[0] if why else 'there is one object alone'}: under the {null} model every guess "
            "scores alike, and there is no chance to compare with.",
            *(("compare two objects or more.",) if null == "uniform" else draw),
        )


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
    every: bool = False
    """Whether these are all guesses of the model."""

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
    """Scores of random guesses by their tables, of few objects of all guesses; all measures see
    the same ones.
    """
    if not score:
        return {}
    sizes, every = (m.truth_sizes, m.guess_sizes), m.objects <= ENUMERATED
    batches = [every_table(*sizes, null)] if every else drawn_tables(*sizes, null, draws, seed)
    counts: dict[Measure, Counter[float]] = {measure: Counter() for measure in score}
    with progress(f"{draws:,} random guesses", draws) as advance:
        for tables in batches:
            stack = tables.stack()
            for measure, values in counts.items():
                values.update(map(float, measure.of_each(stack)))
            advance(tables.draws)
    return {
        measure: _Values(values, _as_good(measure, score[measure], values), every)
        for measure, values in counts.items()
    }


def _beside(
    m: HardMeet | Sketch, measure: Measure, score: float, guesses: _Values, null: Null
) -> ChanceScore:
    """A score beside what random guesses score, in closed form where there is one."""
    every, draws = guesses.every, 0 if guesses.every else guesses.total
    closed = expected_score(measure, m.shapes, _together(m, null))
    spread = _closed_spread(measure, m) if null == "permutation" else None
    if not every and draws < 2 and (closed is None or spread is None):
        why = "rand, pair_f and adjusted_rand need none under permutation."
        raise ClusterdiffError(
            f"{measure} has no standard deviation in closed form under the {null} model, so that "
            "draws are needed.",
            f"leave draws out; {why}",
            f"leave --draws out; {why}",
        )
    expected = guesses.mean if closed is None else float(closed)
    sd = guesses.sd(less=0 if every else 1) if spread is None else spread[0]
    if every and sd <= CLOSE * max(1.0, abs(score)):
        raise ClusterdiffError(
            f"{measure} is {score:.4g} for every guess of the {null} model: there is no spread to "
            "compare with.",
            "use another measure, such as elm_f or rand.",
        )
    z: float | None = None
    if spread is not None:
        z = spread[1]
    elif every or sd > CLOSE * abs(expected):
        z = (expected - score if measure.is_distance else score - expected) / sd
    p = guesses.as_good / guesses.total if every else None
    if draws:
        p = (1 + guesses.as_good) / (draws + 1)  # the guess itself is one of those drawn
    exact, is_closed = every or closed is not None, every or spread is not None
    return ChanceScore(measure, float(score), expected, sd, z, p, exact, is_closed, draws)
