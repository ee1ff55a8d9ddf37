"""Samples side by side are scored as each is on its own, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import Partition
from clusterdiff.contingency import HardMeet, Policy, Stack
from clusterdiff.engines.samples import by_sample, stack_of
from clusterdiff.io import listed

HARD = [m for m in cd.measures() if m.needs & {"shapes", "rows"} and m.name != "transport"]


def samples(seed: int, missing: bool) -> tuple[Partition, Partition]:
    """Forty small documents; some lack objects on one side, and some are alike."""
    rng = np.random.default_rng(seed)
    rows: tuple[list[Any], list[Any]] = ([], [])
    for doc in range(40):
        size = int(rng.integers(2, 7))
        for side in rows:
            labels = rng.integers(0, 3, size) if doc % 4 else np.arange(size) // 2
            kept = [0, *(i for i in range(1, size) if not missing or rng.random() < 0.8)]
            side.extend((f"d{doc}", i, int(labels[i])) for i in kept)
    made = []
    for side in rows:
        docs, ids, clusters = (list(values) for values in zip(*side, strict=True))
        made.append(Partition(clusters, ids, docs))
    return made[0], made[1]


def stacked(seed: int, align: str) -> tuple[Stack, list[HardMeet]]:
    sides, policy = samples(seed, align != "exact"), Policy(align)
    stack = stack_of(*sides, policy)
    each = listed(by_sample(*sides), policy)
    assert stack is not None
    assert stack.names == each.names
    assert stack.pooled == each.pooled
    assert stack.alignment == each.pooled.alignment
    return stack, each.meets


@pytest.mark.parametrize("align", ["exact", "shared", "singletons", "penalise"])
def test_every_measure_scores_samples_in_one_pass_as_one_by_one(align: str) -> None:
    stack, meets = stacked(3, align)
    scored = 0
    for measure in HARD:
        if measure.arguments.get("similarity") == "mse":
            continue
        try:
            wanted = [measure.of(meet) for meet in meets]
        except cd.ClusterdiffError:
            continue
        assert list(measure.of_each(stack)) == wanted, measure
        scored += 1
    assert scored > (20 if align == "penalise" else 45)


def test_each_sample_is_the_meet_that_it_is_alone() -> None:
    for seed in range(5):
        stack, meets = stacked(seed, "singletons")
        assert [stack[i] for i in range(len(stack))] == meets


def test_samples_that_are_alike_are_scored_once() -> None:
    stack, meets = stacked(0, "exact")
    codes, firsts = stack.alike_in_rows
    assert len(firsts) < len(stack)
    for i, code in enumerate(codes):
        assert meets[i] == meets[firsts[code]]


def test_one_pass_gives_way_where_each_sample_needs_a_look() -> None:
    truth, guess = samples(1, missing=False)
    assert stack_of(truth, guess, Policy(noise=[0])) is None
    assert stack_of(truth, cd.Cover(guess), Policy()) is None
    with pytest.raises(cd.ClusterdiffError, match="no object in common"):
        cd.compare(truth, Partition([7], [99], ["d0"]), samples=None, align="shared")


@pytest.mark.parametrize("missing", [False, True])
def test_samples_have_one_fingerprint_however_they_are_held(missing: bool) -> None:
    """In one table or each on its own, in any order; a change in one sample shows."""
    truth, guess = samples(3, missing)
    policy = Policy("penalise" if missing else "exact")
    stack = stack_of(truth, guess, policy)
    assert stack is not None
    each = by_sample(truth, guess)
    assert stack.split == listed(each, policy).split == listed(each[::-1], policy).split
    assert listed(each[1:], policy).split != stack.split
