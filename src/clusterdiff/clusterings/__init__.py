"""Clusterings: what is said of each object."""

from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.column import Column, column
from clusterdiff.clusterings.partition import Partition

__all__ = ["Clustering", "Column", "Partition", "column"]
