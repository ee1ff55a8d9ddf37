"""Many runs compared: profiles, all pairs, the medoid, how consistent each object is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations

from ..common import Clustering, Number, mean
from .releases import similarity

Score = Callable[[Clustering, Clustering], Number]


def profiles(runs: Sequence[Clustering]) -> set[frozenset[Hashable]]:
    """Objects that every run labels alike; a run that lacks an object says so of it."""
    objects = {x for run in runs for x in run}
    said = {x: tuple((x in run, run.get(x)) for run in runs) for x in objects}
    return {frozenset(y for y in objects if said[y] == said[x]) for x in objects}


def shared(one: Clustering, other: Clustering) -> tuple[Clustering, Clustering]:
    """Both runs on the objects that both have."""
    both = [x for x in one if x in other]
    return {x: one[x] for x in both}, {x: other[x] for x in both}


def matrix(runs: Sequence[Clustering], score: Score) -> list[list[Number]]:
    """Every run (row, as truth) against every other (column), on the objects that both have."""
    return [[score(*shared(one, other)) for other in runs] for one in runs]


def medoid(values: Sequence[Sequence[Number]], smallest: bool = False) -> int:
    """The run with the largest mean score against the others (distances: the smallest)."""
    sign = -1 if smallest else 1
    places = range(len(values))
    means = [sign * sum(values[i][j] for j in places if j != i) for i in places]
    return means.index(max(means))


def stability(values: Sequence[Sequence[Number]]) -> Number:
    """Mean over the pairs of different runs."""
    pairs = list(combinations(range(len(values)), 2))
    return sum(values[i][j] for i, j in pairs) / len(pairs)


def consistency(runs: Sequence[Clustering], x: Hashable) -> Fraction | None:
    """Mean, over the pairs of runs that have x, of the similarity of its clusters."""
    own = [run for run in runs if x in run]
    pairs = list(combinations(own, 2))
    return mean(similarity(a, b, x) for a, b in pairs) if pairs else None
