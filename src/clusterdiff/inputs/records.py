"""Small tables that hold no clustering: the rows of a file or a frame, as dicts."""

from __future__ import annotations

import csv
import io
import os
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clusterdiff.backends.columns.frames import is_frame
from clusterdiff.errors import ReadError
from clusterdiff.inputs.formats.csv_layout import csv_layout
from clusterdiff.inputs.read import source_of

if TYPE_CHECKING:
    from clusterdiff.inputs.read import Source

PARQUET = b"PAR1"


def records_of(value: Any) -> list[dict[str, Any]] | None:
    """The rows of a CSV, TSV or Parquet file or of a frame; None if it is neither."""
    if isinstance(value, str | os.PathLike):
        with ExitStack() as stack:
            source, _ = source_of(stack, value, as_="long")
            return _of_parquet(source) if source.start.startswith(PARQUET) else _of_csv(source)
    if isinstance(value, list | tuple) or not is_frame(value):
        return None
    import narwhals as nw

    data = nw.from_native(value)
    eager = data.collect() if isinstance(data, nw.LazyFrame) else data
    return list(eager.rows(named=True))


def _of_parquet(source: Source) -> list[dict[str, Any]]:
    import pyarrow.parquet

    try:
        # One by one, since a reader of several files casts them all to the types of the first.
        parts = [pyarrow.parquet.read_table(file) for file in source.files]
        return list(pyarrow.concat_tables(parts, promote_options="permissive").to_pylist())
    except (OSError, pyarrow.ArrowException) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def _of_csv(source: Source) -> list[dict[str, Any]]:
    """The rows below a line of names; lines with other numbers of cells are refused."""
    if not source.start.strip():
        raise ReadError.empty(source.shown)
    layout = csv_layout(replace(source, header=True))
    text = source.text().split("\n", source.skip)[source.skip]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter)
    try:
        _, *rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    names = layout.names
    if ragged := [row for row in rows if len(row) != len(names)]:
        raise ReadError(
            f"{len(ragged):,} of {len(rows):,} rows of {source.shown} have more or fewer cells "
            f"than the {len(names):,} columns.",
            "give each line the same number of cells, and quote cells with the delimiter.",
        )
    return [dict(zip(names, row, strict=True)) for row in rows]
