"""Objects on one side only, noise, nulls, duplicates: each under every policy, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from refusals import refuses

TRUTH = {"a": 1, "b": 1, "c": 2, "d": 2}
GUESS = {"b": "x", "a": "x", "c": "y", "e": "y"}


def test_exact_refuses_with_counts_examples_and_a_hint() -> None:
    caught = refuses(None, cd.compare, TRUTH, GUESS)
    assert caught.message == ("1 of 5 objects is only in truth ('d'), 1 only in guess ('e').")
    assert 'align="singletons"' in caught.hint


def test_no_policy_is_offered_where_none_would_help() -> None:
    strangers = ({"a": 1, "b": 1, "c": 2}, {"x": 1})
    caught = refuses(None, cd.compare, *strangers)
    assert caught.message == (
        "3 of 4 objects are only in truth ('a', 'b', 'c'), 1 only in guess ('x'). None is in both."
    )
    assert "align" not in caught.hint
    again = refuses(None, cd.compare, *strangers, align="shared")
    assert again.hint == caught.hint


def test_one_object_is_spoken_of_in_the_singular() -> None:
    noise = cd.compare([-1, 1, 1], [1, 1, 1], "rand", noise=-1)
    assert "1 noise object: a cluster of its own" in noise.head()
    alone = cd.compare({"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}, "rand", align="singletons")
    assert "1 only in guess: a cluster of its own on the other side" in " ".join(
        alone.head().split()
    )


@pytest.mark.parametrize(
    ("align", "truth", "guess"),
    [
        ("shared", [1, 1, 2], list("xxy")),
        ("singletons", [1, 1, 2, 2, 9], ["x", "x", "y", "z", "y"]),
    ],
)
def test_policies_are_what_they_say(align: str, truth: list[int], guess: list[str]) -> None:
    m = cd.meet(TRUTH, GUESS, align=align)
    assert m == cd.meet(truth, guess)
    assert (m.alignment.only_truth, m.alignment.only_guess) == (1, 1)
    score = cd.compare(TRUTH, GUESS, "elm_f", align=align)["elm_f"]
    assert score.signature["align"] == f"{align}(1 only truth, 1 only guess)"


def test_penalise_counts_each_side_over_its_own_objects() -> None:
    m = cd.meet(TRUTH, GUESS, align="penalise")
    assert (m.objects, m.truth_objects, m.guess_objects) == (5, 4, 4)
    assert cd.bcubed_precision.of(m) == (1 + 1 + 0.5) / 4
    assert cd.bcubed_recall.of(m) == (1 + 1 + 0.5) / 4
    assert cd.elm_f.of(m) == 2 / 5


def test_order_of_ids_does_not_matter() -> None:
    shuffled = dict(sorted(GUESS.items(), reverse=True))
    assert cd.meet(TRUTH, GUESS, align="shared") == cd.meet(TRUTH, shuffled, align="shared")


@pytest.mark.parametrize("kind", [int, float, str, lambda i: (i, "t"), lambda i: 2**70 + i])
def test_ids_of_every_type(kind: Any) -> None:
    ids = [kind(i) for i in range(6)]
    truth = cd.Partition(list("aabbcc"), ids=ids)
    guess = cd.Partition(list("xxyyzw")[::-1], ids=ids[::-1])
    assert cd.meet(truth, guess) == cd.meet(list("aabbcc"), list("xxyyzw"))


def test_integer_and_string_ids_are_told_apart() -> None:
    refuses(r"integers \(such as 1\).*strings \(such as '1'\)", cd.elm_f, {1: "a"}, {"1": "a"})


def test_integers_and_floats_are_equal_ids() -> None:
    assert cd.elm_f({1: "a", 2: "a"}, {1.0: "b", 2.0: "b"}) == 1


def test_labels_without_ids_need_equal_lengths() -> None:
    refuses("truth has 3 labels, guess has 2", cd.elm_f, [1, 1, 2], [1, 1])


@pytest.mark.parametrize("flip", [False, True])
def test_ids_on_one_side_only_are_refused(flip: bool) -> None:
    pair = ({"a": 1}, [1])
    refuses("has ids, .* has none", cd.elm_f, *(pair[::-1] if flip else pair))


def test_nothing_shared_is_an_error() -> None:
    refuses("no object in common", cd.elm_f, {"a": 1}, {"b": 1}, align="shared")


def test_repeated_ids_must_agree() -> None:
    again = cd.Partition([1, 1, 1, 2], ids=["a", "b", "a", "c"])
    assert (len(again), again.repeats) == (3, 1)
    report = cd.compare({"a": 1, "b": 1, "c": 2}, again, ["rand"])
    assert report["rand"].value == 1
    assert report["rand"].signature["repeats"] == 1
    assert "1 row repeated the same object and cluster" in str(report)
    sampled = cd.Partition([1, 1, 1], ids=["a", "a", "a"], samples=["d", "d", "e"])
    assert cd.compare(sampled, sampled, "rand")["rand"].signature["repeats"] == 2
    with pytest.raises(cd.ClusterdiffError, match="1 id is in more than one cluster.*'a' is in 1"):
        cd.Partition([1, 1, 2], ids=["a", "b", "a"])
    refuses("more than one cluster", cd.elm_f, [{"a", "b"}, {"b"}], [{"a", "b"}])


NULLS = [
    ["x", None, "y"],
    [1.0, float("nan"), 2.0],
    np.array([1.0, np.nan, 2.0]),
    np.array(["x", None, "y"], object),
    [(1,), None, (2,)],
    np.array(["2020-01-01", "NaT", "2021-01-01"], "datetime64[D]"),
]


@pytest.mark.parametrize("labels", NULLS, ids=str)
def test_null_labels_are_refused_or_noise(labels: Any) -> None:
    refuses(r"1 of 3 labels in \w+ is null \(object 1\)", cd.elm_f, [1, 2, 3], labels)
    refuses(r"labels in \w+ (is|are) null", cd.elm_f, labels, [1, 2, 3])
    m = cd.meet([1, 1, 1], labels, noise=[None])
    assert m == cd.meet([1, 1, 1], [1, 2, 3])
    assert cd.meet([1, 1, 1], labels, noise=[None], noise_as="drop").objects == 2


def test_noise_is_single_or_dropped_and_counted() -> None:
    truth, guess = [1, 1, 2, 2, 3], [0, 0, -1, -1, -1]
    single = cd.meet(truth, guess, noise=-1)
    assert single == cd.meet(truth, [0, 0, 1, 2, 3])
    assert single.alignment.noise == 3
    dropped = cd.compare(truth, guess, "rand", noise=-1, noise_as="drop")["rand"]
    assert dropped.signature["noise"] == "3 drop"
    assert dropped.meet == cd.meet([1, 1], [0, 0])
    assert cd.meet(truth, guess, noise=[-1, 0]) == cd.meet(truth, range(5))
    assert cd.meet(["n", "a"], ["n", "n"], noise="n") == cd.meet([1, 2], [1, 2])
    assert cd.meet([("n",), 1], [1, 1], noise=[("n",)]) == cd.meet([1, 2], [1, 1])
    assert cd.meet([1, 2], ["n", "n"], noise=-1).alignment.noise == 0
    assert cd.meet([1.5, 2.5], [1, 1], noise="n").alignment.noise == 0


def test_dropping_everything_is_an_error() -> None:
    refuses("after the noise is dropped", cd.elm_f, [1, 1], [-1, -1], noise=-1, noise_as="drop")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"align": "exactly"}, "unknown alignment policy 'exactly'"),
        ({"noise": 1, "noise_as": "dropped"}, "noise cannot become 'dropped'"),
        ({"noise": 1, "features": [[1.0], [2.0], [3.0]]}, "2 labels but 3 rows of features"),
        ({"features": [1.0, float("nan")]}, "NaN"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, Any], text: str) -> None:
    refuses(text, cd.meet, [1, 1], [1, 2], **options)


def test_features_need_objects_of_truth() -> None:
    with pytest.raises(cd.ClusterdiffError, match="have no features"):
        cd.meet({"a": 1}, {"a": 1, "b": 1}, align="singletons", features=[1.0])
    refuses("needs the features", cd.split_merge, [1, 1], [1, 2], similarity="mse")
    shared = cd.split_merge(
        {"a": 1, "b": 1, "c": 1, "d": 1},
        {"c": 1, "b": 2, "a": 2},
        similarity="mse",
        features=[0.0, 1.0, 5.0, 99.0],
        align="shared",
    )
    assert shared == cd.split_merge([1, 1, 1], [2, 2, 1], similarity="mse", features=[0, 1, 5])


def test_objects_are_aligned_with_the_ids() -> None:
    each = cd.objects("elm_recall", TRUTH, GUESS, align="penalise")
    assert each.to_dict() == {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}
    assert cd.objects("elm_f", [1, 1, 2], [1, 1, 1]).ids == [0, 1, 2]
    assert each.worst(2) == [("c", 0.0), ("d", 0.0)]
    assert len(each) == 5
    refuses("not a mean over objects", cd.objects, "adjusted_rand", TRUTH, TRUTH)
    refuses("one side only", cd.objects, "split_merge", TRUTH, GUESS, align="penalise")


def test_objects_of_many_are_those_of_few() -> None:
    truth, guess = np.arange(300_000) // 3, np.arange(300_000) // 4
    each = cd.objects("elm_f", truth, guess)
    assert each.scores.mean() == pytest.approx(cd.elm_f(truth, guess), abs=1e-12)
    assert each.scores[:12] == pytest.approx(cd.objects("elm_f", truth[:12], guess[:12]).scores)


@pytest.mark.parametrize("spread", [1, 10**12])
def test_whole_number_ids_near_and_far(spread: int) -> None:
    """Ids that lie close together go through a table, others through Arrow: the same meet."""
    ids = (np.arange(50) - 20) * spread
    rng = np.random.default_rng(0)
    truth, guess = rng.integers(0, 9, 50), rng.integers(0, 9, 50)
    order = rng.permutation(50)
    left = cd.Partition(truth, ids)
    right = cd.Partition(guess[order][:40], ids[order][:40])
    kept = np.sort(order[:40])
    assert cd.meet(left, right, align="shared") == cd.meet(truth[kept], guess[kept])
    assert cd.meet(right, left, align="shared") == cd.meet(guess[kept], truth[kept])
    far = cd.Partition([1, 2], [2**62, -(2**62)])
    refuses("no object in common", cd.meet, left, far, align="shared")


def test_noise_that_no_table_can_hold_is_no_label(tmp_path: Path) -> None:
    file = tmp_path / "truth.parquet"
    pd.DataFrame({"id": [1, 2, 3], "cluster": [5, 5, 6]}).to_parquet(file)
    for noise in (10**400, 1e400, 2**70, -(2**63)):
        for engine in ("arrays", "duckdb"):
            assert cd.rand(str(file), str(file), noise=noise, engine=engine) == 1
