"""Files that Spark reads: ids of several columns, compressed text, and what it leaves to others."""

from __future__ import annotations

import bz2
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import clusterdiff as cd
from inputs.test_composite_ids import GUESS, ID, TRUTH

FEW = ["rand", "elm_f"]


def told(report: Any) -> dict[str, float]:
    return {name: report[name].value for name in FEW}


def read(spark: Any, path: Path) -> Any:
    from clusterdiff.inputs.formats.spark_tables import table_of_path

    return table_of_path(spark, str(path), id=ID)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_ids_of_several_columns(spark: Any, ending: str, tmp_path: Path) -> None:
    from clusterdiff.backends.spark import Spark, SparkSession

    for name, frame in (("t", TRUTH), ("g", GUESS)):
        path = tmp_path / f"{name}.{ending}"
        _ = frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    wanted = cd.read(TRUTH, id=ID).ids
    assert wanted is not None
    with SparkSession(Spark(spark)) as session:
        table = read(session, tmp_path / f"t.{ending}")
        rows = session.fetch(f"SELECT id FROM {table.view}").column("id").to_pylist()
    assert sorted(rows) == sorted(wanted.tolist())


def test_parts_are_whole_numbers_and_text(spark: Any, tmp_path: Path) -> None:
    from clusterdiff.backends.spark import Spark, SparkSession

    TRUTH.with_columns(end=pl.col("end") + 0.5).write_parquet(tmp_path / "t.parquet")
    with (
        SparkSession(Spark(spark)) as session,
        pytest.raises(cd.ClusterdiffError, match="whole numbers and text"),
    ):
        read(session, tmp_path / "t.parquet")


def test_bz2_is_read_by_spark_itself(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv.bz2"
    path.write_bytes(bz2.compress(b"id,cluster\n1,a\n2,a\n3,b\n"))
    guess = tmp_path / "g.csv"
    guess.write_text("id,cluster\n1,a\n2,b\n3,b\n")
    assert told(cd.compare(path, guess, FEW, engine=cd.Spark(spark))) == told(
        cd.compare(path, guess, FEW)
    )


def test_comments_are_refused(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# made by x\nid,cluster\n1,a\n2,a\n3,b\n")
    with pytest.raises(cd.ClusterdiffError, match="starts with comments") as caught:
        cd.compare(path, path, FEW, engine=cd.Spark(spark))
    assert "leave --engine out" in caught.value.hint
