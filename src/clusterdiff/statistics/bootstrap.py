"""Bootstrap over units: units drawn again with replacement, as many as there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.meet import HardMeet
from clusterdiff.progress import progress
from clusterdiff.statistics.sure import FLAT, Sure, no_spread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.measures.core.sums import UnitSums
    from clusterdiff.statistics.units import Units

DRAWS = 2000
RECOMPUTED = 200
"""Draws of a measure that has to be computed anew for each."""
CELLS = 1 << 22
"""Counts that are held at a time."""


def draws_of_counts(
    count: Ints, draws: int, seed: int, strata: Ints | None = None, order: Ints | None = None
) -> Iterator[Floats]:
    """How often each type of unit is drawn, a row per draw, some draws at a time; within strata,
    as many units of each as there are. `order` is the one in which types take their turn.
    """
    if order is not None:
        place, own = np.argsort(order), None if strata is None else strata[order]
        for made in draws_of_counts(count[order], draws, seed, own):
            yield made[:, place]
        return
    rng = np.random.default_rng(seed)
    groups = [np.arange(count.size)] if strata is None else [
        np.flatnonzero(strata == s) for s in range(int(strata.max()) + 1)
    ]  # fmt: skip
    step = max(1, CELLS // max(count.size, 1))
    for begin in range(0, draws, step):
        rows = min(step, draws - begin)
        made = np.zeros((rows, count.size))
        for group in groups:
            units = int(count[group].sum())
            made[:, group] = rng.multinomial(units, count[group] / units, rows)
        yield made


def replicates(
    sums: UnitSums, count: Ints, draws: int, seed: int, strata: Ints | None = None,
    order: Ints | None = None,
) -> Floats:  # fmt: skip
    """The score of each draw."""
    found = []
    with progress(f"drawing {int(count.sum()):,} units {draws:,} times", draws) as advance:
        for drawn in draws_of_counts(count, draws, seed, strata, order):
            turns = slice(None) if order is None else order
            totals = {name: drawn[:, turns] @ term[turns] for name, term in sums.terms.items()}
            found.append(np.asarray(sums.score(totals), np.float64))
            advance(len(drawn))
    return np.concatenate(found)


def recomputed(
    measure: Measure, units: Units, draws: int, seed: int, strata: Ints | None = None,
    order: Ints | None = None,
) -> Floats | None:  # fmt: skip
    """The score of each draw, computed anew for the disjoint union of the units that were drawn;
    None where that is not to be had.
    """
    m = units.meet
    if not isinstance(m, HardMeet):
        return None
    found = []
    with progress(f"{measure} of {draws} draws", draws) as advance:
        for drawn in draws_of_counts(units.count, draws, seed, strata, order):
            for counts in drawn:
                found.append(float(measure.of(_repeated(m, counts[units.type].astype(np.int64)))))
                advance(1)
    return np.array(found)


def _repeated(m: HardMeet, times: Ints) -> HardMeet:
    """Each row so often, every time with clusters of its own."""
    row = np.repeat(np.arange(times.size), times)
    copy = np.arange(row.size) - np.repeat(np.cumsum(times) - times, times)
    sides = []
    for side in (m.truth, m.guess):
        most = int(side.max(initial=-1)) + 1
        sides.append(np.where(side[row] < 0, -1, side[row] + copy * most))
    return HardMeet.of_cells(sides[0], sides[1], m.both[row], m.times[row], alignment=m.alignment)


def percentile(
    values: Floats, score: float, level: float, bounds: tuple[float, float], units: str, count: int,
    seed: int, best: float | None,
) -> Sure:  # fmt: skip
    """The percentile interval of replicates."""
    se = float(np.std(values, ddof=1))
    if se < FLAT:
        return no_spread(units, count, level, best is not None and abs(score - best) < 1e-12)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Sure(
        max(low, bounds[0]), min(high, bounds[1]), level, se, units, count,
        method="bootstrap", draws=values.size, seed=seed,
    )  # fmt: skip
