"""JSON records, one per line or in a list, as a table that stays where it is."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from clusterdiff.backends.duckdb import DuckSession, families, listed, quoted
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.errors import ReadError
from clusterdiff.inputs.formats.json import read_clustering
from clusterdiff.inputs.loading import table_in
from clusterdiff.inputs.read import Load, Source

WHOLE = {"UBIGINT", "BIGINT"}
TAIL = 1 << 16
"""Bytes at the end of a list among which its bracket is looked for."""
LONGEST = 1 << 26
"""Bytes of the longest record."""


def table_of_file(session: DuckSession, source: Source, load: Load) -> Table:
    """Records {"id": …, "cluster": …} of whole numbers or of text; others are read in memory."""
    if source.kind not in ("partition", "cover", "rough"):
        raise NeedsMemory("records with degrees")
    first, form = _first_record(source)
    files = listed(source.files)
    options = (
        f"format='{form}', compression='{'gzip' if source.packed else 'none'}', "
        f"maximum_object_size={LONGEST}"
    )
    if form == "array" and not all(_ends(file, source.packed) for file in source.files):
        raise NeedsMemory("a list that does not end")
    columns = source.columns([*first, *_later_names(session, files, options, first)])
    if columns.id is None or columns.parts:
        raise NeedsMemory("records without ids, or with ids of several columns")
    chosen = ", ".join(f"{quoted(name)}: 'JSON'" for name in columns.chosen())
    rows = f"read_json({files}, columns={{{chosen}}}, {options})"
    place = ", row_number() OVER () AS place" if columns.sample else ""
    try:
        with (
            session.reading(source.shown, source.files),
            session.in_order(),
        ):
            raw = session.keep(
                f"SELECT {columns.named(quoted)}{place} FROM {rows}", f"reading {source.shown}"
            )
    except ReadError as error:
        raise NeedsMemory(str(error)) from None
    own = [name for name in ("cluster", "id", "sample") if name in families(session, raw)]
    typed = [f"{_typed(session, raw, name)} AS {name}" for name in own]
    if place:
        typed.append("place")
    view = session.view(f"SELECT {', '.join(typed)} FROM {raw}")
    return table_in(session, source, view, columns, load, read_clustering)


def _later_names(session: DuckSession, files: str, options: str, first: list[str]) -> list[str]:
    """Columns that the first record does not have and others do."""
    query = (
        "SELECT DISTINCT unnest(json_keys(json)) AS name FROM "
        f"read_json_objects({files}, {options}) ORDER BY name"
    )
    try:
        found = session.fetch(query).column("name").to_pylist()
    except ReadError as error:
        raise NeedsMemory(str(error)) from None
    return [name for name in found if name not in first]


def _ends(file: Path, packed: bool) -> bool:
    """Whether a list ends where the file does; DuckDB takes one that was cut after a comma."""
    last = b""
    try:
        with gzip.open(file, "rb") if packed else file.open("rb") as stream:
            if not packed:
                stream.seek(max(0, file.stat().st_size - TAIL))
            while chunk := stream.read(1 << 20):
                last = chunk.rstrip()[-1:] or last
    except (OSError, EOFError, zlib.error) as error:
        raise NeedsMemory(str(error)) from None
    return last == b"]"


def _first_record(source: Source) -> tuple[list[str], str]:
    """What the columns of the first record are called, and how records follow each other."""
    start = source.start.decode("utf-8", errors="ignore").lstrip()
    form = "array" if start[:1] == "[" else "newline_delimited"
    try:
        first: Any = json.JSONDecoder().raw_decode(start.removeprefix("[").lstrip())[0]
    except (ValueError, RecursionError):
        raise NeedsMemory("no record at the start") from None
    if not isinstance(first, dict):
        raise NeedsMemory("no records")
    lines = source.suffix in (".jsonl", ".ndjson") or "\n{" in start
    if form == "newline_delimited" and not lines:
        raise NeedsMemory("one document")
    return list(first), form


def _typed(session: DuckSession, raw: str, name: str) -> str:
    """A column of JSON values as whole numbers or as text."""
    query = f"SELECT DISTINCT json_type({name}) AS t FROM {raw} WHERE {name} IS NOT NULL"
    found = {row["t"] for row in session.fetch(query).to_pylist()} - {"NULL", None}
    if found <= {"VARCHAR"}:
        return f"{name} ->> '$'"
    if found <= WHOLE:
        return f"CASE WHEN json_type({name}) <> 'NULL' THEN CAST({name} AS BIGINT) END"
    raise NeedsMemory(f"values of the types {', '.join(sorted(map(str, found)))}")
