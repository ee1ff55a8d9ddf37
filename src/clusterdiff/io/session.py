"""One comparison at work: sides are opened where they are, met there, and all is tidied up."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any, Self

from clusterdiff.clusterings import AnyClustering, Clustering, Partition
from clusterdiff.clusterings.base import LinkedOrigin
from clusterdiff.contingency import Alignment, Listed, Meet, Policy, Stack
from clusterdiff.engines.alignment import Unpaired
from clusterdiff.engines.counts import counted
from clusterdiff.engines.images import ImageComparison, are_images
from clusterdiff.engines.label_checks import check_labels, read_notes
from clusterdiff.engines.named import MemoryNamedComparison, NamedComparison
from clusterdiff.engines.protocol import (
    BACKENDS,
    Backend,
    NeedsMemory,
    Session,
    Table,
    backend_for,
    count_rows,
)
from clusterdiff.errors import AlignmentError, MemoryNeeded
from clusterdiff.io.read import inline, is_inline, read_path

NAMED = 150
"""Bytes that a row takes in memory with its id and label, from reading to naming; tables with
more of them than fit are better left where they are.
"""
TOLD, HELD, SWEPT = 150, 85, 300
"""The same where there is no other place: of tables that are explained, where scores or changes
are all that is asked for, and of objects whose pairs are swept. Measured as the peak of a process
with texts as ids, less what an empty one takes.
"""


@contextmanager
def told_of_pairs(*sides: AnyClustering | Table) -> Iterator[None]:
    """Where objects are on one side only, what to know of a side that pairs make."""
    try:
        yield
    except AlignmentError as error:
        if error.one_sided and any(isinstance(side.origin, LinkedOrigin) for side in sides):
            raise error.of_pairs() from None
        raise


def with_notes(
    alignment: Alignment,
    truth: AnyClustering | Table,
    guess: AnyClustering | Table,
    more: tuple[tuple[str, str], ...] = (),
) -> Alignment:
    """The same with what there is to know of how the sides were read."""
    ways = [one.reading if isinstance(one, Clustering) else "" for one in (truth, guess)]
    way = ways[0] if ways[0] == ways[1] else " x ".join(one or "as it is" for one in ways)
    read = read_notes({"truth": truth, "guess": guess})
    read += (("truth", f"read as {way}"),) if way else ()
    return replace(
        alignment,
        notes=(*read, *more, *alignment.notes),
        read=way,
        count=truth.counted or guess.counted,
    )


def is_counted(side: AnyClustering | Table) -> bool:
    """Whether a side says how many objects each of its rows stands for."""
    return bool(side.counted) if isinstance(side, Table) else side.counts is not None


def _are_few(far: Sequence[Table]) -> bool:
    """Whether tables that stay elsewhere are so small that they are quicker in memory."""
    return not far or max(count_rows(far)) <= far[0].session.few


class EngineSessions:
    """Where the sides of a comparison are opened: each by the engine that fits it.

    Files stay files until DuckDB counts them, relations and Spark frames stay where they are, all
    else is in memory. `engine` says otherwise: "arrays" reads everything into memory, another
    backend reads the files itself. `whole` has files read one after the other, and kept in memory
    alone; each of their rows will take `each` bytes there.
    """

    def __init__(self, engine: Any = None, *, whole: bool = False, each: int = HELD) -> None:
        self._backend, self._settings = backend_for(engine)
        self._whole, self._each = whole, each
        self._stack = ExitStack()
        self._sessions: dict[str, Session] = {}
        self._loaded: dict[Table, AnyClustering] = {}
        self._images: dict[tuple[int, int, str], ImageComparison] = {}
        self._counted: list[AnyClustering | Table] = []
        """Sides whose objects have the same counts on all of them."""
        self._rows: dict[str, int] = {}
        """How many rows the tables have that are in memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exit: object) -> None:
        self._stack.close()

    def side(
        self,
        value: Any,
        kind: str | None,
        sample: str | None = None,
        count: str | None = None,
    ) -> AnyClustering | Table | None:
        """A clustering, or a table that stays where it is; None if it is in memory already."""
        kind = kind or "partition"
        if isinstance(value, str | os.PathLike):
            named = {} if count is None else {"count": count}
            return self.path(value, kind=kind, sample=sample, **named)
        if self._backend is None:
            return None
        for backend in BACKENDS.values():
            if backend.holds(value):
                session = self._session(backend, value)
                if count is None:
                    return backend.table(session, value, kind, sample)
                return backend.table(session, value, kind, sample, count)
        return None

    def path(self, path: str | os.PathLike[str], **options: Any) -> AnyClustering | Table:
        """A file, opened by the engine that was asked for; or a clustering like 12|34."""
        if is_inline(path):
            return inline(str(path), **options)
        if self._backend is None:
            return read_path(path, **options)
        session = self._session(self._backend)
        if not self._whole or session.remote:
            return self._backend.file(session, path, **options)
        with session.scratch():
            made = self._backend.file(session, path, **options)
            return self._load(made, self._each) if isinstance(made, Table) else made

    def meet(
        self, truth: AnyClustering | Table, guess: AnyClustering | Table, policy: Policy
    ) -> Meet | Stack | Listed | None:
        """The meet of two tables of one engine; None if memory is the place for them."""
        truth, guess = self.placed([truth, guess])
        if not isinstance(truth, Table) or not isinstance(guess, Table):
            return None
        if truth.session is not guess.session:
            return None
        from clusterdiff.engines.sql import meet_tables

        try:
            found = meet_tables(truth, guess, policy)
        except NeedsMemory as unfit:
            self.refuse(unfit, truth, guess)
            if truth.sources or guess.sources:
                raise  # sources are numbered together with those of all sides
            return None
        truth.session.check()
        return found

    def tables(self, sides: Sequence[AnyClustering | Table]) -> list[Table] | None:
        """Sides as tables of one engine; None if memory is the place for them."""
        if any(isinstance(side, Table) and side.counted for side in self._counted):
            return None
        made = self.placed(sides)
        found = [side for side in made if isinstance(side, Table)]
        one = len(found) == len(made) and len({id(table.session) for table in found}) == 1
        return found if one else None

    def with_sources(self, sides: Sequence[AnyClustering | Table]) -> list[Table] | None:
        """Sides whose column of samples says which source each object comes from, where they can be
        counted by source: partitions with ids, as tables of one engine.
        """
        tables = [side for side in sides if isinstance(side, Table)]
        one = len(tables) == len(sides) and len({id(table.session) for table in tables}) == 1
        whole = all(t.says == "partition" and t.columns.id is not None for t in tables)
        if not one or not whole or not any(t.columns.sample for t in tables):
            return None
        if tables[0].session.remote and _are_few(tables):
            return None
        made = [table.with_sources if table.columns.sample else table for table in tables]
        if self._counted:
            self._counted = [*made]
        return made

    def compared(
        self,
        truth: AnyClustering | Table,
        guess: AnyClustering | Table,
        policy: Policy,
        beyond: int = 0,
    ) -> NamedComparison | None:
        """Two partitions compared with names: in memory, or where they are if they are too large
        for it; None for other kinds. `beyond` are objects more that neither side has.
        """
        truth, guess = self.placed([truth, guess])
        if isinstance(truth, Table) and isinstance(guess, Table) and self._is_far(truth, guess):
            from clusterdiff.engines.named import SqlNamedComparison

            try:
                far = SqlNamedComparison.of(truth, guess, policy, beyond)
            except NeedsMemory as unfit:
                self.refuse(unfit, truth, guess)
            else:
                truth.session.check()
                return far.aligned(with_notes(far.meet.alignment, truth, guess))
        self._check_crowd([truth, guess], TOLD)
        left, right = self.loaded(truth, TOLD), self.loaded(guess, TOLD)
        if are_images(left, right):
            return self.images(left, right, policy)
        notes = check_labels([left], [right], policy)
        Unpaired.of(left, right).refuse(policy)
        if isinstance(left, Partition) and isinstance(right, Partition):
            with told_of_pairs(left, right):
                named = MemoryNamedComparison.of(left, right, policy, beyond)
            return named.aligned(with_notes(named.meet.alignment, left, right, notes))
        return None

    def images(self, truth: AnyClustering, guess: AnyClustering, policy: Policy) -> ImageComparison:
        """Two label images compared, which are read once."""
        key = id(truth), id(guess), repr(policy)
        if key not in self._images:
            self._images[key] = ImageComparison.of(truth, guess, policy)
        return self._images[key]

    def _is_far(self, truth: Table, guess: Table) -> bool:
        """Whether two tables of one engine are better left there."""
        if truth.session is not guess.session or {truth.says, guess.says} != {"partition"}:
            return False
        return self.is_far([truth, guess])

    def is_far(self, tables: Sequence[Table]) -> bool:
        """Whether tables of one engine are too large for memory, or stay there anyway."""
        session = tables[0].session
        if session.remote:
            return True
        rows = sum(session.row(f"SELECT count(*) AS n FROM {t.view}")["n"] for t in tables)
        return bool(rows * NAMED > session.memory)

    def kept_open(self) -> ExitStack:
        """What the sessions need, handed over: whoever takes it closes it."""
        return self._stack.pop_all()

    def loaded(self, side: AnyClustering | Table, each: int = HELD) -> AnyClustering:
        """A side in memory, read once; refused if rows of so many bytes do not fit."""
        if not isinstance(side, Table):
            return side
        if side not in self._loaded and side in self._counted:
            whole = [self._load(s, each) if isinstance(s, Table) else s for s in self._counted]
            for own, made in zip(self._counted, counted(whole), strict=True):
                if isinstance(own, Table):
                    self._loaded[own] = made
        if side not in self._loaded:
            self._loaded[side] = self._load(side, each)
        return self._loaded[side]

    def count_together(self, sides: Sequence[AnyClustering | Table]) -> list[AnyClustering | Table]:
        """Sides some of which say how many objects each row stands for: truth and guesses that are
        tables of one engine are counted there, all others in memory.
        """
        self._counted = list(sides)
        one = {id(side.session) for side in sides if isinstance(side, Table)}
        there = all(isinstance(side, Table) for side in sides) and len(one) == 1
        if there and (len(sides) == 2 or (len(sides) > 2 and is_counted(sides[0]))):
            return list(sides)
        whole = [self._load(s, HELD) if isinstance(s, Table) else s for s in sides]
        return [*counted(whole)]

    def _load(self, side: Table, each: int) -> AnyClustering:
        self._check_crowd([side], each)
        made = side.load()
        made.source = side.source
        return made

    @property
    def memory(self) -> int | None:
        """Bytes that the engine may take, where one has read anything."""
        own = None if self._backend is None else self._sessions.get(self._backend.name)
        return None if own is None else own.memory

    def _check_crowd(self, sides: list[AnyClustering | Table], each: int) -> None:
        """Refuse tables that do not fit the memory, together with those that are there."""
        own = None if self._backend is None else self._sessions.get(self._backend.name)
        limits = []
        for side in sides:
            if isinstance(side, Table) and (side.session is own or side.session.remote):
                self._rows[side.view] = side.rows
                limits.append(side.session)
        rows = sum(self._rows.values())
        for session in limits:
            if rows * each > session.memory:
                raise MemoryNeeded.from_objects(rows, rows * each, session.memory, session.remote)

    def placed(self, sides: Sequence[AnyClustering | Table]) -> list[AnyClustering | Table]:
        """Sides where they are compared: where tables stay, what is in memory is sent beside them;
        if all of these are small, they are taken into memory, which is faster.
        """
        far = [side for side in sides if isinstance(side, Table) and side.session.remote]
        if _are_few(far):
            return [self.loaded(side) if side in far else side for side in sides]
        with suppress(NeedsMemory):
            return [self._sent(far[-1].session, side) for side in sides]
        return list(sides)

    def _sent(self, there: Session, side: AnyClustering | Table) -> Table:
        if isinstance(side, Table) and side.session is there:
            return side
        return there.uploaded(self.loaded(side))

    def refuse(self, unfit: NeedsMemory, *sides: AnyClustering | Table) -> None:
        """Say that only memory can do this, where tables that stay elsewhere do not fit it."""
        far = [side for side in sides if isinstance(side, Table) and side.session.remote]
        if far and sum(table.rows for table in far) * HELD > far[0].session.memory:
            far[0].session.refuse(unfit)

    def _session(self, backend: Backend, value: Any = None) -> Session:
        if backend.name not in self._sessions:
            settings = self._settings if backend is self._backend else None
            session = self._stack.enter_context(backend.session(settings, value))
            self._sessions[backend.name] = session
        return self._sessions[backend.name]
