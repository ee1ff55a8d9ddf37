"""Sweeps that are wrong on purpose are caught."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure
from clusterdiff.measures.sums import LineSums, SizeMean, line_score
from clusterdiff.sweep import kernels
from clusterdiff.sweep.forest import Forest, ScoredPairs, forest_of
from clusterdiff.sweep.lines import LineScores, curve_of
from sweep.graphs import Graph, differences, graph, taken, variants

SWEPT = [m for m in variants() if line_score(m) is not None]
CASES = [graph(seed) for seed in range(30)]


def caught(cases: Sequence[Graph] = CASES, **wrong: Any) -> bool:
    return any(list(differences(g, SWEPT, **wrong)) for g in cases)


def scores_changed(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Graph], Forest]:
    return lambda g: g._replace(pairs=g.pairs._replace(score=change(g.pairs.score))).forest()


def ties_in_order_of_rows(score: np.ndarray) -> np.ndarray:
    return np.asarray(score + np.arange(score.size) * 1e-9)


def pairs_of_conductors_dropped(g: Graph) -> Forest:
    known = (g.truth[g.pairs.left] >= 0) & (g.truth[g.pairs.right] >= 0)
    pairs = taken(g.pairs, known)
    return forest_of([pairs], g.objects, distance=g.distance)


def the_weaker_of_two(g: Graph) -> Forest:
    """Of a pair that was given twice, the last score counts."""
    kept = {}
    order = np.argsort(g.pairs.score if g.distance else -g.pairs.score, kind="stable")
    for i in order.tolist():
        kept[frozenset((int(g.pairs.left[i]), int(g.pairs.right[i])))] = i
    rows = list(kept.values())
    pairs = taken(g.pairs, rows)
    return forest_of([pairs], g.objects, distance=g.distance)


@pytest.mark.parametrize(
    "wrong",
    [
        scores_changed(ties_in_order_of_rows),
        scores_changed(lambda score: -score),
        scores_changed(np.floor),
        pairs_of_conductors_dropped,
        the_weaker_of_two,
        lambda g: forest_of([g.pairs], g.objects, distance=not g.distance),
    ],
    ids=["ties", "order", "rounded", "conductors", "repeated", "distance"],
)
def test_wrong_forests_are_caught(wrong: Callable[[Graph], Forest]) -> None:
    assert caught(forest_by=wrong)


def conductors_counted(forest: Forest, truth: np.ndarray, asked: Sequence[Measure]) -> LineScores:
    return curve_of(forest, np.where(truth < 0, truth.max() + 1, truth), asked)


def conductors_alone(forest: Forest, truth: np.ndarray, asked: Sequence[Measure]) -> LineScores:
    own = truth.max() + 1 + np.arange(truth.size)
    return curve_of(forest, np.where(truth < 0, own, truth), asked)


@pytest.mark.parametrize("wrong", [conductors_counted, conductors_alone])
def test_conductors_that_count_are_caught(wrong: Callable[..., LineScores]) -> None:
    assert caught(score_by=wrong)


def with_sums(change: Callable[[LineSums], LineSums]) -> Callable[..., LineScores]:
    def wrong(forest: Forest, truth: np.ndarray, asked: Sequence[Measure]) -> LineScores:
        curve = curve_of(forest, truth, asked)
        return replace(curve, sums=change(curve.sums))

    return wrong


@pytest.mark.parametrize(
    "name", [field.name for field in fields(LineSums) if field.name != "size_means"]
)
def test_every_sum_is_looked_at(name: str) -> None:
    changed = with_sums(lambda sums: replace(sums, **{name: getattr(sums, name) + 1}))
    with np.errstate(invalid="ignore"):  # of impossible sums
        assert caught(score_by=changed)


def test_right_sums_are_not_caught() -> None:
    assert not caught(CASES[:5], score_by=with_sums(lambda sums: sums))


@pytest.mark.parametrize("kinds", [("bcubed", "element"), ("elm", "blanc"), ("bcubed", "elm")])
def test_every_mean_over_objects_is_looked_at(
    kinds: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = kinds
    mixed = {**kernels.KINDS, one: kernels.KINDS[other]}
    monkeypatch.setattr(kernels, "KINDS", mixed)
    assert caught()


def test_means_of_truth_and_guess_exchanged_are_caught() -> None:
    def exchanged(sums: LineSums) -> LineSums:
        turned = {SizeMean(m.kind, 1 - m.alpha): v for m, v in sums.size_means.items()}
        return replace(sums, size_means={**sums.size_means, **turned})

    assert caught(score_by=with_sums(exchanged))


def test_chunks_that_are_not_sorted_are_refused() -> None:
    for distance in (False, True):
        pairs = ScoredPairs(np.array([0, 1]), np.array([1, 2]), np.array([0.4, 0.5]))
        if distance:
            pairs = pairs._replace(score=-pairs.score)
        with pytest.raises(ClusterdiffError, match="not sorted by their score"):
            forest_of([pairs], 4, is_sorted=True, distance=distance)
