"""The oracles of soft clusterings give the numbers of the running example, exactly."""

from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from random import Random

import pytest

from .common import Number
from .soft import (
    KINDS,
    SURELY_SAME,
    Four,
    Mass,
    Soft,
    belief_distance,
    compatible,
    conflict,
    evidential,
    focal,
    fuzzy,
    hard,
    jousselme_distance,
    membership,
    mutual_information_range,
    pair_cost,
    partition_distance,
    partition_distance_alpha,
    possibilistic,
    rand_alpha,
    rand_anderson,
    rand_belief,
    rand_campello,
    rand_conflict,
    rand_distance,
    rand_frigui,
    rand_hullermeier,
    rand_jousselme,
    random_soft,
    relation,
    rough,
    rough_distance,
    rough_distance_alpha,
    transport,
    transport_cost,
)

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
ALPHAS = (ZERO, Fraction(1, 4), HALF, Fraction(3, 4), ONE)
EVERY = frozenset({1, 2, 3})
SETS = ({1}, {2}, {2, 3}, {3}, EVERY)
LABELS = (1, 2, 2, 3, 1)

C = hard(LABELS)
R = rough(SETS)
F = fuzzy(
    [
        {1: ONE},
        {2: ONE},
        {2: HALF, 3: HALF},
        {3: ONE},
        {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)},
    ]
)
P = possibilistic(
    [
        [ONE, ZERO, ZERO],
        [ZERO, ONE, ZERO],
        [ZERO, ONE, ONE],
        [ZERO, ZERO, ONE],
        [ONE, ONE, Fraction(4, 5)],
    ]
)
M = evidential(
    [
        {frozenset({1}): ONE},
        {frozenset({2}): ONE},
        {frozenset({2, 3}): HALF, EVERY: HALF},
        {frozenset({3}): ONE},
        {EVERY: HALF, **{frozenset({w}): Fraction(1, 6) for w in EVERY}},
    ]
)
SOFT = {"R": R, "F": F, "P": P, "M": M}

partition_distance_over_n = partial(partition_distance, over="n")


def four(*values: str) -> Four:
    empty, same, not_same, either = map(Fraction, values)
    return empty, same, not_same, either


def small_clusterings(seed: int, objects: int = 4, clusters: int = 3) -> list[tuple[Soft, Soft]]:
    """Pairs of all kinds, with and without weight on the empty set."""
    rng = Random(seed)
    return [
        (random_soft(rng, objects, clusters, k, empty), random_soft(rng, objects, clusters, q))
        for k in KINDS
        for q in KINDS
        for empty in (False, True)
    ]


# The running example.


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (1, 2, ("0", "0", "1", "0")),
        (1, 3, ("0", "0", "1/2", "1/2")),
        (1, 4, ("0", "0", "1", "0")),
        (1, 5, ("0", "1/6", "1/3", "1/2")),
        (2, 3, ("0", "0", "0", "1")),
        (2, 4, ("0", "0", "1", "0")),
        (2, 5, ("0", "1/6", "1/3", "1/2")),
        (3, 4, ("0", "0", "0", "1")),
        (3, 5, ("0", "0", "1/12", "11/12")),
        (4, 5, ("0", "1/6", "1/3", "1/2")),
    ],
)
def test_relation_of_two_objects(x: int, y: int, expected: tuple[str, str, str, str]) -> None:
    assert relation(M[x - 1], M[y - 1]) == four(*expected)


def test_compatible_and_focal_clusterings() -> None:
    assert len(compatible(SETS)) == 6
    assert sorted(focal(F).values()) == [Fraction(1, 6)] * 6
    assert sorted(focal(M).values()) == [Fraction(1, 12)] * 6 + [Fraction(1, 4)] * 2
    assert focal(R) == {tuple(map(frozenset, SETS)): 1}
    assert sorted(focal(P).values()) == [Fraction(1, 5), Fraction(4, 5)]


def test_belief_hides_ambiguity_and_jousselme_punishes_it() -> None:
    ambiguous, even = four("0", "0", "0", "1"), four("0", "1/2", "1/2", "0")
    assert belief_distance(ambiguous, SURELY_SAME) == HALF
    assert belief_distance(even, SURELY_SAME) == HALF
    assert jousselme_distance(ambiguous, SURELY_SAME) == pytest.approx(HALF**0.5, abs=1e-15)
    assert jousselme_distance(even, SURELY_SAME) == 0.5


@pytest.mark.parametrize(
    ("name", "alpha", "distinct", "every"),
    [
        ("R", ZERO, "1", "1"),
        ("R", HALF, "7/10", "19/25"),
        ("R", ONE, "2/5", "13/25"),
        ("F", ZERO, "11/15", "59/75"),
        ("F", HALF, "11/15", "59/75"),
        ("F", ONE, "11/15", "59/75"),
        ("P", ZERO, "1", "1"),
        ("P", HALF, "71/100", "96/125"),
        ("P", ONE, "21/50", "67/125"),
        ("M", ZERO, "14/15", "71/75"),
        ("M", HALF, "11/16", "3/4"),
        ("M", ONE, "53/120", "83/150"),
    ],
)
def test_rand_alpha(name: str, alpha: Fraction, distinct: str, every: str) -> None:
    assert rand_alpha(C, SOFT[name], alpha) == Fraction(distinct)
    assert rand_alpha(C, SOFT[name], alpha, pairs="all") == Fraction(every)


@pytest.mark.parametrize(
    ("name", "by_belief", "by_conflict", "by_jousselme"),
    [
        ("R", "7/10", "1", 0.575736),
        ("F", "11/15", "11/15", 0.733333),
        ("P", "71/100", "1", 0.589878),
        ("M", "11/16", "14/15", 0.597758),
    ],
)
def test_rand_with_other_distances(
    name: str, by_belief: str, by_conflict: str, by_jousselme: float
) -> None:
    soft = SOFT[name]
    assert rand_belief(C, soft) == Fraction(by_belief)
    assert rand_conflict(C, soft) == Fraction(by_conflict)
    assert rand_jousselme(C, soft) == pytest.approx(by_jousselme, abs=5e-7)
    assert rand_belief(C, soft, "all") == (20 * Fraction(by_belief) + 5) / 25
    assert rand_conflict(C, soft, "all") == (20 * Fraction(by_conflict) + 5) / 25
    assert rand_jousselme(C, soft, "all") == pytest.approx((20 * by_jousselme + 5) / 25, abs=5e-7)


@pytest.mark.parametrize(
    ("name", "alpha", "value"),
    [
        ("R", ZERO, "0"),
        ("R", HALF, "1/4"),
        ("R", ONE, "1/2"),
        ("F", ZERO, "4/15"),
        ("F", HALF, "4/15"),
        ("F", ONE, "4/15"),
        ("P", ZERO, "0"),
        ("P", HALF, "6/25"),
        ("P", ONE, "12/25"),
        ("M", ZERO, "1/12"),
        ("M", HALF, "21/80"),
        ("M", ONE, "53/120"),
    ],
)
def test_transport_of_the_rand_distance(name: str, alpha: Fraction, value: str) -> None:
    assert transport(C, SOFT[name], rand_distance, alpha) == Fraction(value)
    assert transport(SOFT[name], C, rand_distance, alpha) == Fraction(value)


@pytest.mark.parametrize(
    ("name", "alpha", "value", "over_n"),
    [
        ("R", ZERO, "0", "0"),
        ("R", HALF, "1/4", "1/5"),
        ("R", ONE, "1/2", "2/5"),
        ("F", ZERO, "7/24", "7/30"),
        ("F", HALF, "7/24", "7/30"),
        ("F", ONE, "7/24", "7/30"),
        ("P", ZERO, "0", "0"),
        ("P", HALF, "1/4", "1/5"),
        ("P", ONE, "1/2", "2/5"),
        ("M", ZERO, "1/12", "1/15"),
        ("M", HALF, "13/48", "13/60"),
        ("M", ONE, "11/24", "11/30"),
    ],
)
def test_transport_of_the_partition_distance(
    name: str, alpha: Fraction, value: str, over_n: str
) -> None:
    assert transport(C, SOFT[name], partition_distance, alpha) == Fraction(value)
    assert transport(C, SOFT[name], partition_distance_over_n, alpha) == Fraction(over_n)


@pytest.mark.parametrize(
    ("name", "alpha", "value", "over_n"),
    [
        ("R", ZERO, "0", "0"),
        ("R", HALF, "5/16", "1/4"),
        ("R", ONE, "5/8", "1/2"),
        ("F", ZERO, "7/24", "7/30"),
        ("F", HALF, "7/24", "7/30"),
        ("F", ONE, "7/24", "7/30"),
        ("P", ZERO, "0", "0"),
        ("P", HALF, "3/10", "6/25"),
        ("P", ONE, "3/5", "12/25"),
        ("M", ZERO, "1/12", "1/15"),
        ("M", HALF, "1/3", "4/15"),
        ("M", ONE, "7/12", "7/15"),
    ],
)
def test_partition_distance_alpha(name: str, alpha: Fraction, value: str, over_n: str) -> None:
    assert partition_distance_alpha(C, SOFT[name], alpha) == Fraction(value)
    assert partition_distance_alpha(C, SOFT[name], alpha, over="n") == Fraction(over_n)


def test_rough_distance_of_the_example() -> None:
    single = [{label} for label in LABELS]
    vacuous = [EVERY] * 5
    assert rough_distance(single, SETS, rand_distance, 0) == 0
    assert rough_distance(single, SETS, rand_distance, 1) == HALF
    assert rough_distance(single, SETS, partition_distance, 1) == HALF
    assert rough_distance(single, SETS, partition_distance_over_n, 1) == Fraction(2, 5)
    assert rough_distance(single, vacuous, rand_distance, 0) == 0
    assert rough_distance(single, vacuous, rand_distance, 1) == Fraction(4, 5)


def test_measures_of_memberships() -> None:
    assert rand_hullermeier(C, F) == Fraction(7, 10)
    assert rand_hullermeier(C, F, "cosine") == pytest.approx(0.660615, abs=5e-7)
    assert rand_campello(C, F) == Fraction(5, 7)
    assert rand_frigui(C, F) == Fraction(11, 15)
    assert rand_campello(F, F) == Fraction(7, 11)
    assert rand_frigui(F, F) == Fraction(13, 18)
    assert rand_conflict(F, F) == Fraction(13, 18)


def test_weight_on_the_empty_set() -> None:
    truth = hard([1, 1])
    guess = possibilistic([[ONE, ZERO], [Fraction(3, 5), Fraction(3, 10)]])
    tenths: Mass = {
        frozenset(): Fraction(4, 10),
        frozenset({1}): Fraction(3, 10),
        frozenset({1, 2}): Fraction(3, 10),
    }
    assert guess[1] == tenths
    assert relation(*guess) == four("2/5", "3/10", "0", "3/10")
    values = [rand_alpha(truth, guess, alpha) for alpha in (ZERO, HALF, ONE)]
    assert values == [Fraction(3, 5), Fraction(9, 20), Fraction(3, 10)]
    assert rand_belief(truth, guess) == Fraction(9, 20)
    assert transport(truth, guess, rand_distance, 0) == Fraction(2, 5)
    assert transport(truth, guess, rand_distance, 1) == Fraction(7, 10)
    nothing, either = four("1", "0", "0", "0"), four("0", "0", "0", "1")
    assert pair_cost(nothing, either, HALF) == jousselme_distance(nothing, either) == 1
    assert belief_distance(nothing, either) == HALF
    assert conflict(nothing, nothing) == 1
    assert jousselme_distance(nothing, nothing) == 0


def test_objects_with_an_empty_set() -> None:
    first: list[set[int]] = [{1}, {1}, set()]
    second: list[set[int]] = [{1}, {2}, set()]
    for end in (0, 1):
        assert rough_distance(first, second, rand_distance, end) == 1
        assert rough_distance(first, first, rand_distance, end) == 0
        assert rough_distance(first, [{1}, set(), {1}], rand_distance, end) == 1
        assert rough_distance([{1}, set()], [{1, 2}, set()], rand_distance, end) == 0
        assert rough_distance([set(), set()], [set(), set()], rand_distance, end) == 0


# Statements of the paper that are false.


@pytest.mark.parametrize(
    ("distance", "triple"),
    [
        (rand_distance, [({1}, {2}, {1}), ({1}, {2}, {1, 3}), ({1}, {2}, {2, 3})]),
        (partition_distance, [({1}, {1}, {1}), ({1}, {1}, {1, 2}), ({1}, {1, 2}, {3})]),
    ],
)
@pytest.mark.parametrize("alpha", [HALF, Fraction(3, 4), Fraction(9, 10)])
def test_theorem_3_1_has_no_triangle_inequality(
    distance: partial[Fraction], triple: list[tuple[set[int], ...]], alpha: Fraction
) -> None:
    ab, bc, ac = (
        rough_distance_alpha(triple[i], triple[j], distance, alpha)
        for i, j in ((0, 1), (1, 2), (0, 2))
    )
    assert ac / (ab + bc) == (1 + alpha) / (2 * alpha) > 1
    a, b, c = map(rough, triple)
    assert transport(a, c, distance, alpha) == ac > transport(a, b, distance, alpha) + bc


def test_theorem_4_1_has_no_lower_bound() -> None:
    truth, guess = rough([{1}, {1}, {1, 2}]), rough([{1}, {2}, {1, 2}])
    assert rand_alpha(truth, guess, 1) == Fraction(2, 3)
    assert 1 - transport(truth, guess, rand_distance, 0) == Fraction(1, 3)
    sixth = Fraction(1, 6)
    halves, others = fuzzy([[HALF, HALF, ZERO]] * 3), fuzzy([[4 * sixth, sixth, sixth]] * 3)
    assert rand_alpha(halves, others, HALF) == 1
    assert 1 - transport(halves, others, rand_distance, HALF) == Fraction(25, 27)


def anchored(mass: Mass) -> Soft:
    """Four objects in clusters of their own, and a fifth with the mass function."""
    return [*hard([1, 2, 3, 4]), mass]


def test_theorem_4_5_has_neither_bound() -> None:
    truth, guess = hard([1, 2]), fuzzy([[HALF, HALF]] * 2)
    assert partition_distance_alpha(truth, guess, 0) == 1
    assert transport(truth, guess, partition_distance, 0) == HALF
    third = Fraction(1, 3)
    one = anchored({frozenset({1}): third, frozenset({2, 3, 4}): 2 * third})
    other = anchored({frozenset(pair): third for pair in combinations((2, 3, 4), 2)})
    assert transport(one, other, partition_distance, 0) == Fraction(1, 12)
    assert partition_distance_alpha(one, other, 1) == Fraction(1, 24)


def test_theorem_4_6_has_distance_0_for_different_clusterings() -> None:
    one = anchored({frozenset({1, 2}): HALF, frozenset({3, 4}): HALF})
    other = anchored({frozenset({1, 3}): HALF, frozenset({2, 4}): HALF})
    assert [partition_distance_alpha(one, other, alpha) for alpha in ALPHAS] == [0] * 5
    assert partition_distance_alpha(C, rough([EVERY] * 5), 1) == Fraction(15, 8)


def test_different_clusterings_with_the_same_relations() -> None:
    one, other = fuzzy([[HALF, HALF]] * 2 + [[ONE, ZERO]]), fuzzy([[HALF, HALF]] * 3)
    assert rand_alpha(one, other, HALF) == 1
    assert transport(one, other, rand_distance, HALF) == 0


def test_theorem_4_4_needs_masses_without_the_empty_set() -> None:
    m1, m2 = four("1/3", "1/3", "1/3", "0"), four("5/12", "1/3", "1/4", "0")
    assert pair_cost(m1, m2, HALF) == pair_cost(m1, m2, 0) == Fraction(1, 12)
    assert belief_distance(m1, m2) == Fraction(1, 12)


# The oracles against each other.


def test_transport_cost_is_that_of_the_best_matching_of_units() -> None:
    rng = Random(1)
    for _ in range(60):
        left, right = ([rng.randrange(4) for _ in range(5)] for _ in range(2))
        cost = [[Fraction(rng.randrange(7), 6) for _ in range(4)] for _ in range(4)]
        p, q = ([Fraction(side.count(i), 5) for i in range(4)] for side in (left, right))
        matched = (zip(left, image, strict=True) for image in permutations(right))
        best = min(sum((cost[i][j] for i, j in pairs), ZERO) for pairs in matched)
        assert transport_cost(p, q, cost) == best / 5


def closed_pair_cost(m1: Four, m2: Four, alpha: Fraction) -> Fraction:
    """Mass that must cross between same and not same costs 1, or 2 alpha by way of both."""
    (e1, s1, n1, t1), (e2, s2, n2, t2) = sorted((m1, m2), reverse=True)
    a, b, c = s1 - s2, n1 - n2, t1 - t2
    moved = max(a, ZERO) + max(b, ZERO) + max(c, ZERO)
    crossing = max(ZERO, max(a, ZERO) + max(b, ZERO) - max(-c, ZERO))
    saved = max(ZERO, 1 - 2 * alpha) * min(crossing, t1, t2)
    return e1 - e2 + alpha * (moved - crossing) + crossing - saved


@pytest.mark.parametrize("alpha", ALPHAS)
def test_pair_cost_has_a_closed_form(alpha: Fraction) -> None:
    for truth, guess in small_clusterings(2):
        for i, j in combinations(range(4), 2):
            m1, m2 = relation(truth[i], truth[j]), relation(guess[i], guess[j])
            assert pair_cost(m1, m2, alpha) == closed_pair_cost(m1, m2, alpha)


def test_hard_clusterings_have_one_value() -> None:
    rng = Random(3)
    for _ in range(20):
        c1, c2 = ([rng.randint(1, 3) for _ in range(5)] for _ in range(2))
        truth, guess = hard(c1), hard(c2)
        rand = 1 - rand_distance(c1, c2)
        values: list[Number] = [
            rand_alpha(truth, guess, HALF),
            rand_belief(truth, guess),
            rand_conflict(truth, guess),
            rand_jousselme(truth, guess),
            rand_campello(truth, guess),
            rand_campello(truth, guess, "lukasiewicz", "probabilistic_sum"),
            rand_frigui(truth, guess),
            rand_hullermeier(truth, guess),
            rand_hullermeier(truth, guess, "max"),
            rand_hullermeier(truth, guess, "cosine"),
            rand_anderson(truth, guess),
            1 - transport(truth, guess, rand_distance, HALF),
        ]
        assert values == pytest.approx([float(rand)] * len(values), abs=1e-12)
        assert rand_anderson(truth, guess, "all") == rand_alpha(truth, guess, 0, "all")
        assert rand_frigui(truth, guess, "all") == rand_alpha(truth, guess, 0, "all")
        for over in ("n-1", "n"):
            moved = partition_distance(c1, c2, over)
            assert partition_distance_alpha(truth, guess, HALF, over) == moved
            by_transport = transport(truth, guess, partial(partition_distance, over=over), HALF)
            assert by_transport == moved


def test_true_bounds() -> None:
    for truth, guess in small_clusterings(4, objects=3, clusters=2):
        assert 1 - transport(truth, guess, rand_distance, 0) <= rand_alpha(truth, guess, 0)
        assert rand_belief(truth, guess) >= rand_alpha(truth, guess, HALF)
        assert rand_alpha(truth, guess, 1) <= rand_alpha(truth, guess, HALF)


def test_product_and_bounded_sum_are_the_relation_of_fuzzy_clusterings() -> None:
    rng = Random(5)
    for _ in range(20):
        truth = random_soft(rng, 4, 3, "partition")
        guess = random_soft(rng, 4, 3, "fuzzy")
        for pairs in ("distinct", "all"):
            assert rand_frigui(truth, guess, pairs) == rand_alpha(truth, guess, HALF, pairs)
        assert transport(truth, guess, rand_distance, 1) == 1 - rand_alpha(truth, guess, 0)


def test_mutual_information_range() -> None:
    single = [{label} for label in LABELS]
    low, high = mutual_information_range(single, SETS)
    itself = mutual_information_range(single, single)
    assert itself[0] == itself[1] == high > low > 0
    assert mutual_information_range([{1}] * 3, [{1, 2}] * 3) == (0, 0)


def test_one_object() -> None:
    for truth, guess in small_clusterings(6, objects=1):
        for pairs in ("distinct", "all"):
            assert rand_alpha(truth, guess, HALF, pairs) == 1
            assert rand_belief(truth, guess, pairs) == 1
            assert rand_conflict(truth, guess, pairs) == 1
            assert rand_jousselme(truth, guess, pairs) == 1
            assert rand_frigui(truth, guess, pairs) == 1
            assert rand_hullermeier(truth, guess, "cosine", pairs) == 1
            assert rand_anderson(truth, guess, pairs) == 1
        for over in ("n-1", "n"):
            assert partition_distance_alpha(truth, guess, HALF, over) == 0
        if not any(frozenset() in mass for mass in truth):
            assert transport(truth, guess, partition_distance, HALF) == 0
    assert rand_distance([1], [2]) == partition_distance([1], [2]) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_random_clusterings_are_of_their_kind(kind: str) -> None:
    rng = Random(7)
    soft = random_soft(rng, 200, 3, kind, empty=True)
    assert all(sum(mass.values()) == 1 and min(mass.values()) > 0 for mass in soft)
    sets = {a for mass in soft for a in mass}
    assert (frozenset() in sets) == (kind in ("rough", "possibilistic", "evidential"))
    assert max(map(len, sets)) == (1 if kind in ("partition", "fuzzy") else 3)
    assert frozenset() not in {a for mass in random_soft(rng, 200, 3, kind) for a in mass}
    for mass in soft:
        if kind in ("partition", "rough"):
            assert len(mass) == 1
        if kind == "possibilistic":
            assert all(a <= b or b <= a for a, b in combinations(mass, 2))
            top = max(membership(mass, w) for w in EVERY)
            assert mass.get(frozenset(), 0) == 1 - top
