"""Numbers of "A Split-Merge Framework for Comparing Clusterings" (Xiang et al. 2012).

Where the paper prints a number that its formulas do not give, the test has both. L is truth, C
is guess, logarithms are natural.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import clusterdiff as cd
from claims.cases import Labels, bottom, pairs_up_to_renaming, top

EXACT = 1e-12
SIX_PLACES = 5e-7


@pytest.mark.parametrize(
    ("n", "printed", "least"),
    [
        (1, Fraction(1), Fraction(1)),
        (2, Fraction(3, 4), Fraction(3, 4)),
        (3, Fraction(1, 2), Fraction(2, 3)),
        (4, Fraction(1, 2), Fraction(1, 2)),
        (5, Fraction(1, 2), Fraction(1, 2)),
        (6, Fraction(5, 12), Fraction(5, 12)),
        (7, Fraction(5, 14), Fraction(3, 7)),
        (8, Fraction(5, 16), Fraction(3, 8)),
    ],
)
def test_least_value_of_n(n: int, printed: Fraction, least: Fraction) -> None:
    """Table 2 and Proposition 5.1: (⌊√n⌋ + ⌈√n⌉) / 2n is too small for n = 3, 7 and 8."""
    found = min(cd.van_dongen(*both) for both in pairs_up_to_renaming(n))
    assert found == pytest.approx(float(least), rel=0, abs=EXACT)
    assert (abs(found - printed) < EXACT) == (n not in (3, 7, 8))


@pytest.mark.parametrize("n", range(2, 9))
def test_s_h_of_one_cluster_and_single_objects(n: int) -> None:
    """Proof of Proposition 5.1: in (0, 1) as printed, 0 by the definition."""
    assert cd.split_merge(top(n), bottom(n)) == 0


@pytest.mark.parametrize(
    ("features", "expected"),
    [((-1.0, 1.0, -1.0, 1.0), Fraction(1)), ((0.0, 1.0, 4.0, 6.0), Fraction(10, 91))],
    ids=["equal centres", "general position"],
)
@pytest.mark.parametrize("as_rows", [False, True], ids=["numbers", "rows"])
def test_squared_error_of_a_cluster_cut_into_two_pairs(
    features: tuple[float, ...], expected: Fraction, as_rows: bool
) -> None:
    """Section 4.5: with equal centres 1 though C ≠ L, where Property 4.3 asks for less."""
    given = [[f] for f in features] if as_rows else list(features)
    value = cd.split_merge(top(4), (0, 0, 1, 1), similarity="mse", features=given)
    assert value == pytest.approx(float(expected), rel=0, abs=EXACT)


def test_s_h_along_the_series_for_clusters_of_4_2_1_and_1() -> None:
    """Section 6: cut the largest cluster in two until all are single, then merge the two alone."""
    truth: Labels = (0, 0, 0, 0, 1, 1, 2, 3)
    series: list[Labels] = [
        truth,
        (0, 0, 1, 1, 2, 2, 3, 4),
        (0, 0, 1, 1, 2, 3, 4, 5),
        (0, 1, 2, 2, 3, 4, 5, 6),
        bottom(8),
        (0, 1, 2, 3, 4, 5, 6, 6),
    ]
    scores = [cd.split_merge(truth, guess) for guess in series]
    assert scores == pytest.approx([1, 0.75, 0.5, 0.375, 0.25, 0], rel=0, abs=EXACT)


@pytest.mark.parametrize(
    ("measure", "expected", "within"),
    [
        (cd.rand, 2 / 3, EXACT),
        (cd.van_dongen, 2 / 3, EXACT),
        (cd.accuracy, 2 / 3, EXACT),
        (cd.mutual_information, 0.549306, SIX_PLACES),
        (cd.nmi, 0.5, EXACT),
        (cd.vi_similarity, 0.435525, SIX_PLACES),
        (cd.split_merge, 0.140207, SIX_PLACES),
        (cd.split_merge(combine="mean"), 0.355155, SIX_PLACES),
        (cd.vi_similarity_k(k=3), 0.539690, SIX_PLACES),
    ],
    ids=str,
)
def test_reference_pair(measure: cd.Measure, expected: float, within: float) -> None:
    """Sections 3 and 4: L = {{1,2,3},{4,5},{6}}, C = {{1,2},{3,4},{5,6}}, from the definitions."""
    value = measure((0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 2, 2))
    assert value == pytest.approx(expected, rel=0, abs=within)
