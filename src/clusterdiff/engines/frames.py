"""Frames of every library that narwhals knows: pandas, polars, pyarrow and more."""

from __future__ import annotations

from typing import Any

from clusterdiff.clusterings import Partition, column
from clusterdiff.engines.columns import find_columns


def is_frame(value: object) -> bool:
    """Whether this is a data frame, eager or lazy."""
    import narwhals as nw

    try:
        nw.from_native(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def partition_of_frame(
    frame: Any, *, id: str | None = None, cluster: str | None = None, sample: str | None = None
) -> Partition:
    """A partition from the columns id and cluster of a frame."""
    import narwhals as nw

    data = nw.from_native(frame)
    names = data.collect_schema().names()
    columns = find_columns("the frame", names, id=id, cluster=cluster, sample=sample)
    chosen = data.select(columns.chosen())
    eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
    return Partition(
        column(eager[columns.cluster].to_native()),
        None if columns.id is None else column(eager[columns.id].to_native()),
        None if columns.sample is None else column(eager[columns.sample].to_native()),
    )
