"""The index of pandas and the vertices of igraph as ids: they say which object is which where
nothing else does.

A Series, or a frame without a column of ids, is matched by its index where every other side has ids
or an index; beside labels that have neither it counts by position. So are the communities of a
graph whose vertices have names; where they have numbers alone, one of the others must have ids.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.backends.table import Table
from clusterdiff.clusterings import Clustering, column
from clusterdiff.clusterings.origin import Origin
from clusterdiff.errors import AlignmentError

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering, Column

    Side = AnyClustering | Table


class Vertices(list[Any]):
    """The vertices of a graph, in the place of an index: their names, or their numbers."""

    dtype = np.dtype(object)
    is_unique, hasnans = True, False

    def __init__(self, ids: Iterable[Any], name: str) -> None:
        super().__init__(ids)
        self.name = name

    def equals(self, other: Any) -> bool:
        """Whether another index names the same objects in the same order."""
        return self == list(other)


def index_of(value: Any) -> Any:
    """The index of a Series or a frame of pandas; None of all else."""
    pandas = sys.modules.get("pandas")
    known = pandas is not None and isinstance(value, pandas.Series | pandas.DataFrame)
    return value.index if known else None


def is_default(index: Any) -> bool:
    """Whether this is the index that pandas gives where none is given: the position."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def settle_indexes(sides: Iterable[Side]) -> None:
    """Make the indexes of sides their ids where all sides have such or ids; otherwise they count by
    position, and different indexes are refused, since they would pair rows that do not belong
    together.
    """
    every = list(sides)
    loose = [one for one in every if _index(one) is not None]
    if not loose:
        return
    ids = any(map(has_ids, every))
    if all(_index(one) is not None or has_ids(one) for one in every) and all(
        _names(one, ids) for one in loose
    ):
        known: list[tuple[Any, Column]] = []
        for one in loose:
            index = _index(one)
            same = next((ids for other, ids in known if index.equals(other)), None)
            known.append((index, column(_values(index)) if same is None else same))
            one.ids = known[-1][1]  # type: ignore[union-attr]
            read = one.origin or Origin("labels")
            one.origin = replace(read, id=str(index.name or "index"))  # type: ignore[misc]
        return
    loose = [one for one in loose if not isinstance(_index(one), Vertices)]
    first: Any = _index(loose[0]) if loose else None
    if any(len(_index(one)) == len(first) and not first.equals(_index(one)) for one in loose):
        raise AlignmentError(
            "the two have different indexes; a Series, or a frame without a column of ids, counts "
            "by position, and these would pair rows that do not belong together.",
            "use series.to_dict() or frame.reset_index() to match by index, or to_numpy() to match "
            "by position.",
        )


def _index(side: Side) -> Any:
    """The index of a side that has no ids."""
    return side.index if isinstance(side, Clustering) and side.ids is None else None


def has_ids(side: Side) -> bool:
    """Whether the objects of a side have ids of their own, other than an index."""
    return side.columns.id is not None if isinstance(side, Table) else side.ids is not None


def _names(side: Side, ids: bool) -> bool:
    """Whether an index names every object by itself; `ids` where another side has ids."""
    index = _index(side)
    if isinstance(index, Vertices):
        return ids or index.name != "vertex"
    return not is_default(index) and bool(index.is_unique) and not bool(index.hasnans)


def _values(index: Any) -> Any:
    """The values of an index, numbers and text as they are."""
    plain = index.dtype.kind in "iu" or str(index.dtype) in ("object", "str", "string")
    return index if plain else index.astype(object).to_numpy()
