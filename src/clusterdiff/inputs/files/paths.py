"""The files behind a path: one, those of a folder or a pattern, or what comes in by a pipe."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from glob import iglob
from itertools import islice
from pathlib import Path

from clusterdiff.errors import LimitReached, ReadError, shorten
from clusterdiff.inputs.files.addresses import is_remote
from clusterdiff.inputs.files.addresses import named_column as named_column
from clusterdiff.inputs.files.documents import DocumentText, documents_in, parts_of, refuse_mixed
from clusterdiff.inputs.files.limits import FILES, NEIGHBOURS, spooled
from clusterdiff.inputs.files.packing import is_gzip, unpacked
from clusterdiff.inputs.files.remote import fetched, shown_address
from clusterdiff.tidy import temporary_folder

TABLES = (".parquet", ".pq", ".csv", ".tsv")
"""Endings of the files that a folder may hold."""
PEEK = 1 << 16
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"


@contextmanager
def opened(
    name: str, limit: int, *, allow_network: bool = False
) -> Iterator[tuple[tuple[Path, ...], str, tuple[DocumentText, ...]]]:
    """The files, checked, and what to call them: all together, and those of a folder or pattern
    each.

    Standard input and pipes can be read once, so they go through a temporary file, and so does what
    has to be fetched or unpacked; a name that no engine can be told gets another one.
    """
    with temporary_folder() as folder:
        remote = is_remote(name)
        files = fetched(name, folder, limit, allow_network) if remote else _files(name)
        inside = [folder / f"input{i}" for i in range(len(files))]
        again = [_again(f, at, limit) for f, at in zip(files, inside, strict=True)]
        plain = [folder / f"unpacked{i}" for i in range(len(files))]
        shown = _shown(name)
        names = list(map(str, files)) if len(files) > 1 else [shown]
        mixed = (
            len(files) > 1 and len({is_gzip(*one) for one in zip(again, names, strict=True)}) > 1
        )
        parts = () if remote or files == [Path(name)] else parts_of(name, files)
        each = zip(again, plain, names, strict=True)
        found = (unpacked(*one, mixed) for one in each)
        yield tuple(found), shown, parts


def _files(name: str) -> list[Path]:
    """The files that a path means: one, those of a folder, or those that fit a pattern."""
    file = Path(name)
    try:
        if file.is_dir():
            inside = _bounded((f for f in file.rglob("*") if f.suffix.lower() in TABLES), name)
            if not inside and (inside := _bounded(documents_in(file), name)):
                refuse_mixed(name, inside)
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
            raise ReadError.denied(name) from None
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
        "a folder of .parquet files, or one of .csv files, is read as one table, one of .conll or "
        ".conllu files as documents; or name a file in it.",
    )


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
        raise LimitReached.from_count(
            name, FILES, "files", "name the tables more narrowly, or write fewer and larger files."
        )
    return files


def _shown(name: str) -> str:
    if is_remote(name):
        return shown_address(name)
    return "standard input" if name == "-" else name


def _again(file: Path, inside: Path, limit: int) -> Path:
    """The file itself, or one of ours that an engine can be told and that can be read again."""
    if str(file) == "-":
        if sys.stdin is None:
            raise ReadError(
                "standard input is closed, so - cannot be read.",
                "pipe a file into the command, or name the file.",
            )
        spooled(sys.stdin.buffer, inside, "standard input", limit)
    elif not file.is_file():
        try:
            with file.open("rb") as stream:
                spooled(stream, inside, str(file), limit)
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
    try:
        with file.open("rb") as raw:
            start = raw.read(PEEK)
        if start[:2] == GZIP:
            with gzip.open(file, "rb") as unpacked:
                return unpacked.read(PEEK).removeprefix(BOM), True
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError.from_engine(shown, str(error)) from None
    return start.removeprefix(BOM), False
