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

from clusterdiff.array_types import Ints
from clusterdiff.clusterings.grouping import by_appearance
from clusterdiff.contingency.base import components
from clusterdiff.contingency.cover import Overlaps, sums
from clusterdiff.errors import ClusterdiffError, shown

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
