"""`check_measure` catches measures that are wrong on purpose, and shows on what."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.extending import CoverMeet, HardMeet, Shapes, SoftMeet, measure, ratio, share
from clusterdiff.measures.base import REGISTRY, Claims, Measure
from clusterdiff.measures.pairs import pairs
from clusterdiff.testing import check_measure
from clusterdiff.testing.claims import CHECKS, ClaimCheck

WEAK: dict[str, Any] = {"cite": "x", "symmetric": False, "perfect": False}
STRONG: dict[str, Any] = {"cite": "x"}


def told(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__doc__ = "A sentence that says what the number means."
    return function


@told
def constant(s: Shapes) -> float:
    return 1.0


@told
def precision(s: Shapes) -> Any:
    return s.both / s.guess_size


@told
def above(s: Shapes) -> float:
    return pairs(s).both / max(pairs(s).truth, 1) + (pairs(s).truth == 0)


@told
def elm_without_minus_one(s: Shapes) -> Any:
    return share(s.both - 1, s.guess_size)


@told
def elm_without_the_rule_for_singles(s: Shapes) -> Any:
    return share(s.both - 1, s.guess_size - 1, empty=0.0)


@told
def not_a_number(s: Shapes) -> float:
    p = pairs(s)
    return p.both / p.guess if p.guess else math.nan


@told
def forgets_the_repeats(s: Shapes) -> float:
    return float((s.both / s.guess_size * s.both).sum() / s.both.sum())


@told
def by_order(m: HardMeet) -> float:
    return float(m.both[0] / m.guess_size[0])


@told
def skips_what_is_missing(s: Shapes) -> float:
    shared = (s.truth_size > 0) & (s.guess_size > 0)
    return 1.0 if not shared.all() else float(cd.rand.function(s))


@told
def neighbours(s: Shapes) -> Any:
    return (s.both / s.guess_size) ** (1 / s.both.max())


@told
def adrift(m: CoverMeet) -> float:
    return 0.5 if m.is_hard else 1.0


@told
def blind(m: SoftMeet) -> float:
    return float(cd.rand_alpha.of(m).low)


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (constant, STRONG, "never gives 0.0, its lower bound; claim reached=False"),
    (constant, {**STRONG, "reached": False}, r"constant\(\[.*\], \[.*\]\) is 1.0: claim perfect="),
    (precision, {**STRONG, "reached": False}, r"is .*, and precision\(\[.*\]\) is .*symmetric=F"),
    (precision, {**WEAK, "reached": True}, "never gives 0.0"),
    (above, {**WEAK, "reached": True, "bounds": (0.0, 0.9)}, r"is 1.0, outside of bounds"),
    (elm_without_minus_one, WEAK, "is 0.0"),
    (elm_without_the_rule_for_singles, WEAK, r"\(\[7\], \[7\]\) is 0.0"),
    (not_a_number, WEAK, "is nan"),
    (forgets_the_repeats, {**WEAK, "reached": False}, "of shapes and .* of the rows"),
    (by_order, {**WEAK, "reached": False}, "in another order|the same both ways"),
    (skips_what_is_missing, {**STRONG, "penalise": True}, "is 1.0 with align='penalise'"),
    (neighbours, {**WEAK, "reached": False}, "in another order|beside other samples|of shapes"),
    (cd.rand.function, {**WEAK, "perfect": True}, "the same both ways: claim symmetric=True"),
    (cd.rand.function, {**STRONG, "perfect": False}, "only identical .* claim perfect=True"),
    (cd.rand.function, {**STRONG, "reached": False}, "is 0.0: claim reached=True"),
    (cd.rand.function, {**STRONG, "best": None}, "identical clusterings all score 1.0"),
    (cd.rand.function, {}, "cite=… says where"),
    (adrift, {**WEAK, "reached": False, "hard": "rand"}, "adrift"),
    (blind, {**STRONG, "symmetric": False}, "the same both ways"),
]


@pytest.mark.parametrize(("function", "claims", "text"), WRONG)
def test_wrong_measures_are_caught(function: Any, claims: dict[str, Any], text: str) -> None:
    with pytest.raises((AssertionError, cd.ClusterdiffError), match=text):
        check_measure(function, **claims)


def test_a_counterexample_can_be_pasted() -> None:
    with pytest.raises(AssertionError) as caught:
        check_measure(precision, **{**STRONG, "reached": False})
    claims = Claims("x")
    known = {"cd": cd, "precision": Measure("precision", precision, claims)}
    found = re.findall(r"(precision\(.*?\]\)) is ([\d.]+)", str(caught.value))
    assert len(found) == 2
    for typed, value in found:
        assert eval(typed, known) == pytest.approx(float(value))


@pytest.mark.parametrize("kind", ["cover", "soft"])
def test_counterexamples_of_other_kinds_can_be_pasted(kind: str) -> None:
    name = "cd.extended_bcubed_precision" if kind == "cover" else "cd.rand_belief"
    trial = ClaimCheck(eval(name))
    for case, (score, _) in list(trial.scores.items())[::17]:
        if case.kind == kind:
            assert eval(trial.call(case, (score, score)).partition(" is ")[0]) == score


@pytest.mark.parametrize("name", ["rand", "bcubed_f", "split_merge", "vi_distance"])
def test_right_measures_pass(name: str) -> None:
    check_measure(name)
    check_measure(cd.measure(name))


def test_a_function_passes_with_its_claims() -> None:
    @told
    def jaccard(s: Shapes) -> float:
        p = pairs(s)
        return ratio(p.both, p.truth + p.guess - p.both)

    check_measure(jaccard, cite="x")
    made = measure(cite="x")(jaccard)
    assert REGISTRY.pop("jaccard") is made
    check_measure(made)


def test_an_example_can_be_the_counterexample_of_a_weak_claim() -> None:
    @told
    def almost_rand(m: HardMeet) -> float:
        return 1.0 if m.objects > 5 else float(cd.rand.of(m))

    claims: dict[str, Any] = {"cite": "x", "perfect": False}
    with pytest.raises(AssertionError, match="only identical clusterings score 1.0"):
        check_measure(almost_rand, **claims)
    check_measure(almost_rand, **claims, examples=[([1] * 6, [1] * 5 + [2])])


def test_every_check_bites() -> None:
    """Each of the checks is the one that catches some of the wrong measures."""
    caught = set()
    for function, claims, _ in WRONG:
        trial = ClaimCheck(Measure(function.__name__, function, Claims(**{"cite": "", **claims})))
        for check in CHECKS:
            try:
                check(trial)
            except (AssertionError, cd.ClusterdiffError):
                caught.add(check)
    assert caught == set(CHECKS)
