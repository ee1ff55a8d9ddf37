"""Tables with a row per object (and cluster): CSV, TSV and Parquet, through DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.engines.columns import made_of_matrix
from clusterdiff.engines.duckdb import families, listed, literal, quoted
from clusterdiff.engines.sides import written_whole
from clusterdiff.engines.table import Table
from clusterdiff.errors import ReadError
from clusterdiff.readers.files import peek
from clusterdiff.readers.layout import csv_layout, narrow

if TYPE_CHECKING:
    from collections.abc import Callable

    from clusterdiff.engines.duckdb import DuckSession
    from clusterdiff.readers.base import Source


class _Place(NamedTuple):
    """A table as the engine sees it."""

    names: list[str]
    """What its columns are called."""
    inside: dict[str, str]
    """What the engine calls each; those of a CSV file are c0, c1, …, whatever their names."""
    rows: str
    """The table in SQL."""
    written: bool
    order: str
    """What rows can be put in the order of the file by, if there is anything."""

    def sql(self, name: str) -> str:
        """A column in SQL."""
        return quoted(self.inside[name])


def read_clustering(source: Source) -> AnyClustering:
    """A clustering from the columns of a table."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false")
            return _query(connection, source)
    except duckdb.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def table_of_file(session: DuckSession, source: Source, load: Callable[[], AnyClustering]) -> Table:
    """A table that stays where it is, to be counted there; text is parsed once."""
    with session.reading(source.shown, source.files):
        place = _place(lambda query: session.fetch(query).column(0).to_pylist(), source)
        columns = source.columns(place.names)
        order = f", {place.order} AS place" if columns.sample and place.order else ""
        query = f"SELECT {columns.named(place.sql)}{order} FROM {place.rows}"
        if place.written:
            with session.in_order(columns.sample is not None):
                view = session.keep(query, f"reading {source.shown}")
        else:
            view = session.view(query)
        found = families(session, view)
    return Table(
        session, view, columns, found, source.kind, source.shown, load,
        is_file=True, written=place.written, rest=source.rest, files=len(source.files),
    )  # fmt: skip


def _place(names_of: Callable[[str], list[str]], source: Source) -> _Place:
    """Where the table is; `names_of` runs a query that lists columns."""
    files = listed(source.files)
    if source.start[:4] == b"PAR1":
        options = f"hive_partitioning={source.partitioned}"
        if source.partitioned:
            options += ", hive_types_autocast=false"
        rows = f"read_parquet({files}, {options})"
        names = names_of(f"SELECT column_name FROM (DESCRIBE SELECT * FROM {rows})")
        own = {"file_index", "file_row_number"} & {
            name.lower() for name in narrow(source.shown, names)
        }
        order = "" if own else f"file_index * {2**40} + file_row_number"
        return _Place(names, dict(zip(names, names, strict=True)), rows, False, order)
    names, options = _csv_options(source)
    inside = {name: f"c{i}" for i, name in reversed(list(enumerate(names)))}
    return _Place(names, inside, f"read_csv({files}{options})", True, "row_number() OVER ()")


def _query(connection: Any, source: Source) -> AnyClustering:
    """The chosen columns in memory."""
    place = _place(lambda query: [row[0] for row in connection.execute(query).fetchall()], source)
    columns = source.columns(place.names)
    chosen = columns.chosen()
    wanted = [place.sql(name) for name in chosen]
    if place.written:
        wanted = _as_numbers(connection, wanted, place.rows)
    result = connection.sql(f"SELECT {', '.join(wanted)} FROM {place.rows}").to_arrow_table()

    def taken(name: str | None) -> Any:
        if name is None:
            return None
        return column(result.column(chosen.index(name)), written=place.written)

    if columns.wide:
        given = [_degrees(result.column(chosen.index(name))) for name in columns.wide]
        ids, samples = taken(columns.id), taken(columns.sample)
        return made_of_matrix(source.kind, source.shown, columns, ids, samples, given, source.rest)
    degrees = None if columns.degree is None else result.column(chosen.index(columns.degree))
    return columns.checked(
        source.shown,
        lambda: source.made(
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


def _as_numbers(connection: Any, wanted: list[str], table: str) -> list[str]:
    """Columns of text as whole numbers where nothing is lost: 7 is one, 07 and +7 are not."""
    tests = [f"count({c}) = count(*) AND bool_and(({written_whole(c)}) IS TRUE)" for c in wanted]
    [whole] = connection.execute(f"SELECT {', '.join(tests)} FROM {table}").fetchall()
    return [f"{c}::BIGINT" if is_whole else c for c, is_whole in zip(wanted, whole, strict=True)]


def _csv_options(source: Source) -> tuple[list[str], str]:
    """The names of the columns; all are read as text, and nothing is left to guess."""
    names, delimiter, header, newline = csv_layout(source)
    if header:
        _refuse_other_columns(source)
    listed = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    packed = ", compression='gzip'" if source.packed else ""
    ending = f", new_line={literal(newline)}" if newline else ""
    return names, (
        f", delim={literal(delimiter)}, header={header}, columns={{{listed}}}, auto_detect=false"
        ", quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false"
        f", hive_partitioning=false{packed}{ending}"
    )


def _refuse_other_columns(source: Source) -> None:
    """Files that are read as one table name the same columns."""
    first = source.start.partition(b"\n")[0].strip()
    for file in source.files[1:]:
        other = peek(file, str(file))[0].partition(b"\n")[0].strip()
        if other != first:
            raise ReadError(
                f"{file} names other columns ({other.decode(errors='replace')}) than "
                f"{source.files[0]} ({first.decode(errors='replace')}).",
                "compare files that have the same columns in the same order.",
            )
