"""One label per line: the n-th line is the label of the n-th object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.clusterings import Partition, column

if TYPE_CHECKING:
    from clusterdiff.readers.base import Source


def read_partition(source: Source) -> Partition:
    """A partition without ids; an empty line is a null label."""
    import pyarrow as pa

    lines = source.text().replace("\r\n", "\n").removesuffix("\n").split("\n")
    if lines == [""]:
        lines = []
    labels = pa.array([line or None for line in lines], pa.large_string())
    return Partition(column(labels, written=True))
