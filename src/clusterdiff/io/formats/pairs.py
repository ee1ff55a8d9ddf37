"""Pairs: two ids in each row that belong together, perhaps with a score; in any kind of table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.engines.duckdb import DuckDB, DuckSession
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Source, detect
from clusterdiff.io.scored import PAIRS, linked_source, table_of_source

if TYPE_CHECKING:
    from clusterdiff.clusterings import Partition


def read(source: Source) -> Partition:
    """The clusters of pairs without scores: those with scores need a threshold."""
    with DuckSession(DuckDB()) as session:
        names = {"id": source.id, "scored": False}
        table = table_of_source(session, source, detect(source), names)
        return linked_source(table.unsorted(None), None)


FORMAT = Format(
    PAIRS,
    read,
    help="  --as pairs    a table of two linked ids per row, perhaps with a score",
    columns=True,
)
