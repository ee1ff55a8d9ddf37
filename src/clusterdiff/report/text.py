"""Tables as plain text that fits the terminal and survives a pipe."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.report.table import Table


def to_text(table: Table, width: int = 80, *, mark: str = " ▲") -> str:
    """Columns side by side; too wide a table is cut into blocks, one below the other."""
    drawn = [
        [cell + (mark if (i, j) in table.best else "") for j, cell in enumerate(row)]
        for i, row in enumerate(table.rows)
    ]
    cells = [list(map(printable, row)) for row in [list(table.headings), *drawn]]
    longest = max(12, width - 24)
    widths = [min(longest, max(map(columns, column))) for column in zip(*cells, strict=True)]
    cells = [[cut(c, w) for c, w in zip(row, widths, strict=True)] for row in cells]
    return "\n\n".join(
        "\n".join(_line(row, widths, [0, *block]) for row in cells)
        for block in _blocks(widths, width)
    )


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
                head = _fitting(rest, room - columns(line))
                line, rest = line + head, rest[len(head) :]
            lines.append(line.rstrip())
            line, bare = indent + more, True
    return "\n".join([*lines, line.rstrip()])


def placed(share: str, kind: str, lines: list[str], width: int) -> str:
    """A share, a kind, and lines that go on under themselves."""
    return hung(f"  {share:>7}  {kind:<7}  ", lines, width)


def hung(start: str, lines: list[str], width: int) -> str:
    """Lines behind a start, those after the first under it."""
    indent = " " * len(start)
    first, *rest = [wrapped(line, width, indent) for line in lines]
    return "\n".join([start + first[len(indent) :], *rest])


def _fitting(text: str, width: int) -> str:
    """As much of the start of a text as fits, at least one character."""
    used = 0
    for i, c in enumerate(text):
        used += columns(c)
        if used > width and i:
            return text[:i]
    return text


def wrap_columns(rows: list[tuple[str, str]], width: int, indent: str = "  ") -> str:
    """Two columns, a name and a text that goes on under itself."""
    first = max((columns(name) for name, _ in rows), default=0)
    under = " " * (len(indent) + first + 2)
    lines = []
    for name, text in rows:
        start = indent + pad(name, first) + "  "
        lines.append(start + wrapped(text, width, under)[len(under) :])
    return "\n".join(line.rstrip() for line in lines)


def printable(text: str) -> str:
    """The text without control characters, which could move the cursor or colour the screen."""
    return "".join("�" if _moves(unicodedata.category(c)) else c for c in text)


def _moves(category: str) -> bool:
    return category[0] == "C" or category in ("Zl", "Zp")


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def pad(text: str, width: int) -> str:
    """The text, filled with blanks to a width."""
    return text + " " * (width - columns(text))


def cut(text: str, width: int) -> str:
    """The text, cut in the middle with an ellipsis if it is wider."""
    if len(text) <= width and columns(text) <= width:
        return text
    if len(text) > 4 * width + 8:  # combining characters take no room, but not forever
        text = text[: 2 * width + 4] + text[-2 * width - 4 :]
    if columns(text) <= width - 1:
        return text[: len(text) // 2] + "…" + text[len(text) // 2 :]
    while columns(text) > width - 1:
        text = text[: len(text) // 2] + text[len(text) // 2 + 1 :]
    return text[: len(text) // 2] + "…" + text[len(text) // 2 :]


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


def _line(row: list[str], widths: list[int], block: list[int]) -> str:
    return "  " + "  ".join(pad(row[j], widths[j]) for j in block).rstrip()


def shown_name(name: Any) -> str:
    """A name for eyes, of a cluster or an object; None is one that there is not."""
    if name is None:
        return "(none)"
    return printable(str(name)) or "''"


def shown_ids(ids: Sequence[Any], most: int | None = 5, total: int | None = None) -> str:
    """Ids with commas between them, cut after so many; there may be more in total than given."""
    total = len(ids) if total is None else total
    shown = [cut(shown_name(i), 40) for i in (ids if most is None else ids[:most])]
    return ", ".join(shown) + (", …" if len(shown) < total else "")
