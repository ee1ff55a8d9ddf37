"""Confidence intervals by betting: guaranteed for means of values from 0 to 1, at any number of
them, and two to nine times as wide as others.

Each possible mean is a game that is fair if it is the true one; means against which a bettor would
have become rich are left out (the hedged capital process of Waudby-Smith and Ramdas).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats

GRID = 4001
"""Means that are tried."""
CAUTION = 0.5
"""The most of the capital that is at stake in one bet, over what keeps it positive."""


def betting(values: Floats, level: float, seed: int) -> tuple[float, float]:
    """The means that cannot be ruled out. The order of the values decides the bets: it is drawn
    with the seed, whatever the order in which they come.
    """
    values = np.random.default_rng(seed).permutation(np.sort(values))
    alpha, t = 1 - level, np.arange(1, values.size + 1)
    mean = (0.5 + np.cumsum(values)) / (t + 1)
    variance = (0.25 + np.cumsum((values - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    stake = np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1)))
    tried = np.linspace(0.0, 1.0, GRID)
    up, down = np.zeros(GRID), np.zeros(GRID)
    with np.errstate(divide="ignore"):
        most_up, most_down = CAUTION / tried, CAUTION / (1 - tried)
    for x, bet in zip(values.tolist(), stake.tolist(), strict=True):
        up += np.log1p(np.minimum(bet, most_up) * (x - tried))
        down += np.log1p(-np.minimum(bet, most_down) * (x - tried))
    left = np.flatnonzero(np.maximum(up, down) + np.log(0.5) < np.log(1 / alpha))
    if not left.size:
        at = float(np.mean(values))
        return at, at
    step = 1 / (GRID - 1)
    return max(0.0, tried[left[0]] - step), min(1.0, tried[left[-1]] + step)
