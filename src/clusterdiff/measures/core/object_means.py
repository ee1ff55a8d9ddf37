"""Means over objects, of all of them or of a random sample, then with a standard error."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.measures.core.measure import Estimate
from clusterdiff.measures.core.zero_division import f_score
from clusterdiff.meet import CoverMeet
from clusterdiff.meet.exact_sums import exact_sum


class DrawnObjects(NamedTuple):
    """A random sample of the objects, without replacement."""

    times: Ints
    """How many objects of each row were drawn."""
    size: int
    """How many objects were drawn."""
    objects: int
    """How many there are."""

    @property
    def rows(self) -> Ints:
        """The rows from which objects were drawn."""
        return np.flatnonzero(self.times)

    def estimate(self, value: float, residual: Floats) -> Estimate:
        """A value with its standard error, from how much each object moves it."""
        spread = exact_sum(residual[self.rows] ** 2 * self.times[self.rows])
        variance = spread / max(self.size - 1, 1)
        left = 1 - self.size / self.objects
        return Estimate(value, math.sqrt(variance / self.size * left), self.size)


def draw(m: CoverMeet, size: int, seed: int) -> DrawnObjects:
    """Objects drawn alike for the same comparison and seed, whatever the order and the names."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(m.objects, size, replace=False, shuffle=False)
    order = np.lexsort((m.row_names, m.colours))
    row = order[np.searchsorted(np.cumsum(m.both[order]), chosen, side="right")]
    return DrawnObjects(np.bincount(row, minlength=m.rows), size, m.objects)


class Mean(NamedTuple):
    """A mean over some of the objects, and how much each row's objects move it."""

    value: float
    residual: Floats


def mean(weight: Ints, values: Floats, domain: Bools, nothing: float) -> Mean:
    """The mean over the objects in the domain; `nothing` if there are none."""
    counted = np.where(domain, weight, 0)
    total = int(counted.sum())
    if not total:
        return Mean(nothing, np.zeros(values.size))
    found = exact_sum(np.where(domain, values, 0.0) * counted) / total
    return Mean(found, np.where(domain, values - found, 0.0) * (int(weight.sum()) / total))


def f_of_means(precision: Mean, recall: Mean, alpha: float) -> Mean:
    """F of two means: how much an object moves it, to first order."""
    value = f_score(precision.value, recall.value, alpha)
    bottom = alpha * recall.value + (1 - alpha) * precision.value
    if not bottom:
        return Mean(value, np.zeros_like(precision.residual))
    by_precision = alpha * (recall.value / bottom) ** 2
    by_recall = (1 - alpha) * (precision.value / bottom) ** 2
    return Mean(value, by_precision * precision.residual + by_recall * recall.residual)
