"""Small partitions, and the situations in which Amigó et al. (2009) want one guess to win.

A partition of n objects is a tuple of labels, numbered in order of appearance. A table is a pair
of partitions up to renaming objects within classes: one column per guess cluster, holding how
many objects of each class it has, the classes from large to small.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import clusterdiff as cd
from cases import hard_meet

Labels = tuple[int, ...]
Cluster = frozenset[int]
Column = tuple[int, ...]
Table = tuple[Column, ...]

CLOSE = 1e-12
"""Scores nearer than this are a tie."""


class Pair(NamedTuple):
    truth: Labels
    guess: Labels


class Case(NamedTuple):
    """Two guesses for one truth; a condition says which is better."""

    worse: Table
    better: Table


class RagBag(NamedTuple):
    case: Case
    size: int
    """The number n of objects of one class in the clean cluster, and of objects in the noise."""
    pure_noise: bool
    """Whether no object of the noise is of the clean cluster's class or of the stray's."""


@cache
def meet(truth: Labels, guess: Labels) -> cd.HardMeet:
    """What measures read, made once for each pair."""
    return hard_meet(truth, guess)


@cache
def partitions(n: int) -> tuple[Labels, ...]:
    """Every partition of n objects once."""
    if n == 0:
        return ((),)
    return tuple(
        (*start, label)
        for start in partitions(n - 1)
        for label in range(max(start, default=-1) + 2)
    )


def pairs(n: int) -> Iterator[Pair]:
    """Every ordered pair of partitions of n objects."""
    return (Pair(*both) for both in product(partitions(n), repeat=2))


def sizes(n: int, largest: int | None = None) -> Iterator[Labels]:
    """The cluster sizes of every partition of n objects up to renaming, from large to small."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in sizes(n - first, first):
            yield (first, *rest)


def of_sizes(sizes: Labels) -> Labels:
    """The partition whose clusters have these sizes, in this order."""
    return tuple(label for label, size in enumerate(sizes) for _ in range(size))


def top(n: int) -> Labels:
    """All objects in one cluster."""
    return (0,) * n


def bottom(n: int) -> Labels:
    """Each object alone."""
    return tuple(range(n))


def numbered(labels: Labels) -> Labels:
    """The same partition with its labels in order of appearance."""
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


def clusters(labels: Labels) -> list[Cluster]:
    """The clusters as sets of objects."""
    return [
        frozenset(x for x, other in enumerate(labels) if other == label)
        for label in dict.fromkeys(labels)
    ]


def cluster(labels: Labels, x: int) -> Cluster:
    """The cluster of object x."""
    return frozenset(y for y, label in enumerate(labels) if label == labels[x])


def induced(labels: Labels, within: Cluster) -> Labels:
    """The partition that a subset of the objects inherits."""
    return numbered(tuple(labels[x] for x in sorted(within)))


@cache
def refines(fine: Labels, coarse: Labels) -> bool:
    """Whether every cluster of one lies within a cluster of the other."""
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def common(truth: Labels, guess: Labels) -> list[Cluster]:
    """The clusters of the meet: all intersections that are not empty."""
    return clusters(numbered(tuple(truth[x] * len(guess) + guess[x] for x in range(len(truth)))))


def connected(truth: Labels, guess: Labels) -> list[Cluster]:
    """The clusters of the join: objects that a chain of common clusters connects."""
    label = list(truth)
    for part in clusters(guess):
        joined = {label[x] for x in part}
        label = [min(joined) if old in joined else old for old in label]
    return clusters(tuple(label))


def tables(n: int) -> Iterator[Table]:
    """Every pair of partitions of n objects, once up to renaming objects within classes."""
    for classes in sizes(n):
        yield from _columns(classes, classes)


def _columns(left: Column, largest: Column) -> Iterator[Table]:
    """Every multiset of columns that add up to `left`, none after `largest` in the alphabet."""
    if not any(left):
        yield ()
        return
    for column in product(*(range(most + 1) for most in left)):
        if any(column) and column <= largest:
            rest = tuple(most - taken for most, taken in zip(left, column, strict=True))
            for others in _columns(rest, column):
                yield (column, *others)


def pair(table: Table) -> Pair:
    """Labels with this table: classes one after the other, and within them the guess clusters."""
    cells = [
        (of_class, number)
        for of_class, row in enumerate(zip(*table, strict=True))
        for number, count in enumerate(row)
        for _ in range(count)
    ]
    truth, guess = zip(*cells, strict=True)
    return Pair(truth, numbered(guess))


@cache
def pairs_up_to_renaming(n: int) -> tuple[Pair, ...]:
    """Every pair of partitions of n objects, at least once up to renaming the objects."""
    return tuple(_pairs_up_to_renaming(n))


def _pairs_up_to_renaming(n: int) -> Iterator[Pair]:
    for table in tables(n):
        classes = [sum(of_class) for of_class in zip(*table, strict=True)]
        alike = [
            (i, j) for i, j in combinations(range(len(classes)), 2) if classes[i] == classes[j]
        ]
        if all(_exchanged(table, i, j) <= table for i, j in alike):
            yield pair(table)


def _exchanged(table: Table, i: int, j: int) -> Table:
    """The table with two classes in each other's place."""
    order = list(range(len(table[0])))
    order[i], order[j] = j, i
    columns = (tuple(column[of_class] for of_class in order) for column in table)
    return tuple(sorted(columns, reverse=True))


def homogeneity_cases(n: int) -> Iterator[Case]:
    """One guess cluster with objects of two classes is split into one of each class."""
    for worse in tables(n):
        for at, column in enumerate(worse):
            if sum(count > 0 for count in column) == 2:
                pure = [_only(column, of_class) for of_class in _classes(column)]
                yield Case(worse, _replaced(worse, [at], pure))


def completeness_cases(n: int) -> Iterator[Case]:
    """Two guess clusters with objects of one and the same class are joined."""
    for worse in tables(n):
        for (i, one), (j, two) in combinations(enumerate(worse), 2):
            if len(_classes(one)) == 1 and _classes(one) == _classes(two):
                yield Case(worse, _replaced(worse, [i, j], [_sum(one, two)]))


def rag_bag_cases(n: int) -> Iterator[RagBag]:
    """A stray object is moved from a clean cluster to a noisy one.

    The clean cluster has k objects of one class besides the stray one, which is of another; the
    noisy one has k objects, each of a class of its own.
    """
    for worse in tables(n):
        for (i, clean), (j, noise) in product(enumerate(worse), repeat=2):
            if i == j or len(_classes(clean)) != 2 or max(noise) > 1:
                continue
            for stray in _classes(clean):
                if clean[stray] == 1 and sum(noise) == sum(clean) - 1:
                    moved = _only(clean, stray)
                    rest = tuple(a - b for a, b in zip(clean, moved, strict=True))
                    better = _replaced(worse, [i, j], [rest, _sum(noise, moved)])
                    pure = not any(noise[of_class] for of_class in _classes(clean))
                    yield RagBag(Case(worse, better), sum(noise), pure)


def _classes(column: Column) -> list[int]:
    """The classes that a guess cluster has objects of."""
    return [of_class for of_class, count in enumerate(column) if count]


def _only(column: Column, of_class: int) -> Column:
    """The objects of one class of a guess cluster."""
    return tuple(count if at == of_class else 0 for at, count in enumerate(column))


def _sum(one: Column, two: Column) -> Column:
    """Two guess clusters joined."""
    return tuple(a + b for a, b in zip(one, two, strict=True))


def _replaced(table: Table, gone: list[int], new: list[Column]) -> Table:
    """The table with other columns in place of some, in the order that `tables` gives."""
    kept = [column for at, column in enumerate(table) if at not in gone]
    return tuple(sorted(kept + new, reverse=True))
