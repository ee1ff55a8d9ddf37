"""How likely two objects are together in a partition drawn from all, or from all of k clusters."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.measures.hard.chance import together_at_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats

EXACT = 500
"""Objects up to which Bell and Stirling numbers are counted as whole numbers."""


def together_uniformly(objects: int) -> Fraction:
    """The chance that two objects share a cluster of a partition drawn from all alike.

    Definition:  B(n - 1) / B(n), Bell numbers

    >>> together_uniformly(5)
    Fraction(15, 52)
    """
    if objects > EXACT:
        return Fraction(together_at_random(objects))
    row = [1]
    for _ in range(objects - 1):
        below = [row[-1]]
        for number in row:
            below.append(below[-1] + number)
        row = below
    return Fraction(row[0], row[-1])


def together_among(objects: int, clusters: int) -> Fraction:
    """The same for a partition drawn from all that have so many clusters.

    Definition:  S(n - 1, k) / S(n, k), Stirling numbers of the second kind

    >>> together_among(5, 3)
    Fraction(6, 25)
    """
    if objects <= EXACT:
        return Fraction(_surjections(objects - 1, clusters), _surjections(objects, clusters))
    if clusters in (1, objects):
        return Fraction(clusters == 1)
    rate = size_rate(objects, clusters)
    fewer, all_ = (
        _chance_of_sum(rate, clusters, objects - 1),
        _chance_of_sum(rate, clusters, objects),
    )
    return Fraction(rate / objects * fewer / all_)


def _surjections(objects: int, clusters: int) -> int:
    """k! S(n, k): the ways to lay objects into numbered clusters of which none stays empty."""
    return sum(
        (-1) ** (clusters - some) * math.comb(clusters, some) * some**objects
        for some in range(clusters + 1)
    )


def size_rate(objects: int, clusters: int) -> float:
    """The rate of a Poisson distribution that has the mean cluster size, 0 left out.

    In a partition drawn from all of k clusters, numbered at random, the sizes are independent
    draws from this distribution given that they sum to n, whatever the rate.
    """
    from scipy.optimize import brentq

    mean = objects / clusters
    return float(
        brentq(
            lambda rate: rate / -math.expm1(-rate) - mean, mean - 1, mean, xtol=1e-12 * (mean - 1)
        )
    )


def size_chances(rate: float) -> Floats:
    """The chance of each size from 1 on, as far as it is above rounding."""
    largest = int(rate + 12 * math.sqrt(rate)) + 40
    sizes = np.arange(1, largest + 1)
    logs = sizes * math.log(rate) - np.cumsum(np.log(sizes))
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())


def _chance_of_sum(rate: float, clusters: int, total: int) -> float:
    """The chance that so many draws of a size sum to a total.

    A Fourier coefficient of the characteristic function, by the trapezoid rule; what that adds is
    the chance of sums that are 60 standard deviations away.
    """
    mean = rate / -math.expm1(-rate)
    spread = math.sqrt(clusters * mean * max(1 + rate - mean, 0.0))
    points = 64 + int(60 * spread)
    angle = 2 * np.pi * (np.arange(points) / points - 0.5)
    turned = rate * np.exp(1j * angle)
    near = np.abs(angle) < np.pi / 2
    logs = np.empty(points, np.complex128)
    logs[near] = turned[near] - rate + np.log(-np.expm1(-turned[near]))
    logs[~near] = np.log(np.expm1(turned[~near])) - rate
    logs -= math.log(-math.expm1(-rate))
    return float(np.exp(clusters * logs - 1j * total * angle).real.mean())


def all_partitions(objects: int) -> Iterator[list[int]]:
    """Every partition once, as a label for each object; labels are numbered as they appear.

    >>> list(all_partitions(3))
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    if objects == 0:
        yield []
        return
    for begin in all_partitions(objects - 1):
        for label in range(max(begin, default=-1) + 2):
            yield [*begin, label]
