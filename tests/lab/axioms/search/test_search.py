"""The search: what it tries and says it tried, when it stops, and how small its finds are."""

from __future__ import annotations

import itertools
import math
import re
import shlex
import time
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from cli.runner import run
from clusterdiff_lab.axioms import Fails, Holds, Ties, Unfit, Verdict, axiom, axioms, check, subject
from clusterdiff_lab.axioms.conditions.decomposition import subcomponent_consistency
from clusterdiff_lab.axioms.distances import Metric, exact, metric
from clusterdiff_lab.axioms.engine import FAILS, HOLDS, TIES, Judgement, Stage, Tally, search
from clusterdiff_lab.axioms.soft import ExactSoft, all_hard, all_rough, levels, pairs, smallest
from clusterdiff_lab.axioms.subject import Against
from oracles.conditions import partitions
from refusals import refuses

OF_PARTITIONS = [one.name for one in axioms() if one.space.kind == "partition"]


def essence(verdict: Verdict) -> tuple[object, ...]:
    """All that a verdict says."""
    said = (verdict.outcome, verdict.tried, verdict.scope, verdict.note)
    if not isinstance(verdict, Against):
        return said
    example = verdict.counterexample
    return (*said, dict(example.drawn), dict(example.values), example.wanted, example.commands)


# --- What is tried. -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "condition"),
    [("elm_f", "homogeneity"), ("rand", "rag_bag"), ("bcubed_f", "join_decomposition")],
)
def test_the_same_seed_finds_the_same(measure: str, condition: str) -> None:
    one, again = (
        check(measure, condition, objects=4, larger=40, climb=20, seed=7) for _ in range(2)
    )
    assert essence(one) == essence(again)


def test_another_seed_tries_others() -> None:
    given = {"objects": 3, "larger": 40, "climb": 5}
    tried = {check("bcubed_f", "homogeneity", **given, seed=s).tried for s in range(5)}
    assert len(tried) > 1


def test_the_seed_is_told() -> None:
    assert "seed 5" in check("bcubed_f", "homogeneity", objects=3, larger=10, climb=0, seed=5).scope
    assert "seed" not in check("bcubed_f", "homogeneity", objects=3, larger=0, seed=5).scope


def test_nothing_is_drawn_after_a_small_counterexample() -> None:
    found = check("bcubed_f", "padding", larger=50)
    assert isinstance(found, Fails)
    assert "random" not in found.scope


@pytest.mark.parametrize("condition", ["homogeneity", "symmetry", "join_decomposition", "bounds"])
def test_more_objects_are_more_cases(condition: str) -> None:
    found = [check("bcubed_f", condition, objects=n, larger=0) for n in (2, 3, 4, 5)]
    counts = [verdict.tried for verdict in found]
    assert counts == sorted(set(counts))
    for n, verdict in zip((2, 3, 4, 5), found, strict=True):
        assert f"up to {n} objects" in verdict.scope or isinstance(verdict, Unfit)


@pytest.mark.parametrize("measure", ["elm_f", "vi_distance", "cice_f"])
def test_verdicts_always_say_what_was_tried(measure: str) -> None:
    for condition in axioms():
        small = 2 if condition.space.kind == "cover" else 3
        verdict = check(measure, condition, objects=small, larger=5, climb=5)
        if isinstance(verdict, Unfit):
            assert verdict.note
            assert not verdict
            continue
        assert verdict.tried > 0, condition.name
        counts = re.findall(r"\(?([\d,]+) (?:cases|larger|by climbing)", verdict.scope)
        assert sum(int(count.replace(",", "")) for count in counts) == verdict.tried
        assert bool(verdict) == isinstance(verdict, Holds)
        assert (verdict.measure, verdict.axiom) == (measure, condition.name)


def test_a_condition_without_a_case_is_not_said_to_hold() -> None:
    """A rag bag takes five objects."""
    found = check("elm_f", "rag_bag", objects=4, larger=0)
    assert isinstance(found, Unfit)
    assert "no case was tried" in found.note


def test_counts_of_ties_and_reversals_are_part_of_those_tried() -> None:
    for condition in OF_PARTITIONS:
        found = check("accuracy", condition, objects=4, larger=0)
        if isinstance(found, Against) and condition != "triangle":
            assert 0 < found.ties + found.reversals <= found.tried
            assert bool(found.reversals) == isinstance(found, Fails)


# --- When it stops. -----------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["homogeneity", "padding", "conditional_normalisation"])
def test_it_stops_after_some_seconds_and_says_so(condition: str) -> None:
    began = time.monotonic()
    found = check("vi_similarity_k(k=3)", condition, objects=8, seconds=0.02)
    assert time.monotonic() - began < 2
    assert found.scope.endswith("stopped after 0.02 s")


def test_no_end_is_told_if_it_did_not_stop() -> None:
    assert (
        "stopped"
        not in check("rand", "completeness", objects=3, larger=3, climb=3, seconds=60).scope
    )


def test_larger_cases_stop_too() -> None:
    found = check("bcubed_f", "homogeneity", objects=2, larger=10**6, seconds=0.1)
    assert isinstance(found, Holds)
    assert "larger ones at random" in found.scope
    assert found.scope.endswith("stopped after 0.1 s")


def test_triangles_stop_too() -> None:
    found = check("elm_f", "triangle", objects=6, seconds=0.001)
    assert found.scope.endswith("stopped after 0.001 s")


def test_of_covers_no_more_are_tried_than_there_is_time_for() -> None:
    """Of four objects there are a thousand million pairs."""
    found = check("cice_f", "cover_identity", objects=4, larger=0)
    assert found.scope == "all pairs of covers of up to 3 objects (115 cases)"


def test_triangles_tell_which_were_tried_before_the_end() -> None:
    found = check("elm_f", "triangle", objects=6, seconds=0.001)
    tried = int(re.findall(r"up to (\d) objects", found.scope)[0])
    assert tried < 6
    assert found.tried == sum(len(partitions(n)) ** 3 for n in range(1, tried + 1))


# --- How small the finds are. -------------------------------------------------------------------


def labels(*cells: tuple[str, str, int]) -> tuple[list[str], list[str]]:
    """Truth and guess with so many objects in each true and guess cluster."""
    truth = [one for one, _, count in cells for _ in range(count)]
    guess = [other for _, other, count in cells for _ in range(count)]
    return truth, guess


def gain_of_cice(mixed: tuple[int, int], rest: tuple[int, int]) -> float:
    """What CICE F wins if a mixed cluster is split into its two classes; the rest are two more."""
    others = [("a", "a left", rest[0]), ("b", "b left", rest[1])]
    before = labels(("a", "mixed", mixed[0]), ("b", "mixed", mixed[1]), *others)
    after = labels(("a", "a split", mixed[0]), ("b", "b split", mixed[1]), *others)
    return float(cd.cice_f(*after) - cd.cice_f(*before))


def test_homogeneity_of_cice_fails_with_86_objects() -> None:
    """The smallest case there is (shared/design/claims.md), and a local minimum as it should be."""
    found = check("cice_f", "homogeneity")
    assert isinstance(found, Fails)
    assert found.counterexample.objects == 86
    drawn = {part: set(text.split("|")) for part, text in found.counterexample.drawn.items()}
    assert drawn == {
        "truth": {"1-5", "6-86"},
        "worse": {"1,6-8", "2-5", "9-86"},
        "better": {"1", "6-8", "2-5", "9-86"},
    }
    assert found.values["worse"] == pytest.approx(0.8936142, abs=1e-7)
    assert found.values["better"] == pytest.approx(0.8936065, abs=1e-7)
    assert "4,788 cases" in found.scope
    assert gain_of_cice((1, 3), (4, 78)) < 0
    (command,) = found.counterexample.commands
    ran = run(*shlex.split(command)[1:])
    assert (ran.code, ran.stdout.count("0.8936")) == (0, 2)


def test_no_object_can_be_left_out_of_it() -> None:
    """Without the last of the 78 it is a tie; without the only one nothing is mixed."""
    assert gain_of_cice((1, 3), (4, 77)) == pytest.approx(0, abs=1e-15)
    assert gain_of_cice((1, 3), (3, 78)) > 1e-6
    assert gain_of_cice((1, 2), (4, 78)) > 1e-6


@pytest.mark.parametrize("least", [9, 12, 14])
def test_a_large_counterexample_is_made_as_small_as_can_be(least: int) -> None:
    """A measure that is wrong from so many objects on is shown with no more than these."""

    def wrong_from(truth: list[int], guess: list[int]) -> Any:
        return cd.rand(truth, guess) if len(truth) < least else 0.5

    found = check(wrong_from, "homogeneity", objects=4, larger=60, climb=20)
    assert isinstance(found, Ties)
    assert found.counterexample.objects == least


def test_a_measure_that_changes_its_mind_ends_in_a_verdict_or_an_error() -> None:
    asked: Counter[str] = Counter()

    def changes_its_mind(truth: list[int], guess: list[int]) -> Any:
        """From the third time on it is right."""
        asked[f"{truth} {guess}"] += 1
        wrong = len(truth) > 8 and asked[f"{truth} {guess}"] < 3
        return cd.rand(truth, guess) * (-1 if wrong else 1)

    with suppress(cd.ClusterdiffError):
        check(changes_its_mind, "homogeneity", objects=3, larger=60, climb=20)


def test_small_counterexamples_are_the_first_of_all() -> None:
    for condition in OF_PARTITIONS:
        found = check("bcubed_precision", condition, objects=4, larger=0)
        if isinstance(found, Against) and found.counterexample.objects > 2:
            fewer = found.counterexample.objects - 1
            less = check("bcubed_precision", condition, objects=fewer, larger=0)
            assert less.outcome != found.outcome or condition.startswith("size_quantity")


# --- What is asked for. -------------------------------------------------------------------------


def test_unknown_conditions_have_a_hint() -> None:
    raised = refuses(None, check, "elm_f", "homogenity")
    assert raised.message == "no condition is called homogenity."
    assert "did you mean homogeneity?" in raised.hint
    listed = run("axioms", "--list")
    assert listed.code == 0
    assert "clusterdiff axioms --list" in raised.hint
    assert all(one.name in listed.stdout for one in axioms())


def test_unknown_measures_have_a_hint() -> None:
    with pytest.raises(cd.ClusterdiffError) as raised:
        check("bcube_f", "homogeneity")
    assert "did you mean bcubed_f?" in raised.value.hint
    with pytest.raises(cd.ClusterdiffError, match="3 is not a measure") as raised:
        check(3, "homogeneity")  # type: ignore[arg-type]
    assert "a function of two lists of labels" in raised.value.hint
    refuses("'beta'", check, "elm_f(beta=1)", "homogeneity")


@pytest.mark.parametrize("objects", [0, -1, 2.5])
def test_impossible_numbers_of_objects_are_refused(objects: Any) -> None:
    refuses(None, check, "elm_f", "homogeneity", objects=objects, larger=0)


def test_conditions_can_be_given_as_such() -> None:
    assert axiom("bounds") is axiom(axiom("bounds"))
    assert essence(check("rand", axiom("padding"))) == essence(check("rand", "padding"))


def test_conditions_of_covers_are_not_for_measures_of_partitions() -> None:
    found = check("rand", "cover_match")
    assert isinstance(found, Unfit)
    assert "takes no covers" in found.note
    assert found.outcome == "does not apply"


def test_measures_without_a_best_score_are_not_held_against_it() -> None:
    for condition in ("identity", "perfect_match", "triangle"):
        assert isinstance(check("mutual_information", condition, objects=3), Unfit)
    for condition in ("attained", "extremes"):
        assert isinstance(check("vi_distance", condition, objects=3), Unfit)


# --- Distances: small is good. ------------------------------------------------------------------


def my_distance(truth: list[int], guess: list[int]) -> Any:
    return math.sqrt(1 - cd.rand(truth, guess))


@pytest.mark.parametrize(
    ("distance", "similarity"),
    [("vi_distance", "vi_similarity"), ("mirkin_distance", "rand"), (my_distance, "rand")],
)
def test_distances_are_judged_like_their_similarities(distance: Any, similarity: str) -> None:
    for condition in (
        "homogeneity", "completeness", "rag_bag", "rag_bag_single", "size_quantity", "identity",
        "perfect_match", "monotone_decrease", "falling_series", "symmetry",
    ):  # fmt: skip
        one, other = (check(m, condition, objects=5, larger=0) for m in (distance, similarity))
        assert one.outcome == other.outcome, condition
        if isinstance(one, Against) and isinstance(other, Against):
            assert one.counterexample.drawn == other.counterexample.drawn


def test_a_distance_fails_where_the_better_guess_is_farther() -> None:
    found = check("partition_distance", "rag_bag_single", objects=4, larger=0)
    assert isinstance(found, Fails)
    assert found.values["better"] > found.values["worse"]


def test_which_functions_are_distances() -> None:
    assert subject("vi_distance").is_distance
    assert subject("partition_distance").is_distance
    assert subject(my_distance).is_distance
    assert not subject("rand").is_distance
    assert not subject(lambda truth, guess: 0.0).is_distance
    assert not subject(lambda truth, guess: cd.rand(truth, guess)).is_distance
    assert subject(my_distance).best == 0
    assert subject("vi_distance").best == 0


def test_a_distance_of_ones_own_may_be_larger_than_one() -> None:
    def variation(truth: list[int], guess: list[int]) -> Any:
        return cd.vi_distance(truth, guess)

    for condition in ("bounds", "attained", "extremes"):
        wanted = check("vi_distance", condition, objects=5, larger=0)
        assert check(variation, condition, objects=5, larger=0).outcome == wanted.outcome


# --- Several at a time. -------------------------------------------------------------------------


def test_conditions_of_ones_own_are_not_exchanged_for_ours_in_other_processes() -> None:
    mine = subcomponent_consistency(lambda parts: 0.123)
    for jobs in (1, 2):
        found = lab.laboratory(["accuracy", "split_merge"], [mine], jobs=jobs)
        assert [verdict.outcome for verdict in found] == ["fails", "fails"]


def test_functions_of_one_name_have_a_row_each() -> None:
    found = lab.laboratory([lambda t, g: 1.0, lambda t, g: 0.5], ["identity"], larger=0)
    assert [row["identity"].outcome for row in found.rows.values()] == ["holds", "fails"]


def test_a_verdict_against_a_function_shows_values_that_are_against_it() -> None:
    def by_names(truth: list[int], guess: list[int]) -> float:
        return sum(t == g for t, g in zip(truth, guess, strict=True)) / len(truth)

    assert isinstance(check(by_names, "relabelling", objects=5), Fails)
    for condition in ("homogeneity", "completeness"):
        found = check(by_names, condition, objects=5, larger=0)
        if isinstance(found, Fails):
            assert found.values["better"] < found.values["worse"]
        elif isinstance(found, Ties):
            assert found.values["better"] == found.values["worse"]
        else:
            assert "relabelling" in found.note


# The search engine: stages, what is counted, and which case is kept.


def odd(number: int) -> Judgement:
    return Judgement(FAILS, f"{number} is odd") if number % 2 else Judgement(HOLDS)


def test_all_cases_of_a_stage_are_counted_and_the_first_against_is_kept() -> None:
    stage = Stage("numbers", lambda: [2, 5, 3, 8])
    found = search([stage], odd)
    assert (found.case, found.problem) == (5, "5 is odd")
    assert (found.tried, found.against, found.scope) == (4, 2, "numbers (4)")
    none = search([stage.where(lambda number: number % 2 == 0, "even")], odd)
    assert (none.case, none.tried, none.scope) == (None, 2, "numbers, even (2)")
    assert (none.drawn, none.objects) == ("", 0)


def test_the_case_of_the_lowest_rank_is_kept_of_each_outcome() -> None:
    tally = Tally[int](lambda n: Judgement((FAILS, TIES, HOLDS)[n % 3], rank=(-n,)))
    tally.exhaust(range(9))
    assert {outcome: case for outcome, (case, _) in tally.smallest.items()} == {FAILS: 6, TIES: 7}
    assert tally.outcomes == {FAILS: 3, TIES: 3, HOLDS: 3}


def test_a_search_ends_when_its_time_is_over() -> None:
    tally = Tally[int](odd, seconds=0.01)
    tally.exhaust(itertools.count())
    assert tally.late
    assert tally.tried == sum(tally.outcomes.values()) > 0


def test_the_smallest_case_is_found_and_of_those_the_widest() -> None:
    stages = [pairs("rough clusterings", all_rough(3, 2))]
    found = smallest(stages, lambda a, b: a.ambiguity - b.ambiguity)
    assert found.drawn == "{12} {12} {12}  and  1 1 1"
    assert found.objects == 3
    low = smallest(stages, lambda a, b: float(a.clusters > b.clusters))
    assert low.drawn == "1 1 2  and  1 1 1"
    none = smallest(stages, lambda a, b: 0.0)
    assert none.case is None
    assert none.tried == found.tried == len(list(stages[0].cases()))


def test_a_search_stops_at_the_first_stage_with_a_case() -> None:
    def never() -> list[tuple[ExactSoft, ...]]:
        raise AssertionError

    stages = [pairs("partitions", all_hard(2)), Stage("never tried", never)]
    found = smallest(stages, lambda a, b: float(a != b))
    assert found.scope == "all pairs of partitions (4)"
    assert found.drawn == "1 1  and  1 2"


# Whether distances are a metric, and where they first are not.


def aligned(*rows: list[float]) -> Metric:
    return metric(np.array(rows, float), np.zeros(len(rows), np.int64))


def test_each_property_of_a_metric_can_fail() -> None:
    assert aligned([0, 1], [1, 0]).kind == "metric"
    assert aligned([1, 1], [1, 0]).own == (0, 0)
    assert aligned([0, 1], [2, 0]).symmetry == (0, 1)
    assert aligned([0, 0], [0, 0]).kind == "pseudo-metric"
    far = aligned([0, 1, 3], [1, 0, 1], [3, 1, 0])
    assert far.triangle == (0, 1, 2)
    assert far.constant == Fraction(3, 2)
    assert far.kind == "semi-metric, 3/2-relaxed"
    assert aligned([0, 0, 1], [0, 0, 0], [1, 0, 0]).kind == "consistency"
    assert aligned([0, 2, 0], [2, 0, 1], [0, 1, 0]).kind == "2-relaxed pseudo-metric"
    assert aligned([0, 1], [2, 0]).kind == "no distance"


def test_the_lowest_level_is_told() -> None:
    d = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], float)
    assert metric(d, np.array([0, 1, 1])).separation == (0, 2)
    assert metric(d, np.array([1, 0, 0])).separation == (1, 2)
    assert levels(all_hard(3)).tolist() == [0, 1, 1, 1, 2]


def test_a_relaxed_triangle_inequality_is_tried_with_its_factor() -> None:
    d = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]], float)
    level = np.zeros(3, np.int64)
    assert metric(d, level, relaxed=1.4).triangle is not None
    assert metric(d, level, relaxed=1.5).triangle is None


def test_fractions_are_told_from_other_numbers() -> None:
    assert exact(0.1 + 0.2) == Fraction(3, 10)
    assert exact(math.sqrt(3)) == math.sqrt(3)
    assert exact(math.inf) == math.inf
