"""Rough clusterings: each object is in one of the clusters named for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.columns import hashable
from clusterdiff.clusterings.cover import Cover, named_in
from clusterdiff.clusterings.degrees import Masses, check_extras
from clusterdiff.clusterings.partition import Partition
from clusterdiff.clusterings.sets import Sets
from clusterdiff.clusterings.soft import Soft
from clusterdiff.errors import InputError, shown


class Rough(Soft):
    """Each object is in *one* of the clusters named for it, and which one is not known.

    >>> Rough([{"a"}, {"a", "b"}, {"b"}])
    Rough(3 objects, 2 clusters, 1 uncertain)
    >>> Rough({"x": ["a"], "y": ["a", "b"]}).of("y") == {frozenset({"a", "b"}): 1.0}
    True

    An object for which no cluster is named has its mass on the empty set: it is in none of them.
    A 0/1 matrix, as an array or as nested lists, has a row for each object and a column for each
    cluster.
    """

    kind = "rough"
    sets: Sets
    """The distinct sets of clusters."""

    def __init__(self, sets: Any, ids: Any = None, samples: Any = None) -> None:
        if isinstance(sets, Clustering):
            check_extras("rough", ids=ids, samples=samples)
        if isinstance(sets, Soft) and not isinstance(sets, Rough):
            raise InputError.from_lift(sets.kind, "rough")
        if isinstance(sets, Rough):
            vars(self).update(vars(sets))
            return
        if isinstance(sets, Cover):
            raise InputError.from_cover("rough")
        self._name(Cover(sets) if isinstance(sets, Partition) else Cover(sets, ids, samples))

    def _name(self, cover: Cover) -> None:
        """Take the sets of a cover for those of which one is meant."""
        self._shared(cover)
        self.code, self.sets, self.labels = cover.code, cover.sets, cover.labels
        self.notes = cover.notes

    @classmethod
    def _of_labels(cls, sets: Sequence[Any], ids: Any = None, samples: Any = None) -> Self:
        made = object.__new__(cls)
        made._name(Cover._of_labels(sets, ids, samples))
        return made

    @classmethod
    def from_rows(cls, ids: Any, clusters: Any, samples: Any = None) -> Self:
        """A rough clustering from a table with a row for each cluster an object may be in.

        >>> Rough.from_rows(["x", "y", "y"], ["a", "a", "b"])
        Rough(2 objects, 2 clusters, 1 uncertain)
        """
        made = object.__new__(cls)
        made._name(Cover.from_rows(ids, clusters, samples))
        return made

    @classmethod
    def from_bounds(cls, lower: Mapping[Any, Iterable[Any]], upper: Mapping[Any, Any]) -> Self:
        """A rough clustering from the objects that are in each cluster certainly, and possibly.

        >>> Rough.from_bounds({"a": ["x"], "b": []}, {"a": ["x", "y"], "b": ["y"]}).of("x")
        {frozenset({'a'}): 1.0}
        """
        if not isinstance(lower, Mapping) or not isinstance(upper, Mapping):
            raise InputError(
                "bounds are dicts from cluster to objects.",
                'cd.Rough.from_bounds({"a": ["x"]}, {"a": ["x", "y"], "b": ["y"]})',
            )
        possible: dict[Any, set[Any]] = {}
        for name, items in upper.items():
            for item in hashable(named_in(items, "a cluster")):
                possible.setdefault(item, set()).add(name)
        for name, items in lower.items():
            for item in hashable(named_in(items, "a cluster")):
                if possible.get(item) != {name}:
                    others = sorted(map(shown, possible.get(item, set()) - {name}))
                    raise InputError(
                        f"{shown(item)} is certainly in {shown(name)}, and "
                        + (f"possibly in {others[0]} too." if others else "not possibly in it."),
                        "what is in a lower bound is in the upper bound of that cluster alone.",
                    )
        each = [sorted(names, key=shown) for names in possible.values()]
        return cls._of_labels(each, list(possible))

    def _drop_empty(self) -> None:
        """No object is there that has the empty set."""

    @cached_property
    def masses(self) -> Masses:
        """The distinct mass functions: all mass on one set each."""
        return Masses(self.sets, self.clusters)
