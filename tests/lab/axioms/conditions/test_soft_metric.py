"""Metric properties of measures of uncertain clusterings: each can hold, and each can fail."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

import clusterdiff as cd
from clusterdiff.measures import Claims, measures
from clusterdiff_lab.axioms import check
from clusterdiff_lab.axioms.conditions.soft_metric import CONDITIONS
from clusterdiff_lab.axioms.distances import metric
from clusterdiff_lab.axioms.soft import all_rough, levels, table
from clusterdiff_lab.axioms.subject import Against, Fails, Holds, Unfit, Verdict

HALF = Fraction(1, 2)


# Verdicts on measures


def named(measure: cd.Measure) -> dict[str, Verdict]:
    return {one.name: check(measure, one) for one in CONDITIONS}


def failing(measure: cd.Measure) -> set[str]:
    return {axiom for axiom, verdict in named(measure).items() if isinstance(verdict, Fails)}


@pytest.mark.parametrize(
    ("measure", "fails", "kind"),
    [
        (cd.transport("rand", alpha=1), set(), "metric"),
        (cd.transport("partition_distance", alpha=1), set(), "metric"),
        (cd.transport("rand"), set(), "metric"),
        (cd.transport("rand", alpha=0.5), {"triangle"}, "semi-metric, 3/2-relaxed"),
        (cd.transport("partition_distance", alpha=0.25), {"triangle"}, "semi-metric, 5/2-relaxed"),
        (cd.transport("rand", alpha=0), {"separation", "triangle"}, "consistency"),
        (cd.rand_alpha(alpha=0.5), {"separation"}, "pseudo-metric"),
        (cd.rand_alpha(alpha=0.25), {"separation", "triangle"}, "2-relaxed pseudo-metric"),
        (cd.partition_distance_alpha(alpha=0.5), set(), "metric"),
        (cd.partition_distance_alpha(alpha=1), {"bounds"}, "metric"),
        (cd.rand_belief, {"separation"}, "pseudo-metric"),
        (cd.rand_conflict, {"separation", "triangle"}, "consistency"),
        (cd.rand_campello, {"separation"}, "meta-metric"),
    ],
    ids=lambda given: " ".join(sorted(given)) if isinstance(given, set) else str(given),
)
def test_measures_get_their_verdicts(measure: cd.Measure, fails: set[str], kind: str) -> None:
    assert failing(measure) == {f"rough_{name}" for name in fails}
    assert named(measure)["rough_triangle"].note.startswith(f"{kind}; ")


def test_assignments_are_more_than_the_partitions_that_they_allow() -> None:
    members = all_rough(2, 2)
    transported, inside = (
        table(measure, members)
        for measure in (cd.transport("rand", alpha=1), cd.partition_distance_alpha(alpha=1))
    )
    assert metric(1 - transported, levels(members)).kind == "pseudo-metric"
    assert metric(inside, levels(members)).kind == "metric"


def test_a_triangle_is_told_with_values_and_the_lines_that_give_them() -> None:
    verdict = named(cd.transport("partition_distance", alpha=0.5))["rough_triangle"]
    assert isinstance(verdict, Against)
    found = verdict.counterexample
    assert verdict.note.endswith("relaxation constant 3/2")
    assert verdict.tried == 3**3 + 23**3
    assert found.drawn == {"a": "1 1 1", "b": "1 1 {12}", "c": "1 {12} 3"}
    assert found.values == {"a, b": Fraction(1, 4), "b, c": Fraction(1, 4), "a, c": Fraction(3, 4)}
    assert found.objects == 3
    assert found.commands[0] == (
        "cd.transport('partition_distance', alpha=0.5)"
        "(cd.Rough([{1}, {1}, {1}]), cd.Rough([{1}, {1}, {1, 2}]))"
    )


@pytest.mark.parametrize("measure", [m for m in measures() if "soft" in m.needs], ids=str)
def test_the_lines_of_a_counterexample_give_its_values(measure: cd.Measure) -> None:
    for name, verdict in named(measure).items():
        assert verdict.axiom == name
        if isinstance(verdict, Against):
            found = verdict.counterexample
            given = [float(eval(line, {"cd": cd})) for line in found.commands]
            assert given == pytest.approx([float(value) for value in found.values.values()])


def test_an_open_alpha_is_judged_where_ambiguity_is_an_error() -> None:
    verdicts = named(cd.partition_distance_alpha)
    assert all("alpha = 1" in verdict.scope for verdict in verdicts.values())
    for _ in range(2):
        assert all("alpha" not in v.scope for v in named(cd.rand_alpha(alpha=0.5)).values())


def test_measures_of_partitions_and_measures_without_a_bound_are_not_judged() -> None:
    assert all(isinstance(verdict, Unfit) for verdict in named(cd.rand).values())
    unfit = {a for a, v in named(cd.soft_mutual_information).items() if isinstance(v, Unfit)}
    assert unfit == {"rough_separation", "rough_triangle"}


# Measures that are wrong on purpose


def wrong(function: Callable[[cd.SoftMeet], float], best: float = 1.0) -> cd.Measure:
    def scored(m: cd.SoftMeet) -> float:
        return function(m)

    return cd.Measure("wrong", scored, Claims("benhur2002", best=best))


def true_distance(m: cd.SoftMeet) -> float:
    return 1 - float(cd.transport("rand", alpha=1).of(m))


@pytest.mark.parametrize(
    ("function", "fails"),
    [
        (lambda m: 1 - true_distance(m), set()),
        (lambda m: 1 - true_distance(m) ** 2, {"triangle"}),
        (lambda m: 1 - true_distance(m) ** 0.5, set()),
        (lambda m: 1.0, {"separation"}),
        (lambda m: 1 - max(0.0, true_distance(m) - 1 / 3), {"separation", "triangle"}),
        (lambda m: 0.9 - 0.9 * true_distance(m), {"separation"}),
        (lambda m: 1 - 2 * true_distance(m), {"bounds"}),
    ],
    ids=["right", "squared", "root", "constant", "cut", "not its own best", "too far"],
)
def test_wrong_measures_get_the_verdicts_they_should(
    function: Callable[[cd.SoftMeet], float], fails: set[str]
) -> None:
    assert failing(wrong(function)) == {f"rough_{name}" for name in fails}


def test_a_measure_that_minds_who_is_first_is_not_symmetric() -> None:
    def lopsided(m: cd.SoftMeet) -> float:
        return 1 - true_distance(m) * (1 if m.truth.labels is None else 0.5)

    verdict = named(wrong(lopsided))["rough_symmetry"]
    assert isinstance(verdict, Fails)
    assert verdict.counterexample.drawn == {"a": "1 1", "b": "1 {12}"}
    assert verdict.values == {"a, b": HALF, "b, a": Fraction(0)}


def test_a_squared_distance_is_relaxed_by_2() -> None:
    """The most that it can be, where one of three is half way between the others."""
    verdict = named(wrong(lambda m: 1 - true_distance(m) ** 2))["rough_triangle"]
    assert verdict.note.endswith("relaxation constant 2")
    assert named(wrong(lambda m: true_distance(m), best=0.0))["rough_triangle"].mark == "✓"
    assert isinstance(named(wrong(lambda m: 1.0))["rough_triangle"], Holds)
