"""What a distance is: a metric, or how far from one."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff_lab.axioms.subject import Number, number

CLOSE = 1e-9
"""Values are equal if they are as near as this."""


class Metric(NamedTuple):
    """Where a distance first is not what a metric is; None where it always is."""

    own: tuple[int, ...] | None
    """A clustering that is not at distance 0 of itself."""
    symmetry: tuple[int, ...] | None
    """Two that are not as far from each other as the other way round."""
    separation: tuple[int, ...] | None
    """Two different ones at distance 0."""
    triangle: tuple[int, ...] | None
    """Three clusterings, the first and last farther apart than by way of the second."""
    constant: Number
    """The largest distance as a multiple of the way round by a third; at least 1."""

    @property
    def kind(self) -> str:
        """What such a distance is called."""
        if self.symmetry or (self.own and (self.separation or self.triangle)):
            return "no distance"
        if self.own:
            return "meta-metric"
        if not self.triangle:
            return "pseudo-metric" if self.separation else "metric"
        if isinf(self.constant):
            return "consistency"
        relaxed = f"{number(self.constant)}-relaxed"
        return f"{relaxed} pseudo-metric" if self.separation else f"semi-metric, {relaxed}"

    @property
    def note(self) -> str:
        """The kind, and by how much the triangle inequality has to be relaxed."""
        if isinf(self.constant):
            return f"{self.kind}; no relaxation constant"
        return f"{self.kind}; relaxation constant {number(self.constant)}"


def metric(d: Floats, level: Ints, relaxed: float = 1.0) -> Metric:
    """What a distance is on a space whose members all differ.

    The offenders of the lowest level are kept, and of three the ones that are farthest off; the
    way round may be longer by a factor, if the triangle inequality is `relaxed`.
    """
    around = d[:, :, None] + d[None, :, :]
    straight = d[:, None, :]
    ratio = np.full(around.shape, 1.0)
    np.divide(straight, around, out=ratio, where=around > CLOSE)
    ratio[np.broadcast_to(straight > CLOSE, around.shape) & (around <= CLOSE)] = inf
    return Metric(
        first(np.diag(np.abs(np.diag(d)) > CLOSE), level),
        first(np.abs(d - d.T) > CLOSE, level),
        first((np.abs(d) <= CLOSE) & ~np.eye(len(d), dtype=np.bool_), level),
        first(straight > relaxed * around + CLOSE, level, ratio),
        exact(max(1.0, float(ratio.max(initial=1.0)))),
    )


def first(cases: Bools, level: Ints, gap: Floats | None = None) -> tuple[int, ...] | None:
    """Where the case of the lowest level is; among several that of the widest gap."""
    at = np.argwhere(cases)
    if not len(at):
        return None
    wide = np.zeros(len(at)) if gap is None else -np.round(gap[cases], 9)
    order = np.lexsort((*at.T[::-1], at.sum(axis=1), wide, level[at].max(axis=1)))
    return tuple(at[order[0]].tolist())


class Detours(NamedTuple):
    """Ways round by a third that are shorter."""

    worst: float
    """The largest distance as a multiple of the way round."""
    at: tuple[int, int, int]
    """The three members with that ratio."""
    shorter: int
    """How many ways round are shorter than the straight one."""


def detours(d: Floats) -> Detours:
    """All ways round, by every third."""
    worst, at, shorter = 0.0, (0, 0, 0), 0
    for a in range(len(d)):
        around = d[a][:, None] + d
        ways = np.broadcast_to(d[a], around.shape)
        ratio = np.where((around <= CLOSE) & (ways > CLOSE), inf, 0.0)
        np.divide(ways, around, out=ratio, where=around > CLOSE)
        shorter += int((ratio > 1 + CLOSE).sum())
        largest = float(ratio.max())
        if largest > worst + CLOSE:
            b, c = np.unravel_index(int(ratio.argmax()), ratio.shape)
            worst, at = largest, (a, int(b), int(c))
    return Detours(worst, at, shorter)


def exact(value: float) -> Number:
    """The fraction that a value is, if it is one of small numbers.

    >>> exact(1 / 3), exact(19 / 18), exact(2**0.5)
    (Fraction(1, 3), Fraction(19, 18), 1.4142135623730951)
    """
    if isinf(value):
        return value
    near = Fraction(value).limit_denominator(1000)
    return near if abs(float(near) - value) < 1e-11 else value
