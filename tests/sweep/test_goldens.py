"""Small sweeps worked out by hand, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.measures.zero_division import exactly
from clusterdiff.sweep.curve import (
    LineScores,
    best_line,
    curve_of,
    meet_at,
    score_lines,
    spread_lines,
)
from clusterdiff.sweep.forest import Forest, ScoredPairs, forest_of, pairs_of_linkage
from sweep.graphs import graph

ROWS = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4), (1, 3, 0.2)]
TRUTH = np.array([0, 0, 0, 1, 1, 2])
TABLE = {
    "pair_precision": "1 1 2/5 4/15",
    "pair_recall": "0 1/2 1 1",
    "pair_f": "0 2/3 4/7 8/19",
    "elm_f": "1/6 13/18 19/30 25/63",
    "bcubed_f": "23/36 17/20 41/56 23/42",
    "adjusted_rand": "0 22/37 4/13 0",
    "exact_f": "2/9 4/7 2/5 0",
}
INFORMATION = [0.780355, 0.318257, 0.560843, 1.011404]


def scored(rows: list[tuple[int, int, float]], first: int = 1) -> ScoredPairs:
    left, right, score = (np.array(column) for column in zip(*rows, strict=True))
    return ScoredPairs(left - first, right - first, score)


def swept(forest: Forest, truth: np.ndarray, *names: str) -> LineScores:
    return curve_of(forest, truth, [cd.measure(name) for name in names])


def fractions(values: np.ndarray) -> list[Fraction]:
    """Numbers as fractions of small numbers, to which they must be as near as doubles can be."""
    found = [Fraction(value).limit_denominator(1000) for value in values.tolist()]
    assert np.abs(values - [float(one) for one in found]).max() < 1e-15
    return found


def read(text: str) -> list[Fraction]:
    return [Fraction(part) for part in text.split()]


@pytest.mark.parametrize("order", list(permutations(range(6)))[::29])
def test_the_table_whatever_the_order_of_the_pairs(order: tuple[int, ...]) -> None:
    forest = forest_of([scored([ROWS[i] for i in order])], 6)
    assert forest.thresholds.tolist() == [math.inf, 0.9, 0.7, 0.4]
    curve = swept(forest, TRUTH, *TABLE, "vi_distance")
    assert {name: fractions(curve.values[name]) for name in TABLE} == {
        name: read(text) for name, text in TABLE.items()
    }
    assert np.abs(curve.values["vi_distance"] - INFORMATION).max() < 5e-7
    assert curve.clusters.tolist() == [6, 4, 2, 1]
    assert curve.largest.tolist() == [1, 2, 5, 6]
    assert curve.links.tolist() == [0, 2, 4, 5]


def test_scores_of_counts_are_fractions_where_they_are_asked_for() -> None:
    curve = swept(forest_of([scored(ROWS)], 6), TRUTH, "pair_f", "purity")
    with exactly():
        found = cd.measure("pair_f").get_hook("lines").score(curve.sums)
    assert found.tolist() == read(TABLE["pair_f"])


@pytest.mark.parametrize(
    ("name", "value", "slack"), [("pair_f", "2/3", 0.1), ("elm_f", "13/18", 0.15)]
)
def test_best_and_flat(name: str, value: str, slack: float) -> None:
    forest = forest_of([scored(ROWS)], 6)
    best = best_line(swept(forest, TRUTH, name).values[name], slack=slack)
    assert fractions(np.array([best.value])) == [Fraction(value)]
    assert forest.interval(best.line) == (0.7, 0.9)
    assert forest.interval(best.first, best.last) == (0.4, 0.9)


def test_an_object_that_is_not_in_truth_links_others() -> None:
    forest = forest_of([scored([(0, 3, 0.8), (3, 2, 0.8), (0, 1, 0.5)], 0)], 4)
    curve = swept(forest, np.array([0, 0, 1, -1]), "elm_f", "bcubed_precision")
    assert fractions(curve.values["elm_f"]) == read("1/3 0 4/9")
    assert fractions(curve.values["bcubed_precision"]) == read("1 2/3 5/9")
    assert curve.clusters.tolist() == [3, 2, 1]


def test_a_dendrogram_with_an_inversion() -> None:
    tree = pairs_of_linkage([[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]])
    assert (tree.leaves, tree.distance) == (4, True)
    forest = forest_of([tree.pairs], tree.leaves, distance=tree.distance)
    assert forest.thresholds.tolist() == [-math.inf, 2.0, 4.0]
    curve = swept(forest, np.array([0, 0, 0, 1]), "elm_f", "adjusted_rand")
    assert fractions(curve.values["elm_f"]) == read("1/4 1 3/5")
    assert fractions(curve.values["adjusted_rand"]) == read("0 1 0")
    assert forest.interval(1) == (2.0, 4.0)


def test_ties_are_one_level() -> None:
    forest = forest_of([scored([(0, 1, 0.5), (2, 3, 0.5), (4, 5, 0.5), (1, 2, 0.5)], 0)], 6)
    curve = swept(forest, np.array([0, 0, 1, 1, 2, 2]), "pair_f", "elm_f", "purity", "van_dongen")
    assert curve.clusters.tolist() == [6, 2]
    last = {name: fractions(curve.values[name])[1] for name in curve.values}
    assert last == {
        "pair_f": Fraction(3, 5), "elm_f": Fraction(2, 3), "purity": Fraction(2, 3),
        "van_dongen": Fraction(5, 6),
    }  # fmt: skip


def test_entropies_that_are_nothing_are_exactly_nothing() -> None:
    """All in one, all alone, and a guess that equals truth: completeness is 1, not 1 - 10⁻¹⁶."""
    n = 997
    truth = np.arange(n) // 3
    chain = np.arange(n - 1)
    inside = truth[:-1] == truth[1:]
    pairs = ScoredPairs(chain, chain + 1, np.where(inside, 0.9, 0.1))
    values = swept(
        forest_of([pairs], n), truth, "completeness", "homogeneity", "v_measure", "nmi",
        "vi_distance", "mutual_information",
    ).values  # fmt: skip
    assert values["completeness"][[1, 2]].tolist() == [1.0, 1.0]
    assert values["homogeneity"].tolist() == [1.0, 1.0, 0.0]
    assert values["v_measure"][[1, 2]].tolist() == [1.0, 0.0]
    assert values["nmi"][[1, 2]].tolist() == [1.0, 0.0]
    assert values["vi_distance"][1] == 0.0
    assert values["mutual_information"][2] == 0.0


@pytest.mark.parametrize("objects", [1, 2, 5])
def test_without_pairs_there_is_one_line(objects: int) -> None:
    forest = forest_of([], objects)
    curve = swept(forest, np.zeros(objects, np.int64), "elm_f", "nmi", "blanc_f(f=objects)")
    assert (forest.lines, forest.cut(0).tolist()) == (1, list(range(objects)))
    meet = meet_at(forest, np.zeros(objects, np.int64), 0)
    for name in curve.values:
        assert curve.values[name].tolist() == [cd.measure(name).of(meet)]


def test_infinite_scores_are_scores() -> None:
    rows = [(0, 1, math.inf), (1, 2, 0.0), (2, 3, -0.0), (3, 4, -math.inf)]
    forest = forest_of([scored(rows, 0)], 5)
    assert forest.thresholds.tolist() == [math.inf, math.inf, 0.0, -math.inf]
    assert [forest.cut(line).max() + 1 for line in range(4)] == [5, 4, 2, 1]
    assert forest.line_at(math.inf) == 1
    ordered = forest_of([scored(rows, 0)], 5, is_sorted=True)
    assert ordered.thresholds.tolist() == forest.thresholds.tolist()


def test_chosen_lines_are_scored_as_comparisons() -> None:
    g = graph(10, 90)
    forest = g.forest()
    asked = [cd.measure("accuracy"), cd.measure("elm_f")]
    lines = spread_lines(forest, 4)
    assert lines[0] == 0
    assert lines[-1] == forest.lines - 1
    assert lines.size <= 4 < forest.lines
    found = score_lines(forest, g.truth, asked, lines)
    swept_values = curve_of(forest, g.truth, asked).values["elm_f"][lines]
    assert np.abs(found["elm_f"] - swept_values).max() < 1e-12
    assert spread_lines(forest, 1000).tolist() == list(range(forest.lines))
