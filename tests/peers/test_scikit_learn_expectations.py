"""What scikit-learn's tests expect of its clustering scores holds here, or is told in the docs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn import metrics

import clusterdiff as cd
from refusals import refuses

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "scikit-learn.md"
NORMS: tuple[Any, ...] = ("min", "geometric", "arithmetic", "max")


def table(heading: str) -> list[list[str]]:
    """The rows of the table under a heading of the page."""
    part = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


OURS = {
    row[0].strip("`"): cd.measure(row[1].strip("`")) for row in table("Which function is which")
}
WITH_NORM = {
    "normalized_mutual_info_score": cd.nmi,
    "adjusted_mutual_info_score": cd.adjusted_mutual_information,
}
NORMALISED = sorted(set(OURS) - {"mutual_info_score"})
ONE_SIDED = {"homogeneity_score", "completeness_score"}


def test_the_page_has_every_score_that_knows_a_truth() -> None:
    offered = {name for name in metrics.cluster.__all__ if name.endswith("_score")}
    without_truth = {"silhouette_score", "calinski_harabasz_score", "davies_bouldin_score"}
    assert set(OURS) == offered - without_truth - {"consensus_score"}


# --- numbers that its tests print, by hand -----------------------------------------------------

SPLIT, MERGED = ([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 2]), ([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1])
MIXED = ([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 2])
GAPS = ([0, 0, 0, 2, 2, 2], [0, 4, 0, 4, 2, 2])
SEVENTEEN = (
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3],
    [1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 3, 1, 3, 3, 3, 2, 2],
)
NUMBERS: list[tuple[str, tuple[list[int], list[int]], float, float]] = [
    ("homogeneity_score", SPLIT, 1.0, 0.005),
    ("completeness_score", SPLIT, 0.69, 0.01),
    ("v_measure_score", SPLIT, 0.81, 0.01),
    ("homogeneity_score", MERGED, 0.58, 0.01),
    ("completeness_score", MERGED, 1.0, 0.005),
    ("v_measure_score", MERGED, 0.73, 0.01),
    *(
        (name, labels, value, 0.01)
        for labels in (MIXED, GAPS)
        for name, value in [
            ("homogeneity_score", 0.67),
            ("completeness_score", 0.42),
            ("v_measure_score", 0.52),
            ("adjusted_rand_score", 0.24),
            ("rand_score", 0.66),
        ]
    ),
    ("rand_score", MIXED, 20 / 30, 1e-12),
    ("mutual_info_score", SEVENTEEN, 0.41022, 5e-6),
    ("adjusted_mutual_info_score", SEVENTEEN, 0.27821, 5e-6),
    ("adjusted_mutual_info_score", ([1, 1, 2, 2], [2, 2, 3, 3]), 1.0, 1e-12),
    ("adjusted_mutual_info_score", (SEVENTEEN[0] * 110, SEVENTEEN[1] * 110), 0.38, 0.005),
    ("fowlkes_mallows_score", ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4 / math.sqrt(72), 1e-12),
    ("fowlkes_mallows_score", ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]), 1.0, 1e-12),
    ("fowlkes_mallows_score", ([0] * 6, [0, 1, 2, 3, 4, 5]), 0.0, 1e-12),
    ("fowlkes_mallows_score", ([0, 0, 0, 1, 1, 2], [1, 1, 2, 2, 0, 0]), 1 / math.sqrt(12), 1e-12),
]


@pytest.mark.parametrize(("name", "labels", "value", "near"), NUMBERS)
def test_numbers(name: str, labels: tuple[Any, Any], value: float, near: float) -> None:
    assert OURS[name](*labels) == pytest.approx(value, abs=near)


def test_chance_gives_the_expectation_that_is_printed() -> None:
    from clusterdiff.measures.chance import expected_mutual_information

    m = cd.meet(*SEVENTEEN)
    chance = expected_mutual_information(m.truth_sizes, m.guess_sizes)
    assert chance == pytest.approx(0.15042, abs=5e-6)
    one = cd.meet([0] * 70_000, [0] * 70_000)
    assert expected_mutual_information(one.truth_sizes, one.guess_sizes) <= 1


def test_weights_of_the_v_measure() -> None:
    beta, (h, c) = 0.2, (cd.homogeneity(*MIXED), cd.completeness(*MIXED))
    ours = cd.v_measure(*MIXED, alpha=1 / (1 + beta))
    assert ours == pytest.approx((1 + beta) * h * c / (beta * h + c), abs=1e-12)


# --- perfect matches, bounds, symmetry, names, types -------------------------------------------

IDENTICAL: list[tuple[Any, Any]] = [
    ([0], [1]),
    ([0, 0, 0], [0, 0, 0]),
    ([0, 1, 0], [42, 7, 42]),
    ([0.0, 1.0, 0.0], [42.0, 7.0, 42.0]),
    ([0.0, 1.0, 2.0], [42.0, 7.0, 2.0]),
    ([0, 1, 2], [42, 7, 2]),
    ([0, 1], [0, 1]),
    ([0, 1, 2, 3], [0, 1, 2, 3]),
]


@pytest.mark.parametrize("labels", IDENTICAL)
def test_perfect_matches(labels: tuple[Any, Any]) -> None:
    for name in NORMALISED:
        assert OURS[name](*labels) == pytest.approx(1.0, abs=1e-12)
    for measure in WITH_NORM.values():
        assert [measure(*labels, norm=norm) for norm in NORMS] == pytest.approx([1.0] * 4)


@pytest.mark.parametrize("name", NORMALISED)
def test_scores_are_between_nothing_and_one(name: str) -> None:
    score = OURS[name]
    assert score([0, 0, 0, 1, 1], [0, 0, 0, 1, 2]) > 0
    assert score([0, 0, 1, 1, 2], [0, 0, 1, 1, 1]) > 0
    assert score([0, 0, 0, 1, 2], [0, 1, 1, 1, 1]) < 1
    assert min(score([0] * 6, list(range(6))), score(list(range(6)), [0] * 6)) >= 0


@pytest.mark.parametrize("name", list(OURS))
def test_symmetry(name: str) -> None:
    rng = np.random.RandomState(0)
    one, other = rng.randint(3, size=30), rng.randint(3, size=30)
    equal = OURS[name](one, other) == pytest.approx(OURS[name](other, one), abs=1e-12)
    assert equal == (name not in ONE_SIDED)


@pytest.mark.parametrize("name", list(OURS))
def test_labels_are_names(name: str) -> None:
    truth, guess = np.array([0, 0, 0, 1, 1, 0, 1]), np.array([1, 0, 1, 0, 1, 1, 0])
    score = OURS[name](truth, guess)
    swapped = [(1 - truth, guess), (truth, 1 - guess), (1 - truth, 1 - guess)]
    assert [OURS[name](*labels) for labels in swapped] == [score] * 3
    many: list[Callable[[np.ndarray[Any, Any]], Any]] = [
        lambda y: y.tolist(),
        lambda y: [f"{x}-a" for x in y],
        lambda y: np.array([f"{x}-a" for x in y], dtype=object),
        lambda y: y - 1,
        lambda y: y + 1,
    ]
    assert [OURS[name](form(truth), form(guess)) for form in many] == [score] * 5


@pytest.mark.parametrize("name", list(OURS))
def test_a_score_is_a_plain_float(name: str) -> None:
    rng = np.random.RandomState(0)
    assert type(OURS[name](rng.randint(3, size=20), rng.randint(3, size=20))) is float
    for labels in (([0], [0]), ([0], [1]), ([1], [0])):
        assert type(OURS[name](*labels)) is float


@pytest.mark.parametrize("name", list(OURS))
@pytest.mark.parametrize(
    "labels",
    [
        ([0, 1], [1, 1, 1]),
        ([[0, 1], [1, 0]], [1, 1, 1]),
        ([[0, 1], [1, 0]], [1, 1]),
        ([0, 1, 0], [[1, 1], [0, 0]]),
        (np.zeros((2, 2)), [0, 1]),
        ([0, 1], [np.nan, np.nan]),
        ([0, 1], [np.nan, np.inf]),
    ],
    ids=["lengths", "rows of truth", "as many", "rows of guess", "matrix", "nan", "nan and inf"],
)
def test_both_refuse(name: str, labels: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="."):
        getattr(metrics, name)(*labels)
    refuses(None, OURS[name], *labels)


def test_no_information_is_none() -> None:
    for n in (10, 100, 1000, 10_000):
        labels = np.ones(n, dtype=int), np.arange(n)
        assert cd.v_measure(*labels) == pytest.approx(0.0, abs=1e-12)
        for norm in NORMS:
            assert cd.adjusted_mutual_information(*labels, norm=norm) == 0.0
            assert cd.nmi(*labels, norm=norm) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("one", [["a"] * 6, [1] * 6])
@pytest.mark.parametrize("other", [[1, 1, 0, 0, 1, 1], ["a"] * 6])
def test_a_constant_tells_nothing(one: list[Any], other: list[Any]) -> None:
    assert cd.mutual_information(one, other) == cd.mutual_information(other, one) == 0


@pytest.mark.parametrize("norm", NORMS)
def test_bounds_of_nearly_constant_labels(norm: Any) -> None:
    constant = [0] * 469
    assert cd.nmi(constant, [1, *constant[1:]], norm=norm) == 0
    assert 0 <= cd.nmi([1, *constant[1:]], [0, 1, *constant[2:]], norm=norm) < 1


def test_the_v_measure_is_a_mutual_information() -> None:
    for n in (10, 100, 1000, 10_000):
        rng = np.random.RandomState(36)
        labels = rng.randint(0, 10, n), rng.randint(0, 10, n)
        assert cd.v_measure(*labels) == pytest.approx(cd.nmi(*labels, norm="arithmetic"), abs=1e-12)


def test_random_labels_get_nearly_nothing() -> None:
    draw = np.random.RandomState(42).randint
    worst = [
        max(abs(cd.adjusted_rand(draw(0, k, 100), draw(0, k, 100))) for _ in range(10))
        for k in (2, 10, 50, 90)
    ]
    assert worst == pytest.approx([0.02, 0.03, 0.03, 0.02], abs=0.015)


def test_nothing_overflows() -> None:
    sizes = [(52632, 2529), (14660, 793), (3271, 204), (814, 39), (316, 20)]
    truth = [k for k, (a, b) in enumerate(sizes) for _ in range(a + b)]
    guess = [x for a, b in sizes for x in [0] * a + [1] * b]
    assert 0 <= cd.mutual_information(truth, guess) < 1
    assert 0 < cd.fowlkes_mallows(truth, guess) < 1
    rng = np.random.RandomState(0)
    small = [rng.randint(0, 2, 100_000, dtype=np.int8) for _ in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert abs(cd.adjusted_rand(*small)) < 0.001


def test_counts_of_pairs() -> None:
    from clusterdiff.measures.pairs import pairs

    truth = [i // 10 for i in range(100)]
    guess = [i // 11 for i in range(100)]
    wanted = metrics.cluster.pair_confusion_matrix(truth, guess)
    for labels, matrix in [
        ((truth, guess), wanted),
        ((list(range(100)),) * 2, [[9900, 0], [0, 0]]),
        (([0] * 100,) * 2, [[0, 0], [0, 9900]]),
    ]:
        m = cd.meet(*labels)
        assert isinstance(m, cd.HardMeet)
        p = pairs(m.shapes)
        both, one, other = 2 * p.both, 2 * (p.truth - p.both), 2 * (p.guess - p.both)
        assert np.array_equal([[9900 - both - one - other, other], [one, both]], matrix)


# --- all small cases, and what differs ---------------------------------------------------------


def partitions(objects: int) -> list[list[int]]:
    """All partitions of so many objects."""
    made: list[list[int]] = [[]]
    for _ in range(objects):
        made = [[*labels, k] for labels in made for k in range(max(labels, default=-1) + 2)]
    return made


def shapes(objects: int) -> list[list[int]]:
    """One partition for each list of sizes; the objects alone and all together come first."""
    found = {
        tuple(sorted(map(labels.count, set(labels)))): labels for labels in partitions(objects)
    }
    return sorted(found.values(), key=lambda labels: len(set(labels)) not in (1, objects))


def peers() -> Iterator[tuple[str, str, Callable[..., float], cd.Measure]]:
    for name, ours in OURS.items():
        if name not in WITH_NORM:
            yield name, "", getattr(metrics, name), ours
        for norm in NORMS if name in WITH_NORM else ():
            theirs = partial(getattr(metrics, name), average_method=norm)
            yield name, norm, theirs, WITH_NORM[name](norm=norm)


def alone(labels: list[Any]) -> bool:
    return len(set(labels)) == len(labels)


def ami_of_the_mean_of_the_smallest(name: str, norm: str, truth: Any, guess: Any) -> bool:
    one_side = alone(truth) != alone(guess) and len(set(truth)) > 1 < len(set(guess))
    return name == "adjusted_mutual_info_score" and norm == "min" and one_side


DIFFERENCES: dict[str, Callable[[str, str, Any, Any], bool]] = {
    "no objects": lambda name, norm, truth, guess: not truth and name != "mutual_info_score",
    "all objects alone on both sides": lambda name, norm, truth, guess: (
        name == "fowlkes_mallows_score" and bool(truth) and alone(truth) and alone(guess)
    ),
    '`average_method="min"`, all objects alone on one side': ami_of_the_mean_of_the_smallest,
    "labels that are infinite": lambda name, norm, truth, guess: math.inf in guess,
    "labels with decimals": lambda name, norm, truth, guess: 0.25 in guess,
}


def score(function: Callable[..., float], truth: list[Any], guess: list[Any]) -> float | str:
    """The score, or what is said instead."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = function(truth, guess)
        except ValueError:
            return "refused"
    return "warned" if told else found


def agree(one: float | str, other: float | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one - other) <= 1e-9


@pytest.mark.skipif(
    sklearn.__version__ < "1.7", reason="scikit-learn 1.7 mended scores of singletons"
)
def test_the_page_tells_all_that_differs_and_nothing_else() -> None:
    assert [row[0] for row in table("What differs")] == list(DIFFERENCES)
    cases: list[tuple[list[Any], list[Any]]] = [
        *((t, g) for n in range(1, 5) for t in shapes(n) for g in partitions(n)),
        *((g, t) for n in range(1, 5) for t in shapes(n)[:2] for g in partitions(n)),
        ([], []),
        ([0, 1], [math.inf, math.inf]),
        ([0, 1], [0.25, 0.5]),
    ]
    seen = set()
    for name, norm, theirs, ours in peers():
        for truth, guess in cases:
            told = {d for d, is_it in DIFFERENCES.items() if is_it(name, norm, truth, guess)}
            same = agree(score(theirs, truth, guess), score(ours, truth, guess))
            if same and told == {'`average_method="min"`, all objects alone on one side'}:
                continue  # rounding errors may cancel out
            assert same == (not told), (name, norm, truth, guess)
            seen |= told
    assert seen == set(DIFFERENCES)
