"""What is read from outside is bounded: how many bytes, files and digits, and how long a line."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import BinaryIO

from clusterdiff.backends.duckdb import DuckDB
from clusterdiff.errors import ClusterdiffError, LimitReached, ReadError, SpaceNeeded
from clusterdiff.inputs.files.addresses import is_database_start
from clusterdiff.inputs.files.encoding import MARKS, not_text
from clusterdiff.inputs.files.packing import PACKED, opened_plain

WHOLE = 5 * 10**8
"""Bytes of a file that is read whole, unless --max-bytes says otherwise; in memory it becomes ten
to twenty times as large.
"""
PIPE = 4 * 10**9
"""Bytes of what comes in by a pipe, to a temporary file."""
FILES = 100_000
"""Files of a folder or a pattern."""
LINE = 1 << 25
"""Bytes of the first line of a table."""
DIGITS = 4300
"""Digits of a whole number, as many as Python reads."""
NEIGHBOURS = 20_000
"""Files beside a missing one that are looked at for a similar name."""
MOST_PACKED = 1100
"""More bytes than gzip makes one of."""
CHUNK = 1 << 20


def bytes_of(amount: str | int | None, default: int) -> int:
    """A limit in bytes, from a number or a text like 4GB.

    >>> bytes_of("16GB", WHOLE), bytes_of(1000, WHOLE), bytes_of(None, WHOLE)
    (16000000000, 1000, 500000000)
    """
    if amount is None:
        return default
    try:
        found = amount if isinstance(amount, int) else DuckDB(memory=amount).bytes
    except ClusterdiffError:
        found = 0
    if found < 1:
        raise ClusterdiffError(
            f"max_bytes={amount!r} is not a number of bytes.", 'write e.g. max_bytes="8GB".'
        )
    return found


def whole(file: Path, packed: bool, shown: str, limit: int) -> bytes:
    """All bytes of a file, unpacked, if they are not more than `limit`."""
    try:
        if (found := _size(file, packed)) > limit:
            raise LimitReached.whole(shown, limit, found)
        with opened_plain(file, packed) as stream:
            data = stream.read(limit + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ReadError.from_engine(shown, str(error)) from None
    if len(data) > limit:
        raise LimitReached.whole(shown, limit, len(data))
    return data


def _size(file: Path, packed: bool) -> int:
    """How large a file is; unpacked, it is at least what its last four bytes say, unless that is
    more than gzip can pack: then the file was cut, which reading it will tell.
    """
    size = file.stat().st_size
    if not packed or size < 18:
        return size
    with file.open("rb") as stream:
        stream.seek(-4, os.SEEK_END)
        claimed = int.from_bytes(stream.read(), "little")
    return claimed if claimed <= MOST_PACKED * size else size


def first_line(file: Path, packed: bool, shown: str, skip: int = 0) -> bytes:
    """The first line of a file after those that are skipped, if it is not longer than a line may
    be.
    """
    try:
        with opened_plain(file, packed) as stream:
            for _ in range(skip):
                stream.readline(LINE)
            data = stream.readline(LINE + 1).removeprefix(b"\xef\xbb\xbf")
    except (EOFError, OSError, zlib.error) as error:
        raise ReadError.from_engine(shown, str(error)) from None
    if len(data) > LINE:
        raise LimitReached.from_count(
            shown, LINE, "bytes in its first line", "a table has a line for each object."
        )
    return data


def spooled(stream: BinaryIO, to: Path, shown: str, limit: int) -> None:
    """Copy what can be read once to a file, piece by piece."""
    total = 0
    with to.open("wb") as out:
        while chunk := _taken(stream, shown):
            total += len(chunk)
            if total == len(chunk) and b"\0" in chunk[:4096] and not _is_known(chunk):
                raise not_text(chunk[:4096], shown)
            if total > limit:
                raise LimitReached.pipe(shown, limit)
            try:
                out.write(chunk)
            except OSError as error:
                raise SpaceNeeded.from_folder(str(to.parent.parent), str(error)) from None


BINARY = (
    *PACKED, *MARKS, b"PAR1", b"PK\x03\x04", b"\x93NUMPY", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff",
)  # fmt: skip
"""How files start that hold zero bytes and are read."""


def _is_known(start: bytes) -> bool:
    return start.startswith(BINARY) or is_database_start(start)


def _taken(stream: BinaryIO, shown: str) -> bytes:
    try:
        return stream.read(CHUNK)
    except (OSError, ValueError) as error:
        raise ReadError(
            f"{shown} could not be read: {error}.",
            "is it open? Pipe a file into the command, or name the file.",
        ) from None
