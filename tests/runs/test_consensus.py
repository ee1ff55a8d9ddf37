"""A consensus as people ask for it: whatever runs they have, whatever they get wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.array_types import Ints
from clusterdiff.clusterings.grouping import number
from clusterdiff.runs.tables import agreeing, group_objects, profiles_of
from refusals import refuses

LABELS = {
    "a": {"1": "x", "2": "x", "3": "y", "4": "z", "5": "z"},
    "b": {"1": "p", "2": "p", "3": "q", "4": "q", "5": "q"},
    "c": {"1": "u", "2": "v", "3": "v", "4": "w", "5": "w"},
}
IDS = list("12345")


def grouped(found: cd.Consensus) -> list[list[Any]]:
    made = found.clustering
    ids = range(len(made)) if made.ids is None else made.ids.tolist()
    clusters: dict[Any, list[Any]] = {}
    for id, label in zip(ids, made.labels.tolist(), strict=True):
        clusters.setdefault(label, []).append(id)
    return sorted(clusters.values())


def made_runs(objects: int = 60, runs: int = 5, seed: int = 0) -> dict[str, dict[str, int]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, objects // 3, objects)
    made = {}
    for k in range(runs):
        moved = rng.random(objects) < 0.25
        labels = np.where(moved, rng.integers(0, objects // 3, objects), truth)
        made[f"run {k}"] = {f"r{i:03}": int(label) for i, label in enumerate(labels)}
    return made


def test_what_a_consensus_says() -> None:
    found = cd.consensus(LABELS)
    assert grouped(found) == [["1", "2"], ["3"], ["4", "5"]]
    assert found.clustering.labels.tolist() == ["1", "1", "3", "4", "4"]
    assert found.distances == {"a": 0, "b": 4, "c": 4}
    assert (found.cost, found.bound, found.gap, found.optimal) == (8, 8, 0, True)
    assert (found.medoid, found.medoid_cost, found.confidence) == ("a", 8, None)
    assert found.support.tolist() == pytest.approx([5 / 6, 5 / 6, 1, 1, 1])
    assert found.bounds["pairs"] <= found.bounds["star"] + 1e-9 <= found.bound + 2e-9
    assert "need not be nearer to a truth" in found.to_text()


def test_the_docstring_of_support() -> None:
    runs = made_runs(40, 4)
    weights = {"run 1": 3.0, "run 2": 0.5}
    found = cd.consensus(runs, weights=weights)
    labels = found.clustering.labels.tolist()
    assert found.ids is not None
    ids = found.ids.tolist()
    own = dict(zip(ids, labels, strict=True))
    for id, support in zip(ids, found.support.tolist(), strict=True):
        mine = {o for o in own if own[o] == own[id]}
        shares = [
            weights.get(name, 1) * len(mine & {o for o in run if run[o] == run[id]}) / len(mine)
            for name, run in runs.items()
        ]
        assert support == pytest.approx(sum(shares) / 5.5)


@pytest.mark.parametrize("by", ["mirkin_distance", "vi_distance"])
def test_distances_are_those_of_compare(by: str) -> None:
    runs = made_runs()
    found = cd.consensus(runs, by)
    for name, run in runs.items():
        assert found.distances[name] == cd.measure(by)(run, found.clustering)
    assert found.cost == pytest.approx(sum(found.distances.values()))
    m = cd.matrix(runs, by)
    assert found.medoid == m.medoid
    assert found.medoid_cost == pytest.approx(m.values.sum(1).min())


@pytest.mark.parametrize("by", ["mirkin_distance", "vi_distance"])
def test_the_order_of_rows_and_labels_do_not_matter(by: str) -> None:
    runs = made_runs(90, 6)
    plain = cd.consensus(runs, by)
    shuffle = random.Random(1)
    other = {}
    for name, run in runs.items():
        rows = list(run.items())
        shuffle.shuffle(rows)
        names = {label: f"{shuffle.random()}" for label in set(run.values())}
        other[name] = {id: names[label] for id, label in rows}
    again = cd.consensus(other, by)
    assert again.to_json() == plain.to_json()
    assert again.clustering.labels.tolist() == plain.clustering.labels.tolist()
    assert again.support.tolist() == plain.support.tolist()


def test_runs_in_every_form(tmp_path: Path) -> None:
    columns = {name: [run[id] for id in IDS] for name, run in LABELS.items()}
    expected = grouped(cd.consensus(LABELS))
    table = {"id": IDS, **columns}
    for frame in (pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        assert grouped(cd.consensus(frame)) == expected
    assert grouped(cd.consensus(pd.DataFrame(columns, index=IDS))) == expected
    by_place = [[int(id) - 1 for id in cluster] for cluster in expected]
    assert grouped(cd.consensus(list(columns.values()))) == by_place
    arrays = [number(np.unique(one, return_inverse=True)[1])[0] for one in columns.values()]
    assert grouped(cd.consensus(arrays)) == by_place
    pl.DataFrame(table).write_csv(tmp_path / "table.csv")
    for engine in ("duckdb", "arrays"):
        found = cd.consensus(f"{tmp_path}/table.csv::*", engine=engine)
        assert [[str(id) for id in cluster] for cluster in grouped(found)] == expected
        assert found.names == ["a", "b", "c"]


def test_weights() -> None:
    assert grouped(cd.consensus(LABELS, weights={"c": 5})) == [["1"], ["2", "3"], ["4", "5"]]
    assert cd.consensus(LABELS, weights=[1, 1, 5]).distances["c"] == 0
    found = cd.consensus(LABELS, weights={"b": 0.25})
    assert found.weights == {"a": 1, "b": 0.25, "c": 1}
    assert found.cost == found.distances["a"] + found.distances["b"] / 4 + found.distances["c"]
    assert "weight" in found.table().headings


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": "elm_f"}, "least sum of mirkin_distance or vi_distance, not of elm_f"),
        ({"by": cd.measure("mirkin_distance")(scale="n2")}, "not of mirkin_distance"),
        ({"weights": {"d": 2}}, "no run is called 'd'"),
        ({"weights": [1, 2]}, "2 weights for 3 runs"),
        ({"weights": {"a": 0}}, "above 0, and that of a is 0"),
        ({"weights": {"a": -1}}, "above 0, and that of a is -1"),
        ({"weights": {"a": float("nan")}}, "that of a is nan"),
        ({"weights": {"a": "much"}}, "that of a is 'much'"),
        ({"weights": {"a": True}}, "that of a is True"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"align": "penalise"}, "no truth that objects could be missing from"),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    refused = refuses(None, cd.consensus, LABELS, **options)
    assert words in refused.message
    assert refused.hint


def test_one_run_covers_and_soft_ones_are_refused() -> None:
    refuses("a consensus combines at least two", cd.consensus, {"a": LABELS["a"]})
    cover = cd.Cover({"1": ["x", "y"], "2": ["x"]})
    refused = refuses("is a cover clustering", cd.consensus, {"a": cover, "b": {"1": 1, "2": 2}})
    assert refused.hint


def test_missing_objects() -> None:
    partial = {id: label for id, label in LABELS["c"].items() if id != "5"}
    runs = {**LABELS, "c": partial}
    refused = refuses("1 of 5 objects", cd.consensus, runs)
    assert 'align="shared"' in refused.hint
    found = cd.consensus(runs, align="shared")
    assert (len(found), found.objects_given) == (4, 5)
    assert "1 object left out" in found.to_text()
    alone = cd.consensus(runs, align="singletons")
    assert len(alone) == 5
    with pytest.raises(cd.ClusterdiffError, match="no object is in a cluster of all 2 runs"):
        cd.consensus({"a": {"x": 1}, "b": {"y": 1}}, align="shared")


def test_noise_is_a_cluster_of_its_own_or_left_out() -> None:
    runs = {"a": [1, 1, -1, -1], "b": [1, 1, -1, -1], "c": [1, 1, -1, -1]}
    assert grouped(cd.consensus(runs)) == [[0, 1], [2, 3]]
    assert grouped(cd.consensus(runs, noise=-1)) == [[0, 1], [2], [3]]
    found = cd.consensus(runs, noise=-1, noise_as="drop")
    assert (len(found), found.cost) == (2, 0)


@pytest.mark.parametrize("labels", [[7], [1, 1, 1, 1], [1, 2, 3, 4]])
@pytest.mark.parametrize("by", ["mirkin_distance", "vi_distance"])
def test_runs_that_agree(labels: list[int], by: str) -> None:
    found = cd.consensus([labels] * 3, by)
    assert (found.cost, found.bound, found.gap, found.optimal) == (0, 0, 0, True)
    assert set(found.support) == {1}
    assert found.to_text(80)
    assert len(cd.plot.consensus(found).data) >= 3


def test_text_fits_and_exports_agree() -> None:
    long = {
        f"a run with quite a long name, number {k}": run for k, run in made_runs(runs=4).items()
    }
    found = cd.consensus(long)
    for width in (40, 80):
        assert max(map(len, found.to_text(width).splitlines())) <= width
    data = json.loads(found.to_json())
    assert data["cost"] == found.cost
    assert [one["distance"] for one in data["runs"]] == list(found.distances.values())
    assert found.to_csv().splitlines()[0] == "run,clusters,weight,distance,medoid,sum_to_runs"
    assert found.to_frame("polars")["distance"].to_list() == list(found.distances.values())
    assert found.to_markdown().startswith("| run | clusters | mirkin\\_distance |")
    assert r"\toprule" in found.to_latex()
    assert "<table" in found._repr_html_()


def test_many_runs_are_cut_in_the_text_alone() -> None:
    runs = made_runs(30, 45)
    found = cd.consensus(runs)
    assert len(found.table().rows) == 20
    assert "nearest and farthest of 45 runs" in found.to_text()
    assert len(found.records()) == 45


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_are_read_back(ending: str, tmp_path: Path) -> None:
    found = cd.consensus(made_runs())
    path = tmp_path / f"consensus.{ending}"
    found.write(path)
    assert cd.elm_f(cd.read(path), found.clustering) == 1
    found.write_support(tmp_path / f"support.{ending}")
    read = pl.read_csv if ending == "csv" else pl.read_parquet
    frame = read(tmp_path / f"support.{ending}")
    assert frame.columns == ["id", "cluster", "support"]
    assert frame["support"].to_list() == sorted(found.support.tolist())


def test_positions_and_mixed_ids_are_written(tmp_path: Path) -> None:
    by_place = cd.consensus([[1, 1, 2], [1, 2, 2], [1, 1, 3]])
    by_place.write(tmp_path / "places.csv")
    assert cd.elm_f(cd.read(tmp_path / "places.csv", id=""), by_place.clustering) == 1
    mixed = cd.consensus([{1: "x", "1": "x", (2, 3): "y"}, {(2, 3): 1, "1": 2, 1: 2}])
    mixed.write(tmp_path / "mixed.parquet")
    assert pl.read_parquet(tmp_path / "mixed.parquet").height == 3


def test_a_picture_has_the_runs_the_bound_and_the_clusters() -> None:
    found = cd.consensus(made_runs())
    figure = cd.plot.consensus(found, top=5)
    names = [trace.name for trace in figure.data if trace.name]
    assert names[:2] == ["runs", "medoid"]
    assert "least that any partition has" in names[2]
    line = figure.data[2]
    assert line.x[0] == pytest.approx(found.bound / 5)
    points = {y: x for trace in figure.data[:2] for x, y in zip(trace.x, trace.y, strict=True)}
    assert sorted(points.values()) == sorted(found.distances.values())
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert len({y for bar in bars for y in bar.y}) == 5
    drawn = sum(x for bar in bars for x in bar.x)
    assert drawn == found.sizes[:5].sum()


# Profiles against rows of labels, one by one.


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
