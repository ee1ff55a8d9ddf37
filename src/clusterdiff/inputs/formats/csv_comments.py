"""Comments at the top of a CSV file: lines that start with #."""

from __future__ import annotations

import csv
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

from clusterdiff.backends.columns.names import KNOWN, plain
from clusterdiff.errors import ReadError, shorten
from clusterdiff.inputs.read import Source

MARKS = "\t,;| "


class Top(NamedTuple):
    """How a CSV file starts."""

    skip: int
    """Lines of comments."""
    start: bytes
    """What follows them; a # before the names of the columns is left out."""
    named: bool = False
    """Whether there was one."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What lines that start with # were taken for."""
        lines = "1 line" if self.skip == 1 else f"{self.skip:,} lines"
        comments = (f"{lines} of comments at the top left out",) if self.skip else ()
        named = f"names of the columns taken from line {self.skip + 1}, which starts with #"
        return (*comments, named) if self.named else comments


def skip_comments(_: ExitStack, source: Source) -> Source:
    """A CSV file without its comments."""
    if not source.start.startswith(b"#"):
        return source
    top = top_of(source, source.start)
    notes = (*source.read_as, *top.notes)
    return replace(source, start=top.start, skip=top.skip, read_as=notes)


def top_of(source: Source, start: bytes) -> Top:
    """How a file starts: which of its first lines are comments, and which is the first row."""
    lines = start.decode(errors="replace").split("\n")
    hashes = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if hashes == len(lines) or not hashes:
        return Top(0, start)
    delimiter = max(MARKS, key=lines[hashes].count)
    first = _cells(lines[hashes], delimiter)
    rows = [i for i in range(hashes) if len(_cells(lines[i], delimiter)) == len(first) > 1]
    last, rest = hashes - 1, start.split(b"\n", hashes)
    if not rows or _names(source, first) or (source.header is False and _is_said(lines[last])):
        return Top(hashes, rest[hashes])
    if last in rows and _names(source, _cells(lines[last].lstrip("# "), delimiter)):
        named = rest[last].lstrip(b"# ") + b"\n" + rest[hashes]
        return Top(last, named, named=True)
    if all(_is_said(lines[i]) for i in rows):
        raise ReadError(
            f"line {rows[-1] + 1} of {source.shown} ({shorten(lines[rows[-1]].strip(), 40)}) could "
            "be a comment or name the columns.",
            "leave it out if it is a comment, and leave the # out if it names the columns.",
        )
    return Top(rows[0], start.split(b"\n", rows[0])[rows[0]])


def _is_said(line: str) -> bool:
    """Whether a line is a comment by how it starts, as ids such as #7 do not."""
    return line[1:2] in ("", " ", "\t", "\r", "#", "!")


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r")], delimiter=delimiter), [])
    except csv.Error:
        return [line]


def _names(source: Source, cells: list[str]) -> bool:
    """Whether cells are the names of columns, by what they are called."""
    names = [plain(cell) for cell in cells]
    return any(n in KNOWN or n.endswith("_id") for n in names) or bool(
        source.wanted & {cell.strip() for cell in cells}
    )
