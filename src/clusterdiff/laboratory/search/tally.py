"""What was tried and found so far, of one measure and one condition."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from clusterdiff.laboratory.condition import FAILS, HOLDS, TIES, Axiom, Scored
from clusterdiff.laboratory.spaces.contingency import SMALL
from clusterdiff.laboratory.subject import Subject

EACH = 12
"""How many cases are tried that begin with the same larger comparison."""
DIGITS = 12
"""Rooms are rounded, so that the way of a climb does not hang on the last bits of scores."""
AMONG = 5
"""They are found among so many times as many."""


def some_cases(axiom: Axiom, start: Any, most: int = EACH) -> Iterator[Scored]:
    """The first cases of a larger comparison that differ in more than names."""
    seen = set()
    for scored in islice(axiom.cases(start), AMONG * most):
        key = tuple(one.key for one in scored)
        if key not in seen:
            seen.add(key)
            yield scored
            if len(seen) == most:
                return


class Trial(NamedTuple):
    """What became of the cases that begin with one comparison."""

    start: Any
    outcome: int
    """The worst."""
    room: float
    """Of the case that comes nearest to failing; ties are not counted, they lead nowhere."""

    def left(self, weighed: bool) -> float:
        """The room, times the objects if it is to be weighed."""
        return self.room * self.start.objects if weighed else self.room


class Tally:
    """What was found so far."""

    def __init__(self, axiom: Axiom, subject: Subject, seconds: float | None) -> None:
        self.axiom, self.subject = axiom, subject
        self.tried = self.ties = self.reversals = 0
        self.first: dict[int, Scored] = {}
        self.end = None if seconds is None else time.monotonic() + seconds

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.end is not None and time.monotonic() > self.end

    @property
    def wanted(self) -> int:
        """The outcome that would change the verdict, or a worse one."""
        return FAILS if self.ties else TIES

    def add(self, scored: Scored, sure: tuple[int, ...] = ()) -> tuple[int, float]:
        """Judge a case: the outcome, and the room; outcomes that are `sure` are not made exact."""
        values = tuple(map(self.subject.score, scored))
        outcome = self.axiom.judge(self.subject, scored, values)
        known = outcome in (HOLDS, *sure) or (outcome == FAILS and FAILS in self.first)
        if not known and not all(c.objects <= SMALL for c in scored):
            outcome = self.exactly(scored)
        self.tried += 1
        self.ties += outcome == TIES
        self.reversals += outcome == FAILS
        if outcome != HOLDS:
            self.first.setdefault(outcome, scored)
        return outcome, round(self.axiom.room(self.subject, scored, values), DIGITS)

    def of(self, start: Any, most: int = EACH, sure: tuple[int, ...] = ()) -> Trial:
        """Judge the cases of a larger comparison."""
        found = [self.add(scored, sure) for scored in some_cases(self.axiom, start, most)]
        worst = min((outcome for outcome, _ in found), default=HOLDS)
        return Trial(start, worst, min((r for o, r in found if o != TIES), default=inf))

    def exactly(self, scored: Scored) -> int:
        """Judge a case by exact scores, where the measure allows them."""
        values = tuple(map(self.subject.exact_score, scored))
        return self.axiom.judge(self.subject, scored, values)
