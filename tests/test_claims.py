"""Every claim of every measure, in both directions, on all pairs of partitions of a few objects."""

from __future__ import annotations

import math
from functools import cache

import pytest

import clusterdiff as cd
from cases import Labels, all_pairs, partitions
from clusterdiff.measures import Measure
from clusterdiff.measures.cite import CITATIONS

TINY = 1e-12
ALL = cd.measures()
CLAIMING = [m for m in ALL if m.name != "adjusted"] + [
    cd.adjusted(cd.elm_f),
    cd.adjusted(cd.bcubed_f),
]


@cache
def scores(measure: Measure, n: int) -> dict[tuple[Labels, Labels], float]:
    return {pair: measure.of(meets(n)[pair]) for pair in all_pairs(n)}


@cache
def meets(n: int) -> dict[tuple[Labels, Labels], cd.HardMeet]:
    return {pair: cd.meet(*pair) for pair in all_pairs(n)}


def every(measure: Measure, most: int = 5) -> list[tuple[Labels, Labels, float]]:
    return [(t, g, s) for n in range(1, most + 1) for (t, g), s in scores(measure, n).items()]


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_bounds_hold_and_the_lower_one_is_reached_or_not(measure: Measure) -> None:
    low, high = measure.claims.bounds
    found = [s for _, _, s in every(measure)]
    assert all(low - TINY <= s <= high + TINY for s in found)
    assert any(abs(s - low) < TINY for s in found) == measure.claims.reached


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_symmetry_holds_or_a_counterexample_is_found(measure: Measure) -> None:
    uneven = [(t, g) for t, g, s in every(measure) if abs(s - scores(measure, len(t))[g, t]) > TINY]
    assert (not uneven) == measure.claims.symmetric, uneven[:1]


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_identical_clusterings_score_best(measure: Measure) -> None:
    best = measure.claims.best
    same = [(t, s) for t, g, s in every(measure) if t == g]
    if best is None:
        assert len({round(s, 9) for _, s in same}) > 1
    else:
        assert all(abs(s - best) < TINY for _, s in same)


@pytest.mark.parametrize("measure", CLAIMING, ids=str)
def test_only_identical_clusterings_score_best_or_a_counterexample_is_found(
    measure: Measure,
) -> None:
    best = measure.claims.best
    if best is None:
        assert not measure.claims.perfect
        return
    others = [(t, g) for t, g, s in every(measure) if t != g and abs(s - best) < TINY]
    assert (not others) == measure.claims.perfect, others[:1]


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
