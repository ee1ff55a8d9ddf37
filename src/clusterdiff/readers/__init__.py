"""Readers: from anything that holds a clustering to a clustering. They know no measure."""

from clusterdiff.readers.base import read
from clusterdiff.readers.front import (
    MEET_OPTIONS,
    clustering,
    kinds_for,
    listed_kinds,
    meet,
    refuse_shuffled_series,
)

__all__ = [
    "MEET_OPTIONS",
    "clustering",
    "kinds_for",
    "listed_kinds",
    "meet",
    "read",
    "refuse_shuffled_series",
]
