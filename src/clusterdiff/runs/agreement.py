"""What the scores of all pairs of runs say: order, medoid, stability, a map; annotators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.errors import printable
from clusterdiff.measures.base import Measure
from clusterdiff.output.result import TableResult
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import cut, wrapped

MOST_ORDERED = 1000
"""Runs whose leaf order is optimised, which takes a time of their number to the third power."""


class MeanAgreement(NamedTuple):
    """Agreement of runs with each other."""

    mean: float
    """Mean score over all pairs of different runs."""
    spread: float
    """Standard deviation of the scores of the pairs; NaN of one pair."""
    error: float
    """Standard error of the mean by a jackknife over runs, since pairs share runs; NaN of fewer
    than three runs.
    """
    pairs: int


def mean_of(values: Floats) -> float:
    """The mean of those that are known, rounded once; NaN of none."""
    known = values[~np.isnan(values)]
    return exact_sum(known) / known.size if known.size else math.nan


def is_symmetric(values: Floats) -> bool:
    """Whether both directions have the same scores."""
    return np.array_equal(values, values.T, equal_nan=True)


def symmetric_part(values: Floats) -> Floats:
    """The mean of both directions."""
    return np.asarray(values if is_symmetric(values) else (values + values.T) / 2)


def stability_of(values: Floats) -> MeanAgreement:
    """Mean over pairs, their spread, and the standard error of the mean."""
    both = symmetric_part(values)
    runs, scores = len(both), both[np.triu_indices(len(both), 1)]
    known = scores[~np.isnan(scores)]
    mean, spread, error = mean_of(known), math.nan, math.nan
    if known.size > 1:
        spread = math.sqrt(math.fsum((known - mean) ** 2) / (known.size - 1))
    if runs > 2 and known.size:
        rest = [np.delete(np.delete(both, i, 0), i, 1) for i in range(runs)]
        left = [mean_of(some[np.triu_indices(runs - 1, 1)]) for some in rest]
        middle = math.fsum(left) / runs
        error = math.sqrt((runs - 1) / runs * math.fsum((one - middle) ** 2 for one in left))
    return MeanAgreement(mean, spread, error, known.size)


def mean_with_others(values: Floats) -> Floats:
    """For each run the mean of its scores with all others."""
    both = symmetric_part(values)
    return np.array([mean_of(np.delete(row, i)) for i, row in enumerate(both)])


def well_shared(shared: Ints) -> Bools:
    """Which runs share at least half as many objects with all others as the median run does: a
    mean over fewer objects says little, and that of a run of one object is perfect.

    Runs count in the median by what they share, so that many runs of a few objects do not make
    each other candidates.
    """
    each = shared.sum(axis=1) - np.diag(shared)
    rising = np.sort(each)
    median = rising[np.searchsorted(np.cumsum(rising), rising.sum() / 2)]
    return np.asarray(2 * each >= median)


def dissimilarities(values: Floats, distance: bool) -> Floats:
    """How far apart runs are: the distance, or what a similarity lacks to that of a run with
    itself.
    """
    both = symmetric_part(values)
    if not distance:
        own = np.diag(both)
        both = (own[:, None] + own[None, :]) / 2 - both
    found = np.maximum(both, 0.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def is_euclidean(measure: Measure) -> bool:
    """Whether the distance that a measure gives (of a similarity s, 1 - s) is the square of one
    between points of a Euclidean space, for all partitions of the same objects.

    Rand and Mirkin count coordinates that differ. Of the others the mean over objects is a sum over
    cells of c² k(|A|, |B|) with k(a, b) = 2/(a + b) or 1/max(a, b), an inner product of weighted
    co-membership matrices, since k is one of functions: ∫ 2 exp(-ta) exp(-tb) dt over t > 0, and
    ∫ [t < 1/a] [t < 1/b] dt. A partition has the product 1 with itself.
    """
    return bool(measure.get_hook("squared_euclidean"))


def leaf_order(values: Floats, distance: bool) -> list[int]:
    """Runs in an order that has similar ones side by side: average linkage, its leaves in the order
    that makes neighbours most similar. Of the two directions the one in which the first run given
    comes before the last.
    """
    apart = dissimilarities(values, distance)
    runs = len(apart)
    if runs < 3:
        return list(range(runs))
    unknown: Bools = np.isnan(apart)
    apart[unknown] = apart[~unknown].max(initial=1.0)
    from scipy.cluster.hierarchy import leaves_list, linkage

    pairs = apart[np.triu_indices(runs, 1)]
    tree = linkage(pairs, "average", optimal_ordering=runs <= MOST_ORDERED)
    order: list[int] = leaves_list(tree).tolist()
    return order if order.index(0) < order.index(runs - 1) else order[::-1]


# Runs as points whose distances are those between the runs: classical scaling.


class Embedding(NamedTuple):
    """Runs as points, by classical multidimensional scaling (principal coordinates)."""

    points: Floats
    """Runs x dimensions, the widest dimension first."""
    stress: float
    """Kruskal's stress-1: root of the squared errors of all distances over all squared distances.
    0 is a faithful map.
    """
    eigenvalues: Floats
    """Of all dimensions, largest first; negative ones say that no Euclidean space holds these
    distances.
    """


def classical_scaling(distances: Floats, dimensions: int) -> Embedding:
    """Points in so many dimensions whose distances come near to the given ones.

    >>> made = classical_scaling(np.array([[0.0, 2.0], [2.0, 0.0]]), 1)
    >>> made.points.tolist(), made.stress
    ([[1.0], [-1.0]], 0.0)
    """
    runs = len(distances)
    centre = np.eye(runs) - 1.0 / runs
    gram = -0.5 * centre @ (distances**2) @ centre
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = min(dimensions, runs)
    points = vectors[:, :kept] * np.sqrt(np.maximum(values[:kept], 0.0))
    # Signs are free: the first of the largest coordinates of each dimension is made positive.
    size = np.abs(points)
    largest = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    points *= np.where(points[largest, np.arange(kept)] < 0, -1.0, 1.0)
    points = np.hstack([points, np.zeros((runs, dimensions - kept))])
    pairs = np.triu_indices(runs, 1)
    given, gaps = distances[pairs], points[:, None, :] - points[None, :, :]
    wrong = np.sqrt((gaps**2).sum(axis=2))[pairs] - given
    whole = exact_sum(given**2)
    return Embedding(points, math.sqrt(exact_sum(wrong**2) / whole) if whole else 0.0, values)


# Guesses judged by several truths, beside how these agree among themselves.

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
        return {g: mean_of(self.values[:, j]) for j, g in enumerate(self.guesses)}

    @property
    def best(self) -> dict[str, tuple[str, float]]:
        """Of each guess the annotator that it agrees with most, and that score."""
        ranked = {g: self._ranked(self.annotators, self.values[:, j]) for j, g in self._numbered}
        return {g: found[0] if found else ("", math.nan) for g, found in ranked.items()}

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

    @property
    def _numbered(self) -> list[tuple[int, str]]:
        return list(enumerate(self.guesses))

    def _ranked(self, names: list[str], scores: Any) -> list[tuple[str, float]]:
        """The known scores with their names, the best first; equal ones in their order."""
        known = [(n, v) for n, v in zip(names, map(float, scores), strict=True) if v == v]
        return sorted(known, key=lambda one: one[1] if self.measure.is_distance else -one[1])

    def head(self, width: int = 80) -> str:
        """What the guesses are judged by."""
        told = f"guesses against {len(self.annotators):,} annotators, by {self.measure}"
        return wrapped(told, width)

    def table(self) -> CellTable:
        """A row for each guess, and for the annotators among themselves."""
        every = [(g, self.mean[g], self.annotators, self.values[:, j]) for j, g in self._numbered]
        if not math.isnan(self.ceiling):
            each = np.array(list(self.each.values()))
            every.append(("annotators", self.ceiling, self.annotators, each))
        rows = []
        for name, mean, names, scores in every:
            ranked = self._ranked(names, scores) or [("", math.nan)]
            (best, most), (_, least) = ranked[0], ranked[-1]
            rows.append((_short(name), digits(mean), digits(most), _short(best), digits(least)))
        return CellTable(("", "mean", "best", "with", "worst"), tuple(rows))

    def notes(self) -> list[str]:
        """What the ceiling is."""
        if math.isnan(self.ceiling):
            return ["One annotator has no other to agree with: there is no ceiling."]
        error = ""
        if not math.isnan(self.ceiling_error):
            error = f" (standard error {digits(self.ceiling_error)})"
        told = [
            f"Annotators reach {digits(self.ceiling)}{error} among themselves, each judged by the "
            "others: a guess that scores as much agrees with them as they do with each other. "
            "Their row has the mean of each of them, not single scores."
        ]
        word, sign = ("Lower", -1) if self.measure.is_distance else ("Higher", 1)
        beyond = [g for g, mean in self.mean.items() if sign * mean > sign * self.ceiling]
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
                "value": number_or_none(float(self.values[i, j])),
                "objects": int(self.shared[i, j]),
            }
            for j, g in self._numbered
            for i, a in enumerate(self.annotators)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        guesses = {}
        for j, guess in self._numbered:
            (name, value), own = self.best[guess], map(number_or_none, self.values[:, j].tolist())
            guesses[guess] = {
                "mean": number_or_none(self.mean[guess]),
                "best": number_or_none(value),
                "best_with": name,
                "each": dict(zip(self.annotators, own, strict=True)),
            }
        return {
            "measure": self.measure.full_name,
            "guesses": guesses,
            "annotators": {name: number_or_none(mean) for name, mean in self.each.items()},
            "ceiling": number_or_none(self.ceiling),
            "ceiling_error": number_or_none(self.ceiling_error),
        }


def number_or_none(value: float) -> float | None:
    """A number as a JSON-ready value; None where there is none."""
    return None if math.isnan(value) else value


def digits_or_dash(value: float) -> str:
    """A number for display; a dash where there is none."""
    return "—" if math.isnan(value) else digits(value)


def _short(name: str) -> str:
    return cut(printable(name), LONGEST)
