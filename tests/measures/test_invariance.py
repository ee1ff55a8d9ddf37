"""The same bits whatever the order of objects, the names of clusters and the way in."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from cases import noisy
from clusterdiff.clusterings.grouping import MANY
from clusterdiff.measures import Measure

CHEAP = [m for m in cd.measures() if m.name != "adjusted"]


@pytest.mark.parametrize("measure", CHEAP, ids=str)
def test_permutations_and_relabelings_give_the_same_bits(measure: Measure) -> None:
    rng = np.random.default_rng(0)
    truth, guess = noisy(300, 40, seed=1, share=0.4)
    score = measure(truth, guess)
    for _ in range(40):
        order = rng.permutation(300)
        names, others = rng.permutation(40), rng.permutation(40) * 7 - 100
        assert measure(names[truth[order]], others[guess[order]]) == score


def test_permutations_give_the_same_digest_and_bits_for_many_objects() -> None:
    rng = np.random.default_rng(0)
    size = MANY * 2
    truth, guess = noisy(size, size // 5, seed=2)
    first = cd.compare(truth, guess)
    for _ in range(3):
        order = rng.permutation(size)
        names = rng.permutation(size // 5)
        again = cd.compare(names[truth[order]], guess[order] * 2**35)
        assert again["elm_f"].meet.digest == first["elm_f"].meet.digest
        assert [again[m].value for m in again] == [first[m].value for m in first]


labels = st.lists(st.integers(0, 6), min_size=1, max_size=40)


@given(labels, st.randoms(use_true_random=False))
def test_every_way_in_gives_the_same_bits(truth: list[int], rng: random.Random) -> None:
    guess = [rng.choice([x, rng.randint(0, 6)]) for x in truth]
    wanted = [cd.compare(truth, guess)[m].value for m in cd.compare(truth, guess)]
    ids = [f"o{i}" for i in range(len(truth))]
    order = rng.sample(range(len(truth)), len(truth))
    ways = [
        (np.array(truth), np.array(guess)),
        (tuple(map(str, truth)), list(map(float, guess))),
        (dict(zip(ids, truth, strict=True)), {ids[i]: guess[i] for i in order}),
        (
            [{i for i, x in zip(ids, truth, strict=True) if x == c} for c in set(truth)],
            cd.Partition(guess, ids=ids),
        ),
        (cd.Partition([(x, "tuple") for x in truth]), list(map(str, guess))),
    ]
    for one, other in ways:
        report = cd.compare(one, other)
        assert [report[m].value for m in report] == wanted


@given(labels, labels)
def test_swapping_exchanges_precision_and_recall(first: list[int], second: list[int]) -> None:
    size = min(len(first), len(second))
    m = cd.meet(first[:size], second[:size])
    for name in ("bcubed", "elm", "pair", "exact", "muc", "lea", "ceaf_e"):
        precision, recall = cd.measure(f"{name}_precision"), cd.measure(f"{name}_recall")
        assert precision.of(m) == pytest.approx(recall.of(m.swap()), abs=1e-15)


def test_pair_counts_are_exact_for_ten_billion_objects() -> None:
    """10⁶ clusters of 10⁴ objects, in agreement but for one merged and one split cluster."""
    big, many = 10**4, 10**6
    m = cd.HardMeet.from_rows(
        [0, 1, 2, 3, 3],
        [0, 1, 1, 2, 3],
        [big, big, big, big // 2, big // 2],
        [many - 3, 1, 1, 1, 1],
    )
    n = big * many
    assert m.objects == n

    def pairs(k: int) -> int:
        return k * (k - 1) // 2

    truth = many * pairs(big)
    guess = (many - 3) * pairs(big) + pairs(2 * big) + 2 * pairs(big // 2)
    both = (many - 1) * pairs(big) + 2 * pairs(big // 2)
    expected = Fraction(truth * guess, pairs(n))
    ari = (both - expected) / (Fraction(truth + guess, 2) - expected)
    assert cd.adjusted_rand.of(m) == float(ari)
    assert cd.rand.of(m) == float(Fraction(pairs(n) - truth - guess + 2 * both, pairs(n)))
    assert cd.pair_precision.of(m) == float(Fraction(both, guess))
    assert cd.mirkin_distance.of(m) == float(2 * (truth + guess - 2 * both))
    for measure in CHEAP:
        if measure.claims.best == 1:
            assert 0.99 < measure.of(m) <= 1, measure


def test_one_cluster_of_ten_billion_objects() -> None:
    n = 10**10
    m = cd.HardMeet.from_rows([0, 0], [0, 1], [n - 1, 1])
    together = (n - 1) * (n - 2) // 2
    assert cd.pair_recall.of(m) == together / (n * (n - 1) // 2)
    assert cd.elm_recall.of(m) == pytest.approx(float(Fraction((n - 1) * (n - 2), (n - 1) * n)))
