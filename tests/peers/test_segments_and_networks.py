"""genieclust, clustering-mi, scikit-image and panoptica agree; other conventions are named.

panoptica asks for an older NumPy than the other packages of the dev group: it is tried where it is
installed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd

IMAGE = "11122111220332233302", "11112111220332244300"
"""An image of four rows of five pixels: truth and guess, 0 is background."""
LABELS = list("000000111122"), list("000011111222")


def drawn(seed: int, same: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random labels that agree in part; with as many clusters on both sides if `same`."""
    rng = random.Random(seed)
    while seed >= 0:
        n, k = rng.randint(2, 80), rng.randint(2, 9)
        truth = [rng.randrange(k) for _ in range(n)]
        guess = [t if rng.random() < 0.6 else rng.randrange(k + 2) for t in truth]
        sides = [np.unique(side, return_inverse=True)[1] for side in (truth, guess)]
        if not same or sides[0].max() == sides[1].max() > 0:
            yield sides[0], sides[1]


def some(many: int, seed: int, same: bool = False) -> list[tuple[np.ndarray, np.ndarray]]:
    return [pair for _, pair in zip(range(many), drawn(seed, same), strict=False)]


def shown(side: str) -> dict[int, str]:
    """The pixels of an image that are in a segment."""
    return {i: label for i, label in enumerate(side) if label != "0"}


def test_golden_numbers() -> None:
    sides = [shown(side) for side in IMAGE]
    score = {
        name: cd.measure(name)(*sides, align="penalise")
        for name in ("panoptic_quality", "panoptic_quality_sq", "panoptic_quality_rq")
    }
    assert score == {
        "panoptic_quality": pytest.approx(0.6204081632653061, abs=1e-15),
        "panoptic_quality_sq": pytest.approx(0.7238095238095238, abs=1e-15),
        "panoptic_quality_rq": pytest.approx(0.8571428571428571, abs=1e-15),
    }
    whole = [list(side) for side in IMAGE]
    bits = [m(*whole) / math.log(2) for m in (cd.vi_split, cd.vi_merge)]
    assert bits == pytest.approx([0.644829847611988, 0.34482984761198804], abs=1e-12)
    known = [[s[i] for i, t in enumerate(IMAGE[0]) if t != "0"] for s in IMAGE]
    bits = [m(*known) / math.log(2) for m in (cd.vi_split, cd.vi_merge)]
    assert bits == pytest.approx([0.7164776084577645, 0.23009496944868285], abs=1e-12)
    assert cd.adjusted_rand(*LABELS) == pytest.approx(0.32941176470588235, abs=1e-15)
    assert cd.pair_sets_index(*LABELS) == pytest.approx(0.488, abs=1e-15)
    assert cd.normalized_clustering_accuracy(*LABELS) == pytest.approx(17 / 24, abs=1e-15)
    assert cd.pair_correlation(*LABELS) == pytest.approx(0.3312739669962107, abs=1e-15)


def test_genieclust_agrees() -> None:
    peer = pytest.importorskip("genieclust").compare_partitions
    for truth, guess in some(150, 1, same=True):
        ours = cd.normalized_clustering_accuracy(truth, guess)
        assert ours == pytest.approx(peer.normalized_clustering_accuracy(truth, guess), abs=1e-9)
    for truth, guess in some(150, 2):
        if truth.max() == guess.max() == 0:
            continue
        ours = cd.pair_sets_index(truth, guess)
        assert ours == pytest.approx(peer.pair_sets_index(truth, guess), abs=1e-9)


def test_genieclust_has_no_accuracy_for_other_numbers_of_clusters_and_no_single_ones() -> None:
    peer = pytest.importorskip("genieclust").compare_partitions
    truth, guess = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 2, 2])
    with pytest.raises(RuntimeError):
        peer.normalized_clustering_accuracy(truth, guess)
    assert cd.normalized_clustering_accuracy(truth, guess) == pytest.approx(2 / 3)
    one = np.zeros(4, int)
    assert math.isnan(peer.pair_sets_index(one, one))
    assert math.isnan(peer.normalized_clustering_accuracy(one, one))
    assert cd.pair_sets_index(one, one) == cd.normalized_clustering_accuracy(one, one) == 1


def test_clustering_mi_agrees() -> None:
    """In bits of all objects, where ours are nats per object."""
    peer = pytest.importorskip("clustering_mi")
    for truth, guess in some(40, 3):
        bits = peer.mutual_information(guess, truth) * math.log(2) / truth.size
        assert cd.reduced_mutual_information(truth, guess) == pytest.approx(bits, abs=1e-8)
        ours = cd.reduced_mutual_information(truth, guess, norm="truth")
        if truth.max() > 0:
            wanted = peer.normalized_mutual_information(guess, truth)
            assert ours == pytest.approx(wanted, abs=1e-6)
        plain: Any = peer.normalized_mutual_information(guess, truth, variation="stirling")
        if truth.max() > 0:
            assert cd.asymmetric_nmi(truth, guess) == pytest.approx(plain, abs=1e-9)


def test_scikit_image_agrees() -> None:
    """It has H(second | first) first, in bits."""
    metrics = pytest.importorskip("skimage.metrics")
    for truth, guess in some(60, 4):
        bits = metrics.variation_of_information(truth, guess, ignore_labels=())
        ours = [cd.vi_split(truth, guess), cd.vi_merge(truth, guess)]
        assert ours == pytest.approx((bits * math.log(2)).tolist(), abs=1e-9)


def test_panoptica_agrees() -> None:
    """It has NaN where nothing matches, and 0 is no segment."""
    panoptica = pytest.importorskip("panoptica")
    pairs = panoptica.UnmatchedInstancePair
    evaluator = panoptica.Panoptica_Evaluator(
        expected_input=panoptica.InputType.UNMATCHED_INSTANCE,
        instance_matcher=panoptica.NaiveThresholdMatching(matching_threshold=0.5000001),
    )
    del pairs
    for truth, guess in some(20, 5):
        shape = (1, truth.size)
        result = evaluator.evaluate(guess.reshape(shape), truth.reshape(shape))["ungrouped"]
        sides = [dict(zip(*np.nonzero(s), s[s > 0], strict=True)) for s in (truth, guess)]
        assert cd.panoptic_quality_rq(*sides, align="penalise") == pytest.approx(result.rq)
        if result.tp:
            assert cd.panoptic_quality_sq(*sides, align="penalise") == pytest.approx(result.sq)
            assert cd.panoptic_quality(*sides, align="penalise") == pytest.approx(result.pq)


def test_correlation_is_that_of_the_pair_confusion_matrix() -> None:
    from sklearn.metrics import matthews_corrcoef

    for truth, guess in some(40, 6):
        one, other = ((s[:, None] == s)[np.triu_indices(s.size, 1)] for s in (truth, guess))
        if len(set(one)) == len(set(other)) == 2:
            wanted = matthews_corrcoef(one, other)
            assert cd.pair_correlation(truth, guess) == pytest.approx(wanted, abs=1e-9)


def test_boundaries_are_those_of_the_flags() -> None:
    """Precision, recall and F of the class of pages that begin a document, the first one too."""
    from sklearn.metrics import f1_score, precision_score, recall_score

    rng = random.Random(7)
    for _ in range(60):
        n = rng.randint(1, 40)
        flags = [[1, *(int(rng.random() < 0.4) for _ in range(n - 1))] for _ in range(2)]
        sides = [cd.Partition.from_begins(one) for one in flags]
        assert cd.boundary_precision(*sides) == pytest.approx(precision_score(*flags), abs=1e-12)
        assert cd.boundary_recall(*sides) == pytest.approx(recall_score(*flags), abs=1e-12)
        assert cd.boundary_f(*sides) == pytest.approx(f1_score(*flags), abs=1e-12)


def test_permuted_fuzzy_clusterings_have_no_agreement_on_average() -> None:
    from itertools import permutations

    rng = np.random.default_rng(8)
    truth, guess = (rng.dirichlet([0.6] * 3, 5) for _ in range(2))
    scores = [
        cd.adjusted_fuzzy_rand(cd.Fuzzy(truth), cd.Fuzzy(guess[list(order)]))
        for order in permutations(range(5))
    ]
    assert math.fsum(scores) / len(scores) == pytest.approx(0, abs=1e-12)
    assert cd.adjusted_fuzzy_rand(cd.Fuzzy(truth), cd.Fuzzy(truth)) == pytest.approx(1, abs=1e-12)
    assert min(scores) < 0 < max(scores) < 1
