"""Every claim of every measure, in both directions, on all pairs of clusterings of few objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import clusterdiff as cd
from cases import covers, families, pairs_up_to_renaming, partitions
from clusterdiff.measures import Measure
from clusterdiff.measures.base import CITATIONS
from clusterdiff.testing.claims import CHECKS, ClaimCheck, cases, meet_of
from refusals import refuses

ALL = cd.measures()
CLAIMING = [m for m in ALL if m.name != "adjusted"] + [
    cd.adjusted(cd.elm_f),
    cd.adjusted(cd.bcubed_f(f="objects")),
]


def four_clusters() -> tuple[cd.Evidential, cd.Evidential]:
    """Alike in the mass on each cluster alone and in what is plausible, and yet different."""
    anchors: list[dict[str, float]] = [{name: 1.0} for name in "abcd"]
    return (
        cd.Evidential([*anchors, {"a|b": 0.5, "c|d": 0.5}]),
        cd.Evidential([*anchors, {"a|c": 0.5, "b|d": 0.5}]),
    )


EXAMPLES = {"partition_distance_alpha": [four_clusters()]}


@cache
def trial(measure: Measure) -> ClaimCheck:
    return ClaimCheck(measure, EXAMPLES.get(measure.name, []))


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_claims_hold_or_a_counterexample_is_found(
    check: Callable[[ClaimCheck], None], measure: Measure
) -> None:
    check(trial(measure))


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_no_comparison_is_left_out_unless_degrees_are_needed(measure: Measure) -> None:
    found = trial(measure)
    every = sum(len(cases(kind)) for kind in found.kinds)
    some = measure.family == "fuzzy" or measure.name == "soft_mutual_information"
    assert len(found.scores) < every if some else len(found.scores) == every


@pytest.mark.parametrize("measure", [m for m in ALL if m.needs == {"soft"}], ids=str)
def test_measures_of_uncertain_clusterings_are_those_of_partitions_on_partitions(
    measure: Measure,
) -> None:
    plain: Measure = cd.partition_distance if measure.is_distance else cd.rand
    plain = cd.mutual_information if measure.name == "soft_mutual_information" else plain
    for case in cases("partition"):
        ours, theirs = measure.of(meet_of(case)), plain.of(meet_of(case))
        for end in (ours.low, ours.high) if isinstance(ours, cd.ScoreRange) else (ours,):
            assert abs(end - theirs) < 1e-12, case


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_measure_is_read_back_and_says_where_it_comes_from(measure: Measure) -> None:
    assert measure.claims.cite in CITATIONS or any(c.isdigit() for c in measure.claims.cite)
    assert cd.measure(repr(measure)) == measure
    assert cd.measure(measure.full_name) == measure


def test_every_citation_is_used() -> None:
    assert {m.claims.cite for m in ALL} >= set(CITATIONS)


@pytest.mark.parametrize("measure", [m for m in ALL if not m.claims.penalise], ids=str)
def test_measures_without_a_penalised_form_say_so(measure: Measure) -> None:
    refuses("one side only", measure, {1: "a", 2: "a"}, {1: "a", 3: "a"}, align="penalise")


def test_the_small_cases_are_all_there() -> None:
    assert [len(partitions(n)) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]
    assert [len(pairs_up_to_renaming(n)) for n in range(1, 7)] == [1, 4, 10, 33, 91, 298]
    assert [len(families(n)) for n in range(1, 4)] == [2, 8, 128]
    assert [len(covers(n)) for n in range(1, 4)] == [1, 5, 109]
