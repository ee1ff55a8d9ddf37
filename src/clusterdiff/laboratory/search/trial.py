"""A measure on trial: the cases of one condition, scored and judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from clusterdiff.laboratory.condition import Axiom, Scored
from clusterdiff.laboratory.search.engine import FAILS, HOLDS, TIES, Judgement, Tally
from clusterdiff.laboratory.spaces.contingency import SMALL
from clusterdiff.laboratory.subject import Subject

EACH = 12
"""How many cases are tried that begin with the same larger comparison."""
AMONG = 5
"""They are found among so many times as many."""
DIGITS = 12
"""Rooms are rounded, so that the way of a climb does not hang on the last bits of scores."""


class Attempt(NamedTuple):
    """What became of the cases that begin with one larger comparison."""

    start: Any
    outcome: int
    """The worst."""
    room: float
    """Of the case that comes nearest to failing; ties are not counted, they lead nowhere."""

    def left(self, weighed: bool) -> float:
        """The room, times the objects if it is to be weighed."""
        return self.room * self.start.objects if weighed else self.room


class Trial(Tally[Scored]):
    """What was found so far of one measure and one condition."""

    def __init__(self, axiom: Axiom, subject: Subject, seconds: float | None) -> None:
        super().__init__(self._judged, seconds)
        self.axiom, self.subject = axiom, subject
        self.sure: tuple[int, ...] = ()
        """Outcomes that need not be made exact."""

    @property
    def ties(self) -> int:
        """How many cases are equal where a difference is wanted."""
        return self.outcomes[TIES]

    @property
    def reversals(self) -> int:
        """How many cases fail."""
        return self.outcomes[FAILS]

    @property
    def wanted(self) -> int:
        """The outcome that would change the verdict, or a worse one."""
        return FAILS if self.ties else TIES

    def _judged(self, scored: Scored) -> Judgement:
        values = tuple(map(self.subject.score, scored))
        outcome = self.axiom.judge(self.subject, scored, values)
        known = outcome in (HOLDS, *self.sure) or (outcome == FAILS and FAILS in self.smallest)
        if not known and not all(c.objects <= SMALL for c in scored):
            outcome = self.exactly(scored)
        room = round(self.axiom.room(self.subject, scored, values), DIGITS)
        return Judgement(outcome, room=room)

    def of(self, start: Any, most: int = EACH, sure: tuple[int, ...] = ()) -> Attempt:
        """Judge the cases of a larger comparison."""
        self.sure = sure
        found = [self.add(scored) for scored in self._some_cases(start, most)]
        worst = min((one.outcome for one in found), default=HOLDS)
        return Attempt(start, worst, min((j.room for j in found if j.outcome != TIES), default=inf))

    def exactly(self, scored: Scored) -> int:
        """Judge a case by exact scores, where the measure allows them."""
        values = tuple(map(self.subject.exact_score, scored))
        return self.axiom.judge(self.subject, scored, values)

    def of_outcome(self, start: Any, outcome: int) -> Scored | None:
        """The first case of a larger comparison that has this outcome."""
        for scored in self._some_cases(start, EACH):
            values = tuple(map(self.subject.score, scored))
            about = self.axiom.judge(self.subject, scored, values)
            if about != HOLDS and self.exactly(scored) == outcome:
                return scored
        return None

    def _some_cases(self, start: Any, most: int) -> Iterator[Scored]:
        """The first cases of a larger comparison that differ in more than names."""
        seen = set()
        for scored in islice(self.axiom.cases(start), AMONG * most):
            key = tuple(one.key for one in scored)
            if key not in seen:
                seen.add(key)
                yield scored
                if len(seen) == most:
                    return
