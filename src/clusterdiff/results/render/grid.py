"""Rows in groups whose cells wrap within their columns; on a narrow screen, a line per cell."""

from __future__ import annotations

from itertools import compress, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from clusterdiff.results.render.text import columns, pad, printable, wrap_columns, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
