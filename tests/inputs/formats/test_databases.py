"""Databases: tables and queries, read and never written."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

WANTED = cd.meet(list("aabb"), list("xxxy"))
ROWS = [(1, "a", "x"), (2, "a", "x"), (3, "b", "x"), (4, "b", "y")]


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    with duckdb.connect("d.duckdb") as connection:
        connection.execute("CREATE TABLE runs(id INTEGER, gold VARCHAR, run VARCHAR)")
        connection.executemany("INSERT INTO runs VALUES (?, ?, ?)", ROWS)
        connection.execute("CREATE TABLE other AS SELECT 1 AS id, 2 AS cluster")
    lite = sqlite3.connect("s.db")
    lite.execute("CREATE TABLE runs(id INTEGER, gold TEXT, run TEXT)")
    lite.executemany("INSERT INTO runs VALUES (?, ?, ?)", ROWS)
    lite.execute("CREATE TABLE mixed(id, cluster)")
    lite.executemany("INSERT INTO mixed VALUES (?, ?)", [(1, "a"), ("b", "b")])
    lite.commit()
    lite.close()
    return folder


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("name", ["d.duckdb", "s.db"])
def test_queries(name: str, engine: str) -> None:
    truth, guess = (f"{name}::SELECT id, {c} AS cluster FROM runs" for c in ("gold", "run"))
    assert cd.meet(truth, guess, engine=engine) == WANTED
    assert cd.meet(f"{name}::RUNS::gold", guess, engine=engine) == WANTED
    later = f"{name}::WITH r AS (SELECT * FROM runs) SELECT id, run AS cluster FROM r;"
    assert cd.meet(truth, later, engine=engine) == WANTED


def test_a_query_may_hold_colons() -> None:
    assert len(cd.read("d.duckdb::SELECT id::INTEGER AS id, gold::TEXT AS cluster FROM runs")) == 4


@pytest.mark.parametrize("name", ["d.duckdb", "s.db"])
def test_one_of_several_tables_is_named(name: str) -> None:
    caught = refuses("has 2 tables", cd.read, name)
    assert f"{name}::" in caught.hint
    caught = refuses("no table 'rnus'", cd.read, f"{name}::rnus")
    assert f"did you mean runs? Write e.g. {name}::runs" in caught.hint
    refuses("names no table after the ::", cd.read, f"{name}::")


WRITES = [
    "SELECT 1; DROP TABLE runs",
    "WITH a AS (SELECT 1) DELETE FROM runs",
    "SELECT nothing FROM runs",
    "SELECT * FROM nothing",
]


@pytest.mark.parametrize("name", ["d.duckdb", "s.db"])
@pytest.mark.parametrize("query", WRITES)
def test_nothing_is_written_and_wrong_queries_are_named(name: str, query: str) -> None:
    before = Path(name).read_bytes()
    caught = refuses(None, cd.read, f"{name}::{query}")
    assert "SELECT" in caught.hint
    assert Path(name).read_bytes() == before
    assert len(cd.read(f"{name}::runs::gold")) == 4


@pytest.mark.parametrize("start", [b"\xff\xfe", b"\xfe\xff", b"PK", b"\x1f\x8b\x07", b"BZh", b"[{"])
def test_the_checksum_at_the_start_of_a_database_is_no_mark_of_another_format(start: bytes) -> None:
    """A database of DuckDB starts with eight bytes that are different each time."""
    data = Path("d.duckdb").read_bytes()
    Path("d.duckdb").write_bytes(start + data[len(start) :])
    refuses("d.duckdb does not answer .*checksum", cd.read, "d.duckdb::SELECT 1 AS id")


def test_queries_do_not_reach_other_files(folder: Path) -> None:
    (folder / "secret.csv").write_text("id,cluster\n1,a\n")
    refuses("does not answer the query", cd.read, "d.duckdb::SELECT * FROM read_csv('secret.csv')")


def test_values_of_several_types_are_refused() -> None:
    caught = refuses("several types in 'id': integer, text", cd.read, "s.db::mixed")
    assert "CAST(id AS TEXT)" in caught.hint
    found = cd.read("s.db::SELECT CAST(id AS TEXT) AS id, cluster FROM mixed")
    assert found.ids is not None
    assert found.ids.tolist() == ["1", "b"]


def test_a_database_that_is_written_to_elsewhere(folder: Path) -> None:
    lite = sqlite3.connect("s.db", isolation_level=None)
    lite.execute("BEGIN EXCLUSIVE")
    try:
        refuses("locked", cd.read, "s.db::runs::gold")
    finally:
        lite.close()


def test_a_result_is_not_written_over_a_database(folder: Path) -> None:
    before = (folder / "s.db").read_bytes()
    ran = run("report", "s.db::runs::gold", "s.db::runs::run", "-o", "s.db")
    assert ran.code == 2
    assert "would be overwritten" in " ".join(ran.stderr.split())
    assert (folder / "s.db").read_bytes() == before


ADDRESS = "postgres://ann:secret@host:5432/db"


def test_postgres_needs_leave_and_hides_the_password() -> None:
    caught = refuses("on the network", cd.read, f"{ADDRESS}::runs")
    assert "secret" not in str(caught)
    assert "allow_network=True" in caught.hint
    ran = run("compare", f"{ADDRESS}::runs", "d.duckdb::runs::gold")
    assert "--allow-network" in ran.stderr
    assert "secret" not in ran.stderr + ran.stdout


def test_postgres_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    caught = refuses("is a PostgreSQL database", cd.read, f"{ADDRESS}::runs", allow_network=True)
    assert "pip install 'clusterdiff[postgres]'" in caught.hint
    assert "INSTALL postgres" in caught.hint


class _Cursor:
    """What the driver for PostgreSQL offers, answered by DuckDB."""

    def __init__(self, asked: list[str]) -> None:
        self.asked, self.connection = asked, duckdb.connect("d.duckdb", read_only=True)
        self.answer: Any = None

    def execute(self, query: str) -> None:
        self.asked.append(query)
        if not query.startswith("SET"):
            self.answer = self.connection.sql(query.replace("'public'", "'main'"))

    def fetchall(self) -> Any:
        return self.answer.fetchall()

    def fetch_record_batch(self) -> Any:
        return self.answer.to_arrow_reader()

    def close(self) -> None:
        self.connection.close()


def test_postgres_by_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    asked: list[str] = []

    class Connection:
        def cursor(self) -> _Cursor:
            return _Cursor(asked)

        def close(self) -> None:
            asked.append("closed")

    def connect(address: str) -> Connection:
        asked.append(address)
        return Connection()

    package, module = ModuleType("adbc_driver_postgresql"), ModuleType("dbapi")
    module.connect = connect  # type: ignore[attr-defined]
    package.dbapi = module  # type: ignore[attr-defined]
    package.__spec__ = sys.__spec__
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", package)
    engine = cd.DuckDB(allow_network=True)
    truth, guess = f"{ADDRESS}::runs::gold", f"{ADDRESS}::SELECT id, run::text AS cluster FROM runs"
    assert cd.meet(truth, guess, engine=engine) == WANTED
    assert asked[0] == ADDRESS
    assert "SET TRANSACTION READ ONLY" in asked
    assert asked[-1] == "closed"
    caught = refuses("no table 'rnus'", cd.read, f"{ADDRESS}::rnus", allow_network=True)
    assert "secret" not in str(caught)
    with pytest.raises(cd.ClusterdiffError, match="could not be read"):
        cd.read(f"{ADDRESS}::SELECT nothing FROM runs", allow_network=True)
