"""Expected scores of random clusterings, and measures corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import HardMeet, Shapes, Sizes
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.base import Estimate, Measure, lookup, measure
from clusterdiff.measures.pairs import Pairs, pairs
from clusterdiff.measures.sums import Summarised
from clusterdiff.measures.zero_division import exactly

CELLS = 1 << 20
"""Terms of the expectation that are worked on at a time."""
CLOSE = 1e-12
"""Chance that is as near to the best score as this leaves nothing to adjust."""


@measure(
    cite="gates2017", bounds=(-math.inf, 1.0), reached=False,
    cost="of a mean over objects of sizes alone, all pairs of distinct cluster sizes; of pairs,"
    " nothing more; of others, `samples` comparisons more",
)  # fmt: skip
def adjusted(
    m: HardMeet,
    *,
    measure: Measure | None = None,
    null: Literal["permutation", "uniform"] = "permutation",
    samples: int = 200,
    seed: int = 0,
) -> float:
    """Adjustment for chance: any measure S as (S - E[S]) / (best - E[S]).

    Definition:  (S - E[S]) / (best - E[S])

    null='permutation' shuffles the guess over the objects, its cluster sizes kept; null='uniform'
    draws the guess from all partitions alike. The expectation is exact if the measure is linear in
    the pairs that are together in both (rand, pair_f, fowlkes_mallows; under 'uniform' rand,
    pair_recall and mirkin_distance) and, for a permutation, if it is a mean over objects of sizes
    alone (elm_f, bcubed_precision, element_similarity). Otherwise it is the mean over `samples`
    draws with `seed`, and the score has a standard error. Left out, the measure is elm_f.

    Also known as: chance-adjusted, chance-corrected.
    """
    base = lookup("elm_f") if measure is None else measure
    best = base.claims.best
    if best is None or "soft" in base.needs:
        raise UnknownParameter.from_value(
            "adjusted", "measure", base, "a measure whose best score is known, such as rand"
        )
    together = None if null == "permutation" else Fraction(together_at_random(m.objects))
    chance = expected_score(base, m.shapes, together)
    if chance is None:
        return _by_draws(base, m, _Draws(null, samples, seed), best)
    if isinstance(chance, Fraction) and isinstance(score := base.exactly_of(m), Fraction):
        whole = Fraction(best)
        return 1.0 if chance == whole else float((score - chance) / (whole - chance))
    below = best - chance
    return 1.0 if abs(below) < CLOSE else (base.of(m) - chance) / below


class _Draws(NamedTuple):
    """How the guess is drawn, how often, and from which seed."""

    null: str
    samples: int
    seed: int


def _by_draws(base: Measure, m: HardMeet, draws: _Draws, best: float) -> Estimate:
    """The adjusted score by the mean over random guesses, with how far that may be off."""
    if draws.samples < 2:
        raise UnknownParameter.from_value(
            "adjusted", "samples", draws.samples, "at least 2, for a standard error"
        )
    score = base.of(m)
    drawn = [base.of(made) for made in _drawn(m, draws)]
    chance = math.fsum(drawn) / len(drawn)
    below = best - chance
    if abs(below) < CLOSE:
        return Estimate(1.0, 0.0, draws.samples, "draws")
    spread = math.fsum((x - chance) ** 2 for x in drawn) / (len(drawn) - 1)
    moved = abs(best - score) / below**2
    error = moved * math.sqrt(spread / len(drawn))
    return Estimate((score - chance) / below, error, draws.samples, "draws")


def expected_mutual_information(truth: Sizes, guess: Sizes) -> float:
    """Mean mutual information over all ways to lay clusters of these sizes on the objects."""
    objects = int((truth.size * truth.count).sum())
    total = 0.0
    for k, a, b, expected in expected_cells(truth, guess):
        terms = k / objects * np.log(k / a * (objects / b))
        total += exact_sum(terms * expected)
    return total


def expected_cells(truth: Sizes, guess: Sizes) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """Expected number of cells with k > 0 objects, of clusters of a and b objects: k, a, b, number.

    Each pair of sizes is a hypergeometric distribution. It is built from ratios of neighbouring
    terms, around its mean, as far as 11 standard deviations and 60 objects: what is left out is
    below 1e-22 by Bernstein's inequality.
    """
    objects = int((truth.size * truth.count).sum())
    a = np.repeat(truth.size.astype(np.float64), guess.size.size)
    b = np.repeat(guess.size.astype(np.float64)[None, :], truth.size.size, axis=0).ravel()
    number = np.multiply.outer(truth.count, guess.count).ravel()
    mean = a * (b / objects)
    reach = 11 * np.sqrt(mean * (1 - a / objects) * (1 - b / objects)) + 60
    low = np.maximum(np.maximum(0, a + b - objects), np.floor(mean - reach))
    high = np.minimum(np.minimum(a, b), np.ceil(mean + reach))
    width = high - low + 1
    for chosen in _parts(width):
        k = low[chosen, None] + np.arange(width[chosen].max())
        x, y, end = a[chosen, None], b[chosen, None], high[chosen, None]
        grown = (x - k) * (y - k) / ((k + 1) * (objects - x - y + k + 1))
        logs = np.zeros_like(k)
        np.cumsum(np.log(np.where(k < end, grown, 1.0))[:, :-1], axis=1, out=logs[:, 1:])
        logs[k > end] = -np.inf
        law = np.exp(logs - logs.max(axis=1, keepdims=True))
        law *= number[chosen, None] / law.sum(axis=1, keepdims=True)
        seen = np.nonzero((k <= end) & (k > 0))
        row = seen[0]
        yield k[seen], x[row, 0], y[row, 0], law[seen]


def _parts(width: Floats) -> Iterator[Any]:
    """Rows of these widths, those of like width together, as many as are worked on at a time."""
    if width.size * width.max() <= CELLS:
        yield slice(None)
        return
    order = np.argsort(width)
    at = 0
    while at < order.size:
        step = max(1, CELLS // int(width[order[min(at + 64, order.size) - 1]]))
        chosen = order[at : at + step]
        while width[chosen[-1]] * chosen.size > 4 * CELLS and chosen.size > 1:
            chosen = chosen[: chosen.size // 2]
        at += chosen.size
        yield chosen


def expected_score(base: Measure, s: Shapes, together: Fraction | None = None) -> Any:
    """The mean score of random guesses, exact; None where it is not known.

    The guess is shuffled over the objects, or, given the chance that two objects are `together`,
    drawn from partitions in which all pairs have this chance.
    """
    found = _of_expected_pairs(base, s, together)
    return _of_expected_cells(base, s) if found is None and together is None else found


def _of_expected_pairs(base: Measure, s: Shapes, together: Fraction | None) -> Any:
    """The mean where the score is linear in the pairs that are together in both."""
    p = pairs(s)
    if together is None and base.claims.linear:
        return score_of_pairs(base, s, p.guess, Fraction(p.truth * p.guess, max(p.all, 1)))
    if together is not None and base.claims.linear == "guess":
        return score_of_pairs(base, s, together * p.all, together * p.truth)
    return None


def score_of_pairs(base: Measure, s: Shapes, guess: Fraction | int, both: Fraction | int) -> Any:
    """The score if the guess put together so many pairs, and both so many; a fraction where it is
    made of quotients, None where the score needs more than pairs.
    """
    p = pairs(s)
    put = Pairs(p.truth, guess, both, p.all)  # type: ignore[arg-type]
    columns = {name: getattr(s, name) for name in ("both", "truth_size", "guess_size", "times")}
    expected = Summarised(**columns, summary=put)
    value: Any = None
    with exactly(), suppress(TypeError):
        value = base.function(expected, **base.arguments)
    if value is None:
        value = base.function(expected, **base.arguments)
    return None if isinstance(value, np.ndarray) else value


def _of_expected_cells(base: Measure, s: Shapes) -> float | None:
    """The mean over all permutations where the score is a mean over objects of their shapes."""
    if "shapes" not in base.needs:
        return None
    total = 0.0
    for k, a, b, expected in expected_cells(s.truth_sizes, s.guess_sizes):
        both, truth_size, guess_size = (x.astype(np.int64) for x in (k, a, b))
        cells = Shapes(
            both=both, truth_size=truth_size, guess_size=guess_size, times=np.ones_like(both)
        )
        values = base.function(cells, **base.arguments)
        if not isinstance(values, np.ndarray):
            return None
        total += exact_sum(values * k * expected)
    return total / s.objects


def _drawn(m: HardMeet, draws: _Draws) -> Iterator[HardMeet]:
    """Comparisons of the truth with random guesses.

    Only the sizes of clusters count, and they are taken in their order: the same seed draws the
    same for the same comparison, whatever the order of rows and the names.
    """
    from clusterdiff.engines.memory import meet_keys

    rng = np.random.default_rng(draws.seed)
    truth, guess = labels_by_size(m.truth_sizes), labels_by_size(m.guess_sizes)
    for _ in range(draws.samples):
        if draws.null == "permutation":
            yield meet_keys(truth, rng.permutation(guess))
        else:
            yield meet_keys(truth, uniform_partition(truth.size, rng))


def labels_by_size(sizes: Sizes) -> Ints:
    """A label for each object, those of small clusters first."""
    return np.repeat(np.arange(sizes.clusters), np.repeat(sizes.size, sizes.count))


def together_at_random(objects: int) -> float:
    """The chance that two objects share a cluster of a partition drawn from all alike.

    Definition:  B(n - 1) / B(n), Bell numbers, for two objects or more

    >>> together_at_random(3)
    0.4
    """
    urns, weights = _urns(objects)
    return exact_sum(weights / urns)


def uniform_partition(objects: int, rng: np.random.Generator) -> Ints:
    """A partition drawn uniformly from all: urns by Dobinski's formula, then throws."""
    urns, weights = _urns(objects)
    return rng.integers(0, rng.choice(urns, p=weights), objects)


@lru_cache(maxsize=1)
def _urns(objects: int) -> tuple[Ints, Floats]:
    """Numbers of urns, each with its chance, which is in proportion to k^n / k!.

    Logarithms are added up from the most likely number on both ways, where they are near 0.
    """
    urns = np.arange(1, 2 * objects + 20)
    steps = objects * np.log1p(1 / urns[:-1]) - np.log(urns[1:])
    top = int((steps > 0).sum())
    below = -np.cumsum(steps[:top][::-1])[::-1]
    weights = np.exp(np.concatenate([below, [0.0], np.cumsum(steps[top:])]))
    return urns, weights / exact_sum(weights)
