"""The metric conditions on soft clusterings: judged on all small rough clusterings at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from clusterdiff.measures import Measure
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff_lab.axioms.condition import Axiom, Scored, Space, Values
from clusterdiff_lab.axioms.distances import CLOSE, exact, first, metric
from clusterdiff_lab.axioms.engine import HOLDS
from clusterdiff_lab.axioms.soft import ExactSoft, as_distance, compared, levels, rough_sets, table
from clusterdiff_lab.axioms.subject import Counterexample, Fails, Holds, Subject, Unfit, Verdict

ROUGH = Space("soft", "rough clusterings of up to {} objects", lambda most: (), 3)
SCOPE = "a rough clustering of 2 or 3 objects for each set of partitions that one allows"


class RoughSpace:
    """A measure on a space of rough clusterings, and the smallest case against each condition."""

    def __init__(self, measure: Measure, members: tuple[ExactSoft, ...]) -> None:
        self.measure, self.members = measure, members
        self.values = table(measure, members)
        turned = as_distance(measure)
        self.is_metric_space = turned is not None
        self.far = "d" if measure.is_distance else "1 - score"
        self.properties = metric(
            self.values if turned is None else turned(self.values), self.levels
        )

    @cached_property
    def levels(self) -> Any:
        """How small each clustering is."""
        return levels(self.members)

    def symmetry(self) -> Counterexample | None:
        """Two clusterings and the other way round."""
        return self._against(self.properties.symmetry, [(0, 1), (1, 0)], "the same both ways")

    def separation(self) -> Counterexample | None:
        """A clustering at a distance from itself, or two different ones at distance 0."""
        if self.properties.own is not None:
            wanted = f"{self.far} = 0 for a clustering with itself"
            return self._against(self.properties.own[:1], [(0, 0)], wanted)
        wanted = f"{self.far} > 0 for different sets of partitions"
        return self._against(self.properties.separation, [(0, 1)], wanted)

    def triangle(self) -> Counterexample | None:
        """Three clusterings of which the first is nearer to the last by way of the second."""
        d = self.far
        wanted = f"{d} of a, c at most the sum of {d} of a, b and {d} of b, c"
        return self._against(self.properties.triangle, [(0, 1), (1, 2), (0, 2)], wanted)

    def bounds(self) -> Counterexample | None:
        """Two clusterings whose score is not from 0 to 1."""
        beyond = np.maximum(-self.values, self.values - 1)
        at = first(beyond > CLOSE, self.levels, beyond)
        return self._against(at, [(0, 1)], "from 0 to 1")

    def _against(
        self, at: tuple[int, ...] | None, scored: Sequence[tuple[int, int]], wanted: str
    ) -> Counterexample | None:
        if at is None:
            return None
        parts = {name: self.members[i] for name, i in zip("abc", at, strict=False)}
        names = list(parts)
        pairs = {f"{names[i]}, {names[j]}": (at[i], at[j]) for i, j in scored}
        return Counterexample(
            {name: one.clustering for name, one in parts.items()},
            {name: str(one) for name, one in parts.items()},
            {pair: exact(float(self.values[i, j])) for pair, (i, j) in pairs.items()},
            wanted,
            tuple(self._command(pair) for pair in pairs.values()),
        )

    def _command(self, pair: tuple[int, int]) -> str:
        one, other = (self.members[i] for i in pair)
        end = ""
        if isinstance(self.measure.of(compared(one, other)), ScoreRange):
            end = ".high" if self.measure.is_distance else ".low"
        return f"{called(self.measure)}({one.code}, {other.code}){end}"


@lru_cache(maxsize=8)
def _spaces(measure: Measure, function: object) -> tuple[RoughSpace, ...]:
    """A measure, of which several may have one name, on rough clusterings of two and of three
    objects; what is unknown is an error where the measure leaves that open.
    """
    open_alpha = measure.arguments.get("alpha", 1) is None
    aligned = measure.with_params(alpha=1) if open_alpha else measure
    return tuple(RoughSpace(aligned, rough_sets(n, n)) for n in (2, 3))


def called(measure: Measure) -> str:
    """The measure as Python has it.

    >>> import clusterdiff as cd
    >>> called(cd.transport("rand", alpha=0.5)), called(cd.rand_belief)
    ("cd.transport('rand', alpha=0.5)", 'cd.rand_belief')
    """
    carried = measure.params.get("measure")
    if carried is None:
        return f"cd.{measure!r}"
    rest = "".join(
        f", {key}={value!r}" for key, value in measure.params.items() if key != "measure"
    )
    return f"cd.{measure.name}({str(carried)!r}{rest})"


@dataclass(frozen=True, kw_only=True)
class RoughCondition(Axiom):
    """A condition that is judged on all small rough clusterings at once."""

    cite: str = "campagner2023"
    group: str = "uncertain"
    space: Space = ROUGH

    def unfit(self, subject: Subject) -> str:
        """Measures that take no uncertain clusterings."""
        if subject.measure is None or "soft" not in subject.kinds:
            return f"{subject.name} takes no uncertain clusterings"
        return ""

    def at_once(self, subject: Subject, most: int, seconds: float | None) -> Verdict:
        """The verdict."""
        assert subject.measure is not None
        name, condition = str(subject.measure), self.name.removeprefix("rough_")
        spaces = _spaces(subject.measure, subject.measure.function)
        if condition in ("separation", "triangle") and not spaces[0].is_metric_space:
            return Unfit(name, self.name, note=f"{name} is not a distance and has no upper bound")
        scope = SCOPE
        if spaces[0].measure != subject.measure:
            scope += "; at alpha = 1, where what is unknown is an error"
        tried = sum(len(space.members) ** (3 if condition == "triangle" else 2) for space in spaces)
        note = spaces[-1].properties.note if condition == "triangle" else ""
        for space in spaces:
            if (against := getattr(space, condition)()) is not None:
                return Fails(name, self.name, tried, scope, note, counterexample=against)
        return Holds(name, self.name, tried, scope, note)

    def cases(self, start: Any) -> Iterator[Scored]:
        """None one by one."""
        return iter(())

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Nothing is judged one by one."""
        return HOLDS


CONDITIONS = (
    RoughCondition(
        "rough_symmetry", "truth and guess exchanged score the same, of rough clusterings too"
    ),
    RoughCondition(
        "rough_separation", "only clusterings that allow the same partitions are at distance 0"
    ),
    RoughCondition(
        "rough_triangle", "as a distance, no way round by a third rough clustering is shorter"
    ),
    RoughCondition("rough_bounds", "scores of rough clusterings are from 0 to 1"),
)
