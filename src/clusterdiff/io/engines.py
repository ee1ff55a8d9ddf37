"""The backends that come with the package, and how each reads a file."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from functools import partial, reduce
from glob import glob
from pathlib import Path
from typing import Any

from clusterdiff.clusterings import AnyClustering
from clusterdiff.engines.columns import clustering_of_frame
from clusterdiff.engines.duckdb import (
    DuckDB,
    DuckSession,
    RelationSession,
    is_relation,
    table_of_relation,
)
from clusterdiff.engines.protocol import Backend, Table, register
from clusterdiff.engines.spark import Spark, SparkSession, told
from clusterdiff.errors import ReadError
from clusterdiff.io.files import is_partitioned, named_column, without_packing
from clusterdiff.io.formats.csv import (
    LONG,
    check_other_columns,
    csv_layout,
    noted,
    parts_of,
    place_of,
    top_of,
)
from clusterdiff.io.read import FileTable, Source, open_table, read_path


@register
class DuckDBBackend(Backend):
    """Files, counted by an embedded DuckDB."""

    name = "duckdb"
    settings = DuckDB

    def session(self, settings: DuckDB | None, value: Any = None) -> DuckSession:
        """A database of our own, in memory."""
        return DuckSession(settings or DuckDB())

    def file(
        self, session: DuckSession, path: str | os.PathLike[str], **options: Any
    ) -> AnyClustering | Table:
        """A table of CSV, Parquet or JSON records stays a file until it is counted."""
        return open_table(session, path, **options)


@register
class RelationBackend(Backend):
    """Relations of DuckDB, in the connection of their user."""

    name = "duckdb relation"
    reads_files = False

    def holds(self, value: object) -> bool:
        """Whether this is a relation."""
        return is_relation(value)

    def session(self, settings: None, value: Any = None) -> RelationSession:
        """The connection of the relation."""
        return RelationSession(value)

    def table(
        self,
        session: RelationSession,
        value: Any,
        kind: str,
        sample: str | None,
        count: str | None = None,
    ) -> Table | None:
        """The relation, copied within its connection."""
        load = partial(clustering_of_frame, value, kind=kind, sample=sample, count=count)
        return table_of_relation(session, value, load, kind=kind, sample=sample, count=count)


@register
class SparkBackend(Backend):
    """Spark frames, and files that Spark reads."""

    name = "spark"
    settings = Spark

    def holds(self, value: object) -> bool:
        """Whether this is a frame of Spark."""
        return "pyspark" in sys.modules and type(value).__module__.startswith("pyspark.sql")

    def session(self, settings: Spark | None, value: Any = None) -> SparkSession:
        """The session that was named, that of a frame, or the active one."""
        return SparkSession(settings or Spark(None if value is None else value.sparkSession))

    def table(
        self,
        session: SparkSession,
        value: Any,
        kind: str,
        sample: str | None,
        count: str | None = None,
    ) -> Table:
        """The frame, which stays where it is."""
        return session.frame(value, kind, sample, count=count)

    def file(self, session: SparkSession, path: str | os.PathLike[str], **options: Any) -> Table:
        """Parquet and CSV, here or far away."""
        table = spark_table(session, os.fspath(path), **options)
        if not os.path.exists(named_column(os.fspath(path))[0]):
            return table
        again = FileTable.of(path, LONG, options)
        return replace(table, source=again, load=partial(read_path, path, **options))


# Tables that Spark reads by itself, here or far away: Parquet, and CSV with columns of text.

PARQUET, TEXT = (".parquet", ".pq"), (".csv", ".tsv")
NOTHING = "\x00"
"""What Spark is told that null is written as, so that "" stays a text and nothing becomes null."""
BROKEN = "\ufffd"
"""What Spark makes of bytes that are no UTF-8."""


def spark_table(
    session: SparkSession,
    path: str,
    *,
    kind: str = "partition",
    cluster: str | None = None,
    as_: str | None = None,
    header: bool | None = None,
    max_bytes: str | int | None = None,
    encoding: str | None = None,
    allow_network: bool = False,
    **options: Any,
) -> Table:
    """A file or folder as a table of Spark."""
    name, column = named_column(path)
    ending = _ending(name)
    if as_ not in (None, "long") or name == "-" or ending not in (*PARQUET, *TEXT, ""):
        raise ReadError(
            f"{path} is not a table that Spark reads.",
            "Spark takes .parquet and .csv files and folders of them; for others leave --engine "
            "out, or give a frame from Python, cd.compare(spark.read.json(…), …).",
        )
    if os.path.exists(name):
        if os.path.basename(name.rstrip("/")).startswith(("_", ".")):
            raise ReadError(
                f"Spark skips files whose names start with _ or a dot, such as {path}.",
                "give it another name.",
            )
        place = _escaped(name)
    else:
        place = name
    options |= {"cluster": column or cluster, "shown": name, "colons": column is not None}
    files = _files_of(name, TEXT if ending in TEXT else PARQUET)
    if ending not in TEXT:
        source = Source(tuple(files), name, b"PAR1", kind=kind, **_asked(options))
        source = replace(source, partitioned=is_partitioned(name, files))
        frame = _parquet(session, [place], source)
        if len(files) > 1:
            frame = _in_one_type(session, source, frame)
        return _as_one(session.frame(frame, kind, **options), name, files)
    given = {**options, "kind": kind, "header": header}
    frame = _csv(session, place, path, given, files)
    table = session.frame(frame, kind, **options, written=True, bare=_all)
    return _as_one(table, name, files)


def _all(word: str, labels: int) -> int:
    """Spark does not report which of the labels have quotes."""
    return labels


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """The columns that were asked for."""
    return {key: given.get(key) for key in ("id", "cluster", "sample", "degree", "count", "colons")}


def _files_of(name: str, endings: tuple[str, ...]) -> list[Path]:
    """The files on this machine that Spark reads for a path; none where it is another machine's."""
    found = [name] if os.path.exists(name) else [] if "://" in name else glob(name)
    inside = [Path(place, file) for one in found for place, _, own in os.walk(one) for file in own]
    files = inside + [Path(one) for one in found if os.path.isfile(one)]
    return sorted(
        file
        for file in files
        if without_packing(file.name.lower()).endswith(endings)
        and not file.name.startswith((".", "_"))
    )


def _parquet(session: SparkSession, places: list[str], source: Source) -> Any:
    """Parquet files as a frame; what folders say of their rows, column=value, stays a text."""
    read = session.spark.read
    if source.partitioned:
        read = read.option("basePath", os.path.abspath(source.shown))
    frame = told(lambda: read.parquet(*places), source.shown)
    schema = told(lambda: frame.schema, source.shown)
    if not source.partitioned:
        return frame
    inside = {part for file in source.files for part in file.relative_to(source.shown).parts[:-1]}
    folders = {part.partition("=")[0] for part in inside}
    types = (
        f"{backticked(one.name)} {'STRING' if one.name in folders else one.dataType.simpleString()}"
        for one in schema
    )
    return told(lambda: read.schema(", ".join(types)).parquet(*places), source.shown)


def _in_one_type(session: SparkSession, source: Source, frame: Any) -> Any:
    """A frame of Parquet files, in which columns of several types have one that loses nothing.

    Spark reads all files with the types of one of them, and stops where another one differs.
    """
    chosen: list[str] = []
    source.columns(told(lambda: list(frame.columns))).named(partial(noted, chosen))
    chosen = list(dict.fromkeys(chosen))
    with DuckSession(DuckDB()) as own, own.reading(source.shown, source.files):
        parts = parts_of(own, source, place_of(own, source), chosen)
    if parts is None:
        return frame
    frames = []
    for files, has in parts.groups:
        columns = []
        for name in chosen:
            kind, quoted = parts.common[name], backticked(name)
            cast = f"CAST({quoted} AS {SPARK.get(kind, kind)}) AS {quoted}"
            columns.append(quoted if has[name] == kind else cast)
        part = _parquet(session, list(map(_escaped, files)), source)
        frames.append(part.selectExpr(*columns))
    return reduce(lambda one, other: one.union(other), frames)


SPARK = {
    "VARCHAR": "STRING",
    "HUGEINT": "DECIMAL(38, 0)",
    "UBIGINT": "DECIMAL(20, 0)",
    "UINTEGER": "BIGINT",
    "USMALLINT": "INTEGER",
    "UTINYINT": "SMALLINT",
}
"""What Spark calls types that have another name there."""


def backticked(name: str) -> str:
    """A name of a column as Spark quotes it."""
    return "`" + name.replace("`", "``") + "`"


def _escaped(path: str) -> str:
    """A path in which no character stands for others."""
    return re.sub(r"([\\*?\[\]{}^])", r"\\\1", os.path.abspath(path))


def _as_one(table: Table, name: str, files: list[Path]) -> Table:
    """A table; if it is of several files, ids that occur again are refused."""
    if os.path.isfile(name):
        return table
    table = replace(table, files=max(len(files), 1))
    if table.columns.sample is not None:
        return table
    return replace(table, columns=table.columns._replace(several=True))


def _csv(
    session: SparkSession, place: str, path: str, given: dict[str, Any], files: list[Path]
) -> Any:
    """The rows of a CSV file; how it is laid out is seen from its first lines."""
    first = _escaped(str(files[0])) if files else place
    lines = told(lambda: session.spark.read.text(first).limit(51).collect(), path)
    if not any(line.value.strip() for line in lines):
        raise ReadError.empty(path)
    start = "\n".join(line.value for line in lines).removeprefix("\ufeff").encode()
    asked = {**_asked(given), "header": given["header"]}
    source = Source(tuple(files), path, start, kind=given["kind"], **asked)
    if (top := top_of(source, start)).notes:
        raise ReadError(
            f"{path} starts with comments, which Spark would read as rows: {top.notes[0]}.",
            "leave them out of the file, or leave --engine out.",
        )
    layout = csv_layout(source)
    if layout.header and all(file.suffix.lower() in (*TEXT, ".gz") for file in files):
        check_other_columns(source)
    names = [f"c{i}" for i in range(len(layout.names))]
    read = session.spark.read.options(
        header=layout.header,
        sep=layout.delimiter,
        quote='"',
        escape='"',
        nullValue=NOTHING,
        emptyValue="",
        multiLine=True,
        mode="FAILFAST",
        enforceSchema=True,
    ).schema(", ".join(f"{name} STRING" for name in names))
    frame = told(lambda: read.csv(place), path)
    wrong = session.text(BROKEN)
    checked = [
        f"IF(instr({name}, {wrong}) > 0, raise_error('not UTF-8'), {name}) AS {name}"
        for name in names
    ]
    return told(lambda: frame.selectExpr(*checked)).toDF(*layout.names)


def _ending(name: str) -> str:
    """What the name of a file says of its format; of a folder here, what is in it."""
    low = without_packing(name.lower().rstrip("/"))
    found = next((e for e in (*TEXT, *PARQUET) if low.endswith(e)), None)
    if found is not None:
        return found
    if os.path.isdir(name):
        inside = {os.path.splitext(file)[1] for _, _, files in os.walk(name) for file in files}
        return next((e for e in (*PARQUET, *TEXT) if e in inside), "")
    return os.path.splitext(low)[1]
