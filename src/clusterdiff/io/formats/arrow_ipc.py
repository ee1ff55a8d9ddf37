"""Arrow's own files: Feather and IPC, as files and as streams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from clusterdiff.errors import ReadError
from clusterdiff.io.files import opened_plain
from clusterdiff.io.formats.csv import in_parquet, table_format
from clusterdiff.io.read import Source

FILE, STREAM, FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"


def as_table(stack: ExitStack, source: Source) -> Source:
    """The batches of a file, one after the other."""
    import pyarrow as pa

    if source.start.startswith(FEATHER):
        raise ReadError(
            f"{source.shown} is in the first version of Feather, which is not written any more.",
            "write it anew: pyarrow.feather.write_feather(table, path), or frame.to_feather(path).",
        )
    stream = source.start.startswith(STREAM)
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


FORMAT = table_format(
    "arrow",
    as_table,
    (".arrow", ".feather", ".ipc", ".arrows"),
    """\
  .arrow        a table in Arrow IPC or Feather""",
    re.compile(b"|".join((FILE, STREAM, FEATHER))),
)
