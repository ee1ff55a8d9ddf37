"""A clustering that stays in a table of an engine until it is counted there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clusterdiff.backends.columns.find import GRADED, Columns, made_of_rows
from clusterdiff.backends.sql.session import Session
from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.clusterings.origin import Origin


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
    def asked(self) -> str:
        """The kind that it was to be, where it is a partition instead."""
        return self.kind if self.says != self.kind else ""

    def value(self, name: str) -> str:
        """A column in SQL, with NaN as null."""
        if self.families[name] == "numbers":
            return f"CASE WHEN {self.session.is_nan(name)} THEN NULL ELSE {name} END"
        return name

    def refuse_nested(self) -> None:
        """Refuse ids, clusters and samples that are lists or the like."""
        nested = ("list", "large_list", "struct", "map", "array", "fixed_size_list", "union")
        for name in ("id", "cluster", "sample"):
            if self.families.get(name, "").startswith(nested):
                raise NeedsMemory(f"{name}s of the type {self.families[name]}")


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
    """The family of an Arrow type: integers, numbers, text, or its own name."""
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
