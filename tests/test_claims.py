"""Every claim of every measure, in both directions, on all pairs of partitions of a few objects."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest

import clusterdiff as cd
from cases import (
    all_covers,
    all_pairs,
    cover_meet,
    families,
    hard_meet,
    pairs_up_to_renaming,
    partitions,
    renamed,
)
from clusterdiff.measures import Measure
from clusterdiff.measures.cite import CITATIONS
from clusterdiff.meet import Meet

TINY = 1e-12
ALL = cd.measures()
CLAIMING = [m for m in ALL if m.name != "adjusted"] + [
    cd.adjusted(cd.elm_f),
    cd.adjusted(cd.bcubed_f),
]


class Case(NamedTuple):
    """Two clusterings of n objects: partitions as labels, or covers as families of clusters."""

    n: int
    truth: tuple[int, ...]
    guess: tuple[int, ...]
    cover: bool = False

    def swapped(self) -> Case:
        return self._replace(truth=self.guess, guess=self.truth)


@cache
def cases(kind: str) -> list[Case]:
    """All pairs of partitions of up to 5 objects, or of covers of up to 3, some left out."""
    if kind == "cover":
        return [
            Case(n, t, g, True) for n in (1, 2, 3) for t, g in product(families(n), families(n))
        ]
    return [Case(n, t, g) for n in range(1, 6) for t, g in all_pairs(n)]


@cache
def meet(case: Case) -> Meet:
    return cover_meet(*case[:3]) if case.cover else hard_meet(case.truth, case.guess)


@cache
def scores(measure: Measure) -> dict[Case, float]:
    """The score of each case that the measure is for; pairs that differ in names have one."""
    known: dict[Case, float] = {}
    found = {}
    for kind in ("partition", "cover"):
        if (measure.needs - {"cover"}) if kind == "partition" else "cover" in measure.needs:
            for case in cases(kind):
                one = Case(case.n, *renamed(*case[:3]), True) if case.cover else case
                if one not in known:
                    known[one] = measure.of(meet(one))
                found[case] = known[one]
    return found


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_bounds_hold_and_the_lower_one_is_reached_or_not(measure: Measure) -> None:
    low, high = measure.claims.bounds
    found = scores(measure).values()
    assert all(low - TINY <= s <= high + TINY for s in found)
    assert any(abs(s - low) < TINY for s in found) == measure.claims.reached


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_symmetry_holds_or_a_counterexample_is_found(measure: Measure) -> None:
    found = scores(measure)
    uneven = [case for case, s in found.items() if abs(s - found[case.swapped()]) > TINY]
    assert (not uneven) == measure.claims.symmetric, uneven[:1]


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_identical_clusterings_score_best(measure: Measure) -> None:
    best = measure.claims.best
    same = [s for case, s in scores(measure).items() if case.truth == case.guess]
    if best is None:
        assert len({round(s, 9) for s in same}) > 1
    else:
        assert all(abs(s - best) < TINY for s in same)


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_only_identical_clusterings_score_best_or_a_counterexample_is_found(
    measure: Measure,
) -> None:
    best = measure.claims.best
    if best is None:
        assert not measure.claims.perfect
        return
    others = [
        case
        for case, s in scores(measure).items()
        if case.truth != case.guess and abs(s - best) < TINY
    ]
    assert (not others) == measure.claims.perfect, others[:1]


@pytest.mark.parametrize("measure", [m for m in ALL if m.claims.hard], ids=str)
def test_on_partitions_it_is_the_measure_of_partitions(measure: Measure) -> None:
    forms = [{"f": f, "alpha": a} for f in ("objects", "means") for a in (0.5, 0.2, 0, 1)]
    for params in forms if "f" in measure.arguments else [{}]:
        ours = measure.having(**params)
        theirs = ours.on_partitions
        assert theirs is not None
        for n in range(1, 6):
            for pair in pairs_up_to_renaming(n):
                assert abs(ours.of(hard_meet(*pair)) - theirs.of(hard_meet(*pair))) < TINY, pair


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_degenerate_inputs_have_a_value(measure: Measure) -> None:
    """One object, one cluster, all singletons: identical clusterings are a perfect match."""
    for labels in ([7], [7, 7, 7], [1, 2, 3], list(range(50)), [0] * 50):
        value = measure(labels, labels)
        assert math.isfinite(value)
        if measure.claims.best is not None:
            assert value == measure.claims.best
    with pytest.raises(cd.ClusterdiffError, match="nothing to compare"):
        measure([], [])


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_measure_says_what_it_means_and_where_it_comes_from(measure: Measure) -> None:
    assert measure.claims.cite in CITATIONS
    assert 20 < len(measure.meaning) <= 100
    assert measure.meaning.endswith(".")
    assert cd.measure(repr(measure)) == measure
    assert cd.measure(measure.full_name) == measure


def test_every_citation_is_used() -> None:
    assert {m.claims.cite for m in ALL} == set(CITATIONS)


@pytest.mark.parametrize("measure", [m for m in ALL if m.claims.penalise], ids=str)
def test_penalised_scores_are_those_of_the_rest_when_nothing_is_missing(measure: Measure) -> None:
    for truth, guess in all_pairs(4):
        t, g = dict(enumerate(truth)), dict(enumerate(guess))
        params = {"empty": 1} if "empty" in measure.arguments else {}
        assert measure(t, g, align="penalise", **params) == measure(t, g, **params)


@pytest.mark.parametrize("measure", [m for m in ALL if not m.claims.penalise], ids=str)
def test_measures_without_a_penalised_form_say_so(measure: Measure) -> None:
    with pytest.raises(cd.ClusterdiffError, match="one side only"):
        measure({1: "a", 2: "a"}, {1: "a", 3: "a"}, align="penalise")


def test_the_small_cases_are_all_there() -> None:
    assert [len(partitions(n)) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]
    assert [len(families(n)) for n in range(1, 4)] == [2, 8, 128]
    assert [len(all_covers(n)) for n in range(1, 4)] == [1, 5, 109]
