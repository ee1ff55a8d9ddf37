"""Folds of true clusters, and lines chosen without the clusters that they score."""

from __future__ import annotations

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.sweep.lines import fold_of_clusters
from oracles import ORACLES
from oracles.many.releases import members
from oracles.many.thresholds import Line, lines
from refusals import refuses
from sweep.graphs import drawn, swept


def test_clusters_are_dealt_whole_and_evenly() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(-1, 200, 1000)
    fold = fold_of_clusters(truth, 5, seed=3)
    assert (fold[truth < 0] == -1).all()
    for cluster in np.unique(truth[truth >= 0]):
        assert np.unique(fold[truth == cluster]).size == 1
    clusters = [np.unique(truth[fold == k]).size for k in range(5)]
    objects = [int((fold == k).sum()) for k in range(5)]
    assert max(clusters) - min(clusters) <= 1
    assert max(objects) - min(objects) <= 20


def test_seeds_deal_anew_and_the_order_of_objects_does_not() -> None:
    rng = np.random.default_rng(0)
    truth, keys = rng.integers(0, 50, 300), rng.permutation(300)
    order = rng.permutation(300)
    fold = fold_of_clusters(truth, 5, keys=keys)
    assert not np.array_equal(fold, fold_of_clusters(truth, 5, seed=1, keys=keys))
    renamed = (truth * 31) % 53
    again = fold_of_clusters(renamed[order], 5, keys=keys[order])
    assert np.array_equal(fold[order], again)


@pytest.mark.parametrize("folds", [0, 1, 4, -2])
def test_folds_without_clusters_are_refused(folds: int) -> None:
    refuses(r"folds must be from 2 to .*, 3; got", fold_of_clusters, np.array([0, 0, 1, 2]), folds)


@pytest.mark.parametrize("measure", ["elm_f", "pair_f", "mirkin_distance", "accuracy"])
def test_lines_are_chosen_on_other_clusters_than_they_score(measure: str) -> None:
    """By the definitions, with components and scores of each line; accuracy on a few lines."""
    graph = drawn(8, 60, 70)
    score = cd.accuracy if measure == "accuracy" else ORACLES[measure]  # its oracle is too slow
    curve = swept(graph, [measure], folds=4, lines=8)
    fold = dict(zip(graph.truth, curve.fold.tolist(), strict=True))
    for label in set(graph.truth.values()):
        assert len({fold[x] for x in members(graph.truth, label)}) == 1
    made, tried = lines(graph.truth, graph.pairs), np.flatnonzero(~np.isnan(curve[measure]))
    assert (tried.size <= 8) == (measure == "accuracy")
    sign, best = -1 if measure == "mirkin_distance" else 1, curve.best(measure)
    held = best.held_out

    def part(line: Line, k: int, inside: bool) -> float:
        own = [x for x in line.truth if (fold[x] == k) == inside]
        return float(score({x: line.truth[x] for x in own}, {x: line.guess[x] for x in own}))

    for k in range(4):
        others = {line: sign * part(made[line], k, False) for line in tried.tolist()}
        chosen = next(line for line in others if others[line] > max(others.values()) - 1e-12)
        assert held.lines[k] == chosen
        assert held.each[k] == pytest.approx(part(made[chosen], k, True), abs=1e-12)
    whole = [part(made[best.line], k, True) for k in range(4)]
    assert held.value == pytest.approx(np.mean(held.each), abs=1e-12)
    assert held.in_sample == pytest.approx(np.mean(whole), abs=1e-12)
    assert held.optimism == held.in_sample - held.value
    run = curve.lines.describe(min(held.lines), max(held.lines))
    said = f"the best lines without one of the folds lie within {run}."
    said = said if len(set(held.lines)) > 1 else "the same line is best without any of the folds."
    assert f"{measure}: {said}" in curve.notes()
    assert best == swept(graph.shuffled(1), [measure], folds=4, lines=8).best(measure)


def test_levels_have_folds() -> None:
    truth = list("aabbcc")
    levels = {"coarse": list("aaaabb"), "middle": list("aabbbc"), "fine": list("abcdef")}
    curve = cd.sweep(truth, levels, "elm_f", folds=3)
    held = curve.best().held_out
    assert held is not None
    for k in range(3):
        choose, score = curve.fold != k, curve.fold == k
        scores = [cd.elm_f(np.array(truth)[choose], np.array(g)[choose]) for g in levels.values()]
        assert held.lines[k] == int(np.argmax(scores))
        guess = list(levels.values())[held.lines[k]]
        assert held.each[k] == cd.elm_f(np.array(truth)[score], np.array(guess)[score])


def test_choosing_on_the_labels_that_score_is_optimistic() -> None:
    """Scores that mean nothing: a line looks better on the labels that chose it."""
    rng, gained = np.random.default_rng(1), []
    for _ in range(30):
        truth, ends = rng.integers(0, 15, 60).tolist(), rng.integers(0, 60, (2, 80))
        curve = cd.sweep(truth, (*ends, rng.random(80)), "pair_f", folds=5)
        held = curve.best().held_out
        assert held is not None
        gained.append(held.optimism)
    assert np.mean(gained) > 0.0
