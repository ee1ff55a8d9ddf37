"""One comparison at work: sides are opened where they are, met there, and all is tidied up."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from clusterdiff.backends.columns.frames import clustering_of_frame
from clusterdiff.backends.duckdb import DuckDB, DuckSession
from clusterdiff.backends.duckdb_relations import RelationSession, is_relation, table_of_relation
from clusterdiff.backends.labelled.memory import Named
from clusterdiff.backends.null_words import check_null_words
from clusterdiff.backends.table import Table, Unfit
from clusterdiff.clusterings import AnyClustering, Partition
from clusterdiff.errors import ClusterdiffError, MemoryNeeded, did_you_mean
from clusterdiff.inputs.inline import inline, is_inline
from clusterdiff.inputs.read import open_table, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.backends.labelled.protocol import Compared
    from clusterdiff.backends.spark import Spark, SparkSession
    from clusterdiff.meet import Listed, Meet, Policy, Stack

    Engine = str | DuckDB | Spark | None

ENGINES = ("arrays", "duckdb", "spark")
NAMED = 150
"""Bytes that a row takes in memory with its id and label, from reading to naming; tables with
more of them than fit are better left where they are.
"""
TOLD, HELD = 150, 50
"""The same where there is no other place: of tables that are explained, and where scores or changes
are all that is asked for.
"""


class Workshop:
    """Where the sides of a comparison are opened: each by the engine that fits it.

    Files stay files until DuckDB counts them, relations and Spark frames stay where they are, all
    else is in memory. `engine` says otherwise: "arrays" reads everything into memory, "spark" has
    Spark read the files. `whole` has files read one after the other, and kept in memory alone.
    """

    def __init__(self, engine: Engine = None, *, whole: bool = False) -> None:
        if isinstance(engine, str) and engine not in ENGINES:
            raise ClusterdiffError(
                f"unknown engine {engine!r}.",
                f"{did_you_mean(engine, ENGINES)}There are {', '.join(ENGINES)}.",
            )
        self._engine = engine
        self._whole = whole
        self._stack = ExitStack()
        self._duck: DuckSession | None = None
        self._relations: RelationSession | None = None
        self._spark: SparkSession | None = None
        self._loaded: dict[int, AnyClustering] = {}
        self._rows: dict[str, int] = {}
        """How many rows the tables have that are in memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exit: object) -> None:
        self._stack.close()

    def side(
        self, value: Any, kind: str | None, sample: str | None = None
    ) -> AnyClustering | Table | None:
        """A clustering, or a table that stays where it is; None if it is in memory already."""
        kind = kind or "partition"
        if isinstance(value, str | os.PathLike):
            return self.path(value, kind=kind, sample=sample)
        if self._engine == "arrays":
            return None
        if is_relation(value):
            return self._relation(value, kind, sample)
        if _is_spark(value):
            return self._spark_session(value.sparkSession).frame(value, kind, sample)
        return None

    def path(self, path: str | os.PathLike[str], **options: Any) -> AnyClustering | Table:
        """A file, opened by the engine that was asked for; or a clustering like 12|34."""
        if is_inline(path):
            return inline(str(path), **options)
        if self._engine == "arrays":
            return read(path, **options)
        if self._engine not in (None, "duckdb") and not isinstance(self._engine, DuckDB):
            from clusterdiff.inputs.formats.spark_tables import table_of_path

            return table_of_path(self._spark_session(), os.fspath(path), **options)
        if self._duck is None:
            how = self._engine if isinstance(self._engine, DuckDB) else DuckDB()
            self._duck = self._stack.enter_context(DuckSession(how))
        if not self._whole:
            return open_table(self._duck, path, **options)
        with self._duck.scratch():
            made = open_table(self._duck, path, **options)
            return self._load(made, HELD) if isinstance(made, Table) else made

    def meet(
        self, truth: AnyClustering | Table, guess: AnyClustering | Table, policy: Policy
    ) -> Meet | Stack | Listed | None:
        """The meet of two tables of one engine; None if memory is the place for them."""
        truth, guess = self._beside(guess, truth), self._beside(truth, guess)
        if not isinstance(truth, Table) or not isinstance(guess, Table):
            return None
        if truth.session is not guess.session:
            return None
        from clusterdiff.backends.sql.meet import meet_tables

        try:
            found = meet_tables(truth, guess, policy)
        except Unfit as unfit:
            truth.session.refuse(unfit)
            return None
        truth.session.check()
        return found

    def tables(self, sides: Sequence[AnyClustering | Table]) -> list[Table] | None:
        """Sides as tables of one engine; None if memory is the place for them."""
        made = list(sides)
        for other in sides:
            made = [self._beside(other, side) for side in made]
        found = [side for side in made if isinstance(side, Table)]
        one = len(found) == len(made) and len({id(table.session) for table in found}) == 1
        return found if one else None

    def compared(
        self,
        truth: AnyClustering | Table,
        guess: AnyClustering | Table,
        policy: Policy,
        beyond: int = 0,
    ) -> Compared | None:
        """Two partitions compared with names: in memory, or where they are if they are too large
        for it; None for other kinds. `beyond` are objects more that neither side has.
        """
        truth, guess = self._beside(guess, truth), self._beside(truth, guess)
        if isinstance(truth, Table) and isinstance(guess, Table) and self._is_far(truth, guess):
            from clusterdiff.backends.labelled.sql import Afar

            try:
                far = Afar.of(truth, guess, policy, beyond)
            except Unfit as unfit:
                truth.session.refuse(unfit)
            else:
                truth.session.check()
                return far
        self._refuse_crowd([truth, guess], TOLD)
        left, right = self.loaded(truth, TOLD), self.loaded(guess, TOLD)
        check_null_words([left], [right], policy)
        if isinstance(left, Partition) and isinstance(right, Partition):
            return Named.of(left, right, policy, beyond)
        return None

    def _is_far(self, truth: Table, guess: Table) -> bool:
        """Whether two tables of one engine are better left there."""
        if truth.session is not guess.session or {truth.says, guess.says} != {"partition"}:
            return False
        if truth.session is self._spark:
            return True
        tables = (truth.view, guess.view)
        rows = sum(truth.session.row(f"SELECT count(*) AS n FROM {t}")["n"] for t in tables)
        return bool(rows * NAMED > truth.session.memory)

    def kept_open(self) -> ExitStack:
        """What the sessions need, handed over: whoever takes it closes it."""
        return self._stack.pop_all()

    def loaded(self, side: AnyClustering | Table, each: int = HELD) -> AnyClustering:
        """A side in memory, read once; refused if rows of so many bytes do not fit."""
        if not isinstance(side, Table):
            return side
        if id(side) not in self._loaded:
            self._loaded[id(side)] = self._load(side, each)
        return self._loaded[id(side)]

    def _load(self, side: Table, each: int) -> AnyClustering:
        self._refuse_crowd([side], each)
        return side.load()

    def _refuse_crowd(self, sides: list[AnyClustering | Table], each: int) -> None:
        """Refuse tables that do not fit the memory, together with those that are there."""
        mine = [s for s in sides if isinstance(s, Table) and s.session is self._duck]
        for side in mine:
            if side.view not in self._rows:
                found = side.session.row(f"SELECT count(*) AS n FROM {side.view}")
                self._rows[side.view] = found["n"]
        rows = sum(self._rows.values())
        if self._duck is not None and rows * each > self._duck.memory:
            raise MemoryNeeded.from_objects(rows, rows * each, self._duck.memory)

    def _beside(
        self, other: AnyClustering | Table, side: AnyClustering | Table
    ) -> AnyClustering | Table:
        """A side; if the other one is in Spark and it is not, sent there."""
        here = not isinstance(side, Table) or side.session is not self._spark
        if self._spark is None or not isinstance(other, Table) or other.session is not self._spark:
            return side
        return self._spark.uploaded(self.loaded(side)) if here else side

    def _relation(self, value: Any, kind: str, sample: str | None) -> Table | None:
        if self._relations is None:
            self._relations = self._stack.enter_context(RelationSession(value))
        load = partial(clustering_of_frame, value, kind=kind, sample=sample)
        return table_of_relation(self._relations, value, load, kind=kind, sample=sample)

    def _spark_session(self, session: Any = None) -> SparkSession:
        from clusterdiff.backends.spark import Spark, SparkSession

        if self._spark is None:
            how = self._engine if isinstance(self._engine, Spark) else Spark(session)
            self._spark = self._stack.enter_context(SparkSession(how))
        return self._spark


def _is_spark(value: object) -> bool:
    return "pyspark" in sys.modules and type(value).__module__.startswith("pyspark.sql")
