"""What each policy makes of a truth and its guesses, object by object: the oracle of the table.

A clustering maps objects to what is said of them: a label, a set of labels, or masses on sets of
labels. Objects of samples are pairs (sample, id), and so are their labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from oracles import overlapping, soft
from oracles.bcubed import elm_f

NOISE = "noise"
Said = dict[tuple[str, str], Any]
"""What is said of each object, which is known by its sample and its id."""


class Policy(NamedTuple):
    """Which objects are compared, and what noise becomes."""

    align: str
    noise_as: str | None

    @property
    def flags(self) -> list[str]:
        noise = ["--noise", NOISE, "--noise-as", self.noise_as] if self.noise_as else []
        return ["--align", self.align, *noise]


def aligned(
    truth: Said, guesses: Mapping[str, Said], policy: Policy
) -> tuple[Said, dict[str, Said]]:
    """All sides with the same objects, as the policy has it."""
    sides = {"truth": truth, **guesses}
    if policy.noise_as == "drop":
        gone = {x for side in sides.values() for x in side if is_noise(side[x])}
        sides = {name: {x: side[x] for x in side if x not in gone} for name, side in sides.items()}
    elif policy.noise_as == "singletons":
        sides = {name: {x: lone(side[x], x) for x in side} for name, side in sides.items()}
    if policy.align == "shared":
        kept = set.intersection(*(set(side) for side in sides.values()))
        sides = {name: {x: side[x] for x in side if x in kept} for name, side in sides.items()}
    if policy.align == "singletons":
        every = sorted({x for side in sides.values() for x in side}, key=str)
        sides = {
            name: {x: side.get(x, alone(side, x)) for x in every} for name, side in sides.items()
        }
    return sides.pop("truth"), sides


def is_noise(said: Any) -> bool:
    """Whether this is noise: a label, or a set of labels with such a one among them."""
    return said == NOISE or (isinstance(said, frozenset) and NOISE in said)


def lone(said: Any, x: Hashable) -> Any:
    """Noise as a cluster of its own."""
    if not is_noise(said):
        return said
    own = ("alone", x)
    return own if said == NOISE else said - {NOISE} | {own}


def alone(side: Said, x: Hashable) -> Any:
    """A cluster of its own for an object that a side lacks."""
    own = ("alone", x)
    return frozenset({own}) if isinstance(next(iter(side.values())), frozenset) else own


def masses(side: Said) -> soft.Soft:
    """Each object's mass function, with clusters as numbers."""
    numbers: dict[Hashable, int] = {}

    def number(label: Hashable) -> int:
        return numbers.setdefault(label, len(numbers) + 1)

    return [
        {frozenset(map(number, a)): weight for a, weight in said.items()}
        if isinstance(said, Mapping)
        else {frozenset({number(said)}): Fraction(1)}
        for said in (side[x] for x in sorted(side, key=str))
    ]


def rand_alpha(truth: Said, guess: Said) -> Fraction:
    """The low end of the interval: what is unknown is an error."""
    return soft.rand_alpha(masses(truth), masses(guess), 1)


def partition_distance_alpha(truth: Said, guess: Said) -> Fraction:
    """The low end of the interval of a distance: what is unknown is accepted."""
    return soft.partition_distance_alpha(masses(truth), masses(guess), 0)


Oracle = Callable[[Any, Any], Any]
HARD: dict[str, tuple[str, Oracle]] = {
    "partition": ("elm_f", elm_f),
    "cover": ("extended_bcubed_f", overlapping.extended_bcubed_f),
}


def measure_of(verb: str, kind: str) -> tuple[str, Oracle]:
    """For each kind of guess a measure that a verb can show, and the definition of it."""
    if kind in HARD:
        return HARD[kind]
    if verb == "explain":
        return "partition_distance_alpha", partition_distance_alpha
    return "rand_alpha", rand_alpha


class Wanted(NamedTuple):
    """What the definition gives: the score, and where there are samples the pooled one."""

    value: float
    micro: float


def wanted(
    oracle: Oracle, truth: Said, guesses: Mapping[str, Said], policy: Policy, samples: bool
) -> dict[str, Wanted]:
    """The scores of all guesses on the same objects."""
    left, right = aligned(truth, guesses, policy)
    found = {}
    for name, guess in right.items():
        micro = float(oracle(left, guess))
        value = micro
        if samples:
            among = sorted({x[0] for side in (left, guess) for x in side})
            each = [float(oracle(within(left, s), within(guess, s))) for s in among]
            value = math.fsum(each) / len(each)
        found[name] = Wanted(value, micro)
    return found


def within(side: Said, sample: str) -> Said:
    """The objects of one sample."""
    return {x: said for x, said in side.items() if x[0] == sample}
