"""What becomes of clusters from one release to the next: events, stability, the best renaming."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from ..common import Cluster, Clustering, Number, cluster, mean

Renaming = dict[Hashable, Hashable]
"""New label to old label, for the new clusters that get one."""


class Event(NamedTuple):
    """Clusters of both releases that belong together, and what their objects did."""

    kind: str
    old: frozenset[Hashable]
    new: frozenset[Hashable]
    stayed: int
    moved: int
    gone: int
    arrived: int


def members(c: Clustering, label: Hashable) -> Cluster:
    """The objects with this label."""
    return frozenset(x for x in c if c[x] == label)


def rows(old: Clustering, new: Clustering) -> dict[tuple[Hashable, Hashable], Cluster]:
    """The shared objects of each old with each new cluster that has any."""
    shared = old.keys() & new.keys()
    keys = {(old[x], new[x]) for x in shared}
    return {(a, b): members(old, a) & members(new, b) for a, b in keys}


def is_stray(old: Clustering, new: Clustering, a: Hashable, b: Hashable, stray: Number) -> bool:
    """Whether the row holds at most this share of both its clusters, over shared objects."""
    shared = old.keys() & new.keys()
    sides = (members(old, a) & shared, members(new, b) & shared)
    row = len(sides[0] & sides[1])
    return all(row <= stray * len(side) for side in sides)


def events(old: Clustering, new: Clustering, stray: Number = 0) -> list[Event]:
    """Connected components of clusters that share a row which is not stray."""
    kept = {key: row for key, row in rows(old, new).items() if not is_stray(old, new, *key, stray)}
    nodes = [("old", a) for a in set(old.values())] + [("new", b) for b in set(new.values())]
    groups: list[set[tuple[str, Hashable]]] = [{node} for node in nodes]
    for a, b in kept:
        ends = {("old", a), ("new", b)}
        hit = [group for group in groups if group & ends]
        groups = [group for group in groups if not group & ends] + [set().union(*hit)]
    return [_event(old, new, kept, group) for group in groups]


def _event(
    old: Clustering,
    new: Clustering,
    kept: Mapping[tuple[Hashable, Hashable], Cluster],
    group: set[tuple[str, Hashable]],
) -> Event:
    left = frozenset(label for side, label in group if side == "old")
    right = frozenset(label for side, label in group if side == "new")
    before = {x for x in old if old[x] in left}
    after = {x for x in new if new[x] in right}
    stayed = {x for (a, _), row in kept.items() if a in left for x in row}
    gone = {x for x in before if x not in new}
    arrived = {x for x in after if x not in old}
    moved = before - stayed - gone
    kind = _kind(left, right, before, after, gone, arrived)
    return Event(kind, left, right, len(stayed), len(moved), len(gone), len(arrived))


def _kind(
    left: frozenset[Hashable],
    right: frozenset[Hashable],
    before: set[Hashable],
    after: set[Hashable],
    gone: set[Hashable],
    arrived: set[Hashable],
) -> str:
    if not right:
        return "died" if gone == before else "dissolved"
    if not left:
        return "born" if arrived == after else "assembled"
    if len(left) > 1 and len(right) > 1:
        return "mixed"
    if len(left) > 1:
        return "merged"
    if len(right) > 1:
        return "split"
    if before == after:
        return "same"
    if before < after:
        return "grown"
    return "shrunk" if after < before else "changed"


def similarity(old: Clustering, new: Clustering, x: Hashable) -> Fraction:
    """Common part of the two clusters of x over the larger one, on shared objects."""
    shared = old.keys() & new.keys()
    a, b = cluster(old, x) & shared, cluster(new, x) & shared
    return Fraction(len(a & b), max(len(a), len(b)))


def stability(releases: Sequence[Clustering], x: Hashable) -> Fraction | None:
    """Mean of the similarity over the steps that have x on both sides; None without one."""
    steps = list(pairwise(releases))
    seen = [similarity(old, new, x) for old, new in steps if x in old and x in new]
    return mean(seen) if seen else None


def renamings(old: Clustering, new: Clustering) -> Iterator[Renaming]:
    """Every way to give new clusters ids of old ones that they share an object with, none twice."""
    found = rows(old, new)
    labels = sorted(set(new.values()), key=repr)

    def extend(place: int, used: frozenset[Hashable]) -> Iterator[Renaming]:
        if place == len(labels):
            yield {}
            return
        for rest in extend(place + 1, used):
            yield rest
        for a, b in found:
            if b == labels[place] and a not in used:
                for rest in extend(place + 1, used | {a}):
                    yield {b: a, **rest}

    return extend(0, frozenset())


def kept(
    old: Clustering, new: Clustering, renaming: Renaming, weight: Mapping[Any, Number] | None = None
) -> Number:
    """Objects that have their old id after the renaming, by weight."""
    return sum(
        (1 if weight is None else weight[x])
        for x in old.keys() & new.keys()
        if renaming.get(new[x], _NOBODY) == old[x]
    )


_NOBODY = object()


def jaccard(old: Clustering, new: Clustering, a: Hashable, b: Hashable) -> Fraction:
    """Common objects of the two clusters over the objects of either."""
    left, right = members(old, a), members(new, b)
    return Fraction(len(left & right), len(left | right))


def thousandths(old: Clustering, new: Clustering, renaming: Renaming) -> int:
    """Sum of the Jaccard indices of the renamed clusters, each rounded down to thousandths."""
    return sum(int(1000 * jaccard(old, new, a, b)) for b, a in renaming.items())


def allowed(
    old: Clustering,
    new: Clustering,
    renaming: Renaming,
    min_share: Number,
    weight: Mapping[Any, Number] | None = None,
) -> bool:
    """Whether more than this share of each living id's objects stays with it."""

    def heavy(some: Cluster) -> Number:
        return sum((1 if weight is None else weight[x]) for x in some)

    return all(
        heavy(members(old, a) & members(new, b)) > min_share * heavy(members(old, a))
        for b, a in renaming.items()
    )


def best_renamings(
    old: Clustering,
    new: Clustering,
    weight: Mapping[Any, Number] | None = None,
    min_share: Number | None = None,
) -> list[Renaming]:
    """The renamings that keep most, and among them have the largest sum of Jaccard indices."""
    some = [
        one
        for one in renamings(old, new)
        if min_share is None or allowed(old, new, one, min_share, weight)
    ]
    scored = [(kept(old, new, one, weight), thousandths(old, new, one)) for one in some]
    return [one for one, score in zip(some, scored, strict=True) if score == max(scored)]


def decided(old: Clustering, new: Clustering) -> dict[Hashable, Hashable | None]:
    """The id of each new cluster in events with one old or one new cluster; None for a fresh one.

    Among equal ones the smaller old id lives, in the new cluster with the smallest object.
    """
    found: dict[Hashable, Hashable | None] = {}
    for event in events(old, new):
        if len(event.old) > 1 and len(event.new) > 1:
            continue
        found |= dict.fromkeys(event.new)
        choices = [(a, b) for a in event.old for b in event.new]

        def rank(pair: tuple[Hashable, Hashable]) -> tuple[Any, ...]:
            a, b = pair
            shared = len(members(old, a) & members(new, b))
            objects: list[Any] = list(members(new, b))
            return (-shared, -int(1000 * jaccard(old, new, a, b)), a, min(objects))

        if choices:
            a, b = min(choices, key=rank)
            found[b] = a
    return found


def redirect(old: Clustering, new: Clustering, renamed: Clustering, a: Hashable) -> set[Hashable]:
    """The ids that most of the objects of a retired id have now; none if all are gone."""
    now = [renamed[x] for x in members(old, a) if x in new]
    return {label for label in now if now.count(label) == max(map(now.count, now))}
