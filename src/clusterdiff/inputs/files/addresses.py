"""What a path says: a file or an address, a table or sheet inside it, and a column of that."""

from __future__ import annotations

import os
import re

from clusterdiff.errors import ReadError
from clusterdiff.errors.base import pasted

REMOTE = re.compile(r"(https?|s3|s3a|s3n|gs|gcs|r2|hf)://", re.IGNORECASE)
"""Addresses of files on the network that DuckDB reads by its extension httpfs."""
POSTGRES = re.compile(r"postgres(ql)?://", re.IGNORECASE)
AUTHORITY = re.compile(r"[A-Za-z][\w+.-]*://[^/]*")
"""The start of an address, in which a host may hold colons: http://[::1]/a.csv."""
QUERY = re.compile(r"\s*(SELECT|WITH|FROM|VALUES)\s", re.IGNORECASE)
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"
PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^/@]*@|(?<=[?&]password=)[^&]*", re.IGNORECASE)


def is_remote(name: str) -> bool:
    """Whether this is the address of a file on the network."""
    return REMOTE.match(name) is not None


def is_postgres(name: str) -> bool:
    """Whether this is the address of a PostgreSQL database."""
    return POSTGRES.match(name) is not None


def is_query(inside: str) -> bool:
    """Whether what is asked of a database is a query, not the name of a table."""
    return QUERY.match(inside) is not None


def without_password(name: str) -> str:
    """An address as it may be shown.

    >>> without_password("postgres://ann:secret@host/db?password=x&a=1")
    'postgres://ann:…@host/db?password=…&a=1'
    """
    return PASSWORD.sub(lambda found: f"{found[1]}:…@" if found[0].endswith("@") else "…", name)


def named_column(path: str) -> tuple[str, str | None]:
    """FILE::COLUMN taken apart, unless a file has that very name; of a database, what stands
    behind the first :: is a table or a query, and behind a table there may be a column.
    """
    if not path.strip():
        raise ReadError.no_path(path)
    if "::" not in path or os.path.exists(path):
        return path, None
    if (database := _database_in(path)) is not None:
        base, inside = database
        table, _, column = ("", "", "") if is_query(inside) else inside.partition("::")
        return (f"{base}::{table}", column) if column else (path, None)
    start = _authority(path)
    if "::" not in path[start:]:
        return path, None
    name, _, column = path[start:].rpartition("::")
    name = path[:start] + name
    if not name.strip():
        raise ReadError.no_path(path)
    if not column:
        raise ReadError(
            f"{path} names no column after the ::.", f"write e.g. {pasted(f'{name}::cluster')}."
        )
    return name, column


def inside_of(name: str) -> tuple[str, str | None]:
    """A file, and the table, sheet or query inside it that is meant, if one is named."""
    if "::" not in name or os.path.exists(name):
        return name, None
    if (database := _database_in(name)) is not None:
        return database
    start = _authority(name)
    base, colons, inside = name[start:].partition("::")
    return (name[:start] + base, inside) if colons else (name, None)


def _database_in(path: str) -> tuple[str, str] | None:
    """The database that a path starts with, and what is asked of it."""
    start = _authority(path)
    while (at := path.find("::", start)) >= 0:
        base, inside = path[:at], path[at + 2 :]
        if is_postgres(path) or is_database(base):
            if not inside.strip():
                raise ReadError(
                    f"{without_password(path)} names no table after the ::.",
                    f"write e.g. {pasted(f'{without_password(base)}::clusters')}.",
                )
            return base, inside
        start = at + 2
    return None


def is_database(name: str) -> bool:
    """Whether a file is a database of SQLite or DuckDB, by its first bytes."""
    try:
        if not os.path.isfile(name):
            return False
        with open(name, "rb") as file:
            return is_database_start(file.read(16))
    except OSError:
        return False


def is_database_start(start: bytes) -> bool:
    """Whether a file that starts so is a database."""
    return start.startswith(SQLITE) or start[8:12] == DUCKDB


def _authority(path: str) -> int:
    """Where the address of a host ends."""
    found = AUTHORITY.match(path)
    return found.end() if found else 0
