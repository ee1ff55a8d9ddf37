"""Columns in order, and one after the other. The order of values is the same on every engine:
numbers by size, text by code points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.column import Column, column


def sorting(values: Column) -> Ints:
    """The positions of the values in their order; equal ones as they come."""
    if values.family in ("integers", "numbers"):
        return np.argsort(values.values, kind="stable")
    if values.family == "text":
        import pyarrow.compute as pc

        return np.asarray(pc.sort_indices(values.arrow()).to_numpy(), np.int64)
    listed = values.tolist()
    return np.array(sorted(range(len(listed)), key=lambda i: sort_key(listed[i])), np.int64)


def sort_key(value: Any) -> tuple[str, Any]:
    """What values of any types are sorted by: numbers first, then by type and text."""
    if isinstance(value, int | float):
        return ("", value)
    return (type(value).__name__, value if isinstance(value, str) else repr(value))


def ranked(values: Column) -> Ints:
    """The place of each of some distinct values in their order."""
    ordered = values.family in ("integers", "numbers") and bool(
        (values.values[1:] > values.values[:-1]).all()
    )
    if ordered:
        return np.arange(len(values))
    rank = np.empty(len(values), np.int64)
    rank[sorting(values)] = np.arange(len(values))
    return rank


def by_least(values: Column, group: Ints, groups: int) -> Ints:
    """The groups in the order of the least value that each has."""
    if values.family not in ("integers", "numbers"):
        values = Column(ranked(values), "integers")
    top = np.iinfo(np.int64).max if values.family == "integers" else np.inf
    least = np.full(groups, top, values.values.dtype)
    np.minimum.at(least, group, values.values)
    return np.argsort(least, kind="stable")


def joined(first: Column, second: Column) -> Column:
    """Two columns one after the other, of one family where they are."""
    if not len(second):
        return first
    if not len(first):
        return second
    written = first.written
    if first.family == second.family == "text":
        import pyarrow as pa

        chunks = [*first.arrow().chunks, *second.arrow().chunks]
        return Column(pa.chunked_array(chunks), "text", written=written)
    if first.family == second.family and first.family != "values":
        values = np.concatenate([first.values, second.values])
        return Column(values, first.family, written=written)
    return column([*first.tolist(), *second.tolist()], written=written)


def ascends(values: Column) -> bool:
    """Whether numbers stand in their order already."""
    known = values.family in ("integers", "numbers")
    return known and bool((values.values[1:] >= values.values[:-1]).all())
