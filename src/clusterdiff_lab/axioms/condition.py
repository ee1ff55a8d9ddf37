"""What a condition is: a program that makes cases and judges the scores a measure gives them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from random import Random
from typing import Any, ClassVar

from clusterdiff_lab.axioms.engine import FAILS, HOLDS
from clusterdiff_lab.axioms.subject import Counterexample, Number, Subject, Verdict, compared
from clusterdiff_lab.axioms.tables import (
    MOST,
    Comparison,
    Contingency,
    Groups,
    changed,
    draw,
    random_blocks,
    random_table,
    small_tables,
)

Scored = tuple[Comparison, ...]
Values = tuple[Number, ...]


@dataclass(frozen=True)
class Space:
    """Where cases begin: all small comparisons of a kind, and larger ones at random."""

    kind: str
    """What is compared: partition or cover."""
    what: str
    """The small ones in words; {} is where the number of objects goes."""
    small: Callable[[int], Iterable[Any]]
    """All with at most this many objects, the smaller ones first."""
    most: int
    """How many objects that is by default."""
    larger: Callable[[Random], Any] | None = None
    limit: int = 9
    """Of more objects there are too many to try them all, whoever asks."""
    near: Callable[[Random, Any], Any] | None = None
    """A comparison like this one, with a small change at random: where climbing goes."""
    top: int = MOST
    """How many objects such comparisons have at most."""


def _larger_table(random: Random) -> Contingency:
    return random_table(random, 30) if random.random() < 0.5 else random_blocks(random, 40)


PARTITIONS = Space(
    "partition",
    "all pairs of partitions of up to {} objects",
    small_tables,
    7,
    _larger_table,
    near=changed,
)
FEW = replace(PARTITIONS, most=6)


@dataclass(frozen=True)
class Axiom(ABC):
    """A condition that measures are held against."""

    name: str
    meaning: str
    """In one line."""
    _: KW_ONLY
    cite: str
    group: str
    space: Space = PARTITIONS
    wanted: str = ""
    """What the values of a case should be."""
    needs_best: bool = False
    """Whether it is about the score of identical clusterings."""
    strict: ClassVar[bool] = False
    """Whether equal scores are less than what is wanted, but not the opposite."""

    def unfit(self, subject: Subject) -> str:
        """Why the condition says nothing of a measure; empty if it does."""
        if self.needs_best and subject.best is None:
            return f"what {subject.name} gives to identical clusterings depends on them"
        kind = self.space.kind
        return "" if kind in subject.kinds else f"{subject.name} takes no {kind}s"

    def at_once(self, subject: Subject, most: int, seconds: float | None) -> Verdict | None:
        """The verdict, of a condition that is not judged case by case; else None."""
        return None

    @abstractmethod
    def cases(self, start: Any) -> Iterator[Scored]:
        """The comparisons to be scored together, all that begin with one."""

    @abstractmethod
    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """HOLDS, TIES or FAILS."""

    def room(self, subject: Subject, scored: Scored, values: Values) -> float:
        """How far a case is from failing; below 0, it does. Climbing goes where there is less."""
        return 0.0

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The case in words; the first comparison is the one that is shown."""
        first = scored[0]
        truth, guess = first.drawn
        one, other = first.sides
        return Counterexample(
            {"truth": one, "guess": other},
            {"truth": truth, "guess": guess},
            self.named(scored, values),
            self.wanted,
            (first.line(subject),),
        )

    def named(self, scored: Scored, values: Values) -> dict[str, Number]:
        """The values by what was scored."""
        return {"score": values[0]}

    def example(
        self,
        subject: Subject,
        of: Comparison,
        parts: Mapping[str, Groups],
        values: Mapping[str, Number],
        *lines: tuple[str, ...],
    ) -> Counterexample:
        """Clusters by the part they play; a line scores guesses for the truth named first."""
        shown = {part: draw(own) for part, own in parts.items()}
        commands = tuple(
            subject.command(shown[truth], [shown[guess] for guess in guesses], of.kind == "cover")
            for truth, *guesses in lines
        )
        clusterings = {part: of.clustering(own) for part, own in parts.items()}
        return Counterexample(clusterings, shown, values, self.wanted, commands)


@dataclass(frozen=True, kw_only=True)
class Order(Axiom):
    """One guess is better than another one for the same truth, and must score better."""

    improved: Callable[[Any], Iterator[Any]]
    """The better ones that can be made of a guess."""
    wanted: str = "better scores better than worse"
    strict = True

    def cases(self, start: Any) -> Iterator[Scored]:
        """The guess and each better one."""
        return ((start, better) for better in self.improved(start))

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether the better one scores better."""
        return subject.better(*values)

    def room(self, subject: Subject, scored: Scored, values: Values) -> float:
        """By how much the better one scores better."""
        return subject.gain(*values)

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """Truth with the worse and the better guess."""
        worse, better = scored
        groups = (*worse.groups, worse.guess_of(better))
        parts = dict(zip(("truth", "worse", "better"), groups, strict=True))
        named = {"worse": values[0], "better": values[1]}
        return self.example(subject, worse, parts, named, ("truth", "worse", "better"))


@dataclass(frozen=True, kw_only=True)
class Equal(Axiom):
    """A score must be what others say it is."""

    others: Callable[[Any], Iterator[Scored]]
    """The comparisons whose scores determine the score of this one, each with that one first."""
    expected: Callable[[Subject, Scored, Values], Number]
    """What the first score should be."""

    def cases(self, start: Any) -> Iterator[Scored]:
        """The comparison and those that determine its score."""
        return self.others(start)

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether the score is what the others say."""
        return FAILS if compared(values[0], self.expected(subject, scored, values)) else HOLDS

    def room(self, subject: Subject, scored: Scored, values: Values) -> float:
        """None: any difference is against it, the larger the more."""
        return -abs(float(values[0]) - float(self.expected(subject, scored, values)))

    def named(self, scored: Scored, values: Values) -> dict[str, Number]:
        """The score and the others."""
        if len(values) == 2:
            return {"score": values[0], "other": values[1]}
        return {"score": values[0]} | {f"part {k}": v for k, v in enumerate(values[1:], 1)}

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The comparison with the score it should have."""
        example = super().counterexample(subject, scored, values)
        should = self.expected(subject, scored, values)
        more_values = {} if should is values[-1] else {"expected": should}
        more = tuple(other.line(subject) for other in scored[1:6])
        return replace(
            example, values={**example.values, **more_values}, commands=example.commands + more
        )


def the_other(subject: Subject, scored: Scored, values: Values) -> Number:
    """What an `Equal` expects where two scores must be the same."""
    return values[1]


@dataclass(frozen=True, kw_only=True)
class Rule(Axiom):
    """A score must be in its place."""

    when: Callable[[Any], bool] = lambda start: True
    """Of which comparisons something is said."""
    rule: Callable[[Subject, Number], bool]
    left: Callable[[Subject, Number], float] = lambda subject, value: 0.0
    """How far a score is from being out of its place."""

    def cases(self, start: Any) -> Iterator[Scored]:
        """The comparison itself."""
        if self.when(start):
            yield (start,)

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether the score obeys."""
        return HOLDS if self.rule(subject, values[0]) else FAILS

    def room(self, subject: Subject, scored: Scored, values: Values) -> float:
        """How far the score is from being out of its place."""
        return self.left(subject, values[0])
