"""What became of clusters from one release to the next: events that count every old cluster, every
new cluster and every shared object once.

Clusters are vertices, rows of the contingency table are edges, and each connected component is one
event. Which it is depends on how many old and new clusters it has, so no threshold is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.grouping import by_appearance
from clusterdiff.contingency.base import components
from clusterdiff.contingency.cover import Overlaps, sums
from clusterdiff.errors import ClusterdiffError, shown

KINDS = (
    "same", "grown", "shrunk", "changed", "split", "merged", "mixed", "born", "died", "assembled",
    "dissolved",
)  # fmt: skip
SAME, GROWN, SHRUNK, CHANGED, SPLIT, MERGED, MIXED, BORN, DIED, ASSEMBLED, DISSOLVED = range(11)

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


def check_stray(stray: float) -> Fraction:
    """A share from 0 to below 1, as it is written: 0.29 is 29 of 100."""
    try:
        share = Fraction(str(stray))
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if isinstance(stray, bool) or not 0 <= share < 1:
        raise ClusterdiffError(
            f"stray is a share from 0 to below 1, got {shown(stray)}.",
            "stray=0.05 lets up to 5 % of a cluster stray without tying it to another one.",
            "--stray 0.05 lets up to 5 % of a cluster stray without tying it to another one.",
        )
    return share


def strays(found: Overlaps, share: Fraction) -> Bools:
    """Rows with at most this share of both their clusters, over shared objects."""
    if not share:
        return np.zeros(found.shared.size, np.bool_)
    part, whole = share.numerator, share.denominator
    if whole > 10**6:
        part, whole = round(share * 10**6), 10**6
    sizes = found.old_shared[found.old], found.new_shared[found.new]
    few = [found.shared * whole <= size * part for size in sizes]
    return np.asarray(few[0] & few[1])


def events_of(found: Overlaps, stray: Fraction = Fraction(0)) -> Events:
    """The events between two releases."""
    lost = strays(found, stray)
    old, new, shared = (c[~lost] for c in (found.old, found.new, found.shared))
    of_old, of_new = _numbered(old, new, found.old_size.size, found.new_size.size)
    many = 1 + int(max(of_old.max(initial=-1), of_new.max(initial=-1)))
    stayed = sums(of_old[old], shared, many)
    moved = sums(of_old[found.old[lost]], found.shared[lost], many)
    joined = sums(of_new[found.new[lost]], found.shared[lost], many)
    gone = sums(of_old, found.old_size - found.old_shared, many)
    arrived = sums(of_new, found.new_size - found.new_shared, many)
    olds, news = np.bincount(of_old, minlength=many), np.bincount(of_new, minlength=many)
    kind = _kinds(olds, news, moved + gone, joined + arrived, moved, joined)
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


def _kinds(olds: Ints, news: Ints, lost: Ints, gained: Ints, moved: Ints, joined: Ints) -> Ints:
    kind = np.full(olds.size, MIXED)
    one = (olds == 1) & (news == 1)
    kind[one] = (lost[one] > 0) * 2 + (gained[one] > 0)
    kind[one] = np.array([SAME, GROWN, SHRUNK, CHANGED])[kind[one]]
    kind[(olds == 1) & (news > 1)] = SPLIT
    kind[(olds > 1) & (news == 1)] = MERGED
    kind[news == 0] = np.where(moved[news == 0] > 0, DISSOLVED, DIED)
    kind[olds == 0] = np.where(joined[olds == 0] > 0, ASSEMBLED, BORN)
    return kind
