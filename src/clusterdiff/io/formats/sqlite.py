"""Tables of an SQLite database, read by the SQLite that Python has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from clusterdiff.errors import ReadError
from clusterdiff.io.formats.csv import in_parquet, table_format
from clusterdiff.io.formats.database_tables import not_answered, query_for
from clusterdiff.io.read import Source

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = """
    SELECT name FROM sqlite_master
    WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""
ROWS = 50_000
"""Rows that are read at once."""


def as_table(stack: ExitStack, source: Source) -> Source:
    """The rows of a table or query."""
    import sqlite3

    try:
        address = f"{source.files[0].absolute().as_uri()}?mode=ro"
        connection = stack.enter_context(closing(sqlite3.connect(address, uri=True, timeout=1)))
        tables = [name for (name,) in connection.execute(TABLES)]
        query = query_for(source, tables)
        cursor = connection.execute(query)
        if cursor.description is None:
            raise ReadError(
                f"{source.shown} is asked for something else than one query.",
                "write one SELECT, e.g. SELECT id, cluster FROM runs.",
            )
        names = [described[0] for described in cursor.description]
        schema = _schema(source, connection, query, names)
        return in_parquet(stack, source, schema, _batches(source, cursor, schema))
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise not_answered(source, str(error)) from None


def _schema(source: Source, connection: Any, query: str, names: list[str]) -> pa.Schema:
    """The type of each column: what its values are, since SQLite lets them differ by row."""
    import pyarrow as pa

    one = "coalesce(max(CASE typeof({0}) WHEN '{1}' THEN 1 END), 0)"
    sorts = ("integer", "real", "text", "blob")
    numbered = [f"c{i}" for i in range(len(names))]
    asked = ", ".join(one.format(name, sort) for name in numbered for sort in sorts)
    row = connection.execute(
        f"WITH x({', '.join(numbered)}) AS (SELECT * FROM ({query})) SELECT {asked} FROM x"
    ).fetchone()
    types: list[tuple[str, Any]] = []
    for i, name in enumerate(names):
        found = {
            sort for sort, is_there in zip(sorts, row[4 * i : 4 * i + 4], strict=True) if is_there
        }
        if found <= {"integer"}:
            types.append((name, pa.int64() if found else pa.null()))
        elif found <= {"integer", "real"}:
            types.append((name, pa.float64()))
        elif found == {"text"}:
            types.append((name, pa.large_string()))
        elif found == {"blob"}:
            types.append((name, pa.large_binary()))
        else:
            raise ReadError(
                f"{source.shown} has values of several types in {name!r}: "
                f"{', '.join(sorted(found))}.",
                f"write a query that makes them one, SELECT …, CAST({name} AS TEXT) AS {name} "
                "FROM ….",
            )
    return pa.schema(types)


def _batches(source: Source, cursor: Any, schema: pa.Schema) -> Iterator[Any]:
    import sqlite3

    import pyarrow as pa

    try:
        while rows := cursor.fetchmany(ROWS):
            columns = zip(*rows, strict=True)
            arrays = [
                pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)
            ]
            yield pa.record_batch(arrays, schema)
    except sqlite3.Error as error:
        raise not_answered(source, str(error)) from None


FORMAT = table_format(
    "sqlite",
    as_table,
    (".sqlite", ".sqlite3", ".db"),
    """\
  .sqlite .db   a table of an SQLite database, FILE::TABLE""",
    lambda start: start.startswith(b"SQLite format 3\0"),
    inside="table",
)
