"""Partitions and covers of a few objects, for tests that want all of them."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.measures import Measure
from clusterdiff.testing.claims import (
    Case,
    Family,
    Labels,
    cover_pairs,
    covers,
    families,
    meet_of,
    memberships,
    numbered,
    pairs_up_to_renaming,
    partitions,
    renamed,
    types,
)

__all__ = [
    "Family",
    "Labels",
    "all_pairs",
    "cover_meet",
    "cover_pairs",
    "cover_score",
    "covers",
    "disturbed",
    "families",
    "hard_meet",
    "memberships",
    "noisy",
    "numbered",
    "pairs_up_to_renaming",
    "partitions",
    "random_cover",
    "renamed",
    "types",
]


def all_pairs(n: int) -> list[tuple[Labels, Labels]]:
    """Every pair of partitions of n objects."""
    return [(t, g) for t in partitions(n) for g in partitions(n)]


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


def cover_meet(n: int, truth: Family, guess: Family) -> cd.CoverMeet:
    """The contingency table of two covers; several tests ask for those of all small ones."""
    made = meet_of(Case(n, truth, guess, "cover"))
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
