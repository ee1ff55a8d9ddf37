"""Readers: from anything that holds a clustering to a clustering. They know no measure."""

from clusterdiff.readers.base import read
from clusterdiff.readers.front import (
    MEET_OPTIONS,
    clustering,
    kinds_for,
    listed,
    listed_kinds,
    meet,
    met,
    refuse_shuffled_series,
    side,
)
from clusterdiff.readers.together import Judged, judged_together
from clusterdiff.readers.workshop import ENGINES, Workshop

__all__ = [
    "ENGINES",
    "MEET_OPTIONS",
    "Judged",
    "Workshop",
    "clustering",
    "judged_together",
    "kinds_for",
    "listed",
    "listed_kinds",
    "meet",
    "met",
    "read",
    "refuse_shuffled_series",
    "side",
]
