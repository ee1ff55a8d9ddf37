"""Readers: from anything that holds a clustering to a clustering. They know no measure."""

from clusterdiff.io import engines as engines
from clusterdiff.io.adapters import clustering
from clusterdiff.io.arguments import (
    MEET_OPTIONS,
    AlignedComparison,
    align_together,
    contingency_of,
    kinds_for,
    listed,
    listed_kinds,
    meet,
    settle_indexes,
    shapes_of_few,
    side,
    sides_together,
)
from clusterdiff.io.read import read
from clusterdiff.io.session import EngineSessions

__all__ = [
    "MEET_OPTIONS",
    "AlignedComparison",
    "EngineSessions",
    "align_together",
    "clustering",
    "contingency_of",
    "kinds_for",
    "listed",
    "listed_kinds",
    "meet",
    "read",
    "settle_indexes",
    "shapes_of_few",
    "side",
    "sides_together",
]
