"""Profiles against rows of labels, one by one."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.runs.tables import agreeing, group_objects, profiles_of

A, B, C = (np.array(run) for run in ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 2]))


def random_runs(rng: np.random.Generator) -> list[Ints]:
    objects, runs, clusters = rng.integers(1, 60), rng.integers(1, 6), rng.integers(1, 8)
    return [rng.integers(-1, clusters, objects) for _ in range(runs)]


def test_golden() -> None:
    found = profiles_of([A, B, C])
    assert found.count.tolist() == [2, 1, 2, 1]
    assert found.clusters.tolist() == [[0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 2]]
    assert found.code.tolist() == [0, 0, 1, 2, 2, 3]


def test_profiles_are_the_distinct_rows_of_labels() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        runs = random_runs(rng)
        found = profiles_of(runs)
        rows = np.column_stack(runs)
        assert len({tuple(row) for row in rows.tolist()}) == found.count.size
        assert (found.clusters[found.code] == rows).all()
        assert (np.bincount(found.code) == found.count).all()
        assert found.code[0] == 0
        assert (np.diff(np.maximum.accumulate(found.code)) <= 1).all()


def test_runs_of_many_clusters() -> None:
    rng = np.random.default_rng(1)
    runs = [rng.integers(0, 300, 20_000) for _ in range(3)]
    found = profiles_of(runs)
    assert (found.clusters[found.code] == np.column_stack(runs)).all()
    assert found.count.size == len(np.unique(np.column_stack(runs), axis=0))


def test_grouping_stops_as_soon_as_groups_are_too_many() -> None:
    runs = [np.arange(10) % 3, np.arange(10)]
    assert group_objects(runs, 9) is None
    code = group_objects(runs, 10)
    assert code is not None
    assert len(set(code.tolist())) == 10
    three = group_objects(runs[:1], 3)
    assert three is not None
    assert len(set(three.tolist())) == 3


def test_agreeing_clusters_are_the_same_set_in_every_run() -> None:
    rng = np.random.default_rng(2)
    some = 0
    for _ in range(300):
        runs = random_runs(rng)[:3]

        def own(run: Ints, o: int) -> frozenset[int]:
            return frozenset(np.flatnonzero(run == run[o]).tolist())

        wanted = [
            all(run[o] >= 0 for run in runs) and len({own(run, o) for run in runs}) == 1
            for o in range(runs[0].size)
        ]
        assert agreeing(runs).tolist() == wanted
        some += sum(wanted)
    assert some > 100
