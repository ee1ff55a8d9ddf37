"""Verdicts follow from the words of the papers, and every counterexample is a real one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.clusterings import AnyClustering
from clusterdiff.io.read import inline
from clusterdiff_lab.axioms import Counterexample, Fails, Ties, Unfit, axioms, check, subject
from clusterdiff_lab.axioms.laboratory import verdicts_on
from clusterdiff_lab.axioms.search import Search
from clusterdiff_lab.axioms.subject import Against
from oracles import ORACLES
from oracles.conditions import (
    CONDITIONS,
    MEASURES,
    Case,
    Clusters,
    Number,
    Score,
    aligned,
    cases,
    clusters,
    compared,
    homogeneity,
    improvements,
    is_no_detour,
    objects_of,
    one_of_each_type,
    partitions,
    rag_bag,
)

MOST = {"padding": 3, "n_invariance": 3, "blow_up": 3, "size_quantity": 3}
"""Objects (for size_quantity: pairs) up to which a condition is tried; 5 where nothing is said."""
OF_PARTITIONS = [axiom.name for axiom in axioms() if axiom.space.kind == "partition"]
AMIGO = ["homogeneity", "completeness", "rag_bag", "rag_bag_shared", "rag_bag_single"]


def as_function(score: Score) -> Callable[[Sequence[Any], Sequence[Any]], Number]:
    """A score of clusters as a function of two lists of labels."""

    def function(truth: Sequence[Any], guess: Sequence[Any]) -> Number:
        return score(clusters_of_labels(truth), clusters_of_labels(guess))

    return function


def clusters_of_labels(labels: Sequence[Any]) -> Clusters:
    return clusters(*([x for x, own in enumerate(labels, 1) if own == one] for one in set(labels)))


def labels_of(partition: Clusters) -> dict[Any, Any]:
    """From each object to the smallest object of its cluster."""
    return {x: min(cluster) for cluster in partition for x in cluster}


on_trial = cache(subject)
"""A measure whose scores are kept from one condition to the next; see the end of this file."""


@cache
def public(name: str) -> Score:
    """The score that a user gets from a measure, as one less the distance if it is one."""
    measure = cd.measure(name)

    def score(truth: Clusters, guess: Clusters) -> float:
        value = float(measure(labels_of(truth), labels_of(guess)))
        return 1 - value if measure.is_distance else value

    return cache(score)


def groups_of(clustering: AnyClustering) -> list[list[int]]:
    """The objects of each cluster, in order; a cluster that is there twice is twice here."""
    assert clustering.ids is not None
    ids, found = clustering.ids.tolist(), dict[Any, list[int]]()
    if isinstance(clustering, cd.Partition):
        rows = zip(ids, clustering.labels.tolist(), strict=True)
    else:
        assert isinstance(clustering, cd.Cover)
        each = clustering.sets.take(clustering.code)
        rows = zip(np.repeat(ids, each.size).tolist(), each.member.tolist(), strict=True)
    for x, label in rows:
        found.setdefault(label, []).append(x)
    return sorted(sorted(group) for group in found.values())


def parts_of(counterexample: Counterexample) -> dict[str, Clusters]:
    return {part: clusters(*groups_of(c)) for part, c in counterexample.clusterings.items()}


# --- The oracle itself. -------------------------------------------------------------------------


def test_there_are_as_many_partitions_as_there_should_be() -> None:
    assert [len(partitions(n)) for n in range(6)] == [1, 1, 2, 5, 15, 52]
    assert [len(one_of_each_type(n)) for n in range(1, 6)] == [1, 2, 3, 5, 7]


@pytest.mark.parametrize("measure", [name for name in MEASURES if name in ORACLES])
def test_measures_written_here_are_those_of_the_other_oracles(measure: str) -> None:
    for truth, guess in product(one_of_each_type(4), partitions(4)):
        wanted = ORACLES[measure](labels_of(truth), labels_of(guess))
        assert MEASURES[measure](truth, guess) == wanted


def test_examples_of_the_papers_are_cases() -> None:
    """The first tie of ELM and a rag bag of shared/design/claims.md, and two that are none."""
    truth, worse = clusters([1, 2], [3, 4]), clusters([1, 3], [2, 4])
    assert clusters([2, 4], [1], [3]) in homogeneity(truth, worse)
    assert clusters([1], [2], [3], [4]) not in homogeneity(truth, worse)
    truth, worse = clusters([1, 2, 3], [4], [5], [6]), clusters([1, 2, 4], [3], [5, 6])
    assert list(rag_bag(truth, worse, "other")) == [clusters([1, 2], [3], [4, 5, 6])]
    assert not list(rag_bag(truth, worse, "shared"))


# --- Verdicts. ----------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("measure", MEASURES)
def test_verdicts_on_measures_written_here(measure: str, condition: str) -> None:
    """Also: no case with fewer objects is against the condition."""
    most = MOST.get(condition, 5)
    wanted = aligned(condition, MEASURES[measure], most)
    tried = as_function(MEASURES[measure]) if measure == "constant" else on_trial(measure)
    found = check(tried, condition, objects=most, larger=0)
    assert found.outcome == wanted.outcome
    if isinstance(found, Against):
        assert found.counterexample.objects == wanted.objects


def similarity(name: str) -> Score:
    """An oracle, as one less the distance if it is one."""

    def score(truth: Clusters, guess: Clusters) -> Number:
        value = ORACLES[name](labels_of(truth), labels_of(guess))
        return 1 - value if cd.measure(name).is_distance else value

    return cache(score)


SLOW = "adjusted_mutual_information"
KNOWN = [name for name in ORACLES if cd.measure(name).claims.best is not None and name != SLOW]


@pytest.mark.parametrize("measure", KNOWN)
def test_verdicts_on_all_measures_with_an_oracle(measure: str) -> None:
    score, of_unit = similarity(measure), cd.measure(measure).claims.bounds == (0, 1)
    about_bounds = {"bounds", "attained", "extremes"}
    for condition in CONDITIONS:
        if condition in about_bounds and not of_unit:
            continue
        most = min(3, MOST.get(condition, 3))
        wanted = aligned(condition, score, most)
        found = check(on_trial(measure), condition, objects=most, larger=0)
        assert found.outcome == wanted.outcome, condition
        if isinstance(found, Against):
            assert found.counterexample.objects == wanted.objects, condition


@pytest.mark.parametrize("measure", ["elm_f", "bcubed_precision", "rand"])
def test_a_function_and_the_measure_get_the_same_verdicts(measure: str) -> None:
    function = as_function(MEASURES[measure])
    for condition in OF_PARTITIONS:
        own, other = (
            check(one, condition, objects=4, larger=20, climb=5) for one in (measure, function)
        )
        assert own.outcome == other.outcome, condition
        assert (own.tried, own.scope) == (other.tried, other.scope)
        if isinstance(own, Against) and isinstance(other, Against):
            assert own.counterexample.drawn == other.counterexample.drawn
            assert own.values == other.values
            assert (own.ties, own.reversals) == (other.ties, other.reversals)


def test_a_function_has_fractions_for_values_if_it_gives_some() -> None:
    found = check(as_function(MEASURES["bcubed_f"]), "padding", objects=2)
    assert isinstance(found, Fails)
    assert found.values == {"score": Fraction(2, 3), "other": Fraction(4, 5)}


def test_a_function_of_its_own_distance_is_one_less_the_similarity() -> None:
    """But for conditions that need a bound: a function claims none."""

    def distance(truth: list[int], guess: list[int]) -> Any:
        return 1 - cd.elm_f(truth, guess)

    for condition in CONDITIONS.keys() - {"attained", "extremes"}:
        most = min(4, MOST.get(condition, 4))
        wanted = check("elm_f", condition, objects=most, larger=0)
        assert check(distance, condition, objects=most, larger=0).outcome == wanted.outcome


def meet_weighted(score: Score, most: int) -> bool:
    """Whether scores are sums over the common parts M of |M|/n times what M and the cuts of its two
    clusters say (Property 4.5): a system of equations, one per comparison, that can be solved.
    """
    rows, values = [], []
    for n in range(1, most + 1):
        for truth, guess in product(one_of_each_type(n), partitions(n)):
            row: dict[tuple[tuple[int, ...], tuple[int, ...], int], float] = {}
            for own, other in ((own, other) for own in truth for other in guess if own & other):
                cuts = (cut(own, guess), cut(other, truth), len(own & other))
                row[cuts] = row.get(cuts, 0) + len(own & other) / n
            rows.append(row)
            values.append(float(score(truth, guess)))
    unknowns = {cuts: at for at, cuts in enumerate({cuts: 0 for row in rows for cuts in row})}
    system = np.zeros((len(rows), len(unknowns)))
    for at, row in enumerate(rows):
        for cuts, weight in row.items():
            system[at, unknowns[cuts]] = weight
    solution = np.linalg.lstsq(system, np.array(values), rcond=None)[0]
    return bool(np.abs(system @ solution - values).max() < 1e-9)


def cut(cluster: frozenset[int], partition: Clusters) -> tuple[int, ...]:
    return tuple(sorted(len(cluster & other) for other in partition if cluster & other))


@pytest.mark.parametrize("measure", ["elm_f", "bcubed_f", "accuracy", "rand", "bcubed_precision"])
def test_meet_decomposition_is_a_system_that_can_be_solved(measure: str) -> None:
    smallest = next((n for n in range(1, 6) if not meet_weighted(MEASURES[measure], n)), None)
    found = check(measure, "meet_decomposition")
    assert bool(found) == (smallest is None)
    if isinstance(found, Fails):
        assert found.counterexample.objects == smallest


def test_metric_properties_are_noted() -> None:
    for measure in ("rand", "partition_distance", "pair_jaccard"):
        assert "relaxation constant 1 on" in check(measure, "triangle", objects=4, larger=0).note
    detour = check("fowlkes_mallows", "triangle", objects=4)
    assert isinstance(detour, Fails)
    assert list(detour.values.values()) == pytest.approx([1, 1 - 3**-0.5, 1 - 3**-0.5])
    assert isinstance(check("rand", "subcomponent_consistency"), Unfit)


# --- Counterexamples. ---------------------------------------------------------------------------

SHOWN = [
    "accuracy", "bcubed_f", "bcubed_precision", "bcubed_recall", "elm_f", "muc_f", "nmi", "pair_f",
    "partition_distance", "purity_f", "rand", "van_dongen", "vi_distance",
]  # fmt: skip


def against(measure: str, conditions: Sequence[str]) -> Iterator[Against]:
    for condition in conditions:
        most = min(4, MOST.get(condition, 5 if condition.startswith("rag_bag") else 4))
        if condition == "size_quantity_parts":
            most = 12
        found = check(on_trial(measure), condition, objects=most, larger=0)
        if isinstance(found, Against):
            yield found


def first_values(found: Against) -> list[float]:
    """What the public function gives to the comparisons that the values are of."""
    measure, parts = cd.measure(found.measure), found.counterexample.clusterings
    if "a" in parts:
        of = [("a", "c"), ("a", "b"), ("b", "c")]
    else:
        of = [("truth", part) for part in parts if part != "truth"]
    values = [float(measure(parts[truth], parts[guess])) for truth, guess in of]
    turned = "a" in parts and not measure.is_distance
    return [1 - value for value in values] if turned else values


def is_against(found: Against) -> bool:
    """Whether the oracle has this very case, and it is against the condition."""
    parts, score = parts_of(found.counterexample), public(found.measure)
    wanted = 0 if isinstance(found, Ties) else -1
    if "a" in parts:
        a, b, c = parts["a"], parts["b"], parts["c"]
        return is_no_detour((), [score(a, c), score(a, b), score(b, c)]) == wanted
    truth, *guesses = parts.values()
    comparisons = {(truth, guess) for guess in guesses}
    n = len(objects_of(truth))
    size = (n - 1) // 3 if found.axiom == "size_quantity" else n
    return any(
        comparisons <= set(case) and sign_of(case, found.axiom, score) == wanted
        for case in cases(found.axiom, size)
    )


def sign_of(case: Case, condition: str, score: Score) -> int:
    return CONDITIONS[condition].sign(case, [score(*comparison) for comparison in case])


@pytest.mark.parametrize("measure", SHOWN)
def test_counterexamples_are_real(measure: str) -> None:
    conditions = [one for one in CONDITIONS if one != "monotone_decrease"]
    found = list(against(measure, conditions))
    assert len(found) > 3
    for verdict in found:
        values = list(map(float, verdict.values.values()))
        first = first_values(verdict)
        assert values[: len(first)] == pytest.approx(first, abs=1e-12), verdict.axiom
        assert is_against(verdict), verdict


@pytest.mark.parametrize("measure", ["accuracy", "bcubed_precision"])
def test_a_cluster_that_the_guess_splits_is_shown_with_two_guesses(measure: str) -> None:
    (verdict,) = against(measure, ["monotone_decrease"])
    assert is_against(verdict)


@pytest.mark.parametrize("measure", ["bcubed_recall", "pair_recall"])
def test_a_cluster_that_the_guess_merges_is_shown_with_two_truths(measure: str) -> None:
    (verdict,) = against(measure, ["monotone_decrease"])
    parts, score = parts_of(verdict.counterexample), public(measure)
    case = (parts["worse truth"], parts["guess"]), (parts["better truth"], parts["guess"])
    assert case in cases("monotone_decrease", verdict.counterexample.objects)
    values = [score(*comparison) for comparison in case]
    assert list(verdict.values.values()) == pytest.approx(values, abs=1e-12)
    assert compared(*values) == 0
    assert [printed(command) for command in verdict.counterexample.commands] == [
        [f"{value:.4f}"] for value in values
    ]


@pytest.mark.parametrize("measure", ["accuracy", "bcubed_f", "elm_f", "pair_f", "bcubed_recall"])
def test_better_comes_from_worse_by_the_operation(measure: str) -> None:
    for verdict in against(measure, AMIGO):
        parts = parts_of(verdict.counterexample)
        case = (parts["truth"], parts["worse"]), (parts["truth"], parts["better"])
        assert case in improvements(verdict.axiom, verdict.counterexample.objects)


def test_better_comes_from_worse_where_the_noise_has_an_object_of_the_clean_class() -> None:
    """A measure that fails once: truth 123|456|7, worse 12|34|567, better 12|347|56."""
    worse_cuts = all_cuts(clusters([1, 2, 3], [4, 5, 6], [7]), clusters([1, 2], [3, 4], [5, 6, 7]))

    def fails_once(truth: Clusters, guess: Clusters) -> Number:
        return 2.0 if all_cuts(truth, guess) == worse_cuts else MEASURES["elm_f"](truth, guess)

    verdict = check(as_function(fails_once), "rag_bag_shared", objects=7, larger=0)
    assert isinstance(verdict, Fails)
    parts = parts_of(verdict.counterexample)
    assert all_cuts(parts["truth"], parts["worse"]) == worse_cuts
    assert parts["better"] in rag_bag(parts["truth"], parts["worse"], "shared")


def all_cuts(truth: Clusters, guess: Clusters) -> tuple[list[tuple[int, ...]], ...]:
    return sorted(cut(c, guess) for c in truth), sorted(cut(c, truth) for c in guess)


OVERLAPPING = {
    "cover_identity": 2,
    "cover_match": 2,
    "cover_match_repeated": 3,
    "cover_homogeneity": 3,
    "cover_completeness": 2,
    "cover_rag_bag": 5,
    "nested_homogeneity": 2,
    "nested_completeness": 2,
}


@pytest.mark.parametrize("measure", ["extended_bcubed_f", "cice_f", "omega"])
def test_counterexamples_of_covers_are_real(measure: str) -> None:
    score = cd.measure(measure)
    seen = 0
    for condition, most in OVERLAPPING.items():
        found = check(measure, condition, objects=most, larger=0)
        if not isinstance(found, Against):
            continue
        seen += 1
        parts = found.counterexample.clusterings
        values = [float(score(parts["truth"], parts[part])) for part in parts if part != "truth"]
        assert list(map(float, found.values.values())) == pytest.approx(values, abs=1e-12)
        if len(values) == 1:
            assert groups_of(parts["truth"]) != groups_of(parts["guess"])
            assert values == [pytest.approx(1)]
        else:
            assert compared(*values) == (0 if isinstance(found, Ties) else -1)
    assert seen > 3


def test_texts_say_what_the_clusterings_are() -> None:
    for measure in ("cice_f", "elm_precision"):
        for condition in (axiom.name for axiom in axioms()):
            most = OVERLAPPING.get(condition, MOST.get(condition, 4))
            found = check(measure, condition, objects=most, larger=0)
            if isinstance(found, Against) and condition != "triangle":
                assert texts_are_right(found.counterexample), found


def texts_are_right(example: Counterexample) -> bool:
    """Whether the texts can be read, as the clusterings that come with them."""
    kind = "cover" if isinstance(example.clusterings.get("truth"), cd.Cover) else "partition"
    return example.drawn.keys() == example.clusterings.keys() and all(
        groups_of(inline(text, kind)) == groups_of(example.clusterings[part])
        for part, text in example.drawn.items()
    )


def test_texts_of_a_triangle_say_what_the_clusterings_are() -> None:
    found = check("fowlkes_mallows", "triangle", objects=4)
    assert isinstance(found, Fails)
    assert texts_are_right(found.counterexample)


def test_texts_of_ten_single_objects_are_read_back() -> None:
    def large_only(truth: list[int], guess: list[int]) -> float:
        return 0.5 if len(truth) == 10 else cd.elm_f(truth, guess)

    found = check(large_only, "extremes", objects=10)
    assert isinstance(found, Fails)
    assert texts_are_right(found.counterexample)


# --- Commands. ----------------------------------------------------------------------------------


def printed(command: str) -> list[str]:
    """The scores that a command prints, guess by guess."""
    program, *arguments = shlex.split(command)
    assert program == "clusterdiff"
    ran = run(*arguments, columns=200)
    assert (ran.code, ran.stderr) == (0, "")
    return re.findall(r"(?<= )-?\d+\.\d{4}\b", ran.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("measure", "condition"),
    [
        ("elm_f", "homogeneity"),
        ("elm_f(f='means', alpha=0.3)", "rag_bag_single"),
        ("accuracy", "completeness"),
        ("vi_distance", "rag_bag_single"),
        ("bcubed_precision", "perfect_match"),
        ("bcubed_f", "extremes"),
        ("bcubed_f", "attained"),
        ("rand", "size_quantity"),
        ("rand", "conditional_normalisation"),
        ("rand", "subcomponent_consistency"),
        ("nmi", "falling_series"),
        ("accuracy", "monotone_decrease"),
        ("extended_bcubed_f", "cover_homogeneity"),
        ("cice_f", "cover_completeness"),
        ("cice_f", "cover_match_repeated"),
        ("cice_f", "nested_homogeneity"),
    ],
)
def test_one_command_prints_the_values(measure: str, condition: str) -> None:
    found = check(measure, condition, objects=OVERLAPPING.get(condition, 4), larger=0)
    if isinstance(found, Against):
        (command,) = found.counterexample.commands
        assert printed(command) == [f"{float(v):.4f}" for v in found.values.values()]


@pytest.mark.parametrize(
    ("measure", "condition"),
    [
        ("bcubed_recall", "symmetry"),
        ("elm_f", "padding"),
        ("pair_f(f='objects')", "n_invariance"),
        ("rand", "blow_up"),
        ("rand", "join_decomposition"),
        ("accuracy", "meet_decomposition"),
    ],
)
def test_several_commands_print_a_value_each(measure: str, condition: str) -> None:
    """What the first score should be is the last value, and nothing prints it."""
    found = check(measure, condition, objects=5, larger=0)
    assert isinstance(found, Against)
    values = [f"{float(v):.4f}" for name, v in found.values.items() if name != "expected"]
    assert [printed(command) for command in found.counterexample.commands] == [[v] for v in values]


def test_commands_of_a_triangle_print_similarities() -> None:
    found = check("pair_f", "triangle", objects=4)
    assert isinstance(found, Fails)
    from_a, from_b = map(printed, found.counterexample.commands)
    similar = {way: f"{float(1 - value):.4f}" for way, value in found.values.items()}
    assert (from_a, from_b) == ([similar["d(a,b)"], similar["d(a,c)"]], [similar["d(b,c)"]])


def test_the_commands_of_a_function_are_calls_of_it() -> None:
    def pairs_alike(truth: list[int], guess: list[int]) -> Any:
        return cd.rand(truth, guess)

    found = check(pairs_alike, "rag_bag", objects=5, larger=0)
    assert isinstance(found, Ties)
    (calls,) = found.counterexample.commands
    values = [eval(call, {"pairs_alike": pairs_alike}) for call in calls.split(";")]
    assert values == pytest.approx(list(found.values.values()))


# --- One subject for many conditions. -----------------------------------------------------------


def test_conditions_do_not_disturb_each_other() -> None:
    """What is kept of one condition is not taken for something else in the next."""
    conditions = [axiom for axiom in axioms() if axiom.name in ("bounds", "cover_identity")]
    together = verdicts_on("cice_f", conditions, Search(objects=2, larger=0))
    alone = {one.name: check("cice_f", one, objects=2, larger=0) for one in conditions}
    assert {name: one.outcome for name, one in together.items()} == {
        name: one.outcome for name, one in alone.items()
    }


def test_a_subject_can_be_tried_again() -> None:
    tried = subject("elm_f")
    once = [check(tried, condition, objects=4, larger=0) for condition in OF_PARTITIONS[:20]]
    again = [check(tried, condition, objects=4, larger=0) for condition in OF_PARTITIONS[:20]]
    alone = [check("elm_f", condition, objects=4, larger=0) for condition in OF_PARTITIONS[:20]]
    assert [v.outcome for v in once] == [v.outcome for v in again] == [v.outcome for v in alone]
