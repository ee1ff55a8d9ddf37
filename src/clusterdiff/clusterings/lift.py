"""From one kind of clustering to another that can say as much: nothing is lost on the way up."""

from __future__ import annotations

from typing import Any

from clusterdiff.clusterings.evidential import Evidential
from clusterdiff.clusterings.fuzzy import Fuzzy
from clusterdiff.clusterings.possibilistic import Possibilistic
from clusterdiff.clusterings.rough import Rough

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
