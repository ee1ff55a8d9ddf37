"""Measures that are wrong on purpose are caught: by a claim, or else by an oracle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cases import cover_meet, cover_pairs, memberships, pairs_up_to_renaming
from clusterdiff.contingency import CoverMeet, HardMeet, Shapes
from clusterdiff.measures import segmentation
from clusterdiff.measures.base import Claims, Measure
from clusterdiff.measures.comembership import CoMembers, around
from clusterdiff.measures.comembership import alike as likeness
from clusterdiff.measures.matching import best_matching
from clusterdiff.measures.pairs import confusion, pairs
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


def matches_from_one_half_on(s: Shapes) -> float:
    near = 2 * s.found >= s.truth_size + s.guess_size - s.found
    iou = s.found / (s.truth_size + s.guess_size - s.found)
    return float(2 * (iou * near * s.times).sum() / sum(s.clusters))


def panoptic_over_the_truth(s: Shapes) -> float:
    iou, _ = segmentation.overlap(s)
    return float((iou * s.times).sum() / s.truth_sizes.clusters)


def matched_by_the_first_that_fits(m: HardMeet) -> float:
    union = m.truth_size + m.guess_size - m.found
    return float((m.times * (m.found / union >= 0.5)).sum() / m.clusters[1])


def boundaries_by_rows(m: HardMeet) -> float:
    return max(0.0, (sum(m.clusters) - m.rows) / m.clusters[1])


def correlation_of_ordered_pairs(s: Shapes) -> float:
    c = confusion(s)
    a = c.both + s.objects
    below = (a + c.truth) * (a + c.guess) * (c.neither + c.truth) * (c.neither + c.guess)
    return float((a * c.neither - c.truth * c.guess) / below**0.5) if below else 1.0


def split_for_merge(s: Shapes) -> np.ndarray:
    return np.log(s.guess_size / s.both)


def accuracy_of_all_shares(m: HardMeet) -> float:
    shares = m.found / m.truth_size
    kept = float((shares * m.times).sum())
    truths = m.clusters[0]
    return max(0.0, (kept - 1) / (truths - 1)) if truths > 1 else 1.0


def pair_sets_without_chance(m: HardMeet) -> float:
    similar = m.found / np.maximum(m.truth_size, m.guess_size)
    chosen = best_matching(m, similar)
    return float((similar * m.times)[chosen].sum() / max(m.clusters))


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
        (matches_from_one_half_on, Claims(""), "panoptic_quality"),
        (panoptic_over_the_truth, Claims(""), "panoptic_quality"),
        (matched_by_the_first_that_fits, WEAK, "match_precision"),
        (boundaries_by_rows, WEAK, "boundary_precision"),
        (correlation_of_ordered_pairs, Claims(""), "pair_correlation"),
        (split_for_merge, WEAK, "vi_split"),
        (accuracy_of_all_shares, WEAK, "normalized_clustering_accuracy"),
        (pair_sets_without_chance, Claims(""), "pair_sets_index"),
    ],
)
def test_wrong_measures_are_caught(
    function: Callable[..., float], claims: Claims, right: str
) -> None:
    wrong = Measure(function.__name__, function, claims)
    assert oracle_differs(wrong, right)


def test_the_right_ones_are_not_caught() -> None:
    for name in ("rand", "elm_f", "split_merge", "bcubed_precision", "panoptic_quality",
                 "match_precision", "boundary_precision", "pair_correlation", "vi_split",
                 "normalized_clustering_accuracy", "pair_sets_index"):  # fmt: skip
        assert not oracle_differs(cd.measure(name), name)


def of_cice(
    quotient: Callable[[CoMembers], np.ndarray], similarity: str = "jaccard", match: str = "all"
) -> Callable[[CoverMeet], np.ndarray]:
    """CICE precision with another quotient, or another likeness of clusters."""

    def function(m: CoverMeet) -> np.ndarray:
        return quotient(around(m, likeness(m, similarity, match)))

    return function


def over_guess(found: CoMembers, empty: float = 1.0) -> np.ndarray:
    return share(found.precise_alike, found.guess, empty)


def omega_without_chance(m: CoverMeet) -> float:
    """Counts an object with itself, and takes nothing off."""
    pairs = around(m, likeness(m, "jaccard", "all")).pairs
    return float(pairs[2, 0] / max(pairs[0].sum(), 1))


def cover_oracle_differs(function: Callable[[CoverMeet], Any], name: str) -> bool:
    def wrong(m: CoverMeet) -> Any:
        return function(m)

    measure = Measure("wrong", wrong, WEAK)
    return any(
        abs(
            measure.of(cover_meet(n, *pair))
            - float(OVERLAPPING[name](*(memberships(n, family) for family in pair)))
        )
        > TINY
        for n in (1, 2, 3)
        for pair in cover_pairs(n)[::3]
    )


WRONG_COVERS: dict[str, tuple[Callable[[CoverMeet], Any], str]] = {
    "divides by the pairs weighed, not by the objects around": (
        of_cice(lambda found: share(found.precise_alike, found.precise, 1.0)), "cice_precision"
    ),
    "recall for precision": (
        of_cice(lambda found: share(found.recalled_alike, found.truth, 1.0)), "cice_precision"
    ),
    "uncovered is wrong": (of_cice(partial(over_guess, empty=0.0)), "cice_precision"),
    "another similarity": (of_cice(over_guess, "f"), "cice_precision"),
    "the prose for the equation": (of_cice(over_guess, "jaccard", "pair"), "cice_precision"),
    "CICE for Extended BCubed": (of_cice(over_guess), "extended_bcubed_precision"),
    "omega without chance": (omega_without_chance, "omega"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG_COVERS)
def test_wrong_measures_of_covers_are_caught(wrong: str) -> None:
    assert cover_oracle_differs(*WRONG_COVERS[wrong])


def test_a_right_measure_of_covers_is_not_caught() -> None:
    assert not cover_oracle_differs(of_cice(over_guess), "cice_precision")
