"""Tables that Spark reads by itself, here or far away: Parquet, and CSV with columns of text."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

from clusterdiff.backends.spark import SparkSession, told
from clusterdiff.backends.table import Table
from clusterdiff.errors import ReadError
from clusterdiff.inputs.files.addresses import named_column
from clusterdiff.inputs.files.packing import without_packing
from clusterdiff.inputs.formats.csv_comments import top_of
from clusterdiff.inputs.formats.csv_layout import csv_layout
from clusterdiff.inputs.read import Source

PARQUET, TEXT = (".parquet", ".pq"), (".csv", ".tsv")
NOTHING = "\x00"
"""What Spark is told that null is written as, so that "" stays a text and nothing becomes null."""
BROKEN = "\ufffd"
"""What Spark makes of bytes that are no UTF-8."""


def table_of_path(
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
        place = re.sub(r"([\\*?\[\]{}^])", r"\\\1", os.path.abspath(name))
    else:
        place = name
    options |= {"cluster": column or cluster, "shown": name, "colons": column is not None}
    if ending not in TEXT:
        frame = told(lambda: session.spark.read.parquet(place), path)
        told(lambda: frame.schema, path)
        return _as_one(session.frame(frame, kind, **options), name)
    given = {**options, "kind": kind, "header": header}
    frame = _csv(session, place, path, given)
    table = session.frame(frame, kind, **options, written=True, bare=_all)
    return _as_one(table, name)


def _all(word: str, labels: int) -> int:
    """Spark does not report which of the labels have quotes."""
    return labels


def _as_one(table: Table, name: str) -> Table:
    """A table; if it is of several files, ids that occur again are refused."""
    if os.path.isfile(name):
        return table
    inside = (file for _, _, files in os.walk(name) for file in files)
    many = sum(file.endswith((*PARQUET, *TEXT)) and file[0] not in "._" for file in inside)
    table = replace(table, files=max(many, 1))
    if table.columns.sample is not None:
        return table
    return replace(table, columns=table.columns._replace(several=True))


def _csv(session: SparkSession, place: str, path: str, given: dict[str, Any]) -> Any:
    """The rows of a CSV file; how it is laid out is seen from its first lines."""
    lines = told(lambda: session.spark.read.text(place).limit(51).collect(), path)
    if not any(line.value.strip() for line in lines):
        raise ReadError.empty(path)
    start = "\n".join(line.value for line in lines).removeprefix("\ufeff").encode()
    asked: dict[str, Any] = {
        key: given.get(key) for key in ("id", "cluster", "sample", "header", "degree")
    }
    source = Source((), path, start, kind=given["kind"], **asked)
    if (top := top_of(source, start)).notes:
        raise ReadError(
            f"{path} starts with comments, which Spark would read as rows: {top.notes[0]}.",
            "leave them out of the file, or leave --engine out.",
        )
    layout = csv_layout(source)
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
