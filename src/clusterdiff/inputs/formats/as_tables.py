"""Formats whose rows are written to a temporary table in Parquet or CSV, and read as that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterdiff.errors import ReadError, SpaceNeeded
from clusterdiff.inputs.formats import Format
from clusterdiff.inputs.formats.delimited import FORMAT as LONG
from clusterdiff.inputs.read import Source
from clusterdiff.tidy import temporary_folder

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = b"PAR1"


def table_format(
    name: str,
    prepare: Callable[[ExitStack, Source], Source],
    suffixes: tuple[str, ...],
    help: str,
    begins: Callable[[bytes], bool] | None,
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

    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise ReadError(
            f"{source.shown} has two columns called {twice!r}.", "give each column its own name."
        )
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


def new_file(stack: ExitStack, name: str) -> Path:
    """A file of ours that is removed when the stack is closed."""
    return stack.enter_context(temporary_folder()) / name
