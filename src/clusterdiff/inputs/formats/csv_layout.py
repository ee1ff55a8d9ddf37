"""How a CSV file is laid out: its delimiter, whether its first line names columns, and which."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from clusterdiff.backends.columns.names import KNOWN, plain
from clusterdiff.backends.columns.pairs import pairs_among
from clusterdiff.errors import ColumnError, ReadError
from clusterdiff.errors.base import examples
from clusterdiff.inputs.files.encoding import decoded, not_text
from clusterdiff.inputs.files.limits import first_line
from clusterdiff.inputs.files.paths import PEEK
from clusterdiff.inputs.read import Source

WIDEST = 10_000
"""Tables with more columns than this are not one row per object."""
LOOK = 50
"""Rows below the first that are looked at."""
MARKS = "\t,;| "
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$")


class Layout(NamedTuple):
    """How a CSV file is laid out."""

    names: list[str]
    delimiter: str
    header: bool
    newline: str = ""
    """How lines end, where a line break within the first row would mislead."""


def csv_layout(source: Source) -> Layout:
    """How a CSV file is laid out, seen from how it starts.

    A first line with one name fewer than the rows have cells is what R writes: the names of the
    rows come first and have none; unless the last cells are empty, which is but a delimiter more.
    """
    start = _start(source)
    lines = _bare(start)
    delimiter = _delimiter(source, lines)
    first, *rows = _rows(source, start, delimiter)
    narrow(source.shown, first)
    lacking = bool(rows) and all(len(row) == len(first) + 1 for row in rows)
    header = _has_header(source, first, rows, lacking)
    names = first if header else [f"column{i}" for i in range(len(first))]
    if header:
        _refuse_twice(source, names)
    if header and lacking:
        trailing = not any(row[-1].strip() for row in rows)
        names = [*first, ""] if trailing else ["", *first]
    broken = any("\n" in name or "\r" in name for name in first)
    ending = ("\\r\\n" if lines[0].endswith("\r") else "\\n") if broken else ""
    return Layout(names, delimiter, header, ending)


def narrow(path: str, names: list[str]) -> list[str]:
    """The names, unless there are so many that this is no table of objects."""
    if len(names) > WIDEST:
        raise ColumnError.ambiguous(path, names)
    return names


def _start(source: Source) -> str:
    """The start of a file as text, its first line whole."""
    if b"\0" in source.start:
        raise not_text(source.start, source.shown)
    start = decoded(source.start, source.shown, whole=len(source.start) < PEEK)
    if "\n" in start or len(start) <= PEEK // 2:
        return start
    line = first_line(source.files[0], source.packed, source.shown, source.skip)
    return line.decode(errors="replace")


def _bare(start: str) -> list[str]:
    """The first lines without what stands in quotes."""
    return re.sub(r'"[^"]*"', "", start).split("\n", LOOK + 1)[: LOOK + 1]


def _delimiter(source: Source, lines: list[str]) -> str:
    """The mark that is most often in the first line; where there is none, the one that each line
    below has once.
    """
    if source.suffix == ".tsv":
        return "\t"
    first, *rest = lines
    found = max(MARKS, key=first.count)
    if found == "," and _has_decimal_commas(first):
        return ";"
    if found == " " and any(mark in first for mark in MARKS[:-1]):
        return max(MARKS[:-1], key=first.count)
    if found in first:
        return found
    below = [line for line in rest[: LOOK - 1] if line.strip("\r")]
    return next((m for m in MARKS if below and all(line.count(m) == 1 for line in below)), "\t")


def _has_decimal_commas(line: str) -> bool:
    """Whether a line such as 7;0,5;0,5 has semicolons between numbers with decimal commas."""
    decimals = len(re.findall(r"(?<=\d),(?=\d)", line))
    return 0 < line.count(",") == decimals <= line.count(";")


def _rows(source: Source, start: str, delimiter: str) -> list[list[str]]:
    """The cells of the first rows; of a file that goes on, the last row seen may be cut and is
    left out.
    """
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    try:
        rows = [row for row in islice(reader, LOOK + 1) if row]
    except csv.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    if len(source.start) >= PEEK and 1 < len(rows) <= LOOK:
        rows.pop()
    return rows or [[]]


def _refuse_twice(source: Source, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1 and name.strip()]
    if twice and any(plain(name) in KNOWN for name in names):
        raise ReadError(
            f"{source.shown} has two columns called {twice[0]!r}.", "give each column its own name."
        )


def _has_header(
    source: Source, first: Sequence[str], rows: Sequence[Sequence[str]], lacking: bool
) -> bool:
    """Whether the first line names the columns; refused where it could be either."""
    if source.header is not None:
        return source.header
    unnamed = len(first) > 1 and not first[0].strip() and any(rows)
    if (
        lacking
        or (unnamed and all(row[0].strip() for row in rows))
        or source.wanted & {*first, *(name.strip() for name in first)}
    ):
        return True
    names = [plain(name) for name in first]
    known = any(name in KNOWN or name.endswith("_id") for name in names) or bool(pairs_among(names))
    number = any(NUMBER.match(name) for name in names)
    if known and not number:
        return True
    if number and not known:
        return False
    below = [] if known else [cells for cells in rows if len(cells) == len(first)]
    for position in range(len(first)):
        if below and all(NUMBER.match(cells[position].strip()) for cells in below):
            return True
    raise ReadError(
        f"the first line of {source.shown} ({examples(first, 4)}) could name the "
        "columns or be an object.",
        f"say which, e.g. cd.read({source.shown!r}, header=True); False if it is an object.",
        "say which: --header or --no-header.",
    )
