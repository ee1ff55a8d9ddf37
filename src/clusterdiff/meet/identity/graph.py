"""Comparisons as coloured graphs: colour refinement, pruned trees, twins, connected components."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.meet.join import components

ROUND = 400
"""What a round costs besides its edges, in edges."""
SCANS = 8
"""How often all edges may be looked at while leaves are taken off; where they are few, more."""
FEW = 100_000
BACK = np.uint64(0x9E3779B97F4A7C15)
"""Distinguishes an edge from its reverse."""


class Spent(Exception):
    """The work that was allowed is done."""


class VisitBudget:
    """Work that is allowed, in edges looked at."""

    def __init__(self, work: int) -> None:
        self.left = work

    def allows(self, work: int) -> bool:
        """Take work off, and say whether there was that much."""
        self.left -= work
        return self.left >= 0

    def spend(self, work: int) -> None:
        """Take work off; more than there is ends the search."""
        if not self.allows(work):
            raise Spent


class Graph(NamedTuple):
    """Vertices with colours, and edges from one vertex to another with labels."""

    colour: Hashes
    first: Ints
    second: Ints
    label: Hashes

    @property
    def size(self) -> int:
        """How many vertices there are."""
        return self.colour.size

    def gathered(self, words: Hashes) -> Hashes:
        """For each vertex the sum of a word for each neighbour and the edge to it."""
        sums = np.zeros(self.size, np.uint64)
        np.add.at(sums, self.first, mix(words[self.second] + self.label))
        np.add.at(sums, self.second, mix(words[self.first] + self.label + BACK))
        return sums

    def round(self, colour: Hashes) -> Hashes:
        """A round of colour refinement: vertices take the colours around them."""
        return mix(mix(colour) + self.gathered(colour))

    def refined(self, colour: Hashes, budget: VisitBudget) -> Hashes:
        """Colours, refined until no more vertices are distinguished, or as the budget allows."""
        many = _distinct(colour)
        while budget.allows(self.first.size + ROUND):
            colour = self.round(colour)
            now = _distinct(colour)
            if now == many:
                break
            many = now
        return colour

    def part(self, edges: Ints | Bools) -> tuple[Graph, Ints]:
        """These edges and the vertices they have, and which vertices these are."""
        first, second = self.first[edges], self.second[edges]
        used = np.zeros(self.size, np.bool_)
        used[first] = used[second] = True
        kept = np.flatnonzero(used)
        place = np.cumsum(used) - 1
        return Graph(self.colour[kept], place[first], place[second], self.label[edges]), kept

    def components(self) -> Ints:
        """The number of what hangs together with each vertex."""
        return components(self.first, self.second, self.size)

    def twins(self, colour: Hashes) -> tuple[Bools, Hashes]:
        """Which vertices have the colour of another one and other neighbours, and a word for the
        neighbours of each.
        """
        around = self.gathered(mix(np.arange(1, self.size + 1, dtype=np.uint64)))
        _, example, code = np.unique(colour, return_index=True, return_inverse=True)
        return around != around[example][code], around


def _distinct(colour: Hashes) -> int:
    ordered = np.sort(colour)
    return int((ordered[1:] != ordered[:-1]).sum()) + 1


class Trees(NamedTuple):
    """A graph without the trees that hang on it, which its vertices know by their colours."""

    colour: Hashes
    """Of each vertex, with all that hung on it."""
    left: Ints
    """Edges that are in no tree."""
    steps: list[tuple[Ints, Ints, Ints]]
    """Leaves taken off at a time, the vertices they hung on, and the edges."""


def without_trees(g: Graph) -> Trees:
    """Take leaves off again and again; colours of the vertices they hang on take them up."""
    degree = np.bincount(g.first, minlength=g.size) + np.bincount(g.second, minlength=g.size)
    sums = np.zeros(g.size, np.uint64)
    left, steps = np.arange(g.first.size), []
    first, second = g.first, g.second
    scans = max(SCANS * left.size, FEW)
    while left.size and scans > 0:
        scans -= left.size
        at_first = degree[first] == 1
        gone = np.flatnonzero(at_first | (degree[second] == 1))
        if not gone.size:
            break
        begins = at_first[gone]
        leaf = np.where(begins, first[gone], second[gone])
        parent = np.where(begins, second[gone], first[gone])
        edge = left[gone]
        word = mix(mix(g.colour[leaf]) + sums[leaf]) + g.label[edge]
        np.add.at(sums, parent, mix(word + np.where(begins, BACK, np.uint64(0))))
        degree[leaf] = 0
        np.subtract.at(degree, parent, 1)
        steps.append((leaf, parent, edge))
        kept = np.ones(left.size, np.bool_)
        kept[gone] = False
        left, first, second = left[kept], first[kept], second[kept]
    return Trees(mix(mix(g.colour) + sums), left, steps)
