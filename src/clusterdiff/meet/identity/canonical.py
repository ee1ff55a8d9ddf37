"""Names for all parts of a comparison that do not depend on order and names.

Colour refinement distinguishes most comparisons, but not regular structures: a ring of four
clusters and two rings of two look alike to it. What it is sure of: trees, and in what is left of a
component without them, vertices whose colour no other has but their twins (the same neighbours).
Other components are searched (`search`), within a budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.meet.identity.graph import Graph, Spent, Trees, VisitBudget, without_trees
from clusterdiff.meet.identity.refinement import canonical_names, certificate

REFINE = 10**7
"""Edges that are looked at to refine colours that had not settled."""
SEARCH = 2 * 10**7
"""Edges that are looked at to distinguish regular structures."""


@dataclass(frozen=True, eq=False)
class Core:
    """What is left of a graph without its trees, with names for its vertices."""

    graph: Graph
    vertices: Ints
    """Which vertices of the whole graph these are."""
    names: Hashes
    searched: Bools
    """Which vertices are in components that colours alone do not distinguish from others."""
    unique: bool
    """Whether no two vertices but twins have the same name, wherever they are."""
    complete: bool
    """Whether all that differs has different names."""

    @cached_property
    def component(self) -> Ints:
        """The connected component of each vertex; one for all if names are unique."""
        return np.zeros(self.graph.size, np.int64) if self.unique else self.graph.components()

    @cached_property
    def certificates(self) -> Hashes:
        """For each vertex what its component is."""
        sums = np.zeros(int(self.component.max(initial=-1)) + 1, np.uint64)
        np.add.at(sums, self.component[self.graph.first], certificate(self.graph, self.names))
        return np.asarray(mix(sums)[self.component])

    def first_of_each(self, some: Bools) -> Ints:
        """A vertex of each component that these vertices are in."""
        where = np.flatnonzero(some)
        return where[np.unique(self.component[where], return_index=True)[1]]


@dataclass(frozen=True, eq=False)
class Canonical:
    """A graph whose vertices have names that do not depend on their order."""

    graph: Graph
    trees: Trees
    core: Core
    settled: bool
    """Whether the colours and labels that were given say all that refining them can say."""

    @property
    def complete(self) -> bool:
        """Whether graphs that differ in more than the order of vertices have different names."""
        return self.core.complete

    @cached_property
    def certificate(self) -> bytes:
        """What the colours and labels that were given do not say; nothing where they say it all."""
        core = self.core
        if not core.complete or (self.settled and not core.searched.any()):
            return b""
        wanted = core.searched if self.settled else np.ones_like(core.searched)
        found = core.certificates[core.first_of_each(wanted)]
        if not self.settled:
            found = np.concatenate([found, self.trees.colour[self._roots]])
        sums = [mix(found + np.uint64(salt)).sum(dtype=np.uint64) for salt in (1, 2)]
        return np.array(sums, "<u8").tobytes()

    @property
    def _roots(self) -> Ints:
        """The last vertex of each component that is a tree."""
        last = np.zeros(self.graph.size, np.bool_)
        for leaf, parent, _ in self.trees.steps:
            last[parent], last[leaf] = True, False
        last[self.core.vertices] = False
        return np.flatnonzero(last)

    @cached_property
    def names(self) -> Hashes:
        """A name for each vertex, equal where a symmetry takes one to the other."""
        made = self.trees.colour.copy()
        made[self.core.vertices] = mix(self.core.names + self.core.certificates)
        for leaf, parent, edge in reversed(self.trees.steps):
            own = mix(self.trees.colour[leaf] + self.graph.label[edge])
            made[leaf] = mix(made[parent] + own)
        return made

    @cached_property
    def order(self) -> Ints:
        """The vertices in an order such that the graph is the same however it was given.

        Those of one name lie side by side, in the order of their components and of the vertices
        that they hang on.
        """
        names, core = self.names, self.core
        rank = np.arange(self.graph.size)
        placed = np.lexsort((core.component, names[core.vertices]))
        rank[core.vertices[placed]] = np.arange(placed.size)
        for leaf, parent, _ in reversed(self.trees.steps):
            placed = np.lexsort((rank[parent], names[leaf]))
            rank[leaf[placed]] = np.arange(placed.size)
        return np.lexsort((rank, names))


def canonical(g: Graph, settled: bool) -> Canonical:
    """Names for a graph; settled says that its colours and labels tell all that refining can."""
    trees = without_trees(g)
    core, vertices = Graph(trees.colour, *g[1:]).part(trees.left)
    return Canonical(g, trees, Core(core, vertices, *_named(core)), settled)


def _named(g: Graph) -> tuple[Hashes, Bools, bool, bool]:
    """Names for a graph without trees, where they had to be searched, whether they are unique, and
    whether they tell all apart.
    """
    names = g.round(g.colour)
    searched = np.zeros(g.size, np.bool_)
    if not g.twins(names)[0].any():
        return names, searched, True, True
    component = g.components()
    unsure = _unsure(g, names, component)
    if not unsure.any():
        return names, searched, False, True
    part, kept = g.part(unsure[g.first])
    names[kept] = part.refined(names[kept], budget := VisitBudget(REFINE))
    searched = _unsure(g, names, component)
    if not searched.any() or budget.left < 0:
        return names, searched, False, not searched.any()
    part, kept = g.part(searched[g.first])
    try:
        names[kept] = _searched(part, names[kept], component[kept])
    except Spent:
        return names, searched, False, False
    return names, searched, False, True


def _unsure(g: Graph, names: Hashes, component: Ints) -> Bools:
    """Which vertices are in a component where one has the colour of another that is no twin."""
    apart = mix(names + mix(component.astype(np.uint64)))
    unsure = np.zeros(int(component.max()) + 1, np.bool_)
    unsure[component[g.twins(apart)[0]]] = True
    return np.asarray(unsure[component])


def _searched(g: Graph, colour: Hashes, component: Ints) -> Hashes:
    """Names for the vertices of each component; those that are given alike are searched once."""
    budget, known = VisitBudget(SEARCH), dict[bytes, "Hashes"]()
    order = np.lexsort((colour, component))
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    edges = np.lexsort((place[g.second], place[g.first], component[g.first]))
    starts = [
        np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
        for owner in (component[order], component[g.first[edges]])
    ]
    names = np.empty_like(colour)
    for (begin, end), (head, tail) in zip(pairwise(starts[0]), pairwise(starts[1]), strict=True):
        here, mine = order[begin:end], edges[head:tail]
        part = Graph(
            colour[here], place[g.first[mine]] - begin, place[g.second[mine]] - begin, g.label[mine]
        )
        key = b"".join(column.tobytes() for column in part)
        if key not in known:
            known[key] = canonical_names(part, part.colour, budget)
        names[here] = known[key]
        budget.spend(10)
    return names
