"""One cluster per line: the ids of its objects, separated by tabs, commas or blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import ReadError

if TYPE_CHECKING:
    from clusterdiff.readers.base import Source


def read_partition(source: Source) -> Partition:
    """A partition whose clusters are numbered by line; lines that start with # are comments."""
    lines = [
        line.strip()
        for line in source.text().split("\n")
        if line.strip() and not line.startswith("#")
    ]
    separator = next((mark for mark in "\t," if any(mark in line for line in lines)), None)
    if separator and any(separator not in line and " " in line for line in lines):
        raise ReadError(
            f"some lines of {source.shown} separate ids by {separator!r}, others by blanks.",
            "use one of them throughout.",
        )
    clusters = [[item.strip() for item in line.split(separator)] for line in lines]
    ids, labels = objects_of([[item for item in cluster if item] for cluster in clusters])
    return Partition(labels, column(ids, written=True))
