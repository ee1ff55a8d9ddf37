"""Scored pairs of files and DuckDB relations: numbered and sorted by DuckDB, read in pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.backends.columns.composite import check_parts
from clusterdiff.backends.columns.pairs import PairColumns, find_pair_columns
from clusterdiff.backends.duckdb import DuckSession, families, listed, literal, quoted
from clusterdiff.backends.table import family_of
from clusterdiff.clusterings import Column, column
from clusterdiff.clusterings.encode.text import NULL_WORDS
from clusterdiff.errors import RELATION, ReadError
from clusterdiff.errors.scored import ScoredPairsError
from clusterdiff.inputs.formats.delimited import in_one_type, noted, place_of
from clusterdiff.inputs.loading import whole_columns
from clusterdiff.inputs.read import source_of
from clusterdiff.inputs.scored.pairs import (
    PairChunk,
    Precise,
    ScoredSource,
    precision_of,
    scored_columns,
)

if TYPE_CHECKING:
    from clusterdiff.backends.duckdb import Queries
    from clusterdiff.backends.duckdb_relations import RelationSession
    from clusterdiff.inputs.formats import Format
    from clusterdiff.inputs.read import Source

ROWS = 1 << 20
"""Pairs that are handed over at a time."""


class PairTable(NamedTuple):
    """Pairs in a session: a view with the columns l, r and s."""

    session: Queries
    view: str
    columns: PairColumns
    shown: str
    written: bool
    """Whether its values were read from text."""
    precision: type[Precise] = np.float64

    def scored(self, distance: bool | None, in_memory: bool = False) -> ScoredSource:
        """The pairs, checked: in memory, or sorted where they are."""
        count = self._checked()
        if in_memory:
            return self._loaded(distance)
        is_distance = self.columns.is_distance if distance is None else distance
        strongest, order = ("min", "ASC") if is_distance else ("max", "DESC")
        ids, rows = self._numbered(
            f"least(a.place, b.place) AS l, greatest(a.place, b.place) AS r, {strongest}(s) AS s",
            "WHERE l <> r GROUP BY 1, 2",
            f"ORDER BY s {order}",
        )
        left = int(self.session.row(f"SELECT count(*) AS n FROM {rows}")["n"])
        own = int(self.session.row(f"SELECT count(*) AS n FROM {self.view} WHERE l = r")["n"])
        return ScoredSource(
            self.shown, ids, len(ids), count, partial(_pieces, self.session, rows, left),
            is_distance, self.columns, is_sorted=True, self_pairs=own,
            repeats=count - own - left, precision=self.precision,
        )  # fmt: skip

    def unsorted(self, distance: bool | None) -> ScoredSource:
        """The pairs, checked, as they come."""
        count = self._checked()
        is_distance = self.columns.is_distance if distance is None else distance
        ids, rows = self._numbered("a.place AS l, b.place AS r, s")
        return ScoredSource(
            self.shown, ids, len(ids), count, partial(_pieces, self.session, rows, count),
            is_distance, self.columns, scored=self.columns.score is not None,
            precision=self.precision,
        )  # fmt: skip

    def _numbered(self, chosen: str, some: str = "", order: str = "") -> tuple[Column, str]:
        """The ids in their order, and a table of the pairs with numbers in place of the ids, and
        with their places in it.
        """
        named = self.session.keep(
            f"SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM (SELECT l AS id FROM "
            f"{self.view} UNION SELECT r FROM {self.view})",
            f"numbering the objects of {self.shown}",
        )
        ids = self._ids(f"SELECT id FROM {named} ORDER BY place", "id")
        query = (
            f"SELECT {chosen} FROM {self.view} JOIN {named} a ON l = a.id "
            f"JOIN {named} b ON r = b.id {some}"
        )
        rows = self._placed(query, order)
        self.session.free(named)
        self.session.check()
        return ids, rows

    def _placed(self, query: str, order: str) -> str:
        """A table of what a query finds in this order, with the places in it."""
        doing = f"{'sorting' if order else 'reading'} {self.shown}"
        if isinstance(self.session, DuckSession):
            with self.session.in_order():
                rows = self.session.keep(f"{query} {order}", doing)
            return self.session.view(f"SELECT *, rowid AS place FROM {rows}")
        place = f"row_number() OVER ({order}) - 1 AS place"
        return self.session.keep(f"SELECT *, {place} FROM ({query}) x", doing)

    def _loaded(self, distance: bool | None) -> ScoredSource:
        found = self.session.fetch(f"SELECT l, r, s FROM {self.view}", f"reading {self.shown}")
        self.session.check()
        made = scored_columns(
            self.shown, found.column("l"), found.column("r"), found.column("s"),
            distance=distance, columns=self.columns, written=self.written,
        )  # fmt: skip
        return replace(made, precision=self.precision)

    def _ids(self, query: str, name: str) -> Column:
        return column(self.session.fetch(query).column(name), written=self.written)

    def _checked(self) -> int:
        """How many pairs there are; without ids or scores they are refused."""
        null = f"s IS NULL OR {self.session.is_nan('s')}"
        found = self.session.row(
            "SELECT count(*) AS n, count(*) FILTER (WHERE l IS NULL OR r IS NULL) AS ids, "
            f"count(*) FILTER (WHERE {null}) AS scores FROM {self.view}",
            f"reading {self.shown}",
        )
        if not found["n"]:
            raise ScoredPairsError.empty(self.shown)
        if found["ids"]:
            raise ScoredPairsError.from_null_ids(found["ids"], found["n"])
        if found["scores"]:
            some = self.session.fetch(f"SELECT l, r FROM {self.view} WHERE {null} LIMIT 3")
            pairs = [(row["l"], row["r"]) for row in some.to_pylist()]
            raise ScoredPairsError.from_nulls(found["scores"], found["n"], pairs)
        return int(found["n"])


def table_of_pairs(
    session: DuckSession,
    path: str | os.PathLike[str],
    names: Mapping[str, Any],
    **asked: Any,
) -> PairTable:
    """A file of pairs, parsed once if it is text; `names` are those of its columns."""
    asked["allow_network"] = asked.get("allow_network") or session.allow_network
    left, right = (names.get(side) for side in ("left", "right"))
    wanted = [*_listed(left), *_listed(right)] or None
    source, form = source_of(
        session.open, path, id=wanted, degree=names.get("score") or None, **asked
    )
    return table_of_source(session, source, form, names)


def table_of_source(
    session: DuckSession, source: Source, form: Format, names: Mapping[str, Any]
) -> PairTable:
    """A file of pairs that is opened."""
    if not form.columns:
        raise ReadError(
            f"{source.shown} is in the format {form.name!r}, which has no columns for two ids and "
            "a score.",
            "give a table: CSV, Parquet, Arrow, JSON lines, or one of a database.",
        )
    with session.reading(source.shown, source.files):
        if form.name == "json":
            found, rows, written = *_json_rows(session, source), False
            sql: Callable[[str], str] = quoted
        else:
            place = place_of(session, source)
            found, written, sql = place.names, place.written, place.sql
        columns = find_pair_columns(source.shown, found, **names)
        if form.name != "json":
            chosen: list[str] = [*(columns.datasets or ())]
            columns.named(partial(noted, chosen))
            rows = in_one_type(session, source, place, chosen).rows
        if not written:
            _check_parts(session, rows, columns, sql, source.shown)
        query = f"SELECT {columns.named(sql)} FROM {rows}"
        raw = session.keep(query, f"reading {source.shown}") if written else session.view(query)
        if columns.datasets is not None:
            both = [f"SELECT {sql(name)} AS d FROM {rows}" for name in columns.datasets]
            _refuse_datasets(session, " UNION ".join(both), columns, source.shown)
        return _typed(session, raw, columns, source.shown, written)


def table_of_relation(
    session: RelationSession, relation: Any, names: Mapping[str, Any]
) -> PairTable | None:
    """A relation of pairs, copied within its connection; None if it is of another one."""
    import duckdb

    try:
        found = list(relation.columns)
    except duckdb.Error as error:
        raise ReadError.from_engine(RELATION, str(error)) from None
    columns = find_pair_columns(RELATION, found, **names)
    raw = session.copied(relation, f"SELECT {columns.named(quoted)} FROM {session.source}")
    if raw is None:
        return None
    if columns.datasets is not None:
        one, other = map(quoted, columns.datasets)
        query = (
            f"SELECT {one} AS d FROM {session.source} UNION SELECT {other} FROM {session.source}"
        )
        kept = session.copied(relation, query)
        _refuse_datasets(session, f"SELECT d FROM {kept}", columns, RELATION)
    return _typed(session, raw, columns, RELATION, False)


def _json_rows(session: DuckSession, source: Source) -> tuple[list[str], str]:
    """The columns of JSON records, and the records in SQL."""
    rows = f"read_json({listed(source.files)})"
    described = session.fetch(f"SELECT column_name FROM (DESCRIBE SELECT * FROM {rows})")
    return described.column(0).to_pylist(), rows


def _listed(names: str | Sequence[str] | None) -> list[str]:
    """Names of columns, one by one."""
    if names is None:
        return []
    return [names, *names.split(",")] if isinstance(names, str) else list(names)


def _check_parts(
    session: DuckSession, rows: str, columns: PairColumns, sql: Callable[[str], str], shown: str
) -> None:
    """Refuse ids of several columns that are not made of whole numbers and text."""
    if columns.parts is None:
        return
    parts = [name for side in columns.parts for name in side]
    chosen = ", ".join(f"{sql(own)} AS p{i}" for i, own in enumerate(parts))
    schema = session.fetch(f"SELECT {chosen} FROM {rows} LIMIT 0").schema
    check_parts(shown, dict(zip(parts, map(family_of, schema.types), strict=True)))


def _typed(
    session: Queries, raw: str, columns: PairColumns, shown: str, written: bool
) -> PairTable:
    """The same with scores as numbers, and with ids of text that are whole numbers as such."""
    kinds = families(session, raw)
    ids = ["l", "r"]
    if written:
        whole = whole_columns(session, raw, ids)
        if len(whole) == 2:
            ids = [f"CAST({name} AS BIGINT) AS {name}" for name in ids]
    score = "CAST(s AS DOUBLE)"
    if kinds["s"] == "text":
        words = ", ".join(literal(word.lower()) for word in ("", *NULL_WORDS))
        plain = f"CASE WHEN lower(trim(s)) IN ({words}) THEN NULL ELSE trim(s) END"
        score = f"TRY_CAST({plain} AS DOUBLE)"
        wrong = session.fetch(
            f"SELECT s FROM {raw} WHERE {plain} IS NOT NULL AND {score} IS NULL LIMIT 3"
        ).column("s")
        if not written or len(wrong):
            some = (
                wrong.to_pylist() or session.fetch(f"SELECT s FROM {raw} LIMIT 3")["s"].to_pylist()
            )
            raise ScoredPairsError.from_text(columns.score or "score", some)
    elif kinds["s"] not in ("integers", "numbers", "bool") and not kinds["s"].startswith("decimal"):
        some = session.fetch(f"SELECT s FROM {raw} LIMIT 3").column("s").to_pylist()
        raise ScoredPairsError.from_text(columns.score or "score", some)
    view = session.view(f"SELECT {', '.join(ids)}, {score} AS s FROM {raw}")
    kind = session.fetch(f"SELECT s FROM {raw} LIMIT 0").schema.field("s").type
    return PairTable(session, view, columns, shown, written, precision_of(kind))


def _refuse_datasets(session: Queries, query: str, columns: PairColumns, shown: str) -> None:
    """Refuse ids of several data sets, which may be the same for different records."""
    if session.row(f"SELECT count(DISTINCT d) AS n FROM ({query}) x")["n"] > 1:
        raise ScoredPairsError.datasets(shown, columns.left, columns.right, "source_dataset")


def _pieces(session: Queries, rows: str, count: int) -> Iterator[PairChunk]:
    """The sorted pairs, so many at a time."""
    for start in range(0, count, ROWS):
        found = session.fetch(
            f"SELECT l, r, s FROM {rows} WHERE place >= {start} AND place < {start + ROWS} "
            "ORDER BY place",
            "reading pairs",
        )
        left, right, score = (found.column(name).to_numpy() for name in ("l", "r", "s"))
        yield PairChunk(
            left.astype(np.int64, copy=False), right.astype(np.int64, copy=False), score
        )
