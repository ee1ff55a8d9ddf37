"""What was found when a measure was held against a condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from clusterdiff.clusterings import AnyClustering

Number = Fraction | float


@dataclass(frozen=True)
class Counterexample:
    """A few clusterings on which a measure does not do what a condition wants."""

    clusterings: Mapping[str, AnyClustering]
    """By the part they play: truth, guess, worse, better, …"""
    drawn: Mapping[str, str]
    """The same as short texts: 12|34 is a cluster of 1 and 2, and one of 3 and 4."""
    values: Mapping[str, Number]
    """What the measure gives, by what was scored; exact numbers where it allows them."""
    wanted: str
    """What the condition wants of these values."""
    commands: tuple[str, ...] = ()
    """Lines that give the values again."""

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return max(map(len, self.clusterings.values()))

    def __str__(self) -> str:
        shown = "  ".join(f"{part} {text}" for part, text in self.drawn.items())
        values = ", ".join(f"{what} {number(value)}" for what, value in self.values.items())
        return f"{shown}\n{values}; wanted: {self.wanted}"


@dataclass(frozen=True)
class Verdict:
    """Whether a measure satisfies a condition, as far as it was tried."""

    measure: str
    axiom: str
    tried: int
    """How many cases were judged."""
    scope: str
    """Which cases these were."""
    note: str = ""
    """What else was found, such as a constant."""
    mark: ClassVar[str] = ""
    outcome: ClassVar[str] = ""

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Holds(Verdict):
    """No case was found against it; that is no proof."""

    mark = "✓"
    outcome = "holds"

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True)
class Against(Verdict):
    """Some cases are against it; the smallest one is told."""

    counterexample: Counterexample
    ties: int = 0
    reversals: int = 0

    @property
    def values(self) -> Mapping[str, Number]:
        """What the measure gives on the counterexample."""
        return self.counterexample.values


@dataclass(frozen=True, kw_only=True)
class Ties(Against):
    """Never the wrong way round, but equal where a difference is wanted."""

    mark = "="
    outcome = "ties"


@dataclass(frozen=True, kw_only=True)
class Fails(Against):
    """The wrong way round, at least once."""

    mark = "✗"
    outcome = "fails"


@dataclass(frozen=True)
class Unfit(Verdict):
    """The condition says nothing of such a measure."""

    tried: int = field(default=0)
    scope: str = ""
    mark = "·"
    outcome = "does not apply"


def number(value: Number) -> str:
    """A value as it is written: a fraction if it is one, else six digits.

    >>> number(Fraction(11, 18)), number(Fraction(1)), number(0.25), number(1 / 3)
    ('11/18', '1', '0.25', '0.333333')
    """
    if isinstance(value, Fraction):
        return str(value)
    return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else str(value)
