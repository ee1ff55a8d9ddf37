"""Partitions of a few objects, for tests that want all of them."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

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


def pairs_up_to_renaming(n: int) -> list[tuple[Labels, Labels]]:
    """Pairs of partitions such that every pair is one of these with the objects renamed."""
    return list(product(types(n), partitions(n)))


def noisy(n: int, k: int, seed: int, share: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Random labels, and the same with a share of them thrown anew."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    guess = np.where(rng.random(n) < share, rng.integers(0, k, n), truth)
    return truth, guess
