"""What packages that add a measure, an input format, a condition or a backend are written with.

CONTRIBUTING has an example of each; `clusterdiff.testing` checks a measure.
"""

from clusterdiff.backends.columns.find import find_columns
from clusterdiff.backends.protocol import Backend
from clusterdiff.backends.sql.session import Session
from clusterdiff.backends.table import Table, table_of_query
from clusterdiff.clusterings import AnyClustering, Cover, Partition, column
from clusterdiff.errors import ClusterdiffError, ReadError
from clusterdiff.inputs.formats import Format
from clusterdiff.inputs.read import Source
from clusterdiff.laboratory.condition import Axiom, Equal, Order, Rule
from clusterdiff.measures.core.claims import Claims
from clusterdiff.measures.core.interval import Interval
from clusterdiff.measures.core.measure import Measure, measure
from clusterdiff.measures.core.zero_division import f_score, ratio, share
from clusterdiff.meet import CoverMeet, HardMeet, Shapes, SoftMeet

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
