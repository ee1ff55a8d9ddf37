"""Choosing a threshold on some true clusters and scoring it on others.

A threshold that is chosen on the labels that score it looks better than it is. Here the true
clusters are dealt into folds. For each fold the line is chosen with the clusters of the others, and
scored with those of the fold; objects that do not count still link others.

A fold has fewer objects that could be wrongly together than all of truth, so its scores are not
comparable with that of the best line. What is comparable is the score of another line on the same
fold: that of the line chosen with all clusters, the fold among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.encode.group import number
from clusterdiff.errors import ClusterdiffError
from clusterdiff.many.sweep.best import best_line
from clusterdiff.many.sweep.chosen import meet_at, score_lines, spread_lines
from clusterdiff.many.sweep.curve import curve_of
from clusterdiff.many.sweep.forest import Forest
from clusterdiff.measures import Measure
from clusterdiff.meet import HardMeet


class FoldScores(NamedTuple):
    """What one measure came to, fold by fold."""

    lines: Ints
    """The line that was chosen without each fold."""
    chosen: Floats
    """Its score on the clusters it was chosen with."""
    held_out: Floats
    """Its score on the clusters of the fold."""
    with_all: Floats
    """The score on the clusters of the fold of the line that is best on all clusters."""

    @property
    def mean(self) -> float:
        """The mean score on clusters that did not choose."""
        return float(self.held_out.mean())

    @property
    def optimism(self) -> float:
        """How much more the best line scores where its own labels choose it; of distances, how much
        less, as a number below 0.
        """
        return float((self.with_all - self.held_out).mean())


def fold_of_clusters(truth: Ints, folds: int, seed: int = 0, keys: Ints | None = None) -> Ints:
    """The fold of each object, -1 where it has no true cluster.

    Clusters are shuffled and dealt out by size, so that folds have about as many of each size. A
    cluster is known by the smallest of the `keys` of its objects (left out, their numbers): where
    keys come from ids, the order of rows changes nothing.
    """
    counts = np.flatnonzero(truth >= 0)
    cluster, many = number(truth[counts])
    if not 2 <= folds <= many:
        raise ClusterdiffError(
            f"folds must be from 2 to the number of true clusters, {many:,}; got {folds!r}.",
            f"write e.g. folds={min(5, many)}." if many > 1 else "leave folds out.",
            f"write e.g. --folds {min(5, many)}." if many > 1 else "leave --folds out.",
        )
    size = np.bincount(cluster)
    name = np.full(many, np.iinfo(np.int64).max)
    np.minimum.at(name, cluster, counts if keys is None else keys[counts])
    by_name = np.argsort(name)
    shuffled = by_name[np.random.default_rng(seed).permutation(many)]
    dealt = np.empty(many, np.int64)
    dealt[shuffled[np.argsort(size[shuffled], kind="stable")]] = np.arange(many) % folds
    found = np.full(truth.size, -1)
    found[counts] = dealt[cluster]
    return found


def held_out_scores(
    forest: Forest,
    truth: Ints,
    measures: Sequence[Measure],
    fold: Ints,
    lines: int = 50,
) -> dict[str, FoldScores]:
    """For each measure and fold, the best line without the fold, and its score on the fold; `fold`
    is what `fold_of_clusters` gives.

    Measures that are no function of sums of lines choose among so many lines.
    """
    folds = int(fold.max()) + 1
    found = {str(m): FoldScores(np.zeros(folds, np.int64), *np.zeros((3, folds))) for m in measures}
    best = best_lines(forest, np.where(fold < 0, -1, truth), measures, lines)
    for place in range(folds):
        others = np.where(fold == place, -1, truth)
        own = np.where(fold == place, truth, -1)
        chosen = best_lines(forest, others, measures, lines)
        meets: dict[int, HardMeet] = {}
        for name, measure in ((str(measure), measure) for measure in measures):
            scores, (line, value) = found[name], chosen[name]
            for needed in {line, best[name][0]} - set(meets):
                meets[needed] = meet_at(forest, own, needed)
            scores.lines[place], scores.chosen[place] = line, value
            scores.held_out[place] = measure.of(meets[line])
            scores.with_all[place] = measure.of(meets[best[name][0]])
    return found


def best_lines(
    forest: Forest, truth: Ints, measures: Sequence[Measure], lines: int = 50
) -> dict[str, tuple[int, float]]:
    """The best line of each measure and its score."""
    curve = curve_of(forest, truth, measures)
    some = spread_lines(forest, lines)
    rest = score_lines(forest, truth, curve.unknown, some) if curve.unknown else {}
    found = {}
    for name, measure in ((str(measure), measure) for measure in measures):
        values = rest[name] if name in rest else curve.values[name]
        best = best_line(values, distance=measure.is_distance)
        found[name] = int(some[best.line]) if name in rest else best.line, best.value
    return found
