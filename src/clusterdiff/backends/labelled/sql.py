"""Two partitions compared with names in an engine: the rows in conflict are here, the objects stay
where they are, and those that somebody wants to see are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.labelled.protocol import Around, Catalogue, Compared, RowNames
from clusterdiff.backends.sql.contingency import cells_of
from clusterdiff.backends.sql.hard import hard_meet
from clusterdiff.backends.sql.join import JoinSide
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.clusterings.encode.column import Column, column, is_whole
from clusterdiff.clusterings.encode.group import by_appearance
from clusterdiff.errors import MemoryNeeded, UnknownObject
from clusterdiff.meet import HardMeet, Policy, Sketch

AT_ONCE = 500
"""Rows that one query asks for."""


class Afar(Compared):
    """A comparison of two tables of an engine in which all objects match."""

    def __init__(
        self, truth: JoinSide, guess: JoinSide, meet: HardMeet, labels: tuple[Column, Column]
    ) -> None:
        self.meet = meet
        self._truth, self._guess, self._labels = truth, guess, labels
        self._session = truth.table.session

    @classmethod
    def of(cls, truth: Table, guess: Table, policy: Policy, beyond: int = 0) -> Afar:
        """Two tables of one session; `Unfit` where only memory will do."""
        if truth.columns.sample is not None or guess.columns.sample is not None:
            raise NeedsMemory("samples")
        if truth.columns.id is None or guess.columns.id is None:
            raise NeedsMemory("objects without ids")
        if {truth.families["cluster"], guess.families["cluster"]} - {"integers", "text"}:
            raise NeedsMemory("clusters that are neither whole numbers nor text")
        if {truth.families["id"], guess.families["id"]} - {"integers", "text"}:
            raise NeedsMemory("ids that are neither whole numbers nor text")
        plan = plan_of(policy)
        cells = cells_of(truth, guess, plan)
        if not cells.plain or plan.labels or beyond:
            raise NeedsMemory("objects on one side only, or noise")
        labels: list[Column] = []
        meet = hard_meet(cells, plan, labels)
        if isinstance(meet, Sketch):
            raise MemoryNeeded.from_rows("rows in conflict", meet.need, meet.memory)
        assert isinstance(meet, HardMeet)
        return cls(cells.truth, cells.guess, meet, (labels[0], labels[1]))

    @property
    def agreeing(self) -> int:
        """How many rows of the meet are clusters that agree."""
        return self.meet.both.size - len(self._labels[0])

    def described(self, rows: Ints, ids: int | None) -> list[RowNames]:
        """These rows in conflict with names, and up to so many objects of each."""
        names = [labels.take(rows).tolist() for labels in self._labels]
        found: list[list[Any]] = [[] for _ in rows]
        if ids != 0:
            for k, one in self._objects(names[0], names[1], ids):
                found[k].append(one)
        told = map(self._shown, names)
        return [RowNames(t, g, own) for t, g, own in zip(*told, found, strict=True)]

    def _objects(
        self, truth: list[Any], guess: list[Any], most: int | None
    ) -> list[tuple[int, Any]]:
        """The objects in both of each pair of clusters: the number of the pair, and the id."""
        found: list[tuple[int, Any]] = []
        first = "" if most is None else f" WHERE r <= {most}"
        pairs = list(enumerate(zip(truth, guess, strict=True)))
        for begin in range(0, len(pairs), AT_ONCE):
            wanted = ", ".join(
                f"({k}, {self._value(t)}, {self._value(g)})"
                for k, (t, g) in pairs[begin : begin + AT_ONCE]
            )
            table = self._session.fetch(
                f"SELECT k, id FROM (SELECT w.k AS k, t.id AS id, row_number() OVER "
                f"(PARTITION BY w.k ORDER BY {self._order('t.id')}) AS r "
                f"FROM (VALUES {wanted}) AS w(k, t, g) "
                f"JOIN {self._truth.view} t ON t.cluster = w.t "
                f"JOIN {self._guess.view} g ON g.id = t.id AND g.cluster = w.g) x{first} "
                "ORDER BY k, r",
                "looking up objects",
            )
            keys = table.column("k").to_pylist()
            found += zip(keys, self._shown(table.column("id").to_pylist()), strict=True)
        return found

    def around(self, wanted: Any, sample: Any = None) -> Around:
        """The object of this id, and the others in its clusters."""
        if sample is not None:
            raise UnknownObject("there are no samples here.", "leave the sample out.")
        both = f"FROM {self._truth.view} t JOIN {self._guess.view} g ON g.id = t.id WHERE"
        fitting = self._fitting(wanted)
        query = f"SELECT t.id AS id, t.cluster AS t, g.cluster AS g {both} t.id = {fitting}"
        found = [] if fitting is None else self._session.fetch(query).to_pylist()
        if not found:
            raise UnknownObject.from_id(wanted, False, 0)
        own, truth, guess = found[0].values()
        same = f"t.cluster = {self._value(truth)}", f"g.cluster = {self._value(guess)}"
        others = f"t.id <> {fitting} ORDER BY {self._order('t.id')}"

        def ids(which: str) -> list[Any]:
            table = self._session.fetch(f"SELECT t.id AS id {both} {which} AND {others}")
            return self._shown(table.column("id").to_pylist())

        shown = self._shown([own, truth, guess])
        return Around(
            shown[0],
            shown[1],
            shown[2],
            (True, True),
            ids(f"{same[0]} AND {same[1]}"),
            ids(f"{same[0]} AND NOT {same[1]}"),
            ids(f"NOT {same[0]} AND {same[1]}"),
        )

    def catalogue(self, rows: Ints | None) -> Catalogue:
        """The objects of these rows in conflict, or all objects."""
        if rows is None:
            table = self._session.fetch(
                f"SELECT t.id AS id, t.cluster AS t, g.cluster AS g FROM {self._truth.view} t "
                f"JOIN {self._guess.view} g ON g.id = t.id ORDER BY {self._order('t.id')}"
            )
            ids = self._shown(table.column("id").to_pylist())
            sides = [column(table.column(side)) for side in "tg"]
        else:
            names = [labels.take(rows).tolist() for labels in self._labels]
            objects = self._objects(names[0], names[1], None)
            ids = [one for _, one in objects]
            at = rows[np.array([k for k, _ in objects], np.int64)]
            sides = [labels.take(at) for labels in self._labels]
        numbered = [by_appearance(side.keys) for side in sides]
        named = [
            side.take(first).tolist() for side, (_, first) in zip(sides, numbered, strict=True)
        ]
        return Catalogue(ids, numbered[0][0].tolist(), numbered[1][0].tolist(), named[0], named[1])

    def _value(self, value: Any) -> str:
        """A label or an id in SQL."""
        return self._session.text(value) if isinstance(value, str) else str(int(value))

    def _fitting(self, wanted: Any) -> str | None:
        """An id that somebody asks for, as the table has its ids; None if it has none like it."""
        text = self._truth.as_text or self._truth.table.families["id"] == "text"
        if text and (isinstance(wanted, str) or self._truth.written):
            return self._value(str(wanted))
        whole = isinstance(wanted, int | np.integer) or is_whole(wanted)
        return self._value(int(wanted)) if whole and not text else None

    def _order(self, id: str) -> str:
        """By number where ids are numbers that were written as text."""
        return f"length({id}), {id}" if self._truth.written else id

    def _shown(self, values: list[Any]) -> list[Any]:
        """Ids or labels; numbers that were written as text are numbers."""
        return [self._truth.shown(one) for one in values]
