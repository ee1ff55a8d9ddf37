"""Whatever a threshold is chosen from, opened where it is: pairs, a tree, or levels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.backends.duckdb import DuckDB, DuckSession
from clusterdiff.backends.duckdb_relations import RelationSession, is_relation
from clusterdiff.backends.protocol import BACKENDS, backend_for
from clusterdiff.clusterings import Clustering
from clusterdiff.clusterings.encode.arrays import opened as opened_array
from clusterdiff.errors import ReadError, a_type
from clusterdiff.errors.linking import LinkingError
from clusterdiff.errors.scored import ScoredPairsError
from clusterdiff.inputs.files.paths import named_column
from clusterdiff.inputs.read import source_of
from clusterdiff.inputs.runs import Runs, is_clustering, opened_runs
from clusterdiff.inputs.scored.arrays import (
    bare_pairs,
    frame_columns,
    frame_has_pairs,
    scored_arrays,
    scored_frame,
)
from clusterdiff.inputs.scored.tables import table_of_pairs, table_of_relation
from clusterdiff.inputs.scored.trees import Tree, is_estimator, tree_of_estimator, tree_of_linkage
from clusterdiff.inputs.scored.wrapped import is_scored_clusters, unwrapped

if TYPE_CHECKING:
    from clusterdiff.inputs.scored.pairs import ScoredSource
    from clusterdiff.inputs.scored.tables import PairTable

WHAT = "a sweep goes over"


@contextmanager
def opened_scored(
    value: Any,
    *,
    distance: bool | None = None,
    names: Mapping[str, Any] = MappingProxyType({}),
    engine: Any = None,
    **asked: Any,
) -> Iterator[ScoredSource | Tree | Runs]:
    """Scored pairs or a dendrogram; or clusterings, one for each level.

    `names` are those of columns of pairs; `asked` is what else `read` takes of a file.
    """
    value = unwrapped(value)
    if isinstance(value, str | os.PathLike) and os.fspath(value).endswith(".npy"):
        value = _array_of(os.fspath(value))
    if isinstance(value, str | os.PathLike) and not is_levels(value):
        in_memory = _is_arrays(engine)
        with _opened_file(value, engine, names, asked) as table:
            yield table.scored(distance, in_memory)
    elif is_relation(value) and not _is_arrays(engine):
        with _opened_relation(value, names) as copy:
            yield _in_arrow(value, distance, names) if copy is None else copy.scored(distance)
    elif (scored := _in_memory(value, distance, names)) is not None:
        yield scored
    else:
        _refuse_other(value)
        with opened_runs(value, engine=engine, what=WHAT) as runs:
            yield runs


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
    value = unwrapped(value)
    if isinstance(value, str | os.PathLike) and os.fspath(value).endswith(".npy"):
        value = _array_of(os.fspath(value))
    if isinstance(value, str | os.PathLike):
        if is_levels(value):
            raise LinkingError.from_column(os.fspath(value))
        with _opened_file(value, engine, names, asked) as table:
            yield table.unsorted(distance)
    elif is_relation(value):
        with _opened_relation(value, names) as copy:
            yield _in_arrow(value, distance, names) if copy is None else copy.unsorted(distance)
    else:
        yield _pairs_in_memory(value, distance, names)


def _pairs_in_memory(value: Any, distance: bool | None, names: Mapping[str, Any]) -> ScoredSource:
    refuse_spark(value)
    if frame_columns(value) is not None:
        return scored_frame(value, distance, **names)
    if is_estimator(value):
        raise LinkingError.from_tree(a_type(value))
    if is_scored_clusters(value):
        raise LinkingError.from_value(value)
    value = _as_array(value)
    found = bare_pairs(value) or scored_arrays(value, distance)
    if isinstance(found, Tree):
        raise LinkingError.from_tree(f"an array of {len(value):,} x 4 numbers")
    if found is None:
        raise LinkingError.from_value(value)
    return found


def is_levels(path: str | os.PathLike[str]) -> bool:
    """Whether a path names columns of a table, one for each level."""
    return named_column(os.fspath(path))[1] is not None


def _array_of(path: str) -> Any:
    """The array of a file of NumPy: a linkage matrix, or pairs."""
    with ExitStack() as stack:
        source, _ = source_of(stack, path)
        try:
            return np.load(source.files[0], allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ReadError.from_engine(source.shown, str(error)) from None


def _is_arrays(engine: Any) -> bool:
    refuse_engine(engine)
    return backend_for(engine)[0] is None


def refuse_engine(engine: Any) -> None:
    """Refuse engines that do not read pairs in the order of their scores."""
    backend = backend_for(engine)[0]
    if backend is not None and backend.name != "duckdb":
        raise ScoredPairsError.on_spark()


@contextmanager
def _opened_file(
    path: str | os.PathLike[str], engine: Any, names: Mapping[str, Any], asked: dict[str, Any]
) -> Iterator[PairTable]:
    settings = engine if isinstance(engine, DuckDB) else DuckDB()
    with DuckSession(settings) as session:
        table = table_of_pairs(session, path, names, **asked)
        yield table._replace(shown=_short(table.shown))


@contextmanager
def _opened_relation(relation: Any, names: Mapping[str, Any]) -> Iterator[PairTable | None]:
    with RelationSession(relation) as session:
        yield table_of_relation(session, relation, names)


def _in_arrow(relation: Any, distance: bool | None, names: Mapping[str, Any]) -> ScoredSource:
    """The pairs of a relation of another connection, in memory."""
    return scored_frame(relation.to_arrow_table(), distance, **names)


def refuse_spark(value: Any) -> None:
    """Refuse frames of Spark, whose pairs are not linked on one machine."""
    if any(backend.holds(value) for backend in BACKENDS.values() if backend.name == "spark"):
        raise ScoredPairsError.on_spark()


def _in_memory(
    value: Any, distance: bool | None, names: Mapping[str, Any]
) -> ScoredSource | Tree | None:
    """Pairs or a tree that is in memory; None of levels."""
    refuse_spark(value)
    if is_relation(value):
        value = value.to_arrow_table()
    if is_estimator(value):
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


def _refuse_other(value: Any) -> None:
    """Refuse what can be neither pairs nor clusterings."""
    several = isinstance(value, Mapping | list | str | os.PathLike)
    if isinstance(value, Clustering) or not (several or frame_columns(value) is not None):
        raise ScoredPairsError.from_value(value)
    if isinstance(value, Mapping | list) and not value:
        raise ScoredPairsError.empty(f"an empty {type(value).__name__}")
    inside = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list) and not any(map(is_clustering, inside)):
        raise ScoredPairsError.from_value(value)


def _short(shown: str) -> str:
    """What to call a file: its name without folders."""
    return Path(shown).name if shown else shown
