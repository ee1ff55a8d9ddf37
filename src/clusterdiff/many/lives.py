"""Ids that last: each release is renamed from the last known id of each object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.backends.memory.match import numbered_together
from clusterdiff.clusterings.encode.column import Column, column
from clusterdiff.clusterings.encode.order import ascends, joined, ranked
from clusterdiff.many.events import Events, events_of
from clusterdiff.many.fresh import Fresh, fitting_ids, fresh_ids
from clusterdiff.many.renaming import best_renaming
from clusterdiff.meet.overlaps import Overlaps

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.inputs.releases.protocol import KnownIds, Releases


@dataclass(eq=False)
class KnownNames:
    """Ids that were ever given to a cluster, by number."""

    values: Column = field(default_factory=lambda: column([]))

    def numbers(self, names: Column) -> Ints:
        """The numbers of these ids; those that are new get the next ones."""
        if not len(self.values):
            self.values = names
            return np.arange(len(names))
        (_, own), every = numbered_together([self.values, names])
        self.values = every
        return own

    def add(self, names: Column) -> Ints:
        """Numbers for ids that were never seen."""
        first = len(self.values)
        self.values = joined(self.values, names)
        return first + np.arange(len(names))


@dataclass(frozen=True, eq=False)
class Renaming:
    """Old ids and what became of them, new clusters and the ids that they get."""

    overlaps: Overlaps
    """Old ids in their order, new clusters by their smallest object."""
    old: Ints
    """The numbers of the old ids."""
    taken: Ints
    """For each new cluster the place of the old id that it keeps, -1 for none."""
    given: Ints
    """The number of the id of each new cluster."""
    revived: Ints
    """For each new cluster how many of its objects once had the id that is revived, 0 for none."""
    min_share: Fraction | None = None

    @cached_property
    def events(self) -> Events:
        """What became of the clusters."""
        return events_of(self.overlaps)

    @property
    def shared(self) -> int:
        """Objects that have an id and are in the new run."""
        return self.overlaps.objects

    @cached_property
    def kept_rows(self) -> Ints:
        """Rows whose objects keep their id."""
        return np.flatnonzero(self.taken[self.overlaps.new] == self.overlaps.old)

    @property
    def kept(self) -> int:
        """Objects that keep their id."""
        return int(self.overlaps.shared[self.kept_rows].sum())

    @cached_property
    def kept_by(self) -> Ints:
        """For each old id the new cluster that keeps it, -1 for none."""
        found = np.full(self.old.size, -1)
        rows = self.kept_rows
        found[self.overlaps.old[rows]] = self.overlaps.new[rows]
        return found

    @cached_property
    def main_new(self) -> Ints:
        """For each old id the new cluster with most of its objects, -1 where all are gone."""
        return self._main(self.overlaps.old, self.overlaps.new, self.old.size)

    @cached_property
    def main_old(self) -> Ints:
        """For each new cluster the old id that most of its objects had, -1 where all are new."""
        return self._main(self.overlaps.new, self.overlaps.old, self.taken.size)

    def _main(self, of: Ints, other: Ints, many: int) -> Ints:
        order = np.lexsort((other, -self.overlaps.thousandths, -self.overlaps.shared, of))
        first = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
        found = np.full(many, -1)
        found[of[first]] = other[first]
        return found


def renamed(
    releases: Releases,
    release: int,
    names: KnownNames,
    *,
    retired: Iterable[Any] = (),
    besides: Iterable[Any] = (),
    fresh: Fresh | None = None,
    min_share: Fraction | None = None,
    revive: bool = False,
) -> Renaming:
    """The ids of a release. A retired id is not kept, whatever objects have it; fresh ids are
    neither retired ones nor those named besides.
    """
    gone = set(fitting_ids(retired, names.values))
    found = releases.known(release)
    overlaps, old = in_order(found, releases.sizes(release), names, gone)
    taken = best_renaming(overlaps, min_share)
    given = np.where(taken < 0, -1, old[taken]) if old.size else np.full(taken.size, -1)
    revived = np.zeros(taken.size, np.int64)
    if revive:
        _revive(releases.ever_known(release), releases.sizes(release), names, old, given, revived)
    lacking = np.flatnonzero(given < 0)
    made = fresh_ids(
        releases.labels(release).take(lacking), names.values, gone | set(besides), fresh
    )
    given[lacking] = names.add(made)
    return Renaming(overlaps, old, taken, given, revived, min_share)


def in_order(
    found: KnownIds, sizes: Ints, names: KnownNames, without: set[Any]
) -> tuple[Overlaps, Ints]:
    """Known ids beside clusters, with ids in their order; some ids left out."""
    made = Overlaps(
        found.id, found.cluster, found.shared, found.size, sizes, found.weight, found.scale
    )
    ids = found.ids
    if without:
        values = names.values.take(ids).tolist()
        stays = np.array([value not in without for value in values], np.bool_)
        made, ids = made.without(~stays), ids[stays]
    own = names.values.take(ids)
    if ascends(own):
        return made, ids
    rank = ranked(own)
    old = np.empty(ids.size, np.int64)
    old[rank] = ids
    return made.ranked(rank), old


def _revive(
    found: KnownIds, sizes: Ints, names: KnownNames, old: Ints, given: Ints, revived: Ints
) -> None:
    """Clusters without an id get a retired one that most of their objects once had, as far as
    each is given once; by the same rule as ids are kept.
    """
    rows = np.flatnonzero((given[found.cluster] < 0) & ~np.isin(found.ids, old)[found.id])
    if not rows.size:
        return
    weight = None if found.weight is None else found.weight[rows]
    some = type(found)(
        found.ids, found.size, found.id[rows], found.cluster[rows], found.shared[rows], weight,
        found.scale,
    )  # fmt: skip
    overlaps, ids = in_order(some, sizes, names, set())
    taken = best_renaming(overlaps)
    lucky = np.flatnonzero(taken >= 0)
    given[lucky] = ids[taken[lucky]]
    hit = np.flatnonzero(taken[overlaps.new] == overlaps.old)
    revived[overlaps.new[hit]] = overlaps.shared[hit]


@dataclass(frozen=True, eq=False)
class Lives:
    """Over a series, which releases each id lasts."""

    names: Column
    """What the ids are called."""
    first: Ints
    """The first release that has the id."""
    last: Ints
    releases: Ints
    """How many releases have it."""
    largest: Ints
    """The most objects that it has in one."""
    into: Ints
    """The id that most of its objects got when it ended, -1 where they are gone or it did not."""
    given: list[Ints]
    """For each release the id of each of its clusters."""
    steps: list[Renaming]
    """How each release after the first got its ids."""


def lives_of(releases: Releases) -> Lives:
    """Ids over a series: those of the first release, and what each later one makes of them."""
    names = KnownNames()
    given = [names.numbers(releases.labels(0))]
    releases.name(0, given[0])
    steps = []
    for release in range(1, len(releases.names)):
        steps.append(renamed(releases, release, names))
        given.append(steps[-1].given)
        releases.name(release, given[-1])
    many = len(names.values)
    first, last = np.full(many, len(given)), np.full(many, -1)
    count, largest, into = (np.zeros(many, np.int64) for _ in range(3))
    into -= 1
    for release, ids in enumerate(given):
        np.minimum.at(first, ids, release)
        last[ids] = release
        count[ids] += 1
        largest[ids] = np.maximum(largest[ids], releases.sizes(release))
    for release, step in enumerate(steps, 1):
        ended = np.flatnonzero((last[step.old] < release) & (step.main_new >= 0))
        into[step.old[ended]] = step.given[step.main_new[ended]]
    return Lives(names.values, first, last, count, largest, into, given, steps)
