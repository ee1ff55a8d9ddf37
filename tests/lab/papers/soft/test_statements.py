"""Searches behind the claims on soft clusterings: what they found, and that they can miss."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from clusterdiff.measures import lookup
from clusterdiff_lab.axioms.soft import (
    AnchoredFamily,
    ExactSoft,
    all_fuzzy,
    all_hard,
    all_rough,
    family,
    hard,
    mass_of,
    pairs,
    rough,
    rough_sets,
    score,
    table,
)
from clusterdiff_lab.papers.paper import Finding
from clusterdiff_lab.papers.soft import section_3, section_4
from clusterdiff_lab.papers.soft.statements import (
    AGREED_0,
    DELTA_0,
    DELTA_1,
    EXAMPLE,
    MOVES,
    NEEDS,
    RAND,
    RAND_0,
    RAND_1,
    C,
    at,
    carried_ends,
    equal,
    is_a,
    rising,
    together,
)
from oracles.soft import (
    Soft,
    partition_distance,
    partition_distance_alpha,
    rand_alpha,
    rand_distance,
    rough_distance,
    transport,
)

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


# The counterexamples that were not known before, by oracles


def soft(one: ExactSoft) -> Soft:
    return [{frozenset(a): weight for a, weight in mass} for mass in one.masses]


def with_anchors(anchors: int, *masses: tuple[str, Fraction]) -> ExactSoft:
    free = mass_of((map(int, clusters), weight) for clusters, weight in masses)
    return ExactSoft((*hard(range(1, anchors + 1)).masses, free))


@pytest.mark.parametrize("anchors", [1, 2, 3, 4])
def test_transport_can_exceed_delta_with_two_objects_already(anchors: int) -> None:
    """Theorem 4.5, with fewer anchors than clusters."""
    one = soft(with_anchors(anchors, ("1", THIRD), ("234", 2 * THIRD)))
    other = soft(with_anchors(anchors, ("23", THIRD), ("24", THIRD), ("34", THIRD)))
    assert transport(one, other, partition_distance, 0) == Fraction(1, 3 * anchors)
    assert partition_distance_alpha(one, other, 1) == Fraction(1, 6 * anchors)


@pytest.mark.parametrize(
    ("anchors", "one", "other"),
    [(1, ("12", "234"), ("23", "124")), (2, ("12", "34"), ("13", "24"))],
)
def test_delta_does_not_separate_two_or_three_objects(
    anchors: int, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    """Theorem 4.6, with fewer anchors than clusters."""
    pair = [with_anchors(anchors, *((a, HALF) for a in side)) for side in (one, other)]
    assert pair[0].plain != pair[1].plain
    for alpha in (HALF, 3 * HALF / 2, Fraction(1)):
        assert partition_distance_alpha(soft(pair[0]), soft(pair[1]), alpha) == 0
    apart = transport(soft(pair[0]), soft(pair[1]), partition_distance, 1)
    assert (apart > 0) == (anchors > 1)


def test_rand_alpha_can_exceed_transport_for_fuzzy_clusterings_into_two() -> None:
    """Theorem 4.1."""
    even = mass_of([([1], HALF), ([2], HALF)])
    one, other = (ExactSoft((even, *hard(labels).masses)) for labels in ([1, 1], [1, 2]))
    assert rand_alpha(soft(one), soft(other), 1) == Fraction(2, 3)
    assert 1 - transport(soft(one), soft(other), rand_distance, 0) == Fraction(1, 3)


def test_delta_can_be_1_at_transported_distance_0() -> None:
    """Theorem 4.5."""
    even = mass_of([([1], HALF), ([2], HALF)])
    one, other = ExactSoft((even, *hard([1]).masses)), ExactSoft((*hard([1]).masses, even))
    assert partition_distance_alpha(soft(one), soft(other), 0) == 1
    assert transport(soft(one), soft(other), partition_distance, 0) == 0


def test_two_draws_fall_short_of_the_far_end_more_often_than_the_bound_allows() -> None:
    """Proposition 4.1, Eq. (16a)."""
    one, other = [(0, 0, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]
    sides = [{1}, {1}, {1, 2}], [{1}, {1, 2}, {1, 2}]
    true = rough_distance(*sides, rand_distance, 1)
    equal_sets = sum(
        set(a) == set(b) for a in product(one, repeat=2) for b in product(other, repeat=2)
    )
    short = Fraction(equal_sets, 4 * 16)
    at_zero = Fraction(sum(a == b for a in one for b in other), 8)
    assert true > 0
    assert (short, at_zero**2) == (Fraction(3, 32), Fraction(1, 16))


# Searches that can say both


def test_the_root_of_one_less_fowlkes_mallows_is_a_metric() -> None:
    for n in (2, 3, 4):
        d = np.sqrt(1 - table(lookup("fowlkes_mallows"), all_hard(n)))
        assert is_a("metric", (f"partitions of {n}", all_hard(n), d)).verdict == "true"


def test_transport_of_rough_clusterings_is_a_metric_at_1_alone() -> None:
    for name in (RAND, MOVES):
        assert section_3.triangle_of_rough(name, Fraction(1)).verdict == "true"
        assert section_3.triangle_of_rough(name, Fraction(1, 4), 3).verdict == "true"
        assert section_3.triangle_of_rough(name, Fraction(1, 4), 2).verdict == "false"


def test_a_wrong_order_of_quantities_is_found_and_a_right_one_is_not() -> None:
    stage = pairs("rough clusterings of 2 objects", all_rough(2, 2))
    assert rising([RAND_1, RAND_0], stage).verdict == "true"
    wrong = rising([RAND_0, RAND_1], stage)
    assert (wrong.verdict, wrong.objects) == ("false", 2)
    assert wrong.evidence == "1 1  and  1 {12}: Rand₀ = 1 > Rand₁ = 0"
    assert equal([RAND_0, RAND_1], stage).verdict == "false"
    assert equal([RAND_0, RAND_1], pairs("partitions", all_hard(3))).verdict == "true"


def matrix(members: Sequence[ExactSoft], power: float) -> NDArray[np.float64]:
    return np.array([[carried_ends(RAND, a, b)[1] ** power for b in members] for a in members])


def test_a_squared_distance_is_no_metric() -> None:
    members = rough_sets(3, 3)
    assert is_a("metric", ("sets", members, matrix(members, 1))).verdict == "true"
    found = is_a("metric", ("sets", members, matrix(members, 2)))
    assert (found.verdict, found.objects) == ("false", 3)
    assert ": d = 4/9 > 1/9 + 1/9" in found.evidence


@pytest.mark.parametrize(
    ("d", "fails"),
    [
        ([[0, 1], [1, 0]], set()),
        ([[0, 0], [0, 0]], {"metric"}),
        ([[0, 1], [2, 0]], {"metric", "pseudo-metric", "consistency"}),
        ([[0, 1], [1, 1]], {"metric", "pseudo-metric", "consistency"}),
    ],
)
def test_what_a_distance_is_not_is_said(d: list[list[float]], fails: set[str]) -> None:
    space = ("partitions of 2", all_hard(2), np.array(d, float))
    assert {kind for kind in NEEDS if is_a(kind, space).verdict == "false"} == fails


def test_several_searches_make_one_verdict() -> None:
    good, bad = Finding("true", "here"), Finding("false", "there", "because", 3)
    assert together(good, good).verdict == "true"
    assert together(bad, bad) == Finding("false", "there", "because", 3)
    assert together(good, bad) == Finding("partly", "here; there", "because", 3)


def test_up_to_three_clusters_no_family_offends() -> None:
    for clusters, anchors in [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]:
        found = family(clusters, 3, anchors)
        assert found.widest() is None
        assert found.not_told_apart() is None
    none = section_4.in_families(lambda k: 1, lambda found: None)
    assert none.case is None
    assert section_4.in_families(lambda k: k, AnchoredFamily.widest).objects == 5


def test_wrong_closed_forms_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert section_4.closed_form(HALF, empty=False).verdict == "true"
    right = section_4.closed_forms
    monkeypatch.setattr(section_4, "closed_forms", lambda mass, _: right(mass, Fraction(1)))
    found = section_4.closed_form(HALF, empty=False)
    assert (found.verdict, found.objects) == ("false", 2)
    assert found.evidence == "α = 1/2: 0.5, by the formula 1, for together and unknown"


def test_against_a_partition_sampling_keeps_its_bounds() -> None:
    for truth, guess in product(all_hard(3), rough_sets(3, 3)):
        short, bound = section_4.short_of_far_end(2, truth, guess)
        assert short <= bound


def test_the_running_example_is_what_the_paper_has() -> None:
    """Values that are known of it, by oracles and by measures."""
    fuzzy = [[1, 0, 0], [0, 1, 0], [0, HALF, HALF], [0, 0, 1], [THIRD] * 3]
    labels = [1, 2, 2, 3, 1]
    for name, one in EXAMPLE.items():
        assert rand_alpha(soft(C), soft(one), 0) == pytest.approx(RAND_0.of(C, one)), name
    rows = [
        [sum((w for a, w in mass if k in a), Fraction()) for k in (1, 2, 3)]
        for mass in EXAMPLE["F"].masses
    ]
    assert rows == fuzzy
    assert [mass[0][0][0] for mass in C.masses] == labels
    assert AGREED_0.of(C, EXAMPLE["F"]) == pytest.approx(11 / 15)


def test_fuzzy_clusterings_of_all_three_clusters_exceed_transport_too() -> None:
    """Theorem 4.1, the case that was known: 1 against 25/27."""
    one = ExactSoft((mass_of([([1], HALF), ([2], HALF)]),) * 3)
    sixth = Fraction(1, 6)
    other = ExactSoft((mass_of([([1], 4 * sixth), ([2], sixth), ([3], sixth)]),) * 3)
    assert RAND_1.of(one, other) == pytest.approx(1)
    assert AGREED_0.of(one, other) == pytest.approx(25 / 27)


def test_a_partition_and_even_chances_are_the_smallest_known_case_of_theorem_4_5() -> None:
    even = all_fuzzy(2, 2, 2)[-1]
    assert str(even) == "[1/2 1 + 1/2 2] [1/2 1 + 1/2 2]"
    assert DELTA_0.of(hard([1, 2]), even) == pytest.approx(1)
    assert carried_ends(MOVES, hard([1, 2]), even) == pytest.approx((HALF, HALF))


def test_relations_of_rough_clusterings_do_not_tell_them_apart() -> None:
    """The remark after Corollary 4.1, for masses that are all on one set."""
    one, other = rough([1], [1, 2], [1, 2]), rough([1, 2], [1, 2], [1, 2])
    assert all(
        soft.clustering.relation(i, j) == (0, 0, 0, 1)
        for soft in (one, other)
        for i, j in combinations(range(3), 2)
    )
    assert score(at("rand_alpha", 0.5), one, other) == 1
    assert DELTA_1.of(one, other) > 0
