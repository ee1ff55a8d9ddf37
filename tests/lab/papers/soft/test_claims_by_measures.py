"""What "A general framework for evaluating and comparing soft clusterings" says of its measures.

Campagner, Ciucci and Denœux 2023. Statements that are false as printed are here too: with the
counterexample, and with what holds in their place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import clusterdiff as cd
from cases import partitions
from oracles.soft import compatible, random_soft
from soft_cases import UNCERTAIN, Case, clustering, drawn

Sets = tuple[frozenset[int], ...]
CLOSE = 1e-9
C = cd.Partition([1, 2, 2, 3, 1])
R = cd.Rough([{1}, {2}, {2, 3}, {3}, {1, 2, 3}])
F = cd.Fuzzy([[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5], [0, 0, 1], [1 / 3] * 3])
P = cd.Possibilistic([[1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0.8]])
M = cd.Evidential(
    [
        {(1,): 1},
        {(2,): 1},
        {(2, 3): 0.5, (1, 2, 3): 0.5},
        {(3,): 1},
        {(1, 2, 3): 0.5, (1,): 1 / 6, (2,): 1 / 6, (3,): 1 / 6},
    ]
)


class Ends(NamedTuple):
    """A distance where what is unknown is accepted, and where it is an error."""

    least: float
    most: float


def d_rand(truth: object, guess: object) -> Ends:
    found = cd.transport("rand", empty_set="max_distance")(truth, guess)
    return Ends(1 - found.high, 1 - found.low)


def d_pi(truth: object, guess: object) -> Ends:
    found = cd.transport("partition_distance", empty_set="max_distance")(truth, guess)
    return Ends(found.low, found.high)


def rand(truth: object, guess: object) -> Ends:
    """Rand at alpha = 0 and at alpha = 1."""
    found = cd.rand_alpha(truth, guess)
    return Ends(found.high, found.low)


def delta(truth: object, guess: object) -> Ends:
    found = cd.partition_distance_alpha(truth, guess)
    return Ends(found.low, found.high)


TRANSPORTS: dict[str, Callable[[object, object], Ends]] = {"rand": d_rand, "partition": d_pi}
both_distances = pytest.mark.parametrize("name", TRANSPORTS)


def exactly(*values: str | Fraction | float) -> object:
    return pytest.approx([float(Fraction(value)) for value in values], rel=0, abs=1e-12)


def against_partitions(seed: int, times: int = 4, *, empty: bool = False) -> list[Case]:
    """A partition and a clustering of every other kind."""
    return drawn(seed, times, truth=["partition"], guess=UNCERTAIN, objects=(2, 4), empty=(empty,))


def triples(
    seed: int, times: int, kinds: Sequence[str] = UNCERTAIN, *, n: int = 3, empty: bool = False
) -> Iterator[list[cd.Clustering]]:
    rng = Random(seed)
    for _ in range(times):
        chosen = [rng.choice(kinds) for _ in range(3)]
        yield [clustering(random_soft(rng, n, 2, kind, empty), kind) for kind in chosen]


# Partitions


def matrix(measure: cd.Measure, n: int) -> NDArray[np.float64]:
    return np.array([[measure(a, b) for b in partitions(n)] for a in partitions(n)])


def worst(d: NDArray[np.float64]) -> float:
    """The largest distance as a multiple of the way round by a third."""
    around = (d[:, :, None] + d[None, :, :]).min(axis=1)
    some = around > CLOSE
    assert (d[~some] < CLOSE).all()
    return float((d[some] / around[some]).max())


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("name", ["rand", "partition_distance"])
def test_rand_and_partition_distance_are_normalised_metrics(name: str, n: int) -> None:
    """Sections 2.3.1 and 2.3.2: with distance 1 for one cluster and single objects alone."""
    found = matrix(cd.measure(name), n)
    d = 1 - found if name == "rand" else found
    one, single = partitions(n).index((0,) * n), partitions(n).index(tuple(range(n)))
    assert ((d < CLOSE) == np.eye(len(d), dtype=bool)).all()
    assert d == pytest.approx(d.T)
    assert worst(d) <= 1 + CLOSE
    far = [(i, j) for i, j in product(range(len(d)), repeat=2) if d[i, j] > 1 - CLOSE]
    assert sorted(far) == sorted([(one, single), (single, one)])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_jaccard_is_a_similarity(n: int) -> None:
    """Section 2.3.1."""
    assert worst(1 - matrix(cd.pair_jaccard, n)) <= 1 + CLOSE


def test_fowlkes_mallows_is_no_similarity() -> None:
    """Section 2.3.1 says that one less it is a metric."""
    a, b, c = (0, 0, 1), (0, 0, 0), (0, 1, 0)
    far, near, nearer = (1 - cd.fowlkes_mallows(*pair) for pair in ((a, c), (a, b), (b, c)))
    assert [far, near, nearer] == exactly(1, 1 - 3**-0.5, 1 - 3**-0.5)
    assert far > near + nearer


# Rough clusterings


@cache
def rough_sets() -> list[cd.Rough]:
    """One rough clustering of three objects for each set of partitions that one can allow."""
    sets = [frozenset(a) for size in (1, 2, 3) for a in combinations((1, 2, 3), size)]
    found: dict[frozenset[tuple[int, ...]], Sets] = {}
    for rough in product(sets, repeat=3):
        found.setdefault(frozenset(compatible(rough)), rough)
    return [cd.Rough([set(a) for a in rough]) for rough in found.values()]


@cache
def between_rough(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ends = [[TRANSPORTS[name](a, b) for b in rough_sets()] for a in rough_sets()]
    both = np.array(ends)
    return both[:, :, 0], both[:, :, 1]


@both_distances
def test_the_far_end_is_a_metric_of_sets_of_partitions_and_the_near_end_is_not(name: str) -> None:
    """Proposition 3.1, for all 23 sets that rough clusterings of three objects allow."""
    near, far = between_rough(name)
    assert len(near) == 23
    for d in (near, far):
        assert d == pytest.approx(d.T)
        assert np.diag(d) == pytest.approx(0)
    assert worst(far) <= 1 + CLOSE
    assert ((far < CLOSE) == np.eye(23, dtype=bool)).all()
    around = (near[:, :, None] + near[None, :, :]).min(axis=1)
    assert (near > around + CLOSE).any()


@both_distances
def test_the_far_end_does_not_tell_assignments_that_allow_the_same_partitions(name: str) -> None:
    """Proposition 3.1 as a statement on assignments of objects to sets: a pseudo-metric."""
    assert TRANSPORTS[name](cd.Rough([{1}, {1, 2}]), cd.Rough([{1, 2}] * 2)).most == 0


@both_distances
@pytest.mark.parametrize("alpha", [0.25, 0.9])
def test_between_the_ends_the_triangle_inequality_is_relaxed(name: str, alpha: float) -> None:
    """Theorem 3.1 says 1 for alpha >= 1/2, and 1/(2 alpha) below: it is (1 + alpha)/(2 alpha)."""
    near, far = between_rough(name)
    assert worst((1 - alpha) * near + alpha * far) == pytest.approx((1 + alpha) / (2 * alpha))


TRIPLES = {
    "rand": [({1}, {2}, {1}), ({1}, {2}, {1, 3}), ({1}, {2}, {2, 3})],
    "partition": [({1}, {1}, {1}), ({1}, {1}, {1, 2}), ({1}, {1, 2}, {3})],
}


@pytest.mark.parametrize(
    ("name", "alpha", "expected"),
    [
        ("rand", 0.5, ("1/6", "1/6", "1/2")),
        ("rand", 0.75, ("1/4", "1/4", "7/12")),
        ("rand", 0.9, ("3/10", "3/10", "19/30")),
        ("partition", 0.5, ("1/4", "1/4", "3/4")),
        ("partition", 0.75, ("3/8", "3/8", "7/8")),
        ("partition", 0.9, ("9/20", "9/20", "19/20")),
        ("partition", 0.99, ("99/200", "99/200", "199/200")),
    ],
)
@pytest.mark.parametrize("kind", [cd.Rough, lambda sets: cd.Evidential(cd.Rough(sets))])
def test_no_alpha_below_1_has_a_triangle_inequality(
    name: str, alpha: float, expected: tuple[str, ...], kind: Callable[..., cd.Clustering]
) -> None:
    """Theorems 3.1 and 3.2 say that there is one from 1/2 on."""
    a, b, c = (kind(list(sets)) for sets in TRIPLES[name])
    measure = cd.transport("rand" if name == "rand" else "partition_distance", alpha=alpha)
    found = [measure(x, y) for x, y in ((a, b), (b, c), (a, c))]
    near, nearer, far = (1 - v for v in found) if name == "rand" else found
    assert [near, nearer, far] == exactly(*expected)
    assert far > near + nearer


# Transport


@both_distances
def test_transport_at_alpha_1_has_the_triangle_inequality(name: str) -> None:
    """Theorem 3.2."""
    for a, b, c in triples(31, 15):
        ab, bc, ac = (TRANSPORTS[name](x, y) for x, y in ((a, b), (b, c), (a, c)))
        assert ac.most <= ab.most + bc.most + CLOSE
        assert ab == pytest.approx(TRANSPORTS[name](b, a), abs=CLOSE)
        assert TRANSPORTS[name](a, a) == pytest.approx((0, 0), abs=CLOSE)


SPREAD = cd.Fuzzy([[0.5, 0.5], [0.5, 0.5], [1, 0]]), cd.Fuzzy([[0.5, 0.5]] * 3)


@both_distances
def test_transport_does_not_tell_clusterings_with_the_same_law_of_partitions(name: str) -> None:
    """Theorem 3.2 says that different clusterings are not at distance 0."""
    assert TRANSPORTS[name](*SPREAD) == pytest.approx((0, 0), abs=CLOSE)


@both_distances
def test_transport_of_fuzzy_clusterings_does_not_depend_on_alpha(name: str) -> None:
    """Corollary 3.1."""
    for case in drawn(32, 15, truth=["fuzzy"], guess=["fuzzy"], objects=(2, 3), most=300):
        ends = TRANSPORTS[name](*case.ours)
        assert ends.least == pytest.approx(ends.most, abs=CLOSE)


def expected_ends(partition: cd.Clustering, uncertain: cd.Clustering, name: str) -> Ends:
    """The mean of the least and of the largest distance to what a rough clustering allows."""
    assert isinstance(partition, cd.Partition)
    labels = partition.labels.tolist()
    assert isinstance(uncertain, cd.Rough | cd.Fuzzy | cd.Possibilistic | cd.Evidential)
    least = most = 0.0
    for sets, chance in uncertain.distribution().items():
        found = [distance_of(name, labels, hard) for hard in product(*sets)]
        least, most = least + chance * min(found), most + chance * max(found)
    return Ends(least, most)


@cache
def _remembered(name: str, truth: tuple[int, ...], guess: tuple[int, ...]) -> float:
    if name == "rand":
        return 1 - float(cd.rand(truth, guess))
    return float(cd.partition_distance(truth, guess))


def distance_of(name: str, truth: Sequence[int], guess: Sequence[int]) -> float:
    order = list(dict.fromkeys(guess))
    return _remembered(name, tuple(truth), tuple(order.index(w) for w in guess))


@both_distances
def test_against_a_partition_the_ends_are_lower_and_upper_expectations(name: str) -> None:
    """Theorem 3.3, which needs that no mass is on the empty set; in between it is linear."""
    for case in against_partitions(33, 2):
        expected = expected_ends(*case.ours, name)
        assert TRANSPORTS[name](*case.ours) == pytest.approx(expected, abs=CLOSE)
        measure = cd.transport("rand" if name == "rand" else "partition_distance")
        found = measure(*case.ours)
        assert measure(*case.ours, alpha=0.25) == pytest.approx(found.at(0.25), abs=CLOSE)


def test_focal_sets_of_a_possibilistic_clustering_need_not_be_nested() -> None:
    """Section 3.1 says so; the cuts of the degrees are nested, and another mass."""
    possible = cd.Possibilistic([[1, 0.5]] * 2, labels=[1, 2])
    one, two = frozenset({1}), frozenset({1, 2})
    assert {(one, two), (two, one)} <= set(possible.distribution())
    assert d_rand([1, 1], possible).most == pytest.approx(3 / 4)
    cuts = [cd.Rough([{1}, {1}]), cd.Rough([{1, 2}, {1, 2}])]
    assert sum(d_rand([1, 1], cut).most for cut in cuts) / 2 == pytest.approx(1 / 2)


# Sampling


def test_the_bound_of_the_sampled_near_end_is_false() -> None:
    """Proposition 4.1, Eq. (16b), for one draw: the share of partitions that are farther."""
    assert d_rand(C, R).least == 0
    (sets,) = R.distribution()
    found = [1 - cd.rand(C, list(labels)) for labels in product(*sets)]
    farther = sum(d > 0.1 for d in found) / len(found)
    share = sum(d <= 0.1 for d in found) / len(found)
    printed, right = 1 - (1 - share), 1 - share
    assert [farther, printed, right] == exactly("5/6", "1/6", "5/6")
    assert [1 - (1 - share) ** s for s in (1, 2, 3)] == sorted(
        1 - (1 - share) ** s for s in (1, 2, 3)
    )


def test_the_sampled_far_end_can_overshoot() -> None:
    """Section 4.1 bounds only how much it falls short."""
    two = cd.Rough([{1}, {1, 2}])
    assert d_rand(two, two).most == 0
    (sets,) = two.distribution()
    drawn_twice = [1 - cd.rand(a, b) for a, b in product(product(*sets), repeat=2)]
    assert sum(d > 0 for d in drawn_twice) / len(drawn_twice) == 1 / 2


def test_hoeffding_does_not_bound_the_sampled_distance_of_fuzzy_clusterings() -> None:
    """Proposition 4.2, Eq. (18), for one draw of each and epsilon = 1."""
    even = cd.Fuzzy([[0.5, 0.5]] * 2)
    assert d_rand(even, even) == (0, 0)
    law = {tuple(min(a) for a in sets): p for sets, p in even.distribution().items()}
    off = sum(p * q for (a, p), (b, q) in product(law.items(), repeat=2) if cd.rand(a, b) == 0)
    assert off == 1 / 2 > 2 * math.exp(-2)


# The Rand index inside


def test_rand_1_can_exceed_the_transported_rand_index_of_rough_clusterings() -> None:
    """Theorem 4.1 says Rand_1 <= 1 - d_0; the smallest counterexample."""
    truth, guess = cd.Rough([{1}, {1}, {1, 2}]), cd.Rough([{1}, {2}, {1, 2}])
    assert [rand(truth, guess).most, 1 - d_rand(truth, guess).least] == exactly("2/3", "1/3")


def test_rand_alpha_can_exceed_the_transported_rand_index_of_fuzzy_clusterings() -> None:
    """Theorem 4.1."""
    truth, guess = cd.Fuzzy([[0.5, 0.5, 0]] * 3), cd.Fuzzy([[2 / 3, 1 / 6, 1 / 6]] * 3)
    assert list(rand(truth, guess)) == exactly(1, 1)
    assert [1 - d for d in d_rand(truth, guess)] == pytest.approx([25 / 27] * 2)


def test_rand_0_is_not_below_the_transported_rand_index() -> None:
    """Theorem 4.1, the half that holds; of fuzzy clusterings it is the only bound."""
    for case in drawn(34, 2, truth=UNCERTAIN, guess=UNCERTAIN, objects=(2, 3), most=300):
        assert 1 - d_rand(*case.ours).least <= rand(*case.ours).least + CLOSE


def test_against_a_partition_rand_encloses_the_transported_rand_index() -> None:
    """More than Theorem 4.1 says: Rand_1 <= 1 - d_1 <= 1 - d_0 <= Rand_0."""
    for case in against_partitions(35, 8):
        pairs, carried = rand(*case.ours), d_rand(*case.ours)
        chain = [pairs.most, 1 - carried.most, 1 - carried.least, pairs.least]
        assert all(a <= b + CLOSE for a, b in pairwise(chain))


def test_with_an_object_in_no_cluster_rand_1_can_exceed_the_transported_rand_index() -> None:
    """The chain above needs masses without the empty set; its upper end does not."""
    truth, guess = cd.Partition([1, 1, 2]), cd.Rough([{1}, {1}, set()])
    assert [rand(truth, guess).most, 1 - d_rand(truth, guess).most] == exactly("1/3", 0)
    for case in against_partitions(35, 8, empty=True):
        assert 1 - d_rand(*case.ours).least <= rand(*case.ours).least + CLOSE


def test_against_a_partition_rand_alpha_of_a_fuzzy_clustering_is_the_expected_rand_index() -> None:
    """Example 4.2 says that only Rand_0 of R and P is the transported one: F's is too."""
    assert [rand(C, F).least, 1 - d_rand(C, F).least] == exactly("11/15", "11/15")
    assert rand(C, R).least == 1 - d_rand(C, R).least == rand(C, P).least == 1
    for case in drawn(36, 20, truth=["partition"], guess=["fuzzy"], objects=(2, 4)):
        assert rand(*case.ours) == pytest.approx([1 - d for d in d_rand(*case.ours)], abs=CLOSE)


def test_rand_alpha_of_fuzzy_clusterings_does_not_depend_on_alpha() -> None:
    """Theorem 4.2."""
    for case in drawn(37, 30, truth=["fuzzy"], guess=["fuzzy"]):
        assert rand(*case.ours).least == pytest.approx(rand(*case.ours).most, abs=CLOSE)


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.75])
def test_rand_alpha_has_the_relaxed_triangle_inequality(alpha: float, empty: bool) -> None:
    """Theorem 4.3, on pairs of objects: no triangle is worse than 1/(2 alpha), or 1."""
    relaxed = max(1.0, 1 / (2 * alpha))
    measure = cd.rand_alpha(alpha=alpha)
    for a, b, c in triples(38, 25, n=2, empty=empty):
        ab, bc, ac = (1 - measure(x, y) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= relaxed * (ab + bc) + CLOSE
        assert measure(a, a) == pytest.approx(1)
        assert ab == pytest.approx(1 - measure(b, a), abs=CLOSE)


def test_rand_alpha_needs_a_relaxed_triangle_inequality_below_one_half() -> None:
    """Theorem 4.3: 1/(2 alpha) is reached, by way of what is unknown."""
    a, b, c = cd.Partition([1, 1]), cd.Rough([{1}, {1, 2}]), cd.Partition([1, 2])
    ab, bc, ac = (1 - cd.rand_alpha(x, y, alpha=0.25) for x, y in ((a, b), (b, c), (a, c)))
    assert [ab, bc, ac] == exactly("1/4", "1/4", 1)


def test_rand_alpha_falls_with_alpha() -> None:
    """Section 4.2."""
    for case in drawn(39, 2):
        values = [cd.rand_alpha(*case.ours, alpha=alpha) for alpha in (0, 0.25, 0.5, 0.75, 1)]
        assert all(a >= b - CLOSE for a, b in pairwise(values))


@pytest.mark.parametrize("n", [3, 4, 6])
def test_relations_do_not_determine_a_clustering_into_two(n: int) -> None:
    """The remark after Corollary 4.1 says that they do from three objects on."""
    one, other = cd.Fuzzy([*[[0.5, 0.5]] * (n - 1), [1, 0]]), cd.Fuzzy([[0.5, 0.5]] * n)
    assert all(r == (0, 0.5, 0.5, 0) for c in (one, other) for _, _, r in c.relations())
    assert rand(one, other) == (1, 1)
    assert delta(one, other).least > 0


def printed_costs(m1: tuple[float, ...], m2: tuple[float, ...]) -> list[float]:
    """Theorem 4.4: what it costs to turn one relation into another at alpha = 0, 1/2 and 1."""
    (e1, s1, n1, t1), (e2, s2, n2, t2) = m1, m2
    return [
        (abs(s1 + n2 - 1) + abs(n1 + s2 - 1) - t1 - t2) / 2,
        (abs(s1 - s2) + abs(n1 - n2)) / 2,
        (abs(e1 - e2) + abs(s1 - s2) + abs(n1 - n2) + abs(t1 - t2)) / 2,
    ]


def costs(a: cd.Clustering, b: cd.Clustering) -> list[float]:
    return [1 - cd.rand_alpha(a, b, alpha=alpha) for alpha in (0, 0.5, 1)]


def relation(c: cd.Clustering) -> tuple[float, ...]:
    assert isinstance(c, cd.Rough | cd.Fuzzy | cd.Possibilistic | cd.Evidential)
    return c.relation(0, 1)


def test_closed_forms_hold_without_mass_on_the_empty_set() -> None:
    """Theorem 4.4 and Corollary 4.2."""
    for a, b, _ in triples(40, 200, n=2):
        printed = printed_costs(relation(a), relation(b))
        assert costs(a, b) == pytest.approx(printed, abs=CLOSE)
        assert 1 - cd.rand_belief(a, b) == pytest.approx(printed[1], abs=CLOSE)


def test_closed_forms_fail_with_mass_on_the_empty_set() -> None:
    """Theorem 4.4, but for alpha = 1; both sums of the theorem are off here."""
    a = cd.Evidential([{"1": 1}, {"1": 1 / 3, "2": 1 / 3, "": 1 / 3}])
    b = cd.Evidential([{"1": 1}, {"1": 1 / 3, "2": 1 / 4, "": 5 / 12}])
    assert costs(a, b) == exactly("1/12", "1/12", "1/12")
    assert printed_costs(relation(a), relation(b)) == exactly("3/8", "1/24", "1/12")


def test_belief_is_at_most_the_distance_at_one_half() -> None:
    """Corollary 4.2 says that they are equal; with mass on the empty set they need not be."""
    less = 0
    for a, b, _ in triples(41, 200, n=2, empty=True):
        belief, half, one = 1 - cd.rand_belief(a, b), *costs(a, b)[1:]
        assert belief <= half + CLOSE
        assert one == pytest.approx(printed_costs(relation(a), relation(b))[2], abs=CLOSE)
        less += belief < half - CLOSE
    assert less > 30
    nothing, unknown = cd.Rough([set(), {1}]), cd.Rough([{1, 2}, {1, 2}])
    assert [1 - cd.rand_belief(nothing, unknown), costs(nothing, unknown)[1]] == exactly("1/2", 1)


# The partition distance inside


def test_delta_can_exceed_the_transported_partition_distance() -> None:
    """Theorem 4.5 says delta_0 <= d_0; the smallest counterexample."""
    even = cd.Fuzzy([[0.5, 0.5]] * 2)
    assert [delta([1, 2], even).least, d_pi([1, 2], even).least] == exactly(1, "1/2")


def anchored(masses: dict[str, float]) -> cd.Evidential:
    """Four objects in clusters of their own, and a fifth with these masses."""
    return cd.Evidential([*({str(w): 1.0} for w in (1, 2, 3, 4)), masses])


def test_the_transported_partition_distance_can_exceed_delta() -> None:
    """Theorem 4.5 says d_0 <= delta_1."""
    one = anchored({"1": 1 / 3, "2|3|4": 2 / 3})
    other = anchored({"2|3": 1 / 3, "2|4": 1 / 3, "3|4": 1 / 3})
    assert d_pi(one, other).least == pytest.approx(1 / 12)
    assert delta(one, other).most == pytest.approx(1 / 24)


def test_delta_encloses_the_near_end_of_rough_clusterings() -> None:
    """Theorem 4.5 for rough clusterings: delta_0 <= d_0 <= delta_1."""
    for case in drawn(42, 60, truth=["rough"], guess=["rough"], objects=(2, 4), empty=(False,)):
        carried = cd.transport("partition_distance", alpha=0)(*case.ours)
        assert delta(*case.ours).least - CLOSE <= carried <= delta(*case.ours).most + CLOSE


def test_delta_of_fuzzy_clusterings_is_not_below_transport() -> None:
    """The half of Theorem 4.5 that is false has it the other way round."""
    for case in drawn(43, 25, truth=["fuzzy"], guess=["fuzzy"], objects=(2, 3), most=300):
        assert d_pi(*case.ours).most <= delta(*case.ours).least + CLOSE


def test_against_a_partition_delta_1_is_not_below_transport() -> None:
    """d_0 <= d_1 <= delta_1, while delta_0 may lie on either side of d_0."""
    for case in against_partitions(44, 8):
        carried, inside = d_pi(*case.ours), delta(*case.ours)
        assert carried.least <= carried.most + CLOSE
        assert carried.most <= inside.most + CLOSE
    apart = cd.Rough([{2, 3}, {1}])
    assert [delta([1, 1], apart).least, d_pi([1, 1], apart).least] == exactly("1/2", 1)
    even = cd.Fuzzy([[0.5, 0.5]] * 2)
    assert [delta([1, 2], even).least, d_pi([1, 2], even).least] == exactly(1, "1/2")


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.75])
def test_delta_has_the_relaxed_triangle_inequality(alpha: float, empty: bool) -> None:
    """Theorem 4.6."""
    relaxed = max(1.0, 1 / (2 * alpha))
    measure = cd.partition_distance_alpha(alpha=alpha)
    for a, b, c in triples(45, 20, empty=empty):
        ab, bc, ac = (measure(x, y) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= relaxed * (ab + bc) + CLOSE
        assert measure(a, a) == pytest.approx(0, abs=CLOSE)
        assert ab == pytest.approx(measure(b, a), abs=CLOSE)


@pytest.mark.parametrize("alpha", [0, 0.5, 0.75, 1])
def test_delta_does_not_tell_masses_with_equal_belief_and_plausibility(alpha: float) -> None:
    """Theorem 4.6 says that it is a metric from alpha = 1/2 on."""
    one, other = anchored({"1|2": 0.5, "3|4": 0.5}), anchored({"1|3": 0.5, "2|4": 0.5})
    assert cd.partition_distance_alpha(one, other, alpha=alpha) == pytest.approx(0, abs=CLOSE)
    assert cd.transport("partition_distance", alpha=1)(one, other) > 0.1


def test_delta_can_exceed_1() -> None:
    """Section 4.3 takes one less it for a similarity."""
    assert delta(C, cd.Rough([{1, 2, 3}] * 5)).most == pytest.approx(15 / 8)


def test_delta_of_fuzzy_clusterings_is_the_fuzzy_partition_distance() -> None:
    """Proposition 4.5: half the sum of differences of degrees under the best matching."""
    rng = np.random.default_rng(46)
    for n, k in product((2, 3, 5), (2, 3)):
        for _ in range(5):
            truth, guess = rng.dirichlet(np.ones(k), (2, n))
            moved = min(abs(truth - guess[:, p]).sum() for p in permutations(range(k)))
            ends = delta(cd.Fuzzy(truth), cd.Fuzzy(guess))
            assert ends == pytest.approx([moved / (2 * (n - 1))] * 2, abs=CLOSE)


def test_delta_is_the_transported_distance_where_the_paper_says_so() -> None:
    """Example 4.3: delta_0 of R and M, and that of F; of P as well."""
    for soft in (R, P, M):
        assert delta(C, soft).least == pytest.approx(d_pi(C, soft).least)
        assert delta(C, soft).most > d_pi(C, soft).most
    assert delta(C, F) == pytest.approx(d_pi(C, F))


# Other indices


@pytest.mark.parametrize("measure", [cd.rand_conflict, cd.rand_frigui, cd.rand_campello], ids=str)
def test_some_indices_of_a_clustering_with_itself_are_below_1(measure: cd.Measure) -> None:
    """Section 2.3.1 says so of Campello's; Rand_K is not the consistency that it is said to be."""
    expected = "7/11" if measure == cd.rand_campello else "13/18"
    assert [measure(F, F)] == exactly(expected)


def test_consonant_clusterings_do_not_conflict_with_themselves() -> None:
    """Section 2.3.1: Rand_K of these is a consistency."""
    for kind in ("rough", "possibilistic"):
        for case in drawn(47, 20, truth=[kind], guess=[kind], empty=(False,)):
            assert cd.rand_conflict(case.ours[0], case.ours[0]) == pytest.approx(1)


def test_products_and_bounded_sums_are_the_relations_of_fuzzy_clusterings() -> None:
    """Eq. (4) with these is Eq. (3); so Frigui's index against a partition is Rand_alpha."""
    for case in drawn(48, 30, truth=["partition"], guess=["fuzzy"]):
        for pairs in ("distinct", "all"):
            frigui = cd.rand_frigui(*case.ours, pairs=pairs)
            assert frigui == pytest.approx(cd.rand_alpha(*case.ours, alpha=0.5, pairs=pairs))


@pytest.mark.parametrize("distance", ["half_l1", "max", "cosine"])
def test_hullermeier_is_a_pseudo_similarity(distance: Any) -> None:
    """Section 2.3.1: symmetric, 1 for a clustering with itself, with the triangle inequality."""
    measure = cd.rand_hullermeier(distance=distance)
    for a, b, c in triples(49, 80, ("fuzzy",)):
        ab, bc, ac = (1 - measure(x, y) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= ab + bc + CLOSE
        assert measure(a, a) == pytest.approx(1)
        assert ab == pytest.approx(1 - measure(b, a), abs=CLOSE)


def test_hullermeier_does_not_tell_clusterings_with_equal_distances_of_objects() -> None:
    """Section 2.3.1: on objects it is no more than a pseudo-similarity."""
    assert cd.rand_hullermeier(cd.Fuzzy([[0.5, 0.5], [1, 0]]), cd.Fuzzy([[0, 1], [0.5, 0.5]])) == 1


# What holds besides


@pytest.mark.parametrize("empty", [False, True])
def test_against_a_partition_measures_are_linear_in_alpha(empty: bool) -> None:
    for case in against_partitions(50, empty=empty):
        for measure in (cd.rand_alpha, cd.partition_distance_alpha):
            found = measure(*case.ours)
            for alpha in (0.25, 0.5, 0.9):
                value = measure(*case.ours, alpha=alpha)
                assert value == pytest.approx(found.at(alpha), abs=CLOSE)


def test_transport_to_a_fuzzy_clustering_is_below_delta_unless_one_matching_is_always_best() -> (
    None
):
    less = 0
    for case in drawn(51, 40, truth=["partition"], guess=["fuzzy"], objects=(2, 4)):
        truth, guess = case.ours
        carried, inside = d_pi(truth, guess).least, delta(truth, guess).least
        assert carried <= inside + CLOSE
        assert (abs(carried - inside) < CLOSE) == one_matching_is_best(truth, guess)
        less += carried < inside - CLOSE
    assert less > 20


def one_matching_is_best(truth: cd.Clustering, guess: cd.Clustering) -> bool:
    assert isinstance(truth, cd.Partition)
    assert isinstance(guess, cd.Fuzzy)
    labels = truth.labels.tolist()
    names = [*guess.labels.tolist(), *(-1 - i for i in range(len(labels)))]
    moves = []
    for matched in permutations(names, len(set(labels))):
        to = dict(zip(sorted(set(labels)), matched, strict=True))
        kept = [to[label] for label in labels]
        moves.append(
            [
                sum(w not in a for w, a in zip(kept, sets, strict=True))
                for sets in guess.distribution()
            ]
        )
    best = np.array(moves)
    return bool((best == best.min(axis=0)).all(axis=1).any())


def test_sums_over_objects_bound_both_ends_against_a_partition() -> None:
    """By plausibility from above for d_0, by belief in the matched cluster for d_1."""
    for case in against_partitions(52, 6):
        truth, guess = case.truth, case.guess
        n, own = len(truth), [min(next(iter(mass))) for mass in truth]
        names = [*range(1, 4), *range(-3, 0)]
        plausible, sure = [], []
        for matched in permutations(names, 3):
            to = dict(zip((1, 2, 3), matched, strict=True))
            pairs = [(to[w], mass) for w, mass in zip(own, guess, strict=True)]
            plausible.append(sum(1 - sum(v for a, v in m.items() if w in a) for w, m in pairs))
            sure.append(sum(1 - m.get(frozenset({w}), 0) for w, m in pairs))
        ends = d_pi(*case.ours)
        assert ends.least <= min(plausible) / (n - 1) + CLOSE
        assert ends.most <= min(sure) / (n - 1) + CLOSE
        assert min(sure) / (n - 1) <= delta(*case.ours).most + CLOSE


# How hard it is


def random_sets(rng: Random, many: int, names: int, size: int) -> list[set[int]]:
    return [set(rng.sample(range(names), rng.randint(1, size))) for _ in range(many)]


def test_the_most_moves_from_single_objects_is_a_smallest_hitting_set() -> None:
    """Proposition 3.2: the far end of the partition distance is hard for many clusters."""
    rng = Random(53)
    for _ in range(25):
        sets = random_sets(rng, rng.randint(2, 6), 5, 3)
        n = len(sets)
        hitting = min(
            size
            for size in range(1, 6)
            for chosen in combinations(range(5), size)
            if all(set(chosen) & a for a in sets)
        )
        far = d_pi(list(range(n)), cd.Rough(sets)).most
        assert far * (n - 1) == pytest.approx(n - hitting)


def covers_exactly(triples: Iterable[tuple[int, ...]]) -> bool:
    return any(
        len(set(chosen[0] + chosen[1])) == 6 for chosen in combinations(sorted(set(triples)), 2)
    )


def test_rand_to_single_objects_or_to_one_cluster_solves_exact_cover() -> None:
    """Proposition 3.2: both ends of the Rand distance are hard for many clusters."""
    rng = Random(54)
    solved = []
    for _ in range(30):
        triples = [tuple(sorted(rng.sample(range(6), 3))) for _ in range(4)]
        sets = [{k for k, t in enumerate(triples) if x in t} for x in range(6)]
        if not all(sets):
            continue
        solved.append(covers_exactly(triples))
        far = d_rand(list(range(6)), cd.Rough(sets)).most * 15
        near = d_rand([0] * 6, cd.Rough(sets)).least * 15
        assert (round(far) == 6) == (round(15 - near) == 6) == solved[-1]
    assert {True, False} == set(solved)


Clause = tuple[tuple[int, bool], ...]


def satisfiable(clauses: Sequence[Clause], variables: int) -> bool:
    return any(
        all(any(values[v] == wanted for v, wanted in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def test_the_near_end_of_two_rough_clusterings_solves_satisfiability() -> None:
    """Proposition 3.2: hard between rough clusterings, an assignment against a partition."""
    rng = Random(55)
    found = []
    for _ in range(20):
        clauses = [
            tuple((v, rng.random() < 0.5) for v in rng.sample(range(2), rng.randint(1, 2)))
            for _ in range(3)
        ]
        truth: list[set[str]] = [{f"{v}{sign}"} for v in range(2) for sign in (False, True)]
        guess = [{f"T{v}", f"F{v}"} for v in range(2) for _ in (False, True)]
        for clause in clauses:
            truth.append({f"{v}{sign}" for v, sign in clause})
            guess.append({f"T{v}" for v, _ in clause})
        near = cd.transport("partition_distance", alpha=0)(cd.Rough(truth), cd.Rough(guess))
        found.append(satisfiable(clauses, 2))
        assert (near == 0) == found[-1]
    assert {True, False} == set(found)
