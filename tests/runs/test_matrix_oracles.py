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
from oracles import ORACLES
from oracles.many.agreement import matrix, medoid
from oracles.many.agreement import stability as mean_of_pairs
from oracles.many.draws import renamed, several_runs
from oracles.many.goldens import PAIRWISE, RUNS

Labels = dict[Hashable, Hashable]
SYMMETRIC = [
    "adjusted_rand", "rand", "elm_f", "bcubed_f", "nmi", "vi_distance", "mirkin_distance",
    "element_similarity", "accuracy", "adjusted_mutual_information", "split_merge", "van_dongen",
]  # fmt: skip


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


@given(several_runs())
@settings(max_examples=25)
def test_medoid_stability_and_spread(runs: list[Labels]) -> None:
    for measure, smallest in (("adjusted_rand", False), ("mirkin_distance", True)):
        m = cd.matrix(named(runs), measure)
        exact = matrix(runs, ORACLES[measure])
        assert m.stability == pytest.approx(float(mean_of_pairs(exact)), abs=1e-12)
        assert m.medoid == f"run {medoid(exact, smallest)}"


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


def test_singletons_are_clusters_of_their_own() -> None:
    runs = subsamples(5)
    everything = {x for run in runs for x in run}
    filled = [{x: run.get(x, ("alone", x)) for x in everything} for run in runs]
    m = cd.matrix(named(runs), "elm_f", align="singletons")
    for i, j in combinations(range(4), 2):
        wanted = ORACLES["elm_f"](filled[i], filled[j])
        assert m.values[i][j] == pytest.approx(float(wanted), abs=1e-12)


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
