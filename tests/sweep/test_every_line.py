"""A sweep equals the ordinary comparison at every line, for every measure that can be swept."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.measures.base import HOOKS
from clusterdiff.measures.sums import line_score
from clusterdiff.measures.zero_division import exactly
from clusterdiff.sweep import forest as forests
from clusterdiff.sweep import lines as sweep_lines
from clusterdiff.sweep.forest import Forest, ScoredPairs, forest_of
from clusterdiff.sweep.lines import Weights, best_line, curve_of, spread_lines
from sweep.graphs import CHOICES, Graph, differences, graph, lines_of, taken, variants

SWEPT = [m for m in variants() if line_score(m) is not None]
NEVER = {
    "accuracy", "adjusted", "adjusted_mutual_information", "boundary_f", "boundary_precision",
    "boundary_recall", "ceaf_e_f", "ceaf_e_precision", "ceaf_e_recall", "ceaf_m_f",
    "ceaf_m_precision", "ceaf_m_recall", "conll", "match_f", "match_precision", "match_recall",
    "normalized_clustering_accuracy", "pair_sets_index", "panoptic_quality", "panoptic_quality_rq",
    "panoptic_quality_sq", "partition_distance", "pure_share", "pure_whole_f",
    "reduced_mutual_information", "split_merge", "whole_share",
}  # fmt: skip
"""Measures of partitions that match or count clusters, correct for chance by sampling, or are no
sums of a line.
"""


def test_which_measures_are_swept() -> None:
    partitions = {m.name for m in cd.measures() if m.needs & {"shapes", "rows"}}
    assert {m.name for m in SWEPT} == partitions - NEVER
    assert {name for name, hook in HOOKS if hook == "lines"} == partitions - NEVER


def test_which_variants_are_not_swept() -> None:
    swept = [m for m in variants() if m.arguments.get("average") != "truth"]
    swept = [m for m in swept if m.arguments.get("itself") != "excluded"]
    left = {str(m) for m in swept if line_score(m) is None and m.name not in NEVER}
    objects = {name.partition("(")[0] for name in left if "f='objects'" in name}
    assert objects == {"purity_f", "muc_f", "lea_f"}
    assert {name for name in left if "f='objects'" not in name} == {"vi_similarity_k(k=1)"}


def test_all_parameters_are_varied() -> None:
    """A new parameter of a measure that is swept has to be varied here too."""
    ignored = {"damping", "sample", "seed"}
    assert {key for m in SWEPT for key in m.defaults} - ignored <= set(CHOICES)


@pytest.mark.parametrize("part", range(4))
def test_lines_equal_ordinary_comparisons(part: int) -> None:
    seen = 0
    for seed in range(part, 240, 4):
        g = graph(seed)
        assert list(differences(g, SWEPT[seed % 12 :: 12])) == []
        seen += g.forest().lines
    assert seen > 300


@pytest.mark.parametrize("part", range(4))
def test_lines_with_counts_equal_comparisons_of_all_copies(part: int) -> None:
    """Also where each copy of an object is a true cluster, as those of noise are."""
    for seed in range(part, 160, 4):
        g, rng = graph(seed, 24), np.random.default_rng(seed)
        weights = Weights(rng.integers(1, 5, g.objects), rng.random(g.objects) < 0.2 * (seed % 3))
        own = np.arange(g.objects) + g.objects  # a true cluster for each that is alone
        truth = np.where(weights.lone & (g.truth >= 0), own, g.truth)
        g = g._replace(truth=truth)
        assert list(differences(g, SWEPT[seed % 12 :: 12], weights=weights)) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_lines_of_larger_graphs_equal_ordinary_comparisons(part: int) -> None:
    for seed in range(1000 + part, 1600, 8):
        assert list(differences(graph(seed, 200 if seed % 5 == 0 else 60), SWEPT)) == []


def test_cuts_are_the_components_of_the_threshold() -> None:
    for seed in range(200):
        g = graph(seed)
        forest = g.forest()
        for line, (threshold, cluster) in enumerate(lines_of(g)):
            _, first, expected = np.unique(cluster, return_index=True, return_inverse=True)
            by_appearance = np.argsort(np.argsort(first))[expected]
            assert forest.cut(line).tolist() == by_appearance.tolist()
            assert forest.line_at(threshold) == line


def test_a_line_holds_for_all_thresholds_of_its_interval() -> None:
    for seed in range(60):
        g = graph(seed)
        forest = g.forest()
        for line in range(forest.lines):
            low, high = forest.interval(line)
            ends = np.array([low, high])[np.isfinite([low, high])]
            inside = float(ends.mean()) if ends.size else 0.0
            if ends.size == 1:
                inside += -1.0 if np.isinf(low) else 1.0
            closed = low if g.distance else high
            for threshold in (inside, closed):
                assert forest.line_at(threshold) == line


def test_pairs_are_counted() -> None:
    for seed in range(100):
        g = graph(seed)
        forest = g.forest()
        strongest: dict[tuple[int, int], float] = {}
        for left, right, score in sorted(
            zip(*g.pairs, strict=True), key=lambda pair: pair[2] if g.distance else -pair[2]
        ):
            if left != right:
                strongest.setdefault((min(left, right), max(left, right)), score)
        selves = int((g.pairs.left == g.pairs.right).sum())
        assert (forest.pairs, forest.self_pairs) == (g.pairs.left.size, selves)
        assert forest.duplicates == forest.pairs - selves - len(strongest)
        assert forest.scores == len(set(strongest.values()))
        sign = 1 if g.distance else -1
        for line in range(1, forest.lines):
            threshold = sign * forest.thresholds[line]
            used = sum(sign * score <= threshold for score in strongest.values())
            assert forest.links[line] == used


def everything(forest: Forest, g: Graph) -> dict[str, list[float]]:
    curve = curve_of(forest, g.truth, SWEPT)
    found = {name: curve[name].tolist() for name in curve.measures}
    return found | {
        "thresholds": forest.thresholds.tolist(), "links": forest.links.tolist(),
        "clusters": curve.sums.clusters.tolist(), "largest": curve.sums.largest.tolist(),
    }  # fmt: skip


def test_neither_rows_nor_numbers_nor_directions_change_a_bit() -> None:
    rng = np.random.default_rng(5)
    for seed in range(0, 60, 2):
        g = graph(seed, 120)
        order, name = rng.permutation(g.pairs.left.size), rng.permutation(g.objects)
        turned = rng.random(order.size) < 0.5
        left, right = name[g.pairs.left[order]], name[g.pairs.right[order]]
        pairs = ScoredPairs(
            np.where(turned, right, left), np.where(turned, left, right), g.pairs.score[order]
        )
        truth = np.empty_like(g.truth)
        truth[name] = (g.truth * 7919) % 104729 if (g.truth >= 0).all() else g.truth
        other = Graph(pairs, truth, g.distance)
        assert everything(g.forest(), g) == everything(other.forest(), other)


def test_sorted_chunks_are_the_same_forest_where_ties_straddle_them() -> None:
    for seed in range(0, 60, 3):
        g = graph(seed)
        strong = np.argsort(g.pairs.score if g.distance else -g.pairs.score, kind="stable")
        keys: dict[Any, int] = {}
        for i in strong.tolist():
            pair = sorted((int(g.pairs.left[i]), int(g.pairs.right[i])))
            keys.setdefault(tuple(pair) if pair[0] != pair[1] else i, i)
        rows = np.array(list(keys.values()), np.int64)
        chunks = [taken(g.pairs, rows[i : i + 3]) for i in range(0, rows.size, 3)]
        made = forest_of(chunks, g.objects, distance=g.distance, is_sorted=True)
        assert everything(made, g) == everything(g.forest(), g)
        gathered = forest_of(iter(chunks), g.objects, distance=g.distance)
        assert everything(gathered, g) == everything(made, g)


def test_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [graph(seed) for seed in range(0, 40, 4)]
    expected = [everything(g.forest(), g) for g in cases]
    for name, size in (("STEP", 7), ("MERGES", 5), ("LINES", 3), ("AT_ONCE", 2)):
        monkeypatch.setattr(sweep_lines, name, size)
    monkeypatch.setattr(forests, "STEP", 3)
    assert [everything(g.forest(), g) for g in cases] == expected


def test_an_interrupt_is_heard_between_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    g = graph(4, 100)
    forest, heard = g.forest(), []

    @contextmanager
    def interrupted(what: str, total: int) -> Iterator[Callable[[int], None]]:
        def advance(done: int) -> None:
            heard.append(done)
            raise KeyboardInterrupt

        yield advance

    monkeypatch.setattr(sweep_lines, "MERGES", 5)
    monkeypatch.setattr(sweep_lines, "progress", interrupted)
    with pytest.raises(KeyboardInterrupt):
        curve_of(forest, g.truth, [cd.measure("elm_f")])
    assert heard == [5]
    monkeypatch.setattr(forests, "progress", interrupted)
    with pytest.raises(KeyboardInterrupt):
        g.forest()


@pytest.mark.slow
def test_places_of_64_bits_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [graph(seed) for seed in range(8)]
    expected = [everything(g.forest(), g) for g in cases]
    for module in (forests, sweep_lines):
        monkeypatch.setattr(module, "place_type", lambda objects: np.int64)
    for g, before in zip(cases, expected, strict=True):
        forest = g.forest()
        assert forest.order.dtype == np.int64
        assert everything(forest, g) == before


def test_counted_objects_alone_count() -> None:
    g = graph(4, 100)
    some = np.random.default_rng(0).random(g.objects) < 0.6
    masked = g._replace(truth=np.where(some, g.truth, -1))
    curve = curve_of(g.forest(), g.truth, SWEPT, some)
    other = curve_of(g.forest(), masked.truth, SWEPT)
    assert all(np.array_equal(curve[name], other[name]) for name in curve.measures)
    assert curve.sums.clusters[0] == some.sum()


def test_curves_are_pickled() -> None:
    g = graph(4)
    curve = curve_of(g.forest(), g.truth, SWEPT)
    again = pickle.loads(pickle.dumps(curve))
    assert list(again.measures) == [str(m) for m in SWEPT]
    assert all(np.array_equal(again[name], curve[name]) for name in curve.measures)


def test_measures_that_cannot_be_swept_are_named() -> None:
    g = graph(2)
    asked = [cd.measure(name) for name in ("accuracy", "elm_f", "muc_f(f=objects)")]
    curve = curve_of(g.forest(), g.truth, asked)
    assert list(curve.measures) == ["elm_f"]
    assert [str(m) for m in curve.unknown] == ["accuracy", "muc_f(f='objects')"]


RISE = "pair_recall bcubed_recall elm_recall inverse_purity muc_recall".split()  # noqa: SIM905
FALL = "purity bcubed_precision homogeneity".split()  # noqa: SIM905


def test_what_is_proved_to_be_monotone_is() -> None:
    asked = [cd.measure(name) for name in RISE + FALL]
    for seed in range(300):
        g = graph(seed)
        values = curve_of(g.forest(), g.truth, asked)
        for name in RISE:
            assert (np.diff(values[name]) >= -1e-15).all(), name
        for name in FALL:
            assert (np.diff(values[name]) <= 1e-15).all(), name


# Numbers that are exact.


def test_scores_of_counts_are_fractions_where_they_are_asked_for() -> None:
    left, right = np.array([[0, 3, 1, 2, 4], [1, 4, 2, 3, 5]])
    forest = forest_of([ScoredPairs(left, right, np.array([9.0, 9, 7, 7, 4]))], 6)
    curve = curve_of(forest, np.array([0, 0, 0, 1, 1, 2]), [cd.measure("pair_f")])
    with exactly():
        values = cd.measure("pair_f").get_hook("lines").score(curve.sums)
    assert values.tolist() == [0, Fraction(2, 3), Fraction(4, 7), Fraction(8, 19)]


def test_entropies_that_are_nothing_are_exactly_nothing() -> None:
    """All in one, all alone, and a guess that equals truth: completeness is 1, not 1 - 10⁻¹⁶."""
    n = 997
    truth, chain = np.arange(n) // 3, np.arange(n - 1)
    score = np.where(truth[:-1] == truth[1:], 0.9, 0.1)
    names = ("completeness", "homogeneity", "v_measure", "nmi", "vi_distance", "mutual_information")
    forest = forest_of([ScoredPairs(chain, chain + 1, score)], n)
    values = curve_of(forest, truth, [cd.measure(name) for name in names])
    assert values["completeness"][[1, 2]].tolist() == [1.0, 1.0]
    assert values["homogeneity"].tolist() == [1.0, 1.0, 0.0]
    assert values["v_measure"][[1, 2]].tolist() == [1.0, 0.0]
    assert values["nmi"][[1, 2]].tolist() == [1.0, 0.0]
    assert values["vi_distance"][1] == 0.0
    assert values["mutual_information"][2] == 0.0


@pytest.mark.parametrize("objects", [1, 2, 5])
def test_without_pairs_there_is_one_line(objects: int) -> None:
    forest, truth = forest_of([], objects), np.zeros(objects, np.int64)
    measures = [cd.measure(name) for name in ("elm_f", "nmi", "blanc_f(f=objects)")]
    curve = curve_of(forest, truth, measures)
    assert (forest.lines, forest.cut(0).tolist()) == (1, list(range(objects)))
    for measure in measures:
        assert curve[str(measure)].tolist() == [measure(truth, forest.cut(0))]


def test_infinite_scores_are_scores() -> None:
    score = np.array([math.inf, 0.0, -0.0, -math.inf])
    for is_sorted in (False, True):
        pairs = ScoredPairs(np.arange(4), np.arange(1, 5), score)
        forest = forest_of([pairs], 5, is_sorted=is_sorted)
        assert forest.thresholds.tolist() == [math.inf, math.inf, 0.0, -math.inf]
        assert [forest.cut(line).max() + 1 for line in range(4)] == [5, 4, 2, 1]
        assert forest.line_at(math.inf) == 1


# The best line, and lines that are chosen.


def test_a_tie_goes_to_the_highest_threshold_though_rounding_hides_it() -> None:
    third = 1 / 3
    values = np.array([0.1, third, np.nextafter(third, 1), 0.2])
    assert best_line(values).line == 1
    assert best_line(-values, distance=True).line == 1


def test_large_distances_that_differ_by_one_are_no_tie() -> None:
    values = np.array([2.0**50 + 2, 2.0**50 + 1, 2.0**50])
    assert best_line(values, distance=True).line == 2
    assert best_line(values, distance=True, slack=0.5).first == 2


def test_lines_that_are_not_scored_are_skipped() -> None:
    values = np.array([math.nan, 0.5, math.nan, 0.8, 0.7, math.nan])
    assert best_line(values, slack=0.1) == (3, 0.8, 3, 4)


def test_spread_lines_have_both_ends() -> None:
    forest = graph(10, 90).forest()
    lines = spread_lines(forest, 4)
    assert (lines[0], lines[-1]) == (0, forest.lines - 1)
    assert lines.size <= 4 < forest.lines
    assert spread_lines(forest, 1000).tolist() == list(range(forest.lines))
