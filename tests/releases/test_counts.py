"""Releases with counts are followed as the same data in which each row is given so often."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run

Run = dict[str, str]


def copies(labels: dict[str, Any], counts: dict[str, int]) -> dict[str, Any]:
    return {f"{i}/{k}": label for i, label in labels.items() for k in range(counts[i])}


def drawn(seed: int) -> tuple[list[Run], dict[str, int]]:
    """Releases with some objects of their own and noise, and counts, some of 0."""
    rng = random.Random(seed)
    ids = [f"o{i:02}" for i in range(rng.randint(4, 20))]
    runs = [
        {i: rng.choice("abcn") for i in ids if i == ids[0] or rng.random() < 0.8} for _ in range(3)
    ]
    return runs, {i: rng.randint(0, 4) for i in ids} | {ids[0]: 3}


def told(story: cd.Tracking, counts: dict[str, int] | None = None) -> Any:
    """All that is known but the stability of objects, which is one number for all copies."""
    objects = {one["id"]: one for one in story.objects}
    if counts is not None:
        objects = {f"{i}/{k}": one for i, one in objects.items() for k in range(counts[i])}
    stable = {i: (one["stability"], one["steps"]) for i, one in objects.items()}
    steps = [(step.counts, step.objects, step.stability, step.events) for step in story.steps]
    return steps, story.stability, story.clusters, story.ids, story.releases.noise, stable


@pytest.mark.parametrize("seed", range(12))
def test_releases_with_counts_are_those_of_all_copies(seed: int) -> None:
    runs, counts = drawn(seed)
    more = [copies(run, counts) for run in runs]
    ways: list[dict[str, Any]] = [{}, {"noise": "n"}, {"noise": "n", "stray": 0.3}]
    for how in ways:
        story, plain_story = cd.track(runs, count=counts, **how), cd.track(more, **how)
        assert repr(told(story, counts)) == repr(told(plain_story))
    weight = {i: k % 3 + 1 for k, i in enumerate(counts)}
    ways = [{}, {"weight": True}, {"noise": "n", "min_share": 0.5}, {"history": True}]
    for how in ways:
        options: dict[str, Any] = dict(how)
        plain: dict[str, Any] = dict(how)
        if how.get("weight"):
            options["weight"], plain["weight"] = weight, copies(weight, counts)
        if how.get("history"):
            options |= {"history": [runs[2]], "revive": True}
            plain |= {"history": [more[2]], "revive": True}
        done, wanted = (
            cd.relabel(runs[0], runs[1], count=counts, **options),
            cd.relabel(more[0], more[1], **plain),
        )
        facts, other = ({**d.to_dict(), "notes": 0} for d in (done, wanted))
        assert facts == other
        labels, all_labels = (
            dict(zip(d.clustering.ids, d.clustering.labels.tolist(), strict=True))
            for d in (done, wanted)
        )
        assert copies(labels, counts) == all_labels


BAD: list[tuple[Any, str]] = [
    ({"a": 1, "b": -1}, "1 of 2 counts is negative"),
    ({"a": 1, "b": 0.5}, "1 of 2 counts is not whole"),
    ({"a": 1}, "1 object has no count, such as 'b'"),
    ({"a": 0, "b": 0}, "no object is left"),
    ({"a": 2**42, "b": 2**42}, "fewer than 2⁴³"),
    ({"a": 2**62, "b": 2**62}, "fewer than 2⁶³"),
    ("n", "count='n' names a column"),
]


@pytest.mark.parametrize(("count", "message"), BAD)
def test_what_is_no_count_is_refused(count: Any, message: str) -> None:
    runs = {"a": 1, "b": 2}, {"a": 1, "b": 1}
    for call in (lambda: cd.track(runs, count=count), lambda: cd.relabel(*runs, count=count)):
        with pytest.raises(cd.ClusterdiffError, match=message):
            call()


def test_an_object_of_one_release_alone_needs_a_count() -> None:
    old = cd.Partition({"a": 1, "b": 2})
    with pytest.raises(cd.ClusterdiffError, match=r"1 object has no count \(object 'b'\)"):
        cd.relabel(old, {"a": 1}, count=[3])


def test_a_column_has_the_counts(tmp_path: Path) -> None:
    may, june = tmp_path / "may.csv", tmp_path / "june.csv"
    may.write_text("id,cluster,ms\na,x,300\nb,x,100\nc,y,0\n")
    june.write_text("id,cluster\na,p\nb,q\nc,q\n")
    shown = run("track", str(may), str(june), "--count", "ms")
    assert shown.code == 0
    assert "400 objects in 1 cluster" in shown.stdout
    assert "objects are counted (ms)" in shown.stdout
    kept = run("relabel", str(may), str(june), "--count", "ms")
    assert "300 of 400 objects keep their id" in kept.stdout
    assert cd.relabel(may, june, count="ms").kept == 300
