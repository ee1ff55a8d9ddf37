"""Every verb on every engine: the same exit code, the same text and the same files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import clusterdiff as cd
from cli.runner import Ran, run
from clusterdiff.engines.spark import SparkSession

IDS = [f"r{i * 7 % 24}" for i in range(24)]
CITIES = ["XYZ"[i * 7 % 24 % 3] for i in range(24)]
SIDES: dict[str, dict[str, list[Any]]] = {
    "truth": {"id": IDS, "cluster": [f"t{i // 4}" for i in range(24)], "city": CITIES},
    "a": {"id": IDS[::-1], "cluster": [i // 3 for i in range(24)], "city": CITIES[::-1]},
    "b": {"id": IDS, "cluster": [i // 5 for i in range(24)], "city": CITIES},
    "sample": {"id": IDS[:8], "cluster": [f"t{i // 4}" for i in range(8)]},
    "judged": {"id_l": ["r0", "r7"], "id_r": ["r7", "r1"], "same": [1, 0]},
}
VERBS = {
    "compare": "compare truth a b --confidence 95",
    "compare samples": "compare truth a --samples city",
    "compare between": "compare truth a --between city",
    "compare covers": "compare truth a --kind cover",
    "chance": "chance truth a --draws 9",
    "explain": "explain truth a",
    "explain records": "explain truth a --records truth --show city",
    "explain object": "explain truth a --object r3",
    "diff": "diff truth a b",
    "table": "table truth a",
    "relabel": "relabel a b -o out.csv --table out2.csv",
    "track": "track truth a b",
    "draw": "draw a --records 5 -o out.csv",
    "estimate": "estimate sample a b --design records",
    "check": "check a --judgements judged.parquet",
    "matrix": "matrix truth a b",
    "consensus": "consensus truth a b -o out.parquet",
}
FEW = 1_000_000


def in_folder(folder: Path) -> None:
    for name, columns in SIDES.items():
        pa.parquet.write_table(pa.table(columns), folder / f"{name}.parquet")


def ran(line: str, engine: str) -> tuple[Ran, dict[str, bytes]]:
    """What a command says and writes; the next command that it names has the engine."""
    words = [f"{word}.parquet" if word in SIDES else word for word in line.split()]
    done = run(*words, "--engine", engine)
    wrote = {path.name: path.read_bytes() for path in Path().glob("out*")}
    for name in wrote:
        Path(name).unlink()
    told = re.sub(rf"\s*\\?\s*--engine {engine}", "", done.stdout)
    return done._replace(stdout=told), wrote


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_on_every_engine(
    verb: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkSession, "few", FEW)
    monkeypatch.chdir(tmp_path)
    in_folder(tmp_path)
    wanted = ran(VERBS[verb], "arrays")
    assert wanted[0].code in (0, 1), wanted[0].stderr
    assert ran(VERBS[verb], "duckdb") == wanted
    assert ran(VERBS[verb], "spark") == wanted


PYTHON: dict[str, Any] = {
    "diff": lambda t, a, b: cd.diff(t, a, b),
    "matrix": lambda *runs: cd.matrix(list(runs)),
    "consensus": lambda *runs: cd.consensus(list(runs)),
    "track": lambda *runs: cd.track(list(runs)),
    "explain": lambda t, a, _: cd.explain(t, a),
}


def in_order(side: dict[str, list[Any]]) -> Any:
    return pa.table(side).sort_by("id")


@pytest.mark.parametrize("verb", PYTHON)
def test_a_verb_of_python_on_frames(verb: str, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a small frame are taken in the order of their ids."""
    monkeypatch.setattr(SparkSession, "few", FEW)
    sides = [in_order(SIDES[name]) for name in ("truth", "a", "b")]
    frames = [spark.createDataFrame(pa.table(SIDES[name])) for name in ("truth", "a", "b")]
    assert str(PYTHON[verb](*frames)) == str(PYTHON[verb](*sides))


def test_a_renamed_frame_is_a_frame(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for few in (0, FEW):
        monkeypatch.setattr(SparkSession, "few", few)
        done = cd.relabel(*(spark.createDataFrame(pa.table(SIDES[name])) for name in "ab"))
        assert done.clustering.columns == ["id", "cluster"]
        found.append(sorted(map(tuple, done.clustering.collect())))
    assert found[0] == found[1]


def test_what_does_not_fit_the_driver_is_refused(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterdiff.engines.duckdb import DuckDB

    monkeypatch.setattr(DuckDB, "bytes", property(lambda _: 1000))
    frames = [spark.createDataFrame(pa.table(SIDES[name])) for name in ("truth", "a", "b")]
    with pytest.raises(cd.ClusterdiffError, match="in the memory of the driver, not in Spark"):
        cd.matrix(frames)
