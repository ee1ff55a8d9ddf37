"""Tables of a session in memory: read once, through its own connection, as `read` reads them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.clusterings import Partition
from clusterdiff.engines.duckdb import DuckSession
from clusterdiff.engines.protocol import Table
from clusterdiff.errors import MemoryNeeded
from clusterdiff.io.read import open_table

FIRST: list[Any] = [9, 3, 7, 5]


def _csv(folder: Path, columns: dict[str, list[Any]]) -> Path:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    cells = [["" if value is None else str(value) for value in row] for row in rows]
    path = folder / "table.csv"
    path.write_text("\n".join(map(",".join, cells)) + "\n")
    return path


def _packed(folder: Path, columns: dict[str, list[Any]]) -> Path:
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(_csv(folder, columns).read_bytes()))
    return path


def _parquet(folder: Path, columns: dict[str, list[Any]]) -> Path:
    pq.write_table(pa.table(columns), folder / "table.parquet", row_group_size=2)
    return folder / "table.parquet"


def _json(folder: Path, columns: dict[str, list[Any]]) -> Path:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path = folder / "table.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


MAKERS: dict[str, Callable[[Path, dict[str, list[Any]]], Path]] = {
    "csv": _csv,
    "csv.gz": _packed,
    "parquet": _parquet,
    "json": _json,
}
TABLES: dict[str, dict[str, list[Any]]] = {
    "numbers": {"id": FIRST, "cluster": [2, 1, 2, 1]},
    "text": {"id": ["d", "a", "c", "b"], "cluster": ["y", "x", "y", "x"]},
    "mixed": {"id": FIRST, "cluster": ["y", "x", "y", "1"]},
    "nulls": {"id": FIRST, "cluster": ["y", None, "y", "x"]},
    "samples": {"id": [1, 2, 1, 2], "cluster": [2, 2, 1, 1], "doc": ["b", "b", "a", "a"]},
}


@pytest.mark.parametrize("way", MAKERS)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_memory_is_what_read_reads(name: str, way: str, tmp_path: Path) -> None:
    columns = TABLES[name]
    path = MAKERS[way](tmp_path, columns)
    sample = "doc" if "doc" in columns else None
    with DuckSession(cd.DuckDB(threads=2)) as session:
        table = open_table(session, path, sample=sample)
        assert isinstance(table, Table)
        loaded = table.load()
    for found in (loaded, cd.read(path, sample=sample)):
        assert isinstance(found, Partition)
        assert found.ids is not None
        assert found.ids.tolist() == columns["id"]
        assert found.labels.tolist() == columns["cluster"]
        assert (found.samples is None) == (sample is None)
        if found.samples is not None:
            assert found.samples.tolist() == columns["doc"]
        for column in (found.ids, found.labels):
            whole = all(isinstance(value, int) for value in column.tolist())
            if found is loaded or None not in column.tolist():
                assert column.family == ("integers" if whole else "text")
            assert column.written == way.startswith("csv")


@pytest.mark.parametrize("way", MAKERS)
def test_numbers_that_are_text_stay_text(way: str, tmp_path: Path) -> None:
    path = MAKERS[way](tmp_path, {"id": ["01", "1", "2"], "cluster": ["7", "+7", "7"]})
    with DuckSession(cd.DuckDB()) as session:
        table = open_table(session, path)
        assert isinstance(table, Table)
        found = table.load()
    assert found.ids is not None
    assert found.ids.tolist() == ["01", "1", "2"]
    assert found.labels.tolist() == ["7", "+7", "7"]


@pytest.mark.parametrize("way", ["csv", "parquet"])
def test_kinds_with_degrees(way: str, tmp_path: Path) -> None:
    names: dict[str, list[Any]] = {"id": ["b", "b", "a"], "cluster": ["x", "y", "x"]}
    long = {**names, "degree": [0.25, 0.75, 1.0]}
    path = MAKERS[way](tmp_path, long)
    wanted = {"b": {"x": 0.25, "y": 0.75}, "a": {"x": 1.0}}
    told = cd.explain(path, cd.Fuzzy(wanted), kind="fuzzy")
    assert told.score.value == cd.explain(cd.Fuzzy(wanted), cd.Fuzzy(wanted)).score.value
    wide = MAKERS[way](tmp_path, {"id": ["b", "a"], "x": [0.25, 1.0], "y": [0.75, 0.0]})
    again = cd.explain(wide, cd.Fuzzy(wanted), kind="fuzzy")
    assert again.score.value == told.score.value


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_stay_in_the_order_of_the_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{ending}"
    labels = np.random.default_rng(0).integers(0, 10**6, 250_000)
    rows = pa.table({"label": labels, "other": labels % 7})
    if ending == "parquet":
        pq.write_table(rows, path, row_group_size=20_000)
    else:
        pa_csv.write_csv(rows, path)
    with DuckSession(cd.DuckDB(threads=4)) as session:
        table = open_table(session, path, id="", cluster="label")
        assert isinstance(table, Table)
        found = table.load()
    assert found.ids is None
    assert np.array_equal(found.labels.values, labels)


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    """What DuckDB is asked, with how many threads and within how much memory; connections, too."""
    asked: list[tuple[str, int, str]] = []
    own, connect = DuckSession._run, duckdb.connect

    def seen(session: DuckSession, query: str, doing: str = "", *, rows: bool = False) -> Any:
        limits = "SELECT current_setting('threads'), current_setting('memory_limit')"
        [found] = session._connection.execute(limits).fetchall()
        asked.append((query, *found))
        return own(session, query, doing, rows=rows)

    def opened(*given: Any, **options: Any) -> Any:
        asked.append(("connect", 0, ""))
        return connect(*given, **options)

    monkeypatch.setattr(DuckSession, "_run", seen)
    monkeypatch.setattr(duckdb, "connect", opened)
    return asked


@pytest.mark.parametrize(
    "command",
    [
        ["compare"],
        ["explain"],
        ["explain", "--kind", "cover"],
        ["explain", "--align", "shared"],
        ["diff"],
        ["diff", "--noise", "1"],
    ],
)
def test_files_are_read_once_and_within_limits(
    command: list[str], queries: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    files = [tmp_path / f"{name}.csv" for name in ("truth", "old", "new")]
    files = files if command[0] == "diff" else files[:2]
    for k, file in enumerate(files):
        file.write_text("id,cluster\n" + "".join(f"r{i},{(i + k) // 3}\n" for i in range(30)))
    paths = map(str, files)
    ran = run(command[0], *paths, *command[1:], "--memory", "300MB", "--threads", "1")
    assert (ran.code, ran.stderr) == (0, "")
    assert sum(query == "connect" for query, _, _ in queries) == 1
    for file in files:
        assert sum("read_csv(" in query and str(file) in query for query, _, _ in queries) == 1
    assert {(threads, memory) for query, threads, memory in queries if query != "connect"} == {
        (1, "286.1 MiB")
    }


def test_what_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = DuckSession.__init__

    def made(session: DuckSession, options: cd.DuckDB) -> None:
        own(session, options)
        session.memory = 10**6

    monkeypatch.setattr(DuckSession, "__init__", made)
    for name in ("truth", "guess"):
        rows = {"id": np.arange(8_000), "cluster": np.arange(8_000) // 3}
        pq.write_table(pa.table(rows), tmp_path / f"{name}.parquet")
    truth, guess = str(tmp_path / "truth.parquet"), str(tmp_path / "guess.parquet")
    with pytest.raises(MemoryNeeded, match="16,000 rows or more.* about 1.4 MB .* 1.0 MB are"):
        cd.diff(truth, guess, guess)
    ran = run("explain", truth, guess, "--kind", "cover")
    assert ran.code == 2
    assert ran.stderr.startswith("clusterdiff: 16,000 rows or more, each with its id, would take")
    assert "Hint: allow more, memory='1GB' (--memory 1GB), or ask for scores" in ran.stderr
    assert run("compare", truth, guess, "-m", "elm_f").code == 0
