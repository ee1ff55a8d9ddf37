"""Medoid, stability, order and embedding against plain definitions."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations
from statistics import mean, stdev

import numpy as np
import pytest

import clusterdiff as cd
from cases import partitions
from clusterdiff.array_types import Ints
from clusterdiff.runs.agreement import classical_scaling, dissimilarities, is_euclidean
from refusals import refuses

RUNS = {"A": [0, 0, 0, 1, 1, 1], "B": [0, 0, 1, 1, 1, 1], "C": [0, 0, 0, 1, 1, 2], "D": [0] * 6}


@pytest.mark.parametrize("measure", ["adjusted_rand", "vi_distance", "bcubed_precision", "purity"])
def test_stability_and_medoid_by_definition(measure: str) -> None:
    m = cd.matrix(RUNS, measure)
    names = list(RUNS)

    def agreement(some: list[str]) -> float:
        return mean(m[a, b] for a, b in permutations(some, 2))

    assert m.stability == pytest.approx(agreement(names), abs=1e-15)
    pairs = [(m[a, b] + m[b, a]) / 2 for a, b in combinations(names, 2)]
    assert m.spread == pytest.approx(stdev(pairs), abs=1e-15)
    without = [agreement([a for a in names if a != out]) for out in names]
    spread = sum((one - mean(without)) ** 2 for one in without)
    assert m.standard_error == pytest.approx(math.sqrt(3 / 4 * spread), abs=1e-14)
    means = {a: mean((m[a, b] + m[b, a]) / 2 for b in names if b != a) for a in names}
    choose = min if m.measure.is_distance else max
    assert m.medoid == choose(names, key=lambda a: means[a])


def test_ties_of_the_medoid_go_to_the_first_given() -> None:
    two = {"b": [1, 1, 2], "a": [1, 2, 2]}
    assert cd.matrix(two, "rand").medoid == "b"
    assert cd.matrix(dict(reversed(two.items())), "vi_distance").medoid == "a"


def test_the_jackknife_covers_the_mean_of_many_runs() -> None:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 4, 60)

    def run() -> Ints:
        return np.where(rng.random(60) < 0.3, rng.integers(0, 4, 60), base)

    draws = [cd.matrix([run() for _ in range(6)], "rand") for _ in range(40)]
    spread = stdev(m.stability for m in draws)
    assert 0.6 < mean(m.standard_error for m in draws) / spread < 1.6


def test_the_order_has_similar_runs_side_by_side() -> None:
    rng = np.random.default_rng(1)
    kinds = [rng.integers(0, 5, 200) for _ in range(3)]
    runs = [
        np.where(rng.random(200) < 0.1, rng.integers(0, 5, 200), kinds[i % 3]) for i in range(12)
    ]
    order = cd.matrix(runs, "nmi").order
    assert sorted(order) == list(range(12))
    kind = [i % 3 for i in order]
    assert sum(a != b for a, b in pairwise(kind)) == 2
    assert order.index(0) < order.index(11)


@pytest.mark.parametrize(
    "measure", ["bcubed_f(f='objects')", "elm_f", "rand", "element_similarity", "mirkin_distance"]
)
def test_roots_of_these_are_euclidean(measure: str) -> None:
    runs = [list(one) for one in partitions(5)]
    m = cd.matrix(runs, measure)
    assert is_euclidean(m.measure)
    everything = m.embedding(len(runs))
    assert everything.eigenvalues.min() > -1e-12 * everything.eigenvalues.max()
    assert everything.stress < 1e-7
    scale = 1 if m.measure.is_distance else -1
    gaps = everything.points[:, None, :] - everything.points[None, :, :]
    squares = (gaps**2).sum(axis=2)
    wanted = m.values if scale == 1 else 1 - m.values
    assert np.abs(squares - wanted).max() < 1e-12 * max(1.0, wanted.max())


@pytest.mark.parametrize(
    "measure", ["vi_distance", "elm_f(f='means')", "bcubed_f", "bcubed_f(alpha=0.3, f='objects')"]
)
def test_others_are_not_said_to_be(measure: str) -> None:
    m = cd.matrix([list(one) for one in partitions(4)], cd.measure(measure))
    assert not is_euclidean(m.measure)
    assert (m.distances() == dissimilarities(m.values, m.measure.is_distance)).all()


def test_an_embedding_keeps_distances_and_says_how_well() -> None:
    points = np.random.default_rng(2).normal(size=(7, 3))
    apart = np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2))
    whole, flat = classical_scaling(apart, 3), classical_scaling(apart, 2)
    assert whole.stress < 1e-12 < 0.01 < flat.stress < 1
    assert (np.diff(whole.eigenvalues) <= 0).all()
    assert np.allclose(whole.points[:, :2], flat.points)
    assert classical_scaling(apart, 9).points.shape == (7, 9)
    assert classical_scaling(np.zeros((3, 3)), 2).stress == 0.0
    refuses("at least one dimension", cd.matrix(RUNS).embedding, 0)
