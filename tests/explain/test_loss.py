"""What is lost is lost somewhere: the parts of all rows are what the score lacks."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from cases import hard_meet, noisy, pairs_up_to_renaming
from clusterdiff.measures import Measure
from clusterdiff.measures.attribution import losses, splittable
from clusterdiff.measures.base import HOOKS
from oracles.explain import LOSSES, in_conflict

TINY = 1e-12
Pair = tuple[dict[Any, Any], dict[Any, Any]]


def largest_share(parts: Any) -> float:
    return float(max(parts) / sum(parts))


PARAMETERS: dict[str, tuple[Any, ...]] = {
    "alpha": (0, 0.3, 0.5, 1),
    "f": ("objects", "means"),
    "norm": ("max", "arithmetic", "joint"),
    "scale": ("count", "n2"),
    "over": ("n-1", "n"),
    "k": (None, 2, 100),
    "combine": ("product", "mean"),
    "similarity": ("entropy", largest_share),
}


def forms(name: str) -> list[Measure]:
    """A measure with all values of its parameters."""
    measure = cd.measure(name)
    known = {key: PARAMETERS[key] for key in measure.arguments if key in PARAMETERS}
    return [
        measure.with_params(**dict(zip(known, values, strict=True)))
        for values in product(*known.values())
    ]


def lost(measure: Measure, meet: cd.HardMeet) -> float:
    score = float(measure.of(meet))
    return score if measure.is_distance else 1 - score


def adds_up(measure: Measure, meet: cd.HardMeet) -> bool:
    """Whether no part is negative, and all are together what is lost."""
    parts, whole = losses(measure, meet).tolist(), lost(measure, meet)
    near = abs(math.fsum(parts) - whole) <= TINY * max(1.0, abs(whole))
    return near and len(parts) == meet.both.size and min(parts) >= -TINY


def of_objects(truth: Any, guess: Any) -> Pair:
    return dict(enumerate(map(int, truth))), dict(enumerate(map(int, guess)))


@cache
def pairs() -> list[Pair]:
    """All of few objects, extremes, and some of up to 60."""
    rng = random.Random(5)
    extremes = [list(range(60)), [0] * 60, [i // 3 for i in range(60)]]
    few = [of_objects(*p) for n in range(1, 5) for p in pairs_up_to_renaming(n)]
    return [
        *few,
        *(of_objects(t, g) for t in extremes for g in extremes),
        *(
            of_objects(*noisy(n := rng.randint(1, 60), rng.randint(1, n), seed, rng.random() / 2))
            for seed in range(40)
        ),
    ]


@cache
def partly_missing() -> list[Pair]:
    """Random partitions whose objects are partly on one side only."""
    rng = random.Random(6)
    found: list[Pair] = []
    while len(found) < 40:
        n, kept = rng.randint(2, 60), rng.choice([0.3, 0.7, 0.95])
        sides = of_objects(*noisy(n, rng.randint(1, n), len(found)))
        truth, guess = ({x: c for x, c in s.items() if rng.random() < kept} for s in sides)
        if truth.keys() & guess.keys():
            found.append((truth, guess))
    return found


@cache
def meets(align: str) -> list[cd.HardMeet]:
    if align == "exact":
        return [hard_meet(*pair) for pair in pairs()]
    if align == "identical":
        return [hard_meet(truth, truth) for truth, _ in pairs()[::3]]
    made = [cd.meet(*pair, align=align) for pair in partly_missing()]
    return [m for m in made if isinstance(m, cd.HardMeet)]


def splits(measure: Measure, align: str = "exact") -> bool:
    return all(adds_up(measure, m) for m in meets(align))


@pytest.mark.parametrize("name", splittable())
def test_all_parts_are_together_what_is_lost(name: str) -> None:
    for measure in forms(name):
        for align in ("exact", "shared", "singletons"):
            for m in meets(align):
                assert adds_up(measure, m), (measure, align, m.truth, m.guess, m.both)


PENALISED = [name for name in splittable() if cd.measure(name).claims.penalise]


@pytest.mark.parametrize("name", PENALISED)
def test_what_is_missing_is_lost_too(name: str) -> None:
    for measure in forms(name):
        for m in meets("penalise"):
            assert adds_up(measure, m), (measure, m.truth, m.guess, m.both)


@pytest.mark.parametrize("name", PENALISED)
@pytest.mark.parametrize("sides", [({1: 1, 2: 1, 3: 2}, {}), ({}, {1: 1, 2: 1, 3: 2})], ids=str)
def test_a_side_without_objects_loses_all_that_it_can(name: str, sides: Pair) -> None:
    m = cd.meet(*sides, align="penalise")
    assert isinstance(m, cd.HardMeet)
    assert [measure for measure in forms(name) if not adds_up(measure, m)] == []


LABELS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=60)


@given(LABELS)
def test_any_two_partitions(labels: list[tuple[int, int]]) -> None:
    m = hard_meet(*zip(*labels, strict=True))
    assert [name for name in splittable() if not adds_up(cd.measure(name), m)] == []


@pytest.mark.parametrize("name", splittable())
def test_identical_clusterings_lose_nothing(name: str) -> None:
    for measure in forms(name):
        assert all(np.abs(losses(measure, m)).max() <= TINY for m in meets("identical"))


def by_component(name: str, pair: Pair) -> dict[frozenset[Any], float]:
    """What the objects of each component in conflict lose."""
    told = cd.explain(*pair, name)
    assert isinstance(told, cd.Explanation)
    return {
        frozenset(i for cell in part.cells for i in cell.ids): part.loss
        for part in told.top(None, None)
    }


def equals_the_oracle(name: str, pair: Pair) -> bool:
    found = by_component(name, pair)
    wanted = {part.objects: LOSSES[name](*pair, part) for part in in_conflict(*pair)}
    return found.keys() == wanted.keys() and all(
        abs(found[objects] - float(loss)) <= TINY for objects, loss in wanted.items()
    )


@pytest.mark.parametrize("name", LOSSES)
def test_a_component_loses_what_the_definition_says(name: str) -> None:
    for pair in pairs():
        assert equals_the_oracle(name, pair), pair


@pytest.mark.parametrize("name", ["elm_f", "bcubed_f", "bcubed_f(f='objects')"])
def test_a_component_with_missing_objects_loses_what_the_definition_says(name: str) -> None:
    for pair in partly_missing():
        told = cd.explain(*pair, name, align="penalise")
        assert isinstance(told, cd.Explanation)
        wanted = sorted(float(LOSSES[name](*pair, part)) for part in in_conflict(*pair))
        assert sorted(told.losses) == pytest.approx(wanted, abs=TINY), pair


right: dict[str, Callable[..., Any]] = {
    name: found for (name, hook), found in HOOKS.items() if hook == "loss"
}
"""The sums as they should be."""


def ordered_pairs(m: cd.HardMeet) -> np.ndarray:
    return np.asarray(2 * right["rand"](m))


def other_side(m: cd.HardMeet) -> np.ndarray:
    return np.asarray(right["inverse_purity"](m))


def in_bits(m: cd.HardMeet) -> np.ndarray:
    return np.asarray(right["vi_similarity"](m) / math.log(2))


def nothing(m: cd.HardMeet, **_: Any) -> np.ndarray:
    return np.zeros(m.both.size)


def per_cluster(m: cd.HardMeet) -> np.ndarray:
    """Forgets that a part of a cluster is a part of the loss."""
    return np.where(m.agree, 0.0, m.times / m.clusters[1])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("rand", ordered_pairs),
        ("purity", other_side),
        ("vi_similarity", in_bits),
        ("partition_distance", nothing),
        ("exact_precision", per_cluster),
    ],
)
def test_a_wrong_split_is_caught(
    name: str, wrong: Callable[..., np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert splits(cd.measure(name))
    monkeypatch.setitem(HOOKS, (name, "loss"), wrong)
    assert not splits(cd.measure(name))


@pytest.mark.parametrize("name", ["rand", "accuracy", "vi_similarity"])
def test_a_split_to_the_wrong_rows_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def evenly(m: cd.HardMeet) -> np.ndarray:
        return np.full(m.both.size, right[name](m).sum() / m.both.size)

    monkeypatch.setitem(HOOKS, (name, "loss"), evenly)
    assert splits(cd.measure(name))
    assert not all(equals_the_oracle(name, pair) for pair in pairs())


HARD = [m.name for m in cd.measures() if m.needs & {"shapes", "rows"} and m.name != "adjusted"]
OTHERS = [name for name in HARD if name not in splittable()]


def test_most_measures_can_be_split() -> None:
    assert {"fowlkes_mallows", "muc_f", "conll", "mutual_information"} <= set(OTHERS)
    assert len(splittable()) > len(OTHERS)


@pytest.mark.parametrize(
    "name",
    [
        *OTHERS,
        "nmi(norm='min')",
        "nmi(norm='geometric')",
        "adjusted(elm_f)",
    ],
)
def test_a_measure_that_cannot_be_split_is_refused_and_others_are_named(name: str) -> None:
    with pytest.raises(cd.ClusterdiffError, match="does not decompose over clusters") as caught:
        cd.explain(list("aabbccd"), list("xxyyzww"), name)
    assert all(other in caught.value.hint for other in splittable())


@pytest.mark.parametrize("name", [m.name for m in cd.measures() if m.name not in HARD])
def test_a_measure_of_other_clusterings_is_refused_unless_its_parts_add_up(name: str) -> None:
    try:
        told = cd.explain(list("aabbccd"), list("xxyyzww"), name)
    except cd.ClusterdiffError:
        return
    assert isinstance(told, cd.Explanation)
    lost = abs(float(told.score) - (cd.measure(name).best or 0.0))
    assert float(told.loss.sum()) == pytest.approx(lost, abs=TINY)


@pytest.mark.parametrize("name", [n for n in splittable() if n not in PENALISED])
def test_a_measure_without_a_form_for_missing_objects_is_refused(name: str) -> None:
    with pytest.raises(
        cd.ClusterdiffError, match="not defined for objects that are on one side only"
    ):
        cd.explain({1: "a", 2: "a"}, {1: "x", 3: "x"}, name, align="penalise")
