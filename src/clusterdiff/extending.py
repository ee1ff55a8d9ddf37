"""What packages that add a measure, an input format or a backend are written with.

CONTRIBUTING has an example of each; `clusterdiff.testing` checks a measure.
"""

from typing import Any

from clusterdiff.clusterings import AnyClustering, Cover, Partition, column
from clusterdiff.contingency import CoverMeet, HardMeet, Shapes, SoftMeet
from clusterdiff.engines.columns import find_columns
from clusterdiff.engines.protocol import Backend, Session, Table, table_of_query
from clusterdiff.errors import ClusterdiffError, ReadError
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Source
from clusterdiff.measures.base import Claims, Measure, measure
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.zero_division import f_score, ratio, share
from clusterdiff.plugins import moved

__all__ = [
    "AnyClustering",
    "Backend",
    "Claims",
    "ClusterdiffError",
    "Cover",
    "CoverMeet",
    "Format",
    "HardMeet",
    "Measure",
    "Partition",
    "ReadError",
    "ScoreRange",
    "Session",
    "Shapes",
    "SoftMeet",
    "Source",
    "Table",
    "column",
    "f_score",
    "find_columns",
    "measure",
    "ratio",
    "share",
    "table_of_query",
]


def __getattr__(name: str) -> Any:
    """Conditions live in the laboratory now."""
    if name not in ("Axiom", "Equal", "Order", "Rule"):
        raise AttributeError(f"module 'clusterdiff.extending' has no attribute {name!r}")
    return moved("clusterdiff.extending", "clusterdiff_lab", name)
