"""Digests and equality: the same for the same comparison in any order, and how far they differ."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

import clusterdiff as cd
from cases import hard_meet, pairs_up_to_renaming

Pairs = list[tuple[int, int]]


def shuffled(pairs: Pairs, rng: random.Random) -> tuple[list[int], list[int]]:
    """Labels of the objects, in another order and under other names."""
    sides = []
    for k in range(2):
        names = sorted({pair[k] for pair in pairs})
        new = dict(
            zip(names, rng.sample(range(100, 100 + 2 * len(names)), len(names)), strict=True)
        )
        sides.append([new[pair[k]] for pair in pairs])
    order = rng.sample(range(len(pairs)), len(pairs))
    return [sides[0][i] for i in order], [sides[1][i] for i in order]


def ring(length: int, first: int = 0) -> Pairs:
    """Truth and guess clusters of two objects each, in a ring."""
    return [(first + k // 2, first + (k + 1) // 2 % length) for k in range(2 * length)]


def rings(*lengths: int) -> Pairs:
    return [pair for k, length in enumerate(lengths) for pair in ring(length, 1000 * k)]


def as_graph(pairs: Pairs) -> nx.Graph:
    graph = nx.Graph()
    for t, g in pairs:
        graph.add_node(("t", t), side="t")
        graph.add_node(("g", g), side="g")
        both = graph.get_edge_data(("t", t), ("g", g), {"both": 0})["both"]
        graph.add_edge(("t", t), ("g", g), both=both + 1)
    return graph


def isomorphic(one: Pairs, other: Pairs) -> bool:
    return bool(
        nx.is_isomorphic(
            as_graph(one), as_graph(other),
            lambda a, b: a["side"] == b["side"], lambda a, b: a["both"] == b["both"],
        )
    )  # fmt: skip


@pytest.mark.parametrize("objects", [2, 3, 4, 5, 6])
def test_all_pairs_of_partitions(objects: int) -> None:
    rng = random.Random(objects)
    found = set()
    for truth, guess in pairs_up_to_renaming(objects):
        m = hard_meet(truth, guess)
        again = hard_meet(*shuffled(list(zip(truth, guess, strict=True)), rng))
        assert m == again
        assert (m.digest, hash(m)) == (again.digest, hash(again))
        found.add(m.digest)
    assert len(found) == len(pairs_up_to_renaming(objects))


def twice(truth: list[int], guess: list[int], rng: random.Random) -> cd.HardMeet:
    """A comparison that has the digest of the same one in another order, under other names."""
    m = hard_meet(truth, guess)
    again = hard_meet(*shuffled(list(zip(truth, guess, strict=True)), rng))
    assert (m, m.digest, hash(m)) == (again, again.digest, hash(again))
    return m


@pytest.mark.parametrize("size", [2, 3, 4])
def test_regular_structures_keep_their_digest(size: int) -> None:
    """Truth and guess clusters of one size, in any order; what is equal has equal digests."""
    rng = random.Random(size)
    truth = [k // size for k in range(4 * size)]
    cases = [rng.sample(truth, len(truth)) for _ in range(12)]
    made = [(list(zip(truth, case, strict=True)), twice(truth, case, rng)) for case in cases]
    for (a, one), (b, other) in combinations(made, 2):
        assert one.digest == other.digest or not isomorphic(a, b)


def test_what_colour_refinement_cannot_distinguish() -> None:
    """Rings of clusters of two objects: the digest sees how many clusters they have in all."""
    rng = random.Random(0)
    four, two_twos = rings(4), rings(2, 2)
    assert not isomorphic(four, two_twos)
    cases = (four, two_twos, rings(60), rings(20, 40), rings(30, 31))
    meets = [twice([t for t, _ in case], [g for _, g in case], rng) for case in cases]
    assert meets[0] == meets[1]
    assert meets[2] == meets[3]
    assert len({m.digest for m in meets}) == 3


@pytest.mark.parametrize("seed", range(3))
def test_random_structures_against_igraph(seed: int) -> None:
    """Canonical forms by BLISS: sorted edges after its permutation."""
    import igraph

    rng = random.Random(seed)

    def form(pairs: Pairs) -> Any:
        graph = as_graph(pairs)
        nodes = list(graph)
        marks = sorted({(u, v) for u, v in graph.edges}, key=repr)
        place = {node: k for k, node in enumerate([*nodes, *marks])}
        ends = [(place[x], place[edge]) for edge in marks for x in edge]
        colour = [0 if n[0] == "t" else 1 for n in nodes] + [
            1 + graph.edges[e]["both"] for e in marks
        ]
        made = igraph.Graph(len(place), ends, vertex_attrs={"colour": colour})
        made = made.permute_vertices(made.canonical_permutation(color="colour"))
        return sorted(map(sorted, made.get_edgelist())), made.vs["colour"]

    cases = []
    for _ in range(25):
        objects, clusters = rng.choice([(6, 3), (8, 4), (9, 3)])
        cases.append([(rng.randrange(clusters), rng.randrange(clusters)) for _ in range(objects)])
        cases.append(list(zip(*shuffled(cases[-1], rng), strict=True)))
    known = [(repr(form(case)), hard_meet(*zip(*case, strict=True)).digest) for case in cases]
    assert len(set(known)) == len({a for a, _ in known}) == len({b for _, b in known})


def test_a_digest_has_sixteen_digits() -> None:
    kinds: list[Any] = [
        ([1, 1, 2], [1, 2, 2]), (cd.Cover([{1}, {1, 2}]), cd.Cover([{1}, {1}])),
        ([1, 2], cd.Fuzzy([[1, 0], [0.5, 0.5]])),
    ]  # fmt: skip
    for truth, guess in kinds:
        m = cd.meet(truth, guess)
        assert len(bytes.fromhex(m.digest)) == 8


def lattice(shifts: list[tuple[int, int]]) -> dict[Any, set[Any]]:
    """The edges of a graph on 4 x 4 vertices, each in the two clusters that it joins."""
    points = [(x, y) for x in range(4) for y in range(4)]
    edges = {frozenset((p, ((p[0] + a) % 4, (p[1] + b) % 4))) for p in points for a, b in shifts}
    return {str(sorted(edge)): {f"{x}-{y}" for x, y in edge} for edge in edges}


def against_one(sets: dict[Any, set[Any]]) -> cd.CoverMeet:
    made = cd.meet(cd.Cover(sets), cd.Cover({key: {0} for key in sets}))
    assert isinstance(made, cd.CoverMeet)
    return made


def test_covers_that_are_strongly_regular() -> None:
    """Shrikhande's graph and the rook's look alike; each has its digest in any order."""
    rook = lattice([(0, 1), (0, 2), (1, 0), (2, 0)])
    shrikhande = lattice([(0, 1), (1, 0), (1, 1)])
    rng = random.Random(0)
    for sets in (rook, shrikhande):
        m = against_one(sets)
        assert m.objects == 48
        assert against_one({key: sets[key] for key in rng.sample(sorted(sets), 48)}) == m


def squares(kind: Callable[[Any], Any], *cycles: list[int]) -> Any:
    """Objects between neighbouring clusters of rings."""
    sides = [(a, b) for c in cycles for a, b in zip(c, [*c[1:], c[0]], strict=True)]
    return kind([set(side) for side in sides])


def halves(sides: list[set[int]]) -> cd.Fuzzy:
    return cd.Fuzzy([[0.5 * (k in side) for k in range(8)] for side in sides])


def quarters(sides: list[set[int]]) -> cd.Evidential:
    return cd.Evidential([{min(s): 0.25, max(s): 0.25, tuple(sorted(s)): 0.5} for s in sides])


@pytest.mark.parametrize("kind", [cd.Rough, halves, quarters, cd.Cover])
def test_uncertain_rings_keep_their_digest(kind: Callable[[Any], Any]) -> None:
    truth = [0] * 8
    how: dict[str, Any] = {"kind": "cover"} if kind is cd.Cover else {}
    parts = cd.meet(truth, squares(kind, [0, 1, 2, 3], [4, 5, 6, 7]), **how)
    moved = cd.meet(truth, squares(kind, [5, 2, 7, 0], [4, 1, 3, 6]), **how)
    assert (moved, moved.digest) == (parts, parts.digest)
    other = cd.meet(truth, squares(kind, [0, 1, 2], [3, 4, 5, 6, 7]), **how)
    assert other == cd.meet(truth, squares(kind, [7, 1, 2], [3, 4, 0, 6, 5]), **how)
    assert other != cd.meet([0] * 7 + [1], squares(kind, [0, 1, 2], [3, 4, 5, 6, 7]), **how)


def test_features_count() -> None:
    truth, guess = zip(*rings(6), strict=True)
    features = [[1.0], [2.0]] * 6
    one = cd.meet(truth, guess, features=features)
    assert cd.meet(truth, guess, features=[[1.0], [2.0]] * 5 + [[1.0], [3.0]]) != one
    order = np.random.default_rng(0).permutation(12)
    moved = (np.array(side)[order] for side in (truth, guess))
    assert cd.meet(*moved, features=np.array(features)[order]) == one


def test_missing_objects_count() -> None:
    truth = {k: t for k, (t, _) in enumerate(rings(6))}
    guess = {k: g for k, (_, g) in enumerate(rings(6))}
    at = [cd.meet(truth, {k: g for k, g in guess.items() if k not in lost}, align="penalise")
          for lost in ({0, 4}, {0, 6}, {2, 6}, {0, 5})]  # fmt: skip
    assert at[0] == at[2]
    assert len({m.digest for m in at}) == len(set(at)) == 3
