"""The experiments of the CICE-BCubed paper, against all pairs of covers compared one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff_lab.papers.cice import experiments as perfect
from clusterdiff_lab.papers.experiments import experiment_named
from oracles import overlapping as oracle
from refusals import refuses

PAIRS = [frozenset({1, 2}), frozenset({1, 3}), frozenset({2, 3})]
SINGLES = [frozenset({1}), frozenset({2}), frozenset({3}), frozenset({1, 2, 3})]


@pytest.fixture(scope="module")
def outcome() -> Any:
    return experiment_named("perfect").run()


def covers(objects: int) -> list[list[frozenset[int]]]:
    """All sets of clusters with each object in one of them."""
    everything = frozenset(range(1, objects + 1))
    clusters = [
        frozenset(some)
        for size in range(1, objects + 1)
        for some in combinations(sorted(everything), size)
    ]
    return [
        list(some)
        for size in range(1, len(clusters) + 1)
        for some in combinations(clusters, size)
        if frozenset().union(*some) == everything
    ]


@pytest.mark.parametrize(("objects", "many", "alike"), [(2, 5, 0), (3, 109, 1)])
def test_all_pairs_of_few_objects(objects: int, many: int, alike: int, outcome: Any) -> None:
    found = covers(objects)
    assert len(found) == many
    sides = [cd.Cover.from_clusters(one) for one in found]
    some = list(combinations(range(many), 2))[:: objects**2 - 3]
    known = [found.index(PAIRS), found.index(SINGLES)] if objects == 3 else []
    for i, j in some:
        is_1 = cd.extended_bcubed_f(sides[i], sides[j]) > 1 - 1e-12
        assert is_1 == ([i, j] == sorted(known))
    record = next(one for one in outcome.exhibits[0].records if one["objects"] == objects)
    assert record["covers"] == many
    assert record["pairs that differ"] == many * (many - 1) // 2
    assert record["extended_bcubed_f = 1"] == alike


def test_four_objects(outcome: Any) -> None:
    record = outcome.exhibits[0].records[-1]
    assert record["covers"] == 32_297
    assert record["pairs that differ"] == 521_531_956
    assert record["extended_bcubed_f = 1"] == 3_841
    assert record["cice_f = 1"] == 0
    by_clusters = outcome.exhibits[1].records
    assert sum(one["pairs"] for one in by_clusters if one["objects"] == 4) == 3_841


def cover_of(clusters: list[frozenset[int]], objects: list[int]) -> oracle.Cover:
    """The clusters of each object, by number."""
    return {x: {k for k, cluster in enumerate(clusters) if x in cluster} for x in objects}


def test_listed_pairs_by_definition(outcome: Any) -> None:
    pairs = outcome.besides[0].records
    assert (pairs[0]["first"], pairs[0]["second"]) == ("12|13|23", "1|2|3|123")
    for record in pairs[::400]:
        sides = [
            [frozenset(map(int, cluster)) for cluster in record[side].split("|")]
            for side in ("first", "second")
        ]
        assert sides[0] != sides[1]
        objects = sorted(frozenset().union(*sides[0]))
        truth, guess = (cover_of(side, objects) for side in sides)
        assert oracle.extended_bcubed_f(truth, guess) == 1
        assert float(oracle.cice_f(truth, guess)) == pytest.approx(record["cice_f"], abs=1e-12)


def test_a_measure_that_sees_the_difference_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfect, "OBJECTS", (3,))
    monkeypatch.setattr(perfect, "extended_bcubed_f", cd.cice_f)
    refuses("is not 1", experiment_named("perfect").run)


def test_the_example() -> None:
    found = experiment_named("example").run()
    scores = {one["measure"]: one["f"] for one in found.exhibits[0].records}
    assert scores == pytest.approx(
        {"extended_bcubed_*": 1, "cice_*": 2 / 3, "cice_*(match='pair')": 23 / 36}
    )
    nearest = [max(list(one.values())[1:]) for one in found.exhibits[1].records]
    assert nearest == pytest.approx([2 / 3] * 6)


def test_figures_name_their_axes(outcome: Any) -> None:
    for found in (outcome, experiment_named("example").run()):
        for picture in found.pictures:
            layout = picture.draw().layout
            assert layout.xaxis.title.text
            assert layout.yaxis.title.text
