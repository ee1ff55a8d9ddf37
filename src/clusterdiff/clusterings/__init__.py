"""Clusterings: what is said of each object."""

from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.column import Column, column
from clusterdiff.clusterings.cover import Cover
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.sets import Sets

AnyClustering = Partition | Cover

__all__ = ["AnyClustering", "Clustering", "Column", "Cover", "Partition", "Sets", "column"]
