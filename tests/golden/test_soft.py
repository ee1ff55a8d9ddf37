"""Numbers of "A general framework for evaluating and comparing soft clusterings".

Campagner, Ciucci and Denœux 2023. C, R, F, P and M are the clusterings of Examples 2.1 and 2.3 to
2.5. The paper prints Rand indices over all n² pairs and partition distances over n, its equations
have pairs of different objects and n - 1; each number is here as the equation gives it and, with
the variant named, as printed.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import pytest

import clusterdiff as cd

LABELS = [1, 2, 2, 3, 1]
OBJECTS = ["x1", "x2", "x3", "x4", "x5"]
C = cd.Partition(LABELS, OBJECTS)
R = cd.Rough([{1}, {2}, {2, 3}, {3}, {1, 2, 3}], OBJECTS)
F = cd.Fuzzy(
    [[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5], [0, 0, 1], [1 / 3] * 3], OBJECTS, labels=[1, 2, 3]
)
P = cd.Possibilistic(
    [[1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0.8]], OBJECTS, labels=[1, 2, 3]
)
M = cd.Evidential(
    [
        {(1,): 1},
        {(2,): 1},
        {(2, 3): 0.5, (1, 2, 3): 0.5},
        {(3,): 1},
        {(1, 2, 3): 0.5, (1,): 1 / 6, (2,): 1 / 6, (3,): 1 / 6},
    ],
    ids=OBJECTS,
)
SOFT = {"R": R, "F": F, "P": P, "M": M}
COMPATIBLE = [(1, 2, third, 3, fifth) for third in (2, 3) for fifth in (1, 2, 3)]


def exactly(*values: str | Fraction | float) -> object:
    return pytest.approx([float(Fraction(value)) for value in values], rel=0, abs=1e-12)


# What a clustering knows


def test_pairs_of_the_hard_clustering_that_are_together() -> None:
    """Example 2.2; the five pairs (x, x), which belong to the relation, are not printed."""
    known = cd.Rough(C)
    together = {(x, y) for x, y in product(OBJECTS, repeat=2) if known.relation(x, y).same == 1}
    printed = {("x1", "x5"), ("x5", "x1"), ("x2", "x3"), ("x3", "x2")}
    assert together == printed | {(x, x) for x in OBJECTS}


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("x1", "x2", ("0", "0", "1", "0")),
        ("x1", "x3", ("0", "0", "1/2", "1/2")),
        ("x1", "x4", ("0", "0", "1", "0")),
        ("x1", "x5", ("0", "1/6", "1/3", "1/2")),
        ("x2", "x3", ("0", "0", "0", "1")),
        ("x2", "x4", ("0", "0", "1", "0")),
        ("x2", "x5", ("0", "1/6", "1/3", "1/2")),
        ("x3", "x4", ("0", "0", "0", "1")),
        ("x3", "x5", ("0", "0", "1/12", "11/12")),
        ("x4", "x5", ("0", "1/6", "1/3", "1/2")),
    ],
)
def test_relation_of_two_objects(x: str, y: str, expected: tuple[str, ...]) -> None:
    """Table 1: empty, together, apart, unknown."""
    assert list(M.relation(x, y)) == exactly(*expected)
    assert list(M.relation(y, x)) == exactly(*expected)
    assert {(a, b): r for a, b, r in M.relations()}[x, y] == M.relation(x, y)


def test_six_hard_clusterings_are_compatible_with_the_rough_one() -> None:
    """Example 2.4: as tuples, of which no two are the same partition."""
    ((sets, chance),) = R.distribution().items()
    compatible = list(product(*map(sorted, sets)))
    assert chance == 1
    assert compatible == COMPATIBLE
    distances = [cd.rand(a, b) < 1 for a in COMPATIBLE for b in COMPATIBLE if a != b]
    assert len(distances) == 30
    assert all(distances)


def test_chances_of_the_fuzzy_clustering() -> None:
    """Example 3.1: 1/6 each; the printed list has (1, 2, 3, 3, 1) twice for (1, 2, 2, 3, 1)."""
    chances = {tuple(min(a) for a in sets): p for sets, p in F.distribution().items()}
    assert sorted(chances) == COMPATIBLE
    assert list(chances.values()) == exactly(*["1/6"] * 6)


@pytest.mark.parametrize("t_norm", ["min", "product"])
def test_possibilities_of_the_possibilistic_clustering(t_norm: str) -> None:
    """Example 3.1."""
    for labels in COMPATIBLE:
        assert P.possibility(labels, t_norm) == (0.8 if labels[4] == 3 else 1)  # type: ignore[arg-type]
    assert P.possibility([2, 2, 2, 3, 1], t_norm) == 0  # type: ignore[arg-type]


def test_masses_of_the_evidential_clustering() -> None:
    """Example 3.1: 1/4 twice, 1/12 six times."""
    every, two = frozenset({1, 2, 3}), frozenset({2, 3})
    masses = {(sets[2], sets[4]): m for sets, m in M.distribution().items()}
    assert len(masses) == 8
    for third in (every, two):
        assert [masses[third, every]] == exactly("1/4")
        assert [masses[third, frozenset({w})] for w in (1, 2, 3)] == exactly(*["1/12"] * 3)


@pytest.mark.parametrize(
    ("uncertain", "jousselme", "printed"),
    [
        (cd.Evidential([{(2,): 1}, {(2, 3): 0.5, (1, 2, 3): 0.5}]), 0.5**0.5, 0.71),
        (cd.Fuzzy([[1, 0], [0.5, 0.5]]), 0.5, 0.5),
    ],
    ids=["ambiguous", "by chance"],
)
def test_belief_does_not_tell_ambiguity_from_chance_and_jousselme_does(
    uncertain: cd.Clustering, jousselme: float, printed: float
) -> None:
    """Example 2.7, for x2 and x3, which M1 has together; the last distance is printed as d_B."""
    assert [1 - cd.rand_belief([1, 1], uncertain)] == exactly("1/2")
    distance = 1 - cd.rand_jousselme([1, 1], uncertain)
    assert [distance] == exactly(jousselme)
    assert round(distance, 2) == printed


# Transport


class Row(NamedTuple):
    """Values at alpha = 0, 1/2 and 1, and what is printed for 0 and 1, with so many places."""

    name: str
    exact: tuple[str, str, str]
    printed: tuple[float, float] | None = None
    places: int = 2


def of(rows: list[Row]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=[row.name for row in rows])


def printed(row: Row, found: cd.Interval, *, similarity: bool = False) -> bool:
    ends = (found.high, found.low) if similarity else (found.low, found.high)
    return tuple(round(end, row.places) for end in ends) == row.printed


@of(
    [
        Row("R", ("0", "1/4", "1/2"), (0, 0.5), 1),
        Row("F", ("4/15", "4/15", "4/15"), (0.267, 0.267), 3),
        Row("P", ("0", "6/25", "12/25"), (0, 0.48)),
        Row("M", ("1/12", "21/80", "53/120"), (0.083, 0.442), 3),
    ]
)
def test_transport_of_the_rand_distance(row: Row) -> None:
    """Examples 3.2 and 3.3; M's 1/12 is printed as a fraction."""
    found = cd.transport("rand")(C, SOFT[row.name])
    assert [1 - found.high, 1 - found.low] == exactly(row.exact[0], row.exact[2])
    assert [1 - found.at(0.5)] == exactly(row.exact[1])
    assert [1 - float(cd.transport(C, SOFT[row.name], alpha=0.5))] == exactly(row.exact[1])
    assert found.certain
    assert printed(row, cd.Interval(1 - found.high, 1 - found.low))


@of(
    [
        Row("R", ("0", "1/4", "1/2"), (0, 0.4)),
        Row("F", ("7/24", "7/24", "7/24"), (0.23, 0.23)),
        Row("P", ("0", "1/4", "1/2"), (0, 0.4)),
        Row("M", ("1/12", "13/48", "11/24"), (0.07, 0.37)),
    ]
)
def test_transport_of_the_partition_distance(row: Row) -> None:
    """Examples 3.2 and 3.3, printed over n."""
    found = cd.transport("partition_distance")(C, SOFT[row.name])
    assert [found.low, found.high] == exactly(row.exact[0], row.exact[2])
    half = cd.transport("partition_distance", alpha=0.5)(C, SOFT[row.name])
    assert [found.at(0.5), half] == exactly(row.exact[1], row.exact[1])
    over_n = cd.transport("partition_distance(over='n')")(C, SOFT[row.name])
    assert [over_n.low, over_n.high] == exactly(*(Fraction(row.exact[i]) * 4 / 5 for i in (0, 2)))
    assert printed(row, over_n)


@pytest.mark.parametrize(
    ("measure", "printed"), [("rand", 0.25), ("partition_distance(over='n')", 0.2)]
)
def test_transport_to_the_rough_clustering_at_one_half(measure: str, printed: float) -> None:
    """Example 3.2."""
    found = cd.transport(measure, alpha=0.5)(C, R)
    assert (found if cd.measure(measure).is_distance else 1 - found) == pytest.approx(printed)


def test_transport_to_the_vacuous_clustering() -> None:
    """Example 4.1 prints d₁ = 1; the farthest partition is one cluster, at 8 of 10 pairs."""
    vacuous = cd.Rough([{1, 2, 3}] * 5, OBJECTS)
    found = cd.transport("rand")(C, vacuous)
    assert [1 - found.high, 1 - found.low] == exactly("0", "4/5")
    assert [1 - cd.rand(LABELS, [1] * 5)] == exactly("4/5")


# Inside the measures


@of(
    [
        Row("R", ("1", "7/10", "2/5"), (1, 0.52)),
        Row("F", ("11/15", "11/15", "11/15"), (0.79, 0.79)),
        Row("P", ("1", "71/100", "21/50"), (1, 0.54)),
        Row("M", ("14/15", "11/16", "53/120"), (0.95, 0.55)),
    ]
)
def test_rand_alpha(row: Row) -> None:
    """Example 4.2, printed over all pairs; at 1/2 also by belief (Corollary 4.2)."""
    found = cd.rand_alpha(C, SOFT[row.name])
    assert [found.high, found.at(0.5), found.low] == exactly(*row.exact)
    for alpha, value in zip((0, 0.5, 1), row.exact, strict=True):
        assert [cd.rand_alpha(C, SOFT[row.name], alpha=alpha)] == exactly(value)
        every = (20 * Fraction(value) + 5) / 25
        assert [cd.rand_alpha(C, SOFT[row.name], alpha=alpha, pairs="all")] == exactly(every)
    assert [cd.rand_belief(C, SOFT[row.name])] == exactly(row.exact[1])
    assert printed(row, cd.rand_alpha(C, SOFT[row.name], pairs="all"), similarity=True)


@of(
    [
        Row("R", ("0", "5/16", "5/8"), (0, 0.5)),
        Row("F", ("7/24", "7/24", "7/24"), (0.23, 0.23)),
        Row("P", ("0", "3/10", "3/5"), (0, 0.48)),
        Row("M", ("1/12", "1/3", "7/12"), (0.07, 0.47)),
    ]
)
def test_partition_distance_alpha(row: Row) -> None:
    """Example 4.3, printed over n."""
    found = cd.partition_distance_alpha(C, SOFT[row.name])
    assert [found.low, found.at(0.5), found.high] == exactly(*row.exact)
    for alpha, value in zip((0, 0.5, 1), row.exact, strict=True):
        guess = SOFT[row.name]
        assert [cd.partition_distance_alpha(C, guess, alpha=alpha)] == exactly(value)
        over_n = cd.partition_distance_alpha(C, guess, alpha=alpha, over="n")
        assert [over_n] == exactly(Fraction(value) * 4 / 5)
    assert printed(row, cd.partition_distance_alpha(C, SOFT[row.name], over="n"))


@pytest.mark.parametrize(
    ("name", "conflict", "jousselme"),
    [
        ("R", "1", 0.575736),
        ("F", "11/15", 0.733333),
        ("P", "1", 0.589878),
        ("M", "14/15", 0.597758),
    ],
)
def test_rand_by_conflict_and_by_jousselme(name: str, conflict: str, jousselme: float) -> None:
    """Section 2.3.1, not printed."""
    assert [cd.rand_conflict(C, SOFT[name])] == exactly(conflict)
    assert cd.rand_jousselme(C, SOFT[name]) == pytest.approx(jousselme, abs=5e-7)


# Degrees, none of these printed


def test_rand_indices_of_degrees() -> None:
    """Eqs (4), (5) and (8): Campello, Frigui and Hüllermeier."""
    assert [cd.rand_campello(C, F), cd.rand_frigui(C, F)] == exactly("5/7", "11/15")
    assert [cd.rand_campello(F, F), cd.rand_frigui(F, F)] == exactly("7/11", "13/18")
    by_hand = cd.rand_campello(tnorm="product", conorm="bounded_sum")
    assert [by_hand(C, F), by_hand(F, F)] == exactly("11/15", "13/18")
    assert [cd.rand_hullermeier(C, F)] == exactly("7/10")


def test_brouwer_is_hullermeier_by_the_cosine() -> None:
    """Section 2.3.1."""
    assert cd.rand_brouwer(C, F) == pytest.approx(0.660615, abs=5e-7)
    assert cd.rand_hullermeier(C, F, distance="cosine") == cd.rand_brouwer(C, F)


# Possibilities below 1, none of these printed

LACKING = cd.Possibilistic([[1, 0], [0.6, 0.3]], labels=[1, 2])


def test_masses_of_possibilities_below_1() -> None:
    """Section 2.2: what the largest degree lacks is on the empty set."""
    masses = LACKING.of(1)
    sets = [frozenset[int](), frozenset({1}), frozenset({1, 2})]
    assert sorted(masses, key=len) == sets
    assert [masses[a] for a in sets] == exactly("2/5", "3/10", "3/10")
    assert list(LACKING.relation(0, 1)) == exactly("2/5", "3/10", "0", "3/10")


def test_rand_alpha_of_possibilities_below_1() -> None:
    """Eqs (22) to (24)."""
    found = cd.rand_alpha([1, 1], LACKING)
    assert [found.high, found.at(0.5), found.low] == exactly("3/5", "9/20", "3/10")
    values = [cd.rand_alpha([1, 1], LACKING, alpha=alpha) for alpha in (0, 0.5, 1)]
    assert values == exactly("3/5", "9/20", "3/10")
    assert [cd.rand_belief([1, 1], LACKING)] == exactly("9/20")


def test_transport_of_possibilities_below_1() -> None:
    """Eq. (15), with an object in no cluster at distance 1 from one that is in a cluster."""
    found = cd.transport("rand", empty_set="max_distance")([1, 1], LACKING)
    assert [1 - found.high, 1 - found.low] == exactly("2/5", "7/10")


# Table 2


@pytest.mark.parametrize("over", ["n-1", "n"])
def test_no_partition_distance_of_150_objects_is_the_printed_one(over: Any) -> None:
    """Table 2 prints 0.111 for k-means on Iris, two hard clusterings."""
    truth = [i // 50 for i in range(150)]
    near = [cd.partition_distance(truth, [*truth[:-k], *[0] * k], over=over) for k in (16, 17)]
    assert [round(d, 3) for d in near] == ([0.107, 0.114] if over == "n-1" else [0.107, 0.113])
    assert [d * (149 if over == "n-1" else 150) for d in near] == exactly(16, 17)
