"""The search: all small cases, larger ones at random, climbing; then the smallest against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from clusterdiff.errors import ClusterdiffError
from clusterdiff.laboratory.condition import Axiom, Scored
from clusterdiff.laboratory.search.engine import FAILS, TIES
from clusterdiff.laboratory.search.trial import Attempt, Trial, climb, keep_smallest
from clusterdiff.laboratory.subject import Subject
from clusterdiff.laboratory.verdict import Fails, Holds, Ties, Unfit, Verdict


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


def judged(subject: Subject, axiom: Axiom, search: Search) -> Verdict:
    """The verdict on one measure and one condition."""
    if reason := axiom.unfit(subject):
        return Unfit(subject.name, axiom.name, note=reason)
    most = min(search.objects or axiom.space.most, axiom.space.limit)
    trial = Trial(axiom, subject, search.seconds)
    found = axiom.at_once(subject, most, search.seconds)
    if found is None:
        scope = [_try_small(trial, most)]
    elif found and axiom.space.larger:
        trial.tried, scope = found.tried, [found.scope]
    else:
        return found
    if axiom.space.larger and search.larger and not trial.reversals and not trial.late:
        scope += _try_larger(trial, search)
    if trial.late and "stopped" not in scope[-1]:
        scope.append(f"stopped after {search.seconds:g} s")
    return _verdict(trial, "; ".join(scope), found.note if found else "")


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
        found, steps = climb(trial, starts, random, search.climb)
        against += found
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
    made, outcome = (Fails, FAILS) if trial.reversals else (Ties, TIES)
    scored, _ = trial.smallest[outcome]
    if trial.exactly(scored) != outcome:
        why = "scores differ with names, order or time: see the conditions relabelling and order"
        return Unfit(subject.name, axiom.name, note=why)
    values = tuple(map(subject.exact_score, scored))
    return made(
        subject.name,
        axiom.name,
        trial.tried,
        scope,
        note,
        counterexample=axiom.told(subject, scored, values),
        ties=trial.ties,
        reversals=trial.reversals,
    )
