"""Releases followed against events by set operations, and stability object by object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from oracles.common import clusters
from oracles.many.draws import releases, renamed
from oracles.many.goldens import SERIES
from oracles.many.releases import (
    Event,
    best_renamings,
    events,
    kept,
    members,
    stability,
    thousandths,
)

Labels = dict[Hashable, Hashable]
STRAYS = [
    0.0,
    0.34,
    *(pytest.param(stray, marks=pytest.mark.slow) for stray in (0.2, 0.5, 0.75)),
]


def counted(found: Sequence[Event]) -> dict[str, int]:
    return dict(Counter(event.kind for event in found))


def nonzero(counts: Any) -> dict[str, int]:
    return {event: int(many) for event, many in dict(counts).items() if many}


def summed(step: Any, what: str) -> int:
    """A count over all events of a step."""
    return sum(int(event[what]) for event in step.events)


@pytest.mark.parametrize("stray", STRAYS)
@given(series=releases(many=3))
@settings(max_examples=80)
def test_events(stray: float, series: list[Labels]) -> None:
    story = cd.track(series, stray=stray)
    assert len(story.steps) == 2
    for step, old, new in zip(story.steps, series, series[1:], strict=False):
        wanted = events(old, new, stray)
        assert nonzero(step.counts) == counted(wanted)
        for what in ("stayed", "gone", "arrived", "moved"):
            assert summed(step, what) == sum(getattr(event, what) for event in wanted), what
        own = ("event", "stayed", "moved", "gone", "arrived")
        found = Counter(tuple(event[what] for what in own) for event in step.events)
        assert found == Counter((e.kind, e.stayed, e.moved, e.gone, e.arrived) for e in wanted)


@given(releases(many=3), st.integers(0, 99))
@settings(max_examples=25)
def test_labels_and_rows_never_matter(series: list[Labels], seed: int) -> None:
    one = cd.track(series)
    other = cd.track([renamed(c, seed) for c in series])
    assert [nonzero(s.counts) for s in one.steps] == [nonzero(s.counts) for s in other.steps]


@given(releases(many=3))
@settings(max_examples=25)
def test_stability_of_objects(series: list[Labels]) -> None:
    story = cd.track(series)
    frame = story.to_frame("objects")
    column = next(c for c in frame.columns if "stab" in str(c))
    found = dict(zip(frame.iloc[:, 0].tolist(), frame[column].tolist(), strict=True))
    for x in {x for c in series for x in c}:
        wanted = stability(series, x)
        if wanted is None:
            assert x not in found or found[x] != found[x] or found[x] is None
        else:
            assert found[x] == pytest.approx(float(wanted), abs=1e-12)


def ids_in(story: Any, series: list[Labels]) -> list[Labels]:
    """The id of every object in each release."""
    found: list[dict[Hashable, Hashable]] = [{} for _ in series]
    for one in story.clusters:
        found[story.names.index(one["release"])][one["cluster"]] = one["id"]
    return [{x: ids[label] for x, label in c.items()} for ids, c in zip(found, series, strict=True)]


@given(releases(many=4))
@settings(max_examples=100)
def test_ids_are_those_that_keep_most_from_the_last_known(series: list[Labels]) -> None:
    story = cd.track(series)
    named = ids_in(story, series)
    known: Labels = {}
    ever: set[Hashable] = set()
    for before, release, ids in zip([{}, *series], series, named, strict=False):
        assert clusters(ids) == clusters(release)
        if known:
            living = set(known.values())
            renaming = {c: ids[x] for x, c in release.items() if ids[x] in living}
            # An id has the objects of this release and of the one before that had it last.
            old = {x: id for x, id in known.items() if x in release or x in before}
            wanted = best_renamings(old, release)[0]
            assert kept(old, release, renaming) == kept(old, release, wanted)
            assert thousandths(old, release, renaming) == thousandths(old, release, wanted)
            assert not (set(ids.values()) - living) & ever
        known |= ids
        ever |= set(ids.values())
    assert {one["id"] for one in story.ids} == ever
    for one in story.ids:
        with_alignment = [i for i, ids in enumerate(named) if one["id"] in ids.values()]
        assert one["releases"] == len(with_alignment)
        assert (one["first"], one["last"]) == (
            story.names[with_alignment[0]],
            story.names[with_alignment[-1]],
        )


@given(releases(many=3))
@settings(max_examples=25)
def test_stability_of_clusters(series: list[Labels]) -> None:
    story = cd.track(series)
    for one in story.clusters:
        own = members(series[story.names.index(one["release"])], one["cluster"])
        assert one["objects"] == len(own)
        known = [v for v in (stability(series, x) for x in own) if v is not None]
        if known:
            assert one["stability"] == pytest.approx(float(sum(known) / len(known)), abs=1e-12)
        else:
            assert one["stability"] is None or one["stability"] != one["stability"]


def test_a_series_of_equal_releases() -> None:
    first, second, third = SERIES
    story = cd.track({"a": first, "b": dict(first), "c": dict(first)})
    assert [nonzero(step.counts) for step in story.steps] == [{"same": 2}] * 2
    assert nonzero(cd.track([first, second, third]).steps[1].counts) == {"split": 1}
