"""Scores beside those of random guesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.chance.adjustment import ChanceScore, chance_scores, check_model
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import CoverMeet, Listed, Policy, SoftMeet, Stack
from clusterdiff.errors import ClusterdiffError, InputError
from clusterdiff.io import met
from clusterdiff.io.sides import NOWHERE, Origins, guesses_of, opened
from clusterdiff.measures import measure_named
from clusterdiff.output.describe import count, describe
from clusterdiff.output.result import TableResult
from clusterdiff.output.score import Score
from clusterdiff.output.table import CellTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.chance.null_models import Null
    from clusterdiff.contingency import HardMeet, Sketch
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
    """The same for sides that are opened here, and closed before anything is drawn."""
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
