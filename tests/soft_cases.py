"""Uncertain clusterings for tests: as an oracle has them and as the library has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from random import Random
from typing import Any, NamedTuple

import clusterdiff as cd
from oracles import ORACLES
from oracles.common import Number
from oracles.soft import (
    KINDS,
    Distance,
    Hard,
    Soft,
    focal,
    membership,
    named,
    partition_distance,
    rand_distance,
    random_soft,
    rough_distance,
    transport_cost,
)

ZERO, QUARTER, HALF, ONE = Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)
ALPHAS = (ZERO, QUARTER, HALF, 3 * QUARTER, ONE)
CLOSE = 1e-9
UNCERTAIN = tuple(kind for kind in KINDS if kind != "partition")
OF_DEGREES = tuple(kind for kind in KINDS if kind != "evidential")


def clustering(soft: Soft, kind: str) -> cd.Clustering:
    """The library's clustering of a kind with these masses, which must be of that kind."""
    if kind == "partition":
        return cd.Partition([min(next(iter(mass))) for mass in soft])
    if kind == "rough":
        return cd.Rough([set(next(iter(mass))) for mass in soft])
    if kind == "fuzzy":
        return cd.Fuzzy([{min(a): float(v) for a, v in mass.items()} for mass in soft])
    if kind == "possibilistic":
        clusters = named(soft)
        return cd.Possibilistic([{w: float(membership(m, w)) for w in clusters} for m in soft])
    return cd.Evidential([{tuple(sorted(a)): float(v) for a, v in m.items()} for m in soft])


@dataclass(frozen=True, eq=False)
class Case:
    """Two uncertain clusterings of the same objects."""

    truth: Soft
    guess: Soft
    kinds: tuple[str, str]

    @cached_property
    def ours(self) -> tuple[cd.Clustering, cd.Clustering]:
        return clustering(self.truth, self.kinds[0]), clustering(self.guess, self.kinds[1])

    @cached_property
    def meet(self) -> cd.SoftMeet | cd.HardMeet:
        made = cd.meet(*self.ours)
        assert isinstance(made, cd.SoftMeet | cd.HardMeet)
        return made

    @property
    def swapped(self) -> Case:
        return Case(self.guess, self.truth, self.kinds[::-1])

    @property
    def has_empty(self) -> bool:
        return any(frozenset() in mass for mass in (*self.truth, *self.guess))

    @property
    def normalised(self) -> Case:
        """The same given that every object is in a cluster; one that cannot be is alone in one."""
        kinds = ["rough" if kind == "rough" else "evidential" for kind in self.kinds]
        return Case(_normalised(self.truth), _normalised(self.guess), (kinds[0], kinds[1]))

    def taken(self, objects: Sequence[int]) -> Case:
        """The objects at these positions, some perhaps more than once."""
        truth, guess = ([side[i] for i in objects] for side in (self.truth, self.guess))
        return Case(truth, guess, self.kinds)

    def renamed(self, truth: Sequence[int], guess: Sequence[int]) -> Case:
        """The same with other names for the clusters 1, 2 and so on of each side."""
        return Case(_renamed(self.truth, truth), _renamed(self.guess, guess), self.kinds)


def _normalised(soft: Soft) -> Soft:
    made: Soft = []
    for alone, mass in enumerate(soft, start=100):
        some = {a: v for a, v in mass.items() if a and v}
        whole = sum(some.values(), Fraction(0))
        made.append({a: v / whole for a, v in some.items()} or {frozenset({alone}): ONE})
    return made


def _renamed(soft: Soft, names: Sequence[int]) -> Soft:
    return [{frozenset(names[w - 1] for w in a): v for a, v in mass.items()} for mass in soft]


def drawn(
    seed: int,
    each: int,
    *,
    truth: Iterable[str] = KINDS,
    guess: Iterable[str] = KINDS,
    objects: tuple[int, int] = (1, 4),
    clusters: int = 3,
    empty: tuple[bool, ...] = (False, True),
    most: int = 10**9,
) -> list[Case]:
    """Random cases, so many of each two kinds, with or without mass on the empty set.

    No case has more than `most` pairs of rough clusterings.
    """
    rng = Random(seed)
    cases = []
    for first, second, possible in product(truth, guess, empty):
        found = 0
        while found < each:
            n = rng.randint(*objects)
            one, other = (
                random_soft(rng, n, rng.randint(1, clusters), kind, possible)
                for kind in (first, second)
            )
            if many_rough(one) * many_rough(other) <= most:
                cases.append(Case(one, other, (first, second)))
                found += 1
    return cases


def many_rough(soft: Soft) -> int:
    """How many rough clusterings have weight."""
    return math.prod(sum(weight > 0 for weight in mass.values()) for mass in soft)


@cache
def against_hard() -> tuple[Case, ...]:
    """A partition on one side, all kinds on the other."""
    known = drawn(11, 4, truth=["partition"], guess=UNCERTAIN, objects=(2, 4))
    more = drawn(12, 4, truth=UNCERTAIN, guess=["partition"], objects=(2, 4))
    return (*known, *more)


@cache
def both_uncertain() -> tuple[Case, ...]:
    """All pairs of kinds but partitions."""
    return tuple(drawn(13, 4, truth=UNCERTAIN, guess=UNCERTAIN, objects=(2, 3), most=60))


# Optimal transport


def by_oracle(name: str, c1: Hard, c2: Hard) -> Fraction:
    """One less an oracle's similarity, or its distance."""
    value = Fraction(ORACLES[name](dict(enumerate(c1)), dict(enumerate(c2))))
    return value if name.endswith("distance") else 1 - value


def mirkin(c1: Hard, c2: Hard) -> Fraction:
    return rand_distance(c1, c2) * Fraction(len(c1) - 1, len(c1))


OVER_N: Distance = partial(partition_distance, over="n")
DISTANCES: dict[str, Distance] = {
    "rand": rand_distance,
    "partition_distance": partition_distance,
    "partition_distance(over='n')": OVER_N,
    "accuracy": OVER_N,
    "mirkin_distance(scale='n2')": mirkin,
    **{name: partial(by_oracle, name) for name in ("vi_distance", "elm_f", "bcubed_precision")},
}
"""Measures of partitions, and as distances that an oracle can carry over."""


class Costs(NamedTuple):
    """What the rough clusterings of two sides weigh, and their nearest and Hausdorff distances."""

    left: list[Fraction]
    right: list[Fraction]
    nearest: list[list[Fraction]]
    hausdorff: list[list[Fraction]]

    def at(self, alpha: Fraction) -> Fraction:
        blend = [
            [alpha * far + (1 - alpha) * near for near, far in zip(*rows, strict=True)]
            for rows in zip(self.nearest, self.hausdorff, strict=True)
        ]
        return transport_cost(self.left, self.right, blend)


@cache
def costs(case: Case, distance: Distance) -> Costs:
    left, right = focal(case.truth), focal(case.guess)
    distance = cache(distance)
    nearest, hausdorff = (
        [[rough_distance(r1, r2, distance, end) for r2 in right] for r1 in left] for end in (0, 1)
    )
    return Costs(list(left.values()), list(right.values()), nearest, hausdorff)


@cache
def exact(case: Case, name: str, alpha: Fraction) -> Fraction:
    """The distance by the definition."""
    return costs(case, DISTANCES[name]).at(alpha)


def ends(case: Case, name: str) -> tuple[Fraction, Fraction]:
    """The distances at alpha = 0 and alpha = 1 by the definition."""
    return exact(case, name, ZERO), exact(case, name, ONE)


def transported(case: Case, name: str, **given: Any) -> tuple[float, float]:
    """What the library says of the distance, from low to high."""
    return as_distance(carried(name, **given).of(case.meet), name)


@cache
def carried(name: str, empty_set: str = "max_distance", **given: Any) -> cd.Measure:
    chosen: Any = {"empty_set": empty_set, **given}
    made: cd.Measure = cd.transport(name, **chosen)
    return made


def as_distance(found: cd.ScoreRange | float, name: str) -> tuple[float, float]:
    low, high = (found.low, found.high) if isinstance(found, cd.ScoreRange) else (found, found)
    return (low, high) if cd.measure(name).is_distance else (1 - high, 1 - low)


# Checks that find the cases in which something is wrong


def differing(
    cases: Iterable[Case], value: Callable[[Case], float], wanted: Callable[[Case], Number]
) -> list[Case]:
    """The cases whose value is not the wanted one."""
    return [case for case in cases if abs(value(case) - float(wanted(case))) > CLOSE]


def escaping(
    cases: Iterable[Case],
    bounds: Callable[[Case], tuple[float, float]],
    values: Callable[[Case], Iterable[Number]],
) -> list[Case]:
    """The cases in which one of the values is not within the bounds."""
    return [case for case in cases if not contained(bounds(case), values(case))]


def contained(bounds: tuple[float, float], values: Iterable[Number]) -> bool:
    low, high = bounds
    return all(low - CLOSE <= float(value) <= high + CLOSE for value in values)
