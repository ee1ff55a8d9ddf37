"""One label per line: the n-th line is the label, or the labels, of the n-th object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.clusterings import AnyClustering, Cover, Partition, Rough, column
from clusterdiff.readers.clusters import split

if TYPE_CHECKING:
    from clusterdiff.readers.base import Source


def read_clustering(source: Source) -> AnyClustering:
    """No ids; an empty line is a null label, in a cover an object in no cluster."""
    import pyarrow as pa

    source.refuse_columns(has_ids=False)
    lines = source.text().replace("\r\n", "\n").removesuffix("\n").split("\n")
    if lines == [""]:
        lines = []
    if source.kind in ("cover", "rough"):
        return (Cover if source.kind == "cover" else Rough)(split(source, lines))
    labels = pa.array([line or None for line in lines], pa.large_string())
    return Partition(column(labels, written=True))
