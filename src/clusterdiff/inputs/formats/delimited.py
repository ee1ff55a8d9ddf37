"""Tables with a row per object (and cluster): CSV, TSV and Parquet, through DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from clusterdiff.backends.columns.composite import check_parts
from clusterdiff.backends.columns.find import Columns
from clusterdiff.backends.duckdb import DuckDB, DuckSession, listed, literal, quoted
from clusterdiff.backends.table import NeedsMemory, Table, family_of
from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import ReadError
from clusterdiff.errors.files.formats import PartsDiffer
from clusterdiff.inputs.files.paths import peek
from clusterdiff.inputs.formats import Format
from clusterdiff.inputs.formats.csv_comments import skip_comments, top_of
from clusterdiff.inputs.formats.csv_layout import csv_layout, narrow
from clusterdiff.inputs.loading import loaded, table_in
from clusterdiff.inputs.read import Load, Source


class TablePlace(NamedTuple):
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
    options: str = ""
    """How the engine reads Parquet files."""

    def sql(self, name: str) -> str:
        """A column in SQL."""
        return quoted(self.inside[name])

    def bare(self, session: DuckSession, name: str, word: str, _: int = 0) -> int:
        """How often a word stands in a column of a CSV file without quotes.

        The engine takes a word for null where it has no quotes, if it is told to.
        """
        before, nothing, after = self.rows.rpartition("nullstr=''")
        told = f"nullstr=['', {literal(word)}]"
        where = f"{after} WHERE {self.sql(name)} IS NULL"
        empty, more = (
            int(session.row(f"SELECT count(*) AS n FROM {before}{null}{where}")["n"])
            for null in (nothing, told)
        )
        return more - empty


def read_clustering(source: Source, session: DuckSession | None = None) -> AnyClustering:
    """A clustering from the columns of a table."""
    if session is None:
        with DuckSession(DuckDB()) as own:
            return read_clustering(source, own)
    with session.reading(source.shown, source.files), session.scratch():
        place = place_of(session, source)
        columns, place = _columns(session, source, place)
        query = f"SELECT {columns.named(place.sql, as_number='{}')} FROM {place.rows}"
        try:
            rows = _kept(session, source, query) if place.written else session.view(query)
            bare = partial(place.bare, session, columns.cluster) if place.written else None
            return loaded(source, session, rows, columns, bare)
        except NeedsMemory as unfit:
            raise ReadError.from_engine(source.shown, str(unfit)) from None


def table_of_file(session: DuckSession, source: Source, load: Load) -> Table:
    """A table that stays where it is, to be counted there; text is parsed once."""
    with session.reading(source.shown, source.files):
        place = place_of(session, source)
        columns, place = _columns(session, source, place)
        order = f", {place.order} AS place" if columns.sample and place.order else ""
        query = f"SELECT {columns.named(place.sql)}{order} FROM {place.rows}"
        view = _kept(session, source, query) if place.written else session.view(query)
        bare = partial(place.bare, session, columns.cluster) if place.written else None
        again = partial(read_clustering, session=session)
        return table_in(session, source, view, columns, load, again, bare)


def column_names(source: Source) -> list[str]:
    """What the columns of a table are called."""
    with DuckSession(DuckDB()) as session, session.reading(source.shown, source.files):
        return place_of(session, source).names


def _columns(session: DuckSession, source: Source, place: TablePlace) -> tuple[Columns, TablePlace]:
    """The columns that are meant; ids of several are made of whole numbers and text."""
    columns = source.columns(place.names)
    chosen: list[str] = []
    columns.named(partial(noted, chosen))
    place = in_one_type(session, source, place, chosen)
    if columns.parts and not place.written:
        parts = ", ".join(f"{place.sql(own)} AS p{i}" for i, own in enumerate(columns.parts))
        schema = session.fetch(f"SELECT {parts} FROM {place.rows} LIMIT 0").schema
        found = map(family_of, schema.types)
        check_parts(source.shown, dict(zip(columns.parts, found, strict=True)))
    return columns, place


def _kept(session: DuckSession, source: Source, query: str) -> str:
    """A table of what a query finds in a file, in the order of the file."""
    with session.in_order():
        return session.keep(query, f"reading {source.shown}")


def place_of(session: DuckSession, source: Source) -> TablePlace:
    """Where the table is."""
    files = listed(source.files)
    if source.start[:4] == b"PAR1":
        options = f"hive_partitioning={source.partitioned}"
        if source.partitioned:
            options += ", hive_types_autocast=false"
        rows = f"read_parquet({files}, {options})"
        described = session.fetch(f"SELECT column_name FROM (DESCRIBE SELECT * FROM {rows})")
        names = described.column(0).to_pylist()
        own = {"file_index", "file_row_number"} & {
            name.lower() for name in narrow(source.shown, names)
        }
        order = "" if own else f"file_index * {2**40} + file_row_number"
        inside = dict(zip(names, names, strict=True))
        return TablePlace(names, inside, rows, False, order, options)
    names, options = _csv_options(source)
    inside = {name: f"c{i}" for i, name in reversed(list(enumerate(names)))}
    return TablePlace(names, inside, f"read_csv({files}{options})", True, "row_number() OVER ()")


def noted(chosen: list[str], name: str) -> str:
    """The name, which is added to those that are chosen."""
    chosen.append(name)
    return name


def in_one_type(
    session: DuckSession, source: Source, place: TablePlace, names: Sequence[str]
) -> TablePlace:
    """The table with these columns in a type that holds the values of all its Parquet files.

    The engine casts what later files hold to the types of the first: 0.4 becomes 0, and the text
    007 the number 7.
    """
    if place.written or (parts := parts_of(session, source, place, names)) is None:
        return place
    order = {os.path.abspath(file): at for at, file in enumerate(source.files)}
    filled = [Path(file) for files, _ in parts.groups for file in files]
    filled.sort(key=lambda file: order.get(os.path.abspath(file), 0))
    options = f"{place.options}, union_by_name=true"
    return place._replace(rows=f"read_parquet({listed(filled)}, {options})")


class Parts(NamedTuple):
    """The Parquet files of one table in which columns have different types."""

    groups: list[tuple[list[str], dict[str, str]]]
    """Files of one schema that have rows, and the types of their columns."""
    common: dict[str, str]
    """The type of each column that holds the values of all."""


def parts_of(
    session: DuckSession, source: Source, place: TablePlace, names: Sequence[str]
) -> Parts | None:
    """The files of a table, by their schemas; None where these columns have one type in all of
    them. A column that no type keeps as it is is refused.

    Footers alone are read, and the types of one file of each schema.
    """
    if len(source.files) == 1:
        return None
    each = f"""SELECT file_name AS f, list_sort(list(concat_ws(' ', name, duckdb_type))) AS s
        FROM parquet_schema({listed(source.files)}) GROUP BY file_name"""
    groups = session.fetch(f"SELECT list_sort(list(f)) AS files FROM ({each}) GROUP BY s")
    alike = sorted(row["files"] for row in groups.to_pylist())
    if len(alike) == 1:
        return None

    def types(files: Iterable[Path], more: str = "") -> dict[str, str]:
        rows = f"read_parquet({listed(files)}, {place.options}{more})"
        found = session.fetch(f"SELECT column_name, column_type FROM (DESCRIBE FROM {rows})")
        return dict(zip(*(one.to_pylist() for one in found.columns), strict=True))

    known = [types([Path(files[0])]) for files in alike]
    for name in names:
        for files, has in zip(alike, known, strict=True):
            if name not in has:
                full = next(at for at, other in enumerate(known) if name in other)
                raise PartsDiffer.lacking(source.shown, name, files, alike[full][0])
    if len({tuple(has[name] for name in names) for has in known}) == 1:
        return None
    # A file without rows, as pandas writes it, has types that stand for nothing.
    rows = session.fetch(
        f"SELECT file_name FROM parquet_file_metadata({listed(source.files)}) WHERE num_rows = 0"
    )
    empty = set(rows.column(0).to_pylist())
    parts = [
        (kept, has)
        for files, has in zip(alike, known, strict=True)
        if (kept := [file for file in files if file not in empty])
    ]
    if not parts:
        return None
    common = types([Path(file) for files, _ in parts for file in files], ", union_by_name=true")
    for name in names:
        found: dict[str, list[str]] = {}
        for files, has in parts:
            found.setdefault(has[name], []).extend(files)
        found.pop('"NULL"', None)
        if not _holds_all(session, place, name, found, common[name]):
            raise PartsDiffer.in_type(source.shown, name, found)
    return Parts(parts, common)


WHOLE = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")}
WHOLE |= {"INTEGER", "UINTEGER"}
EXACT = {"FLOAT": 2**24, "DOUBLE": 2**53}
"""Up to which whole number a type has them all."""


def _holds_all(
    session: DuckSession, place: TablePlace, name: str, found: dict[str, list[str]], common: str
) -> bool:
    """Whether the common type of a column keeps what the files hold in types of their own."""
    if len(found) < 2:
        return True
    if not found.keys() <= WHOLE | EXACT.keys():
        return False
    if common not in EXACT:
        return common in WHOLE
    whole = [Path(file) for kind in found.keys() & WHOLE for file in found[kind]]
    if not whole:
        return True
    rows = f"read_parquet({listed(whole)}, {place.options}, union_by_name=true)"
    most, own = EXACT[common], place.sql(name)
    large = f"SELECT count(*) AS n FROM {rows} WHERE {own} > {most} OR {own} < -{most}"
    return not session.row(large)["n"]


def _csv_options(source: Source) -> tuple[list[str], str]:
    """The names of the columns; all are read as text, and nothing is left to guess."""
    names, delimiter, header, newline = csv_layout(source)
    if header:
        refuse_other_columns(source)
    listed = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    comments = f", skip={source.skip}" if source.skip else ""
    packed = ", compression='gzip'" if source.packed else ""
    ending = f", new_line={literal(newline)}" if newline else ""
    return names, (
        f", delim={literal(delimiter)}, header={header}, columns={{{listed}}}, auto_detect=false"
        ", quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false"
        f", hive_partitioning=false{comments}{packed}{ending}"
    )


def refuse_other_columns(source: Source) -> None:
    """Files that are read as one table name the same columns."""
    first = source.start.partition(b"\n")[0].strip()
    for file in source.files[1:]:
        top = top_of(source, peek(file, str(file))[0])
        other = top.start.partition(b"\n")[0].strip()
        if top.skip != source.skip:
            raise ReadError(
                f"{file} has {top.skip:,} lines of comments at its top, and {source.files[0]} "
                f"{source.skip:,}.",
                "leave the comments out, or compare the files one by one.",
            )
        if other != first:
            raise ReadError(
                f"{file} names other columns ({other.decode(errors='replace')}) than "
                f"{source.files[0]} ({first.decode(errors='replace')}).",
                "compare files that have the same columns in the same order.",
            )


def _table(session: DuckSession, source: Source, load: Load) -> Table | AnyClustering:
    """The table where it is; one that cannot stay there is read through the same session."""
    try:
        return table_of_file(session, source, load)
    except NeedsMemory:
        return load(partial(read_clustering, session=session))


FORMAT = Format(
    "long",
    read_clustering,
    (".csv", ".tsv", ".parquet", ".pq"),
    """\
  .csv .tsv     a row per object, columns id and cluster (by name or position)
  .parquet      the same""",
    begins=lambda start: start[:4] == b"PAR1",
    binary=True,
    columns=True,
    several=True,
    names=column_names,
    table=_table,
    prepare=skip_comments,
)
