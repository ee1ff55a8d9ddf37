"""Files that Spark reads: ids of several columns, compressed text, and what it leaves to others."""

from __future__ import annotations

import bz2
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from inputs.test_composite_ids import GUESS, ID, TRUTH
from inputs.test_parts import PARTS, TRUE, keeps, write
from inputs.test_parts import TRUTH as SIX
from inputs.test_silent_readings import pair_f
from refusals import refuses

FEW = ["rand", "elm_f"]


def told(report: Any) -> dict[str, float]:
    return {name: report[name].value for name in FEW}


def read(spark: Any, path: Path) -> Any:
    from clusterdiff.io.engines import spark_table

    return spark_table(spark, str(path), id=ID)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_ids_of_several_columns(spark: Any, ending: str, tmp_path: Path) -> None:
    from clusterdiff.engines.spark import Spark, SparkSession

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
    from clusterdiff.engines.spark import Spark, SparkSession

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
    caught = refuses("starts with comments", cd.compare, path, path, FEW, engine=cd.Spark(spark))
    assert "leave --engine out" in caught.hint


def six(tmp_path: Path) -> str:
    path = tmp_path / "six.parquet"
    pq.write_table(pa.table({"id": list(SIX), "cluster": list(SIX.values())}), path)
    return str(path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("BIGINT", "INTEGER"), ("INTEGER", "BIGINT"), ("BIGINT", "DOUBLE"), ("DOUBLE", "BIGINT"),
        ("UBIGINT", "INTEGER"), ("FLOAT", "DOUBLE"), ("NULL", "VARCHAR"), ("BOOLEAN", "BIGINT"),
        ("VARCHAR", "BIGINT"), ("large", "DOUBLE"),
    ],
)  # fmt: skip
def test_types_of_parts(first: str, second: str, spark: Any, tmp_path: Path) -> None:
    """Labels of two types are kept apart as Python keeps them apart, or they are refused."""
    path = write(tmp_path / "parts", PARTS[first], PARTS[second])
    for given in (path, f"{path}/part-*.parquet"):
        if keeps(first, second):
            found = cd.compare(
                six(tmp_path), given, ["pair_f"], noise=[None], engine=cd.Spark(spark)
            )
            labels = PARTS[first].to_pylist() + PARTS[second].to_pylist()
            assert found["pair_f"].value == pytest.approx(pair_f(TRUE, labels))
        else:
            with pytest.raises(cd.ClusterdiffError, match="the column 'cluster'") as error:
                cd.compare(six(tmp_path), given, ["pair_f"], engine=cd.Spark(spark))
            assert "part-0.parquet" in str(error.value)
            assert "part-1.parquet" in str(error.value)


def test_types_of_parts_far_away(spark: Any, tmp_path: Path) -> None:
    """Where only Spark can look at the files, it is the one that finds the types."""
    path = write(tmp_path / "parts", PARTS["BIGINT"], PARTS["DOUBLE"])
    with pytest.raises(cd.ClusterdiffError, match="the column 'cluster' is bigint in some"):
        cd.compare(six(tmp_path), f"file://{path}", ["pair_f"], engine=cd.Spark(spark))


@pytest.mark.parametrize("mixed", [False, True])
def test_values_of_folders_stay_texts(mixed: bool, spark: Any, tmp_path: Path) -> None:
    """doc=01 and doc=1 are two documents."""
    docs: dict[str, list[float]] = {"01": [1, 2], "1": [3, 4]}
    for at, (name, ids) in enumerate(docs.items()):
        (tmp_path / "docs" / f"doc={name}").mkdir(parents=True)
        ids = [float(one) for one in ids] if mixed and at else ids
        table = pa.table({"id": ids, "cluster": ["a", "b"]})
        pq.write_table(table, tmp_path / "docs" / f"doc={name}" / "x.parquet")
    path = str(tmp_path / "docs")
    for engine in (cd.Spark(spark), None):
        report = cd.compare(path, path, ["elm_f"], samples="doc", engine=engine)
        assert "2 samples" in str(report)


def test_csv_files_name_the_same_columns(spark: Any, tmp_path: Path) -> None:
    for name, text in (("a", "id,cluster\n1,1\n2,1\n"), ("b", "cluster,id\n3,2\n4,2\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    for given in (str(tmp_path), f"{tmp_path}/*.csv"):
        with pytest.raises(cd.ClusterdiffError, match=r"names other columns \(cluster,id\)"):
            cd.compare(given, given, FEW, engine=cd.Spark(spark))


def test_zeros_nan_and_sets_in_frames(spark: Any) -> None:
    """-0.0 is 0.0, a row with NaN clashes with a label, and {a,b} is refused."""

    def frame(ids: Any, labels: Any) -> Any:
        return spark.createDataFrame(pa.table({"id": ids, "cluster": labels}))

    truth = frame([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    assert cd.compare(truth, frame([-0.0, 1.0, 2.0], [-0.0, 0.0, 1.0]), FEW)["rand"].value == 1
    with pytest.raises(cd.ClusterdiffError, match=r"2\.0 is in 1\.0 and in None"):
        cd.compare(truth, frame([0.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.0, float("nan")]), FEW)
    rough = frame([0, 1], ["a", "{a,b}"])
    with pytest.raises(cd.ClusterdiffError, match=r"looks like a set of clusters \('{a,b}'\)"):
        cd.compare(rough, rough, ["rand_alpha"], kind="rough")
    one, two = frame([0, 1, 2], ["-1.0", "-1.0", "0.0"]), frame([0, 1, 2], ["0", "-1", "-1"])
    printed = str(cd.compare(one, two, FEW))
    assert "-1.0 is taken as a cluster of 2 objects" in printed
    assert "-1 is taken as a cluster of 2 objects" in printed
