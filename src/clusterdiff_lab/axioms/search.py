"""The search: all small cases, larger ones at random, climbing; then the smallest against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from math import inf, isinf
from random import Random
from typing import Any, NamedTuple

from clusterdiff.errors import ClusterdiffError
from clusterdiff_lab.axioms.condition import Axiom, Scored
from clusterdiff_lab.axioms.engine import FAILS, HOLDS, TIES, Judgement, Tally
from clusterdiff_lab.axioms.subject import Fails, Holds, Subject, Ties, Unfit, Verdict
from clusterdiff_lab.axioms.tables import SMALL

# A measure on trial: the cases of one condition, scored and judged.

EACH = 12
"""How many cases are tried that begin with the same larger comparison."""
AMONG = 5
"""They are chosen among this many times as many."""
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
        is_final = outcome in (HOLDS, *self.sure) or (outcome == FAILS and FAILS in self.smallest)
        if not is_final and not all(c.objects <= SMALL for c in scored):
            outcome = self.exactly(scored)
        room = round(self.axiom.room(self.subject, scored, values), DIGITS)
        return Judgement(outcome, room=room)

    def of(self, start: Any, most: int = EACH, sure: tuple[int, ...] = ()) -> Attempt:
        """Judge the cases of a larger comparison."""
        self.sure = sure
        judgements = [self.add(scored) for scored in self._some_cases(start, most)]
        worst = min((one.outcome for one in judgements), default=HOLDS)
        return Attempt(
            start, worst, min((j.room for j in judgements if j.outcome != TIES), default=inf)
        )

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


PATIENCE = 80
"""Steps without progress after which the climb goes on from another start."""
FEW = 4
"""How many cases of a comparison are tried on the way."""
ENOUGH = 12
"""So many failures are enough to make the smallest of."""


def climb(
    trial: Trial, starts: Sequence[Attempt], random: Random, most: int
) -> tuple[list[Attempt], int]:
    """Climb from one start after the other, the nearest to failing first, `most` steps in all;
    what was found against the condition, and the steps taken.

    What is left is weighed by the objects on every other climb: scores of large cases differ by
    less, so that one sort of climb goes to large cases and the other does not.
    """
    near, steps = trial.axiom.space.near, 0
    against: list[Attempt] = []
    useful = [one for one in starts if not isinf(one.room)]
    useful.sort(key=lambda one: one.left(weighed=True))
    if near is None:
        return against, steps
    for number, at in enumerate(cycle(useful)):
        idle, weighed = 0, number % 2 == 0
        while idle < PATIENCE:
            if steps == most or trial.late:
                return against, steps
            steps, idle, wanted = steps + 1, idle + 1, trial.wanted
            tried = trial.of(near(random, at.start), FEW, (TIES,) if trial.ties else ())
            if tried.outcome <= wanted:
                against.append(tried)
            if tried.outcome == FAILS:
                break
            before, after = at.left(weighed), tried.left(weighed)
            idle = 0 if after < before else idle
            at = tried if after <= before else at
        if sum(one.outcome == FAILS for one in against) == ENOUGH:
            break
    return against, steps


STARTS = 5
"""How many larger cases are made smaller, to find the smallest."""
AROUND = 200
"""How many neighbours of the smallest are tried, to find one that can be made smaller yet."""


def keep_smallest(trial: Trial, against: list[Attempt], random: Random) -> None:
    """Make the worst of the attempts smaller, and keep the smallest."""
    worst = min(one.outcome for one in against)
    starts = [one.start for one in against if one.outcome == worst]
    starts.sort(key=lambda start: start.objects)
    smallest = min(
        (_shrunk(trial, start, worst) for start in starts[:STARTS]), key=lambda start: start.objects
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


@dataclass(frozen=True)
class Search:
    """How far a search goes."""

    objects: int | None = None
    """Up to how many objects all comparisons are tried; the default depends on the condition."""
    larger: int = 300
    """How many larger ones are then drawn at random."""
    climb: int = 1000
    """How many steps then lead from these to neighbours that come nearer to failing."""
    seed: int = 0
    seconds: float | None = None
    """Stop after so long; the verdict says what was tried until then."""

    def __post_init__(self) -> None:
        for name, least in (("objects", 1), ("larger", 0), ("climb", 0), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise ClusterdiffError(
                    f"{name} must be a whole number, at least {least}, got {value!r}",
                    f"leave {name}= out.",
                )
        if self.seconds is not None and not (
            isinstance(self.seconds, int | float) and self.seconds > 0
        ):
            raise ClusterdiffError(f"seconds={self.seconds!r} is not a time.", "give seconds=10.")


def aligned(subject: Subject, axiom: Axiom, search: Search) -> Verdict:
    """The verdict on one measure and one condition."""
    if reason := axiom.unfit(subject):
        return Unfit(subject.name, axiom.name, note=reason)
    most = min(search.objects or axiom.space.most, axiom.space.limit)
    trial = Trial(axiom, subject, search.seconds)
    at_once = axiom.at_once(subject, most, search.seconds)
    if at_once is None:
        scope = [_try_small(trial, most)]
    elif at_once and axiom.space.larger:
        trial.tried, scope = at_once.tried, [at_once.scope]
    else:
        return at_once
    if axiom.space.larger and search.larger and not trial.reversals and not trial.late:
        scope += _try_larger(trial, search)
    if trial.late and "stopped" not in scope[-1]:
        scope.append(f"stopped after {search.seconds:g} s")
    return _verdict(trial, "; ".join(scope), at_once.note if at_once else "")


def _try_small(trial: Trial, most: int) -> str:
    """All small cases; which these were."""
    space = trial.axiom.space
    trial.exhaust(_small_cases(trial, most))
    what = space.what.format(most)
    return f"{f'some of {what}' if trial.late else what} ({trial.tried:,} cases)"


def _small_cases(trial: Trial, most: int) -> Iterator[Scored]:
    for start in trial.axiom.space.small(most):
        yield from trial.axiom.cases(start)
        if trial.late:
            return


def _try_larger(trial: Trial, search: Search) -> Iterator[str]:
    """Larger cases at random, then by climbing; the smallest that is against it is kept."""
    axiom, before, wanted = trial.axiom, trial.tried, trial.wanted
    random = Random(f"{axiom.name} {search.seed}")
    assert axiom.space.larger is not None
    starts: list[Attempt] = []
    while len(starts) < search.larger and not trial.late:
        starts.append(trial.of(axiom.space.larger(random)))
    against = [one for one in starts if one.outcome <= wanted]
    yield f"{trial.tried - before:,} larger ones at random, seed {search.seed}"
    if axiom.space.near and search.climb and not trial.reversals and not trial.late:
        before = trial.tried
        climbed, steps = climb(trial, starts, random, search.climb)
        against += climbed
        if steps:
            yield (
                f"{trial.tried - before:,} by climbing, {steps:,} steps, up to "
                f"{axiom.space.top} objects"
            )
    if against:
        keep_smallest(trial, against, random)


def _verdict(trial: Trial, scope: str, note: str) -> Verdict:
    """The verdict, with the smallest case that is against it."""
    subject, axiom = trial.subject, trial.axiom
    if not trial.tried:
        return Unfit(subject.name, axiom.name, note=f"no case was tried: {scope}")
    if not trial.smallest:
        return Holds(subject.name, axiom.name, trial.tried, scope, note)
    kind, outcome = (Fails, FAILS) if trial.reversals else (Ties, TIES)
    scored, _ = trial.smallest[outcome]
    if trial.exactly(scored) != outcome:
        why = "scores differ with names, order or time: see the conditions relabelling and order"
        return Unfit(subject.name, axiom.name, note=why)
    values = tuple(map(subject.exact_score, scored))
    return kind(
        subject.name,
        axiom.name,
        trial.tried,
        scope,
        note,
        counterexample=axiom.counterexample(subject, scored, values),
        ties=trial.ties,
        reversals=trial.reversals,
    )
