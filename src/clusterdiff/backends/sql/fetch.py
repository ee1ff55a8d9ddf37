"""From what an engine hands over to a meet: rows in conflict with their clusters numbered, and
clusters that agree, one row per size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.alignment import Fate
from clusterdiff.clusterings.encode.column import column
from clusterdiff.clusterings.encode.group import number, pair_keys, span
from clusterdiff.meet import Alignment, HardMeet, Stack

Arrow = dict[str, Any]
"""Columns of an Arrow table; one that was used is given up, as there may be many rows."""


def meet_of(agreeing: Arrow, rows: Arrow, alignment: Alignment) -> HardMeet:
    """The meet of two partitions."""
    return HardMeet(**_columns(agreeing, rows, _index(rows)), alignment=alignment)


def stack_of(names: list[Any], agreeing: Arrow, rows: Arrow, alignment: Alignment) -> Stack:
    """The meets of samples, one after the other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known, index = pa.array(names, agreeing["s"].type), _index(rows)
    places = [pc.index_in(columns["s"], value_set=known) for columns in (agreeing, rows)]
    sample = np.concatenate([_ints(places[0]), _ints(places[1])[index]])
    return Stack(names, sample, _columns(agreeing, rows, index), alignment)


def _index(rows: Arrow) -> Ints | slice:
    """Which row each comes from, where a row stands for several objects; else all as they are."""
    if "times" not in rows:
        return slice(None)
    times = _ints(rows.pop("times"))
    return np.repeat(np.arange(times.size), times)


def _columns(agreeing: Arrow, rows: Arrow, index: Ints | slice) -> dict[str, Any]:
    """The columns of a meet, clusters that agree in front."""
    size, count = _ints(agreeing["shared"]), _ints(agreeing["times"])
    made: dict[str, Any] = {}
    for name, own in (("both", "shared"), ("truth_size",) * 2, ("guess_size",) * 2):
        made[name] = np.concatenate([size, _ints(rows.pop(own))[index]])
    for name, status in (("truth", "a"), ("guess", "b")):
        cluster = _numbered(rows, name[0], size.size)[index]
        if status in rows:
            _settle(cluster, _ints(rows.pop(status))[index])
        made[name] = np.concatenate([np.arange(size.size), cluster])
    ones = np.ones(made["both"].size - size.size, np.int64)
    return made | {"times": np.concatenate([count, ones])}


def _numbered(rows: Arrow, label: str, first: int) -> Ints:
    """Numbers for the clusters of a side, from `first` on; those of samples differ."""
    keys = column(rows.pop(label)).keys
    if "s" in rows:
        keys = pair_keys(column(rows["s"]).keys, keys)
    low, wide = span(keys) if keys.size else (0, 0)
    if wide > max(4096, 4 * keys.size):
        keys, low = number(keys)[0], 0
    return keys + (first - low)


def _settle(cluster: Ints, status: Ints) -> None:
    """Give objects a cluster of their own, or none, where that is what is said of them."""
    own = np.flatnonzero(status == Fate.ALONE)
    cluster[own] = int(cluster.max(initial=-1)) + 1 + np.arange(own.size)
    cluster[status == Fate.MISSING] = -1


def _ints(values: Any) -> Ints:
    return np.asarray(values.to_numpy(), np.int64)
