"""A sweep against components found threshold by threshold, and against compare at every line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from oracles import ORACLES
from oracles.common import clusters
from oracles.many.draws import Graph, graphs, mapping
from oracles.many.goldens import LINKAGE, SWEEPS, TREE
from oracles.many.thresholds import Line, best, lines, linked, named, values
from sweep.graphs import drawn, swept

ALWAYS = [
    "rand", "adjusted_rand", "pair_precision", "pair_recall", "pair_f", "fowlkes_mallows",
    "mirkin_distance", "blanc_precision", "blanc_recall", "blanc_f", "vi_distance",
    "vi_similarity", "nmi", "mutual_information", "homogeneity", "completeness", "v_measure",
    "bcubed_precision", "bcubed_recall", "bcubed_f", "elm_precision", "elm_recall", "elm_f",
    "lea_precision", "lea_recall", "lea_f", "purity", "inverse_purity", "purity_f", "van_dongen",
    "exact_precision", "exact_recall", "exact_f", "muc_precision", "muc_recall", "muc_f",
    "element_similarity",
]  # fmt: skip
SOMETIMES = ["accuracy", "ceaf_m_f", "ceaf_e_f", "partition_distance", "split_merge", "conll"]
DISTANCES = ("mirkin_distance", "vi_distance", "partition_distance")


def same_lines(curve: Any, wanted: list[Line]) -> None:
    """Thresholds and counts of every line."""
    assert curve.thresholds.tolist() == [line.score for line in wanted]
    assert curve.clusters.tolist() == [line.clusters for line in wanted]
    assert curve.largest.tolist() == [line.largest for line in wanted]
    assert curve.rows.tolist() == [line.rows for line in wanted]


@pytest.mark.parametrize("name", SWEEPS)
def test_goldens(name: str) -> None:
    case = SWEEPS[name]
    measures = [key for key in case.lines if key not in ("clusters", "largest")]
    for seed in range(4):
        graph = Graph(dict(case.truth), case.pairs).shuffled(seed)
        curve = swept(graph, measures, align=case.align)
        assert curve.thresholds.tolist() == case.scores
        for key, wanted in case.lines.items():
            if key in ("clusters", "largest"):
                assert getattr(curve, key).tolist() == wanted
            else:
                near = 5e-7 if isinstance(wanted[0], float) else 1e-15
                assert curve[key].tolist() == pytest.approx(list(map(float, wanted)), abs=near)


@pytest.mark.parametrize(
    ("measure", "value", "slack"), [("pair_f", 2 / 3, 0.1), ("elm_f", 13 / 18, 0.15)]
)
def test_golden_best(measure: str, value: float, slack: float) -> None:
    case = SWEEPS["two scores tie"]
    found = swept(Graph(dict(case.truth), case.pairs), [measure], slack=slack).best(measure)
    assert found.value == pytest.approx(value, abs=1e-15)
    assert (found.low, found.high) == (0.7, 0.9)
    assert tuple(found.flat) == (0.4, 0.9)
    assert (found.clusters, found.largest, found.line, found.run) == (4, 2, 1, (1, 2))
    assert found.threshold == 0.9


def test_golden_dendrogram() -> None:
    curve = cd.sweep(list(TREE.truth.values()), np.array(LINKAGE), ["elm_f", "adjusted_rand"])
    assert curve.thresholds.tolist() == TREE.scores
    assert curve.clusters.tolist() == TREE.lines["clusters"]
    for key in ("elm_f", "adjusted_rand"):
        assert curve[key].tolist() == pytest.approx(list(map(float, TREE.lines[key])), abs=1e-15)
    found = curve.best("elm_f")
    assert (found.low, found.high) == (2.0, 4.0)


@given(graphs())
@settings(max_examples=20)
def test_every_measure_on_every_line(graph: Graph) -> None:
    curve = swept(graph, [*ALWAYS, *SOMETIMES])
    wanted = lines(graph.truth, graph.pairs)
    same_lines(curve, wanted)
    for name in [*ALWAYS, *SOMETIMES]:
        near = [float(v) for v in values(wanted, ORACLES[name])]
        assert curve[name].tolist() == pytest.approx(near, abs=1e-12), name


@pytest.mark.parametrize("align", ["shared", "singletons"])
@given(graph=graphs(unknown=3))
@settings(max_examples=25)
def test_objects_that_truth_lacks(align: str, graph: Graph) -> None:
    names = ["elm_f", "bcubed_f", "pair_f", "adjusted_rand", "exact_f", "vi_distance", "purity_f"]
    curve = swept(graph, names, align=align)
    wanted = lines(graph.truth, graph.pairs, align=align)
    same_lines(curve, wanted)
    for name in names:
        near = [float(v) for v in values(wanted, ORACLES[name])]
        assert curve[name].tolist() == pytest.approx(near, abs=1e-12), name


@given(graphs(), st.integers(0, 99))
@settings(max_examples=20)
def test_the_order_of_rows_never_matters(graph: Graph, seed: int) -> None:
    names = [*ALWAYS, "accuracy"]
    one, other = swept(graph, names), swept(graph.shuffled(seed), names)
    assert one.thresholds.tolist() == other.thresholds.tolist()
    for name in names:
        assert one[name].tolist() == other[name].tolist(), name
        assert one.best(name) == other.best(name), name


@given(graphs())
@settings(max_examples=25)
def test_best_and_flat(graph: Graph) -> None:
    names = ["elm_f", "bcubed_f", "pair_f", "adjusted_rand", "mirkin_distance", "exact_f", "purity"]
    slack = 0.0503
    curve = swept(graph, names, slack=slack)
    made = lines(graph.truth, graph.pairs)
    for name in names:
        found = curve.best(name)
        exact = values(made, ORACLES[name])
        wanted = best(made, exact, slack, smallest=name in DISTANCES)
        assert found.value == pytest.approx(float(wanted.value), abs=1e-15)
        assert (found.line, found.low, found.high) == (wanted.line, wanted.low, wanted.high), name
        assert tuple(found.flat) == wanted.flat, name
        assert found.clusters == made[wanted.line].clusters
        assert found.largest == made[wanted.line].largest


@given(graphs(unknown=2))
@settings(max_examples=25)
def test_cuts_and_reports_at_a_threshold(graph: Graph) -> None:
    curve = swept(graph, ["elm_f", "adjusted_rand"], align="shared")
    everything = graph.truth.keys() | named(graph.pairs)
    for t in (1.0, 0.95, 0.9, 0.6, 0.5, 0.1, 0.0, -5.0, 2.0):
        wanted = linked(everything, graph.pairs, t)
        found = mapping(curve.cut(t))
        assert clusters(found) == clusters(wanted), t
        report = cd.compare(graph.truth, found, ["elm_f", "adjusted_rand"], align="shared")
        there = curve.at(t)
        assert {m: there[m].value for m in there} == {m: report[m].value for m in report}


@given(graphs())
@settings(max_examples=25)
def test_the_best_line_has_the_bits_of_compare(graph: Graph) -> None:
    names = ["elm_f", "bcubed_f", "vi_distance", "adjusted_rand", "nmi"]
    curve = swept(graph, names)
    for name in names:
        assert curve.best(name).value == cd.compare(graph.truth, curve.cut(name), name)[name].value


@given(graphs())
@settings(max_examples=25)
def test_distances_are_scores_turned_round(graph: Graph) -> None:
    names = ["elm_f", "vi_distance"]
    turned = Graph(graph.truth, [(a, b, -s) for a, b, s in graph.pairs])
    one, other = swept(graph, names), swept(turned, names, distance=True)
    assert (-one.thresholds).tolist() == other.thresholds.tolist()
    for name in names:
        assert one[name].tolist() == other[name].tolist()
        mine, theirs = one.best(name), other.best(name)
        assert (mine.value, mine.line) == (theirs.value, theirs.line)
        assert (-mine.high, -mine.low) == (theirs.low, theirs.high)
        assert (-mine.flat[1], -mine.flat[0]) == tuple(theirs.flat)
    made = lines(turned.truth, turned.pairs, distance=True)
    assert other.thresholds.tolist() == [line.score for line in made]


def test_chosen_lines_are_scored_as_compare_does() -> None:
    """A measure without a running sum is scored on some lines alone."""
    graph = drawn(7, 150, 220)
    curve = swept(graph, ["accuracy", "elm_f"], lines=10)
    scored = curve["accuracy"]
    known = np.flatnonzero(~np.isnan(scored))
    assert 2 < known.size <= 10 < len(curve)
    assert known[[0, -1]].tolist() == [0, len(curve) - 1]
    assert not np.isnan(curve["elm_f"]).any()
    assert f"accuracy is scored on {known.size} of {len(curve)} lines" in str(curve)
    assert curve.best("accuracy").value == pytest.approx(np.nanmax(scored))
    made = lines(graph.truth, graph.pairs)
    for i in known.tolist():
        assert scored[i] == cd.compare(made[i].truth, made[i].guess, "accuracy")["accuracy"].value


def test_two_objects_one_pair_and_nothing_linked() -> None:
    curve = cd.sweep({1: "a", 2: "a"}, ([1], [2], [0.5]), ["elm_f"])
    assert curve["elm_f"].tolist() == [0.0, 1.0]
    assert (curve.best("elm_f").low, curve.best("elm_f").high) == (-math.inf, 0.5)
    alone = cd.sweep({1: "a", 2: "a"}, ([1], [1], [0.5]), ["elm_f"])
    assert alone.thresholds.tolist() == [math.inf]
    assert mapping(alone.cut(0.1)).keys() == {1, 2}
