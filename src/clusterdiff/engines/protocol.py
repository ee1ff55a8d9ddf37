"""What a backend is: a place where tables are joined on the id and counted; and which there are.

A backend that answers SQL is a `Session` (`backends/sql/session.py`) for what it writes in its own
way, and a `Backend` that says what it is called, which values are tables of it, and how it reads a
file. Other packages offer theirs under the entry points `clusterdiff.backends`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import isabstract
from secrets import token_hex
from typing import Any, ClassVar, Self

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.clusterings.base import Origin
from clusterdiff.engines.columns import GRADED, Columns, made_of_rows
from clusterdiff.errors import ClusterdiffError, did_you_mean, shown
from clusterdiff.plugins import loaded, names_in

# What engines that answer SQL have in common: they keep tables, count, and hand over few rows.


class Session(ABC):
    """A place where tables are, and where queries run.

    The queries are written once, in the SQL that all engines share; what they write differently is
    a method here.
    """

    memory: int
    """Bytes that the rows which a query hands over may take."""
    remote = False
    """Whether tables stay there, and what is in memory is sent to them."""
    few = 0
    """Rows up to which what stays there is taken into memory instead, which is faster."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._names = 0
        self._prefix = f"clusterdiff_{token_hex(4)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exit: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget all that was kept."""
        while self._kept:
            self.drop(self._kept.pop())

    @abstractmethod
    def view(self, query: str) -> str:
        """A name for a query, which runs when the name is used."""

    @abstractmethod
    def keep(self, query: str, doing: str) -> str:
        """The name of a table with the rows of a query; `doing` says what takes so long."""

    def lookup(self, query: str, doing: str) -> str:
        """The name of a table with the rows of a query in which one query looks things up."""
        return self.keep(query, doing)

    @abstractmethod
    def fetch(self, query: str, doing: str = "") -> Any:
        """The rows of a query as an Arrow table."""

    def uploaded_rows(self, rows: Any) -> str:
        """The name of a table with the rows of an Arrow table."""
        raise ClusterdiffError(
            "this database takes no rows from memory.", "give the runs in memory, or as files."
        )

    def run(self, statement: str, doing: str = "") -> None:
        """Do something that gives no rows, such as writing a file."""
        raise ClusterdiffError("this database writes no files.", "give the runs in memory.")

    def frame_of(self, query: str, names: tuple[str, ...]) -> Any:
        """The rows of a query where tables stay, with these names of columns."""
        return self.fetch(query).rename_columns(list(names))

    @abstractmethod
    def drop(self, name: str) -> None:
        """Forget a table or view."""

    def row(self, query: str, doing: str = "") -> dict[str, Any]:
        """The one row of a query."""
        found: dict[str, Any] = self.fetch(query, doing).to_pylist()[0]
        return found

    def count(self, rows: str) -> int:
        """How many rows there are, of a table or of one with a test."""
        return int(self.row(f"SELECT count(*) AS n FROM {rows}")["n"])

    def counts(self, *rows: str) -> list[int]:
        """The same of several, by one query."""
        each = (
            f"SELECT {place} AS place, count(*) AS n FROM {one}" for place, one in enumerate(rows)
        )
        found = self.fetch(" UNION ALL ".join(each), "counting rows").to_pylist()
        return [row["n"] for row in sorted(found, key=lambda row: row["place"])]

    def free(self, *names: str) -> None:
        """Drop tables that were kept here and are not needed any more."""
        for name in names:
            if name in self._kept:
                self._kept.remove(name)
                self.drop(name)

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """What is kept inside is dropped at the end, come what may."""
        before = len(self._kept)
        try:
            yield
        finally:
            while len(self._kept) > before:
                self.drop(self._kept.pop())

    def refuse(self, unfit: NeedsMemory) -> None:  # noqa: B027
        """Say that only the engine in memory can do this, where that is no way out."""

    def check(self) -> None:  # noqa: B027
        """Refuse what was counted if its files have changed since."""

    def uploaded(self, clustering: AnyClustering) -> Table:
        """A clustering that is in memory as a table, where tables stay."""
        raise ClusterdiffError(
            "one side is in memory, and the other in a database that it cannot be sent to.",
            "give both as tables of that database, or both in memory.",
        )

    @abstractmethod
    def text(self, value: str) -> str:
        """A text, quoted for SQL."""

    @abstractmethod
    def some(self, columns: str, view: str, share: float) -> str:
        """A query for a random share of the rows."""

    @abstractmethod
    def is_nan(self, value: str) -> str:
        """Whether a number is none."""

    @abstractmethod
    def sorted_set(self, value: str) -> str:
        """The distinct values of a group that are not null, as a sorted list."""

    @abstractmethod
    def sorted_pairs(self, first: str, second: str) -> str:
        """The pairs (a, b) of a group, as a sorted list."""

    @abstractmethod
    def length(self, value: str) -> str:
        """How long a list is; 0 where it is null."""

    @abstractmethod
    def listed(self, values: list[str]) -> str:
        """Several values of a row as one list."""

    def _new_name(self) -> str:
        self._names += 1
        self._kept.append(f"{self._prefix}_{self._names}")
        return self._kept[-1]


# A clustering that stays in a table of an engine until it is counted there.


class NeedsMemory(Exception):
    """A table that only the engine for everything in memory can compare."""


class NoRows(NeedsMemory):
    """A table without rows, of which that engine says what it is."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows (id, cluster, perhaps sample and degree) under a name that an engine knows.

    A wide table has, in place of cluster and degree, columns w0, w1, … of degrees.
    """

    session: Session
    view: str
    """The name; its columns are called id, cluster, sample, degree."""
    columns: Columns
    """What they are called where they come from."""
    families: dict[str, str]
    """What each column holds: integers, numbers, text, or other values."""
    kind: str
    shown: str
    """What to call the table in messages."""
    load: Callable[[], AnyClustering]
    """Reads it into memory."""
    is_file: bool = False
    written: bool = False
    """Whether its values were read from text, where 7 and "7" look the same."""
    rest: str = "refuse"
    notes: tuple[str, ...] = ()
    """What else to know of how it was read."""
    bare: Callable[[str, int], int] | None = None
    """Of how many labels a text for a missing value, such as NA, stands without quotes, if so many
    have it; None where labels are no text of a file.
    """
    files: int = 1
    """How many files it is read from."""
    made: bool = False
    """Whether its clusters have names that no user gave, so that none means noise."""
    sources: str = ""
    """The column that says which source each object comes from; "" if none does."""
    source: Any = None
    """Where its other columns are looked up by id: a frame, or how a file is read."""

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return self.session.count(self.view)

    @property
    def origin(self) -> Origin:
        """Which columns were taken."""
        return self.columns.origin(self.files)

    @property
    def says(self) -> str:
        """The kind of clustering that it is: rows without degrees are a partition."""
        if self.kind in GRADED and not self.columns.wide and self.columns.degree is None:
            return "partition"
        return self.kind

    @property
    def counted(self) -> str:
        """The column that says how many objects each one stands for; "" if none does."""
        return self.columns.count or ""

    @property
    def asked(self) -> str:
        """The kind that it was to be, where it is a partition instead."""
        return self.kind if self.says != self.kind else ""

    @property
    def with_sources(self) -> Table:
        """The same whose column of samples says which source each object comes from."""
        kept = [name for name in self.families if name not in ("sample", "source")]
        families = {name: self.families[name] for name in kept}
        families["source"] = self.families["sample"]
        view = self.session.view(f"SELECT {', '.join(kept)}, sample AS source FROM {self.view}")
        columns = self.columns._replace(sample=None)
        named = self.columns.sample or ""
        return replace(self, view=view, columns=columns, families=families, sources=named)

    def value(self, name: str) -> str:
        """A column in SQL, with NaN as null."""
        if self.families[name] == "numbers":
            return f"CASE WHEN {self.session.is_nan(name)} THEN NULL ELSE {name} END"
        return name

    def check_nested(self) -> None:
        """Refuse ids, clusters and samples that are lists or the like."""
        nested = ("list", "large_list", "struct", "map", "array", "fixed_size_list", "union")
        for name in ("id", "cluster", "sample"):
            if self.families.get(name, "").startswith(nested):
                raise NeedsMemory(f"{name}s of the type {self.families[name]}")


def count_rows(tables: Sequence[Table]) -> list[int]:
    """How many rows each table of a session has; those that are not known yet by one query."""
    new = [table for table in dict.fromkeys(tables) if "rows" not in vars(table)]
    if new:
        found = new[0].session.counts(*(table.view for table in new))
        for table, many in zip(new, found, strict=True):
            vars(table)["rows"] = many
    return [table.rows for table in tables]


def table_of_query(session: Session, query: str, columns: Columns, kind: str, shown: str) -> Table:
    """The rows of a query that has the columns as they are called where they come from."""
    chosen = columns.named(lambda own: '"' + own.replace('"', '""') + '"')
    view = session.keep(f"SELECT {chosen} FROM ({query}) x", f"reading {shown}")
    schema = session.fetch(f"SELECT * FROM {view} LIMIT 1").schema
    families = {field.name: family_of(field.type) for field in schema}

    def load() -> AnyClustering:
        rows = session.fetch(f"SELECT * FROM {view}", f"reading {shown}")
        ids, samples = (
            column(rows.column(name)) if name in families else None for name in ("id", "sample")
        )
        degrees = rows.column("degree").to_numpy() if "degree" in families else None
        return made_of_rows(kind, column(rows.column("cluster")), ids, samples, degrees)

    return Table(session, view, columns, families, kind, shown, load)


def kind_of(side: AnyClustering | Table) -> str:
    """The kind of a clustering, wherever it is."""
    return side.says if isinstance(side, Table) else side.kind


def family_of(kind: Any) -> str:
    """The family of a type of Arrow or DuckDB: integers, numbers, text, or its own name."""
    if isinstance(kind, str):
        return _family_in_duckdb(kind)
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return "integers"
    if pa.types.is_floating(kind):
        return "numbers"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    return str(kind)


def _family_in_duckdb(kind: str) -> str:
    if kind.endswith("]"):
        return "list"
    if kind.endswith(("INT", "INTEGER")):
        return "integers"
    return DUCKDB_FAMILIES.get(kind, kind.lower())


DUCKDB_FAMILIES = {"FLOAT": "numbers", "DOUBLE": "numbers", "VARCHAR": "text", "BOOLEAN": "bool"}


def written_whole(value: str) -> str:
    """Whether a text is a whole number as numbers are written: 7 is one, 07 and +7 are not."""
    return f"CAST(TRY_CAST({value} AS BIGINT) AS STRING) = {value}"


class Backend(ABC):
    """A place for tables, by the name that `engine=` and `--engine` take."""

    name: ClassVar[str]
    settings: ClassVar[type | None] = None
    """What `engine=` may be besides the name, such as cd.DuckDB."""
    reads_files: ClassVar[bool] = True
    """Whether it can be asked for by name; others are there for the values that they hold."""

    def holds(self, value: object) -> bool:
        """Whether a value is a table of this backend; nothing is imported to find out."""
        return False

    @abstractmethod
    def session(self, settings: Any, value: Any = None) -> Session:
        """A session with these settings, or with those of a value that it holds."""

    def table(
        self,
        session: Any,
        value: Any,
        kind: str,
        sample: str | None,
        count: str | None = None,
    ) -> Table | None:
        """A value that it holds as a table; None if memory is the place for it."""
        return None

    def file(
        self, session: Any, path: str | os.PathLike[str], **options: Any
    ) -> AnyClustering | Table:
        """A file as a table that stays where it is, or as a clustering in memory."""
        raise ClusterdiffError(f"{self.name} reads no files.", "leave engine= out.")


MEMORY = "arrays"
"""The engine that needs no backend: everything is read into memory."""
BACKENDS: dict[str, Backend] = {}


def register(backend: type[Backend]) -> type[Backend]:
    """Make a backend known by its name."""
    BACKENDS[backend.name] = backend()
    return backend


def backend_for(engine: Any) -> tuple[Backend | None, Any]:
    """The backend that `engine=` means, with its settings; None for memory alone."""
    name = next(iter(BACKENDS)) if engine is None else engine
    if isinstance(name, str) and name == MEMORY:
        return None, None
    for one in _ours_and_installed():
        if one.settings is not None and isinstance(engine, one.settings):
            return one, engine
        if isinstance(name, str) and one.name == name and one.reads_files:
            return one, None
    known = sorted([MEMORY, *(one.name for one in BACKENDS.values() if one.reads_files)])
    raise ClusterdiffError(
        f"unknown engine {shown(engine)}.",
        f"{did_you_mean(str(name), known)}There are {', '.join(known)}.",
    )


def engines() -> list[str]:
    """What `engine=` takes by name, the default first; other packages are not imported for it."""
    first, *rest = (one.name for one in BACKENDS.values() if one.reads_files)
    return list(dict.fromkeys([first, MEMORY, *rest, *names_in("backends")]))


def _ours_and_installed() -> Iterator[Backend]:
    """Our backends, then those of other packages, which cannot take the place of ours."""
    yield from list(BACKENDS.values())
    for backend in loaded("backends", type).values():
        made = issubclass(backend, Backend) and not isabstract(backend)
        if made and backend.name not in BACKENDS:
            register(backend)
            yield BACKENDS[backend.name]
