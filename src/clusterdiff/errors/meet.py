"""Tables of counts that are no comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from clusterdiff.errors.base import ClusterdiffError


class MeetError(ClusterdiffError):
    """A meet cannot be made of these rows, or not of these meets."""

    @classmethod
    def from_lengths(cls, lengths: dict[str, int]) -> Self:
        """Columns of different lengths."""
        told = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        return cls(
            f"the columns of a meet have one entry for each row, but {told}.",
            "give a truth cluster, a guess cluster and a number of objects for each row.",
        )

    @classmethod
    def from_shape(cls, column: str) -> Self:
        """A column that is a matrix, or ragged."""
        return cls(
            f"{column} is not a list of whole numbers.",
            "give one entry for each row, e.g. HardMeet.from_rows([0, 0], [0, 1], [2, 1]).",
        )

    @classmethod
    def from_cells(cls, count: int, shown: Sequence[tuple[Any, Any]]) -> Self:
        """Cells of the table that several rows speak of."""
        told = ", ".join(f"truth {t}, guess {g}" for t, g in shown)
        return cls(
            f"cells of the table with more than one row: {count:,} ({told}).",
            "add up the objects of such rows: a meet has one row for each cell.",
        )
