"""Releases that stay in an engine are relabelled and followed as those in memory, to the letter."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.releases.joins import MemoryReleases, TableReleases
from refusals import refuses


def series(seed: int, ids: str, labels: str, releases: int = 3) -> list[dict[Any, Any]]:
    """Releases of up to 120 objects, with some that come and go, and noise."""
    rng = random.Random(seed)
    names = [f"{ids}{i}" if ids else i for i in range(120)]
    made, now = [], {name: rng.randrange(30) for name in names}
    for _ in range(releases):
        now = {n: c if rng.random() < 0.8 else rng.randrange(40) for n, c in now.items()}
        kept = [n for n in names if rng.random() < 0.85]
        rng.shuffle(kept)
        made.append({n: f"{labels}{now[n]}" if labels else now[n] for n in kept})
    return made


def written(folder: Path, runs: list[dict[Any, Any]], ending: str) -> list[str]:
    paths = []
    for place, one in enumerate(runs):
        table = pa.table({"id": list(one), "cluster": list(one.values())})
        paths.append(str(folder / f"run{place}.{ending}"))
        (pyarrow.csv.write_csv if ending == "csv" else pq.write_table)(table, paths[-1])
    return paths


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)


def labels_of(done: Any) -> dict[Any, Any]:
    made = getattr(done, "clustering", done)
    return dict(zip(made.ids.tolist(), made.labels.tolist(), strict=True))


def followed(story: cd.Tracking) -> Any:
    return json.loads(story.to_json()), story.events, story.clusters, story.objects


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("ids", ["", "r"])
@pytest.mark.parametrize("labels", [pytest.param("", marks=pytest.mark.slow), "it's "])
def test_files_that_stay(tmp_path: Path, ending: str, ids: str, labels: str) -> None:
    runs = series(1, ids, labels)
    files = written(tmp_path, runs, ending)
    noise = f"{labels}7" if labels else 7
    every: list[dict[str, Any]] = [
        {},
        {"history": 0},
        {"history": 0, "revive": True, "noise": noise},
        {"min_share": 0.5, "noise": noise},
    ]
    for options in every:
        there, here = (
            {**options, **({"history": some[0]} if "history" in options else {})}
            for some in (files, runs)
        )
        far, near = cd.relabel(*files[1:], **there), cd.relabel(*runs[1:], **here)
        assert isinstance(far._releases, TableReleases)
        assert isinstance(near._releases, MemoryReleases)
        assert far.to_json() == near.to_json()
        assert labels_of(far) == labels_of(near)
        far.write(tmp_path / f"far.{ending}")
        again = cd.read(tmp_path / f"far.{ending}")
        assert labels_of(again) == labels_of(near)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("ids", ["", "r"])
@pytest.mark.parametrize("noise", [None, 7])
def test_files_that_are_followed(tmp_path: Path, ending: str, ids: str, noise: int | None) -> None:
    runs = series(2, ids, "", 4)
    files = written(tmp_path, runs, ending)
    names = [Path(file).name for file in files]
    far = cd.track(files, stray=0.1, noise=noise)
    near = cd.track(dict(zip(names, runs, strict=True)), stray=0.1, noise=noise)
    assert isinstance(far.releases, TableReleases)
    assert followed(far) == followed(near)
    assert far.to_text(80) == near.to_text(80)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("fraction", [1, 10])
def test_weights_that_stay(tmp_path: Path, fraction: int) -> None:
    old, new = series(3, "r", "c", 2)
    rng = random.Random(1)
    weight = {name: rng.randrange(30) / fraction for name in old.keys() | new.keys()}
    files = written(tmp_path, [old, new, weight], "csv")
    far = cd.relabel(files[0], files[1], weight=files[2])
    near = cd.relabel(old, new, weight=weight)
    assert far.to_json() == near.to_json()
    assert far.weighted_share == near.weighted_share


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (-1.0, "1 of 3 weights are no numbers from 0 on"),
        (float("nan"), "1 of 3 weights are no numbers from 0 on"),
        (0.1234567, "are not exact"),
        (None, "1 of 3 objects have no weight"),
    ],
)
def test_wrong_weights(tmp_path: Path, wrong: float | None, told: str) -> None:
    runs = {"r1": "a", "r2": "a", "r3": "b"}
    weight = {"r1": 1.0, "r2": 2.0} | ({} if wrong is None else {"r3": wrong})
    files = written(tmp_path, [runs, runs, weight], "parquet")
    for weights, one in ((files[2], files[0]), (weight, runs)):
        refuses(told, cd.relabel, one, one, weight=weights)


@pytest.mark.usefixtures("far")
def test_relations() -> None:
    duckdb = pytest.importorskip("duckdb")
    runs = series(4, "", "")
    with duckdb.connect() as connection:
        relations = []
        for place, one in enumerate(runs):
            rows = pa.table({"id": list(one), "cluster": list(one.values())})
            connection.register(f"rows{place}", rows)
            relations.append(connection.sql(f"SELECT * FROM rows{place}"))
        far = cd.relabel(*relations[:2])
        assert isinstance(far._releases, TableReleases)
        assert far.to_json() == cd.relabel(*runs[:2]).to_json()
        story = cd.track(dict(zip("abc", relations, strict=True)))
        assert followed(story) == followed(cd.track(dict(zip("abc", runs, strict=True))))
        del far, story


@pytest.mark.usefixtures("far")
def test_the_command_writes_where_the_rows_are(tmp_path: Path) -> None:
    runs = series(5, "r", "c")
    files = written(tmp_path, runs, "csv")
    out = str(tmp_path / "out.parquet")
    ran = run("relabel", *files[:2], "-o", out, "-f", "json")
    assert ran.code == 0, ran.stderr
    near = cd.relabel(*runs[:2])
    again = cd.read(out)
    assert labels_of(again) == labels_of(near)
    ran = run("track", *files, "--objects", str(tmp_path / "objects.csv"), "-f", "csv")
    assert ran.code == 0, ran.stderr
    assert (tmp_path / "objects.csv").read_text() == cd.track(runs).to_csv("objects")


@pytest.mark.usefixtures("far")
def test_what_is_refused_there(tmp_path: Path) -> None:
    twice = tmp_path / "twice.csv"
    twice.write_text("id,cluster\n1,a\n1,b\n2,a\n")
    null = tmp_path / "null.csv"
    null.write_text("id,cluster\n1,a\n2,\n")
    good = tmp_path / "good.csv"
    good.write_text("id,cluster\n1,a\n2,a\n")
    for wrong in (twice, null):
        far = refuses(None, cd.relabel, good, wrong)
        near = refuses(None, cd.relabel, good, wrong, engine="arrays")
        assert str(far).split("(")[0] == str(near).split("(")[0]


@pytest.mark.slow
def test_spark(spark: Any) -> None:
    runs = series(6, "r", "")
    frames = [
        spark.createDataFrame(pa.table({"id": list(one), "cluster": list(one.values())}))
        for one in runs
    ]
    done = cd.relabel(*frames[1:], history=frames[0], revive=True, noise=7)
    near = cd.relabel(*runs[1:], history=runs[0], revive=True, noise=7)
    assert done.to_json() == near.to_json()
    found = done.clustering.toArrow()
    assert found.column_names == ["id", "cluster"]
    now = dict(
        zip(found.column("id").to_pylist(), found.column("cluster").to_pylist(), strict=True)
    )
    assert now == labels_of(near)
    story = cd.track(dict(zip("abc", frames, strict=True)))
    assert followed(story) == followed(cd.track(dict(zip("abc", runs, strict=True))))


@pytest.mark.slow
def test_spark_reads_files(spark: Any, tmp_path: Path) -> None:
    runs = series(7, "", "")
    files = written(tmp_path, runs, "parquet")
    done = cd.relabel(*files[:2], engine=cd.Spark(spark))
    assert done.to_json() == cd.relabel(*runs[:2]).to_json()
    done.write(tmp_path / "out.csv")
    again = cd.read(tmp_path / "out.csv")
    assert labels_of(again) == labels_of(cd.relabel(*runs[:2]))


def test_words_for_missing_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "na.csv"
    file.write_text("id,cluster\n1,a\n2,NA\n3,NA\n")
    told = "2 of 3 labels in old are NA.*\n\nHint: .*noise='NA' \\(then they are left out\\)"
    refuses(told, cd.relabel, file, file)
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    refuses(told, cd.relabel, file, file)
    assert cd.relabel(file, file, noise="NA").noise == 2
