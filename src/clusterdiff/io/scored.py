"""Scored pairs as a sweep reads them: numbers of objects and a score, piece by piece."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import Clustering, Column, Partition, column
from clusterdiff.clusterings.arrays import opened as opened_array
from clusterdiff.clusterings.base import LinkedOrigin
from clusterdiff.clusterings.columns import NULL_WORDS, joined, sorting, texts_of
from clusterdiff.clusterings.columns import looks_like_tree as looks_like_tree
from clusterdiff.clusterings.counts import check_total
from clusterdiff.clusterings.rows import Values
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.columns import (
    PairColumns,
    check_parts,
    composite_ids,
    find_pair_columns,
    has_pair_columns,
    is_frame,
    pairs_among,
    plain,
)
from clusterdiff.engines.counts import UNKNOWN, any_left, with_counts
from clusterdiff.engines.duckdb import (
    DuckDB,
    DuckSession,
    RelationSession,
    families,
    is_relation,
    listed,
    literal,
    quoted,
)
from clusterdiff.engines.label_checks import Notes, check_side, read_notes
from clusterdiff.engines.memory import alike, match_ids, numbered_clusters, numbered_together
from clusterdiff.engines.protocol import BACKENDS, backend_for, family_of
from clusterdiff.errors import (
    FRAME,
    LOOK,
    RELATION,
    AlignmentError,
    AllNoise,
    ClusterdiffWarning,
    InputError,
    ReadError,
    ScoredPairsError,
    a_type,
    examples,
    shorten,
    shown,
    spelled_most,
    spelled_otherwise,
    warn,
    worked,
)
from clusterdiff.io.adapters import is_model
from clusterdiff.io.arguments import settle_indexes
from clusterdiff.io.files import named_column
from clusterdiff.io.formats.csv import in_one_type, noted, place_of
from clusterdiff.io.read import is_scored_clusters, source_of, unwrapped, whole_columns
from clusterdiff.io.runs import Runs, is_clustering, opened_runs

if TYPE_CHECKING:
    from clusterdiff.engines.protocol import Session
    from clusterdiff.io.formats import Format
    from clusterdiff.io.read import Source

Precise = np.float16 | np.float32 | np.float64
PRECISIONS: dict[str, type[Precise]] = {
    "float16": np.float16, "halffloat": np.float16, "float32": np.float32, "float": np.float32,
}  # fmt: skip
"""Types of scores that are coarser than those of Python, as NumPy and Arrow call them."""


class PairChunk(NamedTuple):
    """Some pairs: the numbers of two objects, and their score."""

    left: Ints
    right: Ints
    score: Floats


@dataclass(frozen=True, eq=False)
class ScoredSource:
    """Scored pairs, wherever they are."""

    shown: str
    """What to call them."""
    ids: Column
    """The id of each number."""
    objects: int
    """How many objects they name."""
    count: int
    """How many pairs there are."""
    chunks: Callable[[], Iterator[PairChunk]]
    distance: bool
    """Whether less is nearer."""
    columns: PairColumns | None = None
    """The columns that were taken, where they come from a table."""
    is_sorted: bool = False
    """Whether the strongest come first, and each pair once."""
    repeats: int = 0
    """How many pairs were left out since they were given before, in either direction."""
    self_pairs: int = 0
    """How many pairs were left out since they name one object twice."""
    scored: bool = True
    """Whether pairs have scores; without, each scores 1."""
    precision: type[Precise] = np.float64
    """The type in which scores were given, and in which thresholds are compared with them."""

    @property
    def score_name(self) -> str:
        """What the score is called, if it has a name."""
        return "" if self.columns is None else self.columns.score or ""

    @property
    def taken_for(self) -> str:
        """What it was taken for: which columns, and whether more or less is nearer."""
        how = "distance" if self.distance else "similarity"
        return how if self.columns is None else f"{self.columns} ({how})"


def scored_columns(
    shown: str,
    left: Any,
    right: Any,
    score: Any,
    *,
    distance: bool | None,
    columns: PairColumns | None = None,
    written: bool = False,
) -> ScoredSource:
    """Pairs that are in memory, from three columns; from two, where `score` is None."""
    first, second = (_ids(one, written) for one in (left, right))
    if score is None:
        given = np.ones(len(first))
    else:
        given = numbers_of(score, (columns and columns.score) or "score")
    values = given.astype(np.float64, copy=False)
    if not len(first) == len(second) == values.size:
        raise ScoredPairsError(
            f"left, right and score have {len(first):,}, {len(second):,} and {values.size:,} "
            "entries.",
            "give one entry of each for every pair.",
        )
    lacking = np.zeros(values.size, np.bool_)
    for ids in (first, second):
        if (nulls := ids.nulls()) is not None:
            lacking |= nulls
    unknown = np.flatnonzero(np.isnan(values))
    _check_pairs(
        shown, values.size, int(lacking.sum()), unknown.size,
        lambda: [(first[i], second[i]) for i in unknown[:3].tolist()],
    )  # fmt: skip
    try:
        (one, other), ids = numbered_together([first, second])
    except AlignmentError:
        raise ScoredPairsError(
            f"the two ids of a pair are of different types, such as {first[0]!r} and "
            f"{second[0]!r}: none can be equal.",
            "convert one of the two columns first.",
        ) from None
    is_distance = columns is not None and columns.is_distance if distance is None else distance
    chunk = PairChunk(one, other, values)
    return ScoredSource(
        shown, ids, len(ids), values.size, lambda: iter([chunk]), is_distance, columns,
        scored=score is not None, precision=precision_of(given.dtype),
    )  # fmt: skip


def _ids(values: Any, written: bool) -> Column:
    return column(values, written=written).hashed()


def precision_of(kind: Any) -> type[Precise]:
    """The type in which thresholds are compared with scores of a type of NumPy or Arrow."""
    return PRECISIONS.get(str(kind).lower(), np.float64)


def in_precision(threshold: float, precision: type[Precise]) -> float:
    """A threshold rounded as the scores are: 0.9 equals a score of 0.9 in 32 bits, too."""
    with np.errstate(over="ignore"):
        return float(precision(threshold))


def numbers_of(values: Any, name: str) -> NDArray[Any]:
    """Scores as numbers of the type they have; null is NaN."""
    if isinstance(values, Values) or type(values).__module__.startswith("pyarrow"):
        numeric = family_of(values.type) in ("integers", "numbers")
        values = values.to_numpy(zero_copy_only=False) if numeric else values.to_pylist()
    try:
        made = np.asarray(values)
        if made.dtype.kind in "biuf":
            exact = made.dtype.kind == "f" and made.dtype.itemsize <= 8
            return (made if exact else made.astype(np.float64)).reshape(-1)
        if made.dtype.kind == "O":
            return np.array([_number(value) for value in made.reshape(-1).tolist()], np.float64)
    except (TypeError, ValueError):
        pass
    listed = np.asarray(values, object).reshape(-1).tolist()
    wrong = [str(value) for value in listed if isinstance(value, str)] or listed
    raise _no_numbers(name, wrong[:3])


def _number(value: Any) -> float:
    """A number; NaN for null. A text is not a number, whatever it holds."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, str | bytes):
        raise TypeError
    return float(value)


def _check_pairs(
    shown: str, total: int, without_id: int, unscored: int, some: Callable[[], list[Any]]
) -> None:
    """Refuse no pairs at all, and pairs without an id or a score, `some` of which are shown."""
    if not total:
        raise _no_pairs(shown)
    if without_id:
        raise ScoredPairsError(
            f"{without_id:,} of {total:,} pairs {'lacks' if without_id == 1 else 'lack'} an id.",
            "drop these pairs; a pair names two objects.",
        )
    if unscored:
        pairs, s, are = some(), *(("", "is") if unscored == 1 else ("s", "are"))
        more = ", …" if unscored > len(pairs) else ""
        raise ScoredPairsError(
            f"{unscored:,} of {total:,} scores {are} null (pair{s} {examples(pairs)}{more}).",
            "drop these pairs; a pair without a score links nothing.",
        )


def _no_pairs(shown: str) -> ScoredPairsError:
    return ScoredPairsError(
        f"there are no pairs in {shown}.", "a pair has two objects and a score, e.g. r1,r7,0.93."
    )


def _no_numbers(column: str, values: Sequence[Any]) -> ScoredPairsError:
    return ScoredPairsError(
        f"the scores ({shorten(column, 30)}) are not numbers, such as {examples(values)}.",
        "name the column of the scores, e.g. score='match_probability'.",
    )


# Scored pairs of files and DuckDB relations: numbered and sorted by DuckDB, read in pieces.

ROWS = 1 << 20
"""Pairs that are handed over at a time."""


class PairTable(NamedTuple):
    """Pairs in a session: a view with the columns l, r and s."""

    session: Session
    view: str
    columns: PairColumns
    shown: str
    written: bool
    """Whether its values were read from text."""
    precision: type[Precise] = np.float64

    def scored(self, distance: bool | None, in_memory: bool = False) -> ScoredSource:
        """The pairs, checked: in memory, or sorted where they are."""
        count = self.checked()
        if in_memory:
            found = self.session.fetch(f"SELECT l, r, s FROM {self.view}", f"reading {self.shown}")
            self.session.check()
            made = scored_columns(
                self.shown, *found.select(["l", "r", "s"]).columns,
                distance=distance, columns=self.columns, written=self.written,
            )  # fmt: skip
            return replace(made, precision=self.precision)
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
        count = self.checked()
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
        found = self.session.fetch(f"SELECT id FROM {named} ORDER BY place")
        ids = column(found.column("id"), written=self.written)
        query = (
            f"SELECT {chosen} FROM {self.view} JOIN {named} a ON l = a.id "
            f"JOIN {named} b ON r = b.id {some}"
        )
        doing = f"{'sorting' if order else 'reading'} {self.shown}"
        if isinstance(self.session, DuckSession):
            with self.session.in_order():
                kept = self.session.keep(f"{query} {order}", doing)
            rows = self.session.view(f"SELECT *, rowid AS place FROM {kept}")
        else:
            place = f"row_number() OVER ({order}) - 1 AS place"
            rows = self.session.keep(f"SELECT *, {place} FROM ({query}) x", doing)
        self.session.free(named)
        self.session.check()
        return ids, rows

    def checked(self) -> int:
        """How many pairs there are; without ids or scores they are refused."""
        null = f"s IS NULL OR {self.session.is_nan('s')}"
        found = self.session.row(
            "SELECT count(*) AS n, count(*) FILTER (WHERE l IS NULL OR r IS NULL) AS ids, "
            f"count(*) FILTER (WHERE {null}) AS scores FROM {self.view}",
            f"reading {self.shown}",
        )

        def some() -> list[Any]:
            unscored = f"SELECT l, r FROM {self.view} WHERE {null} LIMIT 3"
            return [(row["l"], row["r"]) for row in self.session.fetch(unscored).to_pylist()]

        _check_pairs(self.shown, found["n"], found["ids"], found["scores"], some)
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
            rows, written = f"read_json({listed(source.files)})", False
            described = session.fetch(f"SELECT column_name FROM (DESCRIBE SELECT * FROM {rows})")
            found, sql = described.column(0).to_pylist(), quoted
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
            check_datasets(source.shown, _distinct(session, " UNION ".join(both)), columns)
        return typed_pairs(session, raw, columns, source.shown, written)


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
        check_datasets(RELATION, _distinct(session, f"SELECT d FROM {kept}"), columns)
    return typed_pairs(session, raw, columns, RELATION, False)


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


def typed_pairs(
    session: Session, raw: str, columns: PairColumns, shown: str, written: bool
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
        fits = written and not len(wrong)
    else:
        fits = kinds["s"] in ("integers", "numbers", "bool") or kinds["s"].startswith("decimal")
        wrong = []
    if not fits:
        some = wrong if len(wrong) else session.fetch(f"SELECT s FROM {raw} LIMIT 3")["s"]
        raise _no_numbers(columns.score or "score", [value.as_py() for value in some])
    view = session.view(f"SELECT {', '.join(ids)}, {score} AS s FROM {raw}")
    kind = session.fetch(f"SELECT s FROM {raw} LIMIT 0").schema.field("s").type
    return PairTable(session, view, columns, shown, written, precision_of(kind))


def _distinct(session: Session, query: str) -> int:
    return int(session.row(f"SELECT count(DISTINCT d) AS n FROM ({query}) x")["n"])


def check_datasets(shown: str, many: int, columns: PairColumns) -> None:
    """Refuse ids of several data sets, which may be the same for different records."""
    if many < 2:
        return
    left, right = columns.left, columns.right
    raise ScoredPairsError(
        f"{shown} links several data sets, whose records are identified by source_dataset_l and "
        f"{left} together.",
        f"take both, left={['source_dataset_l', left]!r}, right={['source_dataset_r', right]!r}, "
        f"and in truth id=['source_dataset', …]; if each id is one object, left={left!r}, "
        f"right={right!r}.",
    )


def _pieces(session: Session, rows: str, count: int) -> Iterator[PairChunk]:
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


# Dendrograms as people have them: linkage matrices, fitted estimators, trees of HDBSCAN.

TREES = ("single_linkage_tree_", "_single_linkage_tree_")
"""Where HDBSCAN keeps its tree, in its own package and in scikit-learn."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Merges of leaves and earlier merges, in order; leaves are the objects of truth in theirs."""

    shown: str
    """What to call it."""
    children: Any
    """The two parts of each merge."""
    heights: Floats | None
    """How far apart they are; None where levels are numbers of clusters."""
    precision: type[Precise] = np.float64
    """The type in which heights were given."""

    @property
    def leaves(self) -> int:
        """How many objects there are."""
        return len(self.children) + 1

    @property
    def taken_for(self) -> str:
        """What it was taken for."""
        return f"dendrogram, {'by merges' if self.heights is None else 'heights'}"


def tree_of_estimator(value: Any, distance: bool | None = None) -> Tree:
    """The tree of a fitted AgglomerativeClustering or HDBSCAN."""
    name = type(value).__name__
    for where in TREES:
        if (tree := _attribute(value, where)) is not None:
            return tree_of_linkage(tree, distance, name)
    merges = np.asarray(_attribute(value, "children_"))
    leaves = _attribute(value, "n_leaves_") or 0
    if merges.ndim != 2 or len(merges) < leaves - 1:
        raise ScoredPairsError(
            "this estimator kept no full tree.",
            "AgglomerativeClustering(compute_full_tree=True, compute_distances=True), then fit it.",
        )
    return _tree(name, merges, _attribute(value, "distances_"), distance)


def tree_of_linkage(value: Any, distance: bool | None = None, shown: str = "linkage") -> Tree:
    """A linkage matrix of SciPy, or a tree that gives one."""
    matrix = np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
    if names := matrix.dtype.names:
        matrix = np.column_stack([matrix[name].astype(np.float64) for name in names[:3]])
    if matrix.ndim != 2 or matrix.shape[1] < 3:
        raise _no_tree("it has no two parts and a height for each merge")
    return _tree(shown, matrix[:, :2], matrix[:, 2], distance)


def _tree(shown: str, children: Any, heights: Any, distance: bool | None) -> Tree:
    if distance is False and heights is not None:
        raise ScoredPairsError(
            "the heights of a dendrogram are distances.",
            "leave distance= out.",
            "leave --similarity out.",
        )
    known = None if heights is None else np.asarray(heights, np.float64)
    if known is not None and (nulls := np.isnan(known)).any():
        null = int(nulls.sum())
        verb = "is" if null == 1 else "are"
        raise _no_tree(f"{null:,} of {known.size:,} heights {verb} null")
    if not looks_like_tree(children):
        raise _no_tree("each leaf and each merge must be part of one later merge, the last of none")
    return Tree(shown, np.asarray(children), known, precision_of(np.asarray(heights).dtype))


def _no_tree(why: str) -> ScoredPairsError:
    return ScoredPairsError(
        f"this is not a dendrogram: {why}.",
        "give what scipy.cluster.hierarchy.linkage returns, a row for each of n - 1 merges.",
    )


def _attribute(value: Any, name: str) -> Any:
    """What an estimator has under a name; None where it is not fitted."""
    try:
        return getattr(value, name, None)
    except Exception:  # hdbscan raises its own where nothing was fitted
        return None


# Scored pairs in memory: frames, three arrays, edges of a graph, what dedupe and SciPy give.

WEIGHTS = ("weight", "score", "similarity", "distance")
"""What the attribute of an edge is called that has its score."""


def frame_columns(frame: Any) -> list[str] | None:
    """The names of the columns of a frame; None if it is none."""
    if isinstance(frame, list | tuple | dict | np.ndarray) or not is_frame(frame):
        return None
    import narwhals as nw

    return [str(name) for name in nw.from_native(frame).collect_schema().names()]


def frame_has_pairs(frame: Any, **asked: Any) -> bool:
    """Whether a frame holds pairs rather than a column per level: by what is asked for, by the
    names of its columns, or since of three columns only the last has fractions.
    """
    names = frame_columns(frame) or []
    if any(asked.values()) or has_pair_columns(names):
        return True
    if len(names) != 3:
        return False
    try:
        find_pair_columns(FRAME, names)
    except ScoredPairsError:
        return False
    import narwhals as nw

    schema = nw.from_native(frame).collect_schema()
    fractions = [kind.is_float() for kind in schema.dtypes()]
    return fractions == [False, False, True]


def scored_frame(frame: Any, distance: bool | None, **asked: Any) -> ScoredSource:
    """Pairs from the columns of a frame."""
    import narwhals as nw

    names = frame_columns(frame) or []
    if len(set(names)) < len(names):
        raise InputError(
            "two columns of the frame have the same name.", "give each column its own name."
        )
    columns = find_pair_columns(FRAME, names, **asked)
    data = nw.from_native(frame)
    own = dict(zip(names, data.collect_schema().names(), strict=True))
    chosen = data.select([nw.col(own[name]) for name in columns.chosen()])
    eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
    if columns.datasets is not None:
        seen = {value for name in columns.datasets for value in eager[name].unique().to_list()}
        check_datasets(FRAME, len(seen), columns)
    left, right = columns.ids(FRAME, lambda name: eager[own[name]].to_native())
    values = None
    if columns.score is not None:
        score = eager[own[columns.score]]
        values = score.to_list() if score.null_count() else score.to_numpy()
    return scored_columns(FRAME, left, right, values, distance=distance, columns=columns)


def scored_arrays(value: Any, distance: bool | None) -> ScoredSource | Tree | None:
    """Pairs or a tree in arrays, lists or a dict; None if it is none of these."""
    if isinstance(value, Mapping):
        return _of_dict(value, distance)
    if hasattr(value, "tocoo"):
        return _of_sparse(value, distance)
    if isinstance(value, np.ndarray):
        return _of_array(value, distance)
    if isinstance(value, tuple) and len(value) == 3 and all(map(_is_column, value)):
        return scored_columns("pairs", *value, distance=distance)
    edges = getattr(value, "edges", None)
    if callable(edges):
        value = list(edges(data=True))
    if isinstance(value, list | tuple) or hasattr(value, "__next__"):
        return _of_edges(list(value), distance)
    return None


def bare_pairs(value: Any) -> ScoredSource | None:
    """Pairs without scores: two columns, a list of two ids each, or edges without weights."""
    edges = getattr(value, "edges", None)
    if callable(edges):
        listed = list(edges(data=True))
        if any(name in attributes for *_, attributes in listed for name in WEIGHTS):
            return None
        value = [(left, right) for left, right, _ in listed]
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == 2:
        return scored_columns("pairs", value[:, 0], value[:, 1], None, distance=None)
    if isinstance(value, tuple) and len(value) == 2 and all(map(_is_column, value)):
        return scored_columns("pairs", *value, None, distance=None)
    if isinstance(value, list | set | frozenset) and all(map(_is_bare, value)) and value:
        left, right = map(list, zip(*value, strict=True))
        return scored_columns("pairs", left, right, None, distance=None)
    return None


def _is_bare(pair: Any) -> bool:
    return (
        isinstance(pair, tuple | list)
        and len(pair) == 2
        and not any(isinstance(one, list | np.ndarray) for one in pair)
        and not (isinstance(pair[0], tuple) and not isinstance(pair[1], tuple))
    )


def _is_column(value: Any) -> bool:
    return not isinstance(value, str | bytes | tuple | Mapping) and hasattr(value, "__len__")


def _of_dict(value: Mapping[Any, Any], distance: bool | None) -> ScoredSource | None:
    """A dict from two ids to their score."""
    if not value or not all(isinstance(key, tuple) and len(key) == 2 for key in value):
        return None
    numbers = (isinstance(one, int | float | np.number) for one in value.values())
    if not all(numbers) or any(isinstance(one, bool) for one in value.values()):
        return None
    return _of_edges([(*pair, score) for pair, score in value.items()], distance)


def _of_sparse(value: Any, distance: bool | None) -> ScoredSource:
    """A sparse matrix of scores, whose rows and columns are the objects."""
    found = value.tocoo()
    if found.shape[0] != found.shape[1]:
        raise ScoredPairsError(
            f"a matrix of scores has the objects as rows and as columns, and this one has "
            f"{found.shape[0]:,} rows and {found.shape[1]:,} columns.",
            "give a square matrix, or three arrays (left, right, score).",
        )
    rows, columns = (np.asarray(one, np.int64) for one in (found.row, found.col))
    return scored_columns("pairs", rows, columns, found.data, distance=distance)


def _of_array(value: Any, distance: bool | None) -> ScoredSource | Tree | None:
    """dedupe's array of pairs and scores, a linkage matrix, or three columns of numbers."""
    names = value.dtype.names
    if names:
        if "pairs" in names and "score" in names and value["pairs"].ndim == 2:
            pairs = value["pairs"]
            return scored_columns(
                "pairs", pairs[:, 0], pairs[:, 1], value["score"], distance=distance
            )
        if len(names) == 4 and looks_like_tree(np.column_stack([value[n] for n in names[:2]])):
            return tree_of_linkage(value, distance)
        columns = find_pair_columns("the array", names)
        one, other = columns.ids("the array", value.__getitem__)
        score = value[columns.score]
        return scored_columns("pairs", one, other, score, distance=distance, columns=columns)
    # A linkage matrix has two parts, a height and a size in each row.
    if value.ndim == 2 and value.shape[1] == 4 and value.dtype.kind in "fiu":
        return tree_of_linkage(value, distance)
    square = value.ndim == 2 and len(value) == value.shape[1] > 2 and value.dtype.kind in "biuf"
    if square and np.array_equal(value, value.T):
        raise ScoredPairsError(
            f"a symmetric array of {len(value):,} x {len(value):,} numbers is a matrix of "
            "distances or similarities, not scored pairs.",
            "cluster it first: scipy.cluster.hierarchy.linkage(squareform(distances)); or give "
            "pairs, (left, right, score).",
        )
    if value.ndim == 2 and value.shape[1] == 3 and value.dtype.kind in "fiu":
        return _of_three_columns(value, distance)
    if value.dtype.kind == "O" and value.ndim == 2 and value.shape[1] == 3:
        return _of_edges(value.tolist(), distance)
    return None


def _of_three_columns(value: Any, distance: bool | None) -> ScoredSource:
    ids = value[:, :2].astype(np.int64)
    if not np.array_equal(ids, value[:, :2]):
        raise _neither(value)
    if looks_like_tree(ids) and len(value) > 1:
        raise ScoredPairsError(
            "this array of three columns could be a dendrogram without sizes, or scored pairs.",
            "give a linkage matrix with its four columns, or three arrays (left, right, score).",
        )
    return scored_columns("pairs", ids[:, 0], ids[:, 1], value[:, 2], distance=distance)


def _of_edges(edges: list[Any], distance: bool | None) -> ScoredSource | None:
    """Edges (a, b, score), as graphs list them; or ((a, b), score)."""
    if not edges or not all(isinstance(edge, tuple | list) for edge in edges):
        return None
    if all(len(edge) == 2 and isinstance(edge[0], tuple | list) for edge in edges):
        edges = [(*pair, score) for pair, score in edges]
    if not all(len(edge) == 3 for edge in edges):
        wrong = next(edge for edge in edges if len(edge) != 3)
        if isinstance(wrong, tuple) and not any(hasattr(one, "dtype") for one in wrong):
            raise ScoredPairsError(
                f"a pair is two objects and a score, and {shown(wrong)} has {len(wrong)} entries.",
                "give e.g. [('r1', 'r7', 0.93), …].",
            )
        return None
    if any(isinstance(edge, list) and not isinstance(edge[2], float | dict) for edge in edges):
        return None  # rather labels of three objects each
    left, right, given = map(list, zip(*edges, strict=True))
    scores, name = _weights(given)
    if any(isinstance(score, str | list | tuple) for score in scores):
        return None
    is_distance = True if distance is None and name == "distance" else distance
    return scored_columns("pairs", left, right, scores, distance=is_distance)


def _weights(given: list[Any]) -> tuple[list[Any], str]:
    """The scores of edges: numbers, or one of the attributes of each edge."""
    if not all(isinstance(one, Mapping) for one in given):
        return given, ""
    found = [name for name in WEIGHTS if all(name in one for one in given)]
    if len(found) != 1:
        known = ", ".join(sorted({str(key) for one in given for key in one})[:6]) or "none"
        raise ScoredPairsError(
            f"edges have a score each, and none of their attributes ({known}) is it for sure.",
            'give graph.edges(data="weight") with the attribute that is the score.',
        )
    return [one[found[0]] for one in given], found[0]


# Scored pairs beside truth: each object has one number, and what does not count is known.


class Aligned(NamedTuple):
    """The objects of truth, then those that pairs alone name."""

    truth: Ints
    """The number of the true cluster of each object; -1 where it links others and does not
    count.
    """
    ids: Column | None
    """The id of each object; None where objects are positions."""
    place: Ints | None
    """The number of each object of the pairs; None where both count alike."""
    known: int
    """Objects of truth."""
    unknown: int
    """Objects that pairs name and truth does not have."""
    silent: int
    """Objects of truth that no pair names."""
    noise: int
    """Objects that truth calls noise."""
    notes: Notes = ()
    """How truth was read where that may not be what was meant, and ids in another spelling."""
    count: Ints | None = None  # type: ignore[assignment]
    """How often each object counts; -1 where that is not known, of objects that truth lacks."""
    lone: Bools | None = None
    """Whether each copy of an object is a true cluster."""

    @property
    def objects(self) -> int:
        """How many there are."""
        return self.truth.size

    def chunks(self, scored: ScoredSource) -> Iterator[PairChunk]:
        """The pairs, with objects numbered as here; those of objects that count 0 are no more."""
        gone = None if self.count is None or self.count.all() else self.count == 0
        for chunk in scored.chunks():
            left, right, score = chunk
            if self.place is not None:
                left, right = self.place[left], self.place[right]
            if gone is not None:
                kept = ~(gone[left] | gone[right])
                left, right, score = left[kept], right[kept], score[kept]
            yield PairChunk(left, right, score)


def align_scored(
    truth: Partition, scored: ScoredSource | Tree, policy: Policy, count: Any = None
) -> Aligned:
    """Truth and pairs on one numbering of objects, as the policy says; leaves of a tree are the
    objects of truth in their order. A dict of counts has those of objects that pairs alone name.
    """
    if policy.align == "penalise":
        raise ScoredPairsError(
            'align="penalise" is for guesses that lack or add objects; objects that no pair names '
            "are single here.",
            'use align="shared" or align="singletons".',
        )
    if truth.samples is not None:
        raise InputError(
            "samples are not taken by a sweep.", "sweep each sample by itself, or leave them out."
        )
    if not len(truth):
        raise InputError.empty("truth")
    notes = read_notes({"truth": truth}) + check_side("truth", [truth], policy)
    if isinstance(scored, Tree):
        if scored.leaves != len(truth):
            raise ScoredPairsError(
                f"the dendrogram has {scored.leaves:,} leaves, truth has {len(truth):,} objects.",
                "leaves are matched by position; give truth in their order.",
            )
        return _with_clusters(truth, policy, truth.ids, None, 0, 0)._replace(notes=notes)
    settle_indexes([truth])
    own = column(np.arange(len(truth))) if truth.ids is None else truth.ids
    place, strange = _places(own, scored.ids)
    named = np.zeros(len(own), np.bool_)
    named[place[place < len(own)]] = True
    if strange.size and policy.align == "exact":
        unseen = own.take(np.flatnonzero(~named)[:LOOK]).tolist()
        raise _unknown(strange.size, own_ids(scored.ids, strange), unseen)
    ids = _joined(own, scored.ids.take(strange)) if strange.size else truth.ids
    unnamed = own_ids(own, np.flatnonzero(~named))
    if strange.size and (found := spelled_most(unnamed, own_ids(scored.ids, strange))):
        notes += (("", found.note()),)
    made = _with_clusters(truth, policy, ids, place, strange.size, int((~named).sum()))
    if strange.size and made.count is not None and policy.align == "singletons":
        others = scored.ids.take(strange)
        if not isinstance(count, Mapping):
            raise InputError.from_uncounted(strange.size, own_ids(others)[:3])
        beyond = with_counts(Partition(others, others), count).counts
        assert truth.counts is not None
        assert beyond is not None
        every = np.append(truth.counts, beyond)
        check_total(every, truth.counted)
        made = made._replace(count=every)
    return made._replace(notes=notes)


def _places(own: Column, ids: Column) -> tuple[Ints, Ints]:
    """The number of each object of the pairs, those that truth lacks behind all of truth in the
    order of their ids; and where these stand among the pairs.
    """
    try:
        matched = match_ids(own, ids)
    except AlignmentError:
        raise strangers([own[0]], [ids[0]]) from None
    if matched.only_guess.size == len(ids):
        raise strangers(own_ids(own), own_ids(ids))
    place = np.empty(len(ids), np.int64)
    if matched.truth is None or matched.guess is None:
        return np.arange(len(ids)), matched.only_guess
    place[matched.guess] = matched.truth
    strange = matched.only_guess[canonical_order(ids.take(matched.only_guess))]
    place[strange] = len(own) + np.arange(strange.size)
    return place, strange


def strangers(truth: Sequence[Any], pairs: Sequence[Any]) -> ScoredPairsError:
    """No object is both in truth and in pairs."""
    here, there = (examples(ids, 1) or "nothing" for ids in (pairs, truth))
    spelling = spelled_otherwise(pairs, truth)
    return ScoredPairsError(
        f"no object of pairs is in truth: ids look like {there} there and {here} here.",
        "ids must match exactly; a prefix, a type or the wrong column may differ (left= and right= "
        "name those of the pairs)."
        if spelling is None
        else spelling.hint(),
    )


def _unknown(count: int, ids: Sequence[Any], missing: Sequence[Any]) -> ScoredPairsError:
    """Objects that pairs name and truth lacks; `missing` are some of truth that no pair names."""
    s, are = ("", "is") if count == 1 else ("s", "are")
    more = ", …" if count > 3 else ""
    message = f"{count:,} object{s} of pairs {are} not in truth ({examples(ids)}{more})."
    if (spelling := spelled_otherwise(ids, missing)) is not None:
        return ScoredPairsError(f"{message} {spelling.sentence()}", spelling.hint())
    return ScoredPairsError(
        message,
        'align="shared" lets them link others without counting, align="singletons" makes each a '
        "true cluster.",
    )


def _with_clusters(
    truth: Partition, policy: Policy, ids: Column | None, place: Ints | None, new: int, silent: int
) -> Aligned:
    """The true cluster of each object: noise is alone or does not count, what truth lacks too."""
    plan = plan_of(policy, "partition")
    found = numbered_clusters("truth", truth, np.arange(len(truth)), plan)
    code = found.code.astype(np.int64)
    if plan.noise is Fate.DROPPED:
        code = np.where(found.noise, -1, code)
    if truth.counts is not None:
        any_left(truth)
        code = np.where(truth.counts == 0, -1, code)
    if not (code >= 0).any():
        raise AllNoise.dropped()
    added, lone = np.full(new, -1), np.zeros(len(truth) + new, np.bool_)
    if plan.lacked is Fate.ALONE:
        added = int(code.max()) + 1 + np.arange(new)
        lone[len(truth) :] = True
    if plan.noise is Fate.ALONE:
        lone[: len(truth)] = found.noise
    known, count = len(truth), None
    noise = int(found.noise.sum())
    if truth.counts is not None:
        noise = int(truth.counts[found.noise].sum())
        count = np.append(truth.counts, np.full(new, UNKNOWN))
    code = np.concatenate([code, added])
    return Aligned(code, ids, place, known, new, silent, noise, count=count, lone=lone)


def _joined(first: Column, second: Column) -> Column:
    """Two columns of ids, one behind the other."""
    left, right = alike(first, second)
    written = first.written or second.written
    if left.family == "text":
        return Column(texts_of(left, right), "text", written=written)
    return column(np.concatenate([left.values, right.values]), written=written)


def own_ids(ids: Column, some: Ints | None = None) -> list[object]:
    """The first thousand ids, for a message."""
    return ids.take(np.arange(len(ids))[:LOOK] if some is None else some[:LOOK]).tolist()


def canonical_order(ids: Column) -> Ints:
    """The order of ids by their values, whatever the order they are given in."""
    if ids.family != "values":
        return sorting(ids)
    values = ids.tolist()
    return np.array(
        sorted(range(len(values)), key=lambda i: (type(values[i]).__name__, str(values[i]))),
        np.int64,
    )


# What scores look like while they are read: most of them the same, or distances.

FEWEST = 100
"""Pairs below which nothing is said."""
MUCH = 0.25
"""The share of pairs with the strongest score from which on it is said."""
HELD = 1 << 20
"""Scores that are held of each sort of pairs; of more, every second is dropped."""


@dataclass(eq=False)
class _Some:
    """Scores of one sort of pairs, evenly spread over those that came."""

    held: list[Floats] = field(default_factory=list)
    size: int = 0
    step: int = 1
    seen: int = 0

    def add(self, scores: Floats) -> None:
        first = -self.seen % self.step
        self.seen += scores.size
        taken = scores[first :: self.step]
        self.held.append(taken)
        self.size += taken.size
        while self.size > HELD:
            every = np.concatenate(self.held)[::2]
            self.held, self.size, self.step = [every], every.size, 2 * self.step

    def median(self) -> float:
        return float(np.median(np.concatenate(self.held)))


class ScoreWatch:
    """Looks at scores on their way: how many share the strongest one, and whether pairs of one
    true cluster score higher than others.
    """

    def __init__(self, scored: ScoredSource, truth: Ints) -> None:
        self._scored, self._truth = scored, truth
        self._top, self._same, self._count = float("nan"), 0, 0
        self._within, self._between = _Some(), _Some()

    def through(self, chunks: Iterable[PairChunk]) -> Iterator[PairChunk]:
        """The same chunks."""
        for chunk in chunks:
            if chunk.score.size:
                self._see(chunk)
            yield chunk

    def _see(self, chunk: PairChunk) -> None:
        strongest = float(chunk.score.min() if self._scored.distance else chunk.score.max())
        stronger = strongest < self._top if self._scored.distance else strongest > self._top
        if stronger or self._count == 0:
            self._top, self._same = strongest, 0
        self._same += int((chunk.score == self._top).sum())
        self._count += chunk.score.size
        left, right = self._truth[chunk.left], self._truth[chunk.right]
        counted = (left >= 0) & (right >= 0) & (chunk.left != chunk.right)
        within = counted & (left == right)
        self._within.add(chunk.score[within])
        self._between.add(chunk.score[counted & ~within])

    def warn(self) -> None:
        """Say what looks wrong, if there are enough pairs to say it."""
        if self._count < FEWEST:
            return
        within, between, distance = self._within, self._between, self._scored.distance
        if min(within.seen, between.seen) >= FEWEST // 10:
            one, other = within.median(), between.median()
            if one > other if distance else one < other:
                said = (
                    f"pairs of one true cluster score {'higher' if distance else 'lower'} (median "
                    f"{one:.4g}) than others ({other:.4g})."
                )
                warn(ClusterdiffWarning(said, f"distance={not distance}?"))
        share = self._same / self._count
        if share >= MUCH and self._same < self._count:
            hint = "thresholds cannot tell these pairs apart; a finer score could."
            if self._scored.score_name.strip().lower() == "match_probability":
                hint = "match_weight tells them apart where match_probability cannot."
            said = f"{100 * share:.0f} % of the pairs score {self._top!r} exactly."
            warn(ClusterdiffWarning(said, hint))


# Whatever a threshold is chosen from, opened where it is: pairs, a tree, or levels.

WHAT = "a sweep goes over"


@contextmanager
def opened_scored(
    value: Any,
    *,
    distance: bool | None = None,
    names: Mapping[str, Any] = MappingProxyType({}),
    engine: Any = None,
    count: str | None = None,
    **asked: Any,
) -> Iterator[ScoredSource | Tree | Runs]:
    """Scored pairs or a dendrogram; or clusterings, one for each level.

    `names` are those of columns of pairs, `count` is one of levels; `asked` is what else `read`
    takes of a file.
    """
    value = _unpacked(value)
    if not (is_relation(value) or (_is_path(value) and not is_levels(value))):
        scored = _in_memory(value, distance, names)
        if scored is None:
            _check_other(value)
            runs = opened_runs(value, engine=engine, what=WHAT, count=count, beside=True)
            with runs as found:
                yield found
        else:
            yield scored
        return
    check_engine(engine)
    in_memory = backend_for(engine)[0] is None
    if in_memory and is_relation(value):
        yield _in_arrow(value, distance, names)
        return
    with _opened_table(value, engine, names, asked) as table:
        if table is None:
            yield _in_arrow(value, distance, names)
        else:
            yield table.scored(distance, in_memory)


@contextmanager
def opened_pairs(
    value: Any,
    *,
    distance: bool | None = None,
    names: Mapping[str, Any] = MappingProxyType({}),
    engine: Any = None,
    **asked: Any,
) -> Iterator[ScoredSource]:
    """Pairs with or without scores, as they come; all else is refused."""
    names = {**names, "scored": False}
    value = _unpacked(value)
    if not _is_path(value) and not is_relation(value):
        yield pairs_in_memory(value, distance, names)
        return
    if _is_path(value) and is_levels(value):
        raise ScoredPairsError(
            f"{os.fspath(value)} names a column of clusters, and pairs have two columns of ids.",
            "name them: left=, right= and score=.",
        )
    with _opened_table(value, engine, names, asked) as table:
        yield _in_arrow(value, distance, names) if table is None else table.unsorted(distance)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _unpacked(value: Any) -> Any:
    """What a package wraps, or the array in a file of NumPy; all else as it is."""
    value = unwrapped(value)
    if not _is_path(value) or not os.fspath(value).endswith(".npy"):
        return value
    with ExitStack() as stack:
        source, _ = source_of(stack, os.fspath(value))
        try:
            return np.load(source.files[0], allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ReadError.from_engine(source.shown, str(error)) from None


def pairs_in_memory(value: Any, distance: bool | None, names: Mapping[str, Any]) -> ScoredSource:
    """Pairs that are in memory, with or without scores; all else is refused."""
    check_spark(value)
    if frame_columns(value) is not None:
        return scored_frame(value, distance, **names)
    found: ScoredSource | Tree | None = None
    tree = a_type(value) if is_model(value) else ""
    if not tree and not is_scored_clusters(value):
        value = _as_array(value)
        found = bare_pairs(value) or scored_arrays(value, distance)
    if isinstance(found, Tree):
        tree = f"an array of {len(value):,} x 4 numbers"
    if tree:
        raise ScoredPairsError(
            f"{tree} is a dendrogram, not pairs of objects.",
            worked(
                "cut it into clusters, or look at all its levels",
                "labels = scipy.cluster.hierarchy.fcluster(Z, t=0.5, criterion='distance')",
                "cd.compare(truth, labels)",
                "cd.sweep(truth, Z).best()",
            ),
        )
    if not isinstance(found, ScoredSource):
        raise ScoredPairsError(
            f"{a_type(value)} holds no pairs: {shown(value)}.",
            "give a table of two ids and perhaps a score, a list of (left, right) or (left, right, "
            "score), or arrays of these; clusters need no linking: cd.compare(truth, clusters).",
        )
    return found


def is_levels(path: str | os.PathLike[str]) -> bool:
    """Whether a path names columns of a table, one for each level."""
    return named_column(os.fspath(path))[1] is not None


def check_engine(engine: Any) -> None:
    """Refuse engines that do not read pairs in the order of their scores."""
    backend = backend_for(engine)[0]
    _check_not_spark(backend is None or backend.name == "duckdb")


@contextmanager
def _opened_table(
    value: Any, engine: Any, names: Mapping[str, Any], asked: dict[str, Any]
) -> Iterator[PairTable | None]:
    """The pairs of a file or relation, in a session; None of a relation of another connection."""
    if is_relation(value):
        with RelationSession(value) as own:
            yield table_of_relation(own, value, names)
    else:
        with DuckSession(engine if isinstance(engine, DuckDB) else DuckDB()) as session:
            table = table_of_pairs(session, value, names, **asked)
            yield table._replace(shown=Path(table.shown).name if table.shown else "")


def _in_arrow(relation: Any, distance: bool | None, names: Mapping[str, Any]) -> ScoredSource:
    """The pairs of a relation of another connection, in memory."""
    return scored_frame(relation.to_arrow_table(), distance, **names)


def check_spark(value: Any) -> None:
    """Refuse frames of Spark, whose pairs are not linked on one machine."""
    spark = BACKENDS.get("spark")
    _check_not_spark(spark is None or not spark.holds(value))


def _check_not_spark(here: bool) -> None:
    if not here:
        raise ScoredPairsError(
            "a sweep reads pairs in the order of their scores on one machine; Spark does not.",
            "write the pairs as Parquet, frame.write.parquet('pairs'), and give that folder: it is "
            "sorted on disk and read in pieces.",
            "leave --engine out: Parquet and CSV are sorted on disk and read in pieces.",
        )


def _in_memory(
    value: Any, distance: bool | None, names: Mapping[str, Any]
) -> ScoredSource | Tree | None:
    """Pairs or a tree that is in memory; None of levels."""
    check_spark(value)
    if is_model(value):
        return tree_of_estimator(value, distance)
    if hasattr(value, "to_numpy") and frame_columns(value) is None and not hasattr(value, "dtype"):
        return tree_of_linkage(value, distance)
    if frame_columns(value) is not None:
        return scored_frame(value, distance, **names) if frame_has_pairs(value, **names) else None
    return scored_arrays(_as_array(value), distance)


def _as_array(value: Any) -> Any:
    """Arrays of other libraries as NumPy's."""
    ready = isinstance(value, list | tuple | set | frozenset | Mapping | np.ndarray)
    if ready or any(hasattr(value, name) for name in ("tocoo", "edges")):
        return value
    return opened_array(value)


def _check_other(value: Any) -> None:
    """Refuse what can be neither pairs nor clusterings."""
    several = isinstance(value, Mapping | list | str | os.PathLike)
    if isinstance(value, Mapping | list) and not value:
        raise _no_pairs(f"an empty {type(value).__name__}")
    inside = value.values() if isinstance(value, Mapping) else value
    levels = not isinstance(value, Mapping | list) or any(map(is_clustering, inside))
    if (
        isinstance(value, Clustering)
        or not levels
        or not (several or frame_columns(value) is not None)
    ):
        raise _neither(value)


def _neither(value: object) -> ScoredPairsError:
    return ScoredPairsError(
        f"{a_type(value)} holds no scored pairs and no dendrogram: {shown(value)}.",
        "give a table of two ids and a score, three arrays (left, right, score), a linkage "
        "matrix, a fitted estimator with children_, or a dict of clusterings.",
    )


# Pairs as a clustering: those that score at least a threshold link, and each connected component
# is a cluster.

PAIRS = "pairs"
"""What `--as` calls tables of pairs."""


def linked(
    pairs: Any,
    threshold: float | None = None,
    *,
    ids: Any = None,
    names: Mapping[str, Any] = MappingProxyType({}),
    distance: bool | None = None,
    engine: Any = None,
    **asked: Any,
) -> Partition:
    """The clusters that pairs make; `names` are those of columns, `asked` is what `read` takes."""
    check_threshold(threshold)
    if ids is None and callable(getattr(pairs, "edges", None)):
        ids = list(pairs.nodes)
    with opened_pairs(pairs, distance=distance, names=names, engine=engine, **asked) as source:
        return linked_source(source, threshold, ids)


def check_threshold(threshold: Any) -> None:
    """Refuse what is no threshold; None is none at all."""
    number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if threshold is not None and (not number or math.isnan(threshold)):
        raise ScoredPairsError(
            f"a threshold is a number, and {shown(threshold)} is {a_type(threshold)}."
            if not isinstance(threshold, float)
            else "nan is not a threshold.",
            "write e.g. threshold=0.9.",
        )


def file_of_pairs(path: str, **asked: Any) -> bool:
    """Whether the columns of a file are named like those of pairs."""
    with ExitStack() as stack:
        source, form = source_of(stack, path, **asked)
        return form.names is not None and pairs_among(form.names(source)) is not None


def linked_source(source: ScoredSource, threshold: float | None, ids: Any = None) -> Partition:
    """The clusters of pairs that are opened; each is named after its smallest object."""
    columns, score = source.columns, source.score_name or "score"
    distance = source.distance and source.scored
    if not source.scored and threshold is not None:
        sides = ("left", "right") if columns is None else columns[:2]
        raise ScoredPairsError(
            f"{source.shown} has pairs without scores ({', '.join(sides)}), so "
            f"threshold={threshold:g} has nothing to be held against.",
            "leave threshold= out, and all pairs link; or name the column of the scores, e.g. "
            "score='match_probability'.",
        )
    least = None if threshold is None else in_precision(threshold, source.precision)
    found = components(source.chunks(), source.objects, least, distance)
    low, high = found.ends
    if source.scored and threshold is None:
        every = _linking(high if distance else low, distance)
        raise ScoredPairsError(
            f"{source.shown} has pairs with scores ({score}, {low:.6g} to {high:.6g}), and "
            "nothing says which of them link.",
            worked(
                "give a threshold; a sweep finds the best one",
                "cd.Partition.from_pairs(pairs, threshold=0.9)",
                f"cd.Partition.from_pairs(pairs, threshold={every})  # all pairs link",
                "cd.sweep(truth, pairs).best()",
            ),
            worked(
                "give a threshold; clusterdiff sweep finds the best one",
                "--as pairs --threshold 0.9",
                f"--as pairs --threshold {every}  # all pairs link",
            ),
        )
    if threshold is not None and not found.links:
        end = low if distance else high
        differ = (n for n in range(6, 17) if f"{threshold:.{n}g}" != f"{end:.{n}g}")
        n = next(differ, 17)
        hint = f"a threshold within them links pairs, e.g. threshold={_linking(end, distance)}"
        if not distance and low >= 0 and high <= 1 < threshold <= 100:
            hint = f"in per cent? threshold={threshold / 100:g}"
        if score == "match_probability" and threshold > 1:
            hint += "; weights are another column, score='match_weight'"
        raise ScoredPairsError(
            f"no pair of {source.shown} scores {threshold:.{n}g} or "
            f"{'less' if distance else 'more'}: the scores ({score}) go from {low:.{n}g} to "
            f"{high:.{n}g}.",
            f"{hint}.",
        )
    own, labels = source.ids, found.labels
    if ids is not None:
        own, labels = _with_others(own, labels, _every(ids, columns is not None and columns.parts))
    order = canonical_order(own)
    first = np.empty(int(labels.max()) + 1, np.int64)
    first[labels[order[::-1]]] = order[::-1]
    made = Partition(own.as_made(first[labels]), own)
    how: dict[str, Any] = {"threshold": threshold, "distance": distance}
    if columns is not None:
        how |= {"left": columns.left, "right": columns.right, "score": columns.score}
        how["sides"] = columns.parts
    made.origin = LinkedOrigin("", **how)
    some = (
        f"all {source.count:,}"
        if found.links == source.count
        else f"{found.links:,} of {source.count:,}"
    )
    alone = "; objects that no pair names are not in it" if ids is None else ""
    made.notes = (f"{some} pairs link{alone}", *_weight(score, threshold))
    return made


def _linking(end: float, distance: bool) -> str:
    """The score at one end, with as many digits as a threshold needs to link its pair."""
    short = f"{end:.6g}"
    links = float(short) >= end if distance else float(short) <= end
    return short if links else repr(float(end))


class LinkedPairs(NamedTuple):
    """What the pairs that are strong enough connect."""

    labels: Ints
    """The number of the component of each object."""
    links: int
    """How many pairs are strong enough."""
    ends: tuple[float, float]
    """The least and the largest score."""


def components(
    chunks: Iterable[PairChunk], objects: int, threshold: float | None, distance: bool = False
) -> LinkedPairs:
    """The connected components of pairs that score at least the threshold, or of all, piece by
    piece: what one piece connects is one object to the next.
    """
    if threshold is None:
        threshold = math.inf if distance else -math.inf
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    labels, count, links = np.arange(objects), objects, 0
    low, high = math.inf, -math.inf
    for chunk in chunks:
        low = min(low, float(chunk.score.min(initial=math.inf)))
        high = max(high, float(chunk.score.max(initial=-math.inf)))
        strong = chunk.score <= threshold if distance else chunk.score >= threshold
        links += int(strong.sum())
        ends = labels[chunk.left[strong]], labels[chunk.right[strong]]
        graph = coo_array((np.ones(ends[0].size, np.int8), ends), shape=(count, count))
        count, merged = connected_components(graph, directed=False)
        labels = merged[labels].astype(np.int64)
    return LinkedPairs(labels, links, (low, high))


def _every(ids: Any, composite: Any) -> Column:
    """All objects, from a clustering, a dict or a list of ids; those of several columns may be
    tuples.
    """
    if isinstance(ids, Clustering):
        return column(range(len(ids))) if ids.ids is None else ids.ids
    listed = list(ids) if isinstance(ids, Mapping) else ids
    if composite and isinstance(listed, list) and listed and isinstance(listed[0], tuple):
        parts = zip(*listed, strict=True)
        return composite_ids("ids", {str(at): list(part) for at, part in enumerate(parts)})
    every = column(listed)
    return Partition(every, every).ids or every


def _with_others(own: Column, labels: Ints, every: Column) -> tuple[Column, Ints]:
    """The objects of the pairs, and behind them all others, each a cluster of its own."""
    matched = match_ids(own, every)
    if (unknown := matched.only_truth).size:
        more = ", …" if unknown.size > 3 else ""
        which = "object of the pairs is" if unknown.size == 1 else "objects of the pairs are"
        raise ScoredPairsError(
            f"{unknown.size:,} {which} not among ids= "
            f"({examples(own.take(unknown[:3]).tolist())}{more}), which are to be all objects.",
            "give the ids of all objects, those of the pairs too; or leave ids= out.",
        )
    others = matched.only_guess
    behind = int(labels.max()) + 1 + np.arange(others.size)
    return joined(own, every.take(others)), np.concatenate([labels, behind])


def _weight(score: str, threshold: float | None) -> tuple[str, ...]:
    """What a weight of splink is as a probability."""
    if plain(score) != "match_weight" or threshold is None:
        return ()
    chance = 1 / (1 + 2.0 ** -min(max(threshold, -1000), 1000))
    return (f"match_weight {threshold:g} is a match_probability of {chance:.4g}",)
