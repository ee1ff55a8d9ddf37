"""The search: all small cases, larger ones at random, climbing; then the smallest against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from clusterdiff.errors import ClusterdiffError
from clusterdiff.laboratory.condition import FAILS, HOLDS, TIES, Axiom, Scored
from clusterdiff.laboratory.search.climb import climb
from clusterdiff.laboratory.search.tally import Tally, Trial, some_cases
from clusterdiff.laboratory.subject import Subject
from clusterdiff.laboratory.verdict import Fails, Holds, Ties, Unfit, Verdict

STARTS = 5
"""How many larger cases are made smaller, to find the smallest."""
AROUND = 200
"""How many neighbours of the smallest are tried, to find one that can be made smaller yet."""


@dataclass(frozen=True)
class Search:
    """How far a search goes."""

    objects: int | None = None
    """Try all comparisons of up to so many objects; the default depends on the condition."""
    larger: int = 300
    """Then so many larger ones at random."""
    climb: int = 1000
    """Then so many steps from these to neighbours that come nearer to failing."""
    seed: int = 0
    seconds: float | None = None
    """Stop after so long; the verdict says what was tried until then."""

    def __post_init__(self) -> None:
        _refuse("objects", self.objects, 1)
        _refuse("larger", self.larger, 0)
        _refuse("climb", self.climb, 0)
        _refuse("seed", self.seed, 0)
        if self.seconds is not None and not (
            isinstance(self.seconds, int | float) and self.seconds > 0
        ):
            raise ClusterdiffError(f"seconds={self.seconds!r} is not a time.", "give seconds=10.")


def _refuse(name: str, value: Any, least: int) -> None:
    """Numbers that a search cannot go by."""
    if value is not None and (type(value) is not int or value < least):
        raise ClusterdiffError(
            f"{name} must be a whole number, at least {least}, got {value!r}", f"leave {name}= out."
        )


def judged(subject: Subject, axiom: Axiom, search: Search) -> Verdict:
    """The verdict on one measure and one condition."""
    if reason := axiom.unfit(subject):
        return Unfit(subject.name, axiom.name, note=reason)
    most = min(search.objects or axiom.space.most, axiom.space.limit)
    tally = Tally(axiom, subject, search.seconds)
    found = axiom.at_once(subject, most, search.seconds)
    if found is None:
        scope = [_try_small(tally, most)]
    elif found and axiom.space.larger:
        tally.tried, scope = found.tried, [found.scope]
    else:
        return found
    if axiom.space.larger and search.larger and not tally.reversals and not tally.late:
        scope += _try_larger(tally, search)
    if tally.late and "stopped" not in scope[-1]:
        scope.append(f"stopped after {search.seconds:g} s")
    return _verdict(tally, "; ".join(scope), found.note if found else "")


def _try_small(tally: Tally, most: int) -> str:
    """All small cases; which these were."""
    space = tally.axiom.space
    for start in space.small(most):
        for scored in tally.axiom.cases(start):
            tally.add(scored)
        if tally.late:
            break
    what = space.what.format(most)
    return f"{f'some of {what}' if tally.late else what} ({tally.tried:,} cases)"


def _try_larger(tally: Tally, search: Search) -> Iterator[str]:
    """Larger cases at random, then by climbing; the smallest that is against it is kept."""
    axiom, before, wanted = tally.axiom, tally.tried, tally.wanted
    random = Random(f"{axiom.name} {search.seed}")
    assert axiom.space.larger is not None
    starts: list[Trial] = []
    while len(starts) < search.larger and not tally.late:
        starts.append(tally.of(axiom.space.larger(random)))
    against = [one for one in starts if one.outcome <= wanted]
    yield f"{tally.tried - before:,} larger ones at random, seed {search.seed}"
    if axiom.space.near and search.climb and not tally.reversals and not tally.late:
        before = tally.tried
        climbed = climb(tally, starts, random, search.climb)
        against += climbed.against
        if climbed.steps:
            yield (
                f"{tally.tried - before:,} by climbing, {climbed.steps:,} steps, up to "
                f"{axiom.space.top} objects"
            )
    if against:
        _keep_smallest(tally, against, random)


def _keep_smallest(tally: Tally, against: list[Trial], random: Random) -> None:
    """Cases against the condition are made smaller, and the smallest one is kept."""
    worst = min(one.outcome for one in against)
    found = [one.start for one in against if one.outcome == worst]
    found.sort(key=lambda start: start.objects)
    smallest = min(
        (_shrunk(tally, start, worst) for start in found[:STARTS]), key=lambda start: start.objects
    )
    smallest = _smaller_nearby(tally, smallest, worst, random)
    again = next(_of_outcome(tally, smallest, worst), None)
    if again is None:
        raise ClusterdiffError(
            f"{tally.subject.name} does not give the same clusterings the same score each time.",
            "a measure at random needs a seed of its own.",
        )
    tally.first[worst] = again


def _shrunk(tally: Tally, start: Any, outcome: int) -> Any:
    """A smaller start with the same outcome, until there is none."""
    while not tally.late:
        found = (s for s in start.smaller() if next(_of_outcome(tally, s, outcome), None))
        smaller = next(found, None)
        if smaller is None:
            break
        start = smaller
    return start


def _smaller_nearby(tally: Tally, start: Any, outcome: int, random: Random) -> Any:
    """A smaller one with the same outcome, by way of neighbours that are not larger."""
    near, at, smallest = tally.axiom.space.near, start, start
    for _ in range(AROUND):
        if near is None or tally.late:
            break
        other = near(random, at)
        if other.objects <= at.objects and next(_of_outcome(tally, other, outcome), None):
            at = _shrunk(tally, other, outcome)
            smallest = min(smallest, at, key=lambda one: one.objects)
    return smallest


def _of_outcome(tally: Tally, start: Any, outcome: int) -> Iterator[Scored]:
    """The cases of a start that have this outcome."""
    for scored in some_cases(tally.axiom, start):
        values = tuple(map(tally.subject.score, scored))
        about = tally.axiom.judge(tally.subject, scored, values)
        if about != HOLDS and tally.exactly(scored) == outcome:
            yield scored


def _verdict(tally: Tally, scope: str, note: str) -> Verdict:
    """The verdict, with the smallest case that is against it."""
    subject, axiom = tally.subject, tally.axiom
    if not tally.tried:
        return Unfit(subject.name, axiom.name, note=f"no case was tried: {scope}")
    if not tally.first:
        return Holds(subject.name, axiom.name, tally.tried, scope, note)
    made, outcome = (Fails, FAILS) if tally.reversals else (Ties, TIES)
    scored = tally.first[outcome]
    if tally.exactly(scored) != outcome:
        why = "scores differ with names, order or time: see the conditions relabelling and order"
        return Unfit(subject.name, axiom.name, note=why)
    values = tuple(map(subject.exact_score, scored))
    return made(
        subject.name,
        axiom.name,
        tally.tried,
        scope,
        note,
        counterexample=axiom.told(subject, scored, values),
        ties=tally.ties,
        reversals=tally.reversals,
    )
