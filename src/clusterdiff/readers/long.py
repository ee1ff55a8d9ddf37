"""Tables with a row per object: CSV, TSV, Parquet, JSON lines, through DuckDB."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import Partition, column
from clusterdiff.engines.columns import CLUSTERS, IDS, find_columns
from clusterdiff.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.readers.base import Source

WIDEST = 10_000
"""Tables with more columns than this are not one row per object."""


def read_partition(source: Source) -> Partition:
    """A partition from the columns of a table."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            return _query(connection, source)
    except duckdb.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def _query(connection: Any, source: Source) -> Partition:
    options = ", compression='gzip'" if source.packed else ""
    if source.start[:4] == b"PAR1":
        table = "read_parquet"
    elif source.start.lstrip()[:1] in (b"{", b"[") and source.suffix not in (".csv", ".tsv"):
        table = "read_json"
    else:
        table = "read_csv"
        options += _csv_options(source)
    where = f"{table}(?{options})"
    described = connection.execute(f"DESCRIBE SELECT * FROM {where}", [str(source.path)])
    names = _narrow(source, [row[0] for row in described.fetchall()])
    columns = find_columns(
        source.shown, names, id=source.id, cluster=source.cluster, sample=source.sample
    )
    chosen = columns.chosen()
    query = f"SELECT {', '.join(map(_name, chosen))} FROM {where}"
    result = connection.sql(query, params=[str(source.path)]).to_arrow_table()

    def taken(name: str | None) -> Any:
        if name is None:
            return None
        return column(result.column(chosen.index(name)), written=table == "read_csv")

    return Partition(taken(columns.cluster), taken(columns.id), taken(columns.sample))


def _csv_options(source: Source) -> str:
    """All columns as text, and nothing left to guess."""
    delimiter, first = _first_row(source)
    header = _has_header(source, delimiter, _narrow(source, first))
    names = first if header else [f"column{i}" for i in range(len(first))]
    listed = ", ".join(f"{_text(name)}: 'VARCHAR'" for name in names)
    return (
        f", delim={_text(delimiter)}, header={header}, columns={{{listed}}}, auto_detect=false"
        ", quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false"
    )


def _narrow(source: Source, names: list[str]) -> list[str]:
    """The names, unless there are so many that this is no table of objects."""
    if len(names) > WIDEST:
        raise ReadError.ambiguous_columns(source.shown, names)
    return names


def _first_row(source: Source) -> tuple[str, list[str]]:
    """The delimiter of a CSV file and the cells of its first line."""
    try:
        start = source.start.decode("utf-8-sig", errors="strict")
    except UnicodeDecodeError as error:
        if error.start < len(source.start) - 4:
            raise ReadError.binary(source.shown) from None
        start = source.start.decode("utf-8-sig", errors="ignore")
    lines = start.splitlines()
    line = lines[0] if len(lines) > 1 or len(start) < 1 << 15 else source.text().splitlines()[0]
    delimiter = "\t" if source.suffix == ".tsv" else max("\t,;|", key=line.count)
    cells = next(csv.reader([line], delimiter=delimiter), [])
    if len(set(cells)) < len(cells) and any(name.lower() in KNOWN for name in cells):
        twice = next(name for name in cells if cells.count(name) > 1)
        raise ReadError(
            f"{source.shown} has two columns called {twice!r}.", "give each column its own name."
        )
    return delimiter, cells


KNOWN = frozenset(CLUSTERS + IDS)
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$")


def _has_header(source: Source, delimiter: str, first: Sequence[str]) -> bool:
    """Whether the first line names the columns; refused where it could be either."""
    if source.header is not None:
        return source.header
    wanted = {source.id, source.cluster, source.sample} - {None}
    names = [name.strip().lower() for name in first]
    if wanted & set(first) or any(name in KNOWN or name.endswith("_id") for name in names):
        return True
    if any(NUMBER.match(name) for name in names):
        return False
    rows = source.start.decode("utf-8", errors="ignore").splitlines()[1:-1][:50]
    below = [cells for cells in csv.reader(rows, delimiter=delimiter) if len(cells) == len(first)]
    for position in range(len(first)):
        if below and all(NUMBER.match(cells[position].strip()) for cells in below):
            return True
    raise ReadError(
        f"the first line of {source.shown} ({', '.join(map(repr, first[:4]))}) could name the "
        "columns or be an object.",
        "say which: --header or --no-header (header=True or False in Python).",
    )


def _name(name: str) -> str:
    """A column name, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    """A text, quoted for SQL."""
    return "'" + value.replace("'", "''") + "'"
