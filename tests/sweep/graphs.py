"""Random scored pairs, their clusters threshold by threshold, and scores by ordinary comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import clusterdiff as cd
from clusterdiff.engines.memory import meet_keys
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure, measures
from clusterdiff.sweep.forest import Forest, ScoredPairs, forest_of
from clusterdiff.sweep.lines import Weights, curve_of
from oracles.many.draws import Graph as Named

CHOICES: dict[str, list[Any]] = {
    "alpha": [0.5, 0.2, 0.0, 1.0],
    "f": ["means", "objects"],
    "norm": ["max", "min", "arithmetic", "geometric", "joint"],
    "scale": ["count", "n2"],
    "over": ["n-1", "n"],
    "k": [None, 1, 2, 500],
    "empty": [None, 0.0, 0.3],
    "average": ["objects", "truth"],
    "itself": ["included", "excluded"],
    "unit": ["nats", "bits"],
}


# For tests of `cd.sweep`: truth and pairs with ids.


def drawn(seed: int, n: int, pairs: int, unknown: int = 0) -> Named:
    """A larger graph: scores with two digits, truth that the pairs partly follow."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n // 4, n)
    left, right = rng.integers(0, n + unknown, (2, pairs))
    known = np.concatenate([truth, np.arange(unknown) + n])
    near = known[left] == known[right]
    score = np.round(rng.random(pairs) * 0.7 + 0.3 * near, 2)
    return Named(
        dict(enumerate(truth.tolist())),
        list(zip(left.tolist(), right.tolist(), score.tolist(), strict=True)),
    )


def swept(graph: Named, measures: Any = None, **options: Any) -> Any:
    """A sweep of three arrays."""
    return cd.sweep(graph.truth, graph.columns, measures, **options)


# For tests of forests: numbered objects.


class Graph(NamedTuple):
    """Scored pairs of numbered objects with true clusters; -1 conducts and does not count."""

    pairs: ScoredPairs
    truth: np.ndarray
    distance: bool

    @property
    def objects(self) -> int:
        return self.truth.size

    def forest(self) -> Forest:
        return forest_of([self.pairs], self.objects, distance=self.distance)


def graph(seed: int, most: int = 40) -> Graph:
    """Few objects, many ties, repeated pairs both ways round, pairs of an object with itself."""
    rng = np.random.default_rng(seed)
    n, e = int(rng.integers(1, most)), int(rng.integers(0, 2 * most))
    left, right = rng.integers(0, n, (2, e))
    again = rng.integers(0, max(e, 1), e // 4)
    left, right = np.append(left, right[again]), np.append(right, left[again])
    score = rng.integers(0, rng.integers(1, 30), left.size) / 7.0
    truth = rng.integers(0, rng.integers(1, n + 1), n)
    if seed % 2:
        truth[rng.random(n) < 0.3] = -1
        truth[0] = max(truth[0], 0)
    return Graph(ScoredPairs(left, right, score), truth, seed % 3 == 0)


def taken(pairs: ScoredPairs, rows: Any) -> ScoredPairs:
    """Some of the pairs."""
    return ScoredPairs(pairs.left[rows], pairs.right[rows], pairs.score[rows])


def components(g: Graph, threshold: float) -> np.ndarray:
    """The clusters at a threshold, one link after the other."""
    cluster = np.arange(g.objects)
    for left, right, score in zip(*g.pairs, strict=True):
        if score <= threshold if g.distance else score >= threshold:
            cluster[cluster == cluster[right]] = cluster[left]
    return cluster


def lines_of(g: Graph) -> Iterator[tuple[float, np.ndarray]]:
    """Thresholds at which clusters change, and the clusters; nothing is linked at the first."""
    yield -math.inf if g.distance else math.inf, np.arange(g.objects)
    last = g.objects
    for threshold in np.unique(g.pairs.score)[:: 1 if g.distance else -1].tolist():
        cluster = components(g, threshold)
        if np.unique(cluster).size < last:
            last = np.unique(cluster).size
            yield threshold, cluster


def variants() -> list[Measure]:
    """Every measure of partitions with all its parameters."""
    found = []
    for measure in measures():
        if measure.needs & {"shapes", "rows"} and measure.name != "adjusted":
            keys = [key for key in measure.defaults if key in CHOICES]
            for values in product(*(CHOICES[key] for key in keys)):
                try:
                    found.append(measure.with_params(**dict(zip(keys, values, strict=True))))
                except ClusterdiffError:
                    continue
    return found


def differences(
    g: Graph,
    asked: Sequence[Measure],
    forest_by: Callable[[Graph], Forest] = Graph.forest,
    score_by: Callable[..., Any] = curve_of,
    weights: Weights | None = None,
) -> Iterator[tuple[str, float, float]]:
    """Where a sweep and the ordinary comparison of each line differ: what, swept and direct. With
    `weights` the ordinary comparison is that of all copies.
    """
    forest = forest_by(g)
    own = {} if weights is None else {"weights": weights}
    curve = score_by(forest, g.truth, asked, **own)
    place, truth = np.arange(g.objects), g.truth
    if weights is not None:
        place = np.repeat(place, weights.count)
        apart = weights.lone[place] & (truth[place] >= 0)
        truth = np.where(apart, g.objects + np.arange(place.size), truth[place])
    lines = list(lines_of(g))
    if forest.thresholds.tolist() != [threshold for threshold, _ in lines]:
        yield "lines", forest.lines, len(lines)
        return
    counts = truth >= 0
    values = {name: curve[name] for name in curve.measures}
    for line, (_, cluster) in enumerate(lines):
        meet = meet_keys(truth[counts], cluster[place][counts])
        direct = {
            "clusters": meet.guess_sizes.clusters,
            "largest": int(meet.guess_sizes.size.max()),
            "rows": meet.rows,
        }
        swept = {name: getattr(curve.sums, name)[line] for name in direct}
        for measure in asked:
            if str(measure) in values:
                direct[str(measure)] = measure.of(meet)
                swept[str(measure)] = values[str(measure)][line]
        for name, value in direct.items():
            if not abs(swept[name] - value) <= 1e-12 * max(1.0, abs(value)):
                yield name, float(swept[name]), float(value)
