"""Digests and equality: the same for the same comparison in any order, different for all others."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

import clusterdiff as cd
from cases import hard_meet, pairs_up_to_renaming
from clusterdiff.contingency import digest as canonical

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


def matchings(objects: list[int]) -> Iterator[list[tuple[int, int]]]:
    """All ways to put objects into clusters of two."""
    if not objects:
        yield []
        return
    first, *rest = objects
    for other in rest:
        for more in matchings([x for x in rest if x != other]):
            yield [(first, other), *more]


@pytest.mark.parametrize(("objects", "classes"), [(4, 2), (6, 3), (8, 5), (10, 7)])
def test_clusters_of_two_are_told_apart_by_their_rings(objects: int, classes: int) -> None:
    """All guesses of such clusters: as many digests as half the objects have partitions."""
    truth = [x // 2 for x in range(objects)]
    found: dict[str, cd.HardMeet] = {}
    for guess in list(matchings(list(range(objects))))[:: 1 if objects < 10 else 3]:
        label = {x: k for k, pair in enumerate(guess) for x in pair}
        m = hard_meet(truth, [label[x] for x in range(objects)])
        assert found.setdefault(m.digest, m) == m
    assert len(found) == classes
    assert len({id(m) for m in found.values()}) == len(set(found.values())) == classes


def test_partitions_that_refinement_alone_confuses() -> None:
    truth = [0, 0, 1, 1, 2, 2, 3, 3]
    one, other = (
        hard_meet(truth, [0, 1, 1, 2, 2, 3, 3, 0]),
        hard_meet(truth, [0, 1, 0, 1, 2, 3, 2, 3]),
    )
    assert (one.components, other.components) == (1, 2)
    assert one != other
    assert one.digest != other.digest
    assert one.told_apart
    assert other.told_apart


@pytest.mark.parametrize("size", [2, 3, 4])
def test_random_regular_structures_against_networkx(size: int) -> None:
    """Truth and guess clusters of one size: refinement sees no difference at all."""
    rng = random.Random(size)
    cases: list[Pairs] = []
    for _ in range(12):
        truth = [k // size for k in range(4 * size)]
        cases.append(list(zip(truth, rng.sample(truth, len(truth)), strict=True)))
    meets = [hard_meet(*shuffled(case, rng)) for case in cases]
    assert all(m.told_apart for m in meets)
    equal = 0
    for (a, one), (b, other) in combinations(zip(cases, meets, strict=True), 2):
        same = isomorphic(a, b)
        assert (one.digest == other.digest) == (one == other) == same
        equal += same
    assert 0 < equal < len(cases) * (len(cases) - 1) / 2


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


def test_rings_of_many_clusters() -> None:
    rng = random.Random(0)
    one, other, third = rings(60), rings(30, 30), rings(20, 40)
    meets = [hard_meet(*shuffled(case, rng)) for case in (one, other, third)]
    assert len({m.digest for m in meets}) == 3
    assert meets[0] == hard_meet(*shuffled(one, rng))
    assert hard_meet(*shuffled(rings(*[3] * 500), rng)) == hard_meet(
        *shuffled(rings(*[3] * 500), rng)
    )
    assert hard_meet(*shuffled(rings(*[3] * 6), rng)) != hard_meet(*shuffled(rings(*[6] * 3), rng))


def test_trees_and_twins_keep_the_digest_of_refinement() -> None:
    """Colours tell such comparisons apart by themselves, so nothing is added to them."""
    rng = random.Random(1)
    for _ in range(50):
        pairs = [(rng.randrange(5), rng.randrange(5)) for _ in range(rng.randint(3, 12))]
        m = hard_meet(*zip(*pairs, strict=True))
        graph = as_graph(pairs)
        if nx.is_forest(graph):
            assert m.canonical is not None
            assert m.canonical.certificate == b""
    twins = cd.HardMeet.from_rows([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1])
    assert twins.canonical is not None
    assert twins.canonical.certificate == b""
    regular = hard_meet(*zip(*rings(3), strict=True))
    assert regular.canonical is not None
    assert regular.canonical.certificate != b""


def test_covers_that_refinement_alone_confuses() -> None:
    truth = cd.Cover.from_clusters([{1, 2}, {2, 3}, {3, 4}, {4, 1}])
    other = cd.Cover.from_clusters([{1, 3}, {3, 2}, {2, 4}, {4, 1}])
    same, different = cd.meet(truth, truth), cd.meet(truth, other)
    assert (cd.cice_f.of(same), round(cd.cice_f.of(different), 4)) == (1.0, 0.5556)
    assert same != different
    assert same.digest != different.digest
    again = cd.Cover.from_clusters([{9, 5}, {7, 5}, {7, 2}, {2, 9}])
    assert cd.meet(again, again) == same


def lattice(shifts: list[tuple[int, int]]) -> dict[Any, set[Any]]:
    """The edges of a graph on 4 x 4 vertices, each in the two clusters that it joins."""
    points = [(x, y) for x in range(4) for y in range(4)]
    edges = {frozenset((p, ((p[0] + a) % 4, (p[1] + b) % 4))) for p in points for a, b in shifts}
    return {str(sorted(edge)): set(map(str, edge)) for edge in edges}


def against_one(sets: dict[Any, set[Any]]) -> cd.CoverMeet:
    made = cd.meet(cd.Cover(sets), cd.Cover({key: {0} for key in sets}))
    assert isinstance(made, cd.CoverMeet)
    return made


def test_covers_that_are_strongly_regular() -> None:
    """Shrikhande's graph and the rook's: also pairs of vertices look alike in the two."""
    rook = lattice([(0, 1), (0, 2), (1, 0), (2, 0)])
    shrikhande = lattice([(0, 1), (1, 0), (1, 1)])
    meets = [against_one(sets) for sets in (rook, shrikhande)]
    assert [m.objects for m in meets] == [48, 48]
    assert all(m.told_apart for m in meets)
    assert np.unique(meets[0].colours).tolist() == np.unique(meets[1].colours).tolist()
    assert meets[0].digest != meets[1].digest
    rng = random.Random(0)
    for m, sets in zip(meets, (rook, shrikhande), strict=True):
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
def test_uncertain_clusterings_that_refinement_alone_confuses(kind: Callable[[Any], Any]) -> None:
    one, two = [0, 1, 2, 3, 4, 5, 6, 7], ([0, 1, 2, 3], [4, 5, 6, 7])
    truth = [0] * 8
    how = {"kind": "cover"} if kind is cd.Cover else {}
    whole, parts = (cd.meet(truth, squares(kind, *c), **how) for c in ((one,), two))
    assert whole.digest != parts.digest
    assert whole != parts
    moved = cd.meet(truth, squares(kind, [5, 2, 7, 0], [4, 1, 3, 6]), **how)
    assert (moved, moved.digest) == (parts, parts.digest)
    assert cd.meet(truth, squares(kind, [5, 2, 7, 0, 4, 1, 3, 6]), **how) == whole


def test_features_that_refinement_alone_confuses() -> None:
    sides = [tuple(zip(*case, strict=True)) for case in (rings(6), rings(3, 3))]
    features = [[1.0], [2.0]] * 6
    one, other = (cd.meet(*pair, features=features) for pair in sides)
    assert one.digest != other.digest
    assert one != other
    changed = cd.meet(*sides[0], features=[[1.0], [2.0]] * 5 + [[1.0], [3.0]])
    assert changed not in (one, other)
    order = np.random.default_rng(0).permutation(12)
    moved = (np.array(side)[order] for side in sides[0])
    assert cd.meet(*moved, features=np.array(features)[order]) == one


def test_missing_objects_count() -> None:
    truth = {k: t for k, (t, _) in enumerate(rings(6))}
    guess = {k: g for k, (_, g) in enumerate(rings(6))}
    at = [cd.meet(truth, {k: g for k, g in guess.items() if k not in lost}, align="penalise")
          for lost in ({0, 4}, {0, 6}, {2, 6}, {0, 5})]  # fmt: skip
    assert at[0] == at[2]
    assert len({m.digest for m in at}) == len(set(at)) == 3


def test_where_the_search_is_too_long_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "SEARCH", 1000)
    rng = random.Random(2)
    one, other = (tuple(zip(*case, strict=True)) for case in (rings(6), rings(3, 3)))
    first, second = hard_meet(*one), hard_meet(*other)
    assert not first.told_apart
    assert first.digest == second.digest
    assert first != second
    assert first == hard_meet(*one)
    assert hash(first) == hash(hard_meet(*one))
    order = rng.sample(range(12), 12)
    assert hard_meet(*([side[i] for i in order] for side in one)).digest == first.digest
    signature = cd.compare(list(one[0]), list(one[1]), ["rand"])["rand"].signature
    assert signature["digest"] == "refined"
    assert list(signature)[-3:] == ["digest", "meet", "version"]
    plain = cd.compare([1, 1, 2], [1, 2, 2], ["rand"])["rand"].signature
    assert "digest" not in plain
