"""Scored pairs of which those of some objects are asked for, wherever they are: a scan of a table
that finds the few pairs that are shown.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import finalize

import numpy as np

from clusterdiff.clusterings import column
from clusterdiff.clusterings.columns import is_whole
from clusterdiff.engines.columns import find_pair_columns
from clusterdiff.engines.duckdb import DuckDB, DuckSession, RelationSession, families, is_relation
from clusterdiff.engines.memory import match_ids
from clusterdiff.engines.protocol import BACKENDS
from clusterdiff.errors import FRAME, LOOK, AlignmentError, ScoredPairsError, printable
from clusterdiff.io.read import unwrapped
from clusterdiff.io.scored import (
    PairTable,
    ScoredSource,
    check_datasets,
    check_threshold,
    in_precision,
    is_levels,
    own_ids,
    pairs_in_memory,
    strangers,
    table_of_pairs,
    table_of_relation,
    typed_pairs,
)

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.io.sides import PairOptions


class FoundPairs(NamedTuple):
    """Some scored pairs, each once, the strongest first."""

    left: Ints
    """The place of the first object among the ids that were asked for."""
    right: Ints
    score: Floats


NO_PAIRS = FoundPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


class PairLookup:
    """Scored pairs in which objects are looked up by id.

    A file is read where it is, a relation and a frame of Spark are joined in their engine; they
    stay open as long as this is there.
    """

    def __init__(self, asked: PairOptions) -> None:
        check_threshold(asked.threshold)
        self._asked = asked
        self._open()

    def __getstate__(self) -> PairOptions:
        return self._asked

    def __setstate__(self, asked: PairOptions) -> None:
        self._asked = asked
        self._open()

    def _open(self) -> None:
        with ExitStack() as stack:
            self._pairs = _opened(stack, self._asked)
            if isinstance(self._pairs, PairTable):
                self._pairs.checked()
            self._close = finalize(self, stack.pop_all().close)
        columns = self._pairs.columns
        self.shown = self._pairs.shown
        given = self._asked.distance
        named = columns is not None and columns.is_distance
        self.distance = named if given is None else given
        self.score_name = "" if columns is None else columns.score or ""

    def close(self) -> None:
        """Close what is open."""
        self._close()

    @property
    def threshold(self) -> float | None:
        """The threshold of links as it was given."""
        return self._asked.threshold

    def are_links(self, score: Floats) -> Bools:
        """Which of these scores link."""
        if self.threshold is None:
            return np.ones(score.size, np.bool_)
        least = in_precision(self.threshold, self._pairs.precision)
        return score <= least if self.distance else score >= least

    def among(self, ids: Sequence[Any], truth: Ints, guess: Ints) -> FoundPairs:
        """The pairs of two of these objects that share a cluster on either side; -1 is none."""
        if not len(ids):
            return NO_PAIRS
        if isinstance(self._pairs, PairTable):
            found = self._joined(self._pairs, ids, truth, guess)
        else:
            found = self._matched(self._pairs, ids)
            left, right, _ = found
            together = (truth[left] == truth[right]) & (truth[left] >= 0)
            together |= (guess[left] == guess[right]) & (guess[left] >= 0)
            found = FoundPairs(*(own[together] for own in found))
        return self._once(found)

    def beside(self, ids: Sequence[Any]) -> tuple[list[Any], FoundPairs]:
        """The pairs that name one of these objects, and the objects beside these: `right` is the
        place of the other one among both, these first.
        """
        if not len(ids):
            return [], NO_PAIRS
        source = self._pairs
        if isinstance(source, PairTable):
            with source.session.scratch():
                wanted, text = self._uploaded(source, ids)
                some = [f"{text(side)} IN (SELECT k FROM {wanted})" for side in "lr"]
                found = source.session.fetch(
                    f"SELECT l, r, s FROM {source.view} WHERE {' OR '.join(some)}",
                    f"looking up pairs in {self.shown}",
                )
            ends = [found.column(side).to_pylist() for side in "lr"]
            score = np.asarray(found.column("s").to_numpy(), np.float64)
        else:
            place = self._places(source, ids)
            chunk = next(source.chunks())
            known = (place[chunk.left] >= 0) | (place[chunk.right] >= 0)
            ends = [source.ids.take(own[known]).tolist() for own in (chunk.left, chunk.right)]
            score = chunk.score[known]
        at = {str(id): place for place, id in enumerate(ids)}
        others: list[Any] = []
        for id in (*ends[0], *ends[1]):
            if str(id) not in at:
                at[str(id)] = len(at)
                others.append(id)
        left, right = (np.array([at[str(id)] for id in own], np.int64) for own in ends)
        return others, self._once(FoundPairs(left, right, score))

    def _joined(self, table: PairTable, ids: Sequence[Any], truth: Ints, guess: Ints) -> FoundPairs:
        """The pairs of these objects in a table, joined there."""
        with table.session.scratch():
            wanted, key = self._uploaded(table, ids, truth, guess)
            found = table.session.fetch(
                f"SELECT a.n AS l, b.n AS r, s FROM {table.view} "
                f"JOIN {wanted} a ON a.k = {key('l')} JOIN {wanted} b ON b.k = {key('r')} "
                "WHERE (a.t = b.t AND a.t >= 0) OR (a.g = b.g AND a.g >= 0)",
                f"looking up pairs in {self.shown}",
            )
        left, right, score = (found.column(name).to_numpy() for name in ("l", "r", "s"))
        return FoundPairs(left, right, np.asarray(score, np.float64))

    def _uploaded(self, table: PairTable, ids: Sequence[Any], *clusters: Ints) -> tuple[str, Any]:
        """A table of these ids, and how an id of the pairs is written to be found there."""
        import pyarrow as pa

        is_text = families(table.session, table.view)["l"] != "integers"
        keys: list[Any] = list(map(str, ids))
        if not is_text:
            keys = [int(key) if is_whole(key) and abs(int(key)) < 2**63 else None for key in keys]
        columns: dict[str, Any] = {
            "k": pa.array(keys, pa.string() if is_text else pa.int64()),
            "n": np.arange(len(ids)),
        }
        columns |= dict(zip("tg", clusters, strict=False))
        wanted = table.session.uploaded_rows(pa.table(columns))
        return wanted, lambda side: f"CAST({side} AS {'STRING' if is_text else 'BIGINT'})"

    def _matched(self, source: ScoredSource, ids: Sequence[Any]) -> FoundPairs:
        """The pairs of these objects in memory."""
        place = self._places(source, ids)
        chunk = next(source.chunks())
        left, right = place[chunk.left], place[chunk.right]
        some = (left >= 0) & (right >= 0)
        return FoundPairs(left[some], right[some], chunk.score[some])

    def _places(self, source: ScoredSource, ids: Sequence[Any]) -> Ints:
        """The place among these ids of each object of the pairs; -1 of others."""
        place = np.full(source.objects, -1)
        own = column(list(ids), written=True)
        try:
            matched = match_ids(own, source.ids)
        except AlignmentError:
            raise strangers([own[0]], [source.ids[0]]) from None
        if matched.truth is None or matched.guess is None:
            return np.arange(len(own))
        place[matched.guess] = matched.truth
        return place

    def _once(self, found: FoundPairs) -> FoundPairs:
        """Each pair once, whichever way round it is given, with its strongest score."""
        low, high = np.minimum(found.left, found.right), np.maximum(found.left, found.right)
        order = np.lexsort((high, low, found.score if self.distance else -found.score))
        order = order[low[order] != high[order]]
        if not order.size:
            return FoundPairs(*(own[order] for own in found))
        key = low[order] * (int(high.max()) + 1) + high[order]
        first = np.sort(np.unique(key, return_index=True)[1])
        order = order[first]
        return FoundPairs(low[order], high[order], found.score[order])

    def some_ids(self) -> list[Any]:
        """Ids of the first pairs, to see whether they look like those of the objects."""
        source = self._pairs
        if not isinstance(source, PairTable):
            return own_ids(source.ids)
        rows = source.session.fetch(f"SELECT l, r FROM {source.view} LIMIT {LOOK}")
        both = zip(*(rows.column(side).to_pylist() for side in "lr"), strict=True)
        return list(dict.fromkeys(id for pair in both for id in pair))

    def written(self, score: float) -> str:
        """A score as a threshold that links its pair, with six digits."""
        short = f"{score:.6g}"
        if float(short) >= score if self.distance else float(short) <= score:
            return short
        rounding = ROUND_CEILING if self.distance else ROUND_FLOOR
        return f"{Context(6, rounding).create_decimal_from_float(score):g}"

    def told(self) -> str:
        """What it is, in a sentence."""
        score = f" ({self.score_name})" if self.score_name else ""
        some = ""
        if self.threshold is not None:
            least = "less" if self.distance else "more"
            some = f"; a link scores {self.threshold:g} or {least}"
        return f"Pairs: {printable(self.shown)}{printable(score)}{some}."

    def to_dict(self) -> dict[str, Any]:
        """What it is, as JSON-ready values."""
        return {
            "read_from": self.shown, "score": self.score_name or None,
            "threshold": self.threshold, "distance": self.distance,
        }  # fmt: skip


def _opened(stack: ExitStack, asked: PairOptions) -> PairTable | ScoredSource:
    """Scored pairs in the engine that they are in, or in memory."""
    value, names = unwrapped(asked.pairs), dict(asked.names)
    spark = BACKENDS.get("spark")
    if spark is not None and spark.holds(value):
        return _in_spark(stack, value, names)
    if is_relation(value):
        own = stack.enter_context(RelationSession(value))
        table = table_of_relation(own, value, names)
        if table is not None:
            return table
        value = value.to_arrow_table()
    if isinstance(value, str | os.PathLike) and not os.fspath(value).endswith(".npy"):
        if is_levels(value):
            raise ScoredPairsError(
                f"{os.fspath(value)} names a column, and pairs have two columns of ids and a "
                "score.",
                "name them: left=, right= and score=.",
            )
        engine = asked.engine if isinstance(asked.engine, DuckDB) else DuckDB()
        session = stack.enter_context(DuckSession(engine))
        table = table_of_pairs(session, value, names, **asked.reading)
        return table._replace(shown=Path(table.shown).name if table.shown else "")
    source = pairs_in_memory(value, asked.distance, names)
    if not source.scored:
        raise ScoredPairsError(
            "these pairs have no scores, and links are ranked by them.",
            "give pairs with a score each, e.g. [('r1', 'r7', 0.93), …].",
        )
    return source


def _in_spark(stack: ExitStack, frame: Any, names: Mapping[str, Any]) -> PairTable:
    """The pairs of a frame of Spark, which stay there."""
    from clusterdiff.engines.spark import Spark, SparkSession

    session = stack.enter_context(SparkSession(Spark(session=frame.sparkSession)))
    columns = find_pair_columns(FRAME, list(frame.columns), **names)
    if columns.datasets is not None:
        one, other = columns.datasets
        both = session.chosen(frame, lambda own: f"explode(array({own(one)}, {own(other)})) AS d")
        check_datasets(FRAME, session.count(f"(SELECT DISTINCT d FROM {both}) x"), columns)
    return typed_pairs(session, session.chosen(frame, columns.named), columns, FRAME, False)
