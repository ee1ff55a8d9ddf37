"""Two covers of two or three objects: families of clusters that may overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import permutations, product
from operator import or_
from random import Random

from clusterdiff.clusterings import Cover
from clusterdiff.contingency import Meet, Policy
from clusterdiff.engines.memory import meet_clusterings
from clusterdiff.testing.claims import Family, Labels, covers, partitions, renamed, with_names
from clusterdiff_lab.axioms.tables import Comparison, Groups, times


@dataclass(frozen=True)
class Overlap(Comparison):
    """Two families of clusters of the same objects."""

    count: int
    truth: Family
    guess: Family
    kind = "cover"

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return self.count

    @cached_property
    def key(self) -> tuple[Family, Family]:
        """The first of all names of the objects, if they are few."""
        return (
            renamed(self.count, self.truth, self.guess)
            if self.count < 5
            else (self.truth, self.guess)
        )

    @cached_property
    def meet(self) -> Meet:
        """The comparison as a measure takes it."""
        truth, guess = self.sides
        assert isinstance(truth, Cover)
        assert isinstance(guess, Cover)
        return meet_clusterings(truth, guess, Policy())

    @property
    def groups(self) -> tuple[Groups, Groups]:
        """The clusters of truth and of guess."""
        return groups_of(self.truth), groups_of(self.guess)

    def smaller(self) -> Iterator[Overlap]:
        """One object left out; or a guess cluster, or an object of it, if none is left alone.

        No cluster is there twice that was not.
        """
        for x in range(self.count):
            truth, guess = (without(family, x) for family in (self.truth, self.guess))
            sides = ((truth, self.truth), (guess, self.guess))
            if truth and guess and all(_twice(less) <= _twice(more) for less, more in sides):
                yield Overlap(self.count - 1, truth, guess)
        for at, cluster in enumerate(self.guess):
            rest = [*self.guess[:at], *self.guess[at + 1 :]]
            for less in (0, *(cluster & ~(1 << x) for x in range(self.count))):
                kept = family(*rest, *([less] if less else []))
                whole = reduce(or_, kept, 0) == (1 << self.count) - 1
                if less != cluster and whole and _twice(kept) <= _twice(self.guess):
                    yield Overlap(self.count, self.truth, kept)


def _twice(clusters: Family) -> int:
    """How many clusters are there again."""
    return len(clusters) - len(set(clusters))


def family(*clusters: int) -> Family:
    """Clusters in order."""
    return tuple(sorted(clusters))


def groups_of(clusters: Family) -> Groups:
    """The objects 1, 2, … of each cluster."""
    return [[x + 1 for x in range(c.bit_length()) if c >> x & 1] for c in clusters]


def without(clusters: Family, x: int) -> Family:
    """The clusters without an object, those after it one down."""
    low = (1 << x) - 1
    return tuple(sorted(rest for c in clusters if (rest := (c & low) | (c >> 1 & ~low))))


@cache
def golds(n: int) -> tuple[Family, ...]:
    """Every partition of n objects as a family."""
    return tuple(_family_of(labels) for labels in partitions(n))


def _family_of(labels: Labels) -> Family:
    bits: dict[int, int] = {}
    for x, label in enumerate(labels):
        bits[label] = bits.get(label, 0) | 1 << x
    return tuple(sorted(bits.values()))


@cache
def cover_pairs(most: int) -> tuple[Overlap, ...]:
    """Every pair of covers of up to `most` objects."""
    sizes = range(1, most + 1)
    return tuple(Overlap(n, *pair) for n in sizes for pair in product(covers(n), repeat=2))


@cache
def pairs_up_to_renaming(most: int) -> tuple[Overlap, ...]:
    """Every pair of covers, with one truth of all that differ in the names of objects alone."""
    pairs: list[Overlap] = []
    for n in range(1, most + 1):
        truths = {min(with_names(f, names) for names in permutations(range(n))) for f in covers(n)}
        pairs += (Overlap(n, *pair) for pair in product(sorted(truths), covers(n)))
    return tuple(pairs)


@cache
def against_partitions(most: int) -> tuple[Overlap, ...]:
    """Every partition with every cover of two objects or more."""
    sizes = range(2, most + 1)
    return tuple(Overlap(n, *pair) for n in sizes for pair in product(golds(n), covers(n)))


@cache
def multiset_pairs(most: int) -> tuple[Overlap, ...]:
    """Pairs of families in which clusters of one size are all there equally often, up to twice."""
    pairs: list[Overlap] = []
    for n in range(1, most + 1):
        times = list(product(range(3), repeat=n))
        repeated = [_by_size(n, often) for often in times]
        full = [f for f in repeated if f and reduce(or_, f) == (1 << n) - 1]
        pairs += (Overlap(n, *pair) for pair in product(full, repeat=2))
    return tuple(pairs)


def _by_size(n: int, often: Labels) -> Family:
    """Every cluster as often as its size says."""
    sized = ((c, often[c.bit_count() - 1]) for c in range(1, 1 << n))
    return tuple(c for c, times in sized for _ in range(times))


MOST = 7
"""Covers of more objects are left."""


def random_covers(random: Random, gold: bool = False) -> Overlap:
    """Two covers of four to six objects; truth is a partition, if it is to be."""
    n = random.randint(4, 6)
    truth = _partition(random, n) if gold else _cover(random, n)
    return Overlap(n, truth, truth if random.random() < 0.1 else _cover(random, n))


def changed_covers(random: Random, covers: Overlap, gold: bool = False) -> Overlap:
    """The covers after one change or two; truth stays a partition, if it is to be one."""
    while True:
        changed = covers
        for _ in range(random.choice((1, 1, 2))):
            changed = _changed(random, changed, gold) if _is_whole(changed) else changed
        if changed != covers and _is_whole(changed):
            return changed


def _changed(random: Random, covers: Overlap, gold: bool) -> Overlap:
    n, truth, guess = covers.count, covers.truth, covers.guess
    move = random.random()
    if move < 0.15:
        return _copied(random, covers)
    if move < 0.3:
        x = random.randrange(n)
        return Overlap(n - 1, without(truth, x), without(guess, x))
    if move < 0.45:
        return Overlap(n, (_moved if gold else _altered)(random, n, truth), guess)
    return Overlap(n, truth, _altered(random, n, guess))


def _altered(random: Random, n: int, clusters: Family) -> Family:
    """An object put into a cluster or taken out of it, a cluster added, or one taken away."""
    move, chosen = random.random(), random.choice(clusters)
    if move < 0.25:
        return family(*{*clusters, random.randrange(1, 1 << n)})
    if move < 0.45:
        return family(*(c for c in clusters if c != chosen))
    new = chosen ^ 1 << random.randrange(n)
    kept = clusters if move < 0.6 else (c for c in clusters if c != chosen)
    return family(*{*kept, new} - {0})


def _moved(random: Random, n: int, clusters: Family) -> Family:
    """An object moved to another cluster of a partition, or to one of its own."""
    bit = 1 << random.randrange(n)
    rest = [c & ~bit for c in clusters if c & ~bit]
    at = random.randint(0, len(rest))
    return family(*rest[:at], *(c | bit for c in rest[at : at + 1] or [0]), *rest[at + 1 :])


def _copied(random: Random, covers: Overlap) -> Overlap:
    """An object several times over."""
    x, more = random.randrange(covers.count), max(1, times(random, 1))
    new = ((1 << more) - 1) << covers.count

    def grown(clusters: Family) -> Family:
        return family(*(c | new if c >> x & 1 else c for c in clusters))

    return Overlap(covers.count + more, grown(covers.truth), grown(covers.guess))


def _is_whole(covers: Overlap) -> bool:
    """Whether objects are few, each in a cluster on both sides, and no cluster is there twice."""
    whole = (1 << covers.count) - 1
    return 0 < covers.count <= MOST and all(
        reduce(or_, side, 0) == whole and len(set(side)) == len(side)
        for side in (covers.truth, covers.guess)
    )


def _partition(random: Random, n: int) -> Family:
    return _family_of(tuple(random.randrange(n) for _ in range(n)))


def _cover(random: Random, n: int) -> Family:
    clusters = {random.randrange(1, 1 << n) for _ in range(random.randint(1, n + 1))}
    left = (1 << n) - 1 & ~reduce(or_, clusters)
    return family(*clusters, *(1 << x for x in range(n) if left >> x & 1))
