"""All small partitions and families of clusters, as plain tuples, once each or up to renaming."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from functools import cache, reduce
from itertools import combinations, permutations
from operator import or_
from typing import Any

from clusterdiff.chance.null_models import partitions as partitions

Labels = tuple[int, ...]
"""The cluster of each object, numbered from 0 on."""
Family = tuple[int, ...]
"""Clusters, each a whole number whose bits are its objects; sorted, some perhaps twice."""


def numbered(labels: Iterable[Any]) -> Labels:
    """A partition with its clusters numbered from 0 on as they appear."""
    numbers: dict[Any, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


@cache
def types(n: int) -> tuple[Labels, ...]:
    """One partition of n objects for each list of cluster sizes."""
    of_sizes: dict[tuple[int, ...], Labels] = {}
    for labels in partitions(n):
        of_sizes.setdefault(tuple(sorted(Counter(labels).values())), labels)
    return tuple(of_sizes.values())


@cache
def pairs_up_to_renaming(n: int) -> tuple[tuple[Labels, Labels], ...]:
    """Pairs of partitions such that every pair is just one of these with the objects renamed.

    Such pairs have one contingency table, up to the order of its rows and columns. Which pair
    stands for the others is drawn, so that its clusters come in any order.
    """
    rng = random.Random(n)
    pairs: dict[Any, tuple[Labels, Labels]] = {}
    for truth in types(n):
        for guess in rng.sample(partitions(n), len(partitions(n))):
            both = Counter(zip(guess, truth, strict=True))
            rows = [[both[g, t] for t in set(truth)] for g in set(guess)]
            table = min(
                tuple(sorted(tuple(row[t] for t in order) for row in rows))
                for order in permutations(set(truth))
            )
            pairs.setdefault((truth, table), (truth, guess))
    return tuple(pairs.values())


@cache
def families(n: int) -> tuple[Family, ...]:
    """Every set of distinct non-empty clusters of n objects; some leave objects in no cluster."""
    return tuple(f for k in range(1 << n) for f in combinations(range(1, 1 << n), k))


@cache
def covers(n: int) -> tuple[Family, ...]:
    """Every cover of n objects: a family that leaves no object out."""
    return tuple(family for family in families(n) if reduce(or_, family, 0) == (1 << n) - 1)


@cache
def cover_pairs(n: int) -> tuple[tuple[Family, Family], ...]:
    """Pairs of families such that every pair is one of these with the objects renamed."""
    return tuple(sorted({renamed(n, t, g) for t in families(n) for g in families(n)}))


@cache
def renamed(count: int, truth: Family, guess: Family) -> tuple[Family, Family]:
    """The pair that stands for all pairs that differ from this one in the names of the objects."""
    orders = permutations(range(count))
    return min((with_names(truth, names), with_names(guess, names)) for names in orders)


@cache
def with_names(clusters: Family, names: Labels) -> Family:
    """The clusters with each object called by its name in `names`."""
    moved = (sum(1 << names[x] for x in range(len(names)) if c >> x & 1) for c in clusters)
    return tuple(sorted(moved))


def memberships(n: int, family: Family) -> dict[int, frozenset[int]]:
    """From each object to the clusters it is in."""
    return {i: frozenset(k for k, c in enumerate(family) if c >> i & 1) for i in range(n)}
