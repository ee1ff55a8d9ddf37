"""Climbing: from larger comparisons to neighbours that come nearer to failing, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from math import isinf
from random import Random
from typing import NamedTuple

from clusterdiff.laboratory.search.engine import FAILS, TIES
from clusterdiff.laboratory.search.trial import Attempt, Trial

PATIENCE = 80
"""After so many steps that came no nearer, another start is taken."""
FEW = 4
"""How many cases of a comparison are tried on the way."""
ENOUGH = 12
"""So many failures are enough to make the smallest of."""


class Climbed(NamedTuple):
    """What came of climbing."""

    against: list[Attempt]
    steps: int


def climb(trial: Trial, starts: Sequence[Attempt], random: Random, most: int) -> Climbed:
    """Climb from one start after the other, the nearest to failing first, so many steps in all.

    What is left is weighed by the objects on every other climb: scores of large cases differ by
    less, so that one sort of climb goes to large cases and the other does not.
    """
    near, steps = trial.axiom.space.near, 0
    found: list[Attempt] = []
    useful = [one for one in starts if not isinf(one.room)]
    useful.sort(key=lambda one: one.left(weighed=True))
    if near is None:
        return Climbed(found, steps)
    for number, at in enumerate(cycle(useful)):
        idle, weighed = 0, number % 2 == 0
        while idle < PATIENCE:
            if steps == most or trial.late:
                return Climbed(found, steps)
            steps, idle, wanted = steps + 1, idle + 1, trial.wanted
            tried = trial.of(near(random, at.start), FEW, (TIES,) if trial.ties else ())
            if tried.outcome <= wanted:
                found.append(tried)
            if tried.outcome == FAILS:
                break
            before, after = at.left(weighed), tried.left(weighed)
            idle = 0 if after < before else idle
            at = tried if after <= before else at
        if sum(one.outcome == FAILS for one in found) == ENOUGH:
            break
    return Climbed(found, steps)
