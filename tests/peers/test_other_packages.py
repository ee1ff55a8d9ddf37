"""Other packages agree to 1e-12 where they have the measure and nothing is divided by nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import bcubed
import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import cluster

import clusterdiff as cd
from cases import disturbed, noisy, random_cover
from clusterdiff.contingency import Sizes
from clusterdiff.measures import Measure

nmi = metrics.normalized_mutual_info_score
ami = metrics.adjusted_mutual_info_score
PEERS: list[tuple[Measure, Callable[..., float]]] = [
    (cd.rand, metrics.rand_score),
    (cd.adjusted_rand, metrics.adjusted_rand_score),
    (cd.fowlkes_mallows, metrics.fowlkes_mallows_score),
    (cd.mutual_information, metrics.mutual_info_score),
    (cd.homogeneity, metrics.homogeneity_score),
    (cd.completeness, metrics.completeness_score),
    (cd.v_measure, metrics.v_measure_score),
    *(
        (cd.nmi(norm=n), partial(nmi, average_method=n))
        for n in ("max", "min", "arithmetic", "geometric")
    ),
]
DATA = {
    "noisy": noisy(100_000, 300, seed=1),
    "random": noisy(100_000, 50, seed=2, share=1.0),
    "many": noisy(100_000, 20_000, seed=3),
    "few against many": (noisy(100_000, 3, seed=4)[0], noisy(100_000, 400, seed=5)[0]),
}


@pytest.mark.parametrize("data", list(DATA))
@pytest.mark.parametrize(("ours", "theirs"), PEERS, ids=[str(m) for m, _ in PEERS])
def test_scikit_learn_agrees(ours: Measure, theirs: Callable[..., float], data: str) -> None:
    truth, guess = DATA[data]
    assert ours(truth, guess) == pytest.approx(theirs(truth, guess), abs=1e-12)


@pytest.mark.parametrize("data", ["random", "few against many"])
@pytest.mark.parametrize("norm", ["max", "min", "arithmetic", "geometric"])
def test_scikit_learn_agrees_on_adjusted_mutual_information(norm: Any, data: str) -> None:
    truth, guess = DATA[data]
    ours = cd.adjusted_mutual_information(truth, guess, norm=norm)
    assert ours == pytest.approx(ami(truth, guess, average_method=norm), abs=1e-12)


def test_adjusted_mutual_information_is_exact_for_many_clusters() -> None:
    """Here scikit-learn needs two minutes, and its log-gammas lose eight digits."""
    truth, guess = DATA["many"]
    m = cd.meet(truth, guess)
    chance = exact_expectation(m.truth_sizes, m.guess_sizes, 100_000)
    score = cd.mutual_information(truth, guess)
    entropy = sum(cd.mutual_information(x, x) for x in (truth, guess)) / 2
    ours = cd.adjusted_mutual_information(truth, guess)
    assert ours == pytest.approx((score - chance) / (entropy - chance), abs=1e-12)


def exact_expectation(truth: Sizes, guess: Sizes, n: int) -> float:
    """E[I] with each hypergeometric probability as a quotient of whole numbers."""
    terms = []
    for a, many in zip(*(x.tolist() for x in truth), strict=True):
        for b, others in zip(*(x.tolist() for x in guess), strict=True):
            for k in range(1, min(a, b) + 1):
                chance = Fraction(math.comb(a, k) * math.comb(n - a, b - k), math.comb(n, b))
                terms.append(float(chance * many * others * k / n) * math.log(n * k / (a * b)))
    return math.fsum(terms)


def test_pair_counts_are_those_of_the_pair_confusion_matrix() -> None:
    truth, guess = DATA["noisy"]
    (_, only_guess), (only_truth, both) = cluster.pair_confusion_matrix(truth, guess)
    assert cd.pair_precision(truth, guess) == both / (both + only_guess)
    assert cd.pair_recall(truth, guess) == both / (both + only_truth)
    assert cd.mirkin_distance(truth, guess) == only_guess + only_truth


def test_accuracy_is_that_of_a_dense_assignment() -> None:
    from scipy.optimize import linear_sum_assignment

    truth, guess = noisy(5000, 150, seed=6, share=0.5)
    table = cluster.contingency_matrix(truth, guess)
    rows, columns = linear_sum_assignment(table, maximize=True)
    assert cd.accuracy(truth, guess) == table[rows, columns].sum() / 5000


def test_expected_mutual_information_does_not_drift_for_many_objects() -> None:
    """For independent labels of 4 · 10⁶ objects, E[I] is (k-1)(l-1)/2n to first order."""
    from clusterdiff.measures.chance import expected_mutual_information

    sizes = cd.HardMeet.from_rows(range(4), range(4), [10**6] * 4).truth_sizes
    found = expected_mutual_information(sizes, sizes)
    assert found == pytest.approx(9 / (2 * 4e6), rel=1e-5)
    assert np.isfinite(found)


@pytest.mark.parametrize("cells", [1, 64, 5000])
def test_expected_mutual_information_is_the_same_in_parts(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterdiff.measures import chance

    truth, guess = noisy(2000, 60, seed=3, share=0.5)
    monkeypatch.setattr(chance, "CELLS", cells)
    expected = ami(truth, guess)
    assert cd.adjusted_mutual_information(truth, guess) == pytest.approx(expected, abs=1e-12)


FIGURES = {
    16: "AB AB A B B C C",
    17: "AXB AXB AX B B C C",
    18: "AXYB AXYB AXY B B C C",
    19: "A A A B B C C",
    20: "AB AB A D D C C",
    21: "A A A A A B B",
}
"""The guesses of Amigó et al. 2009, figures 16 to 21; a letter is a cluster, a word an object."""


def extended_bcubed_agrees(
    truth: dict[int, frozenset[int]], guess: dict[int, frozenset[int]]
) -> None:
    """Precision, recall and F (with any weight) are those of the package bcubed."""
    precision, recall = bcubed.precision(guess, truth), bcubed.recall(guess, truth)
    left, right = cd.Cover(truth), cd.Cover(guess)
    assert cd.extended_bcubed_precision(left, right) == pytest.approx(precision, abs=1e-12)
    assert cd.extended_bcubed_recall(left, right) == pytest.approx(recall, abs=1e-12)
    for beta in (1.0, 2.0, 0.5):
        f = bcubed.fscore(precision, recall, beta=beta)
        ours = cd.extended_bcubed_f(left, right, alpha=1 / (1 + beta**2))
        assert ours == pytest.approx(f, abs=1e-12)


@pytest.mark.parametrize("figure", list(FIGURES))
def test_bcubed_agrees_on_the_figures_it_documents(figure: int) -> None:
    truth, guess = (
        {i: frozenset(map(ord, own)) for i, own in enumerate(line.split())}
        for line in ("gb gb g b b d d", FIGURES[figure])
    )
    extended_bcubed_agrees(truth, guess)


def test_bcubed_agrees_at_random() -> None:
    """Every object in a cluster: where one is not, the package divides by nothing."""
    rng = random.Random(9)
    for n in (2, 5, 12, 40, 150):
        for _ in range(12):
            truth = {i: own or {0} for i, own in random_cover(rng, n, n // 3 + 1, n).items()}
            guess = {i: own or {0} for i, own in disturbed(rng, truth).items()}  # type: ignore[arg-type]
            extended_bcubed_agrees(truth, guess)  # type: ignore[arg-type]


def test_bcubed_leaves_out_what_guess_lacks_and_we_do_not() -> None:
    truth, guess = {0: {1}, 1: {1}, 2: {1}}, {0: {1}, 1: {1}}
    assert bcubed.recall(guess, truth) == 1
    ours = cd.extended_bcubed_recall(cd.Cover(truth), cd.Cover(guess), align="penalise")
    assert ours == pytest.approx(4 / 9)
