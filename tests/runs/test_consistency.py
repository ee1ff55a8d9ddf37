"""Consistency against an oracle that goes object by object and pair by pair."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from statistics import mean
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd

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
