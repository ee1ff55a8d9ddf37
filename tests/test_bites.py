"""Measures that are wrong on purpose are caught: by a claim, or else by an oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import clusterdiff as cd
from cases import all_pairs, pairs_up_to_renaming
from clusterdiff.measures.base import Claims, Measure, ratio, share
from clusterdiff.measures.pairs import pairs
from clusterdiff.meet import HardMeet, Shapes
from oracles import ORACLES

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


def claims_break(wrong: Measure) -> bool:
    """Whether bounds, symmetry or perfect match fail on partitions of up to 4 objects."""
    low, high = wrong.claims.bounds
    for n in range(1, 5):
        scores = {(t, g): wrong.of(cd.meet(t, g)) for t, g in all_pairs(n)}
        for (t, g), score in scores.items():
            if not low - TINY <= score <= high + TINY:
                return True
            if wrong.claims.symmetric and abs(score - scores[g, t]) > TINY:
                return True
            if (abs(score - 1) < TINY) != (t == g) and (wrong.claims.perfect or t == g):
                return True
    return False


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


@pytest.mark.parametrize(
    ("function", "claims"),
    [
        (constant, Claims("")),
        (swapped_precision, Claims("")),
        (elm_without_minus_one, WEAK),
        (elm_without_the_rule_for_singles, WEAK),
        (entropy_of_log_n, Claims("")),
    ],
)
def test_claims_alone_catch_some(function: Callable[..., float], claims: Claims) -> None:
    assert claims_break(Measure(function.__name__, function, claims))


def test_the_right_ones_are_not_caught() -> None:
    for name in ("rand", "elm_f", "split_merge", "bcubed_precision"):
        assert not claims_break(cd.measure(name))
        assert not oracle_differs(cd.measure(name), name)
