"""What track takes, gives and refuses, in Python; and the picture of it."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.contingency import Policy
from clusterdiff.io.runs import opened_runs
from clusterdiff.releases.id_history import KINDS, Events, check_stray, events_of
from clusterdiff.releases.joins import MemoryReleases
from refusals import refuses
from releases.releases import NEW, OLD, random_runs, run

SERIES = [{1: 10, 2: 10, 3: 20, 4: 20}, dict.fromkeys([1, 2, 3, 4], "x"), {1: 5, 2: 5, 3: 6, 4: 6}]


def test_one_of_each_event() -> None:
    story = cd.track({"old": OLD, "new": NEW})
    counts = {event: n for event, n in story.steps[0].counts.items() if n}
    assert counts == {"grown": 1, "split": 1, "merged": 1, "born": 1, "died": 1}
    [merged] = [one for one in story.steps[0].events if one["event"] == "merged"]
    assert (merged["old"], merged["new"], merged["stayed"]) == (["b", "c"], ["r"], 4)
    assert story.steps[0].objects == {"stayed": 9, "moved": 0, "gone": 1, "arrived": 2}


def test_the_largest_events_are_listed() -> None:
    """Those that change nothing are not; all steps are in one list, the largest first."""
    story = cd.track({"old": OLD, "new": NEW, "same": NEW})
    every = [e for e in story.events if e["event"] != "same"]
    table = story.events_table(None)
    assert table.headings == ("step", "event", "old", "new", "stayed", "gone", "arrived")
    assert [row[1] for row in table.rows] == [e["event"] for e in every]
    assert {row[0] for row in table.rows} == {"old → new"}
    sizes = [e["stayed"] + e["gone"] + e["arrived"] for e in every]
    assert sizes == sorted(sizes, reverse=True)
    (row,) = story.events_table(1).rows
    assert row[1:3] == (every[0]["event"], ", ".join(every[0]["old"]))
    for text in (story.to_text(80, top=1), story.to_markdown(top=1)):
        assert f"{len(every) - 1} more events not shown." in text
    assert "not shown" not in story.to_text(80, top=None) + story.to_latex() + story.to_text(80)
    assert story.to_text(80, top=0).count("old → new") == 1
    nothing = cd.track({"a": NEW, "b": NEW})
    assert nothing.events_table().rows == ()
    assert "same" in nothing.to_text(80)


def test_lives_of_ids() -> None:
    story = cd.track(SERIES)
    assert story.ids == [
        {"id": 10, "first": "1", "last": "3", "releases": 3, "largest": 4, "became": None},
        {"id": 20, "first": "1", "last": "1", "releases": 1, "largest": 2, "became": "into 10"},
        {"id": 21, "first": "3", "last": "3", "releases": 1, "largest": 2, "became": None},
    ]
    assert story.kept == [0.5, 0.5]


def test_objects_that_are_away_come_back_under_their_id() -> None:
    story = cd.track([{1: "a", 2: "a", 3: "b"}, {3: "u"}, {1: "x", 2: "x", 3: "y"}])
    lives = {one["id"]: one for one in story.ids}
    assert set(lives) == {"a", "b"}
    assert (lives["a"]["releases"], lives["a"]["first"], lives["a"]["last"]) == (2, "1", "3")
    gone = cd.track([{1: "a", 2: "a", 3: "b"}, {3: "u"}])
    assert {one["id"]: one["became"] for one in gone.ids} == {"a": "objects gone", "b": None}


@pytest.mark.parametrize("seed", range(30))
def test_stability_is_the_element_similarity_of_the_step(seed: int) -> None:
    old, new = random_runs(seed, most=30, clusters=5)
    story = cd.track([old, new])
    both = sorted(old.keys() & new.keys())
    wanted = cd.element_similarity([old[o] for o in both], [new[o] for o in both])
    assert story.stability.mean == pytest.approx(wanted, abs=1e-12)
    assert {one["id"] for one in story.objects} == set(both)


def test_a_frame_with_a_column_for_each_release() -> None:
    frame = pd.DataFrame({"id": list("wxyz"), "May": [1, 1, 2, 2], "June": [1, 1, 1, 2]})
    story = cd.track(frame)
    assert story.names == ("May", "June")
    assert story.steps[0].counts["mixed"] == 1
    assert cd.track(frame, stray=0.5).steps[0].objects["moved"] == 1


def test_exports() -> None:
    story = cd.track({"old": OLD, "new": NEW})
    assert json.loads(story.to_json())["steps"][0]["split"] == 1
    assert story.to_csv().startswith("old,new,same,grown")
    assert story.to_markdown().startswith("| ")
    for what, rows in {"steps": 1, "events": 5, "clusters": 10, "ids": 7, "objects": 9}.items():
        assert len(story.to_frame(what)) == rows
        assert len(story.to_frame(what, "polars")) == rows
        assert len(story.to_csv(what).splitlines()) == rows + 1
    for line in story.to_text(80).splitlines():
        assert len(line) <= 80
    refuses("a track has no 'event'", story.to_frame, "event")


def test_nothing_in_common() -> None:
    story = cd.track([{1: "a"}, {2: "b"}])
    assert {event: n for event, n in story.steps[0].counts.items() if n} == {"born": 1, "died": 1}
    assert "no object is in two releases in a row" in story.to_text(200)
    assert np.isnan(story.kept).all()


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (lambda: cd.track([OLD]), "a track follows at least two clusterings, got 1"),
        (lambda: cd.track([OLD, NEW], stray=1.5), "stray is a share from 0 to below 1, got 1.5"),
        (lambda: cd.track([OLD, cd.Cover({1: ["a", "b"]})]), "this is for partitions"),
        (lambda: cd.track([list("aab"), list("ab")]), "Without ids"),
    ],
)
def test_what_is_refused(work: Any, told: str) -> None:
    error = refuses(None, work)
    assert told in error.message


def test_the_picture() -> None:
    pytest.importorskip("plotly")
    figure = cd.plot.track({"May": OLD, "June": NEW})
    bands = figure.data[0]
    assert bands.type == "sankey"
    assert sum(bands.link.value) == 9
    assert {"split", "merged", "grown"} <= set(bands.meta["kinds"])
    assert "a (3)" in bands.node.label
    bars = {bar.name: bar.y[0] for bar in figure.data[1:] if bar.name}
    assert bars == {"grown": 1, "split": 1, "merged": 1, "born": 1, "died": 1}
    assert sum(figure.data[-1].y) == 9


def test_the_picture_of_many_clusters_has_one_grey_band() -> None:
    pytest.importorskip("plotly")
    rng = np.random.default_rng(0)
    old = rng.integers(0, 200, 2000)
    moved = rng.random(2000) < 0.02
    new = np.where(moved, rng.integers(0, 200, 2000), old)
    bands = cd.plot.track([old, new, old], top=2).data[0]
    assert bands.meta["kinds"].count("rest") >= 2
    assert any("other clusters" in label for label in bands.node.label)
    assert len(bands.node.label) < 60


# Events count every cluster and every object once, with and without strays.


def events(old: Any, new: Any, stray: float = 0.0) -> Events:
    with opened_runs({"old": old, "new": new}) as runs:
        found = MemoryReleases(runs, Policy("shared", None, "drop")).step(0)
    return events_of(found, check_stray(stray))


def kinds(found: Events) -> list[str]:
    return [KINDS[kind] for kind in found.kind.tolist()]


def test_one_object_that_changes_sides_ties_two_clusters() -> None:
    old, new = run(a=range(1, 6), b=range(6, 11)), run(p=range(1, 5), q=range(5, 11))
    assert kinds(events(old, new)) == ["mixed"]
    apart = events(old, new, 0.2)
    assert kinds(apart) == ["shrunk", "grown"]
    assert apart.moved.tolist() == [1, 0]
    assert apart.joined.tolist() == [0, 1]


def test_clusters_whose_objects_all_stray() -> None:
    old = {o: o % 10 for o in range(100)} | dict.fromkeys(range(100, 110), "x")
    new = {o: o % 10 for o in range(110)}
    found = events(old, new, 0.1)
    assert found.counts["dissolved"] == 1
    back = events(new, old, 0.1)
    assert back.counts["assembled"] == 1


@pytest.mark.parametrize("stray", [0.0, 0.1, 0.25, 0.5, 0.99])
@pytest.mark.parametrize("seed", range(60))
def test_sums_hold(seed: int, stray: float) -> None:
    old, new = random_runs(seed, most=60, clusters=6)
    found = events(old, new, stray)
    both = len(old.keys() & new.keys())
    assert found.stayed.sum() + found.moved.sum() == both
    assert found.moved.sum() == found.joined.sum()
    assert found.gone.sum() == len(old.keys() - new.keys())
    assert found.arrived.sum() == len(new.keys() - old.keys())
    assert found.olds.sum() == len(set(old.values()))
    assert found.news.sum() == len(set(new.values()))
    assert sum(found.counts.values()) == found.kind.size
    assert np.bincount(found.of_old, minlength=found.kind.size).tolist() == found.olds.tolist()


def test_shares_are_what_is_written() -> None:
    assert check_stray(0.29) == Fraction(29, 100)
    wrongs: list[Any] = [1.5, 1, -0.1, "much", float("nan"), True]
    for wrong in wrongs:
        refuses("stray is a share from 0 to below 1, got", check_stray, wrong)


def test_the_meaning_of_an_event_stands_below_the_table() -> None:
    """Twenty clusters of a hundred give an object each to a new one, and take it back."""
    apart = {f"{cluster}-{i}": str(cluster) for cluster in range(20) for i in range(100)}
    drawn = apart | {f"{cluster}-0": "new" for cluster in range(20)}
    drawn["other-0"] = drawn.pop("0-5")
    said = [
        " ".join(cd.track({"a": old, "b": new}, stray=0.05).to_text().split())
        for old, new in ((apart, drawn), (drawn, apart))
    ]
    assert "assembled: a cluster of objects that moved one by one" in said[0]
    assert "changed: one cluster that gained and lost objects" in said[0]
    assert "dissolved: a cluster whose objects moved one by one" in said[1]
