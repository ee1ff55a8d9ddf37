"""scikit-learn agrees to 1e-12 where it has the measure and nothing is divided by nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import cluster

import clusterdiff as cd
from cases import noisy
from clusterdiff.measures import Measure
from clusterdiff.meet import Sizes

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
def test_scikit_learn_agrees_on_adjusted_mutual_information(norm: str, data: str) -> None:
    truth, guess = DATA[data]
    ours = cd.adjusted_mutual_information(truth, guess, norm=norm)
    assert ours == pytest.approx(ami(truth, guess, average_method=norm), abs=1e-12)


def test_adjusted_mutual_information_is_exact_for_many_clusters() -> None:
    """Here scikit-learn needs two minutes, and its log-gammas lose eight digits."""
    truth, guess = DATA["many"]
    m = cd.meet(truth, guess)
    chance = exact_expectation(m.truth_sizes, m.guess_sizes, 100_000)
    score = cd.mutual_information(truth, guess)
    entropy = max(cd.mutual_information(x, x) for x in (truth, guess))
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
