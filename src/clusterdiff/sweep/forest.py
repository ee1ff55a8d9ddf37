"""Single linkage of scored pairs: the clusters of every threshold as intervals of one object order.

Pairs are linked strongest first. Each merge appends one list of objects to another, so in the
final order every cluster of every threshold is an interval, and two neighbours share a cluster from
the merge between them onwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.compiled import compiled
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io.scored import Precise, Tree, in_precision
from clusterdiff.progress import progress

STEP = 1 << 20
"""Pairs or objects processed between two checks for an interrupt."""
MOST_OBJECTS = 3_000_000_000
"""Up to here the sum of squared cluster sizes stays below 2⁶³."""


class ScoredPairs(NamedTuple):
    """Pairs of objects, numbered from 0, and the score of each pair."""

    left: Ints
    right: Ints
    score: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Forest:
    """The clusterings at all thresholds. Line 0 links nothing; each further line is the next score
    at which clusters merge. Object and merge numbers take 32 bits where that is enough.

    >>> pairs = ScoredPairs(np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([0.9, 0.5, 0.4]))
    >>> forest = forest_of([pairs], 4)
    >>> forest
    Forest(4 objects, 3 lines from 3 pairs)
    >>> forest.thresholds.tolist()
    [inf, 0.9, 0.5]
    >>> forest.cut(1).tolist()
    [0, 0, 1, 2]
    """

    thresholds: Floats
    """The score of each line; inf for line 0, -inf for distances."""
    ends: NDArray[Any]
    """Number of merges up to and including each line."""
    links: Ints
    """Number of distinct pairs that score at least the threshold of each line."""
    order: NDArray[Any]
    """The objects in the order in which every cluster is an interval."""
    between: NDArray[Any]
    """The merge that joins each place of the order with the next one; -1 for none."""
    junction: NDArray[Any]
    """For each merge, the last place of its left part."""
    pairs: int
    """Number of pairs that were given."""
    self_pairs: int
    """Pairs that name one object twice."""
    duplicates: int
    """Pairs that were given before, in either direction, with an equal or stronger score."""
    scores: int
    """Number of distinct scores of the remaining pairs."""
    distance: bool = False
    """Whether small scores link."""
    precision: type[Precise] = np.float64
    """The type in which thresholds are compared with scores."""

    def __repr__(self) -> str:
        return f"Forest({self.objects:,} objects, {self.lines:,} lines from {self.pairs:,} pairs)"

    @property
    def objects(self) -> int:
        """Number of objects."""
        return self.order.size

    @property
    def lines(self) -> int:
        """Number of clusterings, including line 0."""
        return self.thresholds.size

    def cut(self, line: int) -> Ints:
        """The cluster of each object at a line, numbered in order of appearance."""
        if not self.objects:
            return np.zeros(0, np.int64)
        apart = (self.between < 0) | (self.between >= self.ends[line])
        start = np.flatnonzero(np.concatenate([[True], apart[:-1]]))
        first = np.zeros(self.objects, np.int64)
        smallest = np.minimum.reduceat(self.order, start)
        first[smallest] = 1
        number = (np.cumsum(first) - 1)[smallest]
        cluster = np.empty(self.objects, np.int64)
        cluster[self.order] = np.repeat(number, np.diff(start, append=self.objects))
        return cluster

    def line_at(self, threshold: float) -> int:
        """The line at a threshold; scores equal to the threshold link."""
        sign = 1.0 if self.distance else -1.0
        rounded = in_precision(threshold, self.precision)
        return int(np.searchsorted(sign * self.thresholds[1:], sign * rounded, side="right"))

    def interval(self, first: int, last: int | None = None) -> tuple[float, float]:
        """The thresholds t of a line or run of lines: low < t <= high, or low <= t < high for
        distances.
        """
        after = (first if last is None else last) + 1
        begin, end = float(self.thresholds[first]), math.inf if self.distance else -math.inf
        if after < self.lines:
            end = float(self.thresholds[after])
        return (begin, end) if self.distance else (end, begin)


def forest_of(
    chunks: Iterable[ScoredPairs],
    objects: int,
    *,
    distance: bool = False,
    is_sorted: bool = False,
    precision: type[Precise] = np.float64,
) -> Forest:
    """The clusterings at all thresholds of scored pairs.

    Sorted chunks, strongest pair first, are linked one by one; ties may straddle them, but each
    pair must occur once. Other chunks are gathered here, sorted, and freed of repeated pairs.
    """
    if objects > MOST_OBJECTS:
        raise ClusterdiffError(
            f"a sweep takes at most {MOST_OBJECTS:,} objects, got {objects:,}.",
            "leave out objects that no pair names.",
        )
    kind = place_type(objects)
    parent, after, gap = (np.full(objects, -1, kind) for _ in range(3))
    tail = np.arange(objects, dtype=kind)
    thresholds, ends = np.empty(objects + 1), np.zeros(objects + 1, kind)
    links = np.zeros(objects + 1, np.int64)
    counters = np.zeros(COUNTERS, np.int64)
    typed = (
        ScoredPairs(left.astype(kind, copy=False), right.astype(kind, copy=False), score)
        for left, right, score in chunks
    )
    ordered, duplicates = (typed, 0) if is_sorted else _sorted(typed, objects, distance)
    given, last = duplicates, np.full(1, -math.inf if distance else math.inf)
    with progress("linking pairs", max(objects - 1, 1)) as advance:
        for pairs in ordered:
            given += pairs.left.size
            if is_sorted:
                before = np.concatenate([last, pairs.score[:-1]])
                if (before > pairs.score if distance else before < pairs.score).any():
                    raise ClusterdiffError(
                        "the pairs are not sorted by their score, strongest first.",
                        "sort them, or leave is_sorted out.",
                    )
            for begin in range(0, pairs.left.size, STEP):
                part = [column[begin : begin + STEP] for column in pairs]
                merged = int(counters[MERGES])
                link(*part, counters, last, parent, tail, after, gap, thresholds, ends, links)
                advance(int(counters[MERGES]) - merged)
    order, between = np.empty_like(gap), np.empty_like(gap)
    junction = np.empty(int(counters[MERGES]), kind)
    leaves(parent, after, gap, order, between, junction)
    thresholds[0] = -math.inf if distance else math.inf
    lines = int(counters[LINES]) + 1
    return Forest(
        thresholds=thresholds[:lines].copy(), ends=ends[:lines].copy(), links=links[:lines].copy(),
        order=order, between=between, junction=junction, pairs=given,
        self_pairs=int(counters[SELF_PAIRS]), duplicates=duplicates,
        scores=int(counters[SCORES]), distance=distance, precision=precision,
    )  # fmt: skip


def place_type(objects: int) -> type[np.int32] | type[np.int64]:
    """The smallest integer type that can number the objects."""
    return np.int32 if objects < 2**31 else np.int64


def _sorted(
    chunks: Iterable[ScoredPairs], objects: int, distance: bool
) -> tuple[list[ScoredPairs], int]:
    """All pairs, strongest first, without those that were given before; and the number of these."""
    kind: Any = place_type(objects)
    empty = ScoredPairs(np.zeros(0, kind), np.zeros(0, kind), np.zeros(0))
    left, right, score = (np.concatenate(column) for column in zip(empty, *chunks, strict=True))
    order = np.argsort(score if distance else -score)
    left, right, score = left[order], right[order], score[order]
    del order
    first = np.ones(left.size, np.bool_)
    rows: Any = place_type(left.size)
    start, row, other = (np.zeros(size, rows) for size in (objects + 1, left.size, left.size))
    repeated(left, right, start, row, other, np.full(objects, -1, kind), first)
    if first.all():
        return [ScoredPairs(left, right, score)], 0
    return [ScoredPairs(left[first], right[first], score[first])], int((~first).sum())


# Compiled union-find over sorted pairs: which merge comes when, and the order of the leaves.

LINKS, SELF_PAIRS, SCORES, MERGES, LINES, LEVEL_MERGES = range(6)
"""Places of the counters that `link` carries from chunk to chunk."""
COUNTERS = 6


@compiled
def _root(parent, x):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The root of x; the parent of a root is minus its size."""
    while parent[x] >= 0:
        up = parent[x]
        if parent[up] >= 0:
            parent[x] = parent[up]
        x = up
    return x


@compiled
def link(  # type: ignore[no-untyped-def]  # pragma: no cover
    left, right, score, counters, last, parent, tail, after, gap, thresholds, ends, links
):
    """Join the clusters of pairs, strongest first; equal scores are one level.

    The objects of a cluster are a linked list that begins with its root. A merge appends the
    smaller list to the larger one and notes its number at the seam.
    """
    for i in range(left.size):
        x, y = left[i], right[i]
        if x == y:
            counters[SELF_PAIRS] += 1
            continue
        if counters[SCORES] == 0 or score[i] != last[0]:
            last[0] = score[i]
            counters[SCORES] += 1
            counters[LEVEL_MERGES] = 0
        counters[LINKS] += 1
        x, y = _root(parent, x), _root(parent, y)
        if x != y:
            if counters[LEVEL_MERGES] == 0:
                counters[LINES] += 1
                thresholds[counters[LINES]] = score[i]
            if parent[x] > parent[y]:
                x, y = y, x
            after[tail[x]] = y
            gap[tail[x]] = counters[MERGES]
            tail[x] = tail[y]
            parent[x] += parent[y]
            parent[y] = x
            counters[MERGES] += 1
            counters[LEVEL_MERGES] += 1
            ends[counters[LINES]] = counters[MERGES]
        if counters[LEVEL_MERGES]:
            links[counters[LINES]] = counters[LINKS]


@compiled
def leaves(parent, after, gap, order, between, junction):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Lay the lists end to end, so that every cluster of every level becomes an interval.

    `between` gets the merge that joins two neighbours, `junction` the place before its seam.
    """
    place = 0
    for root in range(parent.size):
        if parent[root] >= 0:
            continue
        x = root
        while x >= 0:
            order[place] = x
            between[place] = gap[x]
            if gap[x] >= 0:
                junction[gap[x]] = place
            x = after[x]
            place += 1


@compiled
def repeated(left, right, start, row, other, stamp, first):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Unmark pairs that occur earlier, in either direction, after a counting sort by one end."""
    for i in range(left.size):
        start[min(left[i], right[i]) + 1] += 1
    for x in range(1, start.size):
        start[x] += start[x - 1]
    for i in range(left.size):
        x = min(left[i], right[i])
        row[start[x]], other[start[x]] = i, max(left[i], right[i])
        start[x] += 1
    begin = 0
    for x in range(start.size - 1):
        for k in range(begin, start[x]):
            y = other[k]
            if y != x and stamp[y] == x:
                first[row[k]] = False
            stamp[y] = x
        begin = start[x]


# Dendrograms as scored pairs: one pair per merge, with a leaf of either side.


def forest_of_tree(tree: Tree) -> Forest:
    """The clusterings at all heights of a tree; without heights, the score of a merge is the number
    of clusters that it leaves.

    A cluster exists from the largest height inside it onwards, as in `fcluster` of SciPy: a merge
    below an earlier one (an inversion) is cut together with it.

    >>> tree = Tree("linkage", np.array([[0, 1], [2, 4], [3, 5]]), np.array([2.0, 1.5, 4.0]))
    >>> forest_of_tree(tree).thresholds.tolist()
    [-inf, 2.0, 4.0]
    """
    left, right = np.ascontiguousarray(np.asarray(tree.children, np.int64).T)
    given = np.arange(left.size) - float(left.size) if tree.heights is None else tree.heights
    if given.size != left.size:
        raise ClusterdiffError(
            f"the dendrogram has {left.size:,} merges and {given.size:,} heights.",
            "give both of one fitted estimator.",
        )
    leaf, height = np.empty((2, left.size), np.int64), np.empty(left.size)
    climb(left, right, given, leaf, height)
    by_height = tree.heights is not None
    pairs = ScoredPairs(leaf[0], leaf[1], height if by_height else -height)
    return forest_of([pairs], tree.leaves, distance=by_height, precision=tree.precision)


@compiled
def climb(left, right, heights, leaf, height):  # type: ignore[no-untyped-def]  # pragma: no cover
    """A leaf of either side of each merge, and the largest height inside."""
    leaves = left.size + 1
    for i in range(left.size):
        height[i] = heights[i]
        for side in range(2):
            node = left[i] if side == 0 else right[i]
            if node < leaves:
                leaf[side, i] = node
            else:
                leaf[side, i] = leaf[0, node - leaves]
                height[i] = max(height[i], height[node - leaves])
