"""What engines that answer SQL have in common: they keep tables, count, and hand over few rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Self

from clusterdiff.errors import ClusterdiffError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.backends.table import NeedsMemory, Table
    from clusterdiff.clusterings import AnyClustering


class Session(ABC):
    """A place where tables are, and where queries run.

    The queries are written once, in the SQL that all engines share; what they write differently is
    a method here.
    """

    memory: int
    """Bytes that the rows which a query hands over may take."""
    remote = False
    """Whether tables stay there, and what is in memory is sent to them."""

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
        """The same for a table that one query looks things up in."""
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
