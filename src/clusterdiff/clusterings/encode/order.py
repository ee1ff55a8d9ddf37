"""The order of values, which is the same on every engine: numbers by size, text by code points."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.encode.column import Column


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


def by_least(values: Column | None, group: Ints, groups: int) -> Ints:
    """The place of each group in the order of the least value that it has; values that are not
    given are positions, and members of group -1 do not count.
    """
    if values is None or _ascend(values):
        least = np.full(groups, group.size)
        inside = np.flatnonzero(group >= 0)[::-1]
        least[group[inside]] = inside
    elif values.family in ("integers", "numbers"):
        top = np.iinfo(np.int64).max if values.family == "integers" else np.inf
        least = np.full(groups, top, values.values.dtype)
        inside = group >= 0
        np.minimum.at(least, group[inside], values.values[inside])
    else:
        rank = np.empty(len(values), np.int64)
        rank[sorting(values)] = np.arange(len(values))
        return by_least(Column(rank, "integers"), group, groups)
    made = np.empty(groups, np.int64)
    made[np.argsort(least, kind="stable")] = np.arange(groups)
    return made


def _ascend(values: Column) -> bool:
    """Whether numbers stand in their order already."""
    known = values.family in ("integers", "numbers")
    return known and bool((values.values[1:] >= values.values[:-1]).all())
