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
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs.scored.pairs import Precise, in_precision
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
    from clusterdiff.many.sweep import forest_kernels as kernels

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
                before = growing.counters[kernels.MERGES]
                growing.link([*(column[part] for column in pairs), skip[part]])
                advance(int(growing.counters[kernels.MERGES] - before))
    return growing.forest(distance, precision)


class _Growing:
    """What union-find needs to know of the objects, and the lines so far."""

    def __init__(self, objects: int) -> None:
        from clusterdiff.many.sweep import forest_kernels as kernels

        kind = place_type(objects)
        self.parent = np.full(objects, -1, kind)
        self.tail = np.arange(objects, dtype=kind)
        self.after = np.full(objects, -1, kind)
        self.gap = np.full(objects, -1, kind)
        self.thresholds = np.empty(objects + 1)
        self.ends = np.zeros(objects + 1, kind)
        self.links = np.zeros(objects + 1, np.int64)
        self.counters = np.zeros(kernels.COUNTERS, np.int64)
        self.last = np.zeros(1)
        self.pairs = self.duplicates = 0

    def link(self, columns: list[NDArray[Any]]) -> None:
        """Join the clusters of some more pairs."""
        from clusterdiff.many.sweep.forest_kernels import link

        found = self.thresholds, self.ends, self.links
        lists = self.parent, self.tail, self.after, self.gap
        link(*columns, self.counters, self.last, *lists, *found)

    def forest(self, distance: bool, precision: type[Precise]) -> Forest:
        """All lines and the order of the objects."""
        from clusterdiff.many.sweep import forest_kernels as kernels

        order, between = np.empty_like(self.gap), np.empty_like(self.gap)
        junction = np.empty(int(self.counters[kernels.MERGES]), self.gap.dtype)
        kernels.leaves(self.parent, self.after, self.gap, order, between, junction)
        self.thresholds[0] = -math.inf if distance else math.inf
        lines = int(self.counters[kernels.LINES]) + 1
        return Forest(
            thresholds=self.thresholds[:lines].copy(),
            ends=self.ends[:lines].copy(),
            links=self.links[:lines].copy(),
            order=order,
            between=between,
            junction=junction,
            pairs=self.pairs,
            self_pairs=int(self.counters[kernels.SELF_PAIRS]),
            duplicates=self.duplicates,
            scores=int(self.counters[kernels.SCORES]),
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
    from clusterdiff.many.sweep.forest_kernels import repeated

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
