"""Scored pairs in memory: frames, three arrays, edges of a graph, what dedupe and SciPy give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clusterdiff.backends.columns.frames import is_frame
from clusterdiff.backends.columns.pairs import PairColumns, find_pair_columns, has_pair_columns
from clusterdiff.errors import FRAME, InputError, shown
from clusterdiff.errors.scored import ScoredPairsError
from clusterdiff.inputs.scored.pairs import ScoredSource, scored_columns
from clusterdiff.inputs.scored.trees import Tree, is_linkage, looks_like_tree, tree_of_linkage

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
        _refuse_datasets(eager, columns)
    left, right = columns.ids(FRAME, lambda name: eager[own[name]].to_native())
    values = None
    if columns.score is not None:
        score = eager[own[columns.score]]
        values = score.to_list() if score.null_count() else score.to_numpy()
    return scored_columns(FRAME, left, right, values, distance=distance, columns=columns)


def _refuse_datasets(eager: Any, columns: PairColumns) -> None:
    assert columns.datasets is not None
    seen = {value for name in columns.datasets for value in eager[name].unique().to_list()}
    if len(seen) > 1:
        raise ScoredPairsError.datasets(FRAME, columns.left, columns.right, "source_dataset")


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
    if not all(_is_number(score) for score in value.values()):
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
    if is_linkage(value):
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
        raise ScoredPairsError.from_value(value)
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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
