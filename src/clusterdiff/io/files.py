"""What a path says: a file or an address, a table or sheet inside it, and a column of that."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import shutil
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from glob import iglob
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from clusterdiff.cleanup import temporary_folder
from clusterdiff.engines.duckdb import DuckDB, DuckSession, literal
from clusterdiff.errors import (
    LATIN,
    WINDOWS,
    ClusterdiffError,
    ReadError,
    SpaceNeeded,
    check_arrow,
    install_line,
    pasted,
    raised_limit,
    shorten,
    size,
)

REMOTE = re.compile(r"(https?|s3|s3a|s3n|gs|gcs|r2|hf)://", re.IGNORECASE)
"""Addresses of files on the network that DuckDB reads by its extension httpfs."""
POSTGRES = re.compile(r"postgres(ql)?://", re.IGNORECASE)
AUTHORITY = re.compile(r"[A-Za-z][\w+.-]*://[^/]*")
"""The start of an address, in which a host may hold colons: http://[::1]/a.csv."""
QUERY = re.compile(r"\s*(SELECT|WITH|FROM|VALUES)\s", re.IGNORECASE)
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"
PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^/@]*@|(?<=[?&]password=)[^&]*", re.IGNORECASE)


def is_remote(name: str) -> bool:
    """Whether this is the address of a file on the network."""
    return REMOTE.match(name) is not None


def is_postgres(name: str) -> bool:
    """Whether this is the address of a PostgreSQL database."""
    return POSTGRES.match(name) is not None


def is_query(inside: str) -> bool:
    """Whether what is asked of a database is a query, not the name of a table."""
    return QUERY.match(inside) is not None


def without_password(name: str) -> str:
    """An address as it may be shown.

    >>> without_password("postgres://ann:secret@host/db?password=x&a=1")
    'postgres://ann:…@host/db?password=…&a=1'
    """
    return PASSWORD.sub(lambda found: f"{found[1]}:…@" if found[0].endswith("@") else "…", name)


def named_column(path: str) -> tuple[str, str | None]:
    """FILE::COLUMN taken apart, unless a file has that very name; of a database, what stands
    behind the first :: is a table or a query, and behind a table there may be a column.
    """
    _check_name(path, path)
    if "::" not in path or os.path.exists(path):
        return path, None
    if (database := _database_in(path)) is not None:
        base, inside = database
        table, _, column = ("", "", "") if is_query(inside) else inside.partition("::")
        return (f"{base}::{table}", column) if column else (path, None)
    start = _authority(path)
    if "::" not in path[start:]:
        return path, None
    name, _, column = path[start:].rpartition("::")
    name = path[:start] + name
    _check_name(name, path)
    if not column:
        raise ReadError(
            f"{path} names no column after the ::.", f"write e.g. {pasted(f'{name}::cluster')}."
        )
    return name, column


def _check_name(name: str, path: str) -> None:
    if not name.strip():
        raise ReadError(
            f"the path is empty ({path!r}).",
            "name a file; if a variable stands for it, is it set?",
        )


def inside_of(name: str) -> tuple[str, str | None]:
    """A file, and the table, sheet or query inside it that is meant, if one is named."""
    if "::" not in name or os.path.exists(name):
        return name, None
    if (database := _database_in(name)) is not None:
        return database
    start = _authority(name)
    base, colons, inside = name[start:].partition("::")
    return (name[:start] + base, inside) if colons else (name, None)


def _database_in(path: str) -> tuple[str, str] | None:
    """The database that a path starts with, and what is asked of it."""
    start = _authority(path)
    while (at := path.find("::", start)) >= 0:
        base, inside = path[:at], path[at + 2 :]
        if is_postgres(path) or is_database(base):
            if not inside.strip():
                raise ReadError(
                    f"{without_password(path)} names no table after the ::.",
                    f"write e.g. {pasted(f'{without_password(base)}::clusters')}.",
                )
            return base, inside
        start = at + 2
    return None


def is_database(name: str) -> bool:
    """Whether a file is a database of SQLite or DuckDB, by its first bytes."""
    try:
        if not os.path.isfile(name):
            return False
        with open(name, "rb") as file:
            return is_database_start(file.read(16))
    except OSError:
        return False


def is_database_start(start: bytes) -> bool:
    """Whether a file that starts so is a database."""
    return start.startswith(SQLITE) or start[8:12] == DUCKDB


def _authority(path: str) -> int:
    """Where the address of a host ends."""
    found = AUTHORITY.match(path)
    return found.end() if found else 0


# Compressed files. Text in gzip is read as it is; all else is unpacked to a temporary file, since
# engines read some of it not at all, and some without a look at where it was cut.

ENDINGS = (".gz", ".zst", ".bz2", ".xz")


PACKED = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0")
"""How compressed files start."""


def without_packing(name: str) -> str:
    """A name without the ending that says how the file is compressed.

    >>> without_packing("a.csv.zst"), without_packing("a.csv")
    ('a.csv', 'a.csv')
    """
    found = next((one for one in ENDINGS if name.lower().endswith(one)), "")
    return name[: len(name) - len(found)]


def _suffix(file: Path) -> str:
    return Path(without_packing(file.name.lower())).suffix


@contextmanager
def reading(shown: str) -> Iterator[None]:
    """What goes wrong in reading bytes, as an error that names the file."""
    import lzma

    try:
        yield
    except ClusterdiffError:
        raise
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ReadError.from_engine(shown, str(error) or "it ends too soon") from None


@contextmanager
def writing(to: Path) -> Iterator[None]:
    """What goes wrong in writing a temporary file: as a rule its disk is full."""
    try:
        yield
    except OSError as error:
        raise SpaceNeeded.from_folder(str(to.parent.parent), str(error)) from None


def _start(file: Path, shown: str) -> bytes:
    with reading(shown), file.open("rb") as raw:
        return raw.read(16)


def _opener(start: bytes) -> Callable[[Path], Any] | None:
    """What opens a file that starts so, if it has to be unpacked before it is read."""
    if start.startswith(PACKED[1]):
        check_arrow("the file", "packed by zstd", "unpack it, or pack it with gzip")
        import pyarrow as pa

        return lambda file: pa.CompressedInputStream(os.fspath(file), "zstd")
    if start.startswith(PACKED[2]) and start[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        import bz2

        return bz2.open
    if start.startswith(PACKED[3]):
        import lzma

        return lzma.open
    return None


def unpacked(file: Path, to: Path, shown: str, gzip_too: bool = False) -> Path:
    """The file itself, or what is in it if it is compressed and not text in gzip; that too, where
    it is asked for.
    """
    start = _start(file, shown)
    opened = _opener(start)
    if start.startswith(PACKED[0]):
        with reading(shown), gzip.open(file, "rb") as packed:
            inner = packed.read(16)
        if gzip_too or b"\0" in inner or inner.startswith((b"PAR1", b"\x93NUMPY")):
            opened = gzip.open
    if opened is None:
        return file
    target = to.with_name(to.name + _suffix(file))
    with opened(file) as stream:
        return _kept(_pieces(stream, shown), target)


def _kept(chunks: Iterable[bytes], to: Path) -> Path:
    """A temporary file of these bytes."""
    with to.open("wb") as out:
        for chunk in chunks:
            with writing(to):
                out.write(chunk)
    return to


def _pieces(stream: Any, shown: str) -> Iterator[bytes]:
    """What a stream holds, so many bytes at a time."""
    while True:
        with reading(shown):
            chunk = bytes(stream.read(CHUNK))
        if not chunk:
            return
        yield chunk


def opened_plain(file: Path, packed: bool) -> BinaryIO:
    """A file, unpacked if it is gzipped."""
    return gzip.open(file, "rb") if packed else file.open("rb")  # type: ignore[return-value]


# Bytes as text: UTF-8, another encoding that is beyond doubt or named, or an error that says what
# they are.

ENCODING_MARKS = {
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
    return next((name for mark, name in ENCODING_MARKS.items() if start.startswith(mark)), None)


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
        )


def in_utf8(
    stack: ExitStack, files: tuple[Path, ...], packed: bool, encoding: str, shown: str
) -> tuple[Path, ...]:
    """Files of text in UTF-8: those that are not are written anew, read in this encoding."""
    wrong = {file for file in files if not _is_utf8(file, packed, shown)}
    if not wrong:
        return files
    folder = stack.enter_context(temporary_folder())
    return tuple(
        _rewritten(file, packed, folder / f"{i}{_suffix(file)}", encoding, shown)
        if file in wrong
        else file
        for i, file in enumerate(files)
    )


def _is_utf8(file: Path, packed: bool, shown: str) -> bool:
    """Whether a file is text in UTF-8, as far as its bytes tell."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(file, packed, shown):
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
    chunks = chain(_chunks(file, packed, shown), [b""])
    try:
        return _kept((decoder.decode(chunk, not chunk).encode() for chunk in chunks), to)
    except UnicodeError as error:
        raise ReadError(
            f"{shown} is not text in {encoding}: {error}.",
            "name the encoding that it is in, or write it anew in UTF-8.",
        ) from None


def _chunks(file: Path, packed: bool, shown: str) -> Iterator[bytes]:
    with reading(shown), opened_plain(file, packed) as stream:
        yield from _pieces(stream, shown)


# What is read from outside is bounded: how many bytes, files and digits, and how long a line.

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
    with reading(shown):
        if (size := _size(file, packed)) > limit:
            raise ReadError.too_large(shown, limit, size)
        with opened_plain(file, packed) as stream:
            data = stream.read(limit + 1)
    if len(data) > limit:
        raise ReadError.too_large(shown, limit, len(data))
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
    with reading(shown), opened_plain(file, packed) as stream:
        for _ in range(skip):
            stream.readline(LINE)
        data = stream.readline(LINE + 1).removeprefix(codecs.BOM_UTF8)
    if len(data) > LINE:
        raise ReadError.too_many(
            shown, LINE, "bytes in its first line", "a table has a line for each object."
        )
    return data


def _from_pipe(stream: BinaryIO, shown: str, limit: int) -> Iterator[bytes]:
    """What can be read once, piece by piece."""
    total = 0
    while True:
        try:
            chunk = stream.read(CHUNK)
        except (OSError, ValueError) as error:
            raise ReadError(
                f"{shown} could not be read: {error}.",
                "is it open? Pipe a file into the command, or name the file.",
            ) from None
        if not chunk:
            return
        total += len(chunk)
        known = chunk.startswith(BINARY) or is_database_start(chunk)
        if total == len(chunk) and b"\0" in chunk[:4096] and not known:
            raise not_text(chunk[:4096], shown)
        if total > limit:
            raise ReadError(
                f"{shown} holds more than the {size(limit)} that are taken from a pipe.",
                f"{raised_limit(4 * limit)}, or name a file.",
            )
        yield chunk


BINARY = (
    *PACKED, *ENCODING_MARKS,
    b"PAR1", b"PK\x03\x04", b"\x93NUMPY", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff",
)  # fmt: skip
"""How files start that hold zero bytes and are read."""


# Files on the network, fetched to a temporary file where the user allows it.

HTTP = re.compile(r"https?://", re.IGNORECASE)


def shown_address(url: str) -> str:
    """An address for messages: without a password, and without what follows a question mark,
    which may be a signature.
    """
    shown = without_password(url)
    return shown.partition("?")[0] if HTTP.match(url) else shown


def check_network(shown: str, allow_network: bool) -> None:
    """Refuse an address unless the user allows the network."""
    if not allow_network:
        raise ReadError(
            f"{shown} is on the network, which is left alone unless you allow it.",
            "allow it, cd.compare(…, engine=cd.DuckDB(allow_network=True)), or "
            f"cd.read({shown!r}, allow_network=True); or name a copy of your own.",
            "allow it: --allow-network; or name a copy of your own.",
        )


def fetched(url: str, folder: Path, limit: int, allow_network: bool) -> list[Path]:
    """What is at an address, in files of ours; of a pattern, all that fits it."""
    shown = shown_address(url)
    check_network(shown, allow_network)
    with DuckSession(DuckDB()) as session, session.reading(shown, ()):
        if not session.loads("httpfs"):
            raise ReadError(
                f"{shown} is read by httpfs, an extension of DuckDB that is not installed.",
                f"install it: {install_line('httpfs')}; or name a copy of your own.",
            )
        return [
            _copied(session, one, folder / f"remote{i}", limit)
            for i, one in enumerate(_addresses(session, url))
        ]


def _addresses(session: DuckSession, url: str) -> list[str]:
    """The files that an address means."""
    if HTTP.match(url) or not any(mark in url for mark in "*?["):
        return [url]
    found = session.fetch(f"SELECT file FROM glob({literal(url)}) ORDER BY file")
    if not found.num_rows:
        raise ReadError.missing(shown_address(url), [])
    return [str(name) for name in found.column("file").to_pylist()]


def _copied(session: DuckSession, url: str, to: Path, limit: int) -> Path:
    rows = f"read_blob({literal(url)})"
    found = session.row(f"SELECT max(size) AS n FROM {rows}")["n"]
    if found is None:
        raise ReadError.missing(shown_address(url), [])
    if found > limit:
        raise ReadError(
            f"{shown_address(url)} holds {size(found)}, and at most {size(limit)} are fetched "
            "from the network.",
            f"{raised_limit(found)}, or fetch the file and name your copy.",
        )
    # The end of its name tells the format; DuckDB would compress again what ends in .gz.
    path = urlsplit(url).path if HTTP.match(url) else url
    ending = "".join(re.findall(r"\.\w{1,8}", PurePosixPath(path).name)[-2:])
    plain = to.with_name("fetched")
    session.run(
        f"COPY (SELECT content FROM {rows}) TO {literal(str(plain))} (FORMAT BLOB)",
        f"fetching {shown_address(url)}",
    )
    return plain.rename(f"{to}{ending}")


# Folders and patterns of documents: which files are documents, and what each is called.

DOCUMENT = re.compile(r"(?:\.|_)(conll|conllu|rttm)$", re.IGNORECASE)
"""Endings of files that hold documents: .conll, .conllu, .v4_gold_conll, .rttm."""
DOCUMENT_FORMATS = {"conll": "conll", "conllu": "corefud", "rttm": "rttm"}
TITLES = {"conll": "CoNLL-2012", "corefud": "CorefUD", "rttm": "RTTM"}
ROLE = re.compile(
    r"[._-](?:v\d+[_-])?(?:gold|key|auto|response|sys|system|pred|predicted|output)$", re.IGNORECASE
)
"""Endings that say whether a file is key or response, where all files of a folder have the same."""
WILDCARD = re.compile(r"[*?\[]")


class DocumentText(NamedTuple):
    """A file of a folder or pattern."""

    shown: str
    document: str
    """What its document is called, where it does not say so itself."""


def documents_in(folder: Path) -> Iterator[Path]:
    """The documents in a folder and those below it, by the ending of their names."""
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if not hidden and format_of_document(file.name) and file.is_file():
            yield file


def check_mixed(folder: str, files: Sequence[Path]) -> None:
    """Refuse documents of two formats in one folder."""
    known = {format_of_document(file.name): file for file in reversed(files)}
    if len(known) > 1:
        (first, one), (second, other) = sorted(known.items(), reverse=True)[:2]
        if second == "corefud":
            (first, one), (second, other) = (second, other), (first, one)
        raise ReadError(
            f"{folder} has documents of two formats, such as {one} ({TITLES[first]}) and {other} "
            f"({TITLES[second]}).",
            f"name those of one format, e.g. '{os.path.join(folder, '**', f'*{one.suffix}')}'.",
        )


def format_of_document(name: str) -> str:
    """The format of a file of documents by its name; nothing where it is none."""
    found = DOCUMENT.search(without_packing(name))
    return DOCUMENT_FORMATS[found[1].lower()] if found else ""


def format_of_documents(parts: Sequence[DocumentText]) -> str:
    """The format of files that are all documents by their names, whatever the first one holds;
    nothing where they are not.
    """
    known = [format_of_document(part.shown) for part in parts]
    return known[0] if known and all(known) else ""


def parts_of(name: str, files: Sequence[Path]) -> tuple[DocumentText, ...]:
    """The files of a folder or pattern, with the documents that they are."""
    shown = [str(file) for file in files]
    root = name if os.path.isdir(name) else os.path.dirname(WILDCARD.split(name)[0])
    return tuple(
        map(DocumentText, shown, document_names([os.path.relpath(f, root or ".") for f in shown]))
    )


def document_names(files: Sequence[str]) -> list[str]:
    """What documents are called after their files, so that those of key and response are called
    alike.

    >>> document_names(["a.v4_gold_conll", "b.v4_gold_conll.gz"])
    ['a', 'b']
    >>> document_names(["a.gold.conll", "a.auto.conll"])
    ['a.gold', 'a.auto']
    """
    plain = [DOCUMENT.sub("", without_packing(file)).replace(os.sep, "/") for file in files]
    endings = {found[0] if (found := ROLE.search(name)) else "" for name in plain}
    stripped = [ROLE.sub("", name) for name in plain] if len(endings) == 1 else plain
    return stripped if len(set(stripped)) == len(set(files)) else list(files)


# The files behind a path: one, those of a folder or a pattern, or what comes in by a pipe.

TABLES = (".parquet", ".pq", ".csv", ".tsv")
"""Endings of the files that a folder may hold."""
PEEK = 1 << 16


@contextmanager
def opened(
    name: str, limit: int, *, allow_network: bool = False
) -> Iterator[tuple[tuple[Path, ...], str, tuple[DocumentText, ...]]]:
    """The files, checked, and what to call them: all together, and those of a folder or pattern
    each.

    Standard input and pipes can be read once, so they go through a temporary file, and so does what
    has to be fetched or unpacked; a name that no engine can be told gets another one.
    """
    remote = is_remote(name)
    shown = shown_address(name) if remote else "standard input" if name == "-" else name
    with temporary_folder() as folder:
        files = fetched(name, folder, limit, allow_network) if remote else _files(name)
        again = [_again(file, folder / f"input{i}", limit) for i, file in enumerate(files)]
        names = list(map(str, files)) if len(files) > 1 else [shown]
        gzipped = {
            _start(*one).startswith(PACKED[0]) for one in zip(again, names, strict=True)
        }  # engines read files of one packing as one table
        parts = () if remote or files == [Path(name)] else parts_of(name, files)
        plain = (
            unpacked(file, folder / f"unpacked{i}", called, len(gzipped) > 1)
            for i, (file, called) in enumerate(zip(again, names, strict=True))
        )
        yield tuple(plain), shown, parts


def _files(name: str) -> list[Path]:
    """The files that a path means: one, those of a folder, or those that fit a pattern."""
    file = Path(name)
    try:
        if file.is_dir():
            inside = _bounded((f for f in file.rglob("*") if f.suffix.lower() in TABLES), name)
            if not inside and (inside := _bounded(documents_in(file), name)):
                check_mixed(name, inside)
                return inside
            if not inside or len({f.suffix.lower() for f in inside}) > 1:
                raise _unread(name, inside)
            return inside
        if name == "-" or file.exists():
            return [file]
        if any(mark in name for mark in "*?["):
            fitting = (Path(f) for f in iglob(name, recursive=True) if os.path.isfile(f))
            if found := _bounded(fitting, name):
                return found
        raise _missing(name)
    except (OSError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        if isinstance(error, PermissionError):
            raise ReadError.from_engine(name, "Permission denied") from None
        raise ReadError.missing(shorten(name, 60), []) from None


def _unread(name: str, tables: list[Path]) -> ReadError:
    """A folder with tables of several formats, or with none."""
    files = tables or _bounded((f for f in Path(name).rglob("*") if f.is_file()), name)
    endings = Counter(f.suffix or f.name for f in files)
    told = [f"{often:,} {ending}" for ending, often in endings.most_common(4)] or ["no files"]
    told += ["…"] if len(endings) > 4 else []
    what = "with tables of several formats" if tables else "without tables or documents"
    return ReadError(
        f"{name} is a directory {what} ({', '.join(told)}).",
        "a folder of .parquet files, or one of .csv files, is read as one table, one of .conll, "
        ".conllu or .rttm files as documents; or name a file in it.",
    )


STORES = (".zarr",)
"""Endings of folders that are one array, or a group of some."""


def is_store(name: str) -> bool:
    """Whether this is a folder that holds arrays in chunks."""
    return Path(name).suffix.lower() in STORES and os.path.isdir(name)


def is_partitioned(name: str, files: Iterable[Path]) -> bool:
    """Whether this is a folder with folders in it that are called column=value."""
    return os.path.isdir(name) and any(
        "=" in part
        for file in files
        if file.is_relative_to(name)
        for part in file.relative_to(name).parts[:-1]
    )


def _bounded(found: Iterable[Path], name: str) -> list[Path]:
    """Files in order, if they are not too many."""
    files = sorted(islice(found, FILES + 1))
    if len(files) > FILES:
        raise ReadError.too_many(
            name, FILES, "files", "name the tables more narrowly, or write fewer and larger files."
        )
    return files


def _again(file: Path, inside: Path, limit: int) -> Path:
    """The file itself, or one of ours that an engine can be told and that can be read again."""
    if str(file) == "-":
        if sys.stdin is None:
            raise ReadError(
                "standard input is closed, so - cannot be read.",
                "pipe a file into the command, or name the file.",
            )
        _kept(_from_pipe(sys.stdin.buffer, "standard input", limit), inside)
    elif not file.is_file():
        try:
            with file.open("rb") as stream:
                _kept(_from_pipe(stream, str(file), limit), inside)
        except OSError as error:
            if isinstance(error, ReadError):
                raise
            raise ReadError.from_engine(str(file), str(error)) from None
    elif _can_be_told(str(file)):
        return file
    else:
        try:
            inside.symlink_to(file.absolute())
        except OSError:
            shutil.copyfile(file, inside)
    return inside


def _can_be_told(name: str) -> bool:
    """Whether engines can be told this name: text, and no backslash where marks are escaped."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return os.sep == "\\" or "\\" not in name or not any(mark in name for mark in "*?[")


PREFIXES = {
    "~": "the shell expands ~, but not within quotes: write the whole path.",
    "file:": "write the path without file: at its start.",
}


def _missing(name: str) -> ReadError:
    """A file that is not there, with what may be meant."""
    if any(mark in name for mark in "*?["):
        return ReadError(
            f"File not found: nothing fits the pattern {name}",
            "ls shows what there is; * stands for any part of a name, ** for any folders.",
        )
    error = ReadError.missing(name, _similar(Path(name)))
    hints = (hint for prefix, hint in PREFIXES.items() if name.startswith(prefix))
    return ReadError(error.message, next(hints, error.hint))


def _similar(file: Path) -> list[str]:
    """The file or folder beside this one whose name is most like it."""
    try:
        with os.scandir(file.parent) as entries:
            near = [
                entry.name
                for entry in islice(entries, NEIGHBOURS)
                if abs(len(entry.name) - len(file.name)) <= 3
            ]
    except OSError:
        return []
    return [
        str(file.parent / name)
        for name in get_close_matches(file.name, _likely(file.name, near), 1, 0.65)
    ]


def _likely(name: str, near: list[str], most: int = 200) -> list[str]:
    """Of many names those with the most letters in common with this one, position by position."""
    if len(near) <= most:
        return near
    alike = {
        other: sum(a == b for a, b in zip(name, other, strict=False))
        + sum(a == b for a, b in zip(name[::-1], other[::-1], strict=False))
        for other in near
    }
    return sorted(near, key=alike.__getitem__, reverse=True)[:most]


def peek(file: Path, shown: str) -> tuple[bytes, bool]:
    """The first bytes, unpacked, and whether they had to be."""
    with reading(shown):
        packed = _start(file, shown).startswith(PACKED[0])
        with opened_plain(file, packed) as stream:
            return stream.read(PEEK).removeprefix(codecs.BOM_UTF8), packed
