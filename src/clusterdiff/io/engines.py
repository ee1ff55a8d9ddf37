"""The backends that come with the package, and how each reads a file."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Any

from clusterdiff.clusterings import AnyClustering
from clusterdiff.engines.columns import clustering_of_frame
from clusterdiff.engines.duckdb import (
    DuckDB,
    DuckSession,
    RelationSession,
    is_relation,
    table_of_relation,
)
from clusterdiff.engines.protocol import Backend, Table, register
from clusterdiff.engines.spark import Spark, SparkSession
from clusterdiff.io.read import open_table


@register
class DuckDBBackend(Backend):
    """Files, counted by an embedded DuckDB."""

    name = "duckdb"
    settings = DuckDB

    def session(self, settings: DuckDB | None, value: Any = None) -> DuckSession:
        """A database of our own, in memory."""
        return DuckSession(settings or DuckDB())

    def file(
        self, session: DuckSession, path: str | os.PathLike[str], **options: Any
    ) -> AnyClustering | Table:
        """A table of CSV, Parquet or JSON records stays a file until it is counted."""
        return open_table(session, path, **options)


@register
class RelationBackend(Backend):
    """Relations of DuckDB, in the connection of their user."""

    name = "duckdb relation"
    reads_files = False

    def holds(self, value: object) -> bool:
        """Whether this is a relation."""
        return is_relation(value)

    def session(self, settings: None, value: Any = None) -> RelationSession:
        """The connection of the relation."""
        return RelationSession(value)

    def table(
        self, session: RelationSession, value: Any, kind: str, sample: str | None
    ) -> Table | None:
        """The relation, copied within its connection."""
        load = partial(clustering_of_frame, value, kind=kind, sample=sample)
        return table_of_relation(session, value, load, kind=kind, sample=sample)


@register
class SparkBackend(Backend):
    """Spark frames, and files that Spark reads."""

    name = "spark"
    settings = Spark

    def holds(self, value: object) -> bool:
        """Whether this is a frame of Spark."""
        return "pyspark" in sys.modules and type(value).__module__.startswith("pyspark.sql")

    def session(self, settings: Spark | None, value: Any = None) -> SparkSession:
        """The session that was named, that of a frame, or the active one."""
        return SparkSession(settings or Spark(None if value is None else value.sparkSession))

    def table(self, session: SparkSession, value: Any, kind: str, sample: str | None) -> Table:
        """The frame, which stays where it is."""
        return session.frame(value, kind, sample)

    def file(self, session: SparkSession, path: str | os.PathLike[str], **options: Any) -> Table:
        """Parquet and CSV, here or far away."""
        from clusterdiff.io.spark_tables import table_of_path

        return table_of_path(session, os.fspath(path), **options)
