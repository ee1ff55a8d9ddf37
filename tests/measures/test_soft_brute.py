"""Thousands of small instances against a hard clustering, by going through every clustering."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import clusterdiff as cd

Floats = NDArray[np.float64]
CLUSTERS = 3
SETS = [s for s in product((0, 1), repeat=CLUSTERS) if any(s)]


class Instance(NamedTuple):
    """A hard truth, and for each object the masses on `SETS`."""

    truth: list[int]
    masses: list[dict[int, float]]

    @property
    def guess(self) -> cd.Evidential:
        return cd.Evidential(
            [{tuple(np.flatnonzero(SETS[a])): m for a, m in one.items()} for one in self.masses]
        )


@cache
def labelings(objects: int) -> NDArray[np.int64]:
    return np.array(list(product(range(CLUSTERS), repeat=objects)))


def rand_distances(truth: list[int]) -> Floats:
    """One less the Rand index of every labeling, pair by pair."""
    every = labelings(len(truth))
    first, second = np.triu_indices(len(truth), 1)
    together = np.array(truth)[first] == np.array(truth)[second]
    return np.asarray(((every[:, first] == every[:, second]) != together).mean(axis=1))


def move_distances(truth: list[int]) -> Floats:
    """The moves to every labeling, over all matchings of clusters."""
    every = labelings(len(truth))
    renamed = [np.array(names)[truth] for names in permutations(range(CLUSTERS + 1))]
    return np.asarray(np.min([(every != one).sum(axis=1) for one in renamed], axis=0)) / (
        len(truth) - 1
    )


def expected_ends(one: Instance, distance: Floats) -> tuple[float, float]:
    """The mean over rough clusterings of the least and of the largest distance."""
    every = labelings(len(one.truth))
    allowed = [
        {a: np.array(SETS[a])[every[:, x]] == 1 for a in masses}
        for x, masses in enumerate(one.masses)
    ]
    low = high = 0.0
    for chosen in product(*(masses.items() for masses in one.masses)):
        chance = np.prod([m for _, m in chosen])
        fits = np.all([allowed[x][a] for x, (a, _) in enumerate(chosen)], axis=0)
        low += chance * distance[fits].min()
        high += chance * distance[fits].max()
    return low, high


def drawn(rng: Random, kind: str) -> Instance:
    many = rng.randint(2, {"rough": 6, "fuzzy": 5, "evidential": 4}[kind])
    truth = [rng.randrange(rng.choice((1, 2, 3, 4))) for _ in range(many)]
    single = [a for a, one in enumerate(SETS) if sum(one) == 1]
    masses = []
    for _ in range(many):
        some = rng.sample(single if kind == "fuzzy" else range(len(SETS)), rng.randint(1, 3))
        some = some[:1] if kind == "rough" else some
        weights = [rng.randint(1, 6) for _ in some]
        masses.append({a: w / sum(weights) for a, w in zip(some, weights, strict=True)})
    alike = rng.choice((1, 1, 2, many))
    return Instance([truth[0]] * alike + truth[alike:], [masses[0]] * alike + masses[alike:])


@pytest.mark.parametrize(("kind", "many"), [("rough", 250), ("fuzzy", 120), ("evidential", 40)])
@pytest.mark.parametrize(
    ("measure", "distances"), [("rand", rand_distances), ("partition_distance", move_distances)]
)
def test_exact_ends_are_those_of_all_clusterings_and_bounds_hold_them(
    kind: str, many: int, measure: str, distances: object
) -> None:
    rng = Random(f"{kind} {measure}")
    assert callable(distances)
    exact, bounding = (cd.transport(measure, method=method) for method in ("exact", "bounds"))
    for _ in range(many):
        one = drawn(rng, kind)
        low, high = expected_ends(one, distances(one.truth))
        if measure == "rand":
            low, high = 1 - high, 1 - low
        m = cd.meet(one.truth, one.guess)
        found = exact.of(m)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9), one
        bounds = bounding.of(m)
        assert bounds.certain
        assert bounds.low - 1e-9 <= low, one
        assert high <= bounds.high + 1e-9, one
