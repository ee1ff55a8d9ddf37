"""Estimates from draws, with limits that hold at the confidence asked for.

Against a certain clustering the ends are means over rough clusterings, so that independent draws
have Hoeffding's and the empirical Bernstein limits. Between two uncertain clusterings the cost of
carrying draws to draws is too large on average; it still bounds the distance from above.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.degrees import MOST, Masses
from clusterdiff.contingency import SoftMeet, SoftSide, known_for_certain
from clusterdiff.errors import KindError
from clusterdiff.measures.pair_masses import SoftVersusHard
from clusterdiff.measures.transport.bounds import against_hard as bounds_against_hard
from clusterdiff.measures.transport.bounds import between as bounds_between
from clusterdiff.measures.transport.distance import (
    Base,
    BudgetExceeded,
    End,
    Ends,
    distances,
    logical,
    may_lack,
)
from clusterdiff.measures.transport.exact import range_of_rough
from clusterdiff.progress import progress

NESTED = 50
"""Hard clusterings that are drawn from a rough one where nothing better is known."""


class Draws(NamedTuple):
    """How many draws, from which seed, for limits at which confidence."""

    samples: int
    seed: int
    confidence: float
    budget: int
    """Steps of work for all draws; a rough clustering that needs more than its share is bounded or
    drawn from in turn.
    """

    def __str__(self) -> str:
        many = "1 sample" if self.samples == 1 else f"{self.samples:,} samples"
        return f"{many}, {100 * self.confidence:g} %, seed {self.seed}"


def against_hard(base: Base, f: SoftVersusHard, draws: Draws, alpha: float | None) -> Ends:
    """Estimates of the two ends (or of what lies between them) against a certain clustering."""
    settled = logical(f.side) is not None
    if settled:
        draws = draws._replace(samples=1)
    rng = np.random.default_rng(draws.seed)
    found = np.empty((draws.samples, 4))
    nested = False
    with progress("samples", draws.samples) as advance:
        for i in range(draws.samples):
            drawn = _drawn(f, rng)
            if drawn.side.labels is not None:
                found[i] = of_hard(base, drawn)
            else:
                found[i], loose = _of_rough(base, drawn, draws.budget // draws.samples, rng)
                nested |= loose
            advance(1)
    if alpha is not None:
        found = (1 - alpha) * found[:, [0, 1, 0, 1]] + alpha * found[:, [2, 3, 2, 3]]
    means = found.mean(axis=0)
    estimate = (float(means[:2].mean()), float(means[2:].mean()))
    if settled and not nested:
        ends = End(*map(float, means[:2])), End(*map(float, means[2:]))
        known = "exact" if all(low == high for low, high in ends) else "outer bounds"
        return Ends(*ends, f"{known}: one rough clustering, nothing is drawn")
    if nested or not math.isfinite(base.largest):
        why = "rough ones drawn from in turn" if nested else "the distance has no largest value"
        least, most = map(End.exactly, estimate)
        return Ends(least, most, f"{draws}; no limits hold: {why}", False, estimate)
    margin = [_margin(values, base.largest, (1 - draws.confidence) / 2) for values in found.T]
    low = [max(0.0, float(means[k] - margin[k])) for k in range(4)]
    high = [min(base.largest, float(means[k] + margin[k])) for k in range(4)]
    return Ends(
        End(low[0], high[1]),
        End(low[2], high[3]),
        f"{draws}; Hoeffding or empirical Bernstein",
        False,
        estimate,
    )


def _margin(values: Floats, largest: float, chance: float) -> float:
    """How far a mean of draws lies from the true one on one side, but for this chance.

    The smaller of Hoeffding's and the empirical Bernstein limit (Maurer and Pontil), each at half
    the chance.
    """
    size = values.size
    log = math.log(2 / chance)
    hoeffding = largest * math.sqrt(log / (2 * size))
    if size < 2:
        return hoeffding
    log = math.log(4 / chance)
    variance = float(values.var(ddof=1))
    bernstein = math.sqrt(2 * variance * log / size) + 7 * largest * log / (3 * (size - 1))
    return min(hoeffding, bernstein)


def _drawn(f: SoftVersusHard, rng: np.random.Generator) -> SoftVersusHard:
    """One rough clustering drawn from what is known; rows are single objects."""
    label, row = np.repeat(f.label, f.both), np.repeat(f.side.row, f.both)
    side = _drawn_side(f.side, row, rng)
    return SoftVersusHard(label, side, np.ones(label.size, np.int64), f.turned)


def _drawn_side(side: SoftSide, row: Ints, rng: np.random.Generator) -> SoftSide:
    """A set for each object, drawn from its mass function."""
    m = side.masses
    if m.table is None:
        return SoftSide("rough", row, Masses(m.focal, m.clusters))
    edges = np.cumsum(m.table, axis=1)
    edges /= edges[:, -1:]
    drawn = rng.random(row.size)
    chosen = (drawn[:, None] >= edges[row]).sum(axis=1)
    return SoftSide("rough", chosen, Masses(m.focal, m.clusters))


def of_hard(base: Base, f: SoftVersusHard) -> float:
    """The distance where both sides are certain."""
    assert f.side.labels is not None
    cells = np.zeros((f.labels, f.side.clusters), np.int64)
    np.add.at(cells, (f.label, f.side.labels), f.both)
    return base.of_table(f.table(cells))


def _of_rough(
    base: Base, f: SoftVersusHard, budget: int, rng: np.random.Generator
) -> tuple[Floats, bool]:
    """The ends for a drawn rough clustering, each from low to high; and whether only by draws."""
    try:
        low, high = range_of_rough(base, _grouped(f), budget)
        return np.array([low, low, high, high]), False
    except BudgetExceeded:
        if base.bounded:
            ends = bounds_against_hard(base, f)
            return np.array([*ends.least, *ends.most]), False
    inner = [of_hard(base, f._replace(side=_settled(f.side, rng))) for _ in range(NESTED)]
    return np.array([min(inner), min(inner), max(inner), max(inner)]), True


def _grouped(f: SoftVersusHard) -> SoftVersusHard:
    """The comparison with one row for all objects of one label and one set."""
    sets = f.side.masses.focal.number
    keys, both = np.unique(f.label * sets + f.side.row, return_counts=True)
    side = SoftSide("rough", keys % sets, f.side.masses)
    return SoftVersusHard(keys // sets, side, both, f.turned)


def _settled(side: SoftSide, rng: np.random.Generator) -> SoftSide:
    """A cluster for each object, drawn evenly from its set."""
    focal = side.masses.focal
    size = focal.size[side.row]
    chosen = focal.member[focal.start[side.row] + (rng.random(side.row.size) * size).astype(int)]
    return known_for_certain(chosen, side.clusters)


def between(base: Base, m: SoftMeet, draws: Draws, alpha: float | None) -> Ends:
    """Estimates between two uncertain clusterings: draws carried to draws.

    The empirical cost is not below the true one on average, and one draw changes it by at most
    1/s, so it bounds the distance from above (McDiarmid); from below the certain bounds do.
    """
    from scipy.optimize import linear_sum_assignment

    if base.largest != 1.0 or may_lack(m):
        raise KindError(
            f"transport({base.measure}) between two uncertain clusterings is drawn on a scale from "
            "0 to 1, and where every object is in a known cluster.",
            "use method='exact', or a measure from 0 to 1 such as rand, or harden one side.",
        )
    cells = float(draws.samples) * m.objects * max(m.clusters)
    if cells > MOST:
        raise BudgetExceeded(
            f"{draws.samples:,} samples of {m.objects:,} objects would hold {cells:.3g} labels "
            f"and more, which is more than {MOST:,}.",
            f"take fewer: samples={max(1, int(draws.samples * MOST / cells))}.",
        )
    rng = np.random.default_rng(draws.seed)
    sides = [np.repeat(side.row, m.both) for side in (m.truth, m.guess)]
    truth = [_drawn_side(m.truth, sides[0], rng) for _ in range(draws.samples)]
    guess = [_drawn_side(m.guess, sides[1], rng) for _ in range(draws.samples)]
    rough = any(s.labels is None for s in (*truth, *guess))
    with progress("pairs of samples", draws.samples**2) as advance:
        nearest, farthest = _between_draws(base, truth, guess, rng, advance)
    costs = (
        (nearest, farthest) if alpha is None else (alpha * farthest + (1 - alpha) * nearest,) * 2
    )
    low, high = (float(c[linear_sum_assignment(c)].mean()) for c in costs)
    least, most = bounds_between(base, m)[:2] if base.bounded else (End(0.0, 1.0), End(0.0, 1.0))
    if rough:
        how = f"{draws}; rough ones drawn from in turn, so the ends are bounds"
        return Ends(least, most, how, True, (low, high))
    margin = math.sqrt(math.log(2 / (1 - draws.confidence)) / draws.samples)
    return Ends(
        End(least.low, min(least.high, low + margin)),
        End(most.low, min(most.high, high + margin)),
        f"{draws}; the estimated distance is too large on average (McDiarmid)",
        False,
        (low, high),
    )


def _between_draws(
    base: Base,
    truth: list[SoftSide],
    guess: list[SoftSide],
    rng: np.random.Generator,
    advance: object,
) -> tuple[Floats, Floats]:
    """The nearest and the Hausdorff distance of drawn clusterings; from rough ones, of a few hard
    clusterings drawn from each.
    """
    inner = [
        1 if all(s.labels is not None for s in side) else NESTED // 10 for side in (truth, guess)
    ]
    left, right = (
        np.stack([_settled(s, rng).row for s in side for _ in range(times)])
        for side, times in zip((truth, guess), inner, strict=True)
    )
    d = distances(base, left, right, advance)  # type: ignore[arg-type]
    d = d.reshape(len(truth), inner[0], len(guess), inner[1])
    return d.min(axis=(1, 3)), np.maximum(d.min(axis=3).max(axis=1), d.min(axis=1).max(axis=2))
