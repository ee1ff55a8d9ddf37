"""Tables as cells: what a report says, before anything draws it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

NUMBER = re.compile(
    r"—?|<?[-+−]?[\d.,e-]+( %)?([–±\s]+[\d.,e-]+)?( \((—|[−\d.,]+(–| to )[−\d.,]+)\))?( †)?"
)


@dataclass(frozen=True)
class CellTable:
    """Headings, rows of cells, and which cells are the best of their row."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The columns after the first that hold nothing but numbers, shares and intervals."""
        rest = range(1, len(self.headings))
        return frozenset(j for j in rest if all(NUMBER.fullmatch(row[j]) for row in self.rows))

    def marked(self, written: Callable[[str], str], before: str, after: str) -> list[list[str]]:
        """The cells as they are written in a format, the best of each row between marks."""
        return [
            [
                f"{before}{written(cell)}{after}" if (i, j) in self.best else written(cell)
                for j, cell in enumerate(row)
            ]
            for i, row in enumerate(self.rows)
        ]


def digits(value: float | None) -> str:
    """A number for eyes: as many digits as mean something.

    >>> digits(0.44444), digits(1.0), digits(1234567.0), digits(-1e-17)
    ('0.4444', '1.0000', '1,234,567', '0.0000')
    """
    if value is None:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.4f}"
    return text.removeprefix("-") if float(text) == 0 else text
