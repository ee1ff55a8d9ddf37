"""All small partitions and families of clusters, as plain tuples."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations, permutations
from typing import Any

Labels = tuple[int, ...]
"""The cluster of each object, numbered from 0 on."""
Family = tuple[int, ...]
"""Clusters, each a whole number whose bits are its objects; sorted, some perhaps twice."""


def numbered(labels: Iterable[Any]) -> Labels:
    """The same partition with its clusters numbered from 0 on as they appear."""
    numbers: dict[Any, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


@cache
def partitions(n: int) -> tuple[Labels, ...]:
    """Every partition of n objects, as labels in the order of first appearance."""
    if n == 0:
        return ((),)
    return tuple(
        (*start, label)
        for start in partitions(n - 1)
        for label in range(max(start, default=-1) + 2)
    )


@cache
def families(n: int) -> tuple[Family, ...]:
    """Every set of distinct non-empty clusters of n objects; some leave objects in no cluster."""
    return tuple(f for k in range(1 << n) for f in combinations(range(1, 1 << n), k))


@cache
def renamed(count: int, truth: Family, guess: Family) -> tuple[Family, Family]:
    """The same pair for all pairs that differ in the names of the objects alone."""
    orders = permutations(range(count))
    return min((with_names(truth, names), with_names(guess, names)) for names in orders)


@cache
def with_names(clusters: Family, names: Labels) -> Family:
    """The clusters when each object is called by its name of these."""
    moved = (sum(1 << names[x] for x in range(len(names)) if c >> x & 1) for c in clusters)
    return tuple(sorted(moved))
