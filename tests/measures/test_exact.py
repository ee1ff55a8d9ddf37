"""Scores as fractions: those of the definitions, and nothing else is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.measures.zero_division import exactly, f_score, f_scores, ratio, share
from oracles import ORACLES
from oracles.conditions import Clusters, Comparison, pairs


def common_parts(truth: Clusters, guess: Clusters) -> list[tuple[object, ...]]:
    """The size of each common part, with how its two clusters are cut."""
    return sorted(
        (len(own & other), cut(own, guess), cut(other, truth))
        for own in truth
        for other in guess
        if own & other
    )


def cut(cluster: frozenset[int], partition: Clusters) -> tuple[int, ...]:
    return tuple(sorted(len(cluster & other) for other in partition if cluster & other))


def labels(partition: Clusters) -> dict[int, int]:
    of = {x: min(cluster) for cluster in partition for x in cluster}
    return {x: of[x] for x in sorted(of)}


def up_to_names(n: int) -> list[Comparison]:
    """Pairs of partitions of n objects, one of all that have the same common parts."""
    seen = {tuple(common_parts(*pair)): pair for pair in pairs(n)}
    return list(seen.values())


CASES = [(labels(truth), labels(guess)) for n in range(1, 6) for truth, guess in up_to_names(n)]
MEETS = [cd.meet(truth, guess) for truth, guess in CASES]

EXACT = [
    "rand", "adjusted_rand", "pair_precision", "pair_recall", "pair_f", "pair_jaccard",
    "accuracy", "partition_distance", "van_dongen", "purity", "inverse_purity", "purity_f",
    "exact_precision", "exact_recall", "exact_f", "bcubed_precision", "bcubed_recall", "bcubed_f",
    "elm_precision", "elm_recall", "elm_f", "muc_precision", "muc_recall", "muc_f",
    "ceaf_m_precision", "ceaf_m_recall", "ceaf_m_f", "panoptic_quality", "panoptic_quality_sq",
    "panoptic_quality_rq", "match_precision", "match_recall", "match_f", "boundary_precision",
    "boundary_recall", "boundary_f", "pure_share", "whole_share", "pure_whole_f",
]  # fmt: skip
"""Measures that are quotients of counts, and that the product gives as fractions."""


def test_how_many_cases_there_are() -> None:
    """As many as there are matrices of counts, up to the order of rows and columns."""
    counts = Counter(len(truth) for truth, _ in CASES)
    assert counts == {1: 1, 2: 4, 3: 10, 4: 33, 5: 91}


@pytest.mark.parametrize("name", EXACT)
def test_fractions_are_those_of_the_definition(name: str) -> None:
    measure = cd.measure(name)
    for case, meet in zip(CASES, MEETS, strict=True):
        found, wanted = measure.exactly_of(meet), ORACLES[name](*case)
        assert type(found) is type(wanted) is Fraction
        assert found == wanted, case
        assert type(found.numerator) is int


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("bcubed_f(f='objects')", {"f": "objects"}),
        ("elm_f(f='means')", {"f": "means"}),
        ("elm_f(alpha=0.25)", {"alpha": 0.25}),
        ("bcubed_f(alpha=0.3, f='objects')", {"alpha": 0.3, "f": "objects"}),
        ("pair_f(f='objects')", {"f": "objects"}),
        ("purity_f(f='objects')", {"f": "objects"}),
        ("partition_distance(over='n')", {"over": "n"}),
        ("bcubed_f(alpha=0)", {"alpha": 0}),
        ("elm_f(alpha=1)", {"alpha": 1}),
    ],
)
def test_fractions_with_parameters(text: str, options: dict[str, Any]) -> None:
    measure = cd.measure(text)
    for case, meet in zip(CASES, MEETS, strict=True):
        found = measure.exactly_of(meet)
        assert type(found) is Fraction
        assert found == ORACLES[measure.name](*case, **options), case


@pytest.mark.parametrize("name", [measure.name for measure in cd.measures()])
def test_exact_scores_are_the_scores(name: str) -> None:
    """For all measures, exact or not; intervals at both ends."""
    measure = cd.measure(name)
    for meet in MEETS:
        exact, score = measure.exactly_of(meet), measure.of(meet)
        assert type(score) in (float, cd.ScoreRange)
        if isinstance(score, cd.ScoreRange):
            ends = [(exact.low, score.low), (exact.high, score.high)]
        else:
            ends = [(exact, score)]
        assert all(abs(float(one) - float(other)) < 1e-12 for one, other in ends)


@pytest.mark.parametrize("name", [m.name for m in cd.measures() if "cover" in m.needs])
def test_exact_scores_of_covers_are_the_scores(name: str) -> None:
    truth = cd.Cover({1: ["a"], 2: ["a", "b"], 3: ["b", "c"], 4: ["c"]})
    guess = cd.Cover({1: ["x"], 2: ["x"], 3: ["x", "y"], 4: ["y"]})
    measure, meet = cd.measure(name), cd.meet(truth, guess)
    assert float(measure.exactly_of(meet)) == pytest.approx(measure.of(meet), abs=1e-12)


def test_fractions_of_large_counts_do_not_overflow() -> None:
    rows = [0, 0, 1, 1], [0, 1, 0, 1], [3 * 10**9, 7, 10**9, 5 * 10**9]
    meet = cd.HardMeet.from_rows(*rows)
    for name in EXACT:
        measure = cd.measure(name)
        exact = measure.exactly_of(meet)
        assert type(exact) is Fraction
        assert float(exact) == pytest.approx(measure.of(meet), abs=1e-12)
    together = [sum(n * (n - 1) // 2 for n in counts) for counts in _counts(rows)]
    both, truth, guess, all_pairs = together
    wanted = Fraction(all_pairs - truth - guess + 2 * both, all_pairs)
    assert cd.rand.exactly_of(meet) == wanted


def _counts(rows: tuple[list[int], ...]) -> list[list[int]]:
    """Sizes of the common parts, the true clusters, the guess clusters, and of all."""
    (a, b, c, d) = rows[2]
    return [[a, b, c, d], [a + b, c + d], [a + c, b + d], [a + b + c + d]]


# --- Outside, nothing is changed. ---------------------------------------------------------------


def test_quotients_are_fractions_only_within() -> None:
    assert (ratio(1, 3), type(ratio(1, 3))) == (1 / 3, float)
    with exactly():
        assert ratio(1, 3) == Fraction(1, 3)
        assert ratio(0, 0) == Fraction(1)
        assert ratio(0, 0, 0) == Fraction(0)
        assert type(ratio(1, 3.0)) is float
        with exactly():
            assert isinstance(ratio(1, 3), Fraction)
        assert isinstance(ratio(1, 3), Fraction)
    assert type(ratio(1, 3)) is float


def test_an_error_within_leaves_nothing_behind() -> None:
    with pytest.raises(ValueError, match="on purpose"), exactly():
        raise ValueError("on purpose")
    assert type(ratio(1, 3)) is float
    assert type(cd.rand([1, 1, 2], [1, 2, 2])) is float


def test_shares_and_f_are_exact_only_within() -> None:
    tops, bottoms = np.array([1, 0, 2]), np.array([3, 0, 4])
    assert share(tops, bottoms).dtype == np.float64
    with exactly():
        exact = share(tops, bottoms)
        assert exact.tolist() == [Fraction(1, 3), Fraction(1), Fraction(1, 2)]
        assert f_scores(exact, exact).tolist() == exact.tolist()
        assert f_score(Fraction(1, 3), Fraction(1)) == Fraction(1, 2)  # type: ignore[arg-type]
        assert share(tops / 1.0, bottoms).dtype == np.float64
    assert f_score(1.0, 0.5) == 2 / 3
    assert type(f_score(1.0, 0.5)) is float


@pytest.mark.parametrize("name", EXACT)
def test_public_scores_are_floats(name: str) -> None:
    measure, (truth, guess) = cd.measure(name), CASES[-1]
    measure.exactly_of(MEETS[-1])
    assert type(measure(truth, guess)) is float
    assert type(measure.of(MEETS[-1])) is float
    rows = measure.rows_of(MEETS[-1])
    assert rows is None or rows.dtype == np.float64


def test_a_fraction_is_what_brute_force_gives() -> None:
    """One worked by hand: truth 12|3, guess 1|23."""
    meet = cd.meet([0, 0, 1], [0, 1, 1])
    by_hand: dict[str, Fraction] = {
        "bcubed_f": Fraction(2, 3),
        "bcubed_f(f='objects')": Fraction(11, 18),
        "elm_f": Fraction(0),
        "rand": Fraction(1, 3),
        "accuracy": Fraction(2, 3),
        "adjusted_rand": Fraction(-1, 2),
        "bcubed_precision": Fraction(2, 3),
    }
    scores: dict[str, Callable[..., Any]] = {name: cd.measure(name).exactly_of for name in by_hand}
    assert {name: score(meet) for name, score in scores.items()} == by_hand
