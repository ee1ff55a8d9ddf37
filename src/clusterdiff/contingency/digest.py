"""A fingerprint of a meet that depends neither on order nor on names.

Rows start with a colour made of their count. In each round a cluster takes the colours of its
rows, and a row those of its two clusters (colour refinement). Meets that differ in a shape, in the
parts of a cluster, or in how clusters hang together, get different colours; where all is regular,
`canonical` has a certificate of what colours do not say.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Hashes, Ints
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency.alignment import Alignment
from clusterdiff.contingency.base import Rows, components

Around = Callable[[Hashes], Hashes]

WORK = 10**7
"""Rows that are coloured in all rounds together, where the colours do not settle before."""
LEAST = 2
"""Rounds that every meet gets, however many rows it has."""
SETTLING = 4
"""Rounds before it is looked whether colours have settled."""
LARGE = WORK // SETTLING
"""Rows of a meet that is too large to look for more than colours."""


def digest(colour: Hashes, times: Ints, certificate: bytes = b"") -> str:
    """Hexadecimal digits for coloured rows and what their colours do not say; sums modulo 2⁶⁴
    stand in for sorting.
    """
    return digits(salted_sums(colour, times), certificate)


def salted_sums(colour: Hashes, times: Ints) -> Hashes:
    """What is left of coloured rows: two sums, modulo 2⁶⁴."""
    repeats = times.astype(np.uint64)
    sums = [(mix(colour + np.uint64(salt)) * repeats).sum(dtype=np.uint64) for salt in (1, 2)]
    return np.array(sums, np.uint64)


def digits(sums: Hashes, certificate: bytes = b"") -> str:
    """Hexadecimal digits for these sums."""
    return blake2b(sums.astype("<u8").tobytes() + certificate, digest_size=16).hexdigest()


def step(of_truth: Around, of_guess: Around) -> Around:
    """A round: rows take the colours of their clusters, which the two functions give."""

    def taken(colour: Hashes) -> Hashes:
        around_truth, around_guess = of_truth(colour), of_guess(colour)
        return mix(mix(colour + around_truth) + np.uint64(3) * around_guess)

    return taken


def colours(colour: Hashes, step: Around, work: int) -> tuple[Hashes, bool]:
    """A colour for each row that depends on how it hangs together with the others, not on names.

    A step is a round, for `work` steps of work. Rounds go on until they tell no more rows apart, or
    the work is spent; it is said which.
    """
    rounds = max(LEAST, WORK // max(work, 1))
    told_apart = 0
    for done in range(rounds):
        colour = step(colour)
        if rounds > SETTLING:
            ordered = np.sort(colour)
            now = int((ordered[1:] != ordered[:-1]).sum())
            if now == told_apart and done >= SETTLING:
                return colour, True
            told_apart = now
    return colour, False


def fingerprint(values: Floats) -> Hashes:
    """A hash of each row of numbers, to single precision: the order of sums does not show."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    place = mix(np.arange(1, words.shape[1] + 1, dtype=np.uint64))
    return np.asarray(mix(words + place).sum(axis=1, dtype=np.uint64))


def of_cluster(cluster: Ints, colour: Hashes) -> Hashes:
    """For each row the colours of its cluster, 0 where the cluster is missing."""
    sums = np.zeros(int(cluster.max(initial=-1)) + 2, np.uint64)
    np.add.at(sums, cluster + 1, mix(colour))
    sums[0] = 0
    return mix(sums)[cluster + 1]


# Comparisons as coloured graphs: colour refinement, pruned trees, twins, connected components.

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


# Names for the vertices of a regular graph: one is singled out, then colours are refined.
#
# Where colours do not distinguish vertices, each of the fewest that look alike is singled out in
# turn and colours are refined again, until all differ. Of all ways the one with the first
# certificate gives the names. Ways with equal certificates are symmetries, which save trying
# others.

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


# Names for all parts of a comparison that do not depend on order and names.
#
# Colour refinement distinguishes most comparisons, but not regular structures: a ring of four
# clusters and two rings of two look alike to it. What it is sure of: trees, and in what is left of
# a component without them, vertices whose colour no other has but their twins (the same
# neighbours). Other components are searched (`search`), within a budget.

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
        names[kept] = _searched_labelling(part, names[kept], component[kept])
    except Spent:
        return names, searched, False, False
    return names, searched, False, True


def _unsure(g: Graph, names: Hashes, component: Ints) -> Bools:
    """Which vertices are in a component where one has the colour of another that is no twin."""
    apart = mix(names + mix(component.astype(np.uint64)))
    unsure = np.zeros(int(component.max()) + 1, np.bool_)
    unsure[component[g.twins(apart)[0]]] = True
    return np.asarray(unsure[component])


def _searched_labelling(g: Graph, colour: Hashes, component: Ints) -> Hashes:
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


# When two comparisons are the same: whatever the order of their rows and the names of clusters.


class Coloured(NamedTuple):
    """A number for each row that tells it from others by its place, not by names."""

    colour: Hashes
    settled: bool
    """Whether more rounds of refinement would distinguish no more rows."""
    work: int
    """What a round costs."""


class Identified(Rows):
    """Rows that are equal to others if they are the same comparison.

    Colours of rows distinguish most comparisons; regular structures need a canonical labelling.
    Degrees, masses and features count to single precision. Where the search is too long
    (`told_apart` is False), comparisons of one digest are equal if their rows are the same numbers.
    """

    @property
    @abstractmethod
    def coloured(self) -> Coloured:
        """Colours of the rows."""

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The comparison as a graph, labelled by the colours of the rows."""

    @property
    @abstractmethod
    def repeats(self) -> Ints:
        """How often the colour of each row counts."""

    @property
    @abstractmethod
    def _as_given(self) -> tuple[list[Ints], list[NDArray[np.generic]]]:
        """The columns of the rows, and what the numbers in them stand for."""

    @property
    def colours(self) -> Hashes:
        """A number for each row that tells it from others by its place, not by names."""
        return self.coloured.colour

    @cached_property
    def canonical(self) -> Canonical | None:
        """Names for all parts of the comparison, unless it is too large."""
        _, settled, work = self.coloured
        return canonical(self.graph, settled) if work <= LARGE else None

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the comparison, whatever the order and the names."""
        found = self.canonical
        return digest(self.colours, self.repeats, b"" if found is None else found.certificate)

    @property
    def told_apart(self) -> bool:
        """Whether other comparisons have other digests, also those with regular structures."""
        return self.canonical is not None and self.canonical.complete

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Identified):
            return NotImplemented
        if not isinstance(self, type(other)) and not isinstance(other, type(self)):
            return NotImplemented
        if self.digest != other.digest:
            return False
        return (self.told_apart and other.told_apart) or _same(self._as_given, other._as_given)

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(frozen=True, eq=False)
class TwoSided(Identified):
    """Rows of which truth and guess say something each: sets of clusters, or mass functions."""

    truth: Any
    guess: Any
    both: Ints
    alignment: Alignment = field(default_factory=Alignment)
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What measures have found out about these rows, so that they find it out once."""

    @property
    def weight(self) -> Ints:
        """Objects per row."""
        return self.both

    @property
    def rows(self) -> int:
        """How many distinct pairs of descriptions there are."""
        return self.both.size

    @cached_property
    def coloured(self) -> Coloured:
        """Colours of the rows."""
        work = self.truth.work + self.guess.work
        around = step(self.truth.colours_around, self.guess.colours_around)
        return Coloured(*colours(mix(self.both.astype(np.uint64)), around, work), work)

    def swap(self) -> Self:
        """The same meet with truth and guess exchanged."""
        return type(self)(self.guess, self.truth, self.both, self.alignment.swap())

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "memo": {}}


def _same(
    one: tuple[list[Ints], list[NDArray[np.generic]]],
    other: tuple[list[Ints], list[NDArray[np.generic]]],
) -> bool:
    """Whether rows are the same but for their order."""
    first, second = (np.column_stack(rows)[np.lexsort(rows)] for rows, _ in (one, other))
    return np.array_equal(first, second) and all(
        np.array_equal(a, b) for a, b in zip(one[1], other[1], strict=True)
    )
