"""Tables of counts that are no comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from clusterdiff.errors.base import ClusterdiffError, examples

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    def from_entries(cls, column: str, count: int, total: int, shown: Sequence[Any]) -> Self:
        """Numbers of clusters or objects that are not whole."""
        return cls(
            f"{count:,} of {total:,} entries of {column} are not whole numbers "
            f"({examples(shown)}).",
            "number the clusters 0, 1, … and count whole objects.",
        )

    @classmethod
    def from_shape(cls, column: str) -> Self:
        """A column that is a matrix, or ragged."""
        return cls(
            f"{column} is not a list of whole numbers.",
            "give one entry for each row, e.g. HardMeet.from_rows([0, 0], [0, 1], [2, 1]).",
        )

    @classmethod
    def from_empty_rows(cls) -> Self:
        """Rows that stand for no object."""
        return cls("a row of a meet has at least one object.", "leave the empty cells out.")

    @classmethod
    def from_numbers(cls) -> Self:
        """Clusters with numbers below -1."""
        return cls(
            "clusters of a meet are numbered from 0 on.", "use -1 for missing, nothing below."
        )

    @classmethod
    def from_nowhere(cls, rows: int) -> Self:
        """Objects that are missing on both sides."""
        return cls(
            f"rows that are missing in truth and in guess: {rows:,}.",
            "leave out objects that neither side has.",
        )

    @classmethod
    def from_cells(cls, count: int, shown: Sequence[tuple[Any, Any]]) -> Self:
        """Cells of the table that several rows speak of."""
        told = ", ".join(f"truth {t}, guess {g}" for t, g in shown)
        return cls(
            f"cells of the table with more than one row: {count:,} ({told}).",
            "add up the objects of such rows: a meet has one row for each cell.",
        )

    @classmethod
    def from_repeats(cls) -> Self:
        """Rows in conflict that stand for several."""
        return cls(
            "only rows of clusters that agree exactly can stand for several.",
            "leave times=1 where a cluster has other rows too.",
        )

    @classmethod
    def from_total(cls, objects: int) -> Self:
        """More objects than are counted exactly."""
        return cls(
            f"the rows have {objects:.3g} objects together; fewer than {2**53:,} can be counted.",
            "compare a part of them at a time.",
        )

    @classmethod
    def from_missing(cls, policy: str) -> Self:
        """Missing objects under a policy that has none."""
        return cls(
            f"some clusters are -1 (missing), which align={policy!r} does not have.",
            'leave the alignment out, or give Alignment("penalise").',
        )

    @classmethod
    def from_sets(cls, side: str, most: int, shown: Sequence[Any]) -> Self:
        """Numbers of sets that do not exist."""
        return cls(
            f"{side} has rows with sets {examples(shown)}, but its sets are numbered 0 to {most}.",
            "use -1 for missing, nothing below.",
        )

    @classmethod
    def from_widths(cls, widths: Sequence[int]) -> Self:
        """Features of different numbers of columns."""
        return cls(
            f"meets with {' and '.join(map(str, widths))} features cannot be added.",
            "give all objects the same features.",
        )

    @classmethod
    def from_kinds(cls, kinds: Sequence[str]) -> Self:
        """Overlapping and uncertain clusterings in one sum."""
        return cls(
            f"{' and '.join(kinds)} cannot be added: no measure takes both.",
            "add meets of one kind; those of partitions go with each.",
        )
