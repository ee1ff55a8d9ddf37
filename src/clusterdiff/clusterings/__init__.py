"""Clusterings: partitions, covers and uncertain clusterings of objects."""

from __future__ import annotations

from typing import Any

from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.columns import Column, column
from clusterdiff.clusterings.cover import Cover
from clusterdiff.clusterings.degrees import Masses
from clusterdiff.clusterings.evidential import Evidential
from clusterdiff.clusterings.fuzzy import Fuzzy
from clusterdiff.clusterings.images import LabelImage
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.possibilistic import Possibilistic
from clusterdiff.clusterings.rough import Rough
from clusterdiff.clusterings.sets import Sets
from clusterdiff.clusterings.soft import Relation, Soft

# From one kind of clustering to another that can say as much: nothing is lost on the way up.

SOFT = {
    "rough": Rough,
    "fuzzy": Fuzzy,
    "possibilistic": Possibilistic,
    "evidential": Evidential,
}
"""The kinds of uncertain clusterings by name."""


def lift(clustering: Any, kind: str) -> Any:
    """The same clustering as one of another kind, if that kind can say all that it says.

    >>> from clusterdiff.clusterings.partition import Partition
    >>> lift(Partition(["a", "b"]), "fuzzy")
    Fuzzy(2 objects, 2 clusters, 0 uncertain)

    A partition is a rough, a fuzzy and a possibilistic clustering, a rough one is possibilistic,
    and all are evidential. `harden` and `pignistic` are the ways down, with a loss.
    """
    return SOFT[kind](clustering)


AnyClustering = Partition | Cover | Soft

__all__ = [
    "SOFT",
    "AnyClustering",
    "Clustering",
    "Column",
    "Cover",
    "Evidential",
    "Fuzzy",
    "LabelImage",
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
