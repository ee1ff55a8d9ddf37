"""The six scores of the paper: Rand and partition distance, by transport, by draws, by bounds."""

from __future__ import annotations

from math import log, sqrt
from time import perf_counter
from typing import Any, NamedTuple

from clusterdiff.contingency import SoftMeet
from clusterdiff.io import meet
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.interval import Interval
from clusterdiff.measures.transport import transport
from clusterdiff.measures.transport.distance import Base
from clusterdiff.measures.transport.sampling import Draws, between

RAND, MOVES = (measure_named(name) for name in ("rand", "partition_distance"))
CLOSED = {"RI": measure_named("rand_alpha"), "PD": measure_named("partition_distance_alpha")}
ALPHA = 0.5
"""How the paper weighs what is unknown against an error."""
SAMPLES = 1000
SURE = 1 - 1e-6
"""The confidence of limits that others are held against: they are to fail for no seed."""
PER_DRAW = 10**8
"""Steps of work that a drawn rough clustering may take to be solved exactly."""


class Scored(NamedTuple):
    """A score of two clusterings: its ends, where limits or bounds are, and what it took."""

    low: float
    high: float
    outer: tuple[float, float]
    """What the ends lie between: for certain, or if they are drawn at high confidence."""
    how: str
    seconds: float
    limit: float = 0.0
    """Of a mean of draws: how far it may be from the true one (Hoeffding)."""

    @property
    def exact(self) -> bool:
        """Whether the ends are those that are asked for."""
        return self.how.startswith("exact")

    @property
    def drawn(self) -> bool:
        """Whether the ends are means of draws that were solved exactly, each within the limit."""
        below, above = self.low - self.outer[0], self.outer[1] - self.high
        return "Hoeffding" in self.how and max(below, above) <= self.limit + 1e-12

    @property
    def bounded(self) -> bool:
        """Whether the ends are those of bounds."""
        return "bounds" in self.how


def by_transport(base: Measure, truth: Any, guess: Any) -> Scored:
    """T: exact where that is feasible, else certain bounds."""
    return _timed(transport.with_params(measure=base, empty_set="max_distance"), truth, guess)


def by_draws(base: Measure, truth: Any, guess: Any, seed: int, samples: int = SAMPLES) -> Scored:
    """S: drawn rough clusterings, each solved exactly where that is feasible."""
    drawn = transport.with_params(
        measure=base, method="sample", samples=samples, seed=seed, confidence=SURE,
        budget=samples * PER_DRAW, empty_set="max_distance",
    )  # fmt: skip
    return _timed(drawn, truth, guess)._replace(limit=limit(samples))


def limit(samples: int) -> float:
    """How far a mean of so many draws from 0 to 1 may be from the true one, on either side."""
    return sqrt(log(4 / (1 - SURE)) / (2 * samples))


def by_hard_draws(base: Measure, one: Any, other: Any, seed: int, samples: int) -> Scored:
    """S as the paper has it: hard clusterings drawn from the rough ones that are drawn.

    What is unknown is seen only as far as some draws differ, and the distance is too large on
    average: an estimate without limits.
    """
    rows = meet(one, other)
    if not isinstance(rows, SoftMeet):
        return by_transport(base, one, other)
    begin = perf_counter()
    how = Draws(samples, seed, SURE, samples)
    ends = between(Base(base, rows.objects), rows.in_order, how, None)
    assert ends.estimate is not None
    low, high = ends.estimate
    if not base.is_distance:
        low, high = 1 - high, 1 - low
    seconds = perf_counter() - begin
    told = f"{samples} hard draws, seed {seed}"
    return Scored(low, high, (0.0, 1.0), told, seconds, limit(samples))


def by_closed_form(name: str, truth: Any, guess: Any) -> Scored:
    """A: one number for each pair of objects, or for each object and cluster."""
    return _timed(CLOSED[name], truth, guess)


def at_half(name: str, truth: Any, guess: Any) -> float:
    """A, with what is unknown counted as half an error."""
    return float(CLOSED[name].with_params(alpha=ALPHA)(truth, guess))


def _timed(measure: Measure, truth: Any, guess: Any) -> Scored:
    begin = perf_counter()
    value = measure(truth, guess)
    seconds = perf_counter() - begin
    if not isinstance(value, Interval):
        return Scored(value, value, (value, value), "exact", seconds)
    outer = value.low, value.high
    low, high = outer if value.estimate is None else value.estimate
    return Scored(low, high, outer, value.how, seconds)
