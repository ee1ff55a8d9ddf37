"""Covers at random and small changes of them, for climbing."""

from __future__ import annotations

from functools import reduce
from operator import or_
from random import Random

from clusterdiff.laboratory.spaces.covers import Family, Overlap, family, without
from clusterdiff.laboratory.spaces.partition_moves import times

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
        made = covers
        for _ in range(random.choice((1, 1, 2))):
            made = _changed(random, made, gold) if _is_whole(made) else made
        if made != covers and _is_whole(made):
            return made


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
    return covers.count <= MOST and all(
        reduce(or_, side, 0) == whole and len(set(side)) == len(side)
        for side in (covers.truth, covers.guess)
    )


def _partition(random: Random, n: int) -> Family:
    bits: dict[int, int] = {}
    for x in range(n):
        label = random.randrange(n)
        bits[label] = bits.get(label, 0) | 1 << x
    return family(*bits.values())


def _cover(random: Random, n: int) -> Family:
    found = {random.randrange(1, 1 << n) for _ in range(random.randint(1, n + 1))}
    left = (1 << n) - 1 & ~reduce(or_, found)
    return family(*found, *(1 << x for x in range(n) if left >> x & 1))
