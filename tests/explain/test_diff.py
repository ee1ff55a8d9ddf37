"""Two runs against one truth: what was repaired, what was broken, and by how much."""

from __future__ import annotations

import csv
import io
import json
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.errors import AlignmentError, ClusterdiffError, KindError
from clusterdiff.output.text import columns
from oracles.explain import mates, outcome

TRUTH = {1: "ann", 2: "ann", 3: "ann", 4: "bob", 5: "bob", 6: "cy", 7: "cy", 8: "eve"}
OLD = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c", 6: "c", 7: "d", 8: "e"}
NEW = {1: "a", 2: "a", 3: "a", 4: "c", 5: "c", 6: "c", 7: "d", 8: "d"}

Labels = dict[Any, Any]


def random_runs(seed: int) -> tuple[Labels, Labels, Labels]:
    draw = random.Random(seed)
    n = draw.randint(1, 40)
    truth = {i: draw.randrange(draw.randint(1, n)) for i in range(n)}
    old, new = ({i: c if draw.random() < 0.7 else draw.randrange(n) for i, c in truth.items()}
                for _ in range(2))  # fmt: skip
    return truth, old, new


def fates(truth: Labels, old: Labels, new: Labels, by: str) -> dict[str, int]:
    """Objects by what became of them, one by one."""
    scores = [cd.objects(by, truth, run).to_dict() for run in (old, new)]
    found = dict.fromkeys(["repaired", "broken", "better", "worse", "as right", "as wrong"], 0)
    for x in truth:
        before, after = (outcome(truth, run, x) == "right" for run in (old, new))
        gain = scores[1][x] - scores[0][x]
        if before != after:
            found["repaired" if after else "broken"] += 1
        elif before:
            found["as right"] += 1
        else:
            found["better" if gain > 1e-12 else "worse" if gain < -1e-12 else "as wrong"] += 1
    return found


@pytest.mark.parametrize("seed", range(40))
def test_objects_are_counted_as_one_by_one(seed: int) -> None:
    truth, old, new = random_runs(seed)
    for by in ("elm_f", "bcubed_f(f='objects')"):
        assert cd.diff(truth, old, new, by).objects == fates(truth, old, new, by)


@pytest.mark.parametrize("seed", range(40))
def test_clusters_are_counted_as_one_by_one(seed: int) -> None:
    truth, old, new = random_runs(seed)
    change = cd.diff(truth, old, new)
    exact = [
        {frozenset(mates(truth, x)) for x in truth} & {frozenset(mates(run, x)) for x in run}
        for run in (old, new)
    ]
    assert change.clusters["repaired"] == len(exact[1] - exact[0])
    assert change.clusters["broken"] == len(exact[0] - exact[1])
    assert change.clusters["as right"] == len(exact[0] & exact[1])
    assert sum(change.clusters.values()) == len(set(truth.values()))
    assert sum(change.objects.values()) == len(truth)


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_objects_changes_nothing(seed: int) -> None:
    truth, old, new = random_runs(seed)
    draw = random.Random(seed)
    runs = [cd.Partition(dict(draw.sample(list(run.items()), len(run)))) for run in (old, new)]
    before = [run.ids.tolist() for run in runs if run.ids is not None]
    shuffled = cd.diff(truth, runs[0], runs[1])
    assert shuffled.to_dict(None, None) == cd.diff(truth, old, new).to_dict(None, None)
    assert [run.ids.tolist() for run in runs if run.ids is not None] == before


@pytest.mark.parametrize("by", ["elm_f", "bcubed_f", "rand", "split_merge", "accuracy"])
@pytest.mark.parametrize("seed", range(10))
def test_the_clusters_changes_add_up_to_that_of_the_score(seed: int, by: str) -> None:
    truth, old, new = random_runs(seed)
    change = cd.diff(truth, old, new, by)
    parts = change.changed(True, None) + change.changed(False, None)
    told = cd.measure(by)(truth, new) - cd.measure(by)(truth, old)
    assert sum(part.change for part in parts) == pytest.approx(told, abs=1e-12)
    assert change.change[by] == pytest.approx(told, abs=1e-12)


def test_of_a_distance_less_is_better() -> None:
    change = cd.diff(TRUTH, OLD, TRUTH, "vi_distance")
    assert change.change["vi_distance"] < 0
    assert not change.changed(False)
    assert {part.cluster for part in change.changed(True)} == {"ann", "bob", "cy"}


def test_pieces_say_where_a_cluster_was_and_is() -> None:
    change = cd.diff(TRUTH, OLD, NEW)
    ann = change.changed(True)[0]
    assert (ann.cluster, ann.fate, ann.ids) == ("ann", "repaired", [1, 2, 3])
    assert [tuple(p)[:3] for p in ann.old] == [("a", 2, 0), ("b", 1, 0)]
    assert [tuple(p)[:3] for p in ann.new] == [("a", 3, 0)]
    worse = {part.cluster: part for part in change.changed(False)}
    assert worse["eve"].fate == "broken"
    assert [tuple(p)[:3] for p in worse["eve"].new] == [("d", 1, 1)]
    assert "bob" not in worse


def test_the_same_run_changes_nothing() -> None:
    change = cd.diff(TRUTH, OLD, OLD)
    assert not change.records()
    assert set(change.change.values()) == {0.0}
    assert "Worse" not in change.to_text(80)
    assert change.to_csv().count("\n") == 1


def test_the_order_of_objects_does_not_matter() -> None:
    keys = list(TRUTH)
    random.Random(1).shuffle(keys)
    told = cd.diff({k: TRUTH[k] for k in keys}, OLD, {k: NEW[k] for k in reversed(keys)})
    assert told.objects == cd.diff(TRUTH, OLD, NEW).objects
    assert {p.cluster: p.change for p in told.changed(True)} == pytest.approx(
        {p.cluster: p.change for p in cd.diff(TRUTH, OLD, NEW).changed(True)}
    )


def test_an_object_is_told_in_both_runs() -> None:
    found = cd.diff(TRUTH, OLD, NEW).object(3)
    assert found["old"].missing == [1, 2]
    assert found["new"].outcome == "right"


def test_objects_of_one_run_only_need_a_policy() -> None:
    new = {k: v for k, v in NEW.items() if k != 8}
    with pytest.raises(AlignmentError, match="1 of 8 objects"):
        cd.diff(TRUTH, OLD, new)
    assert sum(cd.diff(TRUTH, OLD, new, align="shared").objects.values()) == 7
    assert cd.diff(TRUTH, OLD, new, align="singletons").objects["as right"] == 1
    lost = cd.diff(TRUTH, OLD, new, align="penalise")
    assert lost.objects["broken"] == 1
    assert "is 1 missing" in lost.to_text(80)


def test_samples_are_told_apart() -> None:
    frames = [
        pd.DataFrame({"doc": ["x"] * 2 + ["y"] * 2, "id": [1, 2, 1, 2], "cluster": labels})
        for labels in ([1, 1, 1, 1], [1, 2, 1, 1], [1, 1, 1, 2])
    ]
    change = cd.diff(*frames, samples="doc")
    assert [(p.sample, p.fate) for p in change.changed(True)] == [("x", "repaired")]
    assert [(p.sample, p.fate) for p in change.changed(False)] == [("y", "broken")]


def test_uncertain_clusterings_have_no_diff() -> None:
    with pytest.raises(KindError, match="truth is fuzzy"):
        cd.diff(cd.Fuzzy([[1, 0], [0.5, 0.5]]), [1, 1], [1, 2])
    with pytest.raises(ClusterdiffError, match="does not decompose"):
        cd.diff(TRUTH, OLD, NEW, "fowlkes_mallows")


@pytest.mark.parametrize("name", ["<script>x</script>", "=1+1", "\x1b[31m", "日本" * 9, "a\rb", ""])
def test_hostile_names_stay_names(name: str) -> None:
    runs = [{k: name + v if k != 8 else v for k, v in run.items()} for run in (TRUTH, OLD, NEW)]
    change = cd.diff(runs[0], runs[1], runs[2])
    for width in (40, 80):
        text = change.to_text(width)
        assert max(columns(line) for line in text.split("\n")) <= width
        assert "\x1b" not in text
    assert "<script" not in change._repr_html_() + change.to_markdown()
    rows = list(csv.DictReader(io.StringIO(change.to_csv())))
    assert name + "ann" in {row["cluster"].removeprefix("'") for row in rows}
    assert json.loads(change.to_json())["better"][0]["cluster"] == name + "ann"
    assert change.to_latex().count(r"\\") == 1 + len({row["entry"] for row in rows})


def test_many_objects() -> None:
    truth = np.repeat(np.arange(50_000), 4)
    old, new = truth.copy(), truth.copy()
    old[::40] += 10**6
    new[4::80] += 10**6
    change = cd.diff(truth, old, new)
    assert change.clusters["repaired"] == 5_000
    assert change.clusters["broken"] == 2_500
    assert len(change.changed(True, 3)) == 3


def test_a_small_change_shows_its_digits() -> None:
    truth = [*range(20_000), *range(20_000)]
    new = [0, *range(1, 20_000), 20_000, *range(1, 20_000)]
    found = cd.diff(truth, truth, new, "elm_f", "elm_f")
    assert found.headline == "elm_f 1.00000 -> 0.99995 (−5e-05)."
    assert "1.00000  0.99995  −5e-05" in found.to_text(80)
    assert cd.diff(truth, new, new, "elm_f").headline == "elm_f 1.0000 -> 1.0000 (0)."
