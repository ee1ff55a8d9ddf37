"""Events count every cluster and every object once, with and without strays."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from clusterdiff.contingency import Policy
from clusterdiff.io.runs import opened_runs
from clusterdiff.releases.events import KINDS, Events, check_stray, events_of
from clusterdiff.releases.joins import MemoryReleases
from refusals import refuses
from releases.releases import random_runs, run


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
