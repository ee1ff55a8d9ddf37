"""Compressed files. Text in gzip is read as it is; all else is unpacked to a temporary file, since
engines read some of it not at all, and some without a look at where it was cut.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from clusterdiff.errors import ReadError, SpaceNeeded

ENDINGS = (".gz", ".zst", ".bz2", ".xz")
CHUNK = 1 << 20
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0")
"""How compressed files start."""


def without_packing(name: str) -> str:
    """A name without the ending that says how the file is compressed.

    >>> without_packing("a.csv.zst"), without_packing("a.csv")
    ('a.csv', 'a.csv')
    """
    found = next((one for one in ENDINGS if name.lower().endswith(one)), "")
    return name[: len(name) - len(found)]


def opener(start: bytes) -> Callable[[Path], Any] | None:
    """What opens a file that starts so, if it has to be unpacked before it is read."""
    if start.startswith(PACKED[1]):
        return _zstd
    if start.startswith(PACKED[2]) and start[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return _bz2
    return _xz if start.startswith(PACKED[3]) else None


def is_gzip(file: Path, shown: str) -> bool:
    """Whether a file is compressed by gzip."""
    return _start(file, shown).startswith(PACKED[0])


def _start(file: Path, shown: str) -> bytes:
    try:
        with file.open("rb") as raw:
            return raw.read(16)
    except OSError as error:
        raise ReadError.from_engine(shown, str(error)) from None


def unpacked(file: Path, to: Path, shown: str, gzip_too: bool = False) -> Path:
    """The file itself, or what is in it if it is compressed and not text in gzip; that too, where
    it is asked for.
    """
    opened = opener(_start(file, shown))
    if opened is None and is_gzip(file, shown) and (gzip_too or _holds_binary(file, shown)):
        opened = _gzip
    if opened is None:
        return file
    target = to.with_name(to.name + Path(without_packing(file.name)).suffix.lower())
    copy(opened(file), target, shown)
    return target


def copy(stream: Any, to: Path, shown: str) -> None:
    """Write what a stream holds to a file, and close it."""
    with stream, to.open("wb") as out:
        while chunk := _taken(stream, shown):
            try:
                out.write(chunk)
            except OSError as error:
                raise SpaceNeeded.from_folder(str(to.parent.parent), str(error)) from None


def opened_plain(file: Path, packed: bool) -> BinaryIO:
    """A file, unpacked if it is gzipped."""
    return gzip.open(file, "rb") if packed else file.open("rb")  # type: ignore[return-value]


def _taken(stream: Any, shown: str) -> bytes:
    import lzma

    try:
        return bytes(stream.read(CHUNK))
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ReadError.from_engine(shown, str(error) or "it ends too soon") from None


def _holds_binary(file: Path, shown: str) -> bool:
    """Whether what is in a file in gzip is no text."""
    try:
        with gzip.open(file, "rb") as inner:
            start = inner.read(16)
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError.from_engine(shown, str(error)) from None
    return b"\0" in start or start.startswith((b"PAR1", b"\x93NUMPY"))


def _gzip(file: Path) -> Any:
    return gzip.open(file, "rb")


def _zstd(file: Path) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(os.fspath(file), "zstd")


def _bz2(file: Path) -> Any:
    import bz2

    return bz2.open(file, "rb")


def _xz(file: Path) -> Any:
    import lzma

    return lzma.open(file, "rb")
