"""What holds of soft clusterings besides the claims of Campagner, Ciucci and Denœux 2023.

docs/papers.md has the claims themselves, each with its verdict and its smallest counterexample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

import clusterdiff as cd
from oracles.soft import random_soft
from soft_cases import UNCERTAIN, Case, clustering, drawn

CLOSE = 1e-9


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


def delta(truth: object, guess: object) -> Ends:
    found = cd.partition_distance_alpha(truth, guess)
    return Ends(found.low, found.high)


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


def test_with_an_object_in_no_cluster_rand_1_can_exceed_the_transported_rand_index() -> None:
    """The chain after Theorem 4.1 needs masses without the empty set; its upper end does not."""
    truth, guess = cd.Partition([1, 1, 2]), cd.Rough([{1}, {1}, set()])
    found = cd.rand_alpha(truth, guess).low, 1 - d_rand(truth, guess).most
    assert list(found) == exactly("1/3", 0)
    for case in against_partitions(35, 8, empty=True):
        assert 1 - d_rand(*case.ours).least <= cd.rand_alpha(*case.ours).high + CLOSE


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.75])
@pytest.mark.parametrize("name", ["rand_alpha", "partition_distance_alpha"])
def test_closed_forms_have_the_relaxed_triangle_inequality(
    name: str, alpha: float, empty: bool
) -> None:
    """Theorems 4.3 (of pairs of objects) and 4.6: no triangle is worse than 1/(2 alpha), or 1."""
    measure = cd.measure(name)(alpha=alpha)
    n, times = (2, 25) if name == "rand_alpha" else (3, 20)

    def distance(one: cd.Clustering, other: cd.Clustering) -> float:
        value: float = measure(one, other)
        return value if measure.is_distance else 1 - value

    for a, b, c in triples(38, times, n=n, empty=empty):
        ab, bc, ac = (distance(x, y) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= max(1.0, 1 / (2 * alpha)) * (ab + bc) + CLOSE
        assert distance(a, a) == pytest.approx(0, abs=CLOSE)
        assert ab == pytest.approx(distance(b, a), abs=CLOSE)


def test_rand_alpha_needs_a_relaxed_triangle_inequality_below_one_half() -> None:
    """Theorem 4.3: 1/(2 alpha) is reached, by way of what is unknown."""
    a, b, c = cd.Partition([1, 1]), cd.Rough([{1}, {1, 2}]), cd.Partition([1, 2])
    ab, bc, ac = (1 - cd.rand_alpha(x, y, alpha=0.25) for x, y in ((a, b), (b, c), (a, c)))
    assert [ab, bc, ac] == exactly("1/4", "1/4", 1)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_relations_do_not_determine_a_clustering_into_two(n: int) -> None:
    """The remark after Corollary 4.1 says that they do from three objects on."""
    one, other = cd.Fuzzy([*[[0.5, 0.5]] * (n - 1), [1, 0]]), cd.Fuzzy([[0.5, 0.5]] * n)
    assert all(r == (0, 0.5, 0.5, 0) for c in (one, other) for _, _, r in c.relations())
    assert cd.rand_alpha(one, other) == cd.ScoreRange(1, 1)
    assert delta(one, other).least > 0


def printed_costs(a: cd.Clustering, b: cd.Clustering) -> list[float]:
    """Theorem 4.4: what it costs to turn one relation into another at alpha = 0, 1/2 and 1."""
    assert isinstance(a, cd.Rough | cd.Fuzzy | cd.Possibilistic | cd.Evidential)
    assert isinstance(b, cd.Rough | cd.Fuzzy | cd.Possibilistic | cd.Evidential)
    (e1, s1, n1, t1), (e2, s2, n2, t2) = a.relation(0, 1), b.relation(0, 1)
    return [
        (abs(s1 + n2 - 1) + abs(n1 + s2 - 1) - t1 - t2) / 2,
        (abs(s1 - s2) + abs(n1 - n2)) / 2,
        (abs(e1 - e2) + abs(s1 - s2) + abs(n1 - n2) + abs(t1 - t2)) / 2,
    ]


def costs(a: cd.Clustering, b: cd.Clustering) -> list[float]:
    return [1 - cd.rand_alpha(a, b, alpha=alpha) for alpha in (0, 0.5, 1)]


def test_closed_forms_hold_without_mass_on_the_empty_set() -> None:
    """Theorem 4.4 and Corollary 4.2."""
    for a, b, _ in triples(40, 200, n=2):
        printed = printed_costs(a, b)
        assert costs(a, b) == pytest.approx(printed, abs=CLOSE)
        assert 1 - cd.rand_belief(a, b) == pytest.approx(printed[1], abs=CLOSE)


def test_closed_forms_fail_with_mass_on_the_empty_set() -> None:
    """Theorem 4.4, but for alpha = 1; both sums of the theorem are off here."""
    a = cd.Evidential([{"1": 1}, {"1": 1 / 3, "2": 1 / 3, "": 1 / 3}])
    b = cd.Evidential([{"1": 1}, {"1": 1 / 3, "2": 1 / 4, "": 5 / 12}])
    assert costs(a, b) == exactly("1/12", "1/12", "1/12")
    assert printed_costs(a, b) == exactly("3/8", "1/24", "1/12")


def test_belief_is_at_most_the_distance_at_one_half() -> None:
    """Corollary 4.2 says that they are equal; with mass on the empty set they need not be."""
    less = 0
    for a, b, _ in triples(41, 200, n=2, empty=True):
        belief, half, one = 1 - cd.rand_belief(a, b), *costs(a, b)[1:]
        assert belief <= half + CLOSE
        assert one == pytest.approx(printed_costs(a, b)[2], abs=CLOSE)
        less += belief < half - CLOSE
    assert less > 30
    nothing, unknown = cd.Rough([set(), {1}]), cd.Rough([{1, 2}, {1, 2}])
    assert [1 - cd.rand_belief(nothing, unknown), costs(nothing, unknown)[1]] == exactly("1/2", 1)


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


def test_hullermeier_does_not_tell_clusterings_with_equal_distances_of_objects() -> None:
    """Section 2.3.1: on objects it is no more than a pseudo-similarity."""
    assert cd.rand_hullermeier(cd.Fuzzy([[0.5, 0.5], [1, 0]]), cd.Fuzzy([[0, 1], [0.5, 0.5]])) == 1


@pytest.mark.parametrize("empty", [False, True])
def test_against_a_partition_measures_are_linear_in_alpha(empty: bool) -> None:
    closed = (cd.rand_alpha, cd.partition_distance_alpha)
    transported = () if empty else (cd.transport("rand"), cd.transport("partition_distance"))
    for case in against_partitions(50, 2, empty=empty):
        for measure in (*closed, *transported):
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
        pairs = [zip(kept, sets, strict=True) for sets in guess.distribution()]
        moves.append([sum(w not in a for w, a in both) for both in pairs])
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


# How hard distances of rough clusterings are: Proposition 3.2 for many clusters.


def covers_exactly(triples: Iterable[tuple[int, ...]]) -> bool:
    return any(
        len(set(chosen[0] + chosen[1])) == 6 for chosen in combinations(sorted(set(triples)), 2)
    )


def test_rand_to_single_objects_or_to_one_cluster_solves_exact_cover() -> None:
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
