"""Scores beside those of random guesses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
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
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import CoverMeet, Listed, Policy, SoftMeet, Stack
from clusterdiff.errors import ClusterdiffError, InputError, did_you_mean, shown
from clusterdiff.io import met
from clusterdiff.io.sides import NOWHERE, Origins, guesses_of, opened
from clusterdiff.measures import measure_named
from clusterdiff.measures.chance import expected_score, score_of_pairs
from clusterdiff.measures.pairs import pairs
from clusterdiff.output.describe import count, describe
from clusterdiff.output.result import TableResult
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clusterdiff.chance.null_models import Null
    from clusterdiff.contingency import HardMeet, Shapes, Sizes, Sketch
    from clusterdiff.io.sides import Opened
    from clusterdiff.measures import Measure

MODELS = {
    "permutation": "the guess is shuffled over the objects, all cluster sizes kept",
    "number": "the guess is drawn from all partitions with as many clusters",
    "uniform": "the guess is drawn from all partitions",
}


def chance(
    truth: Any,
    guess: Any,
    measure: Iterable[str | Measure] | str | Measure = "elm_f",
    *,
    null: Null = "permutation",
    draws: int = 9999,
    seed: int = 0,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    engine: Any = None,
) -> Chance:
    """The score of a guess beside those of random guesses: expected value, sd, z and p.

    >>> found = chance(list("aaabbbcc"), list("xxyyyzzz"), "rand")
    >>> found.expected, round(found.z, 4), found.p == 23 / 140
    (0.625, 1.1141, True)

    null="permutation" shuffles the guess over the objects and keeps its cluster sizes, "number"
    draws it from all partitions with as many clusters, "uniform" from all partitions.

    Expected values are exact for measures that are linear in pairs (rand, pair_f, adjusted_rand;
    under "number" and "uniform" rand, pair_recall and mirkin_distance), and under "permutation"
    for means over objects of sizes alone (elm_f, bcubed_f); those of pairs have their standard
    deviation and z in closed form too. All else, and p, is from `draws` random guesses with `seed`;
    up to eight objects all guesses are scored, and all is exact. draws=0 gives what is in closed
    form, without p. z counts how many standard deviations a score is better than expected, also
    for a distance. Several measures, as a list, are judged by the same random guesses.

    A small p excludes chance, and no more: it does not say that a guess is good.
    """
    check_model(null, draws, seed)
    guesses = guesses_of(guess, None, truth)
    if len(guesses) != 1:
        raise InputError.from_sides("chance", 1 + len(guesses))
    sides = opened(engine, truth, guesses, None, samples)
    policy = Policy(align, noise, noise_as)
    return chance_of_sides(sides, measures_by_text(measure).values(), policy, null, draws, seed)


def chance_of_sides(
    sides: Opened,
    measures: Iterable[Measure],
    policy: Policy,
    null: Null,
    draws: int,
    seed: int,
) -> Chance:
    """Scores beside chance, of sides that are closed before anything is drawn."""
    with sides as (shop, truth, guesses):
        [(name, guess)] = guesses.items()
        found = met(shop, truth, guess, policy)
        origins = Origins.of(truth, guesses)
    meet = _of_partitions(found)
    scores = chance_scores(meet, list(measures), null, draws, seed)
    return Chance(
        {str(one.measure): one for one in scores}, null, int(draws), int(seed), name, meet, origins
    )


def _of_partitions(found: Any) -> HardMeet | Sketch:
    """A comparison of two partitions; all others are refused."""
    if isinstance(found, Stack | Listed):
        raise ClusterdiffError(
            "a random guess is drawn for one comparison, and these are several samples.",
            "compare one sample at a time.",
        )
    if isinstance(found, CoverMeet | SoftMeet):
        if found.is_hard:
            return found.hard
        why = "an object may be in several clusters of a cover"
        if isinstance(found, SoftMeet):
            sides = {"truth": found.truth, "guess": found.guess}
            vague = (
                f"{name} is {side.kind}" for name, side in sides.items() if side.labels is None
            )
            why = " and ".join(vague)
        raise ClusterdiffError(
            f"random guesses are partitions; {why}.",
            "clustering.harden() makes a partition of an uncertain clustering; cd.compare scores "
            "overlapping ones.",
        )
    return found  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False, repr=False)
class Chance(TableResult):
    """Scores beside those of random guesses.

    `found["rand"]` has score, expected, sd, z and p of a measure; of one measure alone the result
    has them itself.
    """

    schema = "chance/1"

    scores: Mapping[str, ChanceScore]
    """Measure text, as it prints -> score."""
    null: str
    """The model that guesses are drawn from."""
    draws: int
    """How many were asked for; none are drawn where all guesses are scored."""
    seed: int
    guess: str
    """The name of the guess."""
    meet: HardMeet | Sketch
    origins: Origins = NOWHERE

    def __getitem__(self, measure: str | Measure) -> ChanceScore:
        text = str(measure)
        if text not in self.scores:
            wanted = measure_named(measure)
            same = [one for one in self.scores.values() if one.measure == wanted]
            if not same:
                raise ClusterdiffError(
                    f"{text} was not asked for.", f"cd.chance(truth, guess, [{text!r}])"
                )
            return same[0]
        return self.scores[text]

    def __iter__(self) -> Any:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def _only(self) -> ChanceScore:
        if len(self.scores) > 1:
            first = next(iter(self.scores))
            raise ClusterdiffError(
                f"there are {len(self.scores)} measures, each with its own numbers.",
                f"take one, e.g. found[{first!r}].p",
            )
        return next(iter(self.scores.values()))

    @property
    def score(self) -> float:
        """The score of the guess."""
        return self._only.score

    @property
    def expected(self) -> float:
        """Mean score of random guesses."""
        return self._only.expected

    @property
    def sd(self) -> float:
        """Standard deviation of their scores."""
        return self._only.sd

    @property
    def z(self) -> float | None:
        """By how many standard deviations the score is better than expected."""
        return self._only.z

    @property
    def p(self) -> float | None:
        """Share of random guesses that score as well."""
        return self._only.p

    @property
    def exact(self) -> bool:
        """Whether the expected value is exact."""
        return self._only.exact

    @property
    def enumerated(self) -> bool:
        """Whether all guesses of the model were scored."""
        return all(one.closed and not one.draws and one.p is not None for one in self._all)

    @property
    def _all(self) -> list[ChanceScore]:
        return list(self.scores.values())

    def head(self, width: int = 80) -> str:
        """The sizes of truth and guess, and the alignment."""
        return describe({self.guess: self.meet}, columns=width, origins=self.origins)

    def table(self) -> CellTable:
        """A row per measure."""
        rows = [
            (text, *map(_digits, (one.score, one.expected, one.sd, one.z, one.p)))
            for text, one in self.scores.items()
        ]
        return CellTable(("", "score", "expected", "sd", "z", "p"), tuple(rows))

    def notes(self) -> list[str]:
        """The model, where the numbers come from, and what p says."""
        return [f"{self.null}: {MODELS[self.null]}. {self._how()}", *self._limits()]

    def _how(self) -> str:
        """Which numbers are exact, and which are drawn."""
        if self.enumerated:
            return "All such guesses were scored: the numbers are exact."
        told = []
        ways = {
            "expected and sd": [text for text, one in self.scores.items() if one.closed],
            "expected": [t for t, one in self.scores.items() if one.exact and not one.closed],
        }
        for what, texts in ways.items():
            if texts:
                told.append(f"{what} of {', '.join(texts)} in closed form")
        if any(one.draws for one in self._all):
            drawn = f"{count(self.draws, 'draw')} with seed {self.seed}"
            told.append(f"the rest from {drawn}" if told else f"all from {drawn}")
        text = "; ".join(told)
        return f"{text[:1].upper()}{text[1:]}."

    def _limits(self) -> list[str]:
        told = []
        if still := [text for text, one in self.scores.items() if one.z is None]:
            told.append(f"{', '.join(still)}: all draws score alike, so that there is no z.")
        if any(one.least for one in self._all):
            told.append(
                f"{_digits(1 / (1 + self.draws))} is the smallest p that "
                f"{count(self.draws, 'draw')} can give."
            )
        if any(one.p is not None for one in self._all):
            told.append(
                "p is the share of random guesses that score as well: a small p excludes chance, "
                "and no more."
            )
        return told

    def records(self) -> list[dict[str, Any]]:
        """One record per measure."""
        return [
            {"guess": self.guess, "measure": text, **_numbers(one), "null": self.null}
            | {"seed": self.seed, "signature": str(self._signature(one))}
            for text, one in self.scores.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        found = {
            text: {**_numbers(one), "signature": self._signature(one)}
            for text, one in self.scores.items()
        }
        asked = {"guess": self.guess, "null": self.null, "draws": self.draws, "seed": self.seed}
        return (
            asked
            | {"measures": found}
            | self.origins.with_notes_of({self.guess: self.meet}).to_dict()
        )

    def _signature(self, one: ChanceScore) -> Any:
        """What was computed, on what, how; where guesses were drawn, from which seed."""
        parts = Score(one.measure, one.score, self.meet).signature
        parts["null"] = self.null
        if one.draws:
            parts |= {"draws": one.draws, "seed": self.seed, "numpy": np.__version__}
        return parts


def _numbers(one: ChanceScore) -> dict[str, Any]:
    return {
        "score": one.score,
        "expected": one.expected,
        "sd": one.sd,
        "z": one.z,
        "p": one.p,
        "exact": one.exact,
        "draws": one.draws,
    }


def _digits(number: float | None) -> str:
    """A number for eyes, however small; a dash for none."""
    return "—" if number is None else f"{number:.4g}"


# The scores: a null model draws the guess, as the truth is given.

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
