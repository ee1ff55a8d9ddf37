"""Measures that are wrong on purpose are caught, by the conditions that should catch them alone."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff_lab.axioms import Fails, axioms, check, subject
from clusterdiff_lab.axioms.condition import Equal, Order, Rule
from clusterdiff_lab.axioms.conditions.decomposition import ConditionalNormalisation
from clusterdiff_lab.axioms.subject import Against
from lab.axioms.conditions import test_conditions as verdicts
from oracles.conditions import CONDITIONS, Clusters, aligned
from refusals import refuses

Labels = list[int]
Function = Callable[[Labels, Labels], Any]
CONDITIONS_TRIED = [
    axiom.name
    for axiom in axioms()
    if axiom.space.kind == "partition" and axiom.name != "subcomponent_consistency"
]


def objects_tried(condition: str) -> int:
    if condition == "size_quantity_parts":
        return 12
    return 5 if condition.startswith("rag_bag") else 4


def mates(labels: Labels, x: int) -> set[int]:
    """The objects in the cluster of x, with x."""
    return {y for y in range(len(labels)) if labels[y] == labels[x]}


def mean(values: Iterable[Fraction | bool]) -> Fraction:
    listed = [Fraction(value) for value in values]
    return sum(listed, Fraction()) / len(listed) if listed else Fraction(1)


# --- Right measures, written as a user would. ---------------------------------------------------


def precision(truth: Labels, guess: Labels) -> Fraction:
    """BCubed precision, which is half of a measure."""
    sides = ((mates(truth, x), mates(guess, x)) for x in range(len(truth)))
    return mean(Fraction(len(t & g), len(g)) for t, g in sides)


def elm(truth: Labels, guess: Labels) -> Fraction:
    def own(x: int) -> Fraction:
        t, g = mates(truth, x) - {x}, mates(guess, x) - {x}
        return Fraction(2 * len(t & g), len(t) + len(g)) if t or g else Fraction(1)

    return mean(map(own, range(len(truth))))


def rand(truth: Labels, guess: Labels) -> Fraction:
    pairs = [(x, y) for x in range(len(truth)) for y in range(x)]
    return mean((truth[x] == truth[y]) == (guess[x] == guess[y]) for x, y in pairs)


# --- Wrong ones. --------------------------------------------------------------------------------


def always_one(truth: Labels, guess: Labels) -> float:
    return 1.0


def always_zero(truth: Labels, guess: Labels) -> float:
    return 0.0


def exchanged_precision(truth: Labels, guess: Labels) -> Fraction:
    return precision(guess, truth)


def elm_that_counts_itself(truth: Labels, guess: Labels) -> Fraction:
    """The forgotten -1: this is BCubed."""
    sides = ((mates(truth, x), mates(guess, x)) for x in range(len(truth)))
    return mean(Fraction(2 * len(t & g), len(t) + len(g)) for t, g in sides)


def elm_where_singles_are_wrong(truth: Labels, guess: Labels) -> Fraction:
    """Nothing divided by nothing is 0 here."""

    def own(x: int) -> Fraction:
        t, g = mates(truth, x) - {x}, mates(guess, x) - {x}
        return Fraction(2 * len(t & g), len(t) + len(g)) if t or g else Fraction(0)

    return mean(map(own, range(len(truth))))


def purity_of_clusters(truth: Labels, guess: Labels) -> Fraction:
    """An average over clusters, not over objects."""
    groups = [[truth[x] for x in range(len(guess)) if guess[x] == one] for one in set(guess)]
    return mean(Fraction(max(Counter(group).values()), len(group)) for group in groups)


def as_many_clusters(truth: Labels, guess: Labels) -> Fraction:
    few, many = sorted([len(set(truth)), len(set(guess))])
    return Fraction(few, many)


def is_identical(truth: Labels, guess: Labels) -> Fraction:
    return Fraction(all(mates(truth, x) == mates(guess, x) for x in range(len(truth))))


def twice_rand(truth: Labels, guess: Labels) -> Fraction:
    return 2 * rand(truth, guess)


def rand_over_all_pairs(truth: Labels, guess: Labels) -> Fraction:
    """Counts an object with itself."""
    pairs = [(x, y) for x in range(len(truth)) for y in range(len(truth))]
    return mean((truth[x] == truth[y]) == (guess[x] == guess[y]) for x, y in pairs)


def squared_distance(truth: Labels, guess: Labels) -> Fraction:
    distance = 1 - rand(truth, guess)
    return distance * distance


def distance_with_a_minus(truth: Labels, guess: Labels) -> Any:
    """Larger is better, but the best is 0 and all else is below."""
    return -cd.vi_distance(truth, guess)


NEEDS_A_BOUND = {"attained", "extremes"}
"""What says nothing of a distance that claims no bound, as a function does not."""


class Expected(NamedTuple):
    """Which conditions a measure does not satisfy; it does all others."""

    measure: Function
    ties: str
    fails: str


NORMALISATION = "attained conditional_normalisation subcomponent_normalisation "
EXPECTED = [
    Expected(
        always_one,
        "homogeneity completeness rag_bag rag_bag_shared rag_bag_single size_quantity "
        "size_quantity_parts monotone_decrease falling_series",
        NORMALISATION + "perfect_match extremes",
    ),
    Expected(
        always_zero,
        "homogeneity completeness rag_bag rag_bag_shared rag_bag_single size_quantity "
        "size_quantity_parts monotone_decrease falling_series",
        NORMALISATION + "identity",
    ),
    Expected(
        precision,
        "completeness rag_bag_single size_quantity size_quantity_parts monotone_decrease "
        "falling_series",
        NORMALISATION + "perfect_match extremes symmetry padding",
    ),
    Expected(
        exchanged_precision,
        "homogeneity rag_bag rag_bag_shared rag_bag_single monotone_decrease falling_series",
        NORMALISATION + "perfect_match extremes symmetry padding size_quantity_parts",
    ),
    Expected(elm, "homogeneity", "rag_bag_single size_quantity_parts padding n_invariance"),
    Expected(
        elm_that_counts_itself,
        "",
        NORMALISATION + "rag_bag_single size_quantity_parts padding extremes",
    ),
    Expected(
        elm_where_singles_are_wrong,
        "homogeneity rag_bag_single falling_series",
        "identity size_quantity_parts conditional_normalisation subcomponent_normalisation "
        "padding n_invariance",
    ),
    Expected(
        purity_of_clusters,
        "rag_bag_single size_quantity size_quantity_parts monotone_decrease falling_series",
        NORMALISATION + "completeness perfect_match extremes join_decomposition "
        "meet_decomposition symmetry triangle padding",
    ),
    Expected(
        as_many_clusters,
        "rag_bag rag_bag_shared rag_bag_single monotone_decrease",
        NORMALISATION + "homogeneity completeness perfect_match extremes join_decomposition "
        "meet_decomposition falling_series padding",
    ),
    Expected(
        is_identical,
        "homogeneity completeness rag_bag rag_bag_shared rag_bag_single size_quantity "
        "size_quantity_parts monotone_decrease falling_series",
        "conditional_normalisation subcomponent_normalisation join_decomposition "
        "meet_decomposition",
    ),
    Expected(
        rand,
        "rag_bag rag_bag_shared rag_bag_single size_quantity size_quantity_parts",
        "conditional_normalisation join_decomposition meet_decomposition padding n_invariance "
        "blow_up",
    ),
    Expected(
        twice_rand,
        "rag_bag rag_bag_shared rag_bag_single size_quantity size_quantity_parts",
        NORMALISATION + "identity perfect_match bounds triangle join_decomposition "
        "meet_decomposition padding n_invariance blow_up",
    ),
    Expected(
        rand_over_all_pairs,
        "rag_bag rag_bag_shared rag_bag_single size_quantity size_quantity_parts",
        NORMALISATION + "extremes join_decomposition meet_decomposition padding blow_up",
    ),
    Expected(
        squared_distance,
        "rag_bag rag_bag_shared rag_bag_single size_quantity size_quantity_parts",
        "conditional_normalisation triangle join_decomposition meet_decomposition padding "
        "n_invariance blow_up",
    ),
    Expected(
        distance_with_a_minus,
        "rag_bag rag_bag_shared rag_bag_single",
        NORMALISATION + "identity bounds extremes padding",
    ),
]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda one: one.measure.__name__)
def test_measures_are_caught_by_these_conditions_alone(expected: Expected) -> None:
    found = {
        condition: check(expected.measure, condition, objects=objects_tried(condition), larger=0)
        for condition in CONDITIONS_TRIED
    }
    outcomes = {condition: verdict.outcome for condition, verdict in found.items()}
    ties, fails = set(expected.ties.split()), set(expected.fails.split())
    assert {name for name, outcome in outcomes.items() if outcome == "ties"} == ties
    assert {name for name, outcome in outcomes.items() if outcome == "fails"} == fails
    unfit = NEEDS_A_BOUND if subject(expected.measure).is_distance else set()
    assert {name for name, outcome in outcomes.items() if outcome == "does not apply"} == unfit
    assert set(outcomes.values()) <= {"holds", "ties", "fails", "does not apply"}


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda one: one.measure.__name__)
def test_the_oracle_catches_them_by_the_same_conditions(expected: Expected) -> None:
    """On up to three objects, which is enough for what fails at all there."""

    def score(truth: Clusters, guess: Clusters) -> Any:
        value = expected.measure(labels(truth), labels(guess))
        return 1 - value if expected.measure is squared_distance else value

    for condition in CONDITIONS:
        distance = expected.measure is squared_distance
        if condition != "size_quantity" and not (distance and condition in NEEDS_A_BOUND):
            found = check(expected.measure, condition, objects=3, larger=0)
            assert found.outcome == aligned(condition, score, 3).outcome, condition


def labels(partition: Clusters) -> Labels:
    of = {x: min(cluster) for cluster in partition for x in cluster}
    return [of[x] for x in sorted(of)]


# --- What a counterexample says. ----------------------------------------------------------------


def test_extremes_show_that_elm_counts_itself() -> None:
    found = check(elm_that_counts_itself, "extremes")
    assert isinstance(found, Fails)
    assert found.counterexample.drawn == {"truth": "1|2", "guess": "12"}
    assert found.values == {"score": Fraction(2, 3)}


def test_a_squared_distance_is_a_metric_but_for_a_factor_of_two() -> None:
    found = check(squared_distance, "triangle", objects=4)
    assert isinstance(found, Fails)
    assert "relaxation constant 2 on up to" in found.note
    direct, *detour = found.values.values()
    assert direct == 2 * sum(detour)


# --- Names and order of what is given. ----------------------------------------------------------


def share_with_the_same_label(truth: Labels, guess: Labels) -> Fraction:
    return mean(t == g for t, g in zip(truth, guess, strict=True))


def neighbours_alike(truth: Labels, guess: Labels) -> Fraction:
    """Agrees on each object and the next one."""
    nexts = range(len(truth) - 1)
    return mean((truth[x] == truth[x + 1]) == (guess[x] == guess[x + 1]) for x in nexts)


def test_a_measure_of_names_is_caught_by_other_names() -> None:
    assert isinstance(check(share_with_the_same_label, "relabelling", objects=3), Fails)
    assert check(share_with_the_same_label, "order", objects=3)


def values_of_calls(function: Function, found: Fails) -> list[Any]:
    calls = "; ".join(found.counterexample.commands).split("; ")
    return [eval(call, {function.__name__: function}) for call in calls]


@pytest.mark.parametrize(
    ("function", "condition"),
    [
        (neighbours_alike, "order"),
        (rand, "padding"),
        (rand, "blow_up"),
        (share_with_the_same_label, "relabelling"),
    ],
)
def test_calls_give_the_values_again(function: Function, condition: str) -> None:
    found = check(function, condition, objects=4)
    assert isinstance(found, Fails)
    assert values_of_calls(function, found) == pytest.approx(list(found.values.values()))


def test_a_measure_of_the_order_is_caught_by_another_order() -> None:
    assert isinstance(check(neighbours_alike, "order", objects=4), Fails)
    assert check(neighbours_alike, "relabelling", objects=4)


def test_a_measure_of_whole_numbers_gets_whole_numbers() -> None:
    def by_codes(truth: Labels, guess: Labels) -> float:
        """The largest cluster, as a share: np.bincount takes whole numbers alone."""
        together = np.bincount(np.array(truth) - min(truth)).max()
        return float(together / len(truth))

    assert check(by_codes, "relabelling", objects=3)


# --- No number. ---------------------------------------------------------------------------------


def one_class_divides_by_zero(truth: Labels, guess: Labels) -> float:
    return 1 / (len(set(truth)) - 1)


def one_class_is_not_a_number(truth: Labels, guess: Labels) -> float:
    return math.nan if len(set(truth)) == 1 else 1.0


def nothing(truth: Labels, guess: Labels) -> None:
    return None


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (one_class_divides_by_zero, "fails for truth 1, guess 1: ZeroDivisionError"),
        (one_class_is_not_a_number, "gives nan for truth 1, guess 1"),
        (nothing, "gives None for truth 1, guess 1"),
        (lambda truth, guess: "high", "gives 'high' for truth 1, guess 1"),
        (lambda truth, guess: np.array([1.0, 0.5]), "gives array([1. , 0.5]) for truth 1, guess 1"),
    ],
)
@pytest.mark.parametrize("condition", ["bounds", "identity", "symmetry", "triangle"])
def test_a_measure_without_a_number_is_told_for_which_case(
    function: Function, says: str, condition: str
) -> None:
    raised = refuses(None, check, function, condition, objects=3)
    assert says in raised.message
    assert function.__name__ in raised.message
    assert raised.hint.startswith("a measure gives a number for every pair of clusterings")


def test_a_measure_that_fails_late_is_told_for_which_case() -> None:
    def fails_late(truth: Labels, guess: Labels) -> float:
        if len(truth) == 4 and len(set(guess)) == 2 and len(set(truth)) == 1:
            raise KeyError("boom")
        return float(rand(truth, guess))

    raised = refuses(r"fails_late fails for truth 1234, guess", check, fails_late, "bounds")
    assert isinstance(raised.__cause__, KeyError)


def test_infinity_is_out_of_bounds() -> None:
    def infinite(truth: Labels, guess: Labels) -> float:
        return math.inf if len(set(truth)) < len(set(guess)) else 1.0

    assert isinstance(check(infinite, "bounds", objects=3, larger=0), Fails)


# --- The tests of verdicts bite: a search that is wrong would be noticed. -----------------------


def noticed(measure: str, condition: str) -> bool:
    """Whether the test of this verdict fails."""
    try:
        verdicts.test_verdicts_on_measures_written_here(measure, condition)
    except AssertionError:
        return True
    return False


TESTED = [
    ("elm_f", "homogeneity"),
    ("accuracy", "completeness"),
    ("bcubed_f", "rag_bag_single"),
    ("rand", "join_decomposition"),
    ("bcubed_precision", "symmetry"),
    ("bcubed_precision", "perfect_match"),
    ("bcubed_f", "extremes"),
    ("rand", "conditional_normalisation"),
]


def test_nothing_is_noticed_where_nothing_is_wrong() -> None:
    assert not any(noticed(*one) for one in TESTED)


@pytest.mark.parametrize(
    ("kind", "of_it"),
    [
        (Order, {"homogeneity", "completeness", "rag_bag_single"}),
        (Equal, {"join_decomposition", "symmetry"}),
        (Rule, {"perfect_match", "extremes"}),
        (ConditionalNormalisation, {"conditional_normalisation"}),
    ],
)
def test_a_judge_who_lets_all_pass_is_noticed(
    kind: type, of_it: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "judge", lambda *given: 1)
    assert {condition for measure, condition in TESTED if noticed(measure, condition)} == of_it


def test_a_judge_who_calls_ties_failures_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Order.judge
    monkeypatch.setattr(Order, "judge", lambda *given: right(*given) or -1)
    assert noticed("elm_f", "homogeneity")


def test_cases_left_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without those of three and four objects the smallest is none."""

    def few(axiom: Any) -> Any:
        def small(most: int) -> Iterator[Any]:
            return (start for start in axiom.space.small(most) if start.objects not in (3, 4))

        return replace(axiom, space=replace(axiom.space, small=small))

    fewer = tuple(map(few, axioms()))
    monkeypatch.setattr(sys.modules["clusterdiff_lab.axioms"], "all_conditions", lambda: fewer)
    assert noticed("elm_f", "homogeneity")
    assert noticed("accuracy", "completeness")
    assert noticed("rand", "join_decomposition")


def test_a_counterexample_that_is_none_is_noticed() -> None:
    found = check("rand", "join_decomposition", objects=4, larger=0)
    assert isinstance(found, Against)
    assert verdicts.is_against(found)
    other = check("elm_f", "homogeneity", objects=4, larger=0)
    assert isinstance(other, Against)
    assert not verdicts.is_against(replace(other, measure="rand"))
    example = replace(
        found.counterexample,
        clusterings={"truth": cd.Partition({1: 1}), "guess": cd.Partition({1: 1})},
    )
    assert not verdicts.is_against(replace(found, counterexample=example))
