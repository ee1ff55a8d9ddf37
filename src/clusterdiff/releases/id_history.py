"""Clusters and ids from release to release: events, and ids that last.

Clusters of two releases are vertices, rows of the contingency table are edges, and each connected
component is one event, so that every old cluster, every new cluster and every shared object counts
once. Which event it is depends on how many old and new clusters it has, so no threshold is needed.
Each release is renamed from the last known id of each object.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.columns import (
    Column,
    ascends,
    column,
    is_null,
    is_whole,
    joined,
    ranked,
)
from clusterdiff.clusterings.grouping import by_appearance, number
from clusterdiff.contingency.base import components
from clusterdiff.contingency.cover import Overlaps, sums
from clusterdiff.engines.memory import numbered_together
from clusterdiff.errors import ClusterdiffError, InputError, shown

if TYPE_CHECKING:
    from clusterdiff.releases.joins import KnownIds, Releases

KINDS = (
    "same", "grown", "shrunk", "changed", "split", "merged", "mixed", "born", "died", "assembled",
    "dissolved",
)  # fmt: skip
SAME, GROWN, SHRUNK, CHANGED, SPLIT, MERGED, MIXED, BORN, DIED, ASSEMBLED, DISSOLVED = range(11)
BY_NUMBERS = np.array([[SAME, BORN, BORN], [DIED, SAME, SPLIT], [DIED, MERGED, MIXED]])
"""The kind of an event with no, one or several old (row) and new (column) clusters."""

MEANINGS = {
    "same": "one cluster with the same objects",
    "grown": "one cluster that gained objects",
    "shrunk": "one cluster that lost objects",
    "changed": "one cluster that gained and lost objects",
    "split": "one cluster became several",
    "merged": "several clusters became one",
    "mixed": "several clusters became several others",
    "born": "a cluster of new objects",
    "died": "a cluster whose objects are all gone",
    "assembled": "a cluster of objects that moved one by one",
    "dissolved": "a cluster whose objects moved one by one",
}


@dataclass(frozen=True, eq=False)
class Events:
    """All events of a step, in the order of their old clusters, then of their new ones."""

    of_old: Ints
    """The event of each old cluster."""
    of_new: Ints
    kind: Ints
    """For each event its place in `KINDS`."""
    stayed: Ints
    """Objects in clusters that belong to the event before and after."""
    moved: Ints
    """Objects of its old clusters that strayed elsewhere."""
    joined: Ints
    """Objects of its new clusters that strayed from elsewhere."""
    gone: Ints
    """Objects of its old clusters that the new release lacks."""
    arrived: Ints
    """Objects of its new clusters that the old release lacked."""
    olds: Ints
    """How many old clusters it has."""
    news: Ints

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many events there are of each kind; all that can be without strays are named."""
        found = np.bincount(self.kind, minlength=len(KINDS)).tolist()
        named = zip(KINDS, found, strict=True)
        return {name: n for i, (name, n) in enumerate(named) if n or i < ASSEMBLED}

    @property
    def size(self) -> Ints:
        """How many objects have a part in each event."""
        made: Ints = self.stayed + self.moved + self.joined + self.gone + self.arrived
        return made


def exact_share(name: str, share: float, what: str) -> Fraction:
    """A share from 0 to below 1, as it is written: 0.29 is 29 of 100. `what` says what one does."""
    try:
        exact = Fraction(str(share))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(-1)
    if isinstance(share, bool) or not 0 <= exact < 1:
        raise ClusterdiffError(
            f"{name} is a share from 0 to below 1, got {shown(share)}.", f"{name}={what}."
        )
    return exact


def check_stray(stray: float) -> Fraction:
    """The share of a cluster that may stray, as it is written."""
    what = "0.05 lets up to 5 % of a cluster stray without tying it to another one"
    return exact_share("stray", stray, what)


def events_of(found: Overlaps, stray: Fraction = Fraction(0)) -> Events:
    """The events between two releases."""
    if stray.denominator > 10**6:
        stray = Fraction(round(stray * 10**6), 10**6)
    # Rows with at most this share of both their clusters, over shared objects, tie nothing.
    few = np.full(found.shared.size, stray > 0)
    for size in (found.old_shared[found.old], found.new_shared[found.new]):
        few &= found.shared * stray.denominator <= size * stray.numerator
    old, new, shared = (c[~few] for c in (found.old, found.new, found.shared))
    of_old, of_new = _numbered(old, new, found.old_size.size, found.new_size.size)
    many = 1 + int(max(of_old.max(initial=-1), of_new.max(initial=-1)))
    stayed = sums(of_old[old], shared, many)
    moved = sums(of_old[found.old[few]], found.shared[few], many)
    joined = sums(of_new[found.new[few]], found.shared[few], many)
    gone = sums(of_old, found.old_size - found.old_shared, many)
    arrived = sums(of_new, found.new_size - found.new_shared, many)
    olds, news = np.bincount(of_old, minlength=many), np.bincount(of_new, minlength=many)
    kind = BY_NUMBERS[np.minimum(olds, 2), np.minimum(news, 2)]
    one, lost, gained = (olds == 1) & (news == 1), moved + gone > 0, joined + arrived > 0
    kind[one] = 2 * lost[one] + gained[one]  # same, grown, shrunk or changed
    kind[(news == 0) & (moved > 0)] = DISSOLVED
    kind[(olds == 0) & (joined > 0)] = ASSEMBLED
    return Events(of_old, of_new, kind, stayed, moved, joined, gone, arrived, olds, news)


def _numbered(old: Ints, new: Ints, olds: int, news: int) -> tuple[Ints, Ints]:
    """The event of each old and of each new cluster. Pairs of clusters that meet no other need no
    search for components.
    """
    degree = np.bincount(old, minlength=olds), np.bincount(new, minlength=news)
    alone = (degree[0][old] == 1) & (degree[1][new] == 1)
    label = np.arange(olds + news)
    label[olds + new[alone]] = old[alone]
    rest = ~alone
    if rest.any():
        ends = np.concatenate([old[rest], olds + new[rest]])
        code, example = by_appearance(ends)
        half = code.size // 2
        found = components(code[:half], code[half:], example.size)
        least = np.full(example.size, olds + news)
        np.minimum.at(least, found, ends[example])
        label[ends[example]] = least[found]
    made = by_appearance(label)[0]
    return made[:olds], made[olds:]


# The renaming of clusters that lets as many objects as possible keep their id.
#
# An object keeps its id where its row is matched, so the best renaming is a matching of old with
# new clusters whose rows have the largest sum of objects. It falls apart over connected
# components; with one old or one new cluster the best row is found by sorting.

EXACT = 2**53
"""Whole numbers below it are exact as doubles, in which the solver counts."""


def check_min_share(share: float | None) -> Fraction | None:
    """A share from 0 to below 1, as it is written."""
    if share is None:
        return None
    what = "0.5 keeps an id where more than half of its objects stay together"
    return exact_share("min_share", share, what).limit_denominator(10**6)


def best_renaming(
    found: Overlaps, min_share: Fraction | None = None, *, exact: bool = False
) -> tuple[Ints, int]:
    """For each new cluster the old one whose id it takes, -1 for none; and how many more objects
    (or how much more of their weights) another renaming can keep, at most. That is 0, unless a
    giant component was not solved to the end, which `exact` insists on.

    The matched rows have the largest possible sum of objects (or of their weights); among such
    renamings the largest sum of Jaccard indices in thousandths. What is left is decided by the
    order of clusters: in a component with one old or one new cluster the first old or new one, in
    others by the solver, which is given them in their order.
    """
    taken = np.full(found.new_size.size, -1)
    chosen, missing = _matched_rows(found, min_share, exact)
    taken[found.new[chosen]] = found.old[chosen]
    return taken, missing


def _matched_rows(found: Overlaps, min_share: Fraction | None, exact: bool) -> tuple[Ints, int]:
    """The rows of the best matching, and what another one can have more.

    Rows of a cluster whose others meet no other cluster are a component with one old or one new
    cluster, which needs no search.
    """
    rows = None
    if min_share is not None:  # rows with more than this share of the objects of their old cluster
        size = found.old_size[found.old]
        allowed = found.shared * min_share.denominator > size * min_share.numerator
        rows = np.flatnonzero(allowed)
    old, new = (c if rows is None else c[rows] for c in (found.old, found.new))
    of_old, of_new = np.bincount(old), np.bincount(new)
    last_of_old, last_of_new = of_old[old] == 1, of_new[new] == 1
    split = _whole_stars(old, of_old, last_of_new)
    merged = _whole_stars(new, of_new, last_of_old)
    alone = last_of_old & last_of_new
    parts = [np.flatnonzero(alone)]
    weight = found.shared if found.weight is None else found.weight
    for star, centre, ends in ((split, old, new), (merged, new, old)):
        some = np.flatnonzero(star & ~alone)
        own = some if rows is None else rows[some]
        keys = (ends[some], -found.thousandths_of(own), -weight[own], centre[some])
        order = np.lexsort(keys)
        parts.append(some[order[np.flatnonzero(np.diff(centre[some][order], prepend=-1))]])
    knot = np.flatnonzero(~(alone | split | merged))
    knot = knot[np.lexsort((new[knot], old[knot]))]
    own = knot if rows is None else rows[knot]
    tied = found.thousandths_of(own)
    matched, missing = _matched_knots(old[knot], new[knot], weight[own], tied, exact)
    chosen = np.concatenate([*parts, knot[matched]])
    return (chosen if rows is None else rows[chosen]), missing


def _whole_stars(centre: Ints, degree: Ints, last: Bools) -> Bools:
    """Rows of clusters all of whose rows are the only ones of the cluster at the other end."""
    found = np.bincount(centre[last], minlength=degree.size) == degree
    return np.asarray(found[centre]) if centre.size else last


def _matched_knots(
    old: Ints, new: Ints, weight: Ints, thousandths: Ints, exact: bool
) -> tuple[Ints, int]:
    """The same for components with several clusters on both sides. Rows that every heaviest
    matching has are taken until there are none, the rest goes to the solver in the order of
    clusters.
    """
    from clusterdiff.measures.assignment import matchings

    if not old.size:
        return old, 0
    left, olds = number(old)
    right, news = number(new)
    part = components(left, right + olds, olds + news)
    many = int(part.max()) + 1
    sides = np.bincount(part[:olds], minlength=many), np.bincount(part[olds:], minlength=many)
    amount, unit = _lexicographic(part[left], np.minimum(*sides), weight, thousandths)
    chosen, missing = [], 0
    for matched in matchings(left, right, amount, unit, strict=True, exact=exact):
        chosen.append(matched.chosen)
        if matched.missing:
            most = amount[matched.chosen].sum() + matched.missing
            kept = int(weight[matched.chosen].sum())
            missing += int(most // unit[matched.rows[0]]) - kept
    return np.concatenate(chosen), missing


def _lexicographic(
    part: Ints, fewer: Ints, weight: Ints, thousandths: Ints
) -> tuple[Floats, Floats]:
    """One number per row whose sums over matchings compare as (weight, thousandths) do, and what
    a weight of 1 is there.

    A matching of k rows has at most 1000 k thousandths, so weights are multiplied by 1000 k + 1.
    Where these sums would not be exact as doubles, Jaccard indices are taken in coarser steps.
    """
    total = np.zeros(fewer.size)
    np.add.at(total, part, weight.astype(np.float64))
    coarse = np.ones(fewer.size, np.int64)
    for step in (10, 100, 1000, 10_000):
        coarse[total * (1000 // (step // 10) * fewer + 1) >= EXACT] = step
    if (total >= EXACT).any():
        raise ClusterdiffError(
            f"the weights of {int((total >= EXACT).sum()):,} groups of clusters add up to more "
            "than 2^53, beyond which sums are not exact.",
            "divide all weights by the same number, or round them to whole numbers.",
        )
    factor = 1000 // coarse * fewer + 1
    unit = factor[part]
    made: Ints = weight * unit + thousandths // coarse[part]
    return made.astype(np.float64), unit.astype(np.float64)


# Ids for clusters that have none: never one that was seen before.

Fresh = Callable[[Any], Any]


def fitting_ids(given: Iterable[Any], like: Column) -> list[Any]:
    """Ids as others are: 7 for "7" where these are whole numbers, and the other way about."""
    listed = [value.item() if isinstance(value, np.generic) else value for value in given]
    if like.family == "integers":
        return [int(one) if is_whole(one) else one for one in listed]
    if like.family == "text":
        return [str(one) if isinstance(one, int) and like.written else one for one in listed]
    return listed


def fresh_ids(labels: Column, seen: Column, retired: Iterable[Any], fresh: Fresh | None) -> Column:
    """An id for each of these clusters, which the new run calls so: whole numbers go on behind the
    largest that was ever seen, text keeps the label if it is free; or what a function of the user
    makes of the labels, no id twice.
    """
    if fresh is None and seen.family in ("integers", "numbers"):
        return _behind(len(labels), seen, retired)
    used, made = {*seen.tolist(), *retired}, []
    for label in labels.tolist():
        if fresh is None:
            one, again = str(label) if seen.family == "text" else label, 2
            while one in used:  # a label that is taken gets a number behind it
                one, again = f"{label}~{again}", again + 1
        else:
            one = fresh(label)
            if is_null(one):
                raise ClusterdiffError(
                    f"fresh({shown(label)}) gave {shown(one)}, which is not an id.",
                    "return a number or a text that was never seen.",
                )
            try:
                taken = one in used
            except TypeError:
                raise InputError.from_unhashable(one) from None
            if taken:
                raise ClusterdiffError(
                    f"fresh({shown(label)}) gave {shown(one)}, which is an id already.",
                    "ids are never used twice; return one that was never seen.",
                )
        used.add(one)
        made.append(one)
    return column(made, written=labels.written and fresh is None)


def _behind(many: int, seen: Column, retired: Iterable[Any]) -> Column:
    numbers = [one for one in retired if isinstance(one, int | float) and not is_null(one)]
    top = max([seen.values.max(initial=-1).item(), *numbers])
    first = int(np.floor(top)) + 1
    if seen.family == "numbers":
        return Column(first + np.arange(many, dtype=np.float64), "numbers", written=seen.written)
    if first + many > 2**63 - 1:
        raise ClusterdiffError(
            f"no whole number of 64 bits is left behind the id {top}.",
            "give fresh=, a function that makes an id of a label.",
        )
    return Column(first + np.arange(many), "integers", written=seen.written)


def check_fresh(fresh: object) -> None:
    """Refuse what cannot make an id."""
    if fresh is not None and not callable(fresh):
        raise ClusterdiffError(
            f"fresh is a function that makes an id of a label, got {shown(fresh)}.",
            'write e.g. fresh=lambda label: f"2026-{label}".',
        )


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
    missing: int = 0
    """How many more objects (or how much more of their weights) another renaming keeps, at most."""

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

    @property
    def of_best(self) -> float:
        """How much of what the best renaming keeps this one keeps, at least."""
        weight = self.overlaps.shared if self.overlaps.weight is None else self.overlaps.weight
        kept = int(weight[self.kept_rows].sum())
        return kept / (kept + self.missing) if self.missing else 1.0

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

    @cached_property
    def most_together(self) -> Ints:
        """For each old id the most of its objects in one new cluster."""
        most = np.zeros(self.old.size, np.int64)
        np.maximum.at(most, self.overlaps.old, self.overlaps.shared)
        return most

    def _main(self, of: Ints, other: Ints, many: int) -> Ints:
        order = np.lexsort((other, -self.overlaps.thousandths, -self.overlaps.shared, of))
        first = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
        found = np.full(many, -1)
        found[of[first]] = other[first]
        return found


def unfinished(of_best: float) -> list[str]:
    """What is certain of a renaming that was not matched to the end; nothing of one that was."""
    if of_best >= 1:
        return []
    least = math.floor(1e6 * of_best) / 1e4
    return [
        f"It is certain that {least:.4f} % of what the best assignment of ids keeps is kept: the "
        "clusters are too tangled to match all of them to the end."
    ]


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
    exact: bool = False,
) -> Renaming:
    """The ids of a release. A retired id is not kept, whatever objects have it; fresh ids are
    neither retired ones nor those named besides.
    """
    gone = set(fitting_ids(retired, names.values))
    overlaps, old = in_order(releases.known(release), names, gone)
    taken, missing = best_renaming(overlaps, min_share, exact=exact)
    given = np.where(taken < 0, -1, old[taken]) if old.size else np.full(taken.size, -1)
    revived = np.zeros(taken.size, np.int64)
    if revive:
        _revive(releases.ever_known(release), names, old, given, revived, exact)
    lacking = np.flatnonzero(given < 0)
    made = fresh_ids(
        releases.labels(release).take(lacking), names.values, gone | set(besides), fresh
    )
    given[lacking] = names.add(made)
    return Renaming(overlaps, old, taken, given, revived, min_share, missing)


def in_order(found: KnownIds, names: KnownNames, without: set[Any]) -> tuple[Overlaps, Ints]:
    """Known ids beside clusters, with ids in their order; some ids left out."""
    ids, made = found
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
    found: KnownIds, names: KnownNames, old: Ints, given: Ints, revived: Ints, exact: bool
) -> None:
    """Clusters without an id get a retired one that most of their objects once had, as far as
    each is given once; by the same rule as ids are kept.
    """
    ids, every = found
    rows = np.flatnonzero((given[every.new] < 0) & ~np.isin(ids, old)[every.old])
    if not rows.size:
        return
    overlaps, ids = in_order(found._replace(overlaps=every.rows_at(rows)), names, set())
    taken, _ = best_renaming(overlaps, exact=exact)
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
