"""Readers: from anything that holds a clustering to a clustering. They know no measure."""

from clusterdiff.inputs import engines as engines
from clusterdiff.inputs.coerce import (
    MEET_OPTIONS,
    clustering,
    kinds_for,
    listed,
    listed_kinds,
    meet,
    met,
    side,
    sides_together,
)
from clusterdiff.inputs.few import shapes_of_few
from clusterdiff.inputs.indexes import settle_indexes
from clusterdiff.inputs.read import read
from clusterdiff.inputs.session import Workshop
from clusterdiff.inputs.together import Judged, judged_together

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
