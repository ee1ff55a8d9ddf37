"""Partitions and covers of a few objects, for tests that want all of them."""

from __future__ import annotations

import random
from functools import cache, reduce
from itertools import combinations, pairwise, permutations
from operator import or_
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.measures import Measure

Labels = tuple[int, ...]


@cache
def partitions(n: int) -> tuple[Labels, ...]:
    """Every partition of n objects, as labels in the order of first appearance."""
    found: list[Labels] = [()]
    for _ in range(n):
        found = [(*p, new) for p in found for new in range(max(p, default=-1) + 2)]
    return tuple(found)


@cache
def types(n: int) -> tuple[Labels, ...]:
    """One partition of n objects for each list of cluster sizes."""
    seen: dict[tuple[int, ...], Labels] = {}
    for p in partitions(n):
        seen.setdefault(tuple(sorted(np.bincount(p), reverse=True)), p)
    return tuple(seen.values())


def all_pairs(n: int) -> list[tuple[Labels, Labels]]:
    """Every pair of partitions of n objects."""
    return [(t, g) for t in partitions(n) for g in partitions(n)]


@cache
def pairs_up_to_renaming(n: int) -> tuple[tuple[Labels, Labels], ...]:
    """Pairs of partitions such that every pair is just one of these with the objects renamed.

    Which one stands for the others is drawn, so that its clusters come in any order.
    """
    rng, found = random.Random(n), []
    for truth in types(n):
        left = dict.fromkeys(rng.sample(partitions(n), len(partitions(n))))
        while left:
            alike = [left.popitem()[0]]
            found.append((truth, alike[0]))
            for guess in alike:
                for names in _exchanges(truth):
                    moved = numbered(tuple(guess[i] for i in names))
                    if moved in left:
                        del left[moved]
                        alike.append(moved)
    return tuple(found)


def numbered(labels: Labels) -> Labels:
    """The same partition with its labels in the order of first appearance."""
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


@cache
def _exchanges(truth: Labels) -> tuple[Labels, ...]:
    """Names of objects that leave a partition as it is; all others are some of these in turn.

    Two objects of one cluster exchange their names, or two clusters of one size do.
    """
    clusters = [[i for i, own in enumerate(truth) if own == label] for label in set(truth)]
    swaps = [((i,), (j,)) for own in clusters for i, j in pairwise(own)]
    sides = [(a, b) for a, b in combinations(clusters, 2) if len(a) == len(b)]
    made = []
    for one, other in [*swaps, *sides]:
        names = list(range(len(truth)))
        for i, j in zip(one, other, strict=True):
            names[i], names[j] = j, i
        made.append(tuple(names))
    return tuple(made)


def noisy(n: int, k: int, seed: int, share: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Random labels, and the same with a share of them thrown anew."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    guess = np.where(rng.random(n) < share, rng.integers(0, k, n), truth)
    return truth, guess


def hard_meet(truth: Any, guess: Any) -> cd.HardMeet:
    """The meet of two lists of labels."""
    made = cd.meet(truth, guess)
    assert isinstance(made, cd.HardMeet)
    return made


Family = tuple[int, ...]
"""A cover by distinct clusters: each a whole number whose bits are its objects."""


@cache
def families(n: int) -> tuple[Family, ...]:
    """Every set of distinct non-empty clusters of n objects; some leave objects in no cluster."""
    clusters = range(1, 1 << n)
    return tuple(f for k in range(1 << n) for f in combinations(clusters, k))


@cache
def all_covers(n: int) -> tuple[Family, ...]:
    """Those families that leave no object out."""
    return tuple(f for f in families(n) if reduce(or_, f, 0) == (1 << n) - 1)


@cache
def renamed(n: int, truth: Family, guess: Family) -> tuple[Family, Family]:
    """The same pair for all pairs that differ in the names of the objects alone."""
    return min((_named(truth, names), _named(guess, names)) for names in permutations(range(n)))


@cache
def _named(family: Family, names: Labels) -> Family:
    return tuple(sorted(_moved(cluster, names) for cluster in family))


def _moved(cluster: int, names: Labels) -> int:
    return sum(1 << names[i] for i in range(len(names)) if cluster >> i & 1)


@cache
def cover_pairs(n: int) -> tuple[tuple[Family, Family], ...]:
    """Pairs of families such that every pair is one of these with the objects renamed."""
    return tuple(sorted({renamed(n, t, g) for t in families(n) for g in families(n)}))


def memberships(n: int, family: Family) -> dict[int, frozenset[int]]:
    """From each object to the clusters it is in."""
    return {i: frozenset(k for k, c in enumerate(family) if c >> i & 1) for i in range(n)}


@cache
def cover_meet(n: int, truth: Family, guess: Family) -> cd.CoverMeet:
    """The meet of two covers."""
    made = cd.meet(cd.Cover(memberships(n, truth)), cd.Cover(memberships(n, guess)))
    assert isinstance(made, cd.CoverMeet)
    return made


@cache
def cover_score(measure: Measure, n: int, truth: Family, guess: Family) -> float:
    """The score of two covers; several tests ask for those of all small ones."""
    score: float = measure.of(cover_meet(n, truth, guess))
    return score


def random_cover(
    rng: random.Random, n: int, clusters: int, largest: int
) -> dict[int, frozenset[int]]:
    """A cover with nested and repeated clusters, and objects in none."""
    found = [
        set(rng.sample(range(n), rng.randint(1, min(n, largest)))) for _ in range(max(clusters, 1))
    ]
    found.append(set(found[0]))
    found.append(set(sorted(found[-2])[: max(1, len(found[-2]) // 2)]))
    return {i: frozenset(k for k, c in enumerate(found) if i in c) for i in range(n)}


def disturbed(
    rng: random.Random, cover: dict[int, frozenset[int]], share: float = 0.3
) -> dict[int, frozenset[int]]:
    """The same cover with some memberships moved, some lost and some won."""
    labels = sorted({label for own in cover.values() for label in own} | {1000})
    changed = {}
    for i, own in cover.items():
        kept = {label for label in sorted(own) if rng.random() > share}
        changed[i] = frozenset(
            kept | {label for label in labels if rng.random() < share / len(labels)}
        )
    return changed
