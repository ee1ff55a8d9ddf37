"""The embedded engine: files and tables that may be larger than memory, on DuckDB."""

from __future__ import annotations

import os
import re
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from glob import escape
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from clusterdiff.cleanup import at_the_end, temporary_folder
from clusterdiff.clusterings import AnyClustering
from clusterdiff.clusterings.rows import rows_of
from clusterdiff.engines.columns import find_columns
from clusterdiff.engines.protocol import NeedsMemory, Session, Table, family_of
from clusterdiff.errors import (
    RELATION,
    ChangedFile,
    ClusterdiffError,
    MemoryNeeded,
    ReadError,
    SpaceNeeded,
)
from clusterdiff.progress import progress

# A thread that does one job after the other, so that an interrupt is heard meanwhile.


class Worker:
    """A thread for the queries of a session: a new one for each costs as much as a small query."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._open = True
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            del job  # and with it the rows that it fetched

    def start(self, job: Callable[[], None]) -> None:
        """Do it beside what goes on here; once closed, at once."""
        self._jobs.put(job) if self._open else job()

    def close(self) -> None:
        """End the thread when it has done what it was given."""
        self._open = False
        self._jobs.put(None)


UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", re.IGNORECASE)


@dataclass(frozen=True)
class DuckDB:
    """The engine for files and tables larger than memory.

    >>> DuckDB(memory="4GB", threads=2).bytes
    4000000000

    `memory` is how much it may take before it spills to `temp`, a folder on a disk with room.
    With `allow_network`, paths may be addresses: https://…, s3://…, postgres://….
    """

    memory: str | None = None
    threads: int | None = None
    temp: str | os.PathLike[str] | None = None
    allow_network: bool = False

    def __post_init__(self) -> None:
        if self.memory is not None and not self.bytes:
            raise ClusterdiffError(
                f"memory={self.memory!r} is not an amount of memory.", "write e.g. memory='4GB'."
            )
        if self.threads is not None and self.threads < 1:
            raise ClusterdiffError(
                f"threads={self.threads} is not a number of threads.", "write e.g. threads=2."
            )
        if self.temp is not None and not Path(self.temp).is_dir():
            raise ClusterdiffError(
                f"Folder for temporary files not found: {os.fspath(self.temp)}",
                "name one that exists and has room.",
            )

    @property
    def bytes(self) -> int:
        """The memory allowed, in bytes; half of what the machine has where nothing is said."""
        return _half_of_the_machine() if self.memory is None else _bytes(self.memory)


@cache
def _half_of_the_machine() -> int:
    """Half of the memory there is; DuckDB, which takes four fifths, knows it on every system."""
    import duckdb

    with duckdb.connect() as connection:
        [[limit]] = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    return _bytes(limit) * 5 // 8


def _bytes(amount: str) -> int:
    """An amount of memory in bytes; 0 if it is none.

    >>> _bytes("4GB"), _bytes("1.5 KiB"), _bytes("much")
    (4000000000, 1536, 0)
    """
    found = AMOUNT.fullmatch(amount.strip())
    if not found:
        return 0
    number, unit, binary = found.groups()
    factor = UNITS[unit.upper()]
    if binary:
        factor = 1024 ** list(UNITS.values()).index(factor)
    return int(float(number) * factor)


class Queries(Session):
    """What DuckDB writes in its own way."""

    def __init__(self) -> None:
        super().__init__()
        self._views: set[str] = set()

    def view(self, query: str) -> str:
        name = self._new_name()
        self._views.add(name)
        self._run(f"CREATE TEMP VIEW {name} AS {query}")
        return name

    def keep(self, query: str, doing: str) -> str:
        name = self._new_name()
        self._run(f"CREATE TEMP TABLE {name} AS {query}", doing)
        return name

    def fetch(self, query: str, doing: str = "") -> Any:
        return self._run(query, doing, rows=True)

    def run(self, statement: str, doing: str = "") -> None:
        self._run(statement, doing)

    def drop(self, name: str) -> None:
        with suppress(ClusterdiffError):
            self._run(f"DROP {'VIEW' if name in self._views else 'TABLE'} IF EXISTS {name}")

    def text(self, value: str) -> str:
        return literal(value)

    def some(self, columns: str, view: str, share: float) -> str:
        return f"SELECT {columns} FROM {view} TABLESAMPLE system({100 * share:.6f}%)"

    def is_nan(self, value: str) -> str:
        # Statistics of Parquet files leave NaN out, and either test alone is folded by them: the
        # cast where all other values are equal, isnan where they are zeros.
        return f"(isnan({value}) OR CAST({value} AS VARCHAR) = 'nan')"

    def sorted_set(self, value: str) -> str:
        return f"list_sort(list(DISTINCT {value}) FILTER (WHERE {value} IS NOT NULL))"

    def sorted_pairs(self, first: str, second: str) -> str:
        return f"list_sort(list(struct_pack(a := {first}, b := {second})))"

    def length(self, value: str) -> str:
        return f"coalesce(len({value}), 0)"

    def listed(self, values: list[str]) -> str:
        return f"list_value({', '.join(f'CAST({v} AS DOUBLE)' for v in values)})"

    @abstractmethod
    def _run(self, query: str, doing: str = "", *, rows: bool = False) -> Any:
        """Run a query; with `rows`, give its rows as an Arrow table."""


class DuckSession(Queries):
    """A database of our own, in memory, that spills to a folder which is removed at the end."""

    def __init__(self, options: DuckDB) -> None:
        import duckdb

        super().__init__()
        self.options = options
        self.memory = options.bytes
        self.allow_network = options.allow_network
        self.open = ExitStack()
        """What has to stay open as long as the session, such as temporary files."""
        self._seen: dict[Path, tuple[int, int]] = {}
        self._read = "a table"
        self._folder = str(self.open.enter_context(temporary_folder(options.temp)))
        self._connection = duckdb.connect()
        self._worker = Worker()
        self.open.callback(self._worker.close)
        self.open.callback(self._connection.close)
        self.open.enter_context(at_the_end(self._connection.interrupt))
        settings = {
            "temp_directory": self._folder,
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": False,
            "enable_progress_bar": True,
            "enable_progress_bar_print": False,
            "progress_bar_time": 500,
        }
        if options.memory is not None:
            settings["memory_limit"] = f"{options.bytes} B"
        if options.threads is not None:
            settings["threads"] = options.threads
        for key, value in settings.items():
            self._connection.execute(f"SET {key} = {self.text(str(value))}")

    def close(self) -> None:
        self.open.close()

    def uploaded_rows(self, rows: Any) -> str:
        held = f"{self._prefix}_rows"
        self._connection.register(held, rows)
        try:
            return self.keep(f"SELECT * FROM {held}", "handing over rows")
        finally:
            self._connection.unregister(held)

    def loads(self, extension: str) -> bool:
        """Load an extension, if it is installed; nothing is downloaded."""
        import duckdb

        try:
            self._connection.execute(f"LOAD {extension}")
        except duckdb.Error:
            return False
        return True

    @contextmanager
    def reading(self, shown: str, files: Iterable[Path]) -> Iterator[None]:
        """Errors inside are said of this table; that its files do not change is seen to."""
        self._seen |= {file: _looks(file) for file in files}
        before, self._read = self._read, shown
        try:
            yield
        finally:
            self._read = before

    def check(self) -> None:
        """Refuse what was counted if a file has changed since."""
        for file, before in self._seen.items():
            if _looks(file) != before:
                raise ChangedFile(
                    f"{file} changed while it was read: what was counted is neither the old nor "
                    "the new.",
                    "wait until it is written, then compare again.",
                )

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Rows that are kept or fetched inside stay in the order of the file."""
        self._run("SET preserve_insertion_order = true")
        try:
            yield
        finally:
            self._run("SET preserve_insertion_order = false")

    def _run(self, query: str, doing: str = "", *, rows: bool = False) -> Any:
        """Run a query beside: a bar shows how far it is, an interrupt stops it."""
        import duckdb

        result: list[Any] = []
        failure: list[BaseException] = []
        done = threading.Event()

        def work() -> None:
            try:
                if rows:
                    result.append(rows_of(self._connection.sql(query)))
                else:
                    self._connection.execute(query)
            except BaseException as error:
                failure.append(error)
            finally:
                done.set()

        self._worker.start(work)
        try:
            if not done.wait(0.05):
                with progress(doing or "counting", 100) as advance:
                    so_far = 0
                    while not done.wait(0.1):
                        now = int(max(self._connection.query_progress(), so_far))
                        advance(now - so_far)
                        so_far = now
        except BaseException:
            while not done.is_set():  # the query is to end, however often we are interrupted
                with suppress(KeyboardInterrupt, SystemExit):
                    self._connection.interrupt()
                    done.wait(0.1)
            raise
        if not failure:
            return result[0] if rows else None
        self.check()
        error = failure[0]
        if isinstance(error, duckdb.Error):
            raise self._told(error) from None
        raise error

    def _told(self, error: Any) -> Exception:
        """An error of the engine in our words."""
        import duckdb

        why = str(error)
        full = ("No space left", "max_temp_directory_size", "could not write", "Could not write")
        if any(sign in why for sign in full):
            return SpaceNeeded.from_folder(os.path.dirname(self._folder), why)
        if isinstance(error, duckdb.OutOfMemoryException):
            return MemoryNeeded.from_engine(why)
        if isinstance(error, duckdb.ConversionException):
            return NeedsMemory(why)
        inside = [str(file) for file in self._seen if str(file) in why]
        return ReadError.from_engine(max(inside, key=len, default=self._read), why)


def _looks(file: Path) -> tuple[int, int]:
    """Size and time of a file; nothing of one that is gone."""
    try:
        found = file.stat()
    except OSError:
        return (-1, -1)
    return found.st_size, found.st_mtime_ns


def families(session: Session, view: str) -> dict[str, str]:
    """What each column of a view holds."""
    schema = session.fetch(f"SELECT * FROM {view} LIMIT 0").schema
    return {name: family_of(schema.field(name).type) for name in schema.names}


def quoted(name: str) -> str:
    """A column name, quoted for DuckDB."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """A text, quoted for DuckDB."""
    return "'" + value.replace("'", "''") + "'"


def listed(files: Iterable[Path]) -> str:
    """Files as a list in SQL, their names taken as they are."""
    names = [str(file) for file in files]
    # no pattern, and no ~ or scheme at its start
    plain = [escape(os.path.abspath(n) if n.startswith("~") or ":" in n else n) for n in names]
    return f"[{', '.join(map(literal, plain))}]"


# Relations of DuckDB, compared in the connection of the user they are of.


@contextmanager
def _said_of_the_relation() -> Iterator[None]:
    """Errors of the engine inside, in our words."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise MemoryNeeded.from_engine(str(error)) from None
    except duckdb.Error as error:
        raise ReadError.from_engine("the relation", str(error)) from None


class RelationSession(Queries):
    """The connection of a user's relation; temporary tables in it are dropped at the end."""

    def __init__(self, relation: Any) -> None:
        super().__init__()
        self.memory = DuckDB().bytes
        self._relation = relation

    def _run(self, query: str, doing: str = "", *, rows: bool = False) -> Any:
        with _said_of_the_relation():
            result = self._relation.query(f"{self._prefix}_anchor", query)
            return rows_of(result) if rows else None

    def copied(self, relation: Any, query: str) -> str | None:
        """The name of a table with what a query makes of a relation, called `source` there; None
        if the relation is of another connection.
        """
        name = self._new_name()
        with _said_of_the_relation():
            relation.query(self.source, f"CREATE TEMP TABLE {name} AS {query}")
            if self.count(f"duckdb_tables() WHERE table_name = '{name}'"):
                return name
            relation.query(self.source, f"DROP TABLE {name}")
        self._kept.remove(name)
        return None

    def uploaded_rows(self, rows: Any) -> str:
        name, clusterdiff_rows = self._new_name(), rows  # DuckDB finds the variable by its name
        with _said_of_the_relation():
            self._relation.query(
                f"{self._prefix}_anchor", f"CREATE TEMP TABLE {name} AS FROM clusterdiff_rows"
            )
        del clusterdiff_rows
        return name

    @property
    def source(self) -> str:
        """What a relation is called in the query that copies it."""
        return f"{self._prefix}_source"


def is_relation(value: object) -> bool:
    """Whether this is a DuckDB relation."""
    return type(value).__name__ == "DuckDBPyRelation"


def table_of_relation(
    session: RelationSession,
    relation: Any,
    load: Callable[[], AnyClustering],
    *,
    kind: str,
    sample: str | None = None,
    count: str | None = None,
) -> Table | None:
    """A relation as a table, or None if it is of another connection."""
    with _said_of_the_relation():
        names = relation.columns
        collation = session.row("SELECT current_setting('default_collation') AS c")["c"]
    if collation:
        return None
    columns = find_columns(RELATION, names, sample=sample, kind=kind, count=count)
    chosen = columns.named(quoted)
    view = session.copied(relation, f"SELECT {chosen} FROM {session.source}")
    if view is None:
        return None
    return Table(session, view, columns, families(session, view), kind, RELATION, load)
