"""Tables as plain text that fits the terminal and survives a pipe."""

from __future__ import annotations

import os
import unicodedata
from itertools import compress, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.errors import printable as printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clusterdiff.output.table import CellTable

MARKS = ("::", "/", "\\", "_", "-", ".", " ")
"""Where names may be taken apart, best first."""


def to_text(table: CellTable, width: int = 80, *, mark: str = " ▲") -> str:
    """Columns side by side; too wide a table is cut into blocks, one below the other."""
    lines = styled_lines(table, width, mark)
    return "\n".join("".join(cell for cell, _ in line).rstrip() for line in lines)


Styled = list[tuple[str, str]]
"""The cells of a line, each with what it is: "heading", "best", or nothing of these."""


def styled_lines(table: CellTable, width: int = 80, mark: str = " ▲") -> Iterator[Styled]:
    """The lines of the table, an empty one between blocks."""
    cells = [list(map(printable, table.headings)), *table.marked(printable, "", mark)]
    longest = longest_cell(width)
    widths = [min(longest, max(map(columns, column))) for column in zip(*cells, strict=True)]
    for number, block in enumerate(_blocks(widths, width)):
        if number:
            yield []
        for i, row in enumerate(cells):
            yield [
                ("  " + pad(cut(row[j], widths[j]), widths[j]), _style(table, i - 1, j))
                for j in (0, *block)
            ]


def _style(table: CellTable, row: int, column: int) -> str:
    return "heading" if row < 0 else "best" if (row, column) in table.best else ""


def longest_cell(width: int) -> int:
    """What a cell may take of a table of this width; longer ones are cut."""
    return max(12, width - 24)


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Names without the words that all of them begin with, no two alike, for cells that wide.

    >>> short_names(["runs.csv::run_old", "runs.csv::run_new"], 20)
    ['…::run_old', '…::run_new']
    """
    shared = os.path.commonprefix(names)  # noqa: RUF071, letter by letter
    ends = [shared.rfind(mark) for mark in MARKS] if len(names) > 1 else []
    begin = next((end for end in ends if end > 1), 0)
    short = [f"…{name[begin:]}" if begin else name for name in names]
    shown = [cut(printable(name), width) for name in short]
    if len(set(shown)) == len(shown):
        return short
    numbers = [f" ({k})" for k in range(1, len(names) + 1)]
    return [cut(name, width - len(k)) + k for name, k in zip(shown, numbers, strict=True)]


def wrapped(text: str, width: int, indent: str = "", more: str = "") -> str:
    """The text in lines that fit, all behind an indent, those after the first behind one more;
    words that are too long are cut up.
    """
    lines = []
    line, room = indent, max(width, len(indent) + len(more) + 8)
    bare = True
    for word in text.split(" "):
        rest = word
        while True:
            glue = "" if bare else " "
            if columns(line + glue + rest) <= room:
                line, bare = line + glue + rest, False
                break
            if bare:
                head = _fitting_start(rest, room - columns(line)) or rest[:1]
                line, rest = line + head, rest[len(head) :]
            lines.append(line.rstrip())
            line, bare = indent + more, True
    return "\n".join([*lines, line.rstrip()])


def hung(start: str, lines: list[str], width: int) -> str:
    """Lines behind a start, those after the first under it."""
    indent = " " * len(start)
    first, *rest = [wrapped(line, width, indent) for line in lines]
    return "\n".join([start + first[len(indent) :], *rest])


def wrap_columns(rows: list[tuple[str, str]], width: int, indent: str = "  ") -> str:
    """Two columns, a name and a text that goes on under itself."""
    first = max((columns(name) for name, _ in rows), default=0)
    under = " " * (len(indent) + first + 2)
    lines = []
    for name, text in rows:
        start = indent + pad(name, first) + "  "
        lines.append(start + wrapped(text, width, under)[len(under) :])
    return "\n".join(line.rstrip() for line in lines)


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def pad(text: str, width: int) -> str:
    """The text, filled with blanks to a width."""
    return text + " " * (width - columns(text))


def cut(text: str, width: int) -> str:
    """The text, with an ellipsis in place of its middle if it is wider.

    >>> cut("abcdefghij", 6)
    'abc…ij'
    """
    most = 4 * width + 8  # marks above a letter take no room, but not forever
    if len(text) <= most and columns(text) <= width:
        return text
    room = width - 1
    if room < 0:
        return ""
    end = _fitting_end(text[-most // 2 :], room // 2)
    rest = text[: min(most // 2, len(text) - len(end))]
    return _fitting_start(rest, room - columns(end)) + "…" + end


def _fitting_start(text: str, width: int) -> str:
    """As much of the start of a text as fits."""
    used = 0
    for i, c in enumerate(text):
        used += columns(c)
        if used > width:
            return text[:i]
    return text


def _fitting_end(text: str, width: int) -> str:
    """As much of the end of a text as fits, from a letter on that has its marks."""
    end = _fitting_start(text[::-1], width)[::-1]
    while end and unicodedata.combining(end[0]):
        end = end[1:]
    return end


def _blocks(widths: list[int], width: int) -> list[list[int]]:
    """Which columns stand in which block; the first column stands in all."""
    blocks: list[list[int]] = [[]]
    used = 2 + widths[0]
    for j in range(1, len(widths)):
        need = 2 + widths[j]
        if blocks[-1] and used + need > width:
            blocks.append([])
            used = 2 + widths[0]
        blocks[-1].append(j)
        used += need
    return blocks


def shown_name(name: Any) -> str:
    """The name of a cluster or an object, formatted for display; None means missing."""
    if name is None:
        return "(none)"
    return printable(str(name)) or "''"


def shown_ids(ids: Sequence[Any], most: int | None = 5, total: int | None = None) -> str:
    """Ids with commas between them, cut after so many; there may be more in total than given, but
    not where fewer are given than may be shown: these stand for several objects each.
    """
    total = len(ids) if total is None else total
    shown = [cut(shown_name(i), 40) for i in (ids if most is None else ids[:most])]
    more = len(shown) < total and (most is None or len(ids) >= most)
    return ", ".join(shown) + (", …" if more else "")


# Rows in groups whose cells wrap within their columns; on a narrow screen, a line per cell.

NARROW = 72
"""Below so many columns, cells stand below each other."""

LEAST = 8
"""No column becomes narrower than this for the sake of another."""


class Row(NamedTuple):
    """A name, further cells, and the notes below them."""

    cells: tuple[str, ...]
    below: tuple[str, ...] = ()


def to_grid(headings: Sequence[str], groups: Mapping[str, Sequence[Row]], width: int) -> str:
    """Groups of rows below their titles; the first heading stands for the name of a row, and a
    column without a cell is left out.
    """
    if width < NARROW:
        return "\n\n".join(_cards(headings, title, rows, width) for title, rows in groups.items())
    every = [row.cells for rows in groups.values() for row in rows]
    used = [any(column) for column in zip(*every, strict=True)]
    listed = [tuple(compress(cells, used)) for cells in (headings, *every)]
    widths = _fitting(listed, width - 2)
    blocks = [_line(listed[0], widths)]
    for title, rows in groups.items():
        lines = [
            _line(list(compress(row.cells, used)), widths) + _below(row, width) for row in rows
        ]
        blocks.append("\n".join([wrapped(printable(title), width), *lines]))
    return "\n\n".join(blocks)


def _line(cells: Sequence[str], widths: list[int]) -> str:
    """A row of cells, which goes on below itself where one of them wraps."""
    columns_of_lines = [
        wrapped(printable(cell), room).split("\n") for cell, room in zip(cells, widths, strict=True)
    ]
    return "\n".join(
        "  " + "  ".join(map(pad, line, widths)).rstrip()
        for line in zip_longest(*columns_of_lines, fillvalue="")
    )


def _fitting(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The widths of the columns: what they need; where there is no room, those are narrowed that
    make the fewest lines more.
    """
    needed = [[columns(cell) for cell in row] for row in rows]
    widths = [max(LEAST, *column) for column in zip(*needed, strict=True)]

    def lines(narrowed: int) -> tuple[int, int]:
        room = [w - (j == narrowed) for j, w in enumerate(widths)]
        high = sum(max(-(-n // w) for n, w in zip(row, room, strict=True)) for row in needed)
        return high, -widths[narrowed]

    while sum(widths) + 2 * (len(widths) - 1) > width:
        widths[min((j for j, w in enumerate(widths) if w > LEAST), key=lines)] -= 1
    return widths


def _cards(headings: Sequence[str], title: str, rows: Sequence[Row], width: int) -> str:
    """The same, a line for each cell that is not empty."""
    lines = [wrapped(printable(title), width)]
    for row in rows:
        name, *rest = map(printable, row.cells)
        lines.append(wrapped(name, width, "  "))
        named = [(h, cell) for h, cell in zip(headings[1:], rest, strict=True) if cell]
        lines.append(wrap_columns(named, width, "    ") + _below(row, width))
    return "\n".join(lines)


def _below(row: Row, width: int) -> str:
    return "".join("\n" + wrapped(printable(text), width, "    ") for text in row.below)
