"""Bounds, closed forms and limits that are wrong on purpose are caught by the same checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from typing import Any

import pytest

import clusterdiff as cd
from oracles.soft import Four, Soft, fuzzy, hard, mean_agreement, rand_alpha, rough
from soft_cases import (
    HALF,
    ONE,
    ZERO,
    Case,
    against_hard,
    as_distance,
    both_uncertain,
    contained,
    differing,
    drawn,
    ends,
    escaping,
    exact,
    transported,
)


def near(case: Case, name: str) -> list[Fraction]:
    return [exact(case, name, ZERO)]


def of_kinds(cases: Sequence[Case], *kinds: str) -> list[Case]:
    return [case for case in cases if set(case.kinds) <= set(kinds) and not case.has_empty]


# Bounds


def inside_rand(case: Case) -> tuple[float, float]:
    """1 - Rand_0 and 1 - Rand_1, which Theorem 4.1 has for bounds of d_0."""
    found = cd.rand_alpha.of(case.meet)
    return 1 - found.high, 1 - found.low


def inside_partition_distance(case: Case) -> tuple[float, float]:
    """delta_0 and delta_1, which Theorem 4.5 has for bounds of d_0."""
    found = cd.partition_distance_alpha.of(case.meet)
    return found.low, found.high


def only_from_above(
    bounds: Callable[[Case], tuple[float, float]], case: Case
) -> tuple[float, float]:
    return -math.inf, bounds(case)[1]


def only_from_below(
    bounds: Callable[[Case], tuple[float, float]], case: Case
) -> tuple[float, float]:
    return bounds(case)[0], math.inf


@pytest.mark.parametrize("kind", ["rough", "fuzzy"])
def test_theorem_4_1_from_above_is_caught(kind: str) -> None:
    cases = of_kinds([*both_uncertain(), *ALL_ROUGH, FUZZY], kind)
    upper = partial(only_from_above, inside_rand)
    assert escaping(cases, upper, partial(near, name="rand"))


def test_rand_alpha_as_an_interval_of_the_transported_index_is_caught() -> None:
    caught = escaping(both_uncertain(), inside_rand, partial(ends, name="rand"))
    assert len(caught) > 5


def test_the_half_of_theorem_4_1_that_holds_is_not_caught() -> None:
    lower = partial(only_from_below, inside_rand)
    assert not escaping(both_uncertain(), lower, partial(ends, name="rand"))


def test_theorem_4_1_against_a_partition_is_not_caught() -> None:
    cases = [case for case in against_hard() if not case.has_empty]
    assert not escaping(cases, inside_rand, partial(ends, name="rand"))


def test_theorem_4_5_from_below_is_caught() -> None:
    lower = partial(only_from_below, inside_partition_distance)
    for cases in (against_hard(), both_uncertain()):
        assert escaping(of_kinds(cases, "partition", "fuzzy"), lower, NEAR_MOVES)


def anchored(mass: dict[frozenset[int], Fraction]) -> Soft:
    """Four objects in clusters of their own, and a fifth with the mass function."""
    return [*hard([1, 2, 3, 4]), mass]


THIRD = Fraction(1, 3)
ANCHORED = Case(
    anchored({frozenset({1}): THIRD, frozenset({2, 3, 4}): 2 * THIRD}),
    anchored({frozenset(pair): THIRD for pair in combinations((2, 3, 4), 2)}),
    ("evidential", "evidential"),
)
NEAR_MOVES = partial(near, name="partition_distance")
ALL_ROUGH = [
    Case(rough(one), rough(other), ("rough", "rough"))
    for one, other in product(product([{1}, {2}, {1, 2}], repeat=3), repeat=2)
]
"""All pairs of rough clusterings of three objects into two."""
FUZZY = Case(
    fuzzy([[HALF, HALF, ZERO]] * 3),
    fuzzy([[2 * THIRD, THIRD / 2, THIRD / 2]] * 3),
    ("fuzzy", "fuzzy"),
)


def test_theorem_4_5_from_above_is_caught() -> None:
    """With three clusters it holds."""
    upper = partial(only_from_above, inside_partition_distance)
    assert escaping([ANCHORED], upper, NEAR_MOVES)
    assert not escaping([c for c in both_uncertain() if not c.has_empty], upper, NEAR_MOVES)


def test_theorem_4_5_for_rough_clusterings_is_not_caught() -> None:
    cases = [*of_kinds(both_uncertain(), "rough"), *ALL_ROUGH]
    assert not escaping(cases, inside_partition_distance, NEAR_MOVES)


def test_the_bounds_of_the_library_are_not_caught_there() -> None:
    for name in ("rand", "partition_distance"):
        bounds = partial(transported, name=name, method="bounds")
        assert not escaping([ANCHORED, *ALL_ROUGH[::10]], bounds, partial(ends, name=name))


# Closed forms


def printed_cost(m1: Four, m2: Four, alpha: Fraction) -> Fraction:
    """Theorem 4.4, which asks for masses without the empty set."""
    (e1, s1, n1, t1), (e2, s2, n2, t2) = m1, m2
    if alpha == 0:
        return (abs(s1 + n2 - 1) + abs(n1 + s2 - 1) - t1 - t2) / 2
    if alpha == HALF:
        return (abs(s1 - s2) + abs(n1 - n2)) / 2
    return (abs(e1 - e2) + abs(s1 - s2) + abs(n1 - n2) + abs(t1 - t2)) / 2


def printed_rand(case: Case, alpha: Fraction) -> float:
    cost = partial(printed_cost, alpha=alpha)
    return float(mean_agreement(case.truth, case.guess, cost, "distinct"))


def caught(alpha: Fraction, *, empty: bool) -> list[Case]:
    cases = drawn(62, 2, objects=(2, 4), empty=(empty,))
    return differing(
        cases, partial(printed_rand, alpha=alpha), lambda c: rand_alpha(c.truth, c.guess, alpha)
    )


@pytest.mark.parametrize("alpha", [ZERO, HALF])
def test_closed_forms_with_mass_on_the_empty_set_are_caught(alpha: Fraction) -> None:
    assert len(caught(alpha, empty=True)) > 5


def test_closed_forms_that_hold_are_not_caught() -> None:
    assert not caught(ONE, empty=True)
    assert not any(caught(alpha, empty=False) for alpha in (ZERO, HALF, ONE))


def belief(case: Case) -> float:
    return float(cd.rand_belief.of(case.meet))


def test_belief_for_alpha_one_half_is_caught_where_mass_is_on_the_empty_set() -> None:
    """Corollary 4.2."""
    for empty in (False, True):
        cases = drawn(63, 1, objects=(2, 4), empty=(empty,))
        wrong = differing(cases, belief, lambda c: rand_alpha(c.truth, c.guess, HALF))
        assert bool(wrong) == empty


# Limits from samples

CONFIDENCE = 0.8
SEEDS = 100


def coverage(
    limits: Callable[[int], tuple[float, float]], values: Sequence[Fraction | float], seeds: int
) -> float:
    """The share of seeds whose limits contain all the values."""
    return sum(contained(limits(seed), values) for seed in range(seeds)) / seeds


def sampled(truth: object, guess: object, name: str, seed: int, **given: Any) -> cd.ScoreRange:
    found = cd.transport(
        truth, guess, measure=name, method="sample", seed=seed, confidence=CONFIDENCE, **given
    )
    assert isinstance(found, cd.ScoreRange)
    return found


def by_hoeffding(
    truth: object, guess: object, name: str, samples: int, seed: int
) -> tuple[float, float]:
    """The estimate and Eq. (18) around it, for a fuzzy clustering at least on one side."""
    estimate = sampled(truth, guess, name, seed, samples=samples).estimate
    assert estimate is not None
    low, high = as_distance(cd.ScoreRange(*estimate), name)
    margin = math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * samples))
    return low - margin, high + margin


EVEN = cd.Fuzzy([[1 / 3] * 3] * 5)


@pytest.mark.parametrize("name", ["rand", "partition_distance"])
def test_hoeffding_between_fuzzy_clusterings_is_caught(name: str) -> None:
    """Proposition 4.2: a clustering is at distance 0 from itself, its draws are not."""
    wide = cd.Fuzzy([[1 / 4] * 4] * 12)
    assert coverage(partial(by_hoeffding, wide, wide, name, 50), [0], 20) < CONFIDENCE / 2


def test_hoeffding_against_a_partition_is_not_caught() -> None:
    truth = [0, 0, 1, 1, 2]
    distance = as_distance(cd.transport("rand")(truth, EVEN), "rand")
    limits = partial(by_hoeffding, truth, EVEN, "rand", 10)
    assert coverage(limits, distance, SEEDS) >= CONFIDENCE


UNEVEN = cd.Evidential(
    [{"a": 0.5, "a|b": 0.5}, {"b": 0.4, "a|b|c": 0.6}, {"c": 1}, {"a": 0.3, "b": 0.3, "c": 0.4}]
)
LACKING = cd.Possibilistic([[1, 0.4, 0], [0.5, 1, 0.2], [0, 0.9, 0.8], [0, 0.3, 1]])
SKEWED = cd.Fuzzy([[0.97, 0.03], [0.02, 0.98], [1, 0], [0.99, 0.01]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guess", "alpha"),
    [(UNEVEN, None), (UNEVEN, 0.5), (LACKING, None), (SKEWED, None)],
    ids=["uneven", "uneven at one half", "lacking", "skewed"],
)
def test_limits_against_a_partition_hold_as_often_as_they_say(
    guess: cd.Clustering, alpha: float | None
) -> None:
    truth = [0, 0, 1, 1]
    given: dict[str, Any] = {} if alpha is None else {"alpha": alpha}
    distance = as_distance(cd.transport(truth, guess, **given), "rand")

    @cache
    def limits(seed: int) -> tuple[float, float]:
        return as_distance(sampled(truth, guess, "rand", seed, samples=10, **given), "rand")

    assert coverage(limits, distance, SEEDS) >= CONFIDENCE
    assert len(set(map(limits, range(20)))) > 1


@pytest.mark.slow
@pytest.mark.parametrize("guess", [cd.Fuzzy([[0.6, 0.4]] * 4), SKEWED], ids=["even", "skewed"])
def test_limits_of_moves_against_a_partition_hold_as_often_as_they_say(guess: cd.Fuzzy) -> None:
    distance = as_distance(
        cd.transport("partition_distance")([0, 0, 1, 1], guess), "partition_distance"
    )

    def limits(seed: int) -> tuple[float, float]:
        found = sampled([0, 0, 1, 1], guess, "partition_distance", seed, samples=10)
        return as_distance(found, "partition_distance")

    assert coverage(limits, distance, SEEDS) >= CONFIDENCE


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rand", "partition_distance"])
@pytest.mark.parametrize(
    ("truth", "guess"),
    [(EVEN, EVEN), (cd.Fuzzy([[0.9, 0.1]] * 4), SKEWED)],
    ids=["itself", "another"],
)
def test_limits_between_fuzzy_clusterings_hold_as_often_as_they_say(
    truth: cd.Fuzzy, guess: cd.Fuzzy, name: str
) -> None:
    """From above by the samples, from below by a certain bound."""
    distance = as_distance(cd.transport(name, method="exact")(truth, guess), name)
    certain = as_distance(cd.transport(name, method="bounds")(truth, guess), name)[0]

    def limits(seed: int) -> tuple[float, float]:
        found = as_distance(sampled(truth, guess, name, seed, samples=20), name)
        assert found[0] == pytest.approx(certain)
        return found

    assert coverage(limits, distance, SEEDS) >= CONFIDENCE


@pytest.mark.slow
def test_estimates_between_fuzzy_clusterings_are_too_large_on_average() -> None:
    found = [by_hoeffding(EVEN, EVEN, "rand", 20, seed) for seed in range(30)]
    assert sum(low + high for low, high in found) / 60 > 0.1
