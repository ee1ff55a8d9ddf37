"""Numbers printed in "BCubed Revisited: Elements Like Me" (van Heusden, Kamps and Marx 2022).

The paper cuts 2/3 to .66; its F1 is the mean over elements of their own F1.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import clusterdiff as cd
from claims.cases import Labels, Pair, bottom, pairs_up_to_renaming, top

EXACT = 1e-12

SINGLETONS = Pair(top(2), bottom(2))
ONE_BLOCK = Pair(bottom(2), top(2))
TOGETHER = Pair((0, 0, 1, 2), (0, 1, 2, 2))


def measured(measures: tuple[cd.Measure, ...], both: Pair) -> list[float]:
    return [measure(both.truth, both.guess) for measure in measures]


def exactly(values: list[Fraction] | list[int]) -> object:
    return pytest.approx([float(value) for value in values], rel=0, abs=EXACT)


@pytest.mark.parametrize(
    ("both", "expected"),
    [
        (SINGLETONS, [Fraction(1), Fraction(1, 2), Fraction(2, 3)]),
        (ONE_BLOCK, [Fraction(1, 2), Fraction(1), Fraction(2, 3)]),
        (TOGETHER, [Fraction(3, 4), Fraction(3, 4), Fraction(2, 3)]),
    ],
    ids=["singletons", "dual", "one test set of both"],
)
def test_bcubed_of_the_two_element_examples(both: Pair, expected: list[Fraction]) -> None:
    """Section 2: P, R and F1 of 1, .5, .66; of .5, 1, .66; and of .75, .75, .66."""
    assert measured((cd.bcubed_precision, cd.bcubed_recall, cd.bcubed_f), both) == exactly(expected)


def test_bcubed_f1_of_means_of_the_two_examples_together_is_another_number() -> None:
    """Section 2: 3/4 by the other convention, not the printed .66."""
    assert cd.bcubed_f(*TOGETHER, f="means") == pytest.approx(3 / 4, rel=0, abs=EXACT)


@pytest.mark.parametrize(
    ("both", "expected"), [(SINGLETONS, [1, 0, 0]), (ONE_BLOCK, [0, 1, 0])], ids=["first", "dual"]
)
def test_elm_of_the_two_element_examples(both: Pair, expected: list[int]) -> None:
    """Section 2: the repair leaves P = 1, R = F1 = 0, and R = 1, P = F1 = 0."""
    assert measured((cd.elm_precision, cd.elm_recall, cd.elm_f), both) == expected


@pytest.mark.parametrize("n", range(1, 9))
def test_bcubed_of_the_extremes(n: int) -> None:
    """Section 2: P = 1, R = 1/n and F1 = 2/(n+1), and the dual."""
    one, share, f = Fraction(1), Fraction(1, n), Fraction(2, n + 1)
    measures = cd.bcubed_precision, cd.bcubed_recall, cd.bcubed_f
    assert measured(measures, Pair(top(n), bottom(n))) == exactly([one, share, f])
    assert measured(measures, Pair(bottom(n), top(n))) == exactly([share, one, f])


@pytest.mark.parametrize("n", range(1, 9))
def test_elm_of_the_extremes(n: int) -> None:
    """Section 2: F1 is 0 (for one element the two extremes are the same, and it is 1)."""
    expected = 1 if n == 1 else 0
    assert cd.elm_f(top(n), bottom(n)) == cd.elm_f(bottom(n), top(n)) == expected


CASE_1 = Pair(top(4), (0, 0, 0, 1))
CASE_2 = Pair((0, 0, 1, 1), bottom(4))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("elm_precision", [Fraction(1)] * 4),
        ("elm_recall", [Fraction(2, 3)] * 3 + [Fraction(0)]),
        ("elm_f", [Fraction(4, 5)] * 3 + [Fraction(0)]),
    ],
)
def test_elements_of_a_block_of_four_with_one_cut_off(
    measure: str, expected: list[Fraction]
) -> None:
    """Section 3.3.4, case 1: recall 2/3 and F1 4/5 of three elements, F1 0 of the fourth."""
    assert cd.objects(measure, *CASE_1).scores.tolist() == exactly(expected)


@pytest.mark.parametrize(
    ("measure", "both", "drop"),
    [
        ("elm_f", CASE_1, 4 - Fraction(12, 5)),
        ("elm_f", CASE_2, Fraction(4)),
        ("bcubed_f", CASE_1, Fraction(36, 35)),
        ("bcubed_f", CASE_2, Fraction(4, 3)),
    ],
)
def test_drop_of_the_sum_of_f1(measure: str, both: Pair, drop: Fraction) -> None:
    """Section 3.3.4: 4 - 12/5 in case 1 and 4 in case 2; those of BCubed are not printed."""
    scores = cd.objects(measure, *both).scores
    assert 4 - scores.sum() == pytest.approx(float(drop), rel=0, abs=EXACT)


RAG_BAG: Labels = (0, 0, 0, 0, 1, 2, 3, 4, 5)
D1: Labels = (0, 0, 0, 0, 1, 1, 1, 1, 1)
D2: Labels = (0, 0, 0, 0, 1, 1, 1, 1, 0)


@pytest.mark.parametrize(
    ("measure", "before", "after"),
    [("elm_precision", 1.0, 3 / 4), ("bcubed_precision", 1.0, 4 / 5)],
)
def test_precision_of_the_clean_elements_in_the_rag_bag_figure(
    measure: str, before: float, after: float
) -> None:
    """Section 3.3.3: ELM precision drops "from 1 to 3/4", so C1 has four elements."""
    clean = [cd.objects(measure, RAG_BAG, guess).scores[:4] for guess in (D1, D2)]
    assert clean[0] == pytest.approx([before] * 4, rel=0, abs=EXACT)
    assert clean[1] == pytest.approx([after] * 4, rel=0, abs=EXACT)


def test_elm_f1_in_the_rag_bag_figure() -> None:
    """Section 3.3.3 and Figure 6: D1 scores higher, with four black nodes, four others and one."""
    scores = [cd.elm_f(RAG_BAG, D1), cd.elm_f(RAG_BAG, D2)]
    assert scores == exactly([Fraction(4, 9), Fraction(8, 21)])
    assert scores[0] > scores[1]


PRINTED = {
    "Table 1, singletons, BCubed": (1.0, 0.26, 0.34),
    "Table 1, singletons, ELM": (1.0, 0.10, 0.10),
    "Table 1, one cluster, BCubed": (0.26, 1.0, 0.34),
    "Table 1, one cluster, ELM": (0.24, 1.0, 0.31),
    "Table 2, BCubed": (0.69, 0.69, 0.51),
    "Table 2, ELM": (0.65, 0.66, 0.44),
}


@pytest.mark.parametrize("measure", [cd.bcubed_f, cd.elm_f], ids=str)
def test_mean_of_own_f1_is_at_most_f1_of_means(measure: cd.Measure) -> None:
    """Tables 1 and 2: so the printed F1, below the harmonic mean of P and R, is that of own F1."""
    of_means, below = measure(f="means"), 0
    for n in range(1, 6):
        for both in pairs_up_to_renaming(n):
            m = cd.meet(*both)
            assert measure.of(m) <= of_means.of(m) + EXACT, both
            below += measure.of(m) < of_means.of(m) - EXACT
    assert below > 0
    assert all(f < 2 * p * r / (p + r) for p, r, f in PRINTED.values())
