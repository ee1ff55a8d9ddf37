"""Tables with a row per object (and cluster): CSV, TSV and Parquet, through DuckDB."""

from __future__ import annotations

import csv
import glob
import io
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, datetime, time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.cleanup import temporary_folder
from clusterdiff.clusterings import AnyClustering
from clusterdiff.engines.columns import KNOWN, Columns, ambiguous, check_parts, pairs_among, plain
from clusterdiff.engines.duckdb import DuckDB, DuckSession, listed, literal, quoted
from clusterdiff.engines.protocol import NeedsMemory, Table, family_of
from clusterdiff.errors import ReadError, SpaceNeeded, check_arrow, examples, shorten, worked
from clusterdiff.io.files import PEEK, decoded, first_line, not_text, opened_plain, peek
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Load, Source, loaded, table_in

if TYPE_CHECKING:
    import pyarrow as pa

# How a CSV file is laid out: its delimiter, whether its first line names columns, and which.

WIDEST = 10_000
"""Tables with more columns than this are not one row per object."""
LOOK = 50
"""Rows below the first that are looked at."""
DELIMITER_CHARACTERS = "\t,;| "
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$")


class Layout(NamedTuple):
    """How a CSV file is laid out."""

    names: list[str]
    delimiter: str
    header: bool
    newline: str = ""
    """How lines end, where a line break within the first row would mislead."""


def csv_layout(source: Source) -> Layout:
    """How a CSV file is laid out, seen from how it starts.

    A first line with one name fewer than the rows have cells is what R writes: the names of the
    rows come first and have none; unless the last cells are empty, which is but a delimiter more.
    """
    start = _start(source)
    # The first lines, without what stands in quotes.
    lines = re.sub(r'"[^"]*"', "", start).split("\n", LOOK + 1)[: LOOK + 1]
    delimiter = _delimiter(source, lines)
    first, *rows = _rows(source, start, delimiter)
    narrow(source.shown, first)
    lacking = bool(rows) and all(len(row) == len(first) + 1 for row in rows)
    header = _has_header(source, first, rows, lacking)
    names = first if header else [f"column{i}" for i in range(len(first))]
    twice = [name for name, count in Counter(names).items() if count > 1 and name.strip()]
    if header and twice and any(plain(name) in KNOWN for name in names):
        raise _named_twice(source, twice[0])
    if header and lacking:
        trailing = not any(row[-1].strip() for row in rows)
        names = [*first, ""] if trailing else ["", *first]
    broken = any("\n" in name or "\r" in name for name in first)
    ending = ("\\r\\n" if lines[0].endswith("\r") else "\\n") if broken else ""
    return Layout(names, delimiter, header, ending)


def narrow(path: str, names: list[str]) -> list[str]:
    """The names, unless there are so many that this is no table of objects."""
    if len(names) > WIDEST:
        raise ambiguous(path, names)
    return names


def _start(source: Source) -> str:
    """The start of a file as text, its first line whole."""
    if b"\0" in source.start:
        raise not_text(source.start, source.shown)
    start = decoded(source.start, source.shown, whole=len(source.start) < PEEK)
    if "\n" in start or len(start) <= PEEK // 2:
        return start
    line = first_line(source.files[0], source.packed, source.shown, source.skip)
    return line.decode(errors="replace")


def _delimiter(source: Source, lines: list[str]) -> str:
    """The mark that is most often in the first line; where there is none, the one that each line
    below has once.
    """
    if source.suffix == ".tsv":
        return "\t"
    first, *rest = lines
    found = max(DELIMITER_CHARACTERS, key=first.count)
    if found == "," and _has_decimal_commas(first):
        return ";"
    if found == " " and any(mark in first for mark in DELIMITER_CHARACTERS[:-1]):
        return max(DELIMITER_CHARACTERS[:-1], key=first.count)
    if found in first:
        return found
    below = [line for line in rest[: LOOK - 1] if line.strip("\r")]
    return next(
        (m for m in DELIMITER_CHARACTERS if below and all(line.count(m) == 1 for line in below)),
        "\t",
    )


def _has_decimal_commas(line: str) -> bool:
    """Whether a line such as 7;0,5;0,5 has semicolons between numbers with decimal commas."""
    decimals = len(re.findall(r"(?<=\d),(?=\d)", line))
    return 0 < line.count(",") == decimals <= line.count(";")


def _rows(source: Source, start: str, delimiter: str) -> list[list[str]]:
    """The cells of the first rows; of a file that goes on, the last row seen may be cut and is
    left out.
    """
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    try:
        rows = [row for row in islice(reader, LOOK + 1) if row]
    except csv.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    if len(source.start) >= PEEK and 1 < len(rows) <= LOOK:
        rows.pop()
    return rows or [[]]


def _named_twice(source: Source, name: str) -> ReadError:
    return ReadError(
        f"{source.shown} has two columns called {name!r}.", "give each column its own name."
    )


def _has_header(
    source: Source, first: Sequence[str], rows: Sequence[Sequence[str]], lacking: bool
) -> bool:
    """Whether the first line names the columns; refused where it could be either."""
    if source.header is not None:
        return source.header
    unnamed = len(first) > 1 and not first[0].strip() and any(rows)
    if (
        lacking
        or (unnamed and all(row[0].strip() for row in rows))
        or source.wanted & {*first, *(name.strip() for name in first)}
    ):
        return True
    names = [plain(name) for name in first]
    known = any(name in KNOWN or name.endswith("_id") for name in names) or bool(pairs_among(names))
    number = any(NUMBER.match(name) for name in names)
    if known and not number:
        return True
    if number and not known:
        return False
    below = [] if known else [cells for cells in rows if len(cells) == len(first)]
    for position in range(len(first)):
        if below and all(NUMBER.match(cells[position].strip()) for cells in below):
            return True
    raise ReadError(
        f"the first line of {source.shown} ({examples(first, 4)}) could name the "
        "columns or be an object.",
        f"say which: cd.read({source.shown!r}, header=True), or header=False if it is an object.",
    )


# Comments at the top of a CSV file: lines that start with #.


class Top(NamedTuple):
    """How a CSV file starts."""

    skip: int
    """Lines of comments."""
    start: bytes
    """What follows them; a # before the names of the columns is left out."""
    named: bool = False
    """Whether there was one."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What lines that start with # were taken for."""
        lines = "1 line" if self.skip == 1 else f"{self.skip:,} lines"
        comments = (f"{lines} of comments at the top left out",) if self.skip else ()
        named = f"names of the columns taken from line {self.skip + 1}, which starts with #"
        return (*comments, named) if self.named else comments


def skip_comments(_: ExitStack, source: Source) -> Source:
    """A CSV file without its comments."""
    if not source.start.startswith(b"#"):
        return source
    top = top_of(source, source.start)
    notes = (*source.read_as, *top.notes)
    return replace(source, start=top.start, skip=top.skip, read_as=notes)


def top_of(source: Source, start: bytes) -> Top:
    """How a file starts: which of its first lines are comments, and which is the first row."""
    lines = start.decode(errors="replace").split("\n")
    hashes = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if hashes == len(lines) or not hashes:
        return Top(0, start)
    delimiter = max(DELIMITER_CHARACTERS[:-1], key=lines[hashes].count)
    first = _cells(lines[hashes], delimiter)
    rows = [i for i in range(hashes) if len(_cells(lines[i], delimiter)) == len(first) > 1]
    last, rest = hashes - 1, start.split(b"\n", hashes)
    if not rows or _names(source, first) or (source.header is False and _is_said(lines[last])):
        return Top(hashes, rest[hashes])
    if last in rows and _names(source, _cells(lines[last].lstrip("# "), delimiter)):
        named = rest[last].lstrip(b"# ") + b"\n" + rest[hashes]
        return Top(last, named, named=True)
    if all(_is_said(lines[i]) for i in rows):
        raise ReadError(
            f"line {rows[-1] + 1} of {source.shown} ({shorten(lines[rows[-1]].strip(), 40)}) could "
            "be a comment or name the columns.",
            "leave it out if it is a comment, and leave the # out if it names the columns.",
        )
    return Top(rows[0], start.split(b"\n", rows[0])[rows[0]])


def _is_said(line: str) -> bool:
    """Whether a line is a comment by how it starts, as ids such as #7 do not."""
    return line[1:2] in ("", " ", "\t", "\r", "#", "!")


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r")], delimiter=delimiter), [])
    except csv.Error:
        return [line]


def _names(source: Source, cells: list[str]) -> bool:
    """Whether cells are the names of columns, by what they are called."""
    names = [plain(cell) for cell in cells]
    return any(n in KNOWN or n.endswith("_id") for n in names) or bool(
        source.wanted & {cell.strip() for cell in cells}
    )


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
                lack = "file lacks" if len(files) == 1 else "files lack"
                raise ReadError(
                    f"{len(files):,} {lack} the column {name!r} that {alike[full][0]} has, such "
                    f"as {files[0]}: {source.shown} is not one table.",
                    "write all files with the same columns, or compare the files one by one.",
                )
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
            often = sorted(found, key=lambda kind: (-len(found[kind]), kind))
            told = [
                f"{kind} in {len(found[kind]):,} {'file' if len(found[kind]) == 1 else 'files'} "
                f"({found[kind][0]}{', …' if len(found[kind]) > 1 else ''})"
                for kind in often
            ]
            every = f"{source.shown.rstrip('/')}/**/*{Path(found[often[0]][0]).suffix}"
            pattern = source.shown if glob.has_magic(source.shown) else every
            lines = (
                "import glob, pandas as pd",
                f"files = glob.glob({pattern!r}, recursive=True)",
                "parts = [pd.read_parquet(file, dtype_backend='pyarrow') for file in files]",
                f"texts = [part.astype({{{name!r}: 'string'}}) for part in parts]",
                "pd.concat(texts).to_parquet('table.parquet')",
            )
            how = "write one table in which the column is text (there, 1 and 1.0 differ)"
            raise ReadError(
                f"the column {name!r} of {source.shown} is {', '.join(told)}: no type keeps the "
                "values of all files as they are.",
                worked(how, *lines),
                worked(how, f'python -c "{"; ".join(lines)}"'),
            )
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
        check_other_columns(source)
    listed = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(names)))
    comments = f", skip={source.skip}" if source.skip else ""
    packed = ", compression='gzip'" if source.packed else ""
    ending = f", new_line={literal(newline)}" if newline else ""
    return names, (
        f", delim={literal(delimiter)}, header={header}, columns={{{listed}}}, auto_detect=false"
        ", quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false"
        f", hive_partitioning=false{comments}{packed}{ending}"
    )


def check_other_columns(source: Source) -> None:
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


LONG = Format(
    "long",
    read_clustering,
    (".csv", ".tsv", ".parquet", ".pq"),
    """\
  .csv .tsv     a row per object, columns id and cluster (by name or position)
  .parquet      the same""",
    begins=re.compile(rb"PAR1"),
    binary=True,
    columns=True,
    several=True,
    names=column_names,
    table=_table,
    prepare=skip_comments,
)

# Formats whose rows are written to a temporary table in Parquet or CSV, and read as that.

PARQUET = b"PAR1"


def table_format(
    name: str,
    prepare: Callable[[ExitStack, Source], Source],
    suffixes: tuple[str, ...],
    help: str,
    begins: re.Pattern[bytes] | None,
    inside: str = "",
) -> Format:
    """A format whose files are made into tables, and are those to all who ask."""
    return replace(
        LONG, name=name, prepare=prepare, suffixes=suffixes, help=help, begins=begins,
        inside=inside, several=False,
    )  # fmt: skip


def in_parquet(
    stack: ExitStack, source: Source, schema: pa.Schema, batches: Iterable[Any]
) -> Source:
    """Batches of Arrow, which come one after the other, as a file in Parquet."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    check_names(source, schema.names)
    to = new_file(stack, "table.parquet")
    try:
        with ParquetWriter(to, schema, compression="lz4") as out:
            for batch in batches:
                out.write_batch(batch)
    except pa.ArrowException as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    except OSError as error:
        raise SpaceNeeded.from_folder(str(to.parent.parent), str(error)) from None
    return replace(source, files=(to,), start=PARQUET, packed=False, inside=None)


def in_table(
    stack: ExitStack, source: Source, fields: Sequence[tuple[str, str]], batches: Iterable[Any]
) -> Source:
    """Rows that come in batches, as tuples, as a file in Parquet that DuckDB writes; it knows the
    types of the fields.
    """
    import duckdb

    names = [name for name, _ in fields]
    check_names(source, names)
    to = new_file(stack, "table.parquet")
    typed = ", ".join(f"{quoted(name)} {kind}" for name, kind in fields)
    with duckdb.connect() as connection:
        try:
            connection.execute(f"CREATE TABLE made ({typed})")
            for rows in batches:
                values = [list(column) for column in zip(*rows, strict=True)]
                held = {f"c{i}": np.fromiter(one, object, len(one)) for i, one in enumerate(values)}
                connection.register("held", held)
                connection.execute("INSERT INTO made SELECT * FROM held")
                connection.unregister("held")
            connection.execute(f"COPY made TO {literal(str(to))} (FORMAT parquet)")
        except duckdb.Error as error:
            raise ReadError.from_engine(source.shown, str(error)) from None
    return replace(source, files=(to,), start=PARQUET, packed=False, inside=None)


def check_names(source: Source, names: Sequence[str]) -> None:
    """Refuse a table in which two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise _named_twice(source, twice[0])


def in_csv(stack: ExitStack, source: Source, rows: Iterable[Iterable[Any]], **more: Any) -> Source:
    """Rows as a file in CSV: texts in quotes, numbers without, nothing for None."""
    to = new_file(stack, "table.csv")
    with to.open("w", encoding="utf-8", newline="") as out:
        out.writelines(",".join(map(_cell, row)) + "\n" for row in rows)
    start, packed = peek(to, source.shown)
    return replace(source, files=(to,), start=start, packed=packed, inside=None, **more)


def _cell(value: Any) -> str:
    """A cell as CSV has it; whole numbers, which Excel does not know, without a point."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float | int):
        return str(int(value)) if math.isfinite(value) and value == int(value) else repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return '"' + str(value).replace('"', '""') + '"'


def new_file(stack: ExitStack, name: str) -> Path:
    """A file of ours that is removed when the stack is closed."""
    return stack.enter_context(temporary_folder()) / name


# Arrow's own files: Feather and IPC, as files and as streams.

ARROW_FILE, ARROW_STREAM, FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"


def arrow_as_table(stack: ExitStack, source: Source) -> Source:
    """The batches of a file, one after the other."""
    if source.start.startswith(FEATHER):
        raise ReadError(
            f"{source.shown} is in the first version of Feather, which is not written any more.",
            "write it anew: pyarrow.feather.write_feather(table, path), or frame.to_feather(path).",
        )
    check_arrow(source.shown, "an Arrow file", "save the table as CSV or Parquet")
    import pyarrow as pa

    stream = source.start.startswith(ARROW_STREAM)
    try:
        raw = stack.enter_context(opened_plain(source.files[0], source.packed))
        reader = pa.ipc.open_stream(raw) if stream else pa.ipc.open_file(raw)
        return in_parquet(stack, source, reader.schema, _batches(source, reader, stream))
    except (pa.ArrowException, OSError, EOFError) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def _batches(source: Source, reader: Any, stream: bool) -> Iterator[Any]:
    import pyarrow as pa

    try:
        if stream:
            yield from reader
        else:
            yield from map(reader.get_batch, range(reader.num_record_batches))
    except (pa.ArrowException, OSError, EOFError) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


ARROW = table_format(
    "arrow",
    arrow_as_table,
    (".arrow", ".feather", ".ipc", ".arrows"),
    """\
  .arrow        a table in Arrow IPC or Feather""",
    re.compile(b"|".join((ARROW_FILE, ARROW_STREAM, FEATHER))),
)

FORMATS = (LONG, ARROW)
