"""What chance alone would score, and measures with that taken off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.base import Measure, lookup, measure
from clusterdiff.meet import HardMeet, Shapes, Sizes
from clusterdiff.meet.exact import exact_sum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

CELLS = 1 << 20
"""Terms of the expectation that are worked on at a time."""


@measure(cite="gates2017", bounds=(-math.inf, 1.0), reached=False)
def adjusted(
    m: HardMeet,
    *,
    measure: Measure | None = None,
    null: Literal["permutation", "uniform"] = "permutation",
    samples: int = 200,
    seed: int = 0,
) -> float:
    """Any measure with what chance alone would give taken off: (S - E[S]) / (best - E[S]).

    Definition:  (S - E[S]) / (best - E[S])

    null='permutation' shuffles the guess over the objects, its cluster sizes kept; null='uniform'
    draws the guess from all partitions alike. For a permutation the expectation is exact if the
    measure is a mean over objects of sizes alone (bcubed_f, elm_f, element_similarity), otherwise
    it is the mean over `samples` draws with `seed`. Left out, the measure is elm_f.
    """
    base = lookup("elm_f") if measure is None else measure
    best = base.claims.best
    if best is None or "soft" in base.needs:
        raise UnknownParameter.from_value(
            "adjusted", "measure", base, "a measure whose best score is known, such as rand"
        )
    score = base.of(m)
    chance = _exact_expectation(base, m.shapes) if null == "permutation" else None
    if chance is None:
        rng = np.random.default_rng(seed)
        draws = [base.of(drawn) for drawn in _draws(m, null, samples, rng)]
        chance = math.fsum(draws) / len(draws)
    below = best - chance
    return 1.0 if abs(below) < 1e-12 else (score - chance) / below


def expected_mutual_information(truth: Sizes, guess: Sizes) -> float:
    """Mean mutual information over all ways to lay clusters of these sizes on the objects."""
    objects = int((truth.size * truth.count).sum())
    total = 0.0
    for k, a, b, expected in expected_cells(truth, guess):
        seen = k > 0
        terms = k[seen] / objects * np.log(k[seen] / a[seen] * (objects / b[seen]))
        total += exact_sum(terms * expected[seen])
    return total


def expected_cells(truth: Sizes, guess: Sizes) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """Expected number of cells with k objects for clusters of a and of b objects: k, a, b, number.

    Each pair of sizes is a hypergeometric law. It is built from ratios of neighbouring terms,
    around its mean, as far as 11 standard deviations and 60 objects: what is left out is
    below 1e-22 by Bernstein's inequality.
    """
    objects = int((truth.size * truth.count).sum())
    a, b = (x.ravel() for x in np.meshgrid(truth.size, guess.size, indexing="ij"))
    number = np.outer(truth.count, guess.count).ravel()
    mean = a * (b / objects)
    reach = 11 * np.sqrt(mean * (1 - a / objects) * (1 - b / objects)) + 60
    low = np.maximum(np.maximum(0, a + b - objects), np.floor(mean - reach)).astype(np.int64)
    high = np.minimum(np.minimum(a, b), np.ceil(mean + reach)).astype(np.int64)
    width = high - low + 1
    order = np.argsort(width)
    at = 0
    while at < order.size:
        step = max(1, CELLS // int(width[order[min(at + 64, order.size) - 1]]))
        chosen = order[at : at + step]
        while width[chosen[-1]] * chosen.size > 4 * CELLS and chosen.size > 1:
            chosen = chosen[: chosen.size // 2]
        at += chosen.size
        k = low[chosen, None] + np.arange(width[chosen[-1]], dtype=np.float64)
        x, y = a[chosen, None].astype(np.float64), b[chosen, None].astype(np.float64)
        inside = k <= high[chosen, None]
        grow = np.where(k < high[chosen, None], (x - k) * (y - k), 1.0)
        shrink = np.where(k < high[chosen, None], (k + 1) * (objects - x - y + k + 1), 1.0)
        logs = np.cumsum(np.log(grow / shrink), axis=1)
        logs = np.concatenate([np.zeros((chosen.size, 1)), logs[:, :-1]], axis=1)
        logs = np.where(inside, logs, -np.inf)
        law = np.exp(logs - logs.max(axis=1, keepdims=True))
        law *= number[chosen, None] / law.sum(axis=1, keepdims=True)
        shape = k.shape
        yield (
            k[inside],
            np.broadcast_to(x, shape)[inside],
            np.broadcast_to(y, shape)[inside],
            law[inside],
        )


def _exact_expectation(base: Measure, s: Shapes) -> float | None:
    """The mean over all permutations, where the score is a mean over objects of their shapes."""
    if "shapes" not in base.needs:
        return None
    total = 0.0
    for k, a, b, expected in expected_cells(s.truth_sizes, s.guess_sizes):
        seen = k > 0
        both, truth_size, guess_size = (x[seen].astype(np.int64) for x in (k, a, b))
        cells = Shapes(
            both=both, truth_size=truth_size, guess_size=guess_size, times=np.ones_like(both)
        )
        values = base.function(cells, **base.arguments)
        if not isinstance(values, np.ndarray):
            return None
        total += exact_sum(values * k[seen] * expected[seen])
    return total / s.objects


def _draws(m: HardMeet, null: str, samples: int, rng: np.random.Generator) -> Iterator[HardMeet]:
    """Comparisons of the truth with random guesses."""
    from clusterdiff.engines.arrays import meet_keys

    truth, guess = _objects(m)
    for _ in range(samples):
        if null == "permutation":
            yield meet_keys(truth, rng.permutation(guess))
        else:
            yield meet_keys(truth, _uniform_partition(truth.size, rng))


def _objects(m: HardMeet) -> tuple[Ints, Ints]:
    """A truth and a guess label for each object, repeated rows written out, in an order that does
    not depend on names: the same seed draws the same for the same comparison.
    """
    truth, guess, both = m.written_out(np.argsort(m.colours, kind="stable"))
    return np.repeat(truth, both), np.repeat(guess, both)


def _uniform_partition(objects: int, rng: np.random.Generator) -> Ints:
    """A partition drawn uniformly from all: urns by Dobinski's formula, then throws."""
    urns = np.arange(1, 2 * objects + 20)
    logs = objects * np.log(urns) - np.cumsum(np.log(urns))
    weights = np.exp(logs - logs.max())
    return rng.integers(0, rng.choice(urns, p=weights / weights.sum()), objects)
