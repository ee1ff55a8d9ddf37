"""Weights of objects in a mean, and true clusters that count the same."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd

TRUTH, GUESS = list("aaabbc"), list("xxyyyz")
WORTH = [0.5, 1, 2, 0, 3, 0.25]
MEANS = (
    "bcubed_precision", "bcubed_recall", "elm_precision", "elm_recall", "elm_f",
    "bcubed_f(f='objects')", "element_similarity",
)  # fmt: skip


@pytest.mark.parametrize("text", MEANS)
def test_a_mean_is_that_of_the_objects_with_their_weights(text: str) -> None:
    measure = cd.measure(text)
    each = cd.objects(TRUTH, GUESS, measure).scores
    assert measure(TRUTH, GUESS, weights=WORTH) == pytest.approx(np.average(each, weights=WORTH))
    assert measure(TRUTH, GUESS, weights=[1] * 6) == pytest.approx(measure(TRUTH, GUESS))
    assert measure(TRUTH, GUESS, weights=[7 * w for w in WORTH]) == pytest.approx(
        measure(TRUTH, GUESS, weights=WORTH)
    )


def test_an_f_of_means_is_that_of_weighted_means() -> None:
    """Object by object: shares of the others like it, weighted, and then F."""
    precision, recall = (
        sum(
            Fraction(w) * Fraction(sum(t == TRUTH[o] and g == GUESS[o]
                                       for t, g in zip(TRUTH, GUESS, strict=True)),
                                   side.count(side[o]))
            for o, w in enumerate(WORTH)
        ) / Fraction(sum(WORTH))
        for side in (GUESS, TRUTH)
    )  # fmt: skip
    wanted = 2 * precision * recall / (precision + recall)
    assert cd.bcubed_f(TRUTH, GUESS, weights=WORTH) == pytest.approx(float(wanted))


def test_sizes_count_objects_where_weights_do_not() -> None:
    """Weights of whole numbers are no counts: sizes of clusters stay as they are."""
    weights = [3, 1, 2, 5, 1, 4]
    assert cd.elm_f(TRUTH, GUESS, weights=weights) != cd.elm_f(TRUTH, GUESS, count=weights)
    both = cd.elm_precision(TRUTH, GUESS, weights=WORTH, count=[2] * 6)
    twice = cd.elm_precision(TRUTH * 2, GUESS * 2, weights=WORTH * 2)
    assert both == pytest.approx(twice)


@pytest.mark.parametrize("name", ["rand", "adjusted_rand", "nmi", "accuracy", "muc_f", "conll"])
def test_other_measures_refuse_weights_and_name_counts(name: str) -> None:
    with pytest.raises(cd.ClusterdiffError, match="is not a mean over objects") as refused:
        cd.measure(name)(TRUTH, GUESS, weights=WORTH)
    assert "count=" in refused.value.hint


def test_what_gives_weights_and_what_the_report_says() -> None:
    import polars as pl

    left = pl.DataFrame({"id": range(6), "cluster": TRUTH, "worth": WORTH})
    right = pl.DataFrame({"id": range(6), "cluster": GUESS})
    wanted = cd.elm_f(TRUTH, GUESS, weights=WORTH)
    by_id = dict(enumerate(WORTH))
    assert cd.elm_f(left, right, weights="worth") == wanted
    assert cd.elm_f(dict(enumerate(TRUTH)), dict(enumerate(GUESS)), weights=by_id) == wanted
    report = cd.compare(left, right, weights="worth")
    assert "weights:worth " in report["elm_f"].sign()
    assert "adjusted_rand" not in report.measures
    other = cd.compare(left, right, "elm_f", weights=[1] * 6)["elm_f"]
    assert other.signature["weights"] != report["elm_f"].signature["weights"]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "truth has 6 objects, and there are 2 weights"),
        ([1, -1, 1, 1, 1, 1], r"1 of 6 weights is negative \(object 1\)"),
        ([1, None, math.nan, 1, 1, 1], r"2 of 6 weights are missing \(objects 1, 2\)"),
        ([1, math.inf, 1, 1, 1, 1], "1 of 6 weights is infinite"),
        (["a"] * 6, "'a' is not a weight"),
        ([0] * 6, "all weights are 0"),
    ],
)
def test_what_is_no_weight_is_refused(weights: Any, message: str) -> None:
    with pytest.raises(cd.ClusterdiffError, match=message):
        cd.elm_f(TRUTH, GUESS, weights=weights)


@pytest.mark.parametrize(
    "more", [{"samples": [1, 1, 1, 2, 2, 2]}, {"balanced": True}, {"confidence": 0.9}]
)
def test_what_is_not_taken_together_with_weights(more: Any) -> None:
    with pytest.raises(cd.ClusterdiffError, match="not taken together"):
        cd.compare(TRUTH, GUESS, "elm_f", weights=WORTH, **more)


# Balanced scores: every true cluster counts the same (Maan et al. 2024).


def repeated(labels: list[str], truth: list[str]) -> list[str]:
    """Each object L / |T| times, L the least common multiple of the sizes."""
    common = math.lcm(*map(truth.count, truth))
    return [x for x, t in zip(labels, truth, strict=True) for _ in range(common // truth.count(t))]


@pytest.mark.parametrize("seed", range(4))
def test_balanced_scores_are_those_of_repeated_objects(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = [*rng.choice(list("aaabbc"), 20).tolist(), "c"]
    guess = rng.choice(list("xyz"), 21).tolist()
    found = cd.compare(truth, guess, balanced=True)
    wanted = cd.compare(repeated(truth, truth), repeated(guess, truth))
    for name in wanted.measures:
        assert found[name].value == wanted[name].value
    assert found["rand"].signature["count"] == "balanced" if "rand" in found.measures else True
    assert cd.nmi(truth, guess, balanced=True) == cd.nmi(
        repeated(truth, truth), repeated(guess, truth)
    )


def test_a_small_class_counts_as_much_as_a_large_one() -> None:
    """Losing one rare class of ten costs little unbalanced, and half of all pairs balanced."""
    truth, guess = ["big"] * 90 + ["rare"] * 10, ["x"] * 100
    assert cd.accuracy(truth, guess) == 0.9
    assert cd.accuracy(truth, guess, balanced=True) == 0.5


def test_balanced_refuses_what_has_no_equal_clusters() -> None:
    sizes = [2**i - 1 for i in (5, 7, 11, 13, 17)]
    truth = np.repeat(np.arange(5), sizes)
    with pytest.raises(cd.ClusterdiffError, match="least common multiple"):
        cd.rand(truth, truth, balanced=True)
    for more in ({"samples": [1, 1, 1, 2, 2, 2]}, {"confidence": 0.9}):
        with pytest.raises(cd.ClusterdiffError, match="balanced scores"):
            cd.compare(TRUTH, GUESS, "rand", balanced=True, **more)
    truths, guesses = {1: "a", 2: "a"}, {2: "x", 3: "x"}
    with pytest.raises(cd.ClusterdiffError, match="some objects are in none"):
        cd.bcubed_f(truths, guesses, balanced=True, align="penalise")
