"""Two tables as they are joined, and the cells that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from clusterdiff.backends.sql.session import Session
from clusterdiff.backends.table import Table, family_of
from clusterdiff.clusterings.encode.column import is_whole


class JoinSide(NamedTuple):
    """One of the two tables as it is joined: a row per object, or so it seems at first."""

    name: str
    table: Table
    view: str
    """Columns id and cluster, perhaps sample; the cluster is the object's whole profile."""
    rows: int
    repeats: int = 0
    as_text: bool = False
    """Whether ids are compared as text, whatever they are."""
    single: bool = False
    """Whether it is sure that each object has one row."""

    @property
    def keys(self) -> str:
        """The columns that identify objects."""
        return "sample, id" if self.table.columns.sample else "id"

    def ids(self, query: str, most: int = 3) -> list[Any]:
        """The first ids that a query finds, in their order."""
        return [self.shown(row["id"]) for row in self.first(query, most)]

    def first(self, query: str, most: int = 3) -> list[dict[str, Any]]:
        """The first rows that a query finds, in the order of their ids."""
        order = "length(id), id" if self.written else "id"
        found: list[dict[str, Any]] = self.table.session.fetch(
            f"{query} ORDER BY {order} LIMIT {most}"
        ).to_pylist()
        return found

    @property
    def written(self) -> bool:
        """Whether ids are text in which numbers may be written."""
        return self.table.written or self.as_text

    def shown(self, value: Any) -> Any:
        """A value for messages: numbers that were written as text as numbers."""
        return int(value) if self.written and is_whole(value) else value


@dataclass(frozen=True)
class JoinedCells:
    """The cells of two sides, and what they add up to."""

    truth: JoinSide
    guess: JoinSide
    name: str
    """Columns t, g, n, n_truth, n_guess; s where there are samples; id where one is not hard."""
    number: int
    both: int
    only_truth: int
    only_guess: int
    null_truth: int
    null_guess: int
    odd_truth: int = 0
    """Objects whose label may mean something else than a cluster of that name."""
    odd_guess: int = 0

    @property
    def session(self) -> Session:
        """Where the cells are."""
        return self.truth.table.session

    @property
    def is_hard(self) -> bool:
        """Whether both sides are partitions."""
        return self.truth.table.says == self.guess.table.says == "partition"

    @property
    def is_soft(self) -> bool:
        """Whether one side is uncertain."""
        return not {self.truth.table.says, self.guess.table.says} <= {"partition", "cover"}

    @property
    def sampled(self) -> bool:
        """Whether the cells are those of samples side by side."""
        return self.truth.table.columns.sample is not None

    @property
    def repeats(self) -> int:
        """Rows that said the same of the same object again; of covers that are compared with
        uncertain clusterings none are counted.
        """
        sides = (self.truth, self.guess)
        return sum(s.repeats for s in sides if not (self.is_soft and s.table.says == "cover"))

    @property
    def plain(self) -> bool:
        """Whether all objects are on both sides, with a label."""
        return not (self.only_truth or self.only_guess or self.null_truth or self.null_guess)


def sample_order(cells: JoinedCells, like: Any) -> list[Any]:
    """The samples as truth names them, then those of guess alone; by name where tables have no
    order. `like` is the Arrow type that they have in the cells.
    """
    names: dict[Any, None] = {}
    for side in (cells.truth, cells.guess):
        order = "min(place)" if "place" in side.table.families else "sample"
        query = f"SELECT sample AS s FROM {side.table.view} GROUP BY sample ORDER BY {order}"
        found = cells.session.fetch(query).column("s").to_pylist()
        names |= dict.fromkeys(map(str, found) if family_of(like) == "text" else found)
    return list(names)


def written_whole(value: str) -> str:
    """Whether a text is a whole number as numbers are written: 7 is one, 07 and +7 are not."""
    return f"CAST(TRY_CAST({value} AS BIGINT) AS STRING) = {value}"


def total(amount: str) -> str:
    """A sum as a whole number, 0 of nothing."""
    return f"CAST(coalesce(sum({amount}), 0) AS BIGINT)"
