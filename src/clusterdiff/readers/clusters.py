"""One cluster per line: the ids of its objects, separated by tabs, commas or blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.partition import objects_of

if TYPE_CHECKING:
    from clusterdiff.readers.base import Source


def read_partition(source: Source) -> Partition:
    """A partition whose clusters are numbered by line; lines that start with # are comments."""
    text = source.text()
    separator = next((mark for mark in "\t," if mark in text), None)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    clusters = [[item.strip() for item in line.split(separator)] for line in lines]
    ids, labels = objects_of([[item for item in cluster if item] for cluster in clusters])
    return Partition(labels, column(ids, written=True))
