"""Tables of a PostgreSQL database, through its ADBC driver or DuckDB's extension."""

from __future__ import annotations

from contextlib import ExitStack, closing
from importlib.util import find_spec
from typing import Any

from clusterdiff.engines.duckdb import literal
from clusterdiff.errors import NetworkRefused, ReadError
from clusterdiff.io.files import without_password
from clusterdiff.io.formats.csv import in_parquet, table_format
from clusterdiff.io.formats.database_tables import query_for
from clusterdiff.io.read import Source

TABLES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_schema = 'public' ORDER BY table_name
"""
DRIVER = "adbc_driver_postgresql"


def as_table(stack: ExitStack, source: Source) -> Source:
    """The rows of a table or query, which the database answers in a transaction that writes
    nothing.
    """
    if not source.address:
        raise ReadError(
            f"{source.shown} is a file, and PostgreSQL is asked by an address.",
            "write postgres://user@host/database::table.",
        )
    try:
        schema, batches = _by_driver(stack, source) if _has_driver() else _by_duckdb(stack, source)
        return in_parquet(stack, source, schema, batches)
    except Exception as error:  # each driver has its own
        if isinstance(error, ReadError) or type(error).__module__.startswith("clusterdiff"):
            raise
        why = str(error).replace(source.address, without_password(source.address))
        raise ReadError(
            f"{source.shown} could not be read: {' '.join(why.split())[:200]}",
            "check the address, the name of the table and your rights: "
            "postgres://user:password@host:5432/database::table.",
        ) from None


def _has_driver() -> bool:
    return find_spec(DRIVER) is not None


def _by_driver(stack: ExitStack, source: Source) -> tuple[Any, Any]:
    from adbc_driver_postgresql import dbapi

    connection = stack.enter_context(closing(dbapi.connect(source.address)))
    cursor = stack.enter_context(closing(connection.cursor()))
    cursor.execute("SET TRANSACTION READ ONLY")
    cursor.execute(TABLES)
    query = query_for(source, [name for (name,) in cursor.fetchall()])
    cursor.execute(query)
    reader = cursor.fetch_record_batch()
    return reader.schema, reader


def _by_duckdb(stack: ExitStack, source: Source) -> tuple[Any, Any]:
    import duckdb

    connection = stack.enter_context(duckdb.connect())
    connection.execute("SET autoinstall_known_extensions = false")
    try:
        connection.execute("LOAD postgres")
    except duckdb.Error:
        raise NetworkRefused.from_postgres(source.shown) from None
    connection.execute(f"ATTACH {literal(source.address)} AS pg (TYPE postgres, READ_ONLY)")
    asked = f"SELECT * FROM postgres_query('pg', {literal(TABLES)})"
    query = query_for(source, [name for (name,) in connection.execute(asked).fetchall()])
    answer = connection.sql(f"SELECT * FROM postgres_query('pg', {literal(query)})")
    reader = answer.to_arrow_reader()
    return reader.schema, reader


FORMAT = table_format(
    "postgres",
    as_table,
    (),
    """\
  postgres://…  a table of PostgreSQL, --allow-network (extra postgres)""",
    None,
    inside="table",
)
