"""How sure a score is: its standard error, where the true clusters (or samples) are a sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings.encode.group import number
from clusterdiff.meet import HardMeet

if TYPE_CHECKING:
    from clusterdiff.measures import Measure
    from clusterdiff.results.score import Score

ROUNDING = 1e-12
"""What a cluster adds to the sum and what it would add on average differ by more than this."""
SURE = 1.96
"""Standard errors to either side that hold 95 % of a normal distribution."""


def standard_error(score: Score) -> float | None:
    """The standard error of a score, None where there is no such thing.

    Over samples it is that of their mean. Otherwise, for a mean over objects, the true clusters
    are what was drawn: all objects of a cluster come together, and the score is a ratio of sums
    over clusters, whose error is linearised. The guess is taken as it is.
    """
    if score.error is not None:
        return score.error
    if score.each is not None:
        several, std = len(score.each), score.std
        return None if std is None or several < 2 else std / math.sqrt(several - 1)
    if not isinstance(score.meet, HardMeet) or not {"shapes", "rows"} & score.measure.needs:
        return None
    return _over_clusters(score.measure, score.meet)


def _over_clusters(measure: Measure, m: HardMeet) -> float | None:
    values = measure.rows_of(m)
    if values is None:
        return None
    over = measure.claims.over
    known = {"all": np.ones(m.both.size, np.bool_), "truth": m.in_truth, "guess": m.in_guess}[over]
    weight = np.where(known, m.both, 0)
    objects = int((weight * m.times).sum())
    cluster, many = number(np.where(m.truth >= 0, m.truth, -1 - np.arange(m.both.size)))
    times = np.ones(many)
    times[cluster] = m.times
    clusters = float(times.sum())
    if clusters < 2 or not objects:
        return None
    mean = float((values * weight * m.times).sum()) / objects
    off = np.bincount(cluster, (values - mean) * weight, many)
    off = np.where(np.abs(off) < ROUNDING * objects, 0.0, off)
    return math.sqrt(float((off**2 * times).sum()) * clusters / (clusters - 1)) / objects
