"""Names for the vertices of a regular graph: one is singled out, then colours are refined.

Where colours do not distinguish vertices, each of the fewest that look alike is singled out in turn
and colours are refined again, until all differ. Of all ways the one with the first certificate
gives the names. Ways with equal certificates are symmetries, which save trying others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Hashes, Ints
from clusterdiff.clusterings.encode.sets import mix
from clusterdiff.meet.identity.graph import Graph, Spent, VisitBudget
from clusterdiff.meet.join import components

DEPTH = 100
"""Vertices that are singled out one after the other at most."""
CHOSEN = np.uint64(0xD1B54A32D192ED03)
"""Distinguishes a vertex that is singled out from the others of its colour."""


class RefinementPath(NamedTuple):
    """Colours that distinguish all vertices, and the graph in terms of them."""

    certificate: int
    colour: Hashes

    def to(self, other: RefinementPath) -> Ints:
        """The symmetry that takes the vertices to those of the same colour in another way."""
        image = np.empty(self.colour.size, np.int64)
        image[np.argsort(self.colour)] = np.argsort(other.colour)
        return image


class RefinedNames(NamedTuple):
    """What came of trying all ways from some colours on."""

    best: RefinementPath
    start: RefinementPath
    """The way that was tried first."""
    symmetries: list[Ints]


def canonical_names(g: Graph, colour: Hashes, budget: VisitBudget) -> Hashes:
    """A colour for each vertex of a graph whose colours are refined already: the same for graphs
    that differ in the order of vertices alone, and different for all vertices but twins.
    """
    twin = mix(colour + g.twins(colour)[1])
    _, example, code, many = np.unique(
        twin, return_index=True, return_inverse=True, return_counts=True
    )
    alone = np.full(g.size, -1)
    alone[example] = np.arange(example.size)
    kept = (alone[g.first] >= 0) & (alone[g.second] >= 0)
    small = Graph(
        mix(colour[example] + many.astype(np.uint64)),
        alone[g.first[kept]],
        alone[g.second[kept]],
        g.label[kept],
    )
    return _searched(small, small.refined(small.colour, budget), budget, DEPTH).best.colour[code]


def certificate(g: Graph, colour: Hashes) -> Hashes:
    """For each edge what it is in these colours: all of them together are the graph."""
    return mix(mix(colour[g.first] + g.label) + np.uint64(3) * colour[g.second])


def _searched(g: Graph, colour: Hashes, budget: VisitBudget, depth: int) -> RefinedNames:
    cell = _cell(colour)
    if cell is None:
        way = RefinementPath(int(certificate(g, colour).sum(dtype=np.uint64)), colour)
        return RefinedNames(way, way, [])
    if not depth:
        raise Spent
    found: RefinedNames | None = None
    trace = 0
    orbits, tried = _Orbits(g.size), list[int]()
    for vertex in cell.tolist():
        if orbits.reach(vertex, tried):
            continue
        tried.append(vertex)
        made = _singled_out(g, colour, vertex, budget)
        here = int(mix(made).sum(dtype=np.uint64))
        if found is not None and here > trace:
            continue
        if found is not None and here == trace:
            way = _first_way(g, made, budget)
            known = [one for one in found[:2] if one.certificate == way.certificate]
            if known:
                orbits.add([known[0].to(way)])
                continue
        below = _searched(g, made, budget, depth - 1)
        orbits.add(below.symmetries)
        if found is None or (here, below.best.certificate) < (trace, found.best.certificate):
            found, trace = below, here
        elif below.best.certificate == found.best.certificate:
            orbits.add([found.best.to(below.best)])
    assert found is not None
    return RefinedNames(found.best, found.start, orbits.symmetries)


def _first_way(g: Graph, colour: Hashes, budget: VisitBudget) -> RefinementPath:
    """The way along the first vertex each time."""
    while (cell := _cell(colour)) is not None:
        colour = _singled_out(g, colour, int(cell[0]), budget)
    return RefinementPath(int(certificate(g, colour).sum(dtype=np.uint64)), colour)


def _cell(colour: Hashes) -> Ints | None:
    """The fewest vertices that share a colour, if any do."""
    colours, code, many = np.unique(colour, return_inverse=True, return_counts=True)
    if colours.size == colour.size:
        return None
    several = np.where(many > 1, many, colour.size + 1)
    return np.flatnonzero(code == int(np.argmin(several)))


def _singled_out(g: Graph, colour: Hashes, vertex: int, budget: VisitBudget) -> Hashes:
    """Colours refined after one vertex has a colour of its own."""
    made = colour.copy()
    made[vertex : vertex + 1] += CHOSEN
    made = g.refined(mix(made), budget)
    budget.spend(0)
    return made


class _Orbits:
    """Which vertices the symmetries that are known take to each other."""

    def __init__(self, size: int) -> None:
        self.symmetries: list[Ints] = []
        self._of: Ints = np.arange(size)

    def add(self, symmetries: list[Ints]) -> None:
        """Take more symmetries into account."""
        self.symmetries += symmetries
        for image in symmetries:
            self._of = components(self._of, self._of[image], self._of.size)[self._of]

    def reach(self, vertex: int, tried: list[int]) -> bool:
        """Whether a vertex that was tried is taken to this one."""
        return bool((self._of[tried] == self._of[vertex]).any())
