"""What relabel takes, gives and refuses, in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from refusals import refuses
from releases.releases import NEW, OLD


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
