"""Small spaces of uncertain clusterings with exact masses, once up to the names of clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from math import isinf
from random import Random
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.inputs import meet
from clusterdiff.laboratory.search.distances import CLOSE
from clusterdiff.laboratory.search.engine import FAILS, HOLDS, Judgement, Result, Stage, search
from clusterdiff.laboratory.spaces.comparison import Labels
from clusterdiff.laboratory.spaces.contingency import partitions
from clusterdiff.laboratory.spaces.soft_clusterings import (
    Clusters,
    ExactSoft,
    Kind,
    Mass,
    hard,
    mass_of,
)
from clusterdiff.measures import Measure
from clusterdiff.measures.core.interval import Interval
from clusterdiff.meet import Meet


def subsets(clusters: int, *, empty: bool = False) -> tuple[Clusters, ...]:
    """All sets of the clusters 1, 2 and so on, the small ones first."""
    names = range(1, clusters + 1)
    sizes = range(0 if empty else 1, clusters + 1)
    return tuple(a for size in sizes for a in combinations(names, size))


def masses_on(sets: Sequence[Clusters], parts: int) -> tuple[Mass, ...]:
    """All ways to share out a mass of so many equal parts over some sets."""
    return tuple(
        mass_of((a, Fraction(many, parts)) for a, many in Counter(chosen).items())
        for chosen in combinations_with_replacement(sets, parts)
    )


def once(found: Iterable[ExactSoft]) -> tuple[ExactSoft, ...]:
    """Those that are the first up to the names of clusters, small and simple ones first."""
    kept = {one: None for one in found if one == one.plain}
    return tuple(sorted(kept, key=lambda one: (one.size, one.ambiguity, one.known)))


def _of(masses: Sequence[Mass], objects: int) -> tuple[ExactSoft, ...]:
    return once(map(ExactSoft, product(masses, repeat=objects)))


@cache
def all_hard(objects: int) -> tuple[ExactSoft, ...]:
    """All partitions."""
    found = (hard(w + 1 for w in labels) for labels in partitions(objects))
    return tuple(sorted(found, key=lambda one: (one.size, one.known)))


@cache
def all_rough(objects: int, clusters: int, *, empty: bool = False) -> tuple[ExactSoft, ...]:
    """All rough clusterings into at most so many clusters; `empty`: an object may be in none."""
    return _of(masses_on(subsets(clusters, empty=empty), 1), objects)


@cache
def all_fuzzy(objects: int, clusters: int, parts: int) -> tuple[ExactSoft, ...]:
    """All fuzzy clusterings whose chances are multiples of one part."""
    return _of(masses_on(subsets(clusters)[:clusters], parts), objects)


@cache
def all_possibilistic(objects: int, clusters: int, parts: int) -> tuple[ExactSoft, ...]:
    """All possibilistic clusterings of degrees in multiples of one part, the largest being 1."""
    rows = [row for row in product(range(parts + 1), repeat=clusters) if max(row) == parts]
    return _of([consonant([Fraction(d, parts) for d in row]) for row in rows], objects)


@cache
def all_evidential(
    objects: int, clusters: int, parts: int, *, empty: bool = False
) -> tuple[ExactSoft, ...]:
    """All evidential clusterings whose masses are multiples of one part."""
    return _of(masses_on(subsets(clusters, empty=empty), parts), objects)


def consonant(degrees: Sequence[Fraction]) -> Mass:
    """The mass function on nested sets in which clusters are possible to these degrees."""
    levels = sorted({d for d in degrees if d}, reverse=True)
    nested = [
        ([w for w, d in enumerate(degrees, 1) if d >= level], level - below)
        for level, below in pairwise([*levels, Fraction()])
    ]
    return mass_of([([], 1 - max(levels, default=Fraction())), *nested])


@cache
def rough_sets(objects: int, clusters: int) -> tuple[ExactSoft, ...]:
    """One rough clustering, the simplest, for each set of partitions that one allows.

    >>> len(rough_sets(3, 3))
    23
    """
    found: dict[tuple[Labels, ...], ExactSoft] = {}
    for one in all_rough(objects, clusters):
        found.setdefault(one.allowed, one)
    return tuple(found.values())


@cache
def anchored(clusters: int, parts: int, anchors: int | None = None) -> tuple[ExactSoft, ...]:
    """One object for each of the first clusters that is surely in it, and one more, any mass.

    Without a number of anchors, all clusters have one, so that all their names mean something.
    """
    fixed = hard(range(1, (clusters if anchors is None else anchors) + 1)).known
    free = masses_on(subsets(clusters), parts)
    return tuple(ExactSoft((*fixed, mass)) for mass in free)


def drawn_at_random(
    kind: Kind, random: Random, objects: int, clusters: int, parts: int = 12, *, empty: bool = False
) -> ExactSoft:
    """A random clustering of a kind; masses are multiples of one part."""
    sets = subsets(clusters, empty=empty)
    return ExactSoft(tuple(_random_mass(kind, random, sets, parts) for _ in range(objects)))


def _random_mass(kind: Kind, random: Random, sets: Sequence[Clusters], parts: int) -> Mass:
    single = [a for a in sets if len(a) == 1]
    if kind == "hard":
        return masses_on([random.choice(single)], 1)[0]
    if kind == "rough":
        return masses_on([random.choice(sets)], 1)[0]
    if kind == "possibilistic":
        row = [Fraction(random.randint(0, parts), parts) for _ in single]
        if () not in sets:
            row[random.randrange(len(row))] = Fraction(1)
        return consonant(row)
    chosen = (
        single if kind == "fuzzy" else random.sample(sets, random.randint(1, min(3, len(sets))))
    )
    cuts = sorted(random.randint(0, parts) for _ in chosen[1:])
    steps = zip([0, *cuts], [*cuts, parts], strict=True)
    return mass_of((a, Fraction(to - at, parts)) for a, (at, to) in zip(chosen, steps, strict=True))


def pairs_of(
    left: Sequence[ExactSoft], right: Sequence[ExactSoft]
) -> Iterator[tuple[ExactSoft, ExactSoft]]:
    """All pairs, once up to the order of the objects; small ones first."""
    firsts: dict[ExactSoft, ExactSoft] = {}
    for one in left:
        firsts.setdefault(min_order(one), one)
    return ((one, other) for one in firsts.values() for other in right)


@cache
def min_order(one: ExactSoft) -> ExactSoft:
    """The first of all that differ in the order of objects and the names of clusters."""
    orders = {ExactSoft(known).plain for known in permutations(one.known)}
    return min(orders, key=lambda found: found.known)


def levels(members: Sequence[ExactSoft]) -> Ints:
    """How small each member is in objects, clusters, and parts of a mass: numbers from 0 on."""
    sizes = sorted({one.size for one in members})
    return np.array([sizes.index(one.size) for one in members], np.int64)


@lru_cache(maxsize=1 << 14)
def compared(one: ExactSoft, other: ExactSoft) -> Meet:
    """Two clusterings as measures take them."""
    return meet(one.clustering, other.clustering)


def score(measure: Measure, one: ExactSoft, other: ExactSoft) -> float:
    """What a measure gives two clusterings; of an interval the worse end."""
    found = measure.of(compared(one, other))
    if isinstance(found, Interval):
        return found.high if measure.is_distance else found.low
    return float(found)


def as_distance(measure: Measure) -> Callable[[Any], Any] | None:
    """How scores of a measure become distances, if they can."""
    if measure.is_distance:
        return lambda value: value
    claims = measure.claims
    best = claims.bounds[1] if claims.best is None else claims.best
    return None if isinf(best) else lambda value: best - value


def table(measure: Measure, members: tuple[ExactSoft, ...]) -> Floats:
    """What a measure gives all pairs of a space."""
    return _table(measure, measure.function, members)


@lru_cache(maxsize=256)
def _table(measure: Measure, function: object, members: tuple[ExactSoft, ...]) -> Floats:
    """The same; measures of one name may have different functions."""
    found = np.array([[score(measure, a, b) for b in members] for a in members])
    found.flags.writeable = False
    return found


UNCERTAIN: tuple[Kind, ...] = ("rough", "fuzzy", "possibilistic", "evidential")
Case = tuple[ExactSoft, ...]


def smallest(stages: Sequence[Stage[Case]], gap: Callable[..., float]) -> Result[Case]:
    """The smallest case whose gap is above 0; of equally small ones that with the widest gap."""

    def judge(case: Case) -> Judgement:
        if (wide := gap(*case)) <= CLOSE:
            return Judgement(HOLDS)
        size = tuple(map(max, zip(*(one.size for one in case), strict=True)))
        return Judgement(FAILS, rank=(size, -round(wide, 9), sum(one.ambiguity for one in case)))

    return search(stages, judge)


def each_of(what: str, members: Sequence[ExactSoft]) -> Stage[Case]:
    """One clustering after the other."""
    return Stage(what, lambda: ((one,) for one in members))


def pairs(
    what: str, left: Sequence[ExactSoft], right: Sequence[ExactSoft] | None = None
) -> Stage[Case]:
    """All pairs of a space, or of two."""
    return Stage(f"all pairs of {what}", lambda: pairs_of(left, left if right is None else right))


def random_pairs(
    seed: int,
    many: int,
    objects: int,
    clusters: int,
    left: Sequence[Kind] = UNCERTAIN,
    right: Sequence[Kind] = UNCERTAIN,
    *,
    parts: int = 12,
    empty: bool = False,
) -> Stage[Case]:
    """Random pairs of clusterings of some kinds."""

    def cases() -> Iterator[Case]:
        random = Random(seed)
        for _ in range(many):
            yield tuple(
                drawn_at_random(random.choice(kinds), random, objects, clusters, parts, empty=empty)
                for kinds in (left, right)
            )

    with_empty = ", some objects perhaps in no cluster" if empty else ""
    told = " against ".join(dict.fromkeys(_told(kinds) for kinds in (left, right)))
    what = f"random pairs, {told}, of {objects} objects and {clusters} clusters{with_empty}"
    return Stage(what, cases)


def _told(kinds: Sequence[Kind]) -> str:
    return "all kinds" if kinds == UNCERTAIN else " or ".join(kinds)
