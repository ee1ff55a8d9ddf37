"""Counts where tables are: DuckDB and Spark add them up, to the bit as memory does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.io.session import EngineSessions

OBJECTS = 2000


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Truth with counts, some of 0, and guesses in another order, with and without counts."""
    folder = tmp_path_factory.mktemp("counts")
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 300, OBJECTS)
    guess = np.where(rng.random(OBJECTS) < 0.2, rng.integers(0, 300, OBJECTS), truth)
    counts = rng.integers(0, 5, OBJECTS)
    left = pl.DataFrame({"id": np.arange(OBJECTS), "cluster": truth, "ms": counts})
    right = left.with_columns(cluster=pl.Series(guess)).sample(fraction=1, shuffle=True, seed=2)
    for name, frame in {
        "truth": left, "guess": right.drop("ms"), "both": right, "few": left[200:],
        "others": right.filter(pl.col("id") < OBJECTS - 300),
        "wrong": right.with_columns(ms=pl.col("ms") + 1),
        "half": left.with_columns(ms=pl.col("ms") / 2), "twice": pl.concat([left, left[:50]]),
    }.items():  # fmt: skip
        frame.write_csv(folder / f"{name}.csv")
        frame.write_parquet(folder / f"{name}.parquet")
    return folder


def met(folder: Path, one: str, other: str, **how: Any) -> Any:
    return cd.compare(folder / one, folder / other, "bcubed_f", count="ms", **how)["bcubed_f"].meet


@pytest.mark.parametrize(
    ("one", "other"),
    [("truth.csv", "guess.csv"), ("truth.parquet", "guess.parquet"), ("guess.csv", "truth.csv"),
     ("truth.parquet", "both.csv"), ("twice.csv", "guess.csv")],
)  # fmt: skip
def test_counts_are_added_where_files_are(
    tables: Path, monkeypatch: pytest.MonkeyPatch, one: str, other: str
) -> None:
    wanted = met(tables, one, other, engine="arrays")
    monkeypatch.setattr(EngineSessions, "_load", refused)
    found = met(tables, one, other)
    assert found == wanted
    assert found.alignment.count == "ms"
    assert found.objects == int(pl.read_csv(tables / "truth.csv")["ms"].sum())


def refused(*_: Any) -> Any:
    raise AssertionError("nothing is to be read into memory")


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
@pytest.mark.parametrize("noise", [{}, {"noise": [1, 2]}, {"noise": [1, 2], "noise_as": "drop"}])
def test_policies_count_alike_in_files_and_in_memory(
    tables: Path, monkeypatch: pytest.MonkeyPatch, align: str, noise: dict[str, Any]
) -> None:
    wanted = met(tables, "few.csv", "others.csv", align=align, engine="arrays", **noise)
    monkeypatch.setattr(EngineSessions, "_load", refused)
    found = met(tables, "few.csv", "others.csv", align=align, **noise)
    assert found == wanted
    assert found.alignment == wanted.alignment


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_what_is_no_count_is_refused_by_every_engine(tables: Path, engine: str) -> None:
    with pytest.raises(cd.ClusterdiffError, match="objects have two different counts"):
        met(tables, "truth.csv", "wrong.csv", engine=engine)
    for name in ("half.csv", "half.parquet"):
        with pytest.raises(cd.ClusterdiffError, match="counts [(]ms[)] are not whole"):
            met(tables, name, "guess.csv", engine=engine)


def test_the_command_counts_files_and_pipes(tables: Path) -> None:
    truth, guess = str(tables / "truth.csv"), str(tables / "guess.csv")
    wanted = met(tables, "truth.csv", "guess.csv").digest
    flags = ["--count", "ms", "-m", "elm_f", "-f", "json"]
    text = (tables / "truth.csv").read_text(encoding="utf-8")
    for files, given in (
        ([truth, guess], None), ([guess, truth], None), (["-", guess], text),
        ([str(tables / "truth.parquet"), guess], None),
        ([truth, "-"], (tables / "guess.csv").read_text(encoding="utf-8")),
    ):  # fmt: skip
        ran = run("compare", *files, *flags, stdin=(given or "").encode())
        assert not ran.code, ran.stderr
        [scores] = json.loads(ran.stdout)["guesses"].values()
        assert "count" in scores["elm_f"]["signature"]
        if files[0] != guess:
            assert scores["elm_f"]["signature"]["meet"] == wanted
    ran = run("compare", guess, guess, *flags)
    assert ran.code == 2
    assert "neither truth nor guess has it" in ran.stderr
    ran = run("sweep", truth, guess, "--count", "ms", "--as", "pairs")
    assert ran.code == 2


def test_spark_adds_counts(tables: Path, spark: Any) -> None:
    sides = (spark.read.parquet(str(tables / f"{n}.parquet")) for n in ("truth", "guess"))
    assert cd.meet(*sides, count="ms") == met(tables, "truth.csv", "guess.csv")
