"""Folds: true clusters choose a line, others score it."""

from __future__ import annotations

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from clusterdiff.sweep.curve import fold_of_clusters, held_out_scores, score_lines, spread_lines
from sweep.graphs import graph, lines_of


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
    with pytest.raises(ClusterdiffError, match=r"folds must be from 2 to .*, 3; got"):
        fold_of_clusters(np.array([0, 0, 1, 2]), folds)


def test_lines_are_chosen_and_scored_on_different_clusters() -> None:
    asked = [cd.measure(name) for name in ("elm_f", "vi_distance", "accuracy")]
    for seed in (2, 8, 14):
        g = graph(seed, 80)
        forest = g.forest()
        fold = fold_of_clusters(g.truth, 3)
        found = held_out_scores(forest, g.truth, asked, fold, lines=5)
        cuts = [cluster for _, cluster in lines_of(g)]
        for measure in asked:
            few = spread_lines(forest, 5).tolist()
            tried = few if measure.name == "accuracy" else range(forest.lines)
            sign = -1 if measure.is_distance else 1
            for k in range(3):
                choose, score = fold != k, fold == k
                values = {i: measure(g.truth[choose], cuts[i][choose]) for i in tried}
                most = max(sign * value for value in values.values())
                line = next(i for i, value in values.items() if sign * value > most - 1e-12)
                mine = found[str(measure)]
                assert mine.lines[k] == line
                assert mine.chosen[k] == pytest.approx(values[line], abs=1e-12)
                held = measure(g.truth[score], cuts[line][score])
                assert mine.held_out[k] == pytest.approx(held, abs=1e-12)
                whole = {i: measure(g.truth, cuts[i]) for i in tried}
                most = max(sign * value for value in whole.values())
                best = next(i for i, value in whole.items() if sign * value > most - 1e-12)
                held = measure(g.truth[score], cuts[best][score])
                assert mine.with_all[k] == pytest.approx(held, abs=1e-12)
            assert found[str(measure)].mean == pytest.approx(np.mean(found[str(measure)].held_out))


def test_choosing_on_the_labels_that_score_is_optimistic() -> None:
    """Scores that say nothing: a line looks better on the labels that chose it."""
    rng = np.random.default_rng(1)
    asked, gained = [cd.measure("pair_f")], []
    for _ in range(30):
        g = graph(0, 60)
        truth = rng.integers(0, 15, 60)
        pairs = g.pairs._replace(
            left=rng.integers(0, 60, 80), right=rng.integers(0, 60, 80), score=rng.random(80)
        )
        g = g._replace(truth=truth, pairs=pairs)
        scores = held_out_scores(g.forest(), truth, asked, fold_of_clusters(truth, 5))["pair_f"]
        gained.append(scores.optimism)
    assert np.mean(gained) > 0.0


def test_too_few_lines_are_refused() -> None:
    g = graph(3)
    with pytest.raises(ClusterdiffError, match="lines must be 2 or more, got 1"):
        spread_lines(g.forest(), 1)
    assert score_lines(g.forest(), g.truth, [], [0]) == {}
