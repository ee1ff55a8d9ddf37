"""Scores of all pairs against `cd.compare`, to the bit."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.runs import tables
from refusals import refuses

A, B, C = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 2]
NUMBERS = [m for m in cd.measures() if m.name not in ("adjusted", "transport")]


def random_runs(seed: int, missing: float = 0.0) -> dict[str, dict[str, int]]:
    """Runs of objects that move in groups, alone and not at all, some missing, some noise (0)."""
    rng = np.random.default_rng(seed)
    objects, groups = int(rng.integers(8, 60)), rng.integers(0, 12, 60)
    base = rng.integers(0, 5, 12)
    made = {}
    for run in range(int(rng.integers(2, 6))):
        own = np.where(rng.random(12) < 0.3, rng.integers(0, 6, 12), base)[groups]
        own = np.where(rng.random(60) < 0.1, rng.integers(0, 6, 60), own)
        kept = np.flatnonzero(rng.random(objects) >= missing)
        label = np.where(np.arange(60) % 7 == 5, 100 + np.arange(60), own)
        made[f"run {run}"] = {f"o{o}": int(label[o]) for o in rng.permutation(kept)}
    return made


def value_of(measure: Any, truth: Any, guess: Any, **policy: Any) -> float:
    value = cd.compare(truth, guess, measure, **policy)[measure].value
    return float(value.low if isinstance(value, ScoreRange) else value)


@pytest.mark.parametrize("policy", [
    {}, {"align": "shared"}, {"align": "shared", "noise": [0, 1]},
    {"align": "shared", "noise": [0, 1], "noise_as": "drop"},
])  # fmt: skip
@pytest.mark.parametrize("measure", NUMBERS, ids=str)
def test_every_measure_equals_compare_to_the_bit(measure: Any, policy: dict[str, Any]) -> None:
    runs = random_runs(len(policy), 0.2 if policy else 0.0)
    m = cd.matrix(runs, measure, **policy)
    for i, one in enumerate(runs.values()):
        for j, other in enumerate(runs.values()):
            wanted = value_of(measure, one, other, **policy)
            if i <= j or not measure.claims.symmetric:
                assert m.values[i, j] == wanted
            assert m.values[i, j] == pytest.approx(wanted, abs=1e-14)
    assert m.is_symmetric or not measure.claims.symmetric


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("seed", range(6))
def test_every_way_of_counting(seed: int) -> None:
    align = "shared" if seed % 2 else "exact"
    runs = random_runs(seed, 0.2 * (seed % 2))
    for measure in ("adjusted_rand", "muc_f", "bcubed_precision"):
        m = cd.matrix(runs, measure, align=align)
        for i, one in enumerate(runs.values()):
            for j, other in enumerate(runs.values()):
                assert m.values[i, j] == value_of(measure, one, other, align=align)
                size = cd.meet(one, other, align=align).objects
                assert m.shared[i, j] == size


@pytest.mark.parametrize("measure", [
    "bcubed_f(alpha=0.2)", "adjusted(bcubed_recall)", "adjusted(rand, null='uniform')",
    "transport(rand)", "nmi(norm='min')", "elm_f(f='means')",
])  # fmt: skip
def test_parameters_may_break_symmetry(measure: str) -> None:
    runs = random_runs(3)
    chosen = cd.measure(measure)
    m = cd.matrix(runs, chosen)
    for truth, one in runs.items():
        for guess, other in runs.items():
            assert m[truth, guess] == value_of(chosen, one, other)
    assert m.is_symmetric == np.array_equal(m.values, m.values.T)


def test_objects_in_no_common_group_are_scored_one_by_one() -> None:
    rng = np.random.default_rng(5)
    runs = [rng.integers(0, 9, 300) for _ in range(4)]
    m = cd.matrix(runs, "nmi")
    assert m.tables is not None
    assert m.tables.count is None
    assert m.values[1, 3] == cd.nmi(runs[1], runs[3])


def test_clusters_that_all_runs_share_are_counted_once() -> None:
    runs = [
        [*range(90), 90, 90, 91, 91],
        [*range(90), 90, 91, 90, 91],
        [*range(90), 90, 90, 90, 91],
    ]
    m = cd.matrix(runs, "elm_f")
    assert m.tables is not None
    assert [one.tolist() for one in m.tables.same] == [[1], [90]]
    assert m.tables.groups == 4
    for i in range(3):
        for j in range(3):
            assert m.values[i, j] == cd.elm_f(runs[i], runs[j])


def test_identical_runs_single_objects_and_one_object() -> None:
    same = cd.matrix([A, A, A], "nmi")
    assert (same.values == 1).all()
    assert same.stability == 1.0
    assert same.spread == 0.0
    assert same.medoid == "1"
    assert same.order == [0, 1, 2]
    lone = cd.matrix([[1], [2]], "rand")
    assert lone.values.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert lone.objects().values.tolist() == [1.0]
    single = cd.matrix([range(5), range(5)], "elm_f")
    assert single.stability == 1.0
    assert math.isnan(single.standard_error)


def test_the_order_of_rows_changes_nothing() -> None:
    runs = random_runs(8, 0.2)
    rng = np.random.default_rng(0)
    mixed = {
        name: {list(run)[i]: list(run.values())[i] for i in rng.permutation(len(run))}
        for name, run in runs.items()
    }
    one, other = (cd.matrix(some, "split_merge", align="shared") for some in (runs, mixed))
    assert (one.values == other.values).all()
    found = [{r["id"]: r["consistency"] for r in m.objects().records()} for m in (one, other)]
    assert found[0] == found[1]
    named = [{(c.run, c.cluster): str(c) for c in m.objects().clusters} for m in (one, other)]
    assert named[0] == named[1]


def test_pairs_without_a_common_object_have_no_score() -> None:
    runs = {"a": {1: 1, 2: 1, 3: 2}, "b": {3: 1, 4: 1}, "c": {1: 1, 2: 1}}
    m = cd.matrix(runs, "rand", align="shared")
    assert math.isnan(m["b", "c"])
    assert m.pair_count == 2
    assert m["a", "c"] == 1
    assert m.medoid == "a"
    assert m.stability == 1.0
    assert "1 pair of runs shares" in str(m)
    assert "—" in str(m)
    refuses("without a common object", m.embedding)


@pytest.mark.parametrize("seed", range(6))
def test_objects_that_are_alone_in_some_runs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = []
    for _ in range(4):
        own = np.where(rng.random(80) < 0.5, 100 + np.arange(80), np.arange(80) // 20)
        runs.append(np.where(rng.random(80) < 0.05, rng.integers(0, 4, 80), own))
    m = cd.matrix(runs, "adjusted_rand")
    assert m.tables is not None
    assert m.tables.profiles in (None, m.profiles.count.size)
    for measure in ("elm_f", "nmi", "muc_f", "blanc_f", "split_merge"):
        found = cd.matrix(runs, measure).values
        for i in range(4):
            for j in range(i, 4):
                assert found[i, j] == value_of(measure, runs[i], runs[j])
    for i in range(4):
        for j in range(4):
            assert m.tables.meet(i, j).digest == cd.meet(runs[i], runs[j]).digest
            whole = cd.meet(runs[i], runs[j])
            assert isinstance(whole, cd.HardMeet)
            for name in tables.SHAPE:
                ours = getattr(m.tables.shapes(i, j), name).tolist()
                assert ours == getattr(whole.shapes, name).tolist()


def test_hints_for_uncertain_clusterings_lead_to_a_matrix() -> None:
    rough = cd.Rough([{"a"}, {"a", "b"}, {"b"}])
    runs = [rough, cd.Evidential(rough), cd.Fuzzy([[1, 0], [0.5, 0.5], [0, 1]])]
    refused = refuses("rand_alpha take", cd.matrix, runs)
    for name in ("rand_alpha", "transport(adjusted_rand)"):
        assert name in refused.hint
        interval = refuses(r"is an interval here, from", cd.matrix, runs, name)
        (number,) = re.findall(r'write "(.*?)", which', interval.hint)
        assert cd.matrix(runs, number).values.shape == (3, 3)
