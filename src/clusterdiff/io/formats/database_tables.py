"""Which table of a database is meant, and the query for it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from clusterdiff.errors import ReadError, did_you_mean, pasted, shorten, some
from clusterdiff.io.files import is_query
from clusterdiff.io.read import Source


def query_for(source: Source, tables: Sequence[str]) -> str:
    """The query that was given, or one for the table that was named, or for the only one."""
    if source.inside is not None and is_query(source.inside):
        return source.inside.strip().rstrip(";")
    return f"SELECT * FROM {_quoted(_table(source, tables))}"


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


def _quoted(table: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("\0"))
