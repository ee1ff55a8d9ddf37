"""Two tables as they are joined, and the cells that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.columns import Column, column, is_whole, numbers_of
from clusterdiff.clusterings.grouping import by_appearance, number, pair_keys, span
from clusterdiff.contingency import Alignment, HardMeet, Stack
from clusterdiff.engines.alignment import Fate
from clusterdiff.engines.protocol import Session, Table, family_of


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
    counted: bool = False
    """Whether a column `amount` says how many objects each row stands for."""
    sourced: bool = False
    """Whether a column `source` says where each object comes from."""

    @property
    def keys(self) -> str:
        """The columns that identify objects."""
        return "sample, id" if self.table.columns.sample else "id"

    def ids(self, query: str, most: int = 3) -> list[Any]:
        """The first ids that a query finds, in their order."""
        return [self.shown(row["id"]) for row in self.first(query, most)]

    def first(self, query: str, most: int = 3) -> list[dict[str, Any]]:
        """The first rows that a query finds, in the order of their ids."""
        rows = self.table.session.fetch(f"{query} ORDER BY {self.order('id')} LIMIT {most}")
        return rows.to_pylist()  # type: ignore[no-any-return]

    def order(self, id: str) -> str:
        """What ids are ordered by: by number where numbers were written as text."""
        return f"length({id}), {id}" if self.written else id

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
    """Columns t, g, n, n_truth, n_guess; s where there are samples, source where only pairs across
    sources count; id where one is not hard.
    """
    number: int
    rows: int
    """Objects on both sides, each once."""
    both: int
    only_truth: int
    only_guess: int
    null_truth: int
    null_guess: int
    odd_truth: int = 0
    """Objects whose label may mean something else than a cluster of that name."""
    odd_guess: int = 0
    taken: Session | None = None
    """Where the cells were taken to, if that is not where the tables are."""

    @property
    def session(self) -> Session:
        """Where the cells are."""
        return self.taken or self.truth.table.session

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
    def sourced(self) -> bool:
        """Whether the cells are those of sources."""
        return self.truth.sourced or self.guess.sourced

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
        found = side.table.session.fetch(query).column("s").to_pylist()
        names |= dict.fromkeys(map(str, found) if family_of(like) == "text" else found)
    return list(names)


def total(amount: str) -> str:
    """A sum as a whole number, 0 of nothing."""
    return f"CAST(coalesce(sum({amount}), 0) AS BIGINT)"


# From what an engine hands over to a meet: rows in conflict with their clusters numbered, and
# clusters that agree, one row per size.

Arrow = dict[str, Any]
"""Columns of an Arrow table; one that was used is given up, as there may be many rows."""


def meet_of(agreeing: Arrow, rows: Arrow, alignment: Alignment) -> HardMeet:
    """The meet of two partitions."""
    return HardMeet(**_columns(agreeing, rows, _index(rows)), alignment=alignment)


def stack_of(names: list[Any], agreeing: Arrow, rows: Arrow, alignment: Alignment) -> Stack:
    """The meets of samples, one after the other."""
    place, index = {name: i for i, name in enumerate(names)}, _index(rows)
    agree, differ = (_placed(column(columns["s"]), place) for columns in (agreeing, rows))
    sample = np.concatenate([agree, differ[index]])
    return Stack(names, sample, _columns(agreeing, rows, index), alignment)


def _placed(names: Column, place: dict[Any, int]) -> Ints:
    """The place of each name."""
    codes, example = by_appearance(names.keys)
    return np.array([place[name] for name in names.take(example).tolist()], np.int64)[codes]


def _index(rows: Arrow) -> Ints | slice:
    """Which row each comes from, where a row stands for several objects; else all as they are."""
    if "times" not in rows:
        return slice(None)
    times = _ints(rows.pop("times"))
    return np.repeat(np.arange(times.size), times)


def _columns(agreeing: Arrow, rows: Arrow, index: Ints | slice) -> dict[str, Any]:
    """The columns of a meet, clusters that agree in front."""
    size, count = _ints(agreeing["shared"]), _ints(agreeing["times"])
    made: dict[str, Any] = {}
    for name, own in (("both", "shared"), ("truth_size",) * 2, ("guess_size",) * 2):
        made[name] = np.concatenate([size, _ints(rows.pop(own))[index]])
    for name, status in (("truth", "a"), ("guess", "b")):
        cluster = _numbered(rows, name[0], size.size)[index]
        if status in rows:
            _settle(cluster, _ints(rows.pop(status))[index])
        made[name] = np.concatenate([np.arange(size.size), cluster])
    ones = np.ones(made["both"].size - size.size, np.int64)
    return made | {"times": np.concatenate([count, ones])}


def _numbered(rows: Arrow, label: str, first: int) -> Ints:
    """Numbers for the clusters of a side, from `first` on; those of samples differ."""
    keys = column(rows.pop(label)).keys
    if "s" in rows:
        keys = pair_keys(column(rows["s"]).keys, keys)
    low, wide = span(keys) if keys.size else (0, 0)
    if wide > max(4096, 4 * keys.size):
        keys, low = number(keys)[0], 0
    return keys + (first - low)


def _settle(cluster: Ints, status: Ints) -> None:
    """Give objects a cluster of their own, or none, where that is what is said of them."""
    own = np.flatnonzero(status == Fate.ALONE)
    cluster[own] = int(cluster.max(initial=-1)) + 1 + np.arange(own.size)
    cluster[status == Fate.MISSING] = -1


def _ints(values: Any) -> Ints:
    return np.asarray(numbers_of(values), np.int64)
