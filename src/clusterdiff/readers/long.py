"""Tables with a row per object (and cluster): CSV, TSV and Parquet, through DuckDB."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.engines.columns import CLUSTERS, DEGREES, IDS, made_of_matrix
from clusterdiff.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.readers.base import Source

WIDEST = 10_000
"""Tables with more columns than this are not one row per object."""


def read_clustering(source: Source) -> AnyClustering:
    """A clustering from the columns of a table."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false")
            return _query(connection, source)
    except duckdb.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def _query(connection: Any, source: Source) -> AnyClustering:
    """The chosen columns; those of a CSV file are c0, c1, … to the engine, whatever their names."""
    path = str(source.path)
    if source.start[:4] == b"PAR1":
        table = "read_parquet(?, hive_partitioning=false)"
        described = connection.execute(f"DESCRIBE SELECT * FROM {table}", [path])
        names = _narrow(source, [row[0] for row in described.fetchall()])
        inside = dict(zip(names, names, strict=True))
    else:
        names, options = _csv_options(source)
        table = f"read_csv(?{options})"
        inside = {name: f"c{i}" for i, name in reversed(list(enumerate(names)))}
    columns = source.columns(names)
    chosen = columns.chosen()
    written = table.startswith("read_csv")
    wanted = [_name(inside[name]) for name in chosen]
    if written:
        wanted = _as_numbers(connection, wanted, table, path)
    query = f"SELECT {', '.join(wanted)} FROM {table}"
    result = connection.sql(query, params=[path]).to_arrow_table()

    def taken(name: str | None) -> Any:
        return None if name is None else column(result.column(chosen.index(name)), written=written)

    if columns.wide:
        given = [_degrees(result.column(chosen.index(name))) for name in columns.wide]
        ids, samples = taken(columns.id), taken(columns.sample)
        return made_of_matrix(source.kind, source.shown, columns, ids, samples, given, source.rest)
    degrees = None if columns.degree is None else result.column(chosen.index(columns.degree))
    return columns.checked(
        source.shown,
        source.made(
            taken(columns.cluster),
            taken(columns.id),
            taken(columns.sample),
            None if degrees is None else _degrees(degrees),
        ),
    )


def _degrees(values: Any) -> Any:
    """Degrees as numbers, where they are."""
    import pyarrow as pa

    try:
        return values.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return values.to_pylist()


def _as_numbers(connection: Any, wanted: list[str], table: str, path: str) -> list[str]:
    """Columns of text as whole numbers where nothing is lost: 7 is one, 07 and +7 are not."""
    same = "TRY_CAST({0} AS BIGINT)::VARCHAR IS NOT DISTINCT FROM {0}"
    tests = [f"count({c}) = count(*) AND bool_and({same.format(c)})" for c in wanted]
    query = f"SELECT {', '.join(tests)} FROM {table}"
    [whole] = connection.execute(query, [path]).fetchall()
    return [f"{c}::BIGINT" if is_whole else c for c, is_whole in zip(wanted, whole, strict=True)]


def _csv_options(source: Source) -> tuple[list[str], str]:
    """The names of the columns; all are read as text, and nothing is left to guess."""
    delimiter, first = _first_row(source)
    header = _has_header(source, delimiter, _narrow(source, first))
    names = first if header else [f"column{i}" for i in range(len(first))]
    listed = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    packed = ", compression='gzip'" if source.packed else ""
    return names, (
        f", delim={_text(delimiter)}, header={header}, columns={{{listed}}}, auto_detect=false"
        ", quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false"
        f", hive_partitioning=false{packed}"
    )


def _narrow(source: Source, names: list[str]) -> list[str]:
    """The names, unless there are so many that this is no table of objects."""
    if len(names) > WIDEST:
        raise ReadError.ambiguous_columns(source.shown, names)
    return names


def _first_row(source: Source) -> tuple[str, list[str]]:
    """The delimiter of a CSV file and the cells of its first row."""
    try:
        start = source.start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(source.start) - 4:
            raise ReadError.binary(source.shown) from None
        start = source.start.decode("utf-8", errors="ignore")
    if "\n" not in start and len(start) > 1 << 15:
        start = source.text()
    bare = re.sub(r'"[^"]*"', "", start).partition("\n")[0]
    delimiter = "\t" if source.suffix == ".tsv" else max("\t,;| ", key=bare.count)
    if delimiter == " " and any(mark in bare for mark in "\t,;|"):
        delimiter = max("\t,;|", key=bare.count)
    cells = next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter), [])
    twice = [name for name, count in Counter(cells).items() if count > 1 and name.strip()]
    if twice and any(name.lower() in KNOWN for name in cells):
        raise ReadError(
            f"{source.shown} has two columns called {twice[0]!r}.",
            "give each column its own name.",
        )
    return delimiter, cells


KNOWN = frozenset(CLUSTERS + IDS + DEGREES)
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$")


def _has_header(source: Source, delimiter: str, first: Sequence[str]) -> bool:
    """Whether the first line names the columns; refused where it could be either."""
    if source.header is not None:
        return source.header
    wanted = {source.id, source.cluster, source.sample, source.degree} - {None, ""}
    names = [name.strip().lower() for name in first]
    known = any(name in KNOWN or name.endswith("_id") for name in names)
    number = any(NUMBER.match(name) for name in names)
    if wanted & set(first) or (known and not number):
        return True
    if number and not known:
        return False
    rows = [] if known else source.start.decode("utf-8", errors="ignore").splitlines()[1:51]
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
