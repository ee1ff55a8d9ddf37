"""Small spaces of uncertain clusterings, and searches over them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff_lab.axioms.soft import (
    ExactSoft,
    all_evidential,
    all_fuzzy,
    all_hard,
    all_possibilistic,
    all_rough,
    anchored,
    carried,
    consonant,
    drawn_at_random,
    family,
    hard,
    mass_of,
    min_order,
    pairs_of,
    random_pairs,
    rough,
    rough_sets,
    score,
)
from oracles.soft import compatible, transport_cost

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


# Spaces


@pytest.mark.parametrize(
    ("space", "many"),
    [
        (all_hard(3), 5),
        (all_hard(5), 52),
        (all_rough(2, 2), 5),
        (all_rough(3, 2), 14),
        (all_rough(3, 3), 71),
        (rough_sets(2, 2), 3),
        (rough_sets(3, 3), 23),
        (all_fuzzy(3, 2, 2), 14),
        (all_fuzzy(2, 2, 1), 2),
        (all_possibilistic(1, 2, 2), 3),
        (all_evidential(1, 2, 2), 4),
        (anchored(3, 2), 28),
        (anchored(4, 3), 680),
    ],
)
def test_spaces_have_their_sizes(space: tuple[ExactSoft, ...], many: int) -> None:
    assert len(set(space)) == len(space) == many


def test_rough_clusterings_come_once_up_to_names_and_none_is_left_out() -> None:
    sets = [{1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}]
    every = {rough(*chosen).plain for chosen in product(sets, repeat=3)}
    assert set(all_rough(3, 3)) == every


def test_one_rough_clustering_for_each_set_of_partitions_that_one_allows() -> None:
    """All 343 assignments of three objects to sets of three clusters, by an oracle."""
    sets = [{1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}]
    every = {frozenset(compatible(chosen)) for chosen in product(sets, repeat=3)}
    assert {frozenset(one.allowed) for one in rough_sets(3, 3)} == every


def test_small_and_simple_ones_come_first() -> None:
    found = all_evidential(2, 2, 2)
    assert [one.size for one in found] == sorted(one.size for one in found)
    assert str(found[0]) == "1 1"
    assert {one.parts for one in found} == {1, 2}


def test_clusterings_are_drawn_written_and_made() -> None:
    free = mass_of([([1], THIRD), ([2, 3, 4], 2 * THIRD)])
    one = ExactSoft((*hard([1]).masses, free))
    assert str(one) == "1 [1/3 1 + 2/3 {234}]"
    assert one.code == "cd.Evidential([{(1,): 1}, {(1,): 1/3, (2, 3, 4): 2/3}])"
    assert str(rough([1], [2], [1, 3])) == "1 2 {13}"
    assert rough([1], [], [1, 3]).code == "cd.Rough([{1}, set(), {1, 3}])"
    assert one.size == (2, 4, 3)


@pytest.mark.parametrize("kind", ["hard", "rough", "fuzzy", "possibilistic", "evidential"])
@pytest.mark.parametrize("empty", [False, True])
def test_what_is_made_knows_what_was_said(kind: str, empty: bool) -> None:
    """Each clustering, and what its code gives, has the masses that it was made of."""
    random = Random(1)
    for _ in range(20):
        one = drawn_at_random(kind, random, 3, 3, empty=empty)  # type: ignore[arg-type]
        for clustering in (one.clustering, eval(one.code, {"cd": cd})):
            for x, mass in enumerate(one.masses):
                found = clustering.of(x)
                assert set(found) == {frozenset(a) for a, _ in mass}
                assert all(found[frozenset(a)] == pytest.approx(float(w)) for a, w in mass)


def test_kinds_are_told() -> None:
    assert {one.kind for one in all_rough(2, 2)} == {"hard", "rough"}
    assert {one.kind for one in all_fuzzy(2, 2, 2)} == {"hard", "fuzzy"}
    assert {one.kind for one in all_possibilistic(2, 2, 2)} == {"hard", "rough", "possibilistic"}
    crossed = ExactSoft((mass_of([([1, 2], HALF), ([2, 3], HALF)]),))
    assert crossed.kind == "evidential"
    assert consonant([Fraction(1), HALF]) == (((1,), HALF), ((1, 2), HALF))


def test_pairs_come_once_up_to_the_order_of_objects_and_none_is_left_out() -> None:
    members = all_rough(3, 2)
    listed = list(pairs_of(members, members))
    assert len(listed) < len(members) ** 2

    def shape(one: ExactSoft, other: ExactSoft) -> ExactSoft:
        """Both as one clustering whose clusters are pairs of sets, up to order."""
        columns = sorted(zip(one.masses, other.masses, strict=True))
        return ExactSoft(tuple(first + second for first, second in columns))

    reached = {min_order(one) for one, _ in listed}
    assert reached == {min_order(one) for one in members}
    assert {shape(a, b) for a, b in listed} <= {shape(a, b) for a in members for b in members}


# Searches


def test_random_pairs_are_the_same_for_a_seed() -> None:
    stage = random_pairs(7, 5, 3, 2)
    assert list(stage.cases()) == list(stage.cases())
    assert list(stage.cases()) != list(random_pairs(8, 5, 3, 2).cases())


def test_equal_parts_are_carried_at_the_least_cost() -> None:
    random = Random(3)
    cost = np.array([[random.randint(0, 9) for _ in range(4)] for _ in range(4)])
    rows = np.array([[random.randrange(4) for _ in range(3)] for _ in range(6)])
    found = carried(rows, rows, cost)
    for i, j in product(range(6), repeat=2):
        p, q = ([Fraction(int((rows[at] == w).sum()), 3) for w in range(4)] for at in (i, j))
        wanted = transport_cost(p, q, [[Fraction(int(c)) for c in line] for line in cost])
        assert found[i, j] == 3 * wanted


@pytest.mark.parametrize(("clusters", "anchors"), [(3, 1), (3, 3), (4, 2), (4, 4)])
def test_whole_numbers_of_a_family_are_what_measures_give(clusters: int, anchors: int) -> None:
    found = family(clusters, 3, anchors)
    random = Random(clusters + anchors)
    near = cd.transport("partition_distance", alpha=0)
    moved = cd.partition_distance_alpha(alpha=1)
    for _ in range(15):
        i, j = (random.randrange(len(found.members)) for _ in range(2))
        pair = found.members[i], found.members[j]
        assert score(near, *pair) == pytest.approx(float(found.near[i, j] * found.unit), abs=1e-9)
        assert score(moved, *pair) == pytest.approx(float(found.moved[i, j] * found.unit), abs=1e-9)
