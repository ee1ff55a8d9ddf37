"""Tables as cells: what a report says, before anything draws it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from clusterdiff.measures.score_range import ScoreRange

NUMBER = re.compile(
    r"—?|<?[-+−]?[\d.,e-]+( %)?([–±\s]+[\d.,e-]+)?( \((—|[−\d.,]+(–| to )[−\d.,]+)\))?( †)?"
)

ALL = 1e-12
"""A share that lacks less than this to 1 lacks it by rounding."""


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


def percent(share: float, places: int = 1) -> str:
    """A share for display: 100 % is all of the whole and 0 % is none of it.

    >>> percent(0.62345), percent(0.0001), percent(0.0), percent(29_999 / 30_000)
    ('62.3 %', '<0.1 %', '0.0 %', '99.997 %')
    """
    if 0 < share < 0.5 / 10 ** (places + 2):
        return f"<{10**-places:g} %"
    while share < 1 - ALL and float(f"{100 * share:.{places}f}") >= 100:
        places += 1
    return f"{100 * share:.{places}f} %"


def digits(value: float | ScoreRange | None) -> str:
    """A number, or a range, formatted for display: as many digits as mean something.

    >>> digits(0.44444), digits(1.0), digits(1234567.0), digits(-1e-17)
    ('0.4444', '1.0000', '1,234,567', '0.0000')
    """
    if value is None:
        return ""
    if isinstance(value, ScoreRange):
        low, high = digits(value.low), digits(value.high)
        return low if low == high else f"{low}–{high}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.4f}"
    return text.removeprefix("-") if float(text) == 0 else text
