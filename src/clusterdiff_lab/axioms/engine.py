"""The search engine: stages of cases, a judge, and the smallest case that is against.

Everything that is searched is searched here, whatever its cases are: the conditions of measures
(`trial`) and the claims of papers; pairs of partitions, of covers, of soft clusterings.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

C = TypeVar("C")
HOLDS, TIES, FAILS = 1, 0, -1


class Judgement(NamedTuple):
    """What was found of one case."""

    outcome: int
    """HOLDS, TIES or FAILS."""
    problem: str = ""
    """What is wrong with it, in words."""
    room: float = 0.0
    """How far it is from failing; climbing goes where there is less."""
    rank: tuple[Any, ...] = ()
    """How small it is: of the cases against, the first of the lowest rank is kept."""


@dataclass(frozen=True)
class Stage(Generic[C]):
    """Cases that are tried together, smaller ones first, and what they are in words."""

    what: str
    cases: Callable[[], Iterable[C]]

    def where(self, condition: Callable[[C], bool], what: str) -> Stage[C]:
        """The cases that meet a condition."""
        return Stage(f"{self.what}, {what}", lambda: filter(condition, self.cases()))


class Tally(Generic[C]):
    """What was tried so far, how it came out, and the smallest case of each outcome against."""

    def __init__(self, judge: Callable[[C], Judgement], seconds: float | None = None) -> None:
        self.judge = judge
        self.outcomes: Counter[int] = Counter()
        self.smallest: dict[int, tuple[C, Judgement]] = {}
        self.end = None if seconds is None else time.monotonic() + seconds
        self.tried = 0

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.end is not None and time.monotonic() > self.end

    def add(self, case: C) -> Judgement:
        """Judge a case."""
        judgement = self.judge(case)
        self.tried += 1
        self.outcomes[judgement.outcome] += 1
        if judgement.outcome != HOLDS:
            kept = self.smallest.get(judgement.outcome)
            if kept is None or judgement.rank < kept[1].rank:
                self.smallest[judgement.outcome] = case, judgement
        return judgement

    def exhaust(self, cases: Iterable[C]) -> None:
        """Judge one case after the other, while there is time."""
        for case in cases:
            self.add(case)
            if self.late:
                break


class Result(NamedTuple, Generic[C]):
    """The smallest case that is against, if there is one, and what was tried to find it."""

    case: C | None
    problem: str
    tried: int
    against: int
    scope: str

    @property
    def drawn(self) -> str:
        """The case as a text."""
        return "" if self.case is None else drawn(self.case)

    @property
    def objects(self) -> int:
        """How many objects the case has."""
        return 0 if self.case is None else objects_of(self.case)


def drawn(case: Any) -> str:
    """A case, or the several clusterings that it is, as a text."""
    return "  and  ".join(map(str, case)) if isinstance(case, tuple) else str(case)


def objects_of(case: Any) -> int:
    """How many objects a case has, or the first of several."""
    objects: int = (case[0] if isinstance(case, tuple) else case).objects
    return objects


def search(stages: Iterable[Stage[C]], judge: Callable[[C], Judgement]) -> Result[C]:
    """Stage after stage, up to the first one with a case that fails."""
    tally, scopes = Tally(judge), []
    for stage in stages:
        before = tally.tried
        tally.exhaust(stage.cases())
        scopes.append(f"{stage.what} ({tally.tried - before:,})")
        if FAILS in tally.smallest:
            break
    case, judgement = tally.smallest.get(FAILS, (None, Judgement(HOLDS)))
    return Result(case, judgement.problem, tally.tried, tally.outcomes[FAILS], "; ".join(scopes))
