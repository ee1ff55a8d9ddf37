"""Renaming against all renamings, and the ids that come out of a series."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.errors import ClusterdiffError
from oracles import ORACLES
from oracles.common import clusters
from oracles.many.draws import mapping, releases, renamed
from oracles.many.releases import best_renamings, decided, kept, redirect, thousandths
from refusals import refuses

Labels = dict[Hashable, Hashable]


def renaming_of(done: Any, old: Labels, new: Labels) -> Labels:
    """New label to the old id that it got."""
    now = mapping(done.clustering)
    return {label: now[x] for x, label in new.items() if now[x] in set(old.values())}


@given(releases())
@settings(max_examples=120)
def test_the_most_objects_keep_their_id(pair: list[Labels]) -> None:
    old, new = pair
    done = cd.relabel(old, new)
    found = renaming_of(done, old, new)
    wanted = best_renamings(old, new)
    assert done.kept == kept(old, new, found) == kept(old, new, wanted[0])
    assert thousandths(old, new, found) == thousandths(old, new, wanted[0])
    both = [x for x in old if x in new]
    assert done.shared == len(both)
    share = ORACLES["accuracy"]({x: old[x] for x in both}, {x: new[x] for x in both})
    assert done.share == pytest.approx(float(share))
    for label, wanted_id in decided(old, new).items():
        assert found.get(label) == wanted_id, label


@given(releases())
@settings(max_examples=25)
def test_no_id_twice_and_every_id_accounted_for(pair: list[Labels]) -> None:
    old, new = pair
    done = cd.relabel(old, new)
    now = mapping(done.clustering)
    assert now.keys() == new.keys()
    assert clusters(now) == clusters(new)
    lost = set(old.values()) - set(now.values())
    assert set(done.retired) == lost
    for label in lost:
        where = redirect(old, new, now, label)
        assert done.redirects.get(label) in (where or {None}), label
    assert set(done.redirects) <= lost


@given(releases(), st.integers(0, 99))
@settings(max_examples=25)
def test_labels_of_the_new_run_and_rows_never_matter(pair: list[Labels], seed: int) -> None:
    old, new = pair
    one, other = cd.relabel(old, new), cd.relabel(dict(reversed(old.items())), renamed(new, seed))
    first, second = mapping(one.clustering), mapping(other.clustering)
    ids = set(old.values())
    assert {x: c for x, c in first.items() if c in ids} == {
        x: c for x, c in second.items() if c in ids
    }
    assert one.redirects.keys() == other.redirects.keys()


@given(releases(text=False))
@settings(max_examples=25)
def test_fresh_integers_are_behind_the_largest(pair: list[Labels]) -> None:
    old, new = pair
    done = cd.relabel(old, new, retired=[57])
    fresh = {c for c in mapping(done.clustering).values() if c not in set(old.values())}
    assert fresh == set(range(58, 58 + len(fresh)))
    alone = cd.relabel(old, new)
    fresh = {c for c in mapping(alone.clustering).values() if c not in set(old.values())}
    top = max(int(str(c)) for c in old.values())
    assert fresh == set(range(top + 1, top + 1 + len(fresh)))


def test_fresh_text_keeps_its_label_where_it_is_free() -> None:
    old = {1: "a", 2: "a", 3: "b"}
    new = {1: "x", 2: "x", 3: "x", 4: "a", 5: "c", 6: "b"}
    now = mapping(cd.relabel(old, new).clustering)
    assert [now[x] for x in (1, 4, 5, 6)] == ["a", "a~2", "c", "b~2"]
    again = mapping(cd.relabel(old, new, retired=["c", "a~2"]).clustering)
    assert [again[x] for x in (1, 4, 5, 6)] == ["a", "a~3", "c~2", "b~2"]


def test_fresh_by_a_function() -> None:
    old = {1: "a", 2: "a", 3: "a"}
    new = {1: "p", 2: "p", 3: "q"}
    done = cd.relabel(old, new, fresh=lambda label: f"new-{label}")
    assert mapping(done.clustering) == {1: "a", 2: "a", 3: "new-q"}
    refuses("fresh is a function", cd.relabel, old, new, fresh="new")
    with pytest.raises(ClusterdiffError, match="already"):
        cd.relabel({1: "a", 2: "a"}, {1: "p", 2: "p", 3: "q", 4: "r"}, fresh=lambda label: "same")
    refuses("already", cd.relabel, old, new, fresh=lambda label: "gone", retired=["gone"])


def test_ids_stay_whole_numbers_in_frames() -> None:
    old = {1: 10, 2: 10, 3: 2**60 + 1, 4: 2**60 + 1}
    frame = cd.relabel(old, {1: 1, 2: 1, 3: 1, 4: 1, 5: 7}).to_frame()
    assert frame["old"].dropna().tolist() == [10, 2**60 + 1]
    assert frame["id"].dropna().tolist() == [10, 2**60 + 2]


@given(releases(many=3, text=False))
@settings(max_examples=25)
def test_a_retired_id_never_comes_back(series: list[Labels]) -> None:
    first, second, third = series
    one = cd.relabel(first, second)
    two = cd.relabel(one.clustering, third, retired=one.retired)
    assert not set(one.retired) & set(mapping(two.clustering).values())
