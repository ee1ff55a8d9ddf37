"""What a paper prints and what it claims, each with the way to have it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

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


@dataclass(frozen=True)
class Paper:
    """A paper: its key, its title, what it prints and what it claims."""

    key: str
    title: str
    cite: str
    values: tuple[Printed, ...]
    claims: tuple[Claim, ...]
