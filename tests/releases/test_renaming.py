"""The renaming is the best of all renamings, by objects, by weights and by shares."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from refusals import refuses
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


# What relabel takes, gives and refuses, in Python.


def test_a_run_under_its_ids() -> None:
    done = cd.relabel(OLD, NEW)
    now = dict(zip(done.clustering.ids.tolist(), done.clustering.labels.tolist(), strict=True))
    ids = {"p": "a", "q": "q", "r": "b", "s": "e", "t": "t"}
    assert now == {o: ids[label] for o, label in NEW.items()}
    assert (done.kept, done.shared) == (6, 9)
    assert done.share == 6 / 9
    assert done.redirects == {"c": "b", "d": None}
    assert done.retired == ["c", "d"]
    assert done.ids == {"kept": 3, "retired": 2, "revived": 0, "new": 2}


@pytest.mark.parametrize(
    "made",
    [
        lambda run: pd.DataFrame({"id": list(run), "cluster": list(run.values())}),
        lambda run: pl.DataFrame({"id": list(run), "cluster": list(run.values())}),
        lambda run: pa.table({"id": list(run), "cluster": list(run.values())}),
        lambda run: cd.Partition(list(run.values()), ids=np.array(list(run))),
        lambda run: [{o for o in run if run[o] == c} for c in dict.fromkeys(run.values())],
    ],
    ids=["pandas", "polars", "pyarrow", "partition", "sets"],
)
def test_whatever_holds_a_run(made: Any) -> None:
    done = cd.relabel(made(OLD), made(NEW))
    assert (done.kept, done.shared) == (6, 9)


def test_retired_ids_are_listed_before_new_and_kept_ones() -> None:
    old = dict.fromkeys(range(9), "big") | {10: "p", 11: "q", 12: "q"}
    new = dict.fromkeys(range(8), "big") | {8: "n", 10: "q", 11: "q", 12: "q"}
    rows = cd.relabel(old, new).table.cells(None).rows
    assert [row[-1].split(":")[0] for row in rows] == ["retired", "new", "kept", "kept"]


def test_by_position() -> None:
    done = cd.relabel([5, 5, 5, 9], ["x", "x", "y", "z"])
    assert done.clustering.labels.tolist() == [5, 5, 10, 9]
    assert done.clustering.ids is None
    array = cd.relabel(np.array([5, 5, 5, 9]), np.array([1, 1, 2, 3]))
    assert array.clustering.labels.tolist() == [5, 5, 10, 9]


def test_one_object_and_all_single() -> None:
    assert cd.relabel(["a"], ["b"]).clustering.labels.tolist() == ["a"]
    single = cd.relabel(list("abcd"), list("wxyz"))
    assert single.clustering.labels.tolist() == list("abcd")
    assert single.share == 1


def test_mixed_types_of_ids_and_labels() -> None:
    done = cd.relabel({1: ("a", 1), "1": ("b", 2)}, {1: "x", "1": "y", 2.5: "z"})
    assert done.clustering.labels.tolist() == [("a", 1), ("b", 2), "z"]
    assert done.share == 1


def test_noise_stays_noise() -> None:
    done = cd.relabel([0, 0, 1, -1, -1], [7, 7, -1, 8, -1], noise=-1)
    assert done.clustering.labels.tolist() == [0, 0, -1, 2, -1]
    assert done.noise == 2
    assert (done.kept, done.shared) == (2, 2)
    nulls = cd.relabel(["a", "a", None], ["x", None, None], noise=[None])
    assert nulls.clustering.labels.tolist() == ["a", None, None]
    text = cd.relabel(["a", "a", "b"], [3, 3, -1], noise=-1)
    assert text.clustering.labels.tolist() == ["a", "a", -1]


def test_exports(tmp_path: Path) -> None:
    done = cd.relabel(OLD, NEW)
    told = json.loads(done.to_json())
    assert told["share"] == done.share
    assert [row["reason"] for row in told["table"]] == [row["reason"] for row in done.table]
    assert done.to_csv().splitlines()[0] == "old,new,id,shared,of_old,of_new,event,reason"
    assert len(done.to_frame("polars")) == len(done.table) == 7
    assert done.redirects_to_csv() == "old,id\nc,b\nd,\n"
    for line in done.to_text(80).splitlines():
        assert len(line) <= 80
    assert done.to_markdown().startswith("6 of 9 objects keep their id (66.7 %)")
    for name in ("out.csv", "out.tsv", "out.parquet"):
        done.write(tmp_path / name)
        again = cd.read(tmp_path / name)
        assert again.ids is not None
        assert again.ids.tolist() == list(NEW)
        assert again.labels.tolist() == done.clustering.labels.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.parquet", "out.tsv"]


TWO = {1: "a", 2: "a"}, {1: "p", 2: "q"}
FUZZY = cd.Fuzzy({1: {"a": 0.5, "b": 0.5}})


@pytest.mark.parametrize(
    ("old", "new", "options", "told"),
    [
        (list(range(10)), list(range(12)), {}, "old has 10 labels, new has 12. Without ids"),
        (*TWO, {"fresh": lambda label: "a"}, "fresh('q') gave 'a', which is an id already"),
        (*TWO, {"fresh": lambda label: None}, "fresh('q') gave None, which is not an id"),
        ({1: "a"}, {2: "b"}, {}, "old and new have no object in common"),
        ({1: "a"}, {"x": "b"}, {}, "ids"),
        ({1: "a"}, {1: "b"}, {"min_share": 1.5}, "min_share is a share from 0"),
        ({1: "a"}, {1: "b"}, {"revive": True}, "revive gives back ids"),
        ({1: "a"}, {1: "b"}, {"retired": ["a"]}, "1 id of the old run is retired"),
        ({1: "a"}, {1: None}, {}, "null"),
        ({1: "a"}, cd.Cover({1: ["b", "c"]}), {}, "this is for partitions"),
        (FUZZY, {1: "b"}, {}, "this is for partitions"),
        ({1: "a"}, {1: "b"}, {"weight": {2: 1}}, "1 of 1 objects have no weight"),
        ({1: "a"}, {1: "b"}, {"weight": {1: "x"}}, "are no numbers from 0 on"),
        ({1: "a"}, {1: "b"}, {"weight": [1, 2]}, "weights"),
        (cd.Partition(["a"], samples=["x"]), ["a"], {}, "has samples"),
    ],
)
def test_what_is_refused(old: Any, new: Any, options: dict[str, Any], told: str) -> None:
    error = refuses(None, cd.relabel, old, new, **options)
    assert told in error.message


def test_files_of_other_names_are_refused() -> None:
    refuses(r"cannot be written as out\.txt", cd.relabel(OLD, NEW).write, "out.txt")


def test_sums_of_weights_are_exact() -> None:
    done = cd.relabel(
        {1: "a", 2: "a", 3: "a"}, {1: "x", 2: "y", 3: "y"}, weight={1: 0.3, 2: 0.1, 3: 0.2}
    )
    assert done.clustering.labels.tolist() == ["x", "a", "a"]  # a tie, and y is more like a
    assert done.weighted_share == 0.5
    with pytest.raises(cd.ClusterdiffError, match="add up to more than"):
        cd.relabel([0] * 10**4, [0] * 10**4, weight=[999_999_999.5] * 10**4)
