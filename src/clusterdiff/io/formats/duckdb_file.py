"""Tables of a DuckDB database, which is opened for reading alone."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from clusterdiff.errors import ReadError
from clusterdiff.io.formats.csv import in_parquet, table_format
from clusterdiff.io.formats.database_tables import not_answered, query_for
from clusterdiff.io.read import Source

TABLES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_catalog = current_database() AND table_schema = current_schema()
    ORDER BY table_name
"""
SAFE = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}


def as_table(stack: ExitStack, source: Source) -> Source:
    """The rows of a table or query."""
    import duckdb

    try:
        config: dict[str, Any] = {**SAFE, "access_mode": "READ_ONLY"}
        connection = stack.enter_context(duckdb.connect(str(source.files[0]), config=config))
        tables = [name for (name,) in connection.execute(TABLES).fetchall()]
        query = query_for(source, tables)
        refuse_other_statements(source, connection, query)
        reader = connection.sql(query).to_arrow_reader()
        return in_parquet(stack, source, reader.schema, reader)
    except duckdb.Error as error:
        raise _told(source, str(error)) from None


def refuse_other_statements(source: Source, connection: Any, query: str) -> None:
    """Refuse what is not one query."""
    import duckdb

    found = [one.type for one in connection.extract_statements(query)]
    if found != [duckdb.StatementType.SELECT]:
        raise ReadError(
            f"{source.shown} is asked for something else than one query.",
            "write one SELECT, e.g. SELECT id, cluster FROM runs.",
        )


def _told(source: Source, why: str) -> ReadError:
    if "lock" in why.lower():
        return ReadError(
            f"{source.shown} is open in another program that writes to it.",
            "close it there, or export the table: COPY runs TO 'runs.parquet'.",
        )
    return not_answered(source, why)


FORMAT = table_format(
    "duckdb",
    as_table,
    (".duckdb", ".ddb"),
    """\
  .duckdb       a table of a DuckDB database, or 'FILE::SELECT …'""",
    lambda start: start[8:12] == b"DUCK",
    inside="table",
)
