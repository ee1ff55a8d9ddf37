"""Numbers of "CICE-BCubed" (Rosales-Méndez and Ramírez-Cruz 2013).

The paper prints one example and says of it that Extended BCubed F is maximal and CICE-BCubed F
is not; all other numbers follow from its equations by hand.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import clusterdiff as cd
from clusterdiff.measures.matching import best_partners, jaccard

EXTENDED = (cd.extended_bcubed_precision, cd.extended_bcubed_recall, cd.extended_bcubed_f)
CICE = (cd.cice_precision, cd.cice_recall, cd.cice_f)
TWO_THIRDS = Fraction(2, 3)


def exactly(*values: Fraction | int) -> object:
    return pytest.approx([float(value) for value in values], rel=0, abs=1e-12)


def measured(
    measures: tuple[cd.Measure, ...], gold: cd.Cover, candidate: cd.Cover, **given: str
) -> list[float]:
    return [measure(gold, candidate, **given) for measure in measures]


CANDIDATE = cd.Cover.from_clusters([{1, 2, 4}, {1, 3}, {4, 3}, {2, 5}, {3, 5, 6}, {2, 6}])
GOLD = cd.Cover.from_clusters([{1, 3, 4}, {1, 2}, {4, 2}, {3, 5}, {2, 5, 6}, {3, 6}])


def test_extended_bcubed_of_the_printed_example_is_maximal() -> None:
    """Section 3, printed: F is maximal although the clusterings are not identical."""
    assert measured(EXTENDED, GOLD, CANDIDATE) == exactly(1, 1, 1)


def test_cice_of_the_printed_example_is_two_thirds() -> None:
    """Section 3, printed: not maximal; by Eqs (7) to (9) all three are 2/3."""
    assert measured(CICE, GOLD, CANDIDATE) == exactly(TWO_THIRDS, TWO_THIRDS, TWO_THIRDS)


@pytest.mark.parametrize("alpha", [0, 1])
def test_cice_f_of_the_printed_example_at_the_ends_of_alpha(alpha: int) -> None:
    """Eq. (9), not printed: precision at alpha = 1, recall at alpha = 0; both are 2/3."""
    assert [cd.cice_f(GOLD, CANDIDATE, alpha=alpha)] == exactly(TWO_THIRDS)


def test_best_class_of_every_candidate_cluster_in_the_printed_example() -> None:
    """Eqs (4) and (5), not printed: the Jaccard index with the best class is 2/3 for all six."""
    both = cd.meet(GOLD, CANDIDATE)
    assert isinstance(both, cd.CoverMeet)
    assert sorted(best_partners(both, jaccard, apart=False)) == exactly(*[TWO_THIRDS] * 6)


def test_cice_of_the_printed_example_with_only_the_classes_that_hold_the_pair() -> None:
    """Section 3: the prose asks for classes "containing the pair", Eq. (4) does not."""
    share = Fraction(23, 36)
    assert measured(CICE, GOLD, CANDIDATE, match="pair") == exactly(share, share, share)


WITH_SINGLES = cd.Cover.from_clusters([{1, 2, 3}, {1}, {2}, {3}])
PAIRS = cd.Cover.from_clusters([{1, 2}, {1, 3}, {2, 3}])


def test_extended_bcubed_of_the_smallest_example_of_the_flaw_is_maximal() -> None:
    """Not in the paper: three objects are enough."""
    assert measured(EXTENDED, PAIRS, WITH_SINGLES) == exactly(1, 1, 1)
    assert measured(EXTENDED, WITH_SINGLES, PAIRS) == exactly(1, 1, 1)


def test_cice_of_the_smallest_example_of_the_flaw() -> None:
    """Not in the paper; precision is that of the candidate with the single objects."""
    expected = Fraction(23, 36), TWO_THIRDS, Fraction(92, 141)
    assert measured(CICE, PAIRS, WITH_SINGLES) == exactly(*expected)


def test_alpha_of_1_is_precision_and_alpha_of_0_is_recall() -> None:
    """Eq. (9), in an example where the two differ."""
    ends = [cd.cice_f(PAIRS, WITH_SINGLES, alpha=alpha) for alpha in (1, 0)]
    assert ends == exactly(Fraction(23, 36), TWO_THIRDS)


def test_cice_of_a_class_that_the_candidate_has_twice() -> None:
    """Not in the paper: precision is halved by min(2, 1) / 2."""
    once, twice = (cd.Cover.from_clusters([{1, 2, 3}] * times) for times in (1, 2))
    assert measured(CICE, once, twice) == exactly(Fraction(1, 2), 1, TWO_THIRDS)


PAIR_AND_NONE = cd.Cover.from_clusters([{1, 2}], objects=[3])
PAIR_AND_SINGLE = cd.Cover.from_clusters([{1, 2}, {3}])


@pytest.mark.parametrize(
    ("uncovered", "expected"),
    [("zero", [TWO_THIRDS, TWO_THIRDS, TWO_THIRDS]), ("one", [1, 1, 1]), ("skip", [1, 1, 1])],
)
def test_cice_of_identical_clusterings_with_an_object_in_no_cluster(
    uncovered: str, expected: list[Fraction | int]
) -> None:
    """Eqs (7) and (8) divide 0 by 0, and the paper has no rule; "zero" breaks perfect match."""
    assert measured(CICE, PAIR_AND_NONE, PAIR_AND_NONE, uncovered=uncovered) == exactly(*expected)


@pytest.mark.parametrize(
    ("uncovered", "expected"),
    [
        ("zero", [TWO_THIRDS, TWO_THIRDS, TWO_THIRDS]),
        ("one", [1, TWO_THIRDS, Fraction(4, 5)]),
        ("skip", [1, TWO_THIRDS, Fraction(4, 5)]),
    ],
)
def test_cice_with_a_class_whose_only_object_the_candidate_has_in_no_cluster(
    uncovered: str, expected: list[Fraction | int]
) -> None:
    """Eq. (7) divides 0 by 0 for that object, Eq. (8) does not: its recall is 0 by any rule."""
    found = measured(CICE, PAIR_AND_SINGLE, PAIR_AND_NONE, uncovered=uncovered)
    assert found == exactly(*expected)
