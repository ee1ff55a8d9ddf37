"""Plain labels take a way of their own, which nobody can tell from the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.io import shapes_of_few
from clusterdiff.io.arguments import FEW
from refusals import refuses

OF_SHAPES = [m for m in cd.measures() if "shapes" in m.needs]


def kinds(codes: Any) -> list[Any]:
    """Codes as the labels that people have."""
    return [codes, codes.astype(np.uint8), codes.tolist(), tuple(codes.tolist()),
            [f"c{code}" for code in codes], np.array([f"c{code}" for code in codes]),
            (codes * 10**15 - 3).tolist()]  # fmt: skip


@pytest.mark.parametrize("measure", OF_SHAPES, ids=str)
def test_the_same_bits_as_the_meet(measure: cd.Measure) -> None:
    rng = np.random.default_rng(7)
    for size, clusters in ((1, 1), (2, 1), (2, 2), (9, 3), (100, 10), (300, 200), (FEW, 5)):
        truth, guess = rng.integers(0, clusters, (2, size))
        guess = np.where(rng.random(size) < 0.5, truth, guess)
        assert measure(truth, guess) == measure.of(cd.meet(truth, guess))
        assert measure(truth, truth) == measure.of(cd.meet(truth, truth))
        ids = [f"o{i}" for i in rng.permutation(size)]
        one, other = (
            {i: str(x) for i, x in zip(ids, side, strict=True)} for side in (truth, guess)
        )
        assert measure(one, dict(reversed(other.items()))) == measure(truth, guess)
        assert measure(truth.tolist(), guess.tolist()) == measure(truth, guess)


def test_many_numbers_in_few_clusters() -> None:
    rng = np.random.default_rng(8)
    for size, clusters, kind in ((10**4, 100, np.int64), (10**5, 9, np.uint8), (9000, 40, "<i2")):
        truth, guess = rng.integers(0, clusters, (2, size)).astype(kind)
        guess[: size // 2] = truth[: size // 2]
        found, meet = shapes_of_few(truth, guess), cd.meet(truth, guess)
        assert found is not None
        assert isinstance(meet, cd.HardMeet)
        for name in ("both", "truth_size", "guess_size", "times"):
            assert getattr(found, name).tolist() == getattr(meet.shapes, name).tolist()
        assert [x.tolist() for x in found.truth_sizes] == [x.tolist() for x in meet.truth_sizes]
    far = np.array([0, 2**64 - 1, 5], np.uint64)
    assert shapes_of_few(far, far) is None
    assert shapes_of_few(far[1:2], far[1:2]) is None
    assert shapes_of_few(np.arange(FEW + 1) * 2**40, np.arange(FEW + 1)) is None


def test_dicts_of_the_same_objects() -> None:
    one, other = {"a": 1, "b": 1, "c": 2}, {"c": "x", "b": "x", "a": "y"}
    found = shapes_of_few(one, other)
    assert found is not None
    assert found.both.tolist() == [1, 1, 1]
    assert shapes_of_few(one, {"a": 1, "b": 1, "d": 2}) is None
    assert shapes_of_few(one, {"a": 1, "b": 1}) is None
    assert shapes_of_few(one, [1, 1, 2]) is None
    assert shapes_of_few({1: 1}, {True: 1}) is None
    refuses(None, cd.elm_f, one, {"a": 1, "b": 1, "d": 2})


def test_labels_of_every_plain_kind_are_counted_here() -> None:
    truth, guess = np.random.default_rng(3).integers(0, 6, (2, 40))
    meet = cd.meet(truth, guess)
    assert isinstance(meet, cd.HardMeet)
    for left, right in zip(kinds(truth), reversed(kinds(guess)), strict=True):
        found = shapes_of_few(left, right)
        assert found is not None
        for name in ("both", "truth_size", "guess_size", "times"):
            assert getattr(found, name).tolist() == getattr(meet.shapes, name).tolist()
        for name in ("truth_sizes", "guess_sizes"):
            ours, theirs = getattr(found, name), getattr(meet.shapes, name)
            assert [x.tolist() for x in ours] == [x.tolist() for x in theirs]
        assert found.objects == 40


@pytest.mark.parametrize(
    "labels",
    [
        [],
        ["a", None, "b"],
        ["nan", "nan", "b"],
        [1, "1", 2],
        [1.0, 2.0, float("nan")],
        [True, False, True],
        [1, 2**63, 3],
        [-(2**63) - 1, 0, 1],
        [{1}, {2}, {3}],
        "12|3",
        {"a": 1, "nan": 1, "c": 2},
        {"a": 1, 2: 1, "c": 2},
        {"a": 1, "b": 1.5, "c": 2},
        {"a": [1], "b": [1], "c": [2]},
        {True: 1, False: 1},
        np.zeros((3, 1), int),
        np.array([1.0, 2.0, 3.0]),
        np.array(["1", 2, 3], object),
        np.ma.array([1, 2, 3], mask=[False, True, False]),
        list(range(FEW + 1)),
    ],
    ids=repr,
)
def test_all_else_is_left_to_the_meet(labels: Any) -> None:
    assert shapes_of_few(labels, labels) is None
    assert shapes_of_few([1, 1, 1], labels) is None
    assert shapes_of_few(labels, [1, 1, 1]) is None


def test_refusals_and_warnings_stay() -> None:
    refuses("truth has 3 labels, guess has 2", cd.rand, [1, 1, 2], [1, 1])
    refuses(None, cd.rand, [1, None, 2], [1, 1, 2])
    with pytest.warns(cd.ClusterdiffWarning, match="nan"):
        cd.rand(["nan", "nan", "b"], [1, 1, 2])
