"""Scores beside those of random guesses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.chance.null_models import (
    check_memory,
    check_size,
    drawn_tables,
    every_table,
    together_among,
    together_uniformly,
)
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import CoverMeet, Listed, Policy, SoftMeet, Stack
from clusterdiff.errors import ClusterdiffError, InputError, did_you_mean, shown
from clusterdiff.io import contingency_of
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
    count: Any = None,
    engine: Any = None,
) -> Chance:
    """Compare a score with those of random guesses: expected value, standard deviation, z and p.

    >>> found = chance(list("aaabbbcc"), list("xxyyyzzz"), "rand")
    >>> found.expected, round(found.z, 4), found.p == 23 / 140
    (0.625, 1.1141, True)

    null="permutation" shuffles the guess over the objects and keeps its cluster sizes, "number"
    draws it from all partitions with as many clusters, "uniform" from all partitions.

    Expected values are exact for measures that are linear in pairs (rand, pair_f, adjusted_rand;
    under "number" and "uniform" rand, pair_recall and mirkin_distance), and under "permutation" for
    means over objects of sizes alone (elm_f, bcubed_precision); under "permutation" measures of
    pairs also have their standard deviation and z in closed form. Everything else, and p, is from
    `draws` random guesses with `seed`; with up to eight objects all guesses are scored, and
    everything is exact. draws=0 gives only what is in closed form, without p. z is the number of
    standard deviations by which a score is better than expected, also for a distance. Several
    measures, as a list, are compared with the same random guesses.

    A small p excludes chance, and no more: it does not mean that a guess is good.
    """
    check_model(null, draws, seed)
    guesses = guesses_of(guess, None, truth)
    if len(guesses) != 1:
        raise InputError.from_sides("chance", 1 + len(guesses))
    sides = opened(engine, truth, guesses, None, samples, count)
    policy = Policy(align, noise, noise_as)
    return chance_of_sides(sides, measures_by_text(measure).values(), policy, null, draws, seed)


def check_model(null: str, draws: int, seed: int) -> None:
    """Refuse unknown null models, and numbers of draws and seeds that are not whole numbers."""
    if null not in MODELS:
        near = did_you_mean(null, list(MODELS)) if isinstance(null, str) else ""
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


def chance_of_sides(
    sides: Opened, measures: Iterable[Measure], policy: Policy, null: Null, draws: int, seed: int
) -> Chance:
    """Scores beside chance, of sides that are closed before anything is drawn."""
    with sides as (sessions, truth, guesses):
        [(name, guess)] = guesses.items()
        compared = contingency_of(sessions, truth, guess, policy)
        origins, memory = Origins.of(truth, guesses), sessions.memory
    meet = _of_partitions(compared)
    if memory is not None and (draws or null != "permutation"):
        check_memory(meet.truth_sizes, meet.guess_sizes, null, memory)
    scores = chance_scores(meet, list(measures), null, draws, seed)
    by_text = {str(score.measure): score for score in scores}
    return Chance(by_text, null, int(draws), int(seed), name, meet, origins)


def _of_partitions(compared: Any) -> HardMeet | Sketch:
    """A comparison of two partitions; others are refused."""
    if isinstance(compared, Stack | Listed):
        raise ClusterdiffError(
            "a random guess is drawn for one comparison, and these are several samples.",
            "compare one sample at a time.",
        )
    if isinstance(compared, CoverMeet | SoftMeet):
        if compared.is_hard:
            return compared.hard
        why = "an object may be in several clusters of a cover"
        if isinstance(compared, SoftMeet):
            sides = {"truth": compared.truth, "guess": compared.guess}
            uncertain = (f"{name} is {s.kind}" for name, s in sides.items() if s.labels is None)
            why = " and ".join(uncertain)
        raise ClusterdiffError(
            f"random guesses are partitions; {why}.",
            "clustering.harden() makes a partition of an uncertain clustering; cd.compare scores "
            "overlapping ones.",
        )
    return compared  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False, repr=False)
class Chance(TableResult):
    """Scores beside those of random guesses.

    `found["rand"]` has score, expected, sd, z and p of a measure; a result of one measure has them
    itself.
    """

    schema = "chance/1"

    scores: Mapping[str, ChanceScore]
    """Measure text, as it prints -> score."""
    null: str
    """The model that guesses are drawn from."""
    draws: int
    """Number of draws that were asked for; none are made where all guesses are scored."""
    seed: int
    guess: str
    """The name of the guess."""
    meet: HardMeet | Sketch
    origins: Origins = NOWHERE

    def __getitem__(self, measure: str | Measure) -> ChanceScore:
        text = str(measure)
        if text in self.scores:
            return self.scores[text]
        wanted = measure_named(measure)
        for score in self.scores.values():
            if score.measure == wanted:
                return score
        raise ClusterdiffError(f"{text} was not asked for.", f"cd.chance(truth, guess, [{text!r}])")

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
        """Number of standard deviations by which the score is better than expected."""
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
        return all(s.closed and not s.draws and s.p is not None for s in self.scores.values())

    def head(self, width: int = 80) -> str:
        """The sizes of truth and guess, and the alignment."""
        return describe({self.guess: self.meet}, columns=width, origins=self.origins)

    def table(self) -> CellTable:
        """A row per measure."""
        rows = [
            (text, *map(_digits, (s.score, s.expected, s.sd, s.z, s.p)))
            for text, s in self.scores.items()
        ]
        return CellTable(("", "score", "expected", "sd", "z", "p"), tuple(rows))

    def notes(self) -> list[str]:
        """The model, where the numbers come from, and what p means."""
        notes = [f"{self.null}: {MODELS[self.null]}. {self._sources()}"]
        if still := [text for text, score in self.scores.items() if score.z is None]:
            notes.append(f"{', '.join(still)}: all draws score alike, so there is no z.")
        if any(score.is_least for score in self.scores.values()):
            notes.append(
                f"{_digits(1 / (1 + self.draws))} is the smallest p that "
                f"{count(self.draws, 'draw')} can give."
            )
        if any(score.p is not None for score in self.scores.values()):
            notes.append(
                "p is the share of random guesses that score as well: a small p excludes chance, "
                "and no more."
            )
        return notes

    def _sources(self) -> str:
        """Which numbers are exact, and which are drawn."""
        if self.enumerated:
            return "All such guesses were scored: the numbers are exact."
        ways = {
            "expected and sd": [text for text, s in self.scores.items() if s.closed],
            "expected": [text for text, s in self.scores.items() if s.exact and not s.closed],
        }
        parts = [f"{what} of {', '.join(of)} in closed form" for what, of in ways.items() if of]
        if any(score.draws for score in self.scores.values()):
            rest = "the rest" if parts else "all"
            parts.append(f"{rest} from {count(self.draws, 'draw')} with seed {self.seed}")
        text = "; ".join(parts)
        return f"{text[:1].upper()}{text[1:]}."

    def records(self) -> list[dict[str, Any]]:
        """One record per measure."""
        return [
            {"guess": self.guess, "measure": text, **score.to_dict(), "null": self.null}
            | {"seed": self.seed, "signature": str(self._signature(score))}
            for text, score in self.scores.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The scores and how guesses were drawn, with full precision and stable keys."""
        return {
            "guess": self.guess, "null": self.null, "draws": self.draws, "seed": self.seed,
            "measures": {
                text: {**score.to_dict(), "signature": self._signature(score)}
                for text, score in self.scores.items()
            },
            **self.origins.with_notes_of({self.guess: self.meet}).to_dict(),
        }  # fmt: skip

    def _signature(self, score: ChanceScore) -> Any:
        """The signature of the score, with the null model and, if guesses were drawn, the seed."""
        parts = Score(score.measure, score.score, self.meet).signature
        parts["null"] = self.null
        if score.draws:
            parts |= {"draws": score.draws, "seed": self.seed, "numpy": np.__version__}
        return parts


def _digits(number: float | None) -> str:
    """A number for display, however small; a dash for none."""
    return "—" if number is None else f"{number:.4g}"


# The scores: the truth is given, and a null model draws the guess.

ENUMERATED = 8
"""Number of objects up to which all guesses of a model are scored."""
CLOSE = 1e-12
"""Scores this near to each other are equal."""


@dataclass(frozen=True)
class ChanceScore:
    """The score of a measure, and those of random guesses."""

    measure: Measure
    score: float
    expected: float
    """Mean score of random guesses."""
    sd: float
    """Standard deviation of their scores."""
    z: float | None
    """Number of standard deviations by which the score is better than expected, or lower for a
    distance. None if all draws score alike.
    """
    p: float | None
    """Share of random guesses that score as well or better. The guess itself is counted among
    drawn ones: (1 + as good)/(draws + 1). None without draws.
    """
    exact: bool
    """Whether the expected value is exact, in closed form or by enumeration."""
    closed: bool
    """Whether the standard deviation is in closed form or by enumeration as well."""
    draws: int
    """Number of guesses that were drawn; 0 if all guesses were scored, or none."""

    @property
    def error(self) -> float:
        """Standard error of the expected value, if it is a mean over draws."""
        return 0.0 if self.exact else self.sd / math.sqrt(self.draws)

    @property
    def is_least(self) -> bool:
        """Whether p is the smallest that this number of draws can give."""
        return bool(self.draws) and self.p == 1 / (self.draws + 1)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, by their names."""
        names = ("score", "expected", "sd", "z", "p", "exact", "draws")
        return {name: getattr(self, name) for name in names}


def chance_scores(
    m: HardMeet | Sketch, measures: Sequence[Measure], null: Null, draws: int, seed: int
) -> list[ChanceScore]:
    """Each measure beside its scores of random guesses."""
    _check(m, measures, null)
    score = {measure: measure.of(m) for measure in measures}
    if m.objects <= ENUMERATED:
        guesses = _scores_of_tables(m, score, null, draws, seed)
    else:
        if draws or null != "permutation":
            check_size(m.truth_sizes, m.guess_sizes, null)
        of_pairs = {one: value for one, value in score.items() if _is_of_pairs(one, m.shapes)}
        others = {one: value for one, value in score.items() if one not in of_pairs}
        guesses = _scores_of_pairs(m, of_pairs, null, draws, seed)
        guesses |= _scores_of_tables(m, others, null, draws, seed)
    return [_beside(m, measure, score[measure], guesses[measure], null) for measure in measures]


def _check(m: HardMeet | Sketch, measures: Iterable[Measure], null: Null) -> None:
    """Refuse models with only one guess, and measures of other kinds of clusterings."""
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
    clusters = {"truth": m.truth_sizes.clusters, "guess": m.guess_sizes.clusters}
    alike = {1: "one cluster alone", m.objects: "nothing but single objects"}
    decides = {"permutation": ("guess", "truth"), "number": ("guess",), "uniform": ()}[null]
    why = [f"{side} has {alike[clusters[side]]}" for side in decides if clusters[side] in alike]
    if why or m.objects < 2:
        hint = 'null="uniform" draws from all partitions.'
        raise ClusterdiffError(
            f"{why[0] if why else 'there is one object alone'}: under the {null} model every guess "
            "scores alike, and there is no chance to compare with.",
            "compare two objects or more." if null == "uniform" else hint,
        )


def _is_of_pairs(measure: Measure, s: Shapes) -> bool:
    """Whether the score is a function of the numbers of pairs that each side and both have."""
    p = pairs(s)
    known = bool(measure.claims.linear) or measure.family == "pairs"
    return known and score_of_pairs(measure, s, p.guess, p.both) is not None


class GuessScores(NamedTuple):
    """The scores of random guesses."""

    values: Mapping[float, int]
    """Each score that occurs, and how often."""
    as_good: int
    """Number of scores that are as good as that of the guess."""
    every: bool = False
    """Whether these are all guesses of the model."""

    @property
    def total(self) -> int:
        """Number of random guesses."""
        return sum(self.values.values())

    @property
    def mean(self) -> float:
        """Mean score."""
        return math.fsum(value * times for value, times in self.values.items()) / self.total

    def sd(self) -> float:
        """Standard deviation: of all guesses, or estimated from a sample of them."""
        mean = self.mean
        squares = (times * (value - mean) ** 2 for value, times in self.values.items())
        return math.sqrt(math.fsum(squares) / max(self.total - (not self.every), 1))


def _scores_of_pairs(
    m: HardMeet | Sketch, score: Mapping[Measure, float], null: Null, draws: int, seed: int
) -> dict[Measure, GuessScores]:
    """Scores of random guesses from the numbers of pairs that they put together.

    With given cluster sizes, all these measures increase with the pairs that both put together.
    """
    if not score:
        return {}
    s, p = m.shapes, pairs(m.shapes)
    drawn: Counter[tuple[int, int]] = Counter()
    shuffled = null == "permutation"
    sizes = m.truth_sizes, m.guess_sizes
    with progress(f"{draws:,} random guesses", draws) as advance:
        for tables in drawn_tables(*sizes, null, draws, seed, with_singles=not shuffled):
            both = tables.pairs_of_both().tolist()
            guess = [p.guess] * len(both) if shuffled else tables.pairs_of_guess().tolist()
            drawn.update(zip(guess, both, strict=True))
            advance(tables.draws)
    as_good = sum(times for (_, both), times in drawn.items() if both >= p.both)
    found = {}
    for measure, value in score.items():
        values: Counter[float] = Counter()
        for (guess_pairs, both_pairs), times in drawn.items():
            values[float(score_of_pairs(measure, s, guess_pairs, both_pairs))] += times
        good = as_good if shuffled else _as_good(measure, value, values)
        found[measure] = GuessScores(values, good)
    return found


def _scores_of_tables(
    m: HardMeet | Sketch, score: Mapping[Measure, float], null: Null, draws: int, seed: int
) -> dict[Measure, GuessScores]:
    """Scores of random guesses from their tables, or of all guesses if there are few objects. All
    measures see the same guesses.
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
        measure: GuessScores(values, _as_good(measure, score[measure], values), every)
        for measure, values in counts.items()
    }


def _as_good(measure: Measure, score: float, values: Mapping[float, int]) -> int:
    """The number of scores that are as good, or equal but for rounding."""
    sign, room = -1 if measure.is_distance else 1, CLOSE * max(1.0, abs(score))
    return sum(times for value, times in values.items() if sign * value >= sign * score - room)


def _beside(
    m: HardMeet | Sketch, measure: Measure, score: float, guesses: GuessScores, null: Null
) -> ChanceScore:
    """A score beside those of random guesses, in closed form where there is one."""
    every, draws = guesses.every, 0 if guesses.every else guesses.total
    together = None
    if null != "permutation":
        clusters = m.guess_sizes.clusters
        uniform = null == "uniform"
        together = together_uniformly(m.objects) if uniform else together_among(m.objects, clusters)
    closed = expected_score(measure, m.shapes, together)
    spread = _closed_spread(measure, m) if null == "permutation" else None
    if not every and draws < 2 and (closed is None or spread is None):
        why = "rand, pair_f and adjusted_rand need none under permutation."
        raise ClusterdiffError(
            f"{measure} has no standard deviation in closed form under the {null} model, so draws "
            "are needed.",
            f"leave draws= out; {why}",
        )
    expected = guesses.mean if closed is None else float(closed)
    sd = guesses.sd() if spread is None else spread[0]
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
        p = (1 + guesses.as_good) / (draws + 1)  # the guess itself counts as one of the draws
    exact, is_closed = every or closed is not None, every or spread is not None
    return ChanceScore(measure, float(score), expected, sd, z, p, exact, is_closed, draws)


# The moments of the pairs that truth and a shuffled guess have in common.


class PairMoments(NamedTuple):
    """Mean and variance of the number of pairs that truth and a shuffled guess have in common."""

    mean: Fraction
    variance: Fraction


def pair_moments(truth: Sizes, guess: Sizes) -> PairMoments:
    """The moments of the number X of pairs together in both, over all permutations.

    Definition:  E[X] = m₁m₂/M,  E[X²] = E[X] + 2 q₁q₂/Q + 2 (C(m₁,2) - q₁)(C(m₂,2) - q₂)/W

    with m the pairs of a side, q = Σ s C(s - 1, 2) its pairs of pairs that share an object, and M,
    Q, W all pairs, all pairs of pairs that share an object, and all that do not. A permutation maps
    two pairs to any other two that share as many objects, with equal probability.
    """
    objects = int((truth.size * truth.count).sum())
    every = math.comb(objects, 2)
    joined = objects * math.comb(objects - 1, 2) if objects else 0
    apart = math.comb(every, 2) - joined
    (m1, q1), (m2, q2) = ((side.pairs, _joined_pairs(side)) for side in (truth, guess))
    mean = _ratio(m1 * m2, every)
    square = (
        mean
        + 2 * _ratio(q1 * q2, joined)
        + 2 * _ratio((math.comb(m1, 2) - q1) * (math.comb(m2, 2) - q2), apart)
    )
    return PairMoments(mean, square - mean**2)


def _joined_pairs(side: Sizes) -> int:
    """The number of pairs of pairs in one cluster that share an object."""
    sizes = zip(side.size.tolist(), side.count.tolist(), strict=True)
    return sum(times * size * math.comb(size - 1, 2) for size, times in sizes)


def _ratio(some: int, all_: int) -> Fraction:
    return Fraction(some, all_) if all_ else Fraction(0)


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
