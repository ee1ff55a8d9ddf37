"""Which objects are compared: four policies for objects on one side only, and noise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.arrays import as_value, as_values
from clusterdiff.clusterings.columns import DIGITS, Column, is_endless, is_hashable, is_null
from clusterdiff.errors import (
    AlignmentError,
    ClusterdiffError,
    InputError,
    MeetError,
    a_type,
    shown,
)

ALIGNMENTS: Final = ("exact", "shared", "singletons", "penalise")
ABSTAIN: Final = "abstain"


@dataclass(frozen=True)
class Policy:
    """What to do with objects on one side only, and with noise."""

    alignments: ClassVar[tuple[str, ...]] = ALIGNMENTS
    """What `align` may be."""
    align: str = "exact"
    """exact, shared, singletons or penalise."""
    noise: Any = None
    """A label that means noise, or a list of such labels; None in a list stands for null."""
    noise_as: str = "singletons"
    """What noise becomes: singletons, or drop."""
    part: bool = field(default=False, repr=False)
    """Whether one sample of several is compared: that it shares no object is then no sign of the
    wrong ids, as long as other samples share some.
    """

    def __post_init__(self) -> None:
        if self.align not in self.alignments:
            raise AlignmentError.from_policy(self.align, self.alignments)
        if self.noise_as not in ("singletons", "drop"):
            raise ClusterdiffError(
                f"noise cannot become {shown(self.noise_as)}.",
                'noise_as is "singletons" or "drop".',
            )
        _ = self.noise_labels

    @property
    def noise_labels(self) -> list[Any]:
        """The labels that mean noise."""
        noise = as_value(self.noise)
        if noise is None:
            return []
        many = isinstance(noise, list | tuple | set | frozenset | range | np.ndarray)
        labels = as_values(list(noise)) if many else [noise]
        if wrong := [label for label in labels if not is_hashable(label)]:
            raise ClusterdiffError(
                f"noise is a label or a list of labels, but {shown(wrong[0])} is "
                f"{a_type(wrong[0])}.",
                "noise=-1, noise=[-1, None]",
            )
        if any(map(is_endless, labels)):
            raise InputError.from_digits(DIGITS)
        return [None if is_null(label) else label for label in labels]

    def means_noise(self, labels: Column) -> Bools:
        """Which of these labels mean noise; names that were made for clusters never do."""
        found = np.zeros(len(labels), np.bool_)
        for label in () if labels.made else self.noise_labels:
            found |= labels.equals(label)
        return found


@dataclass(frozen=True)
class VotingPolicy(Policy):
    """The policy of a consensus, in which a run may abstain on the objects that it lacks."""

    alignments: ClassVar[tuple[str, ...]] = (*ALIGNMENTS, ABSTAIN)


class Among(NamedTuple):
    """Several guesses that are judged on the same objects, and what that changes for one."""

    guesses: int
    left_out: int
    """Objects that count for this guess alone: another one lacks them, or calls them noise."""
    added: int
    """Objects that neither this guess nor truth has: each is a cluster of its own on both sides."""

    def __str__(self) -> str:
        return f"{self.guesses} guesses({self.left_out} left out, {self.added} added)"


class Detection(NamedTuple):
    """How well the objects of truth were found, whatever their clusters; of mentions, mention
    detection.
    """

    precision: float
    recall: float
    f: float


@dataclass(frozen=True)
class Alignment:
    """How the objects of two clusterings were matched, and how many were not like the rest."""

    policy: str = "exact"
    """exact, shared, singletons or penalise."""
    only_truth: int = 0
    """Objects that only truth has."""
    only_guess: int = 0
    """Objects that only guess has."""
    noise: int = 0
    """Objects that one side or both call noise."""
    noise_as: str = ""
    """What became of them: singletons, or drop."""
    repeats: int = 0
    """Rows that said the same of the same object again, counted once."""
    notes: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """What else to know of how a side was read: (truth, guess or "" for both, a sentence)."""
    empty: tuple[str, ...] = ()
    """Samples of which no object is left to compare, and which are left out."""
    among: Among | None = None
    """What the other guesses of the comparison have a say in, where they have."""
    cut: int = field(default=0, compare=False)
    """Guess clusters of which objects are left out that truth lacks; counted where truth knows
    fewer than half of the objects of guess.
    """
    read: str = field(default="", compare=False)
    """How both sides were read where their format can be read in several ways."""
    count: str = field(default="", compare=False)
    """What says how many objects each one stands for, where something does."""
    weights: str = field(default="", compare=False)
    """What the weights of objects in means are called, and a digest of them."""
    between: str = field(default="", compare=False)
    """What says which source an object has, where only pairs across sources count."""

    def __add__(self, other: Alignment) -> Alignment:
        """The alignment of a disjoint union; both must have been made under one policy."""
        if self.rule != other.rule:
            raise AlignmentError(
                f"one meet was made with {self.rule}, another with {other.rule}: their sum would "
                "be under neither.",
                "make all of them under the same align, noise and noise_as.",
            )
        return Alignment(
            self.policy,
            self.only_truth + other.only_truth,
            self.only_guess + other.only_guess,
            self.noise + other.noise,
            self.noise_as,
            self.repeats + other.repeats,
            tuple(dict.fromkeys(self.notes + other.notes)),
            tuple(sorted((*self.empty, *other.empty))),
            self.among or other.among,
            self.cut + other.cut,
            self.read or other.read,
            self.count or other.count,
            self.weights or other.weights,
            self.between or other.between,
        )

    @property
    def rule(self) -> str:
        """The policy as one asks for it."""
        noise = f", noise_as={self.noise_as!r}" if self.noise_as else ""
        return f"align={self.policy!r}{noise}"

    def detection(self, objects: int) -> Detection:
        """Of this many objects in all, the shares of guess and of truth that the other has too."""
        both = objects - self.only_truth - self.only_guess
        guess, truth = both + self.only_guess, both + self.only_truth
        pairs = ((both, guess), (both, truth), (2 * both, guess + truth))
        shares = (x / n if n else 0.0 for x, n in pairs)
        return Detection._make(shares)

    def swap(self) -> Alignment:
        """The same alignment seen from the other side."""
        other = {"truth": "guess", "guess": "truth"}
        notes = tuple((other.get(side, side), note) for side, note in self.notes)
        return replace(self, only_truth=self.only_guess, only_guess=self.only_truth, notes=notes)

    def __str__(self) -> str:
        touched = self.only_truth + self.only_guess
        if not touched:
            return self.policy
        return f"{self.policy}({self.only_truth} only truth, {self.only_guess} only guess)"


def alignment_of_union(alignments: Iterable[Alignment]) -> Alignment:
    """The alignment of the disjoint union of many comparisons."""
    return reduce(add, alignments)


def alignment_of_rows(
    truth: Ints, guess: Ints, both: Ints, given: Alignment | None = None
) -> Alignment:
    """The alignment of rows of which some may be missing (-1) on a side: that is penalise."""
    only_truth, only_guess = int(both[guess < 0].sum()), int(both[truth < 0].sum())
    if not only_truth and not only_guess:
        return given or Alignment()
    if given is not None and given.policy != "penalise":
        raise MeetError(
            f"some clusters are -1 (missing), which align={given.policy!r} does not have.",
            'leave the alignment out, or give Alignment("penalise").',
        )
    return given or Alignment("penalise", only_truth, only_guess)
