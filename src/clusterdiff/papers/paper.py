"""What a paper prints and what it claims, each with the way to reproduce it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Literal, NamedTuple

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
        """The same with more evidence."""
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
    found = [NUMBER.fullmatch(part) for part in printed.split(", ")]
    return [one[1] for one in found if one for _ in range(int(one[2] or 1))] if all(found) else []


def _is_written(printed: str, value: float) -> bool:
    places = len(printed.partition(".")[2])
    above = Fraction(value) - Fraction(printed)
    if not places:
        return abs(above) < CLOSE
    half = Fraction(1, 2 * 10**places)
    return -half - CLOSE <= above < half - CLOSE
