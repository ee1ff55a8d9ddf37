"""Cases against a condition made smaller, and the smallest one kept."""

from __future__ import annotations

from random import Random
from typing import Any

from clusterdiff.errors import ClusterdiffError
from clusterdiff.laboratory.search.engine import Judgement
from clusterdiff.laboratory.search.trial import Attempt, Trial

STARTS = 5
"""How many larger cases are made smaller, to find the smallest."""
AROUND = 200
"""How many neighbours of the smallest are tried, to find one that can be made smaller yet."""


def keep_smallest(trial: Trial, against: list[Attempt], random: Random) -> None:
    """Make the worst of the attempts smaller, and keep the smallest."""
    worst = min(one.outcome for one in against)
    found = [one.start for one in against if one.outcome == worst]
    found.sort(key=lambda start: start.objects)
    smallest = min(
        (_shrunk(trial, start, worst) for start in found[:STARTS]), key=lambda start: start.objects
    )
    smallest = _smaller_nearby(trial, smallest, worst, random)
    again = trial.of_outcome(smallest, worst)
    if again is None:
        raise ClusterdiffError(
            f"{trial.subject.name} does not give the same clusterings the same score each time.",
            "a measure at random needs a seed of its own.",
        )
    trial.smallest[worst] = again, Judgement(worst)


def _shrunk(trial: Trial, start: Any, outcome: int) -> Any:
    """A smaller start with the same outcome, until there is none."""
    while not trial.late:
        smaller = next((s for s in start.smaller() if trial.of_outcome(s, outcome)), None)
        if smaller is None:
            break
        start = smaller
    return start


def _smaller_nearby(trial: Trial, start: Any, outcome: int, random: Random) -> Any:
    """A smaller one with the same outcome, by way of neighbours that are not larger."""
    near, at, smallest = trial.axiom.space.near, start, start
    for _ in range(AROUND):
        if near is None or trial.late:
            break
        other = near(random, at)
        if other.objects <= at.objects and trial.of_outcome(other, outcome):
            at = _shrunk(trial, other, outcome)
            smallest = min(smallest, at, key=lambda one: one.objects)
    return smallest
