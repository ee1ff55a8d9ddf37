"""Bytes as text: UTF-8, another encoding that is beyond doubt or named, or an error that says what
they are.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from clusterdiff.errors import ClusterdiffError, ReadError, SpaceNeeded
from clusterdiff.errors.files.reading import LATIN, WINDOWS
from clusterdiff.inputs.files.packing import CHUNK, opened_plain, without_packing
from clusterdiff.tidy import temporary_folder

MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}  # fmt: skip
"""How text in other encodings may start."""
CONTROL = bytes({*range(32)} - {*b"\t\n\r\f"} | {127})


def decoded(data: bytes, path: str, *, whole: bool = True) -> str:
    """Bytes as text; if they are not the whole file, their last character may be cut."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start >= len(data) - 4:
            return data.decode("utf-8-sig", errors="ignore")
        raise not_text(data, path) from None


def not_text(data: bytes, path: str) -> ReadError:
    """What bytes are that are no UTF-8: another encoding, or no text at all."""
    if (known := marked(data)) is not None:
        return ReadError.encoded(path, known)
    halves = data[::2].count(0), data[1::2].count(0)
    if 4 * max(halves) > len(data) and 20 * min(halves) <= max(halves):
        return ReadError.encoded(path, "UTF-16LE" if halves[1] else "UTF-16BE")
    if any(byte in CONTROL for byte in data[: 1 << 16]):
        return ReadError(
            f"{path} is not text, Parquet or gzip, so it cannot be read as a clustering.",
            "supported are CSV, TSV, Parquet, Arrow, Excel, NumPy, AnnData, JSON, JSON lines, "
            ".labels, .clusters, CoNLL-2012, CorefUD, and databases of DuckDB and SQLite.",
        )
    return ReadError.encoded(path, WINDOWS if any(0x80 <= b < 0xA0 for b in data) else LATIN)


def marked(start: bytes) -> str | None:
    """The encoding that the first bytes of a text name."""
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), None)


def check_encoding(encoding: str | None) -> None:
    """Refuse the name of an encoding that Python does not know, or that is none of text."""
    if encoding is None:
        return
    try:
        known = codecs.lookup(encoding)._is_text_encoding
    except LookupError:
        known = False
    if not known:
        raise ClusterdiffError(
            f"unknown encoding {encoding!r}.",
            'write e.g. encoding="windows-1252", "latin-1", "utf-16" or "shift_jis".',
            "write e.g. --encoding windows-1252, latin-1, utf-16 or shift_jis.",
        )


def in_utf8(
    stack: ExitStack, files: tuple[Path, ...], packed: bool, encoding: str, shown: str
) -> tuple[Path, ...]:
    """Files of text in UTF-8: those that are not are written anew, read in this encoding."""
    try:
        wrong = {file for file in files if not _is_utf8(file, packed)}
        if not wrong:
            return files
        folder = stack.enter_context(temporary_folder())
        return tuple(
            _rewritten(file, packed, folder / f"{i}{_ending(file)}", encoding, shown)
            if file in wrong
            else file
            for i, file in enumerate(files)
        )
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError.from_engine(shown, str(error)) from None


def _is_utf8(file: Path, packed: bool) -> bool:
    """Whether a file is text in UTF-8, as far as its bytes tell."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(file, packed):
            if b"\0" in chunk:
                return False
            decoder.decode(chunk)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _rewritten(file: Path, packed: bool, to: Path, encoding: str, shown: str) -> Path:
    """A file in another encoding, written in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with to.open("wb") as out:
            for chunk in chain(_chunks(file, packed), [b""]):
                text = decoder.decode(chunk, not chunk)
                try:
                    out.write(text.encode())
                except OSError as error:
                    raise SpaceNeeded.from_folder(str(to.parent.parent), str(error)) from None
    except UnicodeError as error:
        raise ReadError(
            f"{shown} is not text in {encoding}: {error}.",
            "name the encoding that it is in, or write it anew in UTF-8.",
        ) from None
    return to


def _ending(file: Path) -> str:
    return Path(without_packing(file.name.lower())).suffix


def _chunks(file: Path, packed: bool) -> Iterator[bytes]:
    with opened_plain(file, packed) as stream:
        while chunk := stream.read(CHUNK):
            yield chunk
