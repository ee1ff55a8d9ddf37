"""The renaming is the best of all renamings, by objects, by weights and by shares."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import clusterdiff as cd
from releases.releases import NEW, OLD, Run, ids_given, random_runs, renamings, run, score_of


def best(
    old: Run, new: Run, weight: dict[int, int] | None = None, least: Fraction | None = None
) -> tuple[int, int]:
    olds, news = sorted(set(old.values())), sorted(set(new.values()))
    scores = (score_of(old, new, given, weight, least) for given in renamings(olds, news))
    return max(score for score in scores if score is not None)


@pytest.mark.parametrize("seed", range(60))
def test_no_renaming_keeps_more_weight(seed: int) -> None:
    old, new = random_runs(1000 + seed, clusters=3)
    rng = random.Random(seed)
    weight = {o: rng.choice([1, 2, 10]) for o in old.keys() | new.keys()}
    done = cd.relabel(old, new, weight=weight)
    assert score_of(old, new, ids_given(old, new, done), weight) == best(old, new, weight)
    tenths = {o: w / 10 for o, w in weight.items()}
    again = cd.relabel(old, new, weight=tenths)
    assert again.clustering.labels.tolist() == done.clustering.labels.tolist()
    assert again.weighted_share == done.weighted_share


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("share", [0.5, 0.25])
def test_ids_live_where_enough_of_their_objects_stay(seed: int, share: float) -> None:
    old, new = random_runs(2000 + seed, clusters=3)
    done = cd.relabel(old, new, min_share=share)
    wanted = best(old, new, least=Fraction(share))
    assert score_of(old, new, ids_given(old, new, done), None, Fraction(share)) == wanted


def test_identical_runs_keep_everything() -> None:
    done = cd.relabel(OLD, {o: f"other {name}" for o, name in OLD.items()})
    assert done.share == 1
    assert done.clustering.labels.tolist() == list(OLD.values())
    assert done.ids == {"kept": 5, "retired": 0, "revived": 0, "new": 0}


def test_greedy_would_keep_fewer() -> None:
    done = cd.relabel(run(a=range(1, 6), b=[6, 7]), run(p=[1, 2, 3, 6, 7], q=[4, 5]))
    assert ids_given(OLD, run(p=[1, 2, 3, 6, 7], q=[4, 5]), done) == {"p": "b", "q": "a"}
    assert done.kept == 4


def test_ties_go_to_jaccard_then_to_the_smallest_object() -> None:
    even, uneven = run(p=[1, 2], q=[3, 4]), run(p=[1, 2, 9], q=[3, 4])
    assert ids_given(run(a=range(1, 5)), even, cd.relabel(run(a=range(1, 5)), even)) == {"p": "a"}
    done = cd.relabel(run(a=range(1, 5)), uneven)
    assert ids_given(run(a=range(1, 5)), uneven, done) == {"q": "a"}
    merged = cd.relabel(run(b=[1, 2], a=[3, 4]), run(p=range(1, 5)))
    assert set(merged.clustering.labels.tolist()) == {"a"}


def test_a_knot_of_many_clusters_is_solved() -> None:
    rng = random.Random(5)
    old = {o: rng.randrange(60) for o in range(3000)}
    new = {o: rng.randrange(60) for o in range(3000)}
    done = cd.relabel(old, new)
    assert done.share == cd.accuracy(list(old.values()), list(new.values()))
    assert done.events["mixed"] == 1


def test_a_series_goes_on_from_the_last_known_id() -> None:
    first = {1: 10, 2: 10, 3: 20, 4: 20}
    second = dict.fromkeys(first, "all")
    third = {1: "u", 2: "u", 3: "v", 4: "v"}
    merged = cd.relabel(first, second)
    assert merged.clustering.labels.tolist() == [10] * 4
    assert merged.redirects == {20: 10}
    apart = cd.relabel(merged.clustering, third, retired=merged.retired)
    assert apart.clustering.labels.tolist() == [10, 10, 21, 21]
    again = cd.relabel(merged.clustering, third, retired=merged.retired, history=first, revive=True)
    assert again.clustering.labels.tolist() == [10, 10, 20, 20]
    assert again.retired == []
    assert again.ids["revived"] == 1


def test_objects_that_come_back_have_their_last_known_id() -> None:
    first = {1: "a", 2: "a", 3: "b"}
    second = {3: "b"}
    done = cd.relabel(second, {1: "x", 2: "x", 3: "y"}, history=[first])
    assert done.clustering.labels.tolist() == ["a", "a", "b"]
    alone = cd.relabel(second, {1: "x", 2: "x", 3: "y"})
    assert alone.clustering.labels.tolist() == ["x", "x", "b"]


@pytest.mark.parametrize("seed", range(40))
def test_revived_ids_are_the_best_that_are_left(seed: int) -> None:
    """Clusters without an id get retired ids that most of their objects once had."""
    rng = random.Random(seed)
    first = {o: rng.choice("abcd") for o in range(10)}
    merged = cd.relabel(first, {o: rng.choice("uv") for o in range(10)})
    last = {o: rng.choice("wxyz") for o in range(10)}
    old = dict(zip(range(10), merged.clustering.labels.tolist(), strict=True))
    plain = cd.relabel(old, last, history=first, retired=merged.retired)
    done = cd.relabel(old, last, history=first, retired=merged.retired, revive=True)
    kept = ids_given(old, last, plain)
    assert ids_given(old, last, done) == kept
    now = dict(zip(range(10), done.clustering.labels.tolist(), strict=True))
    rest = {o: last[o] for o in last if last[o] not in kept}
    gone = {o: first[o] for o in first if first[o] not in set(old.values())}
    revived = {last[o]: now[o] for o in rest if now[o] in set(gone.values())}
    if gone and rest:
        olds, news = sorted(set(gone.values())), sorted(set(rest.values()))
        whole = {o: last[o] for o in last if last[o] in news}
        scores = [score_of(gone, whole, given) for given in renamings(olds, news)]
        assert score_of(gone, whole, revived) == max(s for s in scores if s is not None)


def test_fresh_ids() -> None:
    numbers = cd.relabel({1: 3, 2: 3, 3: 8}, {1: "x", 2: "y", 3: "z"}, retired=[11, "12"])
    assert numbers.clustering.labels.tolist() == [3, 13, 8]


def test_fresh_ids_are_no_noise() -> None:
    done = cd.relabel({1: -3, 2: -3, 3: -1}, {1: 0, 2: 1, 3: -1}, noise=-1)
    assert done.clustering.labels.tolist() == [-3, 0, -1]
    assert done.noise == 1


def test_reasons() -> None:
    told = {row["old"] or row["new"]: row["reason"] for row in cd.relabel(OLD, NEW).table}
    assert told == {
        "a": "kept: 2 of 3 objects",
        "b": "kept: 2 of 2 objects",
        "c": "retired: merged into b",
        "d": "retired: objects gone",
        "e": "kept: 2 of 2 objects",
        "q": "new: split from a",
        "t": "new: all objects are new",
    }


def test_many_objects_are_renamed_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled passes, and NumPy's in their place; objects in any order, labels far apart."""
    rng = np.random.default_rng(0)
    old = rng.integers(0, 40_000, 250_000)
    new = np.where(rng.random(old.size) < 0.05, rng.integers(0, 50_000, old.size), old)
    done = cd.relabel(old, new)
    assert done.share == cd.accuracy(old, new)
    order = rng.permutation(old.size)
    moved = cd.relabel(
        cd.Partition(old, ids=np.arange(old.size)), cd.Partition(new[order] * 7 + 10**12, ids=order)
    )
    back = np.empty(old.size, np.int64)
    back[order] = moved.clustering.labels.values
    assert np.array_equal(back, done.clustering.labels.values)
