"""Scores at every threshold: components by breadth-first search, one threshold at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..common import Clustering, Number, clusters

Pair = tuple[Hashable, Hashable, float]


class Line(NamedTuple):
    """One clustering of a sweep, over the objects that count."""

    score: float
    """The weakest score that links here; infinite where nothing is linked."""
    truth: Clustering
    guess: Clustering

    @property
    def clusters(self) -> int:
        return len(clusters(self.guess))

    @property
    def largest(self) -> int:
        return max((len(c) for c in clusters(self.guess)), default=0)

    @property
    def rows(self) -> int:
        """Pairs of a true and a guessed cluster that share an object."""
        return len({(self.truth[x], self.guess[x]) for x in self.guess})


class Best(NamedTuple):
    """The best line, its thresholds, and those of the run of lines that lose little."""

    value: Number
    line: int
    low: float
    high: float
    flat: tuple[float, float]


def linked(
    objects: Iterable[Hashable], pairs: Sequence[Pair], weakest: float, distance: bool = False
) -> Clustering:
    """Connected components of the pairs that are at least as strong, each named by a member."""
    near: dict[Hashable, set[Hashable]] = {x: set() for x in objects}
    for left, right, score in pairs:
        if score <= weakest if distance else score >= weakest:
            near[left].add(right)
            near[right].add(left)
    found: dict[Hashable, Hashable] = {}
    for start in near:
        queue = [start]
        while queue:
            x = queue.pop()
            if x not in found:
                found[x] = start
                queue.extend(near[x])
    return found


def named(pairs: Sequence[Pair]) -> set[Hashable]:
    """The objects that pairs name."""
    return {x for left, right, _ in pairs for x in (left, right)}


def lines(
    truth: Clustering, pairs: Sequence[Pair], *, align: str = "exact", distance: bool = False
) -> list[Line]:
    """Every different clustering of the objects that pairs can make, the strictest first.

    Objects that truth lacks link others and do not count ("shared"), or are each a true cluster
    ("singletons").
    """
    unknown = named(pairs) - truth.keys()
    if unknown and align == "exact":
        raise ValueError("pairs name objects that truth lacks")
    everything = [*truth, *unknown]
    counted = dict(truth)
    if align == "singletons":
        counted |= {x: ("alone", x) for x in unknown}
    nothing = -math.inf if distance else math.inf
    scores = sorted({score for *_, score in pairs}, reverse=not distance)
    made: list[Line] = []
    before: set[frozenset[Hashable]] = set()
    for score in [nothing, *scores]:
        whole = linked(everything, pairs, score, distance)
        if clusters(whole) != before:
            guess = {x: label for x, label in whole.items() if x in counted}
            made.append(Line(score, counted, guess))
        before = clusters(whole)
    return made


def values(
    made: Sequence[Line], measure: Callable[[Clustering, Clustering], Number]
) -> list[Number]:
    """The measure on each line."""
    return [measure(line.truth, line.guess) for line in made]


def best(
    made: Sequence[Line],
    scored: Sequence[Number],
    slack: Number = 0,
    *,
    smallest: bool = False,
    distance: bool = False,
) -> Best:
    """The best line, the strictest of equal ones, and the longest run around it within slack."""
    sign = -1 if smallest else 1
    top = max(sign * value for value in scored)
    line = next(i for i, value in enumerate(scored) if sign * value == top)
    first = last = line
    while first > 0 and top - sign * scored[first - 1] <= slack:
        first -= 1
    while last + 1 < len(made) and top - sign * scored[last + 1] <= slack:
        last += 1
    beyond = math.inf if distance else -math.inf
    ends = [one.score for one in made[1:]] + [beyond]

    def span(one: int, other: int) -> tuple[float, float]:
        strict, loose = made[one].score, ends[other]
        return (strict, loose) if distance else (loose, strict)

    return Best(scored[line], line, *span(line, line), span(first, last))


def pairs_of_linkage(rows: Sequence[Sequence[float]]) -> list[Pair]:
    """A dendrogram as pairs of leaves: all of one side with all of the other, from the largest
    height inside on.
    """
    leaves: dict[int, list[int]] = {i: [i] for i in range(len(rows) + 1)}
    inside = dict.fromkeys(leaves, -math.inf)
    made: list[Pair] = []
    for number, (left, right, height, *_) in enumerate(rows, start=len(rows) + 1):
        a, b = int(left), int(right)
        inside[number] = max(height, inside[a], inside[b])
        made += [(x, y, inside[number]) for x in leaves[a] for y in leaves[b]]
        leaves[number] = leaves[a] + leaves[b]
    return made


def conducted(truth: Mapping[Hashable, Hashable], kept: set[Hashable]) -> Clustering:
    """The part of truth whose clusters are kept; the others conduct."""
    return {x: label for x, label in truth.items() if label in kept}
