"""Tables of databases: DuckDB and SQLite, opened for reading alone, and PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

from clusterdiff.engines.duckdb import literal, quoted
from clusterdiff.errors import ReadError, did_you_mean, install_line, pasted, shorten, some
from clusterdiff.io.files import is_query, without_password
from clusterdiff.io.formats.csv import in_parquet, in_table, table_format
from clusterdiff.io.read import Source
from clusterdiff.plugins import is_installed

# Which table of a database is meant, and the query for it.


def query_for(source: Source, tables: Sequence[str]) -> str:
    """The query that was given, or one for the table that was named, or for the only one."""
    if source.inside is not None and is_query(source.inside):
        return source.inside.strip().rstrip(";")
    return f"SELECT * FROM {quoted(_table(source, tables))}"


def _table(source: Source, tables: Sequence[str]) -> str:
    if not tables:
        raise ReadError(f"{source.shown} has no tables.", "name a database that has one.")
    if source.inside is None:
        if len(tables) == 1:
            return tables[0]
        raise ReadError(
            f"{source.shown} has {len(tables):,} tables: {some(tables)}.",
            f"name one, {pasted(f'{source.shown}::{tables[0]}')}, or write a query, "
            f"{_example(source, tables[0])}.",
        )
    alike = [name for name in tables if name.lower() == source.inside.lower()]
    if source.inside in tables or len(alike) == 1:
        return source.inside if source.inside in tables else alike[0]
    near = (get_close_matches(source.inside, tables, 1) or tables)[0]
    raise ReadError(
        f"{source.shown} has no table {source.inside!r}; it has {some(tables)}.",
        f"{did_you_mean(source.inside, tables)}Write e.g. "
        f"{pasted(f'{source.shown}::{near}')}, or a query, {_example(source, near)}.",
    )


def not_answered(source: Source, why: str) -> ReadError:
    """What a database says of a query, or of itself."""
    why = shorten(" ".join(why.split()), 200)
    if source.inside is None or not is_query(source.inside):
        return ReadError.from_engine(source.shown, why)
    return ReadError(
        f"{source.shown} does not answer the query: {why}",
        "check the names of its tables and columns; one SELECT that reads is what is taken, e.g. "
        f"{_example(source, 'runs')}.",
    )


def _example(source: Source, table: str) -> str:
    return pasted(f"{source.shown}::SELECT id, cluster FROM {table}")


# DuckDB, which is opened for reading alone.

DUCKDB_TABLES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_catalog = current_database() AND table_schema = current_schema()
    ORDER BY table_name
"""
SAFE = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}


def table_of_duckdb(stack: ExitStack, source: Source) -> Source:
    """The rows of a table or query."""
    import duckdb

    try:
        config: dict[str, Any] = {**SAFE, "access_mode": "READ_ONLY"}
        connection = stack.enter_context(duckdb.connect(str(source.files[0]), config=config))
        tables = [name for (name,) in connection.execute(DUCKDB_TABLES).fetchall()]
        query = query_for(source, tables)
        statements = [statement.type for statement in connection.extract_statements(query)]
        if statements != [duckdb.StatementType.SELECT]:
            raise _not_one_query(source)
        return _copied(stack, source, connection, query)
    except duckdb.Error as error:
        if "set lock" in str(error):
            raise ReadError(
                f"{source.shown} is open in another program that writes to it.",
                "close it there, or export the table: COPY runs TO 'runs.parquet'.",
            ) from None
        raise not_answered(source, str(error)) from None


def _copied(stack: ExitStack, source: Source, connection: Any, query: str) -> Source:
    """What DuckDB finds, as a file."""
    relation = connection.sql(query)
    if is_installed("pyarrow"):
        reader = relation.to_arrow_reader()
        return in_parquet(stack, source, reader.schema, reader)
    fields = list(zip(relation.columns, map(str, relation.types), strict=True))
    connection.execute(query)
    batches = iter(lambda: connection.fetchmany(ROWS), [])
    return in_table(stack, source, fields, batches)


def _not_one_query(source: Source) -> ReadError:
    return ReadError(
        f"{source.shown} is asked for something else than one query.",
        "write one SELECT, e.g. SELECT id, cluster FROM runs.",
    )


# SQLite, read by the SQLite that Python has.

SQLITE_TABLES = """
    SELECT name FROM sqlite_master
    WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""
ROWS = 50_000
"""Rows that are read at once."""


def table_of_sqlite(stack: ExitStack, source: Source) -> Source:
    """The rows of a table or query."""
    import sqlite3

    try:
        address = f"{source.files[0].absolute().as_uri()}?mode=ro"
        connection = stack.enter_context(closing(sqlite3.connect(address, uri=True, timeout=1)))
        tables = [name for (name,) in connection.execute(SQLITE_TABLES)]
        query = query_for(source, tables)
        cursor = connection.execute(query)
        if cursor.description is None:
            raise _not_one_query(source)
        names = [described[0] for described in cursor.description]
        fields = _fields(source, connection, query, names)
        return in_table(stack, source, fields, _batches(source, cursor))
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise not_answered(source, str(error)) from None


def _fields(source: Source, connection: Any, query: str, names: list[str]) -> list[tuple[str, str]]:
    """The type of each column: what its values are, since SQLite lets them differ by row."""
    one = "coalesce(max(CASE typeof({0}) WHEN '{1}' THEN 1 END), 0)"
    sorts = ("integer", "real", "text", "blob")
    numbered = [f"c{i}" for i in range(len(names))]
    asked = ", ".join(one.format(name, sort) for name in numbered for sort in sorts)
    row = connection.execute(
        f"WITH x({', '.join(numbered)}) AS (SELECT * FROM ({query})) SELECT {asked} FROM x"
    ).fetchone()
    fields: list[tuple[str, str]] = []
    for i, name in enumerate(names):
        found = {
            sort for sort, is_there in zip(sorts, row[4 * i : 4 * i + 4], strict=True) if is_there
        }
        if found <= {"integer"}:
            fields.append((name, "BIGINT"))
        elif found <= {"integer", "real"}:
            fields.append((name, "DOUBLE"))
        elif found == {"text"}:
            fields.append((name, "VARCHAR"))
        elif found == {"blob"}:
            fields.append((name, "BLOB"))
        else:
            raise ReadError(
                f"{source.shown} has values of several types in {name!r}: "
                f"{', '.join(sorted(found))}.",
                f"write a query that makes them one, SELECT …, CAST({name} AS TEXT) AS {name} "
                "FROM ….",
            )
    return fields


def _batches(source: Source, cursor: Any) -> Iterator[Any]:
    import sqlite3

    try:
        while rows := cursor.fetchmany(ROWS):
            yield rows
    except sqlite3.Error as error:
        raise not_answered(source, str(error)) from None


# PostgreSQL, through its ADBC driver or DuckDB's extension.

POSTGRES_TABLES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_schema = 'public' ORDER BY table_name
"""
DRIVER = "adbc_driver_postgresql"


def table_of_postgres(stack: ExitStack, source: Source) -> Source:
    """The rows of a table or query, which the database answers in a transaction that writes
    nothing.
    """
    if not source.address:
        raise ReadError(
            f"{source.shown} is a file, and PostgreSQL is asked by an address.",
            "write postgres://user@host/database::table.",
        )
    try:
        if find_spec(DRIVER) and is_installed("pyarrow"):
            return in_parquet(stack, source, *_by_driver(stack, source))
        return _copied(stack, source, *_by_duckdb(stack, source))
    except Exception as error:  # each driver has its own
        if isinstance(error, ReadError) or type(error).__module__.startswith("clusterdiff"):
            raise
        why = str(error).replace(source.address, without_password(source.address))
        raise ReadError(
            f"{source.shown} could not be read: {' '.join(why.split())[:200]}",
            "check the address, the name of the table and your rights: "
            "postgres://user:password@host:5432/database::table.",
        ) from None


def _by_driver(stack: ExitStack, source: Source) -> tuple[Any, Any]:
    from adbc_driver_postgresql import dbapi

    connection = stack.enter_context(closing(dbapi.connect(source.address)))
    cursor = stack.enter_context(closing(connection.cursor()))
    cursor.execute("SET TRANSACTION READ ONLY")
    cursor.execute(POSTGRES_TABLES)
    query = query_for(source, [name for (name,) in cursor.fetchall()])
    cursor.execute(query)
    reader = cursor.fetch_record_batch()
    return reader.schema, reader


def _by_duckdb(stack: ExitStack, source: Source) -> tuple[Any, str]:
    import duckdb

    connection = stack.enter_context(duckdb.connect())
    connection.execute("SET autoinstall_known_extensions = false")
    try:
        connection.execute("LOAD postgres")
    except duckdb.Error:
        raise ReadError(
            f"{source.shown} is a PostgreSQL database, and neither DuckDB's extension postgres "
            "nor the ADBC driver for it is installed.",
            f"pip install 'clusterdiff[postgres]', or {install_line('postgres')}.",
        ) from None
    connection.execute(f"ATTACH {literal(source.address)} AS pg (TYPE postgres, READ_ONLY)")
    asked = f"SELECT * FROM postgres_query('pg', {literal(POSTGRES_TABLES)})"
    query = query_for(source, [name for (name,) in connection.execute(asked).fetchall()])
    return connection, f"SELECT * FROM postgres_query('pg', {literal(query)})"


FORMATS = (
    table_format(
        "duckdb",
        table_of_duckdb,
        (".duckdb", ".ddb"),
        """\
  .duckdb       a table of a DuckDB database, or 'FILE::SELECT …'""",
        re.compile(rb".{8}DUCK", re.DOTALL),
        inside="table",
    ),
    table_format(
        "sqlite",
        table_of_sqlite,
        (".sqlite", ".sqlite3", ".db"),
        """\
  .sqlite .db   a table of an SQLite database, FILE::TABLE""",
        re.compile(rb"SQLite format 3\0"),
        inside="table",
    ),
    table_format(
        "postgres",
        table_of_postgres,
        (),
        """\
  postgres://…  a table of PostgreSQL, --allow-network (extra postgres)""",
        None,
        inside="table",
    ),
)
