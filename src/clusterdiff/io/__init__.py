"""Readers: from anything that holds a clustering to a clustering. They know no measure."""

from clusterdiff.io import engines as engines
from clusterdiff.io.adapters import clustering
from clusterdiff.io.arguments import (
    MEET_OPTIONS,
    Judged,
    judged_together,
    kinds_for,
    listed,
    listed_kinds,
    meet,
    met,
    settle_indexes,
    shapes_of_few,
    side,
    sides_together,
)
from clusterdiff.io.read import read
from clusterdiff.io.session import Workshop

__all__ = [
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
    "settle_indexes",
    "shapes_of_few",
    "side",
    "sides_together",
]
