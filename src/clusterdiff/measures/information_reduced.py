"""Mutual information less what it costs to say how two clusterings are related."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import Shapes, Sizes
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.measures.base import measure
from clusterdiff.measures.zero_division import ratio

# Clusters are told in steps, each of which costs so many nats: how many there are, their sizes, and
# then who is in which. Sizes are drawn from a Dirichlet-multinomial distribution; its concentration
# is the one that makes them cheapest.

CONCENTRATIONS = 1e-4, 1e4
"""Between which concentration parameters the cheapest is sought."""
GOLDEN = (3 - math.sqrt(5)) / 2
NEAR = 1e-9
"""How near in its logarithm; the cost is flat where it is least."""
STIRLING = 40.0
"""From where on Stirling's series is as exact as floats are."""
NOTHING = 1e-12
"""Nats per object that are the rounding of 0."""


def _log_factorial(number: Ints) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(np.asarray(number, np.float64) + 1.0))


def _rising(number: Floats, start: float) -> Floats:
    """The logarithm of start (start + 1) … of so many factors; large ones do not cancel."""
    from scipy.special import gammaln

    if start < STIRLING:
        return np.asarray(gammaln(number + start) - gammaln(start))
    end = number + start
    rest = sum(
        part * (end**-power - start**-power)
        for power, part in ((1, 1 / 12), (3, -1 / 360), (5, 1 / 1260), (7, -1 / 1680))
    )
    return number * np.log(end) + (start - 0.5) * np.log1p(number / start) - number + rest


def _ways(number: Ints, concentration: float) -> Floats:
    """The logarithm of the binomial coefficient of number + concentration - 1 over number."""
    return _rising(np.asarray(number, np.float64), concentration) - _log_factorial(number)


def _cheapest(cost: Callable[[float], float]) -> float:
    """The least cost, found by golden sections of the logarithm of the concentration."""
    low, high = map(math.log, CONCENTRATIONS)
    left, right = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
    of_left, of_right = cost(math.exp(left)), cost(math.exp(right))
    while right - left > NEAR:
        if of_left < of_right:
            high, right, of_right = right, left, of_left
            left = low + GOLDEN * (high - low)
            of_left = cost(math.exp(left))
        else:
            low, left, of_left = left, right, of_right
            right = high - GOLDEN * (high - low)
            of_right = cost(math.exp(right))
    return min(cost(x) for x in (*CONCENTRATIONS, math.exp((low + high) / 2)))


def _total(values: Floats, times: Ints) -> float:
    return exact_sum(values * times)


def cost_alone(sizes: Sizes) -> float:
    """Nats that clusters of these sizes cost, but for their number."""
    objects = np.atleast_1d((sizes.size * sizes.count).sum())

    def of_sizes(concentration: float) -> float:
        every = float(_ways(objects, sizes.clusters * concentration)[0])
        return every - _total(_ways(sizes.size, concentration), sizes.count)

    inside = float(_log_factorial(objects)[0]) - _total(_log_factorial(sizes.size), sizes.count)
    return _cheapest(of_sizes) + inside


def cost_given(cells: Sizes, known: Sizes, clusters: int) -> float:
    """Nats that so many clusters cost, but for their number, if others are known, in cells of
    these sizes.
    """

    def of_cells(concentration: float) -> float:
        every = _total(_ways(known.size, clusters * concentration), known.count)
        return every - _total(_ways(cells.size, concentration), cells.count)

    inside = _total(_log_factorial(known.size), known.count)
    return _cheapest(of_cells) + inside - _total(_log_factorial(cells.size), cells.count)


@measure(
    cite="jerdee2024", bounds=(-math.inf, math.inf), reached=False, symmetric=False, perfect=False,
    best=None, cost="one pass over the objects, then the distinct sizes in conflict, some 60 times",
)  # fmt: skip
def reduced_mutual_information(s: Shapes, *, norm: Literal["truth", "mean"] | None = None) -> float:
    """Reduced mutual information (RMI): mutual information less the cost of the table, in nats.

    Definition:  (H - H') / n,  H what truth costs to encode, H' what it costs if guess is known

    Costs count everything that must be encoded, cluster sizes and the table of counts too, so that
    a guess of many clusters does not seem to know more than it does; the score can be negative. By
    the Dirichlet-multinomial encoding of Jerdee, Kirkley and Newman 2024, with concentrations from
    0.0001 to 10000; per object and in nats, as mutual_information, where clustering-mi has bits of
    all objects. norm='truth' divides by the information of truth on itself, the asymmetric
    normalization of the same authors 2023; norm='mean' takes both directions and both sides.

    Also known as: RMI score.
    """
    cells = Sizes(s.both, s.times)
    told = reduced(cells, s.truth_sizes, s.guess_sizes)
    if norm is None:
        return told / s.objects
    whole = reduced(s.truth_sizes, s.truth_sizes, s.truth_sizes)
    if norm == "mean":
        told = (told + reduced(cells, s.guess_sizes, s.truth_sizes)) / 2
        whole = (whole + reduced(s.guess_sizes, s.guess_sizes, s.guess_sizes)) / 2
    if whole <= NOTHING * s.objects:
        return float(bool(((s.both == s.truth_size) & (s.both == s.guess_size)).all()))
    return ratio(told, whole)


def reduced(cells: Sizes, truth: Sizes, guess: Sizes) -> float:
    """What guess tells of truth, in nats of all objects."""
    return cost_alone(truth) - cost_given(cells, guess, truth.clusters)
