"""Records: what else is known of objects, in other columns of the tables given or in a table of its
own, looked up by id. They are for display: no score, digest or exit code depends on them.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.columns import column, is_null, is_whole
from clusterdiff.engines.columns import (
    IDS,
    Columns,
    composite_ids,
    composite_sql,
    is_frame,
    is_unnamed,
    known,
    named_ids,
)
from clusterdiff.engines.duckdb import DuckDB, DuckSession
from clusterdiff.errors import (
    FRAME,
    ClusterdiffError,
    ClusterdiffWarning,
    MissingColumn,
    ReadError,
    a_type,
    examples,
    printable,
    some,
    warn,
)
from clusterdiff.io.adapters import annotation_of, index_of
from clusterdiff.io.arguments import has_ids, is_default
from clusterdiff.io.read import FileTable, source_of, unwrapped
from clusterdiff.io.sides import RecordOptions

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.base import Origin
    from clusterdiff.engines.protocol import Table
    from clusterdiff.io.formats.csv import TablePlace

    Side = AnyClustering | Table

MOST = 8
"""Columns that are shown where nobody says which."""
LONGEST = 200
"""Characters of a value that are shown; tables of data have all of them."""
INDEX = "(index)"
"""What the index of pandas is called where it is the ids."""
AT_ONCE = 5_000
"""Ids that one query of a table elsewhere asks for."""

Found = list[tuple[Any, Any, tuple[Any, ...]]]
"""Records as id, sample and values; the first one of an object counts."""


@dataclass(frozen=True, eq=False)
class Records:
    """Columns of a table, whose rows are found by the ids of objects."""

    shown: str
    """What the table is called."""
    columns: tuple[str, ...]
    source: Any
    """That table: a frame, or how a file is read."""
    key: Columns
    """The columns of its ids and samples."""
    is_own: bool = False
    """Whether the table was given for its records alone."""
    every: tuple[str, ...] = ()
    """The columns that slices are made of: all that are not ids or clusters, or those named."""

    def names_beside(self, taken: Iterable[str]) -> list[str]:
        """The columns under names that are not taken, for a table with other columns."""
        names = list(taken)
        own = len(names)
        for name in self.columns:
            while name in names:
                name = f"{name}_"
            names.append(name)
        return names[own:]

    def of(self, ids: Sequence[Any], samples: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """The values of each object, None where its table lacks it."""
        nothing = (None,) * len(self.columns)
        if not ids or not self.columns:
            return [nothing for _ in ids]
        keys = list(map(str, ids))
        try:
            found = self._found(list(dict.fromkeys(ids)))
        except ClusterdiffError:
            if self.is_own:
                raise
            return [nothing for _ in ids]  # the file is not there any more, or was written anew
        wanted = set(keys)
        rows: dict[tuple[str, str | None], tuple[Any, ...]] = {}
        again: list[Any] = []
        for id, sample, values in found:
            key = str(id), None if sample is None or samples is None else str(sample)
            if key in rows and key[0] in wanted:
                again.append(id)
            if key not in rows:  # most values are text, which is never missing
                own = (v if type(v) is str or not missing(v) else None for v in values)
                rows[key] = tuple(own)
        if again and self.is_own:
            raise ClusterdiffError(
                f"{self.shown} has several records of {examples(dict.fromkeys(again))}.",
                "keep one row for each object.",
            )
        if not rows and self.is_own:
            message = f"{self.shown} has no record of {examples(ids)}."
            warn(ClusterdiffWarning(message, "are its ids those of the clusterings?"),
                 ClusterdiffWarning)  # fmt: skip
        in_samples: Iterable[str | None] = map(str, samples) if samples else repeat(None, len(ids))
        return [
            rows.get((key, sample), rows.get((key, None), nothing))
            for key, sample in zip(keys, in_samples, strict=True)
        ]

    def _found(self, ids: Sequence[Any]) -> Found:
        """The rows of these ids; there may be others."""
        search = _in_file if isinstance(self.source, FileTable) else _in_frame
        return search(self.source, self.key, self.columns, ids)


def found_records(sides: Sequence[Side], options: RecordOptions) -> Records | None:
    """The records to show beside objects: those of the table that was given for it, else of the
    first side that has other columns, or the columns that are named.
    """
    names = options.names()
    if names == []:
        return None
    if options.table is not None:
        return _of_table(options, sides, names)
    lacking: tuple[str, list[str]] | None = None
    for side in sides:
        origin, others = side.origin, _others(side, sides)
        if origin is None or side.source is None or not (others or names):
            continue
        every = [*others, *(own for own in _used(origin) if own not in others)]
        if missing := [name for name in names or () if name not in every]:
            lacking = lacking or (missing[0], every)
            continue
        every = others if names is None else names
        return _opened(side.source, _shown(every, options), origin, tuple(every))
    if lacking is not None:
        raise MissingColumn.from_names("the table", *lacking, "show")
    if names:
        raise ClusterdiffError(
            f"there is no column {names[0]!r} to show: truth and guess have no other columns.",
            "give a table with them, records=frame or records='people.csv'.",
            "name a table that has them, --records people.csv.",
        )
    return None


def _shown(every: list[str], options: RecordOptions) -> tuple[str, ...]:
    """Those of these columns that stand beside objects."""
    return tuple(every[:MOST] if options.show is None else every)


def _used(origin: Origin) -> list[str]:
    """The columns that a side was read from."""
    own = (origin.cluster, origin.id, origin.sample, origin.degree, *origin.wide, *origin.parts)
    return [name for name in own if name]


def _others(side: Side, sides: Sequence[Side]) -> list[str]:
    """The columns of the table of a side that no side was read from."""
    if side.origin is None:
        return []
    place = _place(side.source)
    used = {
        name
        for other in sides
        if other.origin is not None and _place(other.source) == place
        for name in _used(other.origin)
    }
    return [name for name in side.origin.others if name not in used and not is_unnamed(name)]


def _place(source: Any) -> Any:
    """What two sides of one table have in common."""
    return (
        source.path.rpartition("::")[0] or source.path
        if isinstance(source, FileTable)
        else id(source)
    )


def _opened(
    source: Any, columns: tuple[str, ...], origin: Origin, every: tuple[str, ...]
) -> Records:
    """The records of a table that a side was read from."""
    key = Columns(origin.cluster, origin.id, origin.sample, parts=origin.parts)
    shown = os.path.basename(_place(source)) if isinstance(source, FileTable) else FRAME
    return Records(shown, columns, source, key, every=every)


def _of_table(options: RecordOptions, sides: Sequence[Side], names: list[str] | None) -> Records:
    """The records of a table that was given for them."""
    table = unwrapped(options.table)
    if isinstance(table, str | os.PathLike):
        if os.fspath(table) == "-":
            raise ClusterdiffError(
                "records are looked up again and again, and standard input is read once.",
                "write them to a file.",
            )
        reading = {"header": True} | {
            key: one for key, one in (options.reading or {}).items() if one is not None
        }
        source: Any = FileTable(os.fspath(table), reading, _engine(options.engine))
        shown = os.path.basename(source.path)
        with _opened_file(source) as (_, _, place):
            every = list(place.names)
    else:
        source = annotation_of(table) if annotation_of(table) is not None else table
        if hasattr(source, "dtype") or not is_frame(source):
            raise ClusterdiffError(
                f"records are a table with a row for each object; {a_type(table)} is not one.",
                "give a frame or a file, e.g. records='people.csv'.",
            )
        shown, every = "the frame of records", _names_in_frame(source)
    for name in names or ():
        if name not in every:
            raise MissingColumn.from_names(shown, name, every, "show")
    index = index_of(source)
    has_index = index is not None and not is_default(index)
    key = _key(shown, every, options, sides, has_index)
    used = {*key.parts, key.id, key.sample}
    for side in sides:
        used |= set(_used(side.origin)) if side.origin is not None and names is None else set()
    others = [name for name in every if name not in used and not is_unnamed(name)]
    known = others if names is None else names
    return Records(shown, _shown(known, options), source, key, is_own=True, every=tuple(known))


def _key(
    shown: str,
    names: list[str],
    options: RecordOptions,
    sides: Sequence[Side],
    has_index: bool,
) -> Columns:
    """The columns by which records are found: those that are named, those of truth or a guess, or
    the one that is named like ids.
    """
    origins = [side.origin for side in sides if side.origin is not None]
    sample = next((o.sample for o in origins if o.sample in names), None)
    wanted = options.id if options.id and set(_split(options.id)) <= set(names) else None
    if wanted is not None:
        parts = named_ids(shown, names, wanted)
        return Columns("", "/".join(parts), sample, parts=parts if len(parts) > 1 else ())
    for origin in origins:
        own = origin.parts or ((origin.id,) if origin.id else ())
        if own and {*own} <= {*names}:
            return Columns("", origin.id, sample, parts=origin.parts)
    found = known(shown, names, IDS, names)
    if found is None and names and is_unnamed(names[0]):
        found = names[0]
    if found is None and has_index and any(map(has_ids, sides)):
        found = INDEX
    if found is None and any(map(has_ids, sides)):
        raise ReadError(
            f"{shown} has no column that is named like an id; it has {some(names)}.",
            "call the column of the ids `id`, as in the clusterings.",
        )
    return Columns("", found, sample)


def _split(id: str | Sequence[str]) -> list[str]:
    return next(csv.reader([id])) if isinstance(id, str) else list(id)


def _engine(asked: Any) -> DuckDB:
    return asked if isinstance(asked, DuckDB) else DuckDB()


# Files, asked by DuckDB: a scan that finds the few rows that are shown.


def _in_file(table: FileTable, key: Columns, columns: Sequence[str], ids: Sequence[Any]) -> Found:
    """The rows of these ids in a file."""
    import pyarrow as pa

    own = _parts(key)
    with _opened_file(table, [*own, *columns]) as (session, shown, place):
        id = composite_sql(own, place.sql) if own else "row_number() OVER () - 1"
        sample = "NULL" if key.sample is None else place.sql(key.sample)
        listed = ", ".join(f"{place.sql(name)} AS c{i}" for i, name in enumerate(columns))
        wanted = session.uploaded_rows(pa.table({"k": [str(one) for one in ids]}))
        rows = session.fetch(
            f"SELECT * FROM (SELECT CAST({id} AS VARCHAR) AS k, {sample} AS s, {listed} "
            f"FROM {place.rows}) x WHERE k IN (SELECT k FROM {wanted})",
            f"looking up records in {shown}",
        )
        keys, samples, *values = (rows.column(name).to_pylist() for name in rows.column_names)
        return list(zip(keys, samples, zip(*values, strict=True), strict=True))


@contextmanager
def _opened_file(
    table: FileTable, names: Sequence[str] = ()
) -> Iterator[tuple[DuckSession, str, TablePlace]]:
    """A file opened again, of which these columns are asked for."""
    from clusterdiff.io.formats.csv import column_names, in_one_type, place_of

    with ExitStack() as stack, DuckSession(table.engine) as session:
        source, form = source_of(stack, table.path, **table.asked)
        if form.names is not column_names:
            raise ReadError(
                f"{source.shown} is not a table with a row for each object.",
                "write the records as CSV or Parquet.",
            )
        with session.reading(source.shown, source.files), session.in_order():
            place = in_one_type(session, source, place_of(session, source), names)
            yield session, source.shown, place


def _parts(key: Columns) -> tuple[str, ...]:
    """The columns of the ids; none where objects count by position."""
    return key.parts or ((key.id,) if key.id else ())


# Frames, here or where they are: those of pandas, polars and pyarrow have their rows at hand, those
# of Spark, DuckDB and lazy ones are filtered there.


def _narwhals(frame: Any) -> Any:
    import narwhals as nw

    if index_of(frame) is not None:
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    return nw.from_native(frame)


def _names_in_frame(frame: Any) -> list[str]:
    return list(_narwhals(frame).collect_schema().names())


def _in_frame(frame: Any, key: Columns, columns: Sequence[str], ids: Sequence[Any]) -> Found:
    """The rows of these ids in a frame."""
    import narwhals as nw

    data = _narwhals(frame)
    if isinstance(data, nw.LazyFrame):
        data = _filtered(data, key, columns, ids)
    found = _places(data, frame, key, {str(id) for id in ids})
    places = [at for at, _ in found]
    values = [data[name][places].to_list() for name in columns]
    samples = [None] * len(places)
    if key.sample is not None:
        samples = data[key.sample][places].to_list()
    return list(zip([id for _, id in found], samples, zip(*values, strict=True), strict=True))


def _places(data: Any, frame: Any, key: Columns, wanted: set[str]) -> list[tuple[int, Any]]:
    """Where the rows of these ids stand in a frame, with the ids."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = _parts(key)
    index = index_of(frame)
    if parts and {*parts} <= {*data.columns}:
        ids = composite_ids(FRAME, {name: data[name].to_native() for name in parts})
    elif parts and index is not None:
        ids = column(index)
    else:
        ids = column(range(len(data)))
    whole = [int(id) for id in wanted if is_whole(id)]
    if ids.family == "integers":
        found: Any = np.isin(ids.values, whole)
    elif ids.family == "text":
        found = pc.is_in(ids.arrow(), value_set=pa.array(list(wanted), pa.large_string()))
    else:
        found = [str(id) in wanted for id in ids.tolist()]
    places = np.flatnonzero(found)
    return list(zip(places.tolist(), ids.take(places).tolist(), strict=True))


def _filtered(data: Any, key: Columns, columns: Sequence[str], ids: Sequence[Any]) -> Any:
    """The rows of these ids, of a frame that is elsewhere or not computed yet."""
    import narwhals as nw

    parts = _parts(key)
    chosen = list(dict.fromkeys([*parts, *columns, *filter(None, [key.sample])]))
    data = data.select(chosen)
    if len(parts) == 1 and parts[0] in chosen:
        texts = list(dict.fromkeys(map(str, ids)))
        found = [
            data.filter(nw.col(parts[0]).cast(nw.String).is_in(texts[at : at + AT_ONCE])).collect(
                "pyarrow"
            )
            for at in range(0, len(texts), AT_ONCE)
        ]
        return nw.concat(found)
    return data.collect("pyarrow")


# Values for display.


def missing(value: Any) -> bool:
    """Whether a value is none."""
    return value is None or (not isinstance(value, list | dict | bytes) and is_null(value))


def shown_value(value: Any) -> str:
    """A value on one line, without what moves a cursor, and not endless."""
    if missing(value):
        return "—"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    try:
        text = value if isinstance(value, str) else str(value)
    except Exception:
        text = a_type(value)
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return printable(" ".join(text.split())) or "''"
