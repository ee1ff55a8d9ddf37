"""Matrices of many runs against compare, pair by pair, and consistency object by object."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from oracles import ORACLES
from oracles.many.agreement import consistency, matrix, medoid, profiles, shared
from oracles.many.agreement import stability as mean_of_pairs
from oracles.many.draws import renamed, several_runs
from oracles.many.goldens import CONSISTENCY, PAIRWISE, RUNS

Labels = dict[Hashable, Hashable]
SYMMETRIC = [
    "adjusted_rand", "rand", "elm_f", "bcubed_f", "nmi", "vi_distance", "mirkin_distance",
    "element_similarity", "accuracy", "adjusted_mutual_information", "split_merge", "van_dongen",
]  # fmt: skip
ONE_SIDED = ["pair_precision", "bcubed_recall", "elm_f(alpha=0.25)", "homogeneity", "purity"]


def named(runs: list[Labels]) -> dict[str, Labels]:
    return {f"run {i}": run for i, run in enumerate(runs)}


@pytest.mark.parametrize("measure", PAIRWISE)
def test_golden(measure: str) -> None:
    m = cd.matrix(RUNS, measure)
    assert list(m.names) == ["A", "B", "C"]
    found = [m.values[i][j] for i, j in combinations(range(3), 2)]
    near = 5e-7 if measure == "vi_distance" else 1e-15
    assert found == pytest.approx(list(map(float, PAIRWISE[measure])), abs=near)
    assert m.medoid == "A"
    assert sorted(m.order) in (["A", "B", "C"], [0, 1, 2])


def test_golden_consistency() -> None:
    found = cd.matrix(RUNS).objects()
    values = dict(zip(found.ids, found.values.tolist(), strict=True))
    assert [values[x] for x in range(1, 7)] == pytest.approx(list(map(float, CONSISTENCY)))
    assert found.values.mean() == pytest.approx(17 / 27)


@pytest.mark.parametrize("measure", [*SYMMETRIC, *ONE_SIDED])
@given(runs=several_runs())
@settings(max_examples=12)
def test_values_have_the_bits_of_compare(measure: str, runs: list[Labels]) -> None:
    m = cd.matrix(named(runs), measure)
    for i, truth in enumerate(runs):
        for j, guess in enumerate(runs):
            wanted = cd.compare(truth, guess, measure)[measure].value
            if i < j or (i > j and measure in ONE_SIDED):
                assert m.values[i][j] == wanted, (measure, i, j)
            elif i > j:
                assert m.values[i][j] == m.values[j][i]
            else:
                assert m.values[i][j] == pytest.approx(wanted, abs=1e-12)


@given(several_runs())
@settings(max_examples=25)
def test_medoid_stability_and_spread(runs: list[Labels]) -> None:
    for measure, smallest in (("adjusted_rand", False), ("mirkin_distance", True)):
        m = cd.matrix(named(runs), measure)
        exact = matrix(runs, ORACLES[measure])
        assert m.stability == pytest.approx(float(mean_of_pairs(exact)), abs=1e-12)
        assert m.medoid == f"run {medoid(exact, smallest)}"


@given(several_runs())
@settings(max_examples=25)
def test_consistency_of_objects(runs: list[Labels]) -> None:
    found = cd.matrix(named(runs)).objects()
    values = dict(zip(found.ids, found.values.tolist(), strict=True))
    for x in runs[0]:
        wanted = consistency(runs, x)
        assert wanted is not None
        assert values[x] == pytest.approx(float(wanted), abs=1e-12)


@given(several_runs(), st.integers(0, 99))
@settings(max_examples=25)
def test_labels_and_rows_never_matter(runs: list[Labels], seed: int) -> None:
    one = cd.matrix(named(runs), "elm_f")
    other = cd.matrix(named([renamed(run, seed) for run in runs]), "elm_f")
    assert np.array_equal(one.values, other.values)
    assert one.medoid == other.medoid


def subsamples(seed: int, many: int = 4, n: int = 12) -> list[Labels]:
    rng = Random(seed)
    made: list[Labels] = []
    for _ in range(many):
        run: Labels = {x: rng.randrange(4) for x in range(n) if rng.random() < 0.8}
        made.append(run)
    return made


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", ["adjusted_rand", "elm_f", "vi_distance"])
def test_subsamples_are_compared_on_what_two_share(seed: int, measure: str) -> None:
    runs = subsamples(seed)
    with pytest.raises(ClusterdiffError, match="shared"):
        cd.matrix(named(runs), measure)
    m = cd.matrix(named(runs), measure, align="shared")
    for i, j in combinations(range(4), 2):
        both = shared(runs[i], runs[j])
        assert m.values[i][j] == cd.compare(*both, measure)[measure].value
    found = m.objects()
    values = dict(zip(found.ids, found.values.tolist(), strict=True))
    for x in values:
        wanted = consistency(runs, x)
        if wanted is None:
            assert np.isnan(values[x])
        else:
            assert values[x] == pytest.approx(float(wanted), abs=1e-12)


def test_singletons_are_clusters_of_their_own() -> None:
    runs = subsamples(5)
    everything = {x for run in runs for x in run}
    filled = [{x: run.get(x, ("alone", x)) for x in everything} for run in runs]
    m = cd.matrix(named(runs), "elm_f", align="singletons")
    for i, j in combinations(range(4), 2):
        wanted = ORACLES["elm_f"](filled[i], filled[j])
        assert m.values[i][j] == pytest.approx(float(wanted), abs=1e-12)


@given(several_runs())
@settings(max_examples=25)
def test_profiles(runs: list[Labels]) -> None:
    found = cd.matrix(named(runs)).profiles
    assert len(found.count) == len(profiles(runs))


@given(several_runs(least=3))
@settings(max_examples=20)
def test_embedding_has_a_point_for_each_run(runs: list[Labels]) -> None:
    found = cd.matrix(named(runs), "elm_f").embedding(2)
    assert np.asarray(found.points).shape == (len(runs), 2)
    assert np.isfinite(found.points).all()
    assert found.stress >= 0
    again = cd.matrix(named(runs), "elm_f").embedding(2)
    assert np.array_equal(found.points, again.points)


@pytest.mark.parametrize("measure", ["bcubed_f(f='objects')", "elm_f"])
def test_three_runs_are_drawn_without_loss_where_the_embedding_is_euclidean(measure: str) -> None:
    """Three points fit in a plane: distances of the points are those of the runs, in order."""
    m = cd.matrix(RUNS, measure)
    points = np.asarray(m.embedding(2).points)
    apart = [float(np.linalg.norm(points[i] - points[j])) for i, j in combinations(range(3), 2)]
    scores = [m.values[i][j] for i, j in combinations(range(3), 2)]
    assert np.argsort(apart).tolist() == np.argsort(scores)[::-1].tolist()
    assert m.embedding(2).stress == pytest.approx(0, abs=1e-6)


def test_guesses_against_annotators() -> None:
    rng = Random(6)
    annotators: dict[str, Labels] = {
        f"a{i}": {x: rng.randrange(3) for x in range(10)} for i in range(3)
    }
    guesses: dict[str, Labels] = {
        f"g{i}": {x: rng.randrange(4) for x in range(10)} for i in range(2)
    }
    m = cd.matrix(annotators, "elm_f", guesses=guesses)
    against = m.against
    for name, guess in guesses.items():
        scores = [cd.elm_f(truth, guess) for truth in annotators.values()]
        assert against.mean[name] == pytest.approx(sum(scores) / 3)
        nearest = list(annotators)[scores.index(max(scores))]
        annotator, value = against.best[name]
        assert annotator == nearest
        assert value == pytest.approx(max(scores))
    among = [cd.elm_f(a, b) for a, b in combinations(annotators.values(), 2)]
    assert against.ceiling == pytest.approx(sum(among) / 3)
    assert m.stability == pytest.approx(
        sum(cd.elm_f(a, b) for a, b in combinations(annotators.values(), 2)) / 3
    )


@pytest.mark.parametrize("measure", ["omega", "onmi", "extended_bcubed_f", "cice_f"])
def test_covers_are_compared_by_measures_of_covers(measure: str) -> None:
    rng = Random(9)
    runs: dict[str, Any] = {
        name: cd.Cover({x: rng.sample("abcd", rng.randint(1, 2)) for x in range(9)})
        for name in "pqr"
    }
    runs["hard"] = {x: x // 3 for x in range(9)}
    m = cd.matrix(runs, measure)
    for (i, a), (j, b) in combinations(enumerate(runs), 2):
        assert m.values[i][j] == cd.compare(runs[a], runs[b], measure)[measure].value


@pytest.mark.slow
def test_many_runs_of_many_objects() -> None:
    rng = np.random.default_rng(7)
    base = rng.integers(0, 40, 3000)
    runs: dict[str, Any] = {}
    for seed in range(8):
        moved = rng.random(3000) < 0.1
        runs[f"s{seed}"] = np.where(moved, rng.integers(0, 40, 3000), base)
    for measure in SYMMETRIC:
        m = cd.matrix(runs, measure)
        for (i, a), (j, b) in combinations(enumerate(runs), 2):
            assert m.values[i][j] == cd.compare(runs[a], runs[b], measure)[measure].value
