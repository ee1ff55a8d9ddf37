"""Consistency against an oracle that goes object by object and pair by pair."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cases import partitions
from clusterdiff.array_types import Ints
from clusterdiff.runs.agreement import classical_scaling, dissimilarities, is_euclidean
from refusals import refuses

A, B, C = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 2]
Run = dict[Any, Any]


def alike(one: Run, other: Run, o: Any) -> Fraction:
    """|A∩B| / max(|A|, |B|) over the objects of both."""
    shared = one.keys() & other.keys()
    a = {p for p in shared if one[p] == one[o]}
    b = {p for p in shared if other[p] == other[o]}
    return Fraction(len(a & b), max(len(a), len(b)))


def of_object(runs: list[Run], o: Any) -> Fraction | None:
    with_alignment = [run for run in runs if o in run]
    found = [alike(one, other, o) for one, other in combinations(with_alignment, 2)]
    return mean(found) if found else None


def of_cluster(runs: list[Run], r: int, label: Any) -> Fraction | None:
    """The mean over other runs of the mean over the objects of a cluster."""
    own = [o for o, c in runs[r].items() if c == label]
    others = [run for i, run in enumerate(runs) if i != r and run.keys() & set(own)]
    found = [mean(alike(runs[r], run, o) for o in own if o in run) for run in others]
    return mean(found) if found else None


def of_run(runs: list[Run], r: int) -> Fraction:
    others = [run for i, run in enumerate(runs) if i != r]
    return mean(mean(alike(runs[r], run, o) for o in runs[r] if o in run) for run in others)


def random_runs(seed: int) -> list[Run]:
    rng = np.random.default_rng(seed)
    objects = int(rng.integers(5, 40))
    missing = 0.25 * (seed % 2)
    base = rng.integers(0, 6, objects)
    made = []
    for _ in range(int(rng.integers(2, 6))):
        own = np.where(rng.random(objects) < 0.2, rng.integers(0, 6, objects), base)
        own = np.where(np.arange(objects) % 9 == 4, 90, own)
        kept = rng.random(objects) >= missing
        made.append({o: int(own[o]) for o in range(objects) if kept[o]})
    return made


def test_golden() -> None:
    found = cd.matrix({"A": A, "B": B, "C": C}).objects()
    wanted = [Fraction(7, 9)] * 2 + [Fraction(1, 2)] + [Fraction(23, 36)] * 2 + [Fraction(4, 9)]
    assert [Fraction(v).limit_denominator(1000) for v in found.values.tolist()] == wanted
    assert np.abs(found.values - np.array(wanted, float)).max() < 2e-16
    assert found.mean == float(Fraction(17, 27))
    assert found.worst(2) == [(5, float(Fraction(4, 9))), (2, 0.5)]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("seed", range(10))
def test_objects_clusters_and_runs(seed: int) -> None:
    runs = random_runs(seed)
    found = cd.matrix(runs, "rand", align="shared").objects()
    for o, value in zip(found.ids, found.values.tolist(), strict=True):
        wanted = of_object(runs, o)
        assert math.isnan(value) if wanted is None else value == pytest.approx(wanted, abs=1e-15)
    assert len(found.clusters) == sum(len(set(run.values())) for run in runs)
    for name, label, objects, mean_of, stable in found.clusters:
        run = runs[int(name) - 1]
        own = [o for o, c in run.items() if c == label]
        known = [x for x in (of_object(runs, o) for o in own) if x is not None]
        assert objects == len(own)
        assert (
            math.isnan(mean_of) if not known else mean_of == pytest.approx(mean(known), abs=1e-14)
        )
        wanted = of_cluster(runs, int(name) - 1, label)
        assert math.isnan(stable) if wanted is None else stable == pytest.approx(wanted, abs=1e-14)
    for r, one in enumerate(found.runs):
        assert one.consistency == pytest.approx(of_run(runs, r), abs=1e-14)
        assert (one.objects, one.clusters) == (len(runs[r]), len(set(runs[r].values())))


def test_the_mean_is_the_mean_element_similarity_of_pairs() -> None:
    runs = [list(run.values()) for run in random_runs(4)]
    m = cd.matrix(runs, "element_similarity")
    assert m.objects().mean == pytest.approx(m.stability, abs=1e-15)
    assert [one.consistency for one in m.objects().runs] == pytest.approx(m.means.tolist())


def test_noise_alone_is_no_cluster_and_dropped_noise_is_missing() -> None:
    runs = {"a": [1, 1, 2, -1, -1], "b": [1, 1, 2, 2, -1]}
    alone = cd.matrix(runs, "rand", noise=-1).objects()
    assert alone.values.tolist() == [1.0, 1.0, 0.5, 0.5, 1.0]
    assert [(one.run, one.cluster, one.objects) for one in alone.clusters] == [
        ("a", 1, 2), ("a", 2, 1), ("b", 1, 2), ("b", 2, 2),
    ]  # fmt: skip
    dropped = cd.matrix(runs, "rand", noise=-1, noise_as="drop").objects()
    assert dropped.values[:3].tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(dropped.values[3:]).all()
    assert dropped.in_runs.tolist() == [2, 2, 2, 1, 0]


def test_guesses_do_not_count() -> None:
    m = cd.matrix({"A": A, "B": B, "C": C}, guesses={"all": [1] * 6})
    assert (m.objects().values == cd.matrix({"A": A, "B": B, "C": C}).objects().values).all()
    assert len(m.objects().runs) == 3


# Medoid, stability, order and embedding against plain definitions.


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
