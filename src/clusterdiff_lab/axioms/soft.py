"""Small spaces of uncertain clusterings with exact masses, once up to the names of clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache, reduce
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from math import isinf, lcm
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings import Evidential, Fuzzy, Possibilistic, Rough, Soft
from clusterdiff.contingency import Meet
from clusterdiff.io import meet
from clusterdiff.measures import Measure
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.testing.claims import Labels, numbered, partitions
from clusterdiff_lab.axioms.distances import CLOSE
from clusterdiff_lab.axioms.engine import FAILS, HOLDS, Judgement, Result, Stage, search

# Uncertain clusterings of a few objects, with exact masses: made, drawn, renamed.

Clusters = tuple[int, ...]
"""A set of clusters, in order."""
Mass = tuple[tuple[Clusters, Fraction], ...]
"""The evidence on an object: sets of clusters, the small ones first, and the mass on each."""
Kind = Literal["hard", "rough", "fuzzy", "possibilistic", "evidential"]


@dataclass(frozen=True)
class ExactSoft:
    """An uncertain clustering of a few objects: a mass function for each of them.

    >>> print(rough([1], [2], [1, 3]))
    1 2 {13}
    """

    masses: tuple[Mass, ...]

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return len(self.masses)

    @cached_property
    def clusters(self) -> int:
        """How many clusters hold any mass."""
        return len({w for mass in self.masses for a, _ in mass for w in a})

    @cached_property
    def parts(self) -> int:
        """The least number of equal parts that all masses are made of."""
        return lcm(*(weight.denominator for mass in self.masses for _, weight in mass))

    @cached_property
    def ambiguity(self) -> int:
        """How many clusters are named in all sets of all objects."""
        return sum(len(a) for mass in self.masses for a, _ in mass)

    @cached_property
    def size(self) -> tuple[int, int, int]:
        """Objects, clusters, parts of a mass: small clusterings come first in a search."""
        return self.objects, self.clusters, self.parts

    @cached_property
    def kind(self) -> Kind:
        """The most special kind that it is."""
        if all(len(mass) == 1 for mass in self.masses):
            return "hard" if all(len(mass[0][0]) == 1 for mass in self.masses) else "rough"
        if all(len(a) == 1 for mass in self.masses for a, _ in mass):
            return "fuzzy"
        nested = all(
            set(a) <= set(b) for mass in self.masses for (a, _), (b, _) in combinations(mass, 2)
        )
        return "possibilistic" if nested else "evidential"

    @cached_property
    def clustering(self) -> Soft:
        """The clustering as measures take it."""
        if self.kind in ("hard", "rough"):
            return Rough([set(mass[0][0]) for mass in self.masses])
        if self.kind == "fuzzy":
            return Fuzzy([{a[0]: float(weight) for a, weight in mass} for mass in self.masses])
        if self.kind == "possibilistic":
            named = sorted({w for mass in self.masses for a, _ in mass for w in a})
            return Possibilistic([{w: float(degree(m, w)) for w in named} for m in self.masses])
        return Evidential([{a: float(weight) for a, weight in mass} for mass in self.masses])

    @cached_property
    def code(self) -> str:
        """The clustering as Python has it."""
        if self.kind in ("hard", "rough"):
            return f"cd.Rough([{', '.join(_set(mass[0][0]) for mass in self.masses)}])"
        if self.kind == "fuzzy":
            rows = [_braced(", ".join(f"{a[0]}: {w}" for a, w in mass)) for mass in self.masses]
            return f"cd.Fuzzy([{', '.join(rows)}])"
        rows = [_braced(", ".join(f"{a}: {w}" for a, w in mass)) for mass in self.masses]
        return f"cd.Evidential([{', '.join(rows)}])"

    def __str__(self) -> str:
        return " ".join(map(_drawn, self.masses))

    def renamed(self, names: Sequence[int]) -> ExactSoft:
        """The clustering with other names for the clusters 1, 2 and so on."""
        return ExactSoft(
            tuple(
                mass_of((tuple(names[w - 1] for w in a), weight) for a, weight in mass)
                for mass in self.masses
            )
        )

    @cached_property
    def plain(self) -> ExactSoft:
        """The first of all that differ from it in the names of clusters alone."""
        most = max((w for mass in self.masses for a, _ in mass for w in a), default=0)
        return ExactSoft(
            min(self.renamed(names).masses for names in permutations(range(1, most + 1)))
        )

    @cached_property
    def distribution(self) -> dict[tuple[Clusters, ...], Fraction]:
        """The rough clusterings that it stands for, a set for each object, and their chances."""
        chances: dict[tuple[Clusters, ...], Fraction] = {}
        for chosen in product(*self.masses):
            chance = Fraction(1)
            for _, weight in chosen:
                chance *= weight
            chances[tuple(a for a, _ in chosen)] = chance
        return chances

    @cached_property
    def allowed(self) -> tuple[Labels, ...]:
        """The partitions that it allows, of those that it does not rule out."""
        named = [sorted({w for a, _ in mass for w in a}) for mass in self.masses]
        return tuple(sorted({numbered(labels) for labels in product(*named)}))


def degree(mass: Mass, cluster: int) -> Fraction:
    """How possible a cluster is: the mass on sets that hold it."""
    return sum((weight for a, weight in mass if cluster in a), Fraction())


def mass_of(weights: Iterable[tuple[Iterable[int], Fraction]]) -> Mass:
    """A mass function, equal sets put together."""
    masses: dict[Clusters, Fraction] = {}
    for a, weight in weights:
        key = tuple(sorted(a))
        masses[key] = masses.get(key, Fraction()) + weight
    listed = [(a, weight) for a, weight in masses.items() if weight]
    return tuple(sorted(listed, key=lambda entry: (len(entry[0]), entry[0])))


def rough(*sets: Iterable[int]) -> ExactSoft:
    """A clustering that says of each object only that it is in one of some clusters."""
    return ExactSoft(tuple(mass_of([(a, Fraction(1))]) for a in sets))


def hard(labels: Iterable[int]) -> ExactSoft:
    """A clustering that leaves nothing open."""
    return rough(*([w] for w in labels))


def _set(a: Clusters) -> str:
    return _braced(", ".join(map(str, a))) if a else "set()"


def _drawn(mass: Mass) -> str:
    if len(mass) == 1:
        return _drawn_set(mass[0][0])
    return f"[{' + '.join(f'{weight} {_drawn_set(a)}' for a, weight in mass)}]"


def _drawn_set(a: Clusters) -> str:
    return str(a[0]) if len(a) == 1 else _braced("".join(map(str, a)))


def _braced(text: str) -> str:
    return f"{{{text}}}"


def subsets(clusters: int, *, empty: bool = False) -> tuple[Clusters, ...]:
    """All sets of the clusters 1, 2 and so on, the small ones first."""
    names = range(1, clusters + 1)
    sizes = range(0 if empty else 1, clusters + 1)
    return tuple(a for size in sizes for a in combinations(names, size))


def masses_on(sets: Sequence[Clusters], parts: int) -> tuple[Mass, ...]:
    """All ways to share out a mass of equal parts over some sets."""
    return tuple(
        mass_of((a, Fraction(many, parts)) for a, many in Counter(chosen).items())
        for chosen in combinations_with_replacement(sets, parts)
    )


def once(clusterings: Iterable[ExactSoft]) -> tuple[ExactSoft, ...]:
    """The clusterings that are the first up to cluster names, small and simple ones first."""
    kept = {one: None for one in clusterings if one == one.plain}
    return tuple(sorted(kept, key=lambda one: (one.size, one.ambiguity, one.masses)))


def _of(masses: Sequence[Mass], objects: int) -> tuple[ExactSoft, ...]:
    return once(map(ExactSoft, product(masses, repeat=objects)))


@cache
def all_hard(objects: int) -> tuple[ExactSoft, ...]:
    """All partitions."""
    every = (hard(w + 1 for w in labels) for labels in partitions(objects))
    return tuple(sorted(every, key=lambda one: (one.size, one.masses)))


@cache
def all_rough(objects: int, clusters: int, *, empty: bool = False) -> tuple[ExactSoft, ...]:
    """All rough clusterings into at most `clusters`; with `empty`, objects may be in none."""
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
    simplest: dict[tuple[Labels, ...], ExactSoft] = {}
    for one in all_rough(objects, clusters):
        simplest.setdefault(one.allowed, one)
    return tuple(simplest.values())


@cache
def anchored(clusters: int, parts: int, anchors: int | None = None) -> tuple[ExactSoft, ...]:
    """One object for each of the first clusters that is surely in it, and one more, any mass.

    Without a number of anchors, all clusters have one, so that all their names mean something.
    """
    fixed = hard(range(1, (clusters if anchors is None else anchors) + 1)).masses
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
    orders = {ExactSoft(masses).plain for masses in permutations(one.masses)}
    return min(orders, key=lambda one: one.masses)


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
    value = measure.of(compared(one, other))
    if isinstance(value, ScoreRange):
        return value.high if measure.is_distance else value.low
    return float(value)


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
    """The scores, remembered by the function too: several measures may have one name."""
    scores = np.array([[score(measure, a, b) for b in members] for a in members])
    scores.flags.writeable = False
    return scores


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
    sides = " against ".join(dict.fromkeys(_kinds_text(kinds) for kinds in (left, right)))
    what = f"random pairs, {sides}, of {objects} objects and {clusters} clusters{with_empty}"
    return Stage(what, cases)


def _kinds_text(kinds: Sequence[Kind]) -> str:
    return "all kinds" if kinds == UNCERTAIN else " or ".join(kinds)


# Clusterings that differ in one object alone, while others are surely in clusters of their own.
#
# The distances of all of them come in whole numbers: exact, and quick enough to try every mass.


class AnchoredFamily(NamedTuple):
    """All clusterings of the family, and their distances as multiples of one unit."""

    members: tuple[ExactSoft, ...]
    near: Ints
    """The transported partition distance at alpha = 0."""
    moved: Ints
    """The partition distance with transport inside, at alpha = 1."""
    unit: Fraction

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return self.members[0].objects

    def widest(self) -> tuple[ExactSoft, ExactSoft] | None:
        """The first two of which `near` is above `moved` by the most, if it ever is."""
        gap = self.near - self.moved
        if gap.max() <= 0:
            return None
        one, other = np.unravel_index(gap.argmax(), gap.shape)
        return self.members[int(one)], self.members[int(other)]

    def not_told_apart(self) -> tuple[ExactSoft, ExactSoft] | None:
        """The first two that differ in more than names and have `moved` 0."""
        for one, other in np.argwhere(np.triu(self.moved == 0, 1)):
            if self.members[one].plain != self.members[other].plain:
                return self.members[one], self.members[other]
        return None


@cache
def family(clusters: int, parts: int, anchors: int) -> AnchoredFamily:
    """The free object has any mass of `parts` equal parts; some clusters have an anchor."""
    sets = subsets(clusters)
    masses = np.array(list(combinations_with_replacement(range(len(sets)), parts)), np.int64)
    places = [frozenset(w if w <= anchors else 0 for w in a) for a in sets]
    apart = np.array([[int(not a & b) for b in places] for a in places], np.int64)
    near = 2 * carried(masses, masses, apart)
    moved = _moved(masses, sets, clusters, anchors)
    return AnchoredFamily(
        anchored(clusters, parts, anchors), near, moved, Fraction(1, 2 * parts * anchors)
    )


def _moved(masses: Ints, sets: tuple[tuple[int, ...], ...], clusters: int, anchors: int) -> Ints:
    """The least sum of what differs over all ways to match clusters, anchors that move included."""
    parts = masses.shape[1]
    alone = np.array([[a == (w,) for w in range(1, clusters + 1)] for a in sets])
    unknown = np.array([[w in a for w in range(1, clusters + 1)] for a in sets]) & ~alone
    yes, open_ = (held[masses].sum(axis=1) for held in (alone, unknown))
    three = np.stack([yes, open_, parts - yes - open_], axis=2)
    differ = {
        (v, w): np.abs(three[:, None, v] - three[None, :, w]).sum(axis=2) // 2
        for v in range(clusters)
        for w in range(clusters)
    }
    totals = (
        sum(differ[v, w] for v, w in enumerate(matched))
        + 2 * parts * sum(matched[v] != v for v in range(anchors))
        for matched in permutations(range(clusters))
    )
    return reduce(np.minimum, totals)


def carried(left: Ints, right: Ints, cost: Ints) -> Ints:
    """The least cost of carrying each row of one table to each row of the other.

    A row names the place of each of its equal parts, and cost is a table of places, so that all
    ways to pair parts are all that there is to try: exact where the costs are whole numbers.
    """
    totals: Iterator[Ints] = (
        sum(cost[np.ix_(left[:, at], right[:, to])] for at, to in enumerate(order))  # type: ignore[misc]
        for order in permutations(range(left.shape[1]))
    )
    return reduce(np.minimum, totals)
