"""What "BCubed Revisited: Elements Like Me" (van Heusden, Kamps and Marx 2022) says of ELM.

Statements that are false as printed are here too: with the counterexample, and with what holds
in their place. P, R and F of an object are called its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import clusterdiff as cd
from cases import pairs_up_to_renaming
from claims.cases import (
    CLOSE,
    Case,
    Labels,
    Pair,
    Table,
    bottom,
    cluster,
    completeness_cases,
    homogeneity_cases,
    meet,
    numbered,
    of_sizes,
    pair,
    rag_bag_cases,
    sizes,
    top,
)

KINDS = ("precision", "recall", "f")
F1: dict[str, cd.Measure] = {
    "ELM, mean of own F1": cd.elm_f,
    "ELM, F1 of means": cd.elm_f(f="means"),
    "BCubed, mean of own F1": cd.bcubed_f,
    "BCubed, F1 of means": cd.bcubed_f(f="means"),
}
every_f1 = pytest.mark.parametrize("measure", F1.values(), ids=F1)
every_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def own(measure: str, both: Pair) -> NDArray[np.float64]:
    return cd.objects(measure, both.truth, both.guess).scores


def small_pairs() -> Iterator[Pair]:
    """All pairs of partitions of up to five objects, whatever the objects are called."""
    for n in range(1, 6):
        yield from (Pair(*both) for both in pairs_up_to_renaming(n))


def labels_of(*clusters: Iterable[int]) -> Labels:
    """The partition with these clusters of the objects 1, 2, …"""
    label = {x: number for number, objects in enumerate(clusters) for x in objects}
    return numbered(tuple(label[x] for x in sorted(label)))


# ELM is conservative


@every_kind
def test_no_object_scores_more_by_elm_than_by_bcubed(kind: str) -> None:
    """Section 3.1: ELM is always less than or equal to BCubed."""
    for both in small_pairs():
        assert (own(f"elm_{kind}", both) <= own(f"bcubed_{kind}", both) + CLOSE).all(), both


@pytest.mark.parametrize(
    ("elm", "bcubed"),
    [
        (cd.elm_precision, cd.bcubed_precision),
        (cd.elm_recall, cd.bcubed_recall),
        (cd.elm_f, cd.bcubed_f),
        (cd.elm_f(f="means"), cd.bcubed_f(f="means")),
    ],
    ids=str,
)
def test_no_clustering_scores_more_by_elm_than_by_bcubed(
    elm: cd.Measure, bcubed: cd.Measure
) -> None:
    """Section 3.1, for the means over objects."""
    for both in small_pairs():
        assert elm.of(meet(*both)) <= bcubed.of(meet(*both)) + CLOSE, both


@every_kind
def test_an_object_scores_strictly_less_by_elm_unless_both_are_1(kind: str) -> None:
    """Section 3.1, the claim."""
    for both in small_pairs():
        elm, bcubed = own(f"elm_{kind}", both), own(f"bcubed_{kind}", both)
        both_are_1 = (elm > 1 - CLOSE) & (bcubed > 1 - CLOSE)
        assert ((elm < bcubed - CLOSE) | both_are_1).all(), both


@pytest.mark.parametrize(
    ("kind", "is_perfect"),
    [
        ("precision", frozenset.issubset),
        ("recall", frozenset.issuperset),
        ("f", frozenset.__eq__),
    ],
    ids=KINDS,
)
def test_both_are_1_just_where_no_error_of_the_kind_is_made(
    kind: str, is_perfect: Callable[[frozenset[int], frozenset[int]], bool]
) -> None:
    """Section 3.1, the claim with the exceptions that are right: inclusion of the clusters."""
    for both in small_pairs():
        elm, bcubed = own(f"elm_{kind}", both), own(f"bcubed_{kind}", both)
        for x in range(len(both.truth)):
            perfect = is_perfect(cluster(both.guess, x), cluster(both.truth, x))
            both_are_1 = elm[x] > 1 - CLOSE and bcubed[x] > 1 - CLOSE
            assert both_are_1 == perfect, (both, x)


@pytest.mark.parametrize(
    ("kind", "both"),
    [
        ("precision", Pair(labels_of([1, 2, 3]), labels_of([1, 2], [3]))),
        ("recall", Pair(labels_of([1, 2], [3]), labels_of([1, 2, 3]))),
    ],
    ids=["precision", "recall"],
)
def test_both_can_be_1_though_the_clusters_differ_and_nothing_is_divided_by_0(
    kind: str, both: Pair
) -> None:
    """Section 3.1: the claim says that this is impossible; the proof forgets inclusion."""
    mine, found = cluster(both.truth, 0), cluster(both.guess, 0)
    assert mine != found
    assert min(len(mine), len(found)) > 1
    assert own(f"elm_{kind}", both)[0] == own(f"bcubed_{kind}", both)[0] == 1


def test_own_f1_from_the_confusion_table_is_the_harmonic_mean_of_own_precision_and_recall() -> None:
    """Sections 1.1 and 2: equations (3), (5) and (6) with the conventions for single objects."""
    for both in small_pairs():
        expected = []
        for x in range(len(both.truth)):
            mine, found = cluster(both.truth, x), cluster(both.guess, x)
            right, wrong = len(mine & found) - 1, len(mine ^ found)
            expected.append(Fraction(2 * right, 2 * right + wrong) if right + wrong else 1)
        p, r = own("elm_precision", both), own("elm_recall", both)
        harmonic = [2 * a * b / (a + b) if a + b else 0 for a, b in zip(p, r, strict=True)]
        f = own("elm_f", both)
        assert f == pytest.approx([float(value) for value in expected], rel=0, abs=CLOSE), both
        assert f == pytest.approx(harmonic, rel=0, abs=CLOSE), both


@pytest.mark.parametrize("n", range(1, 9))
def test_a_perfect_prediction_receives_only_ones(n: int) -> None:
    """Section 2: "it is immediate that a perfect prediction still receives only ones"."""
    for truth in map(of_sizes, sizes(n)):
        same = cd.meet(truth, truth)
        for measure in (cd.elm_precision, cd.elm_recall, *F1.values()):
            assert measure.of(same) == 1, (truth, measure)


@pytest.mark.parametrize("n", range(2, 9))
def test_both_extremes_get_an_elm_f1_of_0(n: int) -> None:
    """Section 2: all singletons against one block, and one block against all singletons."""
    for extreme in (cd.elm_f, cd.elm_f(f="means")):
        assert extreme(top(n), bottom(n)) == extreme(bottom(n), top(n)) == 0


def test_recall_of_all_singletons_is_the_share_of_objects_alone_in_truth() -> None:
    """Section 3.2.1 says the share of single-page clusters; it is that of their pages."""
    for n in range(1, 8):
        for truth in map(of_sizes, sizes(n)):
            alone = sum(len(cluster(truth, x)) == 1 for x in range(n))
            assert cd.elm_recall(truth, bottom(n)) == pytest.approx(alone / n, rel=0, abs=CLOSE)


def test_recall_of_all_singletons_is_not_the_share_of_single_page_clusters() -> None:
    """Section 3.2.1, the statement as printed: one of two clusters is single, but recall is 1/3."""
    truth = labels_of([1], [2, 3])
    single = sum(truth.count(label) == 1 for label in set(truth)) / len(set(truth))
    recall = cd.elm_recall(truth, bottom(3))
    assert recall == pytest.approx(1 / 3, rel=0, abs=CLOSE)
    assert abs(recall - single) > 0.1


# The figures of the constraints


def in_turn(*parts: tuple[int, int]) -> Labels:
    """Labels of the parts C1, C2 and C3 of a figure, each given as (size, label)."""
    return numbered(tuple(label for size, label in parts for _ in range(size)))


@every_f1
def test_homogeneity_holds_in_figure_5(measure: cd.Measure) -> None:
    """Section 3.3.1 and Figure 5: C1 and C2 are black, C3 is all the white nodes."""
    for one, two, three in product(range(1, 5), repeat=3):
        truth = in_turn((one, 0), (two, 0), (three, 1))
        d1 = in_turn((one, 0), (two, 1), (three, 2))
        d2 = in_turn((one, 0), (two, 1), (three, 1))
        assert measure(truth, d1) > measure(truth, d2) + CLOSE, (one, two, three)


@every_f1
def test_completeness_holds_in_figure_7(measure: cd.Measure) -> None:
    """Section 3.3.2 and Figure 7: all nodes are of one class."""
    for one, two, three in product(range(1, 5), repeat=3):
        truth = top(one + two + three)
        d1 = in_turn((one, 0), (two, 1), (three, 1))
        d2 = in_turn((one, 0), (two, 1), (three, 2))
        assert measure(truth, d1) > measure(truth, d2) + CLOSE, (one, two, three)


def rag_bag_figure(clean: int, noise: int) -> tuple[Labels, Labels, Labels]:
    """Truth, D1 and D2 of Figure 6: C1 is black, each other node a class of its own."""
    truth = (*top(clean), *range(1, noise + 2))
    d1 = in_turn((clean, 0), (noise, 1), (1, 1))
    d2 = in_turn((clean, 0), (noise, 1), (1, 0))
    return truth, d1, d2


@pytest.mark.parametrize("noise", range(2, 5))
@pytest.mark.parametrize("clean", range(1, 5))
def test_rag_bag_holds_in_figure_6(clean: int, noise: int) -> None:
    """Section 3.3.3 and Figure 6, with a rag bag of two objects or more."""
    truth, d1, d2 = rag_bag_figure(clean, noise)
    assert cd.elm_f(truth, d1) > cd.elm_f(truth, d2) + CLOSE


@pytest.mark.parametrize("clean", range(1, 5))
def test_rag_bag_fails_in_figure_6_if_the_bag_has_one_object(clean: int) -> None:
    """Section 3.3.3: the argument needs that the bag's objects have no precision to lose."""
    truth, d1, d2 = rag_bag_figure(clean, 1)
    assert not cd.elm_f(truth, d1) > cd.elm_f(truth, d2) + CLOSE


# The constraints of Amigó et al. on all pairs of partitions of up to seven objects


class Count(NamedTuple):
    """How often the guess that should win does not."""

    cases: int
    ties: int
    reversals: int


@cache
def score(name: str, table: Table) -> float:
    value: float = F1[name].of(meet(*pair(table)))
    return value


def counted(name: str, cases: Iterable[Case]) -> Count:
    gain = np.array([score(name, case.better) - score(name, case.worse) for case in cases])
    return Count(gain.size, int((abs(gain) < CLOSE).sum()), int((gain <= -CLOSE).sum()))


def up_to_seven(cases: Callable[[int], Iterator[Case]]) -> Iterator[Case]:
    for n in range(1, 8):
        yield from cases(n)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ELM, mean of own F1", Count(4788, 499, 0)),
        ("ELM, F1 of means", Count(4788, 74, 0)),
        ("BCubed, mean of own F1", Count(4788, 0, 0)),
        ("BCubed, F1 of means", Count(4788, 0, 0)),
    ],
)
def test_homogeneity_is_strict_for_bcubed_but_elm_has_ties(name: str, expected: Count) -> None:
    """Section 3.3.1 says that ELM is strict too: split a cluster of two classes by class."""
    assert counted(name, up_to_seven(homogeneity_cases)) == expected


@pytest.mark.parametrize("name", F1)
def test_completeness_is_strict(name: str) -> None:
    """Section 3.3.2: join two clusters with objects of one class."""
    assert counted(name, up_to_seven(completeness_cases)) == Count(1644, 0, 0)


def rag_bags(*, at_least_two: bool, pure: tuple[bool, ...]) -> Iterator[Case]:
    for n in range(1, 8):
        for bag in rag_bag_cases(n):
            if (bag.size >= 2) == at_least_two and bag.pure_noise in pure:
                yield bag.case


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ELM, mean of own F1", Count(199, 0, 0)),
        ("ELM, F1 of means", Count(199, 0, 0)),
        ("BCubed, mean of own F1", Count(199, 4, 35)),
        ("BCubed, F1 of means", Count(199, 0, 0)),
    ],
)
def test_rag_bag_holds_for_all_but_the_mean_of_own_bcubed_f1(name: str, expected: Count) -> None:
    """Section 3.3.3, n >= 2: move a stray object to n objects of n classes, all of them others."""
    assert counted(name, rag_bags(at_least_two=True, pure=(True,))) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ELM, mean of own F1", Count(190, 0, 0)),
        ("ELM, F1 of means", Count(190, 0, 0)),
        ("BCubed, mean of own F1", Count(190, 0, 20)),
        ("BCubed, F1 of means", Count(190, 0, 0)),
    ],
)
def test_rag_bag_holds_so_too_if_the_noise_has_an_object_of_the_two_classes(
    name: str, expected: Count
) -> None:
    """Section 3.3.3, n >= 2, with the clean cluster's or the stray's class among the noise."""
    assert counted(name, rag_bags(at_least_two=True, pure=(False,))) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ELM, mean of own F1", Count(10872, 7328, 1086)),
        ("ELM, F1 of means", Count(10872, 9939, 0)),
        ("BCubed, mean of own F1", Count(10872, 7145, 1168)),
        ("BCubed, F1 of means", Count(10872, 9939, 0)),
    ],
)
def test_rag_bag_of_one_object_holds_for_none(name: str, expected: Count) -> None:
    """Section 3.3.3 in the degenerate case n = 1, where neither cluster is clean or noisy."""
    assert counted(name, rag_bags(at_least_two=False, pure=(True, False))) == expected


class Counterexample(NamedTuple):
    """Two guesses and their exact scores; the condition wants more for `better`."""

    truth: Labels
    worse: Labels
    better: Labels
    scores: tuple[Fraction, Fraction]


HOMOGENEITY_TIE = Counterexample(
    labels_of([1, 2], [3, 4]),
    labels_of([1, 3], [2, 4]),
    labels_of([2, 4], [1], [3]),
    (Fraction(0), Fraction(0)),
)
ONE_STRAY = (
    labels_of([1, 2], [3], [4]),
    labels_of([1, 3], [2], [4]),
    labels_of([2], [1], [3, 4]),
)
TWO_BAGS = (labels_of([1, 2], [3]), labels_of([1, 3], [2]), labels_of([1], [2, 3]))


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("ELM, mean of own F1", HOMOGENEITY_TIE),
        ("ELM, F1 of means", HOMOGENEITY_TIE),
        (
            "BCubed, mean of own F1",
            Counterexample(
                labels_of([1, 2, 3], [4], [5], [6]),
                labels_of([1, 2, 4], [3], [5, 6]),
                labels_of([3], [1, 2], [4, 5, 6]),
                (Fraction(11, 18), Fraction(3, 5)),
            ),
        ),
        (
            "BCubed, mean of own F1",
            Counterexample(
                labels_of([1, 2, 3, 4], [5], [6]),
                labels_of([1, 2, 5], [3, 6], [4]),
                labels_of([4], [1, 2], [3, 5, 6]),
                (Fraction(71, 140), Fraction(317, 630)),
            ),
        ),
        ("ELM, mean of own F1", Counterexample(*ONE_STRAY, (Fraction(1, 4), Fraction(0)))),
        ("ELM, F1 of means", Counterexample(*TWO_BAGS, (Fraction(1, 3), Fraction(1, 3)))),
        (
            "BCubed, mean of own F1",
            Counterexample(*ONE_STRAY, (Fraction(17, 24), Fraction(2, 3))),
        ),
        ("BCubed, F1 of means", Counterexample(*TWO_BAGS, (Fraction(2, 3), Fraction(2, 3)))),
    ],
    ids=[
        "homogeneity-elm-own",
        "homogeneity-elm-means",
        "rag-bag-bcubed-own",
        "rag-bag-impure-bcubed-own",
        "rag-bag-of-one-elm-own",
        "rag-bag-of-one-elm-means",
        "rag-bag-of-one-bcubed-own",
        "rag-bag-of-one-bcubed-means",
    ],
)
def test_smallest_case_in_which_the_better_guess_does_not_win(
    name: str, example: Counterexample
) -> None:
    """Section 3.3, where a constraint fails: the scores of the first counterexample."""
    worse = F1[name](example.truth, example.worse)
    better = F1[name](example.truth, example.better)
    exact = [float(value) for value in example.scores]
    assert [worse, better] == pytest.approx(exact, rel=0, abs=CLOSE)
    assert not better > worse + CLOSE


def test_elm_homogeneity_is_strict_unless_nobody_in_the_cluster_finds_a_mate() -> None:
    """Section 3.3.1, repaired: own F1 grows where a mate was found or the object is alone."""
    name = "ELM, mean of own F1"
    for case in up_to_seven(homogeneity_cases):
        (split,) = (Counter(case.worse) - Counter(case.better)).elements()
        classes = [sum(of_class) for of_class in zip(*case.worse, strict=True)]
        mates = any(count > 1 for count in split)
        alone = any(count == size == 1 for count, size in zip(split, classes, strict=True))
        wins = score(name, case.better) > score(name, case.worse) + CLOSE
        assert wins == (mates or alone), case


# Cluster size against quantity


def size_or_quantity(n: int, rest: int = 0) -> tuple[Labels, Labels, Labels]:
    """Truth, the guess that cuts one object off n + 1, the guess that cuts n pairs in two.

    With a rest the n pairs are parts of one class that has so many objects more.
    """
    of_pairs = [2] * n if rest == 0 else [2 * n + rest]
    whole = [rest] if rest else []
    truth = of_sizes((n + 1, *of_pairs))
    large = of_sizes((n, 1, *[2] * n, *whole))
    small = of_sizes((n + 1, *[1] * (2 * n), *whole))
    return truth, large, small


@every_f1
@pytest.mark.parametrize("n", range(2, 13))
def test_one_error_in_a_large_cluster_costs_less_than_many_in_small_ones(
    measure: cd.Measure, n: int
) -> None:
    """Section 3.3.4, where the clusters are whole classes."""
    truth, large, small = size_or_quantity(n)
    assert measure(truth, large) > measure(truth, small) + CLOSE


@pytest.mark.parametrize("n", range(1, 13))
def test_elm_drops_by_3n_1_over_2n_1_for_the_large_cluster_and_by_2n_for_the_small(n: int) -> None:
    """Section 3.3.4 for every n: the drops of the sum of own F1."""
    truth, large, small = size_or_quantity(n)
    drops = [len(truth) * (1 - cd.elm_f(truth, guess)) for guess in (large, small)]
    assert drops == pytest.approx([(3 * n - 1) / (2 * n - 1), 2 * n], rel=0, abs=100 * CLOSE)


@every_f1
def test_size_and_quantity_tie_where_the_large_cluster_is_a_pair_too(measure: cd.Measure) -> None:
    """Section 3.3.4 at n = 1: there the two guesses are alike."""
    truth, large, small = size_or_quantity(1)
    assert measure(truth, large) == pytest.approx(measure(truth, small), rel=0, abs=CLOSE)


@pytest.mark.parametrize(
    ("name", "large", "small"),
    [
        ("ELM, mean of own F1", 0.82761, 0.86172),
        ("BCubed, F1 of means", 0.88697, 0.90446),
    ],
)
def test_size_against_quantity_fails_if_the_pairs_are_parts_of_a_large_class(
    name: str, large: float, small: float
) -> None:
    """Section 3.3.4 as worded, without "whole classes": n = 2, the other class has 40 objects."""
    truth, cut_large, cut_small = size_or_quantity(2, rest=36)
    assert truth.count(1) == 40
    scores = F1[name](truth, cut_large), F1[name](truth, cut_small)
    assert scores == pytest.approx((large, small), rel=0, abs=5e-6)
    assert scores[0] < scores[1]
