"""Scores of every two of many clusterings by one measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError, NothingShared
from clusterdiff.inputs.coerce import met
from clusterdiff.many.matrix.tables import RunTables
from clusterdiff.measures.core.interval import Interval
from clusterdiff.measures.core.measure import Measure
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from clusterdiff.backends.table import Table
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.inputs.session import Workshop
    from clusterdiff.meet import HardMeet, Meet, Policy, Sketch

MANY_GROUPS = 200_000
"""Groups from which on threads count the tables."""

Pair = tuple[int, int]


def claims_symmetry(measure: Measure) -> bool:
    """Whether exchanging truth and guess leaves the score as it is, by the claim of the measure,
    which is made of it without parameters.
    """
    return measure.claims.symmetric and measure.arguments == measure.defaults


def square_scores(tables: RunTables, measure: Measure, runs: Sequence[int]) -> Floats:
    """Scores of all pairs of these runs, row = truth, column = guess; NaN for two that have no
    object in common. A symmetric measure is computed once for each pair.
    """
    half = claims_symmetry(measure)
    pairs = [(i, j) for i in range(len(runs)) for j in range(i if half else 0, len(runs))]
    found = np.full((len(runs), len(runs)), np.nan)
    for (i, j), value in zip(pairs, _scores(tables, measure, runs, runs, pairs), strict=True):
        found[i, j] = value
        if half:
            found[j, i] = value
    return found


def cross_scores(
    tables: RunTables, measure: Measure, truths: Sequence[int], guesses: Sequence[int]
) -> Floats:
    """Scores of each guess (column) against each truth (row)."""
    pairs = [(i, j) for i in range(len(truths)) for j in range(len(guesses))]
    values = list(_scores(tables, measure, truths, guesses, pairs))
    return np.array(values, np.float64).reshape(len(truths), len(guesses))


def _scores(
    tables: RunTables,
    measure: Measure,
    truths: Sequence[int],
    guesses: Sequence[int],
    pairs: Sequence[Pair],
) -> Iterator[float]:
    with progress(f"{measure} of {len(pairs):,} pairs", len(pairs)) as advance:
        asked = [(truths[i], guesses[j]) for i, j in pairs]
        for meet in _meets(tables, asked, "shapes" in measure.needs):
            yield score_of(measure, meet)
            advance(1)


def score_of(measure: Measure, meet: Meet) -> float:
    """The score as one number; NaN where there is nothing to compare."""
    if not meet.objects:
        return math.nan
    value = measure.of(meet)
    if isinstance(value, Interval) and value.low != value.high:
        open_alpha = "alpha" in measure.defaults and measure.arguments["alpha"] is None
        number = measure.having(alpha=0.5) if open_alpha else "rand_alpha(alpha=0.5)"
        raise ClusterdiffError(
            f"{measure} is an interval here, from {value.low:.4g} to {value.high:.4g}, and a "
            "matrix needs one number for each pair.",
            f'write "{number}", which counts what is unknown as half an error (-m "{number}" on '
            "the command line), or compare the partitions that clustering.harden() gives.",
        )
    return float(value)


def _meets(tables: RunTables, pairs: Sequence[Pair], shapes: bool) -> Iterator[HardMeet | Sketch]:
    """The comparisons in the order of the pairs, or their shapes where these are enough; of many
    groups some are made ahead by threads.
    """
    make: Callable[[int, int], HardMeet | Sketch] = tables.shapes if shapes else tables.meet
    if tables.groups < MANY_GROUPS:
        for pair in pairs:
            yield make(*pair)
        return
    from clusterdiff.clusterings.encode.group_kernels import workers

    step = 2 * workers()
    with ThreadPoolExecutor(workers()) as pool:
        for truth, some in groupby(pairs, key=lambda pair: pair[0]):
            guesses = [guess for _, guess in some]
            tables.prepare(truth, guesses)
            for begin in range(0, len(guesses), step):
                yield from pool.map(partial(make, truth), guesses[begin : begin + step])


class PairwiseScores(NamedTuple):
    """Scores of runs of any kind, each pair met on its own."""

    values: Floats
    shared: Ints
    """How many objects each of the first runs shares with all."""
    crossed: Floats
    """Of the runs behind the first ones, as guesses, against these."""
    notes: Sequence[tuple[tuple[int, ...], str]]
    """Which runs, and how they were read where that may not be what was meant."""


def pairwise_scores(
    shop: Workshop,
    sides: Sequence[AnyClustering | Table],
    measure: Measure,
    policy: Policy,
    first: int,
) -> PairwiseScores:
    """Scores of the first runs with each other, and of all others against them: of covers and
    uncertain clusterings too.
    """
    values = np.full((first, len(sides)), np.nan)
    shared = np.zeros((first, len(sides)), np.int64)
    notes: list[tuple[tuple[int, ...], str]] = []
    half = claims_symmetry(measure) and policy.align != "penalise"
    pairs = [(i, j) for i in range(first) for j in range(i if half else 0, len(sides))]
    with progress(f"{measure} of {len(pairs):,} pairs", len(pairs)) as advance:
        for i, j in pairs:
            with suppress(NothingShared):
                meet: Any = met(shop, sides[i], sides[j], policy)
                values[i, j], shared[i, j] = score_of(measure, meet), meet.objects
                which = {"truth": (i,), "guess": (j,), "": (i, j)}
                notes += [(which[side], note) for side, note in meet.alignment.notes]
            if half and j < first:
                values[j, i], shared[j, i] = values[i, j], shared[i, j]
            advance(1)
    return PairwiseScores(values[:, :first], shared, values[:, first:], notes)
