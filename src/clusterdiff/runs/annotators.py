"""Guesses judged by several truths, beside how these agree among themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import printable
from clusterdiff.output.result import TableResult
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import cut, wrapped
from clusterdiff.runs.agreement import mean_with_others, stability_of

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure

LONGEST = 32
"""Columns that a name takes."""


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorAgreement(TableResult):
    """Scores of each guess against each annotator, and of annotators against each other."""

    schema = "annotators/1"

    measure: Measure
    annotators: list[str]
    guesses: list[str]
    values: Floats
    """Annotators x guesses, the annotator as truth."""
    shared: Ints
    """How many objects each guess is judged on."""
    among: Floats
    """Annotators x annotators."""

    @property
    def mean(self) -> dict[str, float]:
        """Of each guess the mean over all annotators."""
        return {g: _mean(self.values[:, j]) for j, g in enumerate(self.guesses)}

    @property
    def best(self) -> dict[str, tuple[str, float]]:
        """Of each guess the annotator that it agrees with most, and that score."""
        return {g: self._best(self.values[:, j]) for j, g in enumerate(self.guesses)}

    @property
    def each(self) -> dict[str, float]:
        """Of each annotator the mean agreement with the others: what a guess of theirs scores."""
        return dict(zip(self.annotators, mean_with_others(self.among).tolist(), strict=True))

    @property
    def ceiling(self) -> float:
        """What annotators reach among themselves: each is judged by the others, and the mean taken
        over all. NaN of one annotator.
        """
        return stability_of(self.among).mean

    @property
    def ceiling_error(self) -> float:
        """Standard error of the ceiling, by a jackknife over annotators; NaN of fewer than
        three.
        """
        return stability_of(self.among).error

    def _best(self, scores: Floats) -> tuple[str, float]:
        if np.isnan(scores).all():
            return "", math.nan
        place = int(np.nanargmin(scores) if self.measure.is_distance else np.nanargmax(scores))
        return self.annotators[place], float(scores[place])

    def head(self, width: int = 80) -> str:
        """What the guesses are judged by."""
        told = f"guesses against {len(self.annotators):,} annotators, by {self.measure}"
        return wrapped(told, width)

    def table(self) -> CellTable:
        """A row for each guess, and for the annotators among themselves."""
        rows = []
        for guess, mean in self.mean.items():
            name, value = self.best[guess]
            lowest = self._worst(guess)
            rows.append((_short(guess), digits(mean), digits(value), _short(name), digits(lowest)))
        if not math.isnan(self.ceiling):
            ends = [mean for mean in self.each.values() if not math.isnan(mean)]
            ends = sorted(ends, reverse=not self.measure.is_distance)
            top = next(name for name, mean in self.each.items() if mean == ends[0])
            told = digits(self.ceiling), digits(ends[0]), _short(top), digits(ends[-1])
            rows.append(("annotators", *told))
        return CellTable(("", "mean", "best", "with", "worst"), tuple(rows))

    def notes(self) -> list[str]:
        """What the ceiling is."""
        if math.isnan(self.ceiling):
            return ["One annotator has no other to agree with: there is no ceiling."]
        error = ""
        if not math.isnan(self.ceiling_error):
            error = f" (standard error {digits(self.ceiling_error)})"
        word = "Lower" if self.measure.is_distance else "Higher"
        beyond = [g for g, mean in self.mean.items() if self._is_beyond(mean)]
        told = [
            f"Annotators reach {digits(self.ceiling)}{error} among themselves, each judged by the "
            "others: a guess that scores as much agrees with them as they do with each other. "
            "Their row has the mean of each of them, not single scores."
        ]
        if beyond:
            names = ", ".join(map(_short, beyond[:5]))
            told.append(
                f"{word} than that: {names}. Labels that disagree this much cannot show whether "
                "that is an improvement."
            )
        return told

    def records(self) -> list[dict[str, Any]]:
        """A record for each guess and annotator."""
        return [
            {
                "truth": a,
                "guess": g,
                "value": _number(float(self.values[i, j])),
                "objects": int(self.shared[i, j]),
            }
            for j, g in enumerate(self.guesses)
            for i, a in enumerate(self.annotators)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        guesses = {}
        for j, guess in enumerate(self.guesses):
            name, value = self.best[guess]
            each = {a: _number(float(self.values[i, j])) for i, a in enumerate(self.annotators)}
            told = {"mean": _number(self.mean[guess]), "best": _number(value), "best_with": name}
            guesses[guess] = {**told, "each": each}
        return {
            "measure": self.measure.full_name,
            "guesses": guesses,
            "annotators": {name: _number(mean) for name, mean in self.each.items()},
            "ceiling": _number(self.ceiling),
            "ceiling_error": _number(self.ceiling_error),
        }

    def _worst(self, guess: str) -> float:
        scores = self.values[:, self.guesses.index(guess)]
        scores = scores[~np.isnan(scores)]
        if not scores.size:
            return math.nan
        return float(scores.max() if self.measure.is_distance else scores.min())

    def _is_beyond(self, mean: float) -> bool:
        return mean < self.ceiling if self.measure.is_distance else mean > self.ceiling


def _mean(scores: Floats) -> float:
    known = scores[~np.isnan(scores)]
    return math.fsum(known.tolist()) / known.size if known.size else math.nan


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _short(name: str) -> str:
    return cut(printable(name), LONGEST)
