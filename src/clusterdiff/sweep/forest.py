"""Single linkage of scored pairs: every threshold's clusters as intervals of one order of objects.

Pairs are joined strongest first. Each merge puts one list of objects behind another, so in the
final order every cluster of every threshold is an interval, and two neighbours are together from
the merge between them on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.compiled import compiled
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io.scored import Precise, in_precision
from clusterdiff.progress import progress

STEP = 1 << 20
"""Pairs or objects that are worked on before an interrupt is heard."""
MOST_OBJECTS = 3_000_000_000
"""The sum of the squares of cluster sizes stays below 2⁶³."""


class ScoredPairs(NamedTuple):
    """Pairs of objects, which are numbers from 0 on, and how strongly each is linked."""

    left: Ints
    right: Ints
    score: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Forest:
    """The clusterings of all thresholds. Line 0 links nothing; each next line is the next score at
    which something merges. Numbers of objects and merges take 32 bits each where that is enough.

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
    """The score of each line; inf for line 0, of distances -inf."""
    ends: NDArray[Any]
    """How many merges there are up to each line."""
    links: Ints
    """How many pairs score as high as the line, or higher; repeated pairs count once."""
    order: NDArray[Any]
    """The objects in the order in which every cluster is an interval."""
    between: NDArray[Any]
    """The merge that joins each place of the order with the next one; -1 for none."""
    junction: NDArray[Any]
    """For each merge, the place in front of it."""
    pairs: int
    """How many pairs were given."""
    self_pairs: int
    """How many of them name one object twice."""
    duplicates: int
    """How many of them were given before, in either direction, with a score as strong."""
    scores: int
    """How many scores the others have."""
    distance: bool = False
    """Whether small scores link."""
    precision: type[Precise] = np.float64
    """The type in which thresholds are compared with scores."""

    def __repr__(self) -> str:
        return f"Forest({self.objects:,} objects, {self.lines:,} lines from {self.pairs:,} pairs)"

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return self.order.size

    @property
    def lines(self) -> int:
        """How many clusterings there are, that of line 0 included."""
        return self.thresholds.size

    def cut(self, line: int) -> Ints:
        """The cluster number of each object at a line; clusters are numbered as they appear."""
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
        """The line that is the clustering at a threshold, which links scores that equal it."""
        sign = 1.0 if self.distance else -1.0
        own = in_precision(threshold, self.precision)
        return int(np.searchsorted(sign * self.thresholds[1:], sign * own, side="right"))

    def interval(self, first: int, last: int | None = None) -> tuple[float, float]:
        """The thresholds t of a line, or of a run of lines: low < t <= high, of distances
        low <= t < high.
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
    """The clusterings of all thresholds of scored pairs.

    Chunks that are sorted, strongest first, are taken one by one: ties may straddle them, and each
    pair must be given once. Other chunks are gathered, sorted and freed of repeated pairs here.
    """

    if objects > MOST_OBJECTS:
        raise ClusterdiffError(
            f"a sweep takes up to {MOST_OBJECTS:,} objects, got {objects:,}.",
            "leave out objects that no pair names.",
        )
    growing = _Growing(objects)
    checked = (_checked(chunk, objects) for chunk in chunks)
    ordered: Iterable[tuple[ScoredPairs, Bools]]
    if is_sorted:
        ordered = _in_order(checked, distance)
    else:
        ordered = [_sorted(list(checked), objects, distance)]
    with progress("linking pairs", max(objects - 1, 1)) as advance:
        for pairs, skip in ordered:
            growing.pairs += pairs.left.size
            growing.duplicates += int(skip.sum())
            for begin in range(0, pairs.left.size, STEP):
                part = slice(begin, begin + STEP)
                before = growing.counters[MERGES]
                growing.link([*(column[part] for column in pairs), skip[part]])
                advance(int(growing.counters[MERGES] - before))
    return growing.forest(distance, precision)


class _Growing:
    """What union-find needs to know of the objects, and the lines so far."""

    def __init__(self, objects: int) -> None:

        kind = place_type(objects)
        self.parent = np.full(objects, -1, kind)
        self.tail = np.arange(objects, dtype=kind)
        self.after = np.full(objects, -1, kind)
        self.gap = np.full(objects, -1, kind)
        self.thresholds = np.empty(objects + 1)
        self.ends = np.zeros(objects + 1, kind)
        self.links = np.zeros(objects + 1, np.int64)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.last = np.zeros(1)
        self.pairs = self.duplicates = 0

    def link(self, columns: list[NDArray[Any]]) -> None:
        """Join the clusters of some more pairs."""

        found = self.thresholds, self.ends, self.links
        lists = self.parent, self.tail, self.after, self.gap
        link(*columns, self.counters, self.last, *lists, *found)

    def forest(self, distance: bool, precision: type[Precise]) -> Forest:
        """All lines and the order of the objects."""

        order, between = np.empty_like(self.gap), np.empty_like(self.gap)
        junction = np.empty(int(self.counters[MERGES]), self.gap.dtype)
        leaves(self.parent, self.after, self.gap, order, between, junction)
        self.thresholds[0] = -math.inf if distance else math.inf
        lines = int(self.counters[LINES]) + 1
        return Forest(
            thresholds=self.thresholds[:lines].copy(),
            ends=self.ends[:lines].copy(),
            links=self.links[:lines].copy(),
            order=order,
            between=between,
            junction=junction,
            pairs=self.pairs,
            self_pairs=int(self.counters[SELF_PAIRS]),
            duplicates=self.duplicates,
            scores=int(self.counters[SCORES]),
            distance=distance,
            precision=precision,
        )


def place_type(objects: int) -> type[np.int32] | type[np.int64]:
    """The smallest type for numbers of so many objects."""
    return np.int32 if objects < 2**31 else np.int64


def _checked(pairs: ScoredPairs, objects: int) -> ScoredPairs:
    """Pairs whose objects exist and that all have a score, in the types that are compiled for."""
    left, right, score = (np.asarray(column) for column in pairs)
    if not left.shape == right.shape == score.shape == (left.size,):
        raise ClusterdiffError(
            f"pairs have {left.size:,} left objects, {right.size:,} right ones and {score.size:,} "
            "scores.",
            "give three arrays of one length.",
        )
    least = min(int(side.min(initial=0)) for side in (left, right))
    most = max(int(side.max(initial=-1)) for side in (left, right))
    if least < 0 or most >= objects:
        raise ClusterdiffError(
            f"a pair names object {least if least < 0 else most:,}, and objects are numbered from "
            f"0 to {objects - 1:,}.",
            "number the objects of truth and pairs together.",
        )
    scores = np.asarray(score, np.float64)
    missing = np.flatnonzero(np.isnan(scores))
    if missing.size:
        raise ClusterdiffError(
            f"{missing.size:,} of {scores.size:,} scores are null.",
            "drop these pairs; a pair without a score links nothing.",
        )
    kind: Any = place_type(objects)
    return ScoredPairs(left.astype(kind, copy=False), right.astype(kind, copy=False), scores)


def _in_order(chunks: Iterable[ScoredPairs], distance: bool) -> Iterator[tuple[ScoredPairs, Bools]]:
    """Chunks as they come, if they come strongest first."""
    last = -math.inf if distance else math.inf
    for pairs in chunks:
        if not pairs.score.size:
            continue
        before = np.concatenate([[last], pairs.score[:-1]])
        if (before > pairs.score if distance else before < pairs.score).any():
            raise ClusterdiffError(
                "the pairs are not sorted by their score, strongest first.",
                "sort them, or leave is_sorted out.",
            )
        last = float(pairs.score[-1])
        yield pairs, np.zeros(pairs.score.size, np.bool_)


def _sorted(chunks: list[ScoredPairs], objects: int, distance: bool) -> tuple[ScoredPairs, Bools]:
    """All pairs strongest first, and which of them were given before."""

    kind: Any = place_type(objects)
    empty = ScoredPairs(np.zeros(0, kind), np.zeros(0, kind), np.zeros(0))
    left, right, score = (np.concatenate(column) for column in zip(empty, *chunks, strict=True))
    chunks.clear()
    order = np.argsort(score if distance else -score)
    left, right, score = left[order], right[order], score[order]
    del order
    skip = np.zeros(left.size, np.bool_)
    rows: Any = place_type(left.size)
    start, row, other = (np.zeros(size, rows) for size in (objects + 1, left.size, left.size))
    repeated(left, right, start, row, other, np.full(objects, -1, kind), skip)
    return ScoredPairs(left, right, score), skip


# Compiled union-find over sorted pairs: which merge comes when, and the order of the leaves.

LINKS, SELF_PAIRS, SCORES, MERGES, LINES, LEVEL_MERGES = range(6)
"""Places of the counters that `link` keeps from chunk to chunk."""
COUNTERS = 6


@compiled
def _root(parent, x):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The root of x; a root has minus its size for a parent."""
    while parent[x] >= 0:
        up = parent[x]
        if parent[up] >= 0:
            parent[x] = parent[up]
        x = up
    return x


@compiled
def link(  # type: ignore[no-untyped-def]  # pragma: no cover
    left, right, score, skip, counters, last, parent, tail, after, gap, thresholds, ends, links
):
    """Join the clusters of pairs, strongest first; equal scores are one level.

    The objects of a cluster are a list that begins with its root. A merge hangs the smaller list
    behind the larger one and is noted where they meet.
    """
    for i in range(left.size):
        if skip.size and skip[i]:
            continue
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
    """Lay the lists one behind the other: every cluster of every level becomes an interval.

    `between` holds the merge that joins two neighbours, `junction` the place in front of it.
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
def repeated(left, right, start, row, other, stamp, skip):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Mark pairs that were given before, in either direction; how many they are."""
    for i in range(left.size):
        start[min(left[i], right[i]) + 1] += 1
    for x in range(1, start.size):
        start[x] += start[x - 1]
    for i in range(left.size):
        x = min(left[i], right[i])
        row[start[x]], other[start[x]] = i, max(left[i], right[i])
        start[x] += 1
    found, begin = 0, 0
    for x in range(start.size - 1):
        for k in range(begin, start[x]):
            y = other[k]
            if y != x and stamp[y] == x:
                skip[row[k]] = True
                found += 1
            stamp[y] = x
        begin = start[x]
    return found


# Dendrograms as scored pairs: one pair per merge, of a leaf of either side.


class Dendrogram(NamedTuple):
    """A tree of merges, as pairs of its leaves."""

    pairs: ScoredPairs
    leaves: int
    distance: bool
    """Whether the scores are heights; otherwise they are numbers of clusters."""


def pairs_of_linkage(linkage: ArrayLike) -> Dendrogram:
    """The pairs of a linkage matrix as SciPy, fastcluster and HDBSCAN have it.

    >>> pairs_of_linkage([[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]]).pairs.score.tolist()
    [2.0, 2.0, 4.0]
    """
    table = _numbers(linkage, "a linkage matrix")
    if table.ndim != 2 or table.shape[1] not in (3, 4):
        raise ClusterdiffError(
            f"a linkage matrix has a row per merge and 4 columns, got an array of {table.shape}.",
            "give what scipy.cluster.hierarchy.linkage returns.",
        )
    return pairs_of_children(table[:, :2], table[:, 2])


def pairs_of_children(children: ArrayLike, distances: ArrayLike | None = None) -> Dendrogram:
    """The pairs of a tree as scikit-learn has it: `children_`, with `distances_` if there are any.

    A cluster exists from the largest height inside it on, as `fcluster` has it, so that a merge
    below an earlier one (an inversion) is cut with it. Without heights, the score of a merge is how
    many clusters it leaves.

    >>> pairs_of_children([[0, 1], [2, 3]]).pairs.score.tolist()
    [2.0, 1.0]
    """

    nodes = _numbers(children, "children_")
    if nodes.ndim != 2 or nodes.shape[1] != 2:
        raise ClusterdiffError(
            f"children_ has a row of two nodes per merge, got an array of {nodes.shape}.",
            "give the children_ of a fitted estimator.",
        )
    merges = len(nodes)
    left, right = _whole(nodes)
    heights = _heights(distances, merges)
    leaf, height = np.empty((2, merges), np.int64), np.empty(merges)
    used = np.zeros(2 * merges + 1, np.bool_)
    wrong = climb(left, right, heights, leaf, height, used)
    if wrong >= 0:
        raise ClusterdiffError(
            f"row {wrong} of the dendrogram joins {left[wrong]} and {right[wrong]}: a node must be "
            "one of the leaves or made by an earlier row, and is joined once.",
            f"with {merges + 1:,} leaves, the first row makes node {merges + 1:,}.",
        )
    score = -height if distances is None else height
    return Dendrogram(ScoredPairs(leaf[0], leaf[1], score), merges + 1, distances is not None)


def _heights(distances: ArrayLike | None, merges: int) -> Floats:
    """The height of each merge; without heights, minus the number of clusters it leaves."""
    if distances is None:
        return np.arange(merges, dtype=np.float64) - merges
    heights = np.asarray(_numbers(distances, "distances_"), np.float64)
    if heights.shape != (merges,):
        raise ClusterdiffError(
            f"the dendrogram has {merges:,} merges and {heights.size:,} heights.",
            "give both of one fitted estimator.",
        )
    missing = np.flatnonzero(np.isnan(heights))
    if missing.size:
        raise ClusterdiffError(
            f"{missing.size:,} of {merges:,} heights are null (row {missing[0]}, …).",
            "fit again without missing values.",
        )
    return heights


def _numbers(values: ArrayLike, what: str) -> Any:
    found = np.asarray(values)
    if found.dtype.kind not in "iuf":
        raise ClusterdiffError(
            f"{what} holds numbers, got an array of {found.dtype}.",
            "give what scipy.cluster.hierarchy.linkage returns, or a fitted estimator.",
        )
    return found


def _whole(nodes: Any) -> tuple[Ints, Ints]:
    """Both columns as whole numbers; what is none becomes -1, which no node is."""
    numbers = np.where(np.isfinite(nodes) & (nodes == np.floor(nodes)), nodes, -1)
    columns = np.clip(numbers, -1, 2**62).astype(np.int64)
    return np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1])


# Compiled walk up a dendrogram.


@compiled
def climb(left, right, heights, leaf, height, used):  # type: ignore[no-untyped-def]  # pragma: no cover
    """A leaf of either side of each merge, and the largest height inside; the first row that names
    a node that is not there or was joined before, -1 if none does.
    """
    leaves = left.size + 1
    for i in range(left.size):
        height[i] = heights[i]
        for side in range(2):
            node = left[i] if side == 0 else right[i]
            if node < 0 or node >= leaves + i or used[node]:
                return i
            used[node] = True
            if node < leaves:
                leaf[side, i] = node
            else:
                leaf[side, i] = leaf[0, node - leaves]
                height[i] = max(height[i], height[node - leaves])
    return -1
