"""Scores as functions of the sums of a line: what a sweep needs to know of a measure.

A line is one clustering of many that grow by merges. Some sums follow from line to line at little
cost; a measure that is a function of them says so by a fact, `@rand.fact("lines")`, and is then
scored at every threshold. Of other measures a sweep scores chosen lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.core.measure import Measure
from clusterdiff.measures.core.zero_division import f_scores


class SizeMean(NamedTuple):
    """A mean over objects of a function of the sizes of their clusters and of their row.

    With c objects in the row, t in the true cluster, g in the guess cluster and n in all: "bcubed"
    is c / (αg + (1-α)t), "elm" the same without the object itself, "element" is c / max(t, g) and
    "blanc" the mean F of the links that an object has and of those it does not have.
    """

    kind: Literal["bcubed", "elm", "element", "blanc"]
    alpha: float = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class LineSums:
    """Sums of truth, and arrays over lines of those of the guess, T and G being clusters."""

    objects: int
    truths: int
    """True clusters."""
    truth_pairs: int
    """Σ |T|(|T| - 1)/2"""
    truth_singles: int
    """True clusters of one object."""
    truth_logs: float
    """Σ |T| log(n/|T|)"""
    clusters: Ints
    rows: Ints
    """Parts T∩G that are not empty."""
    largest: Ints
    """Objects of the largest cluster."""
    singles: Ints
    """Clusters of one object."""
    alone: Ints
    """Objects that are alone in truth and in guess."""
    exact: Ints
    """Clusters that are true clusters."""
    exact_objects: Ints
    """Objects in such clusters."""
    pure: Ints
    """Σ_G max_T |T∩G|"""
    inverse: Ints
    """Σ_T max_G |T∩G|"""
    guess_pairs: Ints
    """Σ |G|(|G| - 1)/2"""
    both_pairs: Ints
    """Σ |T∩G|(|T∩G| - 1)/2"""
    guess_logs: Floats
    """Σ |G| log(n/|G|)"""
    both_logs: Floats
    """Σ |T∩G| log(n/|T∩G|)"""
    precise: Floats
    """Σ |T∩G|²/|G|"""
    recalled: Floats
    """Σ |T∩G|²/|T|"""
    mates_precise: Floats
    """Σ |T∩G|(|T∩G| - 1)/(|G| - 1) over clusters of more than one object"""
    mates_recalled: Floats
    """Σ |T∩G|(|T∩G| - 1)/(|T| - 1) over true clusters of more than one object"""
    size_means: Mapping[SizeMean, Floats]
    """Means over objects that were asked for."""

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return self.clusters.size

    def part(self, begin: int, end: int) -> LineSums:
        """The sums of some of the lines."""
        columns: dict[str, Any] = {
            name: value[begin:end]
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray)
        }
        means = {mean: values[begin:end] for mean, values in self.size_means.items()}
        return replace(self, **columns, size_means=means)

    def each(self, number: int) -> NDArray[Any]:
        """A number that is the same on every line, as an array."""
        return np.broadcast_to(np.int64(number), self.lines)


class LineScore(NamedTuple):
    """How a measure is computed from the sums of lines."""

    score: Callable[[LineSums], Any]
    """Of the sums of some lines, the score of each, which depends on no other line."""
    needs: tuple[SizeMean, ...] = ()
    """Means over objects that it takes."""


def function_of_lines(measure: Measure, score: Callable[..., Any]) -> None:
    """Say that a measure is a function of the sums of lines: `score` takes them and the measure's
    parameters. With f='objects' it is not.
    """

    @measure.fact("lines")
    def lines(**given: Any) -> LineScore | None:
        if given.get("f") == "objects":
            return None
        return LineScore(lambda s: score(s, **given))


def family_of_lines(
    family: tuple[Measure, Measure, Measure],
    halves: Callable[..., tuple[Any, Any]],
    objects: Callable[..., LineScore] | None = None,
) -> None:
    """The same for a precision, its recall and their F: `halves` of the sums and the parameters are
    the first two, and `objects` of the parameters says what F is with f='objects'.
    """
    for place in (0, 1):
        function_of_lines(family[place], lambda s, p=place, **given: halves(s, **given)[p])

    @family[2].fact("lines")
    def lines(alpha: float, f: str, **given: Any) -> LineScore | None:
        if f == "objects" and 0 < alpha < 1:
            return None if objects is None else objects(alpha=alpha, **given)
        if f == "objects" and objects is None:
            return None
        return LineScore(lambda s: f_scores(*halves(s, **given), alpha))


def size_mean(mean: SizeMean) -> LineScore:
    """The score that is one such mean over objects."""
    return LineScore(lambda s: s.size_means[mean], (mean,))


def line_score(measure: Measure) -> LineScore | None:
    """How a measure is computed from the sums of lines; None if it is no function of them."""
    found = measure.known("lines")
    assert found is None or isinstance(found, LineScore)
    return found
