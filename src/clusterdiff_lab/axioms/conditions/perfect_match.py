"""Perfect match, zero at the extremes, and bounds that are attained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from clusterdiff_lab.axioms.condition import PARTITIONS, Axiom, Rule, Scored, Space, Values
from clusterdiff_lab.axioms.engine import FAILS, HOLDS
from clusterdiff_lab.axioms.subject import Counterexample, Number, Subject, compared
from clusterdiff_lab.axioms.tables import Contingency, tables


def gets_best(subject: Subject, value: Number) -> bool:
    """Whether this is what identical clusterings get."""
    assert subject.best is not None
    return compared(value, subject.best) == 0


def gets_less(subject: Subject, value: Number) -> bool:
    """Whether this is worse than what identical clusterings get."""
    assert subject.best is not None
    return subject.better(value, subject.best) == 1


def below_best(subject: Subject, value: Number) -> float:
    """By how much this is worse than what identical clusterings get."""
    assert subject.best is not None
    return subject.gain(value, subject.best)


def _within(subject: Subject, value: Number) -> bool:
    low, high = subject.bounds
    return compared(low, value) >= 0 and compared(value, high) >= 0


def _within_by(subject: Subject, value: Number) -> float:
    low, high = subject.bounds
    return min(float(value) - low, high - float(value))


def _extremes(most: int) -> Iterator[Contingency]:
    """All objects together against each alone, and the other way round."""
    for n in range(2, most + 1):
        together = Contingency(((1,) * n,))
        yield from (together, together.transposed)


def _is_worst(subject: Subject, value: Number) -> bool:
    """0 for a similarity, the largest distance for a distance."""
    worst = subject.bounds[1] if subject.is_distance else 0.0
    return compared(value, worst) == 0


@dataclass(frozen=True, kw_only=True)
class _Extremes(Rule):
    def unfit(self, subject: Subject) -> str:
        unbounded = subject.bounds[1 if subject.is_distance else 0] in (float("inf"), -float("inf"))
        return f"{subject.name} has no bound" if unbounded else super().unfit(subject)


@dataclass(frozen=True, kw_only=True)
class _Attained(Axiom):
    """Of all comparisons of n objects one has the worst and one the best score there can be."""

    def unfit(self, subject: Subject) -> str:
        if any(abs(bound) == float("inf") for bound in subject.bounds):
            return f"{subject.name} has no bound"
        return super().unfit(subject)

    def cases(self, start: Contingency) -> Iterator[Scored]:
        """All comparisons of that many objects, begun with the first of them."""
        if start.columns == ((start.objects,),) and start.objects > 1:
            yield tables(start.objects)

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether both bounds are among the values."""
        ends = zip(subject.bounds, (min(values), max(values)), strict=True)
        return HOLDS if all(compared(*end) == 0 for end in ends) else FAILS

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The comparison that comes nearest to the bound that is not attained."""
        low, high = subject.bounds
        at = values.index(min(values) if compared(low, min(values)) else max(values))
        example = super().counterexample(subject, (scored[at],), (values[at],))
        bound = low if compared(low, min(values)) else high
        name = f"{'least' if bound == low else 'most'} of {scored[0].objects} objects"
        return replace(example, values={name: values[at]}, wanted=f"{bound:g}")


_rule = partial(Rule, group="match")
CONDITIONS = (
    _rule(
        "identity",
        "identical partitions get the best score",
        cite="amigo2009",
        when=lambda table: table.is_identical,
        rule=gets_best,
        wanted="identical partitions get the best score",
        needs_best=True,
    ),
    _rule(
        "perfect_match",
        "only identical partitions get the best score",
        cite="rosales2013",
        when=lambda table: not table.is_identical,
        rule=gets_less,
        left=below_best,
        wanted="less than the best score, as the partitions differ",
        needs_best=True,
    ),
    _rule(
        "bounds",
        "no score lies outside the bounds that are claimed",
        cite="meila2007",
        rule=_within,
        left=_within_by,
        wanted="a score within the bounds",
    ),
    _Attained(
        "attained",
        "for every number of objects from two on, both bounds are attained",
        cite="meila2007",
        group="match",
        space=replace(PARTITIONS, larger=None),
    ),
    _Extremes(
        "extremes",
        "all objects together against each alone gets the worst score, both ways round",
        cite="vanheusden2022",
        group="match",
        rule=_is_worst,
        wanted="the worst score there is",
        space=Space("partition", "both extremes of 2 to {} objects", _extremes, 8, limit=100),
    ),
)
