"""The search: all small cases, then larger ones at random, then the smallest that is against it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from clusterdiff.axioms.base import FAILS, HOLDS, TIES, Axiom, Scored
from clusterdiff.axioms.subject import Subject
from clusterdiff.axioms.tables import SMALL
from clusterdiff.axioms.verdict import Fails, Holds, Ties, Unfit, Verdict
from clusterdiff.errors import ClusterdiffError

EACH = 12
"""How many cases are tried that begin with the same larger comparison."""
STARTS = 8
"""How many larger cases are made smaller, to find the smallest."""


@dataclass(frozen=True)
class Search:
    """How far a search goes."""

    objects: int | None = None
    """Try all comparisons of up to so many objects; the default depends on the condition."""
    larger: int = 300
    """Then so many larger ones at random."""
    seed: int = 0
    seconds: float | None = None
    """Stop after so long; the verdict says what was tried until then."""

    def __post_init__(self) -> None:
        _refuse("objects", self.objects, 1)
        _refuse("larger", self.larger, 0)
        _refuse("seed", self.seed, 0)
        if self.seconds is not None and not (
            isinstance(self.seconds, int | float) and self.seconds > 0
        ):
            raise ClusterdiffError(f"seconds={self.seconds!r} is no time.", "give seconds=10.")


def _refuse(name: str, value: Any, least: int) -> None:
    """Numbers that a search cannot go by."""
    if value is not None and (type(value) is not int or value < least):
        raise ClusterdiffError(
            f"{name}={value!r} is no whole number from {least} on.", f"leave {name}= out."
        )


class _Tally:
    """What was found so far."""

    def __init__(self, axiom: Axiom, subject: Subject, seconds: float | None) -> None:
        self.axiom, self.subject = axiom, subject
        self.tried = self.ties = self.reversals = 0
        self.first: dict[int, Scored] = {}
        self.end = None if seconds is None else time.monotonic() + seconds

    @property
    def late(self) -> bool:
        return self.end is not None and time.monotonic() > self.end

    def add(self, scored: Scored) -> int:
        """Judge a case."""
        values = tuple(map(self.subject.score, scored))
        outcome = self.axiom.judge(self.subject, scored, values)
        known = outcome == HOLDS or (outcome == FAILS and FAILS in self.first)
        if not known and not all(c.objects <= SMALL for c in scored):
            outcome = self.exactly(scored)
        self.tried += 1
        self.ties += outcome == TIES
        self.reversals += outcome == FAILS
        if outcome != HOLDS:
            self.first.setdefault(outcome, scored)
        return outcome

    def exactly(self, scored: Scored) -> int:
        """Judge a case by exact scores, where the measure allows them."""
        values = tuple(map(self.subject.exact_score, scored))
        return self.axiom.judge(self.subject, scored, values)


def judged(subject: Subject, axiom: Axiom, search: Search) -> Verdict:
    """The verdict on one measure and one condition."""
    if reason := axiom.unfit(subject):
        return Unfit(subject.name, axiom.name, note=reason)
    most = min(search.objects or axiom.space.most, axiom.space.limit)
    if (found := axiom.at_once(subject, most, search.seconds)) is not None:
        return found
    tally = _Tally(axiom, subject, search.seconds)
    for start in axiom.space.small(most):
        for scored in axiom.cases(start):
            tally.add(scored)
        if tally.late:
            break
    what = axiom.space.what.format(most)
    scope = [f"some of {what}" if tally.late else what]
    scope[0] += f" ({tally.tried:,} cases)"
    if axiom.space.larger and search.larger and not tally.reversals and not tally.late:
        before = tally.tried
        _try_larger(tally, search)
        scope.append(f"{tally.tried - before:,} larger ones at random, seed {search.seed}")
    if tally.late:
        scope.append(f"stopped after {search.seconds:g} s")
    return _verdict(tally, "; ".join(scope))


def _try_larger(tally: _Tally, search: Search) -> None:
    """Larger cases; those against the condition are made smaller, and the smallest one kept."""
    axiom = tally.axiom
    random = Random(f"{axiom.name} {search.seed}")
    wanted = FAILS if tally.ties else TIES
    against = []
    assert axiom.space.larger is not None
    for _ in range(search.larger):
        start = axiom.space.larger(random)
        outcomes = [tally.add(scored) for scored in islice(axiom.cases(start), EACH)]
        if min(outcomes, default=HOLDS) <= wanted:
            against.append((min(outcomes), start))
        if tally.late:
            break
    if not against:
        return
    worst = min(outcome for outcome, _ in against)
    found = [start for outcome, start in against if outcome == worst]
    found.sort(key=lambda start: start.objects)
    smallest = min(
        (_shrunk(tally, start, worst) for start in found[:STARTS]), key=lambda start: start.objects
    )
    again = next(_of_outcome(tally, smallest, worst), None)
    if again is None:
        raise ClusterdiffError(
            f"{tally.subject.name} does not give the same clusterings the same score each time.",
            "a measure at random needs a seed of its own.",
        )
    tally.first[worst] = again


def _shrunk(tally: _Tally, start: Any, outcome: int) -> Any:
    """A smaller start with the same outcome, until there is none."""
    while not tally.late:
        found = (s for s in start.smaller() if next(_of_outcome(tally, s, outcome), None))
        smaller = next(found, None)
        if smaller is None:
            break
        start = smaller
    return start


def _of_outcome(tally: _Tally, start: Any, outcome: int) -> Iterator[Scored]:
    """The cases of a start that have this outcome."""
    for scored in islice(tally.axiom.cases(start), EACH):
        if tally.exactly(scored) == outcome:
            yield scored


def _verdict(tally: _Tally, scope: str) -> Verdict:
    """The verdict, with the smallest case that is against it."""
    subject, axiom = tally.subject, tally.axiom
    if not tally.tried:
        return Unfit(subject.name, axiom.name, note=f"no case was tried: {scope}")
    if not tally.first:
        return Holds(subject.name, axiom.name, tally.tried, scope)
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
        counterexample=axiom.told(subject, scored, values),
        ties=tally.ties,
        reversals=tally.reversals,
    )
