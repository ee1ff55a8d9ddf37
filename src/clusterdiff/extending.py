"""What packages that add a measure, an input format, a condition or a backend are written with.

CONTRIBUTING has an example of each; `clusterdiff.testing` checks a measure.
"""

from clusterdiff.clusterings import AnyClustering, Cover, Partition, column
from clusterdiff.contingency import CoverMeet, HardMeet, Shapes, SoftMeet
from clusterdiff.engines.columns import find_columns
from clusterdiff.engines.protocol import Backend, Session, Table, table_of_query
from clusterdiff.errors import ClusterdiffError, ReadError
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Source
from clusterdiff.measures.base import Claims, Measure, measure
from clusterdiff.measures.interval import Interval
from clusterdiff.measures.zero_division import f_score, ratio, share
from clusterdiff_lab.axioms.condition import Axiom, Equal, Order, Rule

__all__ = [
    "AnyClustering",
    "Axiom",
    "Backend",
    "Claims",
    "ClusterdiffError",
    "Cover",
    "CoverMeet",
    "Equal",
    "Format",
    "HardMeet",
    "Interval",
    "Measure",
    "Order",
    "Partition",
    "ReadError",
    "Rule",
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
