"""What a paper prints and what it claims, each with the way to reproduce it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial, update_wrapper
from typing import Any, Literal, NamedTuple, TypeVar

from clusterdiff.measures import Measure
from clusterdiff_lab.axioms import Axiom, axiom, check, subject
from clusterdiff_lab.axioms.condition import Space
from clusterdiff_lab.axioms.engine import FAILS, HOLDS, Judgement, Stage, drawn, objects_of, search
from clusterdiff_lab.axioms.subject import (
    Against,
    Counterexample,
    Number,
    Subject,
    Unfit,
    compared,
    number,
)
from clusterdiff_lab.axioms.tables import Contingency

Value = float | Fraction | str | tuple["Value", ...]
"""A number, several, or a short text."""


@dataclass(frozen=True)
class Printed:
    """A number that a paper prints, or that follows from what it says, and how to compute it."""

    where: str
    """Section, example or table."""
    what: str
    """What the number is."""
    printed: str
    """As it stands in the paper; empty if it does not."""
    definition: Callable[[], Value]
    """The value by the paper's own definition."""
    variant: Callable[[], Value] | None = None
    """The value by the variant that gives the printed one, where the definition does not."""
    name: str = ""
    """What that variant is called here, e.g. partition_distance(over='n')."""
    note: str = ""
    agrees: Callable[[Value], bool] | None = None
    """Whether a value is the printed one, where that is neither a number nor a list of numbers."""
    otherwise: Literal["a slip", "impossible", "needs data"] = "a slip"
    """What it is called if nothing gives the printed value."""


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim, with what the search went through and what it found."""

    verdict: Literal["true", "false", "ties", "partly"]
    """ties: never the wrong way round, but not strict; partly: true with a condition added."""
    scope: str
    """Which cases were tried."""
    evidence: str = ""
    """Counts, and the smallest counterexample, drawn with its values."""
    objects: int = 0
    """How many objects the smallest counterexample has."""

    def adding(self, *more: str) -> Finding:
        """The finding with more evidence."""
        return replace(self, evidence="; ".join([self.evidence, *more]))


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and the search that holds or breaks it."""

    where: str
    says: str
    """The statement in one line."""
    check: Callable[[], Finding]
    """Does the search; nothing of the verdict is written in."""
    instead: str = ""
    """What is true in its place, where that is known."""


Check = Callable[[], Finding]


class PaperClaims(list[Claim]):
    """The claims of a section of a paper, in its order, each stated beside its search."""

    def state(self, where: str, instead: str = "") -> Callable[[Check], Check]:
        """State a claim: the docstring of its search says what the paper does."""

        def stated(check: Check) -> Check:
            says = " ".join(str(check.__doc__).split()).removesuffix(".")
            self.append(Claim(where, says, check, instead))
            return check

        return stated


@dataclass(frozen=True)
class Paper:
    """A paper: its key, its title, what it prints and what it claims."""

    key: str
    title: str
    cite: str
    values: tuple[Printed, ...]
    claims: Sequence[Claim]


CLOSE = 1e-12
"""Numbers as near as this are equal."""

NUMBER = re.compile(r"(-?\d*\.?\d+(?:/\d+)?)(?: × (\d+))?")

Verdict = Literal["as printed", "by a variant", "a slip", "impossible", "needs data", "not printed"]


class Computed(NamedTuple):
    """A printed number with what the formulas give, and what that says of it."""

    row: Printed
    value: Value
    variant: Value | None
    verdict: Verdict


def computed(row: Printed) -> Computed:
    """The row with its values computed."""
    value = row.definition()
    variant = None if row.variant is None else row.variant()
    return Computed(row, value, variant, _verdict(row, value, variant))


def _verdict(row: Printed, value: Value, variant: Value | None) -> Verdict:
    if not row.printed:
        return "not printed"
    agrees = row.agrees or partial(is_printed, row.printed)
    if agrees(value):
        return "as printed"
    return "by a variant" if variant is not None and agrees(variant) else row.otherwise


def is_printed(printed: str, value: Value) -> bool:
    """Whether a value is written so: fractions and whole numbers exactly, decimals rounded.

    >>> is_printed("0.67", 2 / 3), is_printed(".66", 2 / 3), is_printed("0.2", 0.25)
    (True, False, False)
    >>> is_printed("1, 1/2 × 2", (1.0, 0.5, 0.5)), is_printed("0", (0.0, 0.0, 0.0))
    (True, True)
    """
    if isinstance(value, str):
        return value == printed
    values = numbers(value)
    listed = _listed(printed)
    if len(listed) == 1:
        listed *= len(values)
    return len(listed) == len(values) and all(map(_is_written, listed, values))


def numbers(value: Value) -> tuple[float, ...]:
    """The numbers of a value."""
    if isinstance(value, tuple):
        return tuple(x for one in value for x in numbers(one))
    return (float(value),)


def equals(number: Fraction | int) -> Callable[[Value], bool]:
    """Whether a value is this number."""
    return lambda value: all(abs(x - number) < CLOSE for x in numbers(value))


def cut(printed: str) -> Callable[[Value], bool]:
    """Whether a value is this decimal number if its further digits are left off."""
    unit = 10.0 ** -len(printed.partition(".")[2])
    return lambda value: all(-CLOSE <= x - float(printed) < unit for x in numbers(value))


def _listed(printed: str) -> list[str]:
    """The numbers that a text lists; none if it holds anything else."""
    matches = [NUMBER.fullmatch(part) for part in printed.split(", ")]
    return (
        [one[1] for one in matches if one for _ in range(int(one[2] or 1))] if all(matches) else []
    )


def _is_written(printed: str, value: float) -> bool:
    places = len(printed.partition(".")[2])
    above = Fraction(value) - Fraction(printed)
    if not places:
        return abs(above) < CLOSE
    half = Fraction(1, 2 * 10**places)
    return -half - CLOSE <= above < half - CLOSE


# Statements of papers as searches: conditions, equations, inequalities, and several as one.

LARGEST = 10**5
"""The largest denominator of a quotient of counts that a score is shown as."""

C = TypeVar("C")
Wrong = Callable[[Any], str]
"""What is wrong with a case, in words; nothing, if nothing is."""


def as_text(value: Number) -> str:
    """A value as it is written, a quotient of counts as such.

    >>> as_text(26 / 81), as_text(2 / 3 - 1e-9), as_text(Fraction(1, 2))
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
        return f"{parts}: {' and '.join(map(as_text, example.values.values()))}"
    values = ", ".join(
        f"{what} {as_text(value)}"
        for what, value in example.values.items()
        if not what.startswith("part ")
    )
    wanted = "" if "expected" in example.values else f"; wanted: {example.wanted}"
    return f"{parts}: {values}{wanted}"


def fails(measure: Measure | Subject, condition: str | Axiom, **search: Any) -> Finding:
    """Whether it is true that a measure does not satisfy a condition."""
    finding = holds(measure, condition, **search)
    return replace(finding, verdict="false" if finding.verdict == "true" else "true")


def size_against_quantity(measures: Mapping[str, Subject], most: int) -> Finding:
    """One error in a large cluster of whole classes against many in small ones; also for n = 1."""
    condition = axiom("size_quantity")
    two_pairs = Contingency(((2, 0), (0, 1), (0, 1)))
    one = Space("partition", "n = 1", lambda most: iter([two_pairs]), two_pairs.objects)
    as_stated, degenerate = (
        all_of({name: holds(measure, tried, **search) for name, measure in measures.items()})
        for tried, search in ((condition, {"objects": most}), (replace(condition, space=one), {}))
    )
    return repaired(as_stated, "two pairs", degenerate)


# Searches


def throughout(
    stage: Stage[C],
    wrong: Callable[[C], str],
    drawn: Callable[[Any], str] = drawn,
    objects: Callable[[Any], int] = objects_of,
) -> Finding:
    """Whether nothing is wrong with any case; what is wrong with one is said in words."""
    result = search([stage], lambda case: _judged(wrong(case)))
    counts = f"{many(result.tried, 'case')}, {result.against:,} against"
    if result.case is None:
        return Finding("true", stage.what, counts)
    shown = ": ".join(text for text in (drawn(result.case), result.problem) if text)
    return Finding("false", stage.what, f"{counts}; {shown}", objects(result.case))


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
    """Whether nothing is wrong with any case; partly true if it is so under a condition."""
    everywhere = throughout(stage, wrong)
    with_it = throughout(stage.where(condition, what), wrong)
    if with_it.verdict == "false" or everywhere.verdict == "true":
        return everywhere
    evidence = f"if {what}: {with_it.evidence}; all: {everywhere.evidence}"
    return replace(everywhere, verdict="partly", evidence=evidence)


def all_of(parts: Mapping[str, Finding]) -> Finding:
    """A statement in several parts, each with its name: true if all of them are."""
    findings = list(parts.values())
    broken = [part for part in findings if part.verdict != "true"]
    scopes = list(dict.fromkeys(part.scope for part in findings))
    texts = [f"{name}: {part.evidence}" for name, part in parts.items()]
    if not broken:
        return Finding("true", "; ".join(scopes), "\n".join(texts))
    verdicts = [part.verdict for part in broken]
    worst = "false" if "false" in verdicts else verdicts[0]
    smallest = min(part.objects for part in broken)
    return Finding(worst, "; ".join(scopes), "\n".join(texts), smallest)


def of_each(parts: Mapping[str, Finding]) -> Finding:
    """A statement on several things, each with its name: partly true if true of some."""
    finding = all_of(parts)
    some = any(part.verdict == "true" for part in parts.values())
    return replace(finding, verdict="partly") if some and finding.verdict != "true" else finding


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
    return ", ".join(f"{quantity.name} = {as_text(value)}" for quantity, value in named)
