"""Only pairs of objects from different sources count: every pair looked at, one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd

MEASURES = (
    "pair_precision", "pair_recall", "pair_f", "pair_f(alpha=0.2)", "pair_jaccard",
    "fowlkes_mallows", "rand", "adjusted_rand", "mirkin_distance", "pair_correlation",
    "pair_correlation_distance",
)  # fmt: skip


def looked_at(
    truth: dict[Any, Any],
    guess: dict[Any, Any],
    source: dict[Any, Any],
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    count: dict[Any, int] | None = None,
) -> tuple[int, int, int, int]:
    """Pairs across sources that are together in truth, in guess, in both; and all of them."""
    ids = [*truth, *(i for i in guess if i not in truth)]
    if align == "shared":
        ids = [i for i in ids if i in truth and i in guess]
    sides = []
    for side in (truth, guess):
        sides.append({
            i: ("noise", i) if noise is not None and side.get(i) == noise
            else side[i] if i in side
            else ("alone", i) if align == "singletons"
            else None
            for i in ids
        })  # fmt: skip
    if noise_as == "drop":
        ids = [i for i in ids if noise not in (truth.get(i), guess.get(i))]
    rows = [(i, copy) for i in ids for copy in range(1 if count is None else count[i])]
    found = [0, 0, 0, 0]
    for (one, _), (other, _) in combinations(rows, 2):
        if source[one] == source[other]:
            continue
        t, g = (side[one] is not None and side[one] == side[other] for side in sides)
        found[0] += t
        found[1] += g
        found[2] += t and g
        found[3] += 1
    return found[0], found[1], found[2], found[3]


def scores(truth: int, guess: int, both: int, every: int) -> dict[str, float]:
    """The definitions, of pairs that were counted."""

    def share(x: Any, y: Any) -> float:
        return float(Fraction(x) / Fraction(y)) if y else 1.0

    precision, recall = share(both, guess), share(both, truth)
    lost, extra, neither = truth - both, guess - both, every - truth - guess + both

    def f(alpha: float) -> float:
        if not guess and not truth:
            return 1.0
        return 1 / (alpha / precision + (1 - alpha) / recall) if precision and recall else 0.0

    same = 1.0 if not lost and not extra else 0.0
    spread = (both + lost) * (both + extra) * (neither + lost) * (neither + extra)
    phi = (both * neither - lost * extra) / math.sqrt(spread) if spread else same
    chance = Fraction(truth * guess, every) if every else 0
    return {
        "pair_precision": precision,
        "pair_recall": recall,
        "pair_f": f(0.5),
        "pair_f(alpha=0.2)": f(0.2),
        "pair_jaccard": share(both, truth + guess - both),
        "fowlkes_mallows": math.sqrt(precision * recall),
        "rand": share(both + neither, every),
        "adjusted_rand": share(both - chance, Fraction(truth + guess, 2) - chance),
        "mirkin_distance": 2.0 * (lost + extra),
        "pair_correlation": phi,
        "pair_correlation_distance": math.acos(max(-1.0, min(1.0, phi))) / math.pi
        if spread else (1 - same) / 2,
    }  # fmt: skip


def drawn(
    seed: int, many: int = 26, sources: int = 3
) -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
    rng = np.random.default_rng(seed)
    ids = [f"r{i}" for i in rng.permutation(many)]
    truth = dict(zip(ids, rng.integers(0, many // 3, many).tolist(), strict=True))
    guess = {i: int(rng.integers(0, many // 3)) if rng.random() < 0.3 else truth[i] for i in ids}
    source = dict(zip(ids, rng.choice(list("ABC")[:sources], many).tolist(), strict=True))
    return truth, dict(sorted(guess.items())), source


POLICIES: list[dict[str, Any]] = [
    {},
    {"align": "shared"},
    {"align": "singletons"},
    {"align": "penalise"},
    {"noise": 0},
    {"noise": 0, "noise_as": "drop"},
    {"align": "singletons", "noise": 0},
    {"align": "shared", "noise": 0, "noise_as": "drop"},
    {"align": "penalise", "noise": 0},
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("counted", [False, True], ids=["once", "counted"])
def test_pairs_across_sources_are_those_of_all_pairs(policy: dict[str, Any], counted: bool) -> None:
    for seed in range(12):
        truth, guess, source = drawn(seed, sources=1 + seed % 3)
        rng = np.random.default_rng(seed)
        if policy.get("align"):
            truth = {i: c for i, c in truth.items() if rng.random() > 0.2}
            guess = {i: c for i, c in guess.items() if rng.random() > 0.2}
        count = {i: int(rng.integers(1, 5)) for i in source} if counted else None
        wanted = scores(*looked_at(truth, guess, source, count=count, **policy))
        asked = [
            m for m in MEASURES
            if policy.get("align") != "penalise" or cd.measure(m).claims.penalise
        ]  # fmt: skip
        report = cd.compare(truth, guess, asked, between=source, count=count, **policy)
        for text in asked:
            assert report[text].value == pytest.approx(wanted[text], abs=1e-9), (seed, text)


def test_the_closed_form_is_caught_where_it_is_wrong() -> None:
    """Scores over all pairs, and within sources, differ from those across."""
    truth, guess, source = drawn(4)
    across = cd.compare(truth, guess, MEASURES, between=source)
    over_all = cd.compare(truth, guess, MEASURES)
    for text in MEASURES:
        assert across[text].value != pytest.approx(over_all[text].value, abs=1e-6), text
    one = dict.fromkeys(source, "same")
    assert cd.compare(truth, guess, "pair_recall", between=one)["pair_recall"].value == 1
    each = {i: i for i in source}
    alone = cd.compare(truth, guess, MEASURES, between=each)
    for text in MEASURES:
        assert alone[text].value == pytest.approx(over_all[text].value), text
