"""Statements of papers as searches: conditions, equations, inequalities, and several as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial, update_wrapper
from typing import Any, NamedTuple, TypeVar

from clusterdiff.laboratory import Axiom, axiom, check, subject
from clusterdiff.laboratory.condition import Space
from clusterdiff.laboratory.search.engine import (
    FAILS,
    HOLDS,
    Judgement,
    Stage,
    drawn,
    objects_of,
    search,
)
from clusterdiff.laboratory.spaces.contingency import Contingency
from clusterdiff.laboratory.subject import Subject, compared
from clusterdiff.laboratory.verdict import Against, Counterexample, Number, Unfit, number
from clusterdiff.measures import Measure
from clusterdiff.papers.paper import Finding

LARGEST = 10**5
"""The largest denominator of a quotient of counts that a score is shown as."""

C = TypeVar("C")
Wrong = Callable[[Any], str]
"""What is wrong with a case, in words; nothing, if nothing is."""


def told(value: Number) -> str:
    """A value as it is written, a quotient of counts as such.

    >>> told(26 / 81), told(2 / 3 - 1e-9), told(Fraction(1, 2))
    ('26/81', '0.666667', '1/2')
    """
    near = Fraction(value).limit_denominator(LARGEST)
    return number(near if abs(near - Fraction(value)) < 2e-15 else value)


def many(count: int, what: str) -> str:
    """So many things.

    >>> many(1, "case"), many(4788, "case")
    ('1 case', '4,788 cases')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


# Conditions of the laboratory


@cache
def on_trial(measure: Measure) -> Subject:
    """A measure that remembers the scores it gave."""
    return subject(measure)


def holds(measure: Measure | Subject, condition: str | Axiom, **search: Any) -> Finding:
    """Whether a measure satisfies a condition."""
    chosen = axiom(condition)
    tried = on_trial(measure) if isinstance(measure, Measure) else measure
    verdict = check(tried, chosen, **search)
    assert not isinstance(verdict, Unfit), verdict.note
    ties = verdict.ties if isinstance(verdict, Against) else 0
    against = verdict.reversals if isinstance(verdict, Against) else 0
    tried_all = many(verdict.tried, "case")
    outcome = f"{many(ties, 'tie')}, {many(against, 'reversal')}"
    counts = f"{tried_all}, {outcome if chosen.strict else f'{against:,} against'}"
    scope = verdict.scope.replace(f" ({verdict.tried:,} cases)", "")
    if not isinstance(verdict, Against):
        return Finding("true", scope, counts)
    example = verdict.counterexample
    evidence = f"{counts}; {_shown(example, chosen.strict)}"
    return Finding("false" if against else "ties", scope, evidence, example.objects)


def _shown(example: Counterexample, strict: bool) -> str:
    parts = ", ".join(f"{part} {text}" for part, text in example.drawn.items())
    if strict:
        return f"{parts}: {' and '.join(map(told, example.values.values()))}"
    values = ", ".join(
        f"{what} {told(value)}"
        for what, value in example.values.items()
        if not what.startswith("part ")
    )
    wanted = "" if "expected" in example.values else f"; wanted: {example.wanted}"
    return f"{parts}: {values}{wanted}"


def fails(measure: Measure | Subject, condition: str | Axiom, **search: Any) -> Finding:
    """Whether it is true that a measure does not satisfy a condition."""
    found = holds(measure, condition, **search)
    return replace(found, verdict="false" if found.verdict == "true" else "true")


def size_against_quantity(measures: Mapping[str, Subject], most: int) -> Finding:
    """One error in a large cluster of whole classes against many in small ones; also for n = 1."""
    condition = axiom("size_quantity")
    two_pairs = Contingency(((2, 0), (0, 1), (0, 1)))
    one = Space("partition", "n = 1", lambda most: iter([two_pairs]), two_pairs.objects)
    found, degenerate = (
        all_of({name: holds(measure, tried, **search) for name, measure in measures.items()})
        for tried, search in ((condition, {"objects": most}), (replace(condition, space=one), {}))
    )
    return repaired(found, "two pairs", degenerate)


# Searches


def throughout(
    stage: Stage[C],
    wrong: Callable[[C], str],
    drawn: Callable[[Any], str] = drawn,
    objects: Callable[[Any], int] = objects_of,
) -> Finding:
    """Whether nothing is wrong with any case; what is wrong with one is said in words."""
    found = search([stage], lambda case: _judged(wrong(case)))
    counts = f"{many(found.tried, 'case')}, {found.against:,} against"
    if found.case is None:
        return Finding("true", stage.what, counts)
    shown = ": ".join(text for text in (drawn(found.case), found.said) if text)
    return Finding("false", stage.what, f"{counts}; {shown}", objects(found.case))


def in_all(stage: Stage[C]) -> Callable[[Callable[[C], str]], Callable[[], Finding]]:
    """Make what is wrong with a case the search for one among all cases."""

    def searched(wrong: Callable[[C], str]) -> Callable[[], Finding]:
        return update_wrapper(partial(throughout, stage, wrong), wrong)

    return searched


def _judged(said: str) -> Judgement:
    return Judgement(FAILS if said else HOLDS, said)


def provided(
    stage: Stage[C], condition: Callable[[C], bool], what: str, wrong: Callable[[C], str]
) -> Finding:
    """The same: partly true if all cases against it do not meet a condition."""
    everywhere = throughout(stage, wrong)
    with_it = throughout(stage.where(condition, what), wrong)
    if with_it.verdict == "false" or everywhere.verdict == "true":
        return everywhere
    evidence = f"if {what}: {with_it.evidence}; all: {everywhere.evidence}"
    return replace(everywhere, verdict="partly", evidence=evidence)


def all_of(parts: Mapping[str, Finding]) -> Finding:
    """A statement in several parts, each with its name: true if all of them are."""
    found = list(parts.values())
    broken = [part for part in found if part.verdict != "true"]
    scopes = list(dict.fromkeys(part.scope for part in found))
    texts = [f"{name}: {part.evidence}" for name, part in parts.items()]
    if not broken:
        return Finding("true", "; ".join(scopes), "\n".join(texts))
    verdicts = [part.verdict for part in broken]
    worst = "false" if "false" in verdicts else verdicts[0]
    smallest = min(part.objects for part in broken)
    return Finding(worst, "; ".join(scopes), "\n".join(texts), smallest)


def of_each(parts: Mapping[str, Finding]) -> Finding:
    """A statement on several things, each with its name: partly true if true of some."""
    found = all_of(parts)
    some = any(part.verdict == "true" for part in parts.values())
    return replace(found, verdict="partly") if some and found.verdict != "true" else found


def repaired(found: Finding, says: str, instead: Finding) -> Finding:
    """What was found, and what was found of the statement that should stand in its place."""
    line = f"{says}: {instead.verdict}, {instead.scope}, {instead.evidence}"
    return replace(found, evidence=f"{found.evidence}\n{line}")


# Quantities


class Quantity(NamedTuple):
    """A number that a case has, and what it is called."""

    name: str
    of: Callable[..., Any]
    """Of one comparison, or of two soft clusterings; a fraction where it is exact."""


def scored(name: str, measure: Measure) -> Quantity:
    """What a measure gives."""
    return Quantity(name, on_trial(measure).score)


def equal(one: Quantity, other: Quantity, *, signs: tuple[int, ...] = (0,)) -> Wrong:
    """Nothing, where two quantities are the same (or compare otherwise); else their values."""

    def wrong(case: Any) -> str:
        values = one.of(case), other.of(case)
        return "" if compared(*values) in signs else valued((one, other), values)

    return wrong


def at_most(one: Quantity, other: Quantity) -> Wrong:
    """Nothing, where one quantity is not above the other; else their values."""
    return equal(one, other, signs=(0, 1))


def any_of(*wrongs: Callable[[C], str]) -> Callable[[C], str]:
    """The first of several things that can be wrong."""

    def wrong(case: C) -> str:
        return next((said for one in wrongs if (said := one(case))), "")

    return wrong


def valued(quantities: Iterable[Quantity], values: Iterable[Number]) -> str:
    """Quantities with their values."""
    named = zip(quantities, values, strict=True)
    return ", ".join(f"{quantity.name} = {told(value)}" for quantity, value in named)
