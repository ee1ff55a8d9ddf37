"""Measures that are wrong on purpose are caught: by a claim, or else by an oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import clusterdiff as cd
from cases import cover_meet, cover_pairs, memberships, pairs_up_to_renaming
from clusterdiff.contingency import CoverMeet, HardMeet, Shapes
from clusterdiff.measures.base import Claims, Measure
from clusterdiff.measures.comembership import alike as likeness
from clusterdiff.measures.comembership import around
from clusterdiff.measures.pairs import pairs
from clusterdiff.measures.zero_division import ratio, share
from oracles import ORACLES
from oracles.overlapping import OVERLAPPING

TINY = 1e-12


def constant(s: Shapes) -> float:
    return 1.0


def swapped_precision(s: Shapes) -> np.ndarray:
    return s.both / s.truth_size


def elm_without_minus_one(s: Shapes) -> np.ndarray:
    return share(s.both - 1, s.guess_size)


def elm_without_the_rule_for_singles(s: Shapes) -> np.ndarray:
    return share(s.both - 1, s.guess_size - 1, empty=0.0)


def rand_over_ordered_pairs(s: Shapes) -> float:
    p = pairs(s)
    return ratio(p.all - p.truth - p.guess + 2 * p.both + s.objects, p.all + s.objects)


def mean_over_clusters(m: HardMeet) -> float:
    return float(np.mean(m.both / m.guess_size))


def forgets_the_repeats(s: Shapes) -> float:
    return float((s.both / s.guess_size * s.both).sum() / s.both.sum())


def entropy_of_log_n(m: HardMeet) -> np.ndarray:
    return np.asarray(1 - np.log(m.truth_size / m.both) / np.log(max(m.objects, 2)))


def oracle_differs(wrong: Measure, name: str) -> bool:
    return any(
        abs(wrong.of(cd.meet(*p)) - float(ORACLES[name](*map(_dict, p)))) > TINY
        for n in range(1, 5)
        for p in pairs_up_to_renaming(n)
    )


def _dict(labels: tuple[int, ...]) -> dict[int, int]:
    return dict(enumerate(labels))


WEAK = Claims("", symmetric=False, perfect=False)


@pytest.mark.parametrize(
    ("function", "claims", "right"),
    [
        (constant, Claims(""), "rand"),
        (swapped_precision, WEAK, "bcubed_precision"),
        (elm_without_minus_one, WEAK, "elm_precision"),
        (elm_without_the_rule_for_singles, WEAK, "elm_precision"),
        (rand_over_ordered_pairs, Claims(""), "rand"),
        (mean_over_clusters, WEAK, "bcubed_precision"),
        (forgets_the_repeats, WEAK, "bcubed_precision"),
        (entropy_of_log_n, Claims(""), "split_merge"),
    ],
)
def test_wrong_measures_are_caught(
    function: Callable[..., float], claims: Claims, right: str
) -> None:
    wrong = Measure(function.__name__, function, claims)
    assert oracle_differs(wrong, right)


def test_the_right_ones_are_not_caught() -> None:
    for name in ("rand", "elm_f", "split_merge", "bcubed_precision"):
        assert not oracle_differs(cd.measure(name), name)


def precision_of_pairs_alike(m: CoverMeet) -> np.ndarray:
    """Divides by the pairs weighed, not by the objects around."""
    found = around(m, likeness(m, "jaccard", "all"))
    return share(found.precise_alike, found.precise, 1.0)


def recall_for_precision(m: CoverMeet) -> np.ndarray:
    found = around(m, likeness(m, "jaccard", "all"))
    return share(found.recalled_alike, found.truth, 1.0)


def uncovered_is_wrong(m: CoverMeet) -> np.ndarray:
    found = around(m, likeness(m, "jaccard", "all"))
    return share(found.precise_alike, found.guess, 0.0)


def other_similarity(m: CoverMeet) -> np.ndarray:
    found = around(m, likeness(m, "f", "all"))
    return share(found.precise_alike, found.guess, 1.0)


def prose_for_equation(m: CoverMeet) -> np.ndarray:
    found = around(m, likeness(m, "jaccard", "pair"))
    return share(found.precise_alike, found.guess, 1.0)


def right_precision(m: CoverMeet) -> np.ndarray:
    found = around(m, likeness(m, "jaccard", "all"))
    return share(found.precise_alike, found.guess, 1.0)


def omega_without_chance(m: CoverMeet) -> float:
    """Counts an object with itself, and takes nothing off."""
    pairs = around(m, likeness(m, "jaccard", "all")).pairs
    return float(pairs[2, 0] / max(pairs[0].sum(), 1))


def cover_oracle_differs(function: Callable[..., object], name: str) -> bool:
    wrong = Measure(function.__name__, function, WEAK)  # type: ignore[arg-type]
    return any(
        abs(
            wrong.of(cover_meet(n, *pair))
            - float(OVERLAPPING[name](*(memberships(n, family) for family in pair)))
        )
        > TINY
        for n in (1, 2, 3)
        for pair in cover_pairs(n)[::3]
    )


@pytest.mark.parametrize(
    ("function", "right"),
    [
        (precision_of_pairs_alike, "cice_precision"),
        (recall_for_precision, "cice_precision"),
        (uncovered_is_wrong, "cice_precision"),
        (other_similarity, "cice_precision"),
        (prose_for_equation, "cice_precision"),
        (right_precision, "extended_bcubed_precision"),
        (omega_without_chance, "omega"),
    ],
)
def test_wrong_measures_of_covers_are_caught(function: Callable[..., object], right: str) -> None:
    assert cover_oracle_differs(function, right)


def test_a_right_measure_of_covers_is_not_caught() -> None:
    assert not cover_oracle_differs(right_precision, "cice_precision")
