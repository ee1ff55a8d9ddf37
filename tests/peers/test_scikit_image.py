"""scikit-image itself beside compat="skimage": random images, golden numbers, a real photograph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd

metrics = pytest.importorskip("skimage.metrics")

TRUTH = np.array([list(map(int, row)) for row in ["11122", "11122", "03322", "33302"]])
GUESS = np.array([list(map(int, row)) for row in ["11112", "11122", "03322", "44300"]])
PARTS = ("vi_split", "vi_merge")


def vi(truth: Any, guess: Any, ignore: Any) -> list[float]:
    return [cd.measure(name)(truth, guess, compat="skimage", ignore=ignore) for name in PARTS]


def test_golden_numbers() -> None:
    assert cd.adapted_rand_error(TRUTH, GUESS, ignore=0) == pytest.approx(0.28395061728395066)
    assert cd.adapted_rand_error(TRUTH, GUESS) == pytest.approx(0.2941176470588235)
    assert cd.pair_recall(TRUTH, GUESS, ignore=0) == 0.6304347826086957
    assert cd.pair_precision(TRUTH, GUESS, ignore=0) == 0.8285714285714286
    assert vi(TRUTH, GUESS, ()) == pytest.approx([0.644829847611988, 0.34482984761198804])
    assert vi(TRUTH, GUESS, 0) == pytest.approx([0.7164776084577645, 0.23009496944868285])
    how: dict[str, Any] = {"ignore": 0, "ignore_in": "both", "align": "penalise"}
    assert cd.panoptic_quality(TRUTH, GUESS, **how) == pytest.approx(0.6204081632653061)
    assert cd.panoptic_quality_sq(TRUTH, GUESS, **how) == pytest.approx(0.7238095238095238)
    assert cd.panoptic_quality_rq(TRUTH, GUESS, **how) == pytest.approx(0.8571428571428571)


@pytest.mark.parametrize("seed", range(20))
def test_random_images(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = tuple(draw.integers(2, 9, draw.integers(2, 5)))
    truth, guess = (draw.integers(0, draw.integers(2, 12), shape) for _ in range(2))
    truth.flat[0], guess.flat[0] = 0, 3
    truth.flat[1:4], guess.flat[1:3] = 5, 4
    for ignore in ((), (0,), (0, 1)):
        expected = metrics.adapted_rand_error(truth, guess, ignore_labels=ignore)
        with np.errstate(all="ignore"):
            told = metrics.variation_of_information(truth, guess, ignore_labels=ignore)
        sides = cd.LabelImage(truth), cd.LabelImage(guess)
        kept = [label for label in ignore if (truth == label).any()]
        report = cd.compare(*sides, compat="skimage", ignore=kept)
        found = [report[name].value for name in report.measures]
        assert found == pytest.approx([*expected, *told], abs=1e-9)


def test_defaults_are_those_of_each_function() -> None:
    error = cd.compare(TRUTH, GUESS, "adapted_rand_error", compat="skimage")
    assert error["adapted_rand_error"].value == pytest.approx(
        metrics.adapted_rand_error(TRUTH, GUESS)[0]
    )
    assert cd.adapted_rand_error(TRUTH, GUESS, compat="skimage") == pytest.approx(
        metrics.adapted_rand_error(TRUTH, GUESS)[0]
    )
    assert vi(TRUTH, GUESS, None) == pytest.approx(metrics.variation_of_information(TRUTH, GUESS))
    assert "0 of truth" in error["adapted_rand_error"].signature["read"]
    told = cd.explain(TRUTH, GUESS, compat="skimage")
    assert told.score.value == error["adapted_rand_error"].value
    with pytest.raises(cd.ClusterdiffError, match="both are asked for"):
        cd.compare(TRUTH, GUESS, compat="skimage")
    with pytest.raises(cd.ClusterdiffError, match="these are none"):
        cd.compare([0, 1, 1], [0, 1, 2], "adapted_rand_error", compat="skimage")


def test_alpha_is_one_less_ours() -> None:
    theirs = metrics.adapted_rand_error(TRUTH, GUESS, alpha=0.3)[0]
    assert cd.adapted_rand_error(TRUTH, GUESS, ignore=0, alpha=0.7) == pytest.approx(theirs)


@pytest.fixture(scope="module")
def coins() -> tuple[Any, Any, Any]:
    """Coins in a photograph, found by a threshold with a watershed, and by the threshold alone."""
    from scipy import ndimage

    data, filters, measure, segmentation = (
        pytest.importorskip(f"skimage.{name}")
        for name in ("data", "filters", "measure", "segmentation")
    )
    image = data.coins()
    mask = ndimage.binary_opening(image > filters.threshold_otsu(image), iterations=2)
    distance = ndimage.distance_transform_edt(mask)
    markers = measure.label(distance > 0.5 * distance.max())
    return segmentation.watershed(-distance, markers, mask=mask), measure.label(mask), image


def test_a_real_segmentation(coins: tuple[Any, Any, Any]) -> None:
    truth, guess, _ = coins
    error, precision, recall = metrics.adapted_rand_error(truth, guess)
    report = cd.compare(truth, guess, compat="skimage", ignore=0)
    found = [report[name].value for name in ("adapted_rand_error", "pair_recall", "pair_precision")]
    assert found == pytest.approx([error, precision, recall], abs=1e-9)
    told: Any = cd.explain(truth, guess, ignore=0)
    assert told.summary.objects == int((truth > 0).sum())
    table = cd.contingency(truth, guess, ignore=0, top=None)
    assert table.to_numpy().sum() == told.summary.objects
    flat = cd.explain(truth[truth > 0], guess[truth > 0])
    assert told.score.value == flat.score.value


def test_an_overlay_shows_where_segments_differ(coins: tuple[Any, Any, Any]) -> None:
    pytest.importorskip("plotly")
    truth, guess, _ = coins
    figure = cd.plot.overlay(truth, guess, ignore=0)
    fate = np.array(figure.data[0].z)
    assert fate.shape == truth.shape
    assert ((fate == 6) == (truth == 0)).all()
    small: Any = cd.plot.overlay(TRUTH, GUESS, ignore=0)
    assert np.array(small.data[0].z).tolist() == [
        [0, 0, 0, 3, 0], [0, 0, 0, 0, 0], [6, 0, 0, 0, 0], [1, 1, 0, 6, 1],
    ]  # fmt: skip
    names = [trace.name for trace in small.data[1:]]
    assert names == ["home, 70.0 %", "split off, 15.0 %", "moved, 5.0 %", "background, 10.0 %"]
    stack = cd.LabelImage([GUESS, TRUTH], stack=True), np.stack([GUESS, GUESS])
    assert (np.array(cd.plot.overlay(*stack, at=0).data[0].z) == 0).all()
    assert (np.array(cd.plot.overlay(*stack).data[0].z) > 0).any()
    with pytest.raises(cd.ClusterdiffError, match="no slice 5"):
        cd.plot.overlay(*stack, at=5)
    with pytest.raises(cd.ClusterdiffError, match="two or three dimensions"):
        cd.plot.overlay([1, 1, 2], [1, 2, 2])
