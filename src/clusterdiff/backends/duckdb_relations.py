"""Relations of DuckDB, compared in the connection of the user they are of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterdiff.backends.columns.find import find_columns
from clusterdiff.backends.duckdb import DuckDB, Queries, families, quoted
from clusterdiff.backends.table import Table
from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import RELATION, MemoryNeeded, ReadError


class RelationSession(Queries):
    """The connection of a user's relation; temporary tables in it are dropped at the end."""

    def __init__(self, relation: Any) -> None:
        super().__init__()
        self.memory = DuckDB().bytes
        self._relation = relation

    def _run(self, query: str, doing: str = "", *, rows: bool = False) -> Any:
        import duckdb

        try:
            found = self._relation.query(f"{self._prefix}_anchor", query)
            return found.to_arrow_table() if rows else None
        except duckdb.OutOfMemoryException as error:
            raise MemoryNeeded.from_engine(str(error)) from None
        except duckdb.Error as error:
            raise ReadError.from_engine("the relation", str(error)) from None

    def copied(self, relation: Any, query: str) -> str | None:
        """The name of a table with what a query makes of a relation, called `source` there; None
        if the relation is of another connection.
        """
        import duckdb

        name = self._new_name()
        try:
            relation.query(self.source, f"CREATE TEMP TABLE {name} AS {query}")
            seen = f"SELECT count(*) AS n FROM duckdb_tables() WHERE table_name = '{name}'"
            if self.row(seen)["n"]:
                return name
            relation.query(self.source, f"DROP TABLE {name}")
        except duckdb.Error as error:
            raise ReadError.from_engine("the relation", str(error)) from None
        self._kept.remove(name)
        return None

    def uploaded_rows(self, rows: Any) -> str:
        """The name of a table with the rows of an Arrow table."""
        import duckdb

        name, clusterdiff_rows = self._new_name(), rows  # DuckDB finds the variable by its name
        try:
            self._relation.query(
                f"{self._prefix}_anchor", f"CREATE TEMP TABLE {name} AS FROM clusterdiff_rows"
            )
        except duckdb.Error as error:
            raise ReadError.from_engine("the relation", str(error)) from None
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
) -> Table | None:
    """A relation as a table, or None if it is of another connection."""
    import duckdb

    try:
        names = relation.columns
        collation = session.row("SELECT current_setting('default_collation') AS c")["c"]
    except duckdb.Error as error:
        raise ReadError.from_engine("the relation", str(error)) from None
    if collation:
        return None
    columns = find_columns(RELATION, names, sample=sample, kind=kind)
    chosen = columns.named(quoted)
    view = session.copied(relation, f"SELECT {chosen} FROM {session.source}")
    if view is None:
        return None
    return Table(session, view, columns, families(session, view), kind, RELATION, load)
