"""Iterations from a start: until the centres hold still, go round in a circle, or take too long."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats

Step = Callable[[Floats], tuple[float, Floats]]
"""From centres to their objective and to the centres that follow."""

ROUNDING = 1e-12
"""Objectives that differ by less than this share of them are equal: sums are rounded."""


class FitRun(NamedTuple):
    """Where a run ended, and how it came there."""

    centres: Floats
    objective: float
    objectives: list[float]
    """After each iteration."""
    converged: bool
    cycle: int = 0
    """How many states the run goes round in, 0 if it does not."""


def descend(step: Step, start: Floats, max_iter: int, tolerance: float) -> FitRun:
    """Iterate a step that lowers its objective until the centres move by no more than tolerance."""
    objectives: list[float] = []
    _, following = step(start)
    centres, converged = start, False
    while len(objectives) < max_iter and not converged:
        converged = moved(centres, following) <= tolerance
        centres = following
        objective, following = step(centres)
        if objectives and objective <= objectives[-1] * (1 + ROUNDING):
            objective = min(objective, objectives[-1])
        objectives.append(objective)
    return FitRun(centres, objectives[-1], objectives, converged)


def settle(step: Step, start: Floats, max_iter: int, tolerance: float) -> FitRun:
    """Iterate a step that may go round in a circle; of the states of one, the best is kept."""
    path, values = [start], []
    seen = {start.tobytes(): 0}
    objective, following = step(start)
    values.append(objective)
    for iteration in range(1, max_iter + 1):
        converged = moved(path[-1], following) <= tolerance
        before = None if converged else seen.get(following.tobytes())
        if before is not None:
            best = before + int(np.argmin(values[before:]))
            objectives = [*values[1:], values[before]]
            return FitRun(path[best], values[best], objectives, False, iteration - before)
        seen[following.tobytes()] = iteration
        path.append(following)
        objective, following = step(following)
        values.append(objective)
        if converged:
            break
    return FitRun(path[-1], values[-1], values[1:], converged)


def better(one: FitRun, other: FitRun) -> FitRun:
    """The run with the lesser objective; the first, if they are equal but for rounding."""
    return other if other.objective < one.objective * (1 - ROUNDING) else one


def moved(before: Floats, after: Floats) -> float:
    """The squared length of the way of all centres together."""
    return float(((after - before) ** 2).sum())
