"""Two runs of covers against one truth, object by object."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import clusterdiff as cd
from cases import disturbed, random_cover
from cli.runner import run
from clusterdiff.errors import ClusterdiffError, KindError
from clusterdiff.explain.diff import CoverDiff, CoverRun
from oracles import overlapping

Given = dict[Any, frozenset[Any]]
TRUTH: Given = {1: frozenset("ab"), 2: frozenset("a"), 3: frozenset("b"), 4: frozenset("c")}
OLD: Given = {1: frozenset("x"), 2: frozenset("x"), 3: frozenset("y"), 4: frozenset("zx")}
NEW: Given = {1: frozenset("xy"), 2: frozenset("x"), 3: frozenset("y"), 4: frozenset()}


def cases(seed: int, number: int) -> list[tuple[Given, Given, Given]]:
    """Random covers, each with two others near to it."""
    rng, found = Random(seed), []
    for _ in range(number):
        truth: Given = dict(random_cover(rng, rng.randint(1, 9), rng.randint(1, 4), 9))
        runs = [disturbed(rng, dict(truth), rng.choice((0.0, 0.1, 0.4))) for _ in range(2)]
        old, new = ({i: frozenset(map(str, own)) for i, own in one.items()} for one in runs)
        found.append((truth, old, new))
    return found


def diffed(truth: Given, old: Given, new: Given, *args: Any, **options: Any) -> CoverDiff:
    found = cd.diff(cd.Cover(truth), cd.Cover(old), cd.Cover(new), *args, **options)
    assert isinstance(found, CoverDiff)
    return found


def is_right(truth: Given, guess: Given, x: Any) -> bool:
    """Whether an object is in the same clusters on both sides, each with the same objects."""
    sides = [
        Counter(frozenset(y for y in side if label in side[y]) for label in side[x])
        for side in (truth, guess)
    ]
    return sides[0] == sides[1]


def found_exactly(truth: Given, guess: Given) -> int:
    """How many clusters of truth the guess has too, each counted as often as both have it."""
    both = Counter(overlapping.clusters(truth)) & Counter(overlapping.clusters(guess))
    return sum(both.values())


def recall_of(truth: Given, guess: Given) -> dict[Any, Fraction]:
    return {x: r for x, (_, r) in overlapping.extended_bcubed_values(truth, guess).items()}


@pytest.mark.parametrize("seed", range(4))
def test_objects_and_clusters_are_counted_as_one_by_one(seed: int) -> None:
    for truth, old, new in cases(seed, 12):
        change = diffed(truth, old, new, "extended_bcubed_recall")
        scores = [recall_of(truth, one) for one in (old, new)]
        want = dict.fromkeys(["repaired", "broken", "better", "worse", "as right", "as wrong"], 0)
        for x in truth:
            before, after = (is_right(truth, one, x) for one in (old, new))
            gain = scores[1][x] - scores[0][x]
            fate = "as wrong" if gain == 0 else "better" if gain > 0 else "worse"
            fate = "as right" if before else fate
            want["repaired" if after else "broken" if before else fate] += before != after
            want[fate] += before == after
        assert change.objects == want
        exact = [found_exactly(truth, one) for one in (old, new)]
        clusters = change.clusters
        assert clusters["broken"] + clusters["as right"] == exact[0]
        assert clusters["repaired"] + clusters["as right"] == exact[1]
        assert sum(clusters.values()) == len(overlapping.clusters(truth))


@pytest.mark.parametrize("seed", range(4))
def test_changes_are_those_of_the_objects_and_add_up_to_that_of_the_score(seed: int) -> None:
    for truth, old, new in cases(10 + seed, 8):
        change = diffed(truth, old, new, "extended_bcubed_recall")
        scores = [recall_of(truth, one) for one in (old, new)]
        parts = [*change.changed(True, None, None), *change.changed(False, None, None)]
        for part in parts:
            gain = sum((scores[1][x] - scores[0][x] for x in part.ids), Fraction()) / len(truth)
            assert part.change == pytest.approx(float(gain), abs=1e-12)
            old_, new_ = part.old.change, part.new.change
            assert {(truth[x], old[x], new[x]) for x in part.ids} == {
                (*map(frozenset, (old_.truth, old_.guess, new_.guess)),)
            }
        told = sum(part.change for part in parts)
        want = [float(overlapping.extended_bcubed_recall(truth, one)) for one in (old, new)]
        assert told == pytest.approx(want[1] - want[0], abs=1e-12)
        assert change.change["extended_bcubed_recall"] == pytest.approx(want[1] - want[0])


@pytest.mark.parametrize("by", ["cice_f", "extended_bcubed_f", "element_similarity", "cice_recall"])
def test_every_measure_that_splits_adds_up(by: str) -> None:
    for truth, old, new in cases(20, 8):
        change = diffed(truth, old, new, by)
        parts = [*change.changed(True, None), *change.changed(False, None)]
        assert sum(p.change for p in parts) == pytest.approx(change.change[by], abs=1e-12)


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_changes_add_up_where_objects_are_missing(align: str) -> None:
    for truth, old, new in cases(30, 12):
        old = {x: own for x, own in old.items() if x % 4 != 1}
        new = {x: own for x, own in new.items() if x % 5 != 2} | {77: frozenset("q")}
        if not set(truth) & set(old) & set(new):
            continue
        change = diffed(truth, old, new, "cice_f", align=align)
        parts = [*change.changed(True, None), *change.changed(False, None)]
        told = sum(p.change for p in parts) + change.extra_gain
        assert told == pytest.approx(change.change["cice_f"], abs=1e-12)
        assert change.to_text(80)


@pytest.mark.parametrize("seed", range(5))
def test_partitions_as_covers_have_the_diff_of_partitions(seed: int) -> None:
    rng = Random(seed)
    truth, old, new = ({i: rng.randrange(4) for i in range(15)} for _ in range(3))
    plain = cd.diff(truth, old, new, "bcubed_f")
    covers = [{i: frozenset([c]) for i, c in one.items()} for one in (truth, old, new)]
    change = diffed(covers[0], covers[1], covers[2], "extended_bcubed_f")
    assert change.objects == plain.objects
    assert {k: change.clusters[k] for k in ("repaired", "broken", "as right")} == {
        k: plain.clusters[k] for k in ("repaired", "broken", "as right")
    }


def test_a_partition_beside_covers_is_lifted() -> None:
    new = {x: sorted(own)[0] if own else "none" for x, own in NEW.items()}
    change = cd.diff(cd.Cover(TRUTH), cd.Cover(OLD), cd.Partition(new))
    assert change.objects == diffed(TRUTH, OLD, {x: frozenset([c]) for x, c in new.items()}).objects


def test_what_is_said_of_a_change() -> None:
    change = diffed(TRUTH, OLD, NEW)
    text = change.to_text(80)
    was, is_now = (float(overlapping.cice_f(TRUTH, one)) for one in (OLD, NEW))
    assert text.startswith(f"cice_f {was:.4f} -> {is_now:.4f}")
    assert "1 object (4): c in truth" in text
    assert "is in no cluster: lost c" in text
    assert "Objects: 3 repaired, 0 broken, 0 better, 1 worse" in text.replace("\n", " ")
    worse = change.changed(False)
    assert [(c.ids, c.old.change.gained, c.new.change.lost) for c in worse] == [([4], ["x"], ["c"])]
    assert "true cluster" in text
    found = json.loads(change.to_json())
    assert found["worse"][0]["new_lost"] == ["c"]
    moved = {one["cluster"]: (one["old_jaccard"], one["new_jaccard"])
             for one in found["cluster_changes"]}  # fmt: skip
    assert moved == {"a": (2 / 3, 1.0), "b": (0.5, 1.0), "c": (1.0, 0.0)}
    rows = list(csv.DictReader(io.StringIO(change.to_csv())))
    assert [row["fate"] for row in rows] == [c["fate"] for c in found["worse"] + found["better"]]
    listed = [line for line in change.to_markdown().split("\n") if re.match(r"\| [+−]\d", line)]
    assert len(listed) == len(rows)
    assert change.to_latex().count(r"\\") == 1 + len(rows)
    assert "<table" in change._repr_html_()
    assert change.object(4)["new"].lost == ["c"]
    assert len(change.to_frame("polars")) == len(rows)


def test_the_same_run_changes_nothing() -> None:
    change = diffed(TRUTH, OLD, OLD)
    assert not change.records()
    assert set(change.change.values()) == {0.0}
    assert "Worse" not in change.to_text(80)


def test_what_a_diff_of_covers_does_not_take() -> None:
    with pytest.raises(KindError, match="partitions and covers; the old run is rough"):
        cd.diff(cd.Cover(TRUTH), cd.Rough([{1}] * 4, ids=[1, 2, 3, 4]), cd.Cover(NEW))
    with pytest.raises(ClusterdiffError, match="does not decompose"):
        diffed(TRUTH, OLD, NEW, "omega")
    with pytest.raises(ClusterdiffError, match="one sample at a time") as caught:
        diffed(TRUTH, OLD, NEW, samples={1: "s", 2: "s", 3: "t", 4: "t"})
    assert "cd.diff" in caught.value.hint


def test_wrong_code_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle bites: objects in the wrong order, or clusters that are not asked about."""
    truth, old, new = cases(0, 12)[3]
    monkeypatch.setattr(CoverRun, "row_right", property(lambda run: run.told.kind != 0))
    change = diffed(truth, old, new, "extended_bcubed_recall")
    right = [sum(is_right(truth, one, x) for x in truth) for one in (old, new)]
    told = change.objects
    assert [told["broken"] + told["as right"], told["repaired"] + told["as right"]] != right


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, side in (("truth", TRUTH), ("old", OLD), ("new", NEW)):
        said = {str(x): sorted(own) for x, own in side.items()}
        Path(f"{name}.json").write_text(json.dumps(said))
    return ["truth.json", "old.json", "new.json", "--kind", "cover"]


def test_the_command_says_the_same(files: list[str]) -> None:
    sides = [{str(x): own for x, own in side.items()} for side in (TRUTH, OLD, NEW)]
    change = diffed(sides[0], sides[1], sides[2])
    ran = run("diff", *files, "-f", "json", "--top", "all", "--objects", "all")
    assert json.loads(ran.stdout) == json.loads(change.to_json(None, None))
    for form in ("text", "csv", "md", "latex"):
        assert run("diff", *files, "-f", form).code == 0


def test_gates(files: list[str]) -> None:
    better, worse = files, [files[0], files[2], files[1], *files[3:]]
    assert run("diff", *better, "--fail-on-regression", "cice_f").code == 0
    ran = run("diff", *worse, "--fail-on-regression", "cice_f")
    assert ran.code == 1
    assert "cice_f went from" in ran.stderr
    assert run("diff", *worse, "--fail-on-regression", "cice_f=0.5").code == 0
    ran = run("diff", *worse, "--fail-on-regression", "cice_f", "--significant")
    assert ran.code == 1
    assert "the change was not tested, because differences of overlapping and" in ran.stderr
    Path("new.json").write_text('{"1": ["a", "b"], "2": ["a"], "3": ["b"]}')
    ran = run("diff", *better, "--align", "shared", "--fail-on-regression", "cice_f")
    assert ran.code == 1
    assert "lacks 1 of 4 objects" in ran.stderr
