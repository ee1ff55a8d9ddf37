"""Clusterings: partitions, covers and uncertain clusterings of objects."""

from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.cover import Cover
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.sets import Sets
from clusterdiff.clusterings.evidential import Evidential
from clusterdiff.clusterings.fuzzy import Fuzzy
from clusterdiff.clusterings.lift import SOFT, lift
from clusterdiff.clusterings.masses import Masses
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.possibilistic import Possibilistic
from clusterdiff.clusterings.rough import Rough
from clusterdiff.clusterings.soft import Relation, Soft

AnyClustering = Partition | Cover | Soft

__all__ = [
    "SOFT",
    "AnyClustering",
    "Clustering",
    "Column",
    "Cover",
    "Evidential",
    "Fuzzy",
    "Masses",
    "Partition",
    "Possibilistic",
    "Relation",
    "Rough",
    "Sets",
    "Soft",
    "column",
    "lift",
]
