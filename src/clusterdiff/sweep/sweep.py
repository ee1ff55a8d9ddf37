"""Choosing a threshold: what every threshold of scored pairs, or every level, scores."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError, ScoredPairsError, partitions_only, shown
from clusterdiff.io import Workshop, side
from clusterdiff.io.runs import Runs
from clusterdiff.io.scored import (
    ScoreWatch,
    Tree,
    aligned,
    canonical_order,
    opened_scored,
    refuse_engine,
)
from clusterdiff.io.sides import said
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.sweep.curve import fold_of_clusters
from clusterdiff.sweep.forest import ScoredPairs, forest_of, pairs_of_children
from clusterdiff.sweep.result import ForestLines, LevelLines, Sweep, Swept, level_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clusterdiff.array_types import Ints
    from clusterdiff.io.scored import Aligned, ScoredSource
    from clusterdiff.measures import Measure
    from clusterdiff.sweep.forest import Forest

DEFAULT = ("elm_f", "bcubed_f", "pair_f", "adjusted_rand")
"""What is swept when nothing is asked."""


def sweep(
    truth: Any,
    pairs: Any,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    distance: bool | None = None,
    slack: float = 0.01,
    align: str = "exact",
    folds: int | None = None,
    lines: int = 50,
    left: str | Sequence[str] | None = None,
    right: str | Sequence[str] | None = None,
    score: str | None = None,
    noise: Any = None,
    noise_as: str = "singletons",
    confidence: float | None = None,
    seed: int = 0,
    engine: Any = None,
) -> Sweep:
    """Scores of the clusterings that every threshold of scored pairs gives, and the best of them.

    >>> pairs = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4)]
    >>> curve = sweep({1: "x", 2: "x", 3: "x", 4: "y", 5: "y", 6: "z"}, pairs, "pair_f")
    >>> best = curve.best("pair_f")
    >>> best.low, best.high, round(best.value, 4)
    (0.7, 0.9, 0.6667)

    A threshold t links the pairs that score t or more; clusters are connected components (single
    linkage). `pairs` is a table of two ids and a score (a path, a frame, a DuckDB relation, what
    splink predicts), an array of dedupe, three arrays (left, right, score), edges of a graph; a
    dendrogram (a linkage matrix of SciPy, a fitted AgglomerativeClustering or HDBSCAN), whose
    leaves are the objects of truth in their order; or clusterings, one for each level: a dict, a
    frame with a column for each, "table.csv::leiden_*". `left`, `right` and `score` name columns;
    several are one id together, left=["source_dataset_l", "unique_id_l"].

    distance=True links pairs that score t or less; it is taken from the name of the score and from
    dendrograms where nothing is said. Lines that lose at most `slack` around the best one are its
    flat run. Objects that pairs name and truth does not have are refused; with align="shared" they
    link others without counting, with align="singletons" each is a true cluster.

    folds=5 chooses the threshold on four fifths of the true clusters and scores the others.
    Measures that do not follow from line to line are scored on `lines` of them. confidence=0.95
    adds the interval of the best score, and whether its neighbours are significantly worse.
    """
    policy = Policy(align, noise, noise_as)
    asked = SweepAsked.of(measures, slack, folds, lines, confidence, seed)
    refuse_engine(engine)
    with Workshop(engine, whole=True) as shop, partitions_only():
        known = shop.loaded(side(shop, truth, None))
    names = {"left": left, "right": right, "score": score}
    with opened_scored(pairs, distance=distance, names=names, engine=engine) as opened:
        return sweep_opened(known, opened, policy, asked)


class SweepAsked:
    """What is asked of a sweep, checked."""

    def __init__(
        self,
        measures: dict[str, Measure],
        slack: float,
        folds: int | None,
        lines: int,
        confidence: Confidence | None,
        seed: int,
    ) -> None:
        self.measures, self.slack, self.folds = measures, slack, folds
        self.lines, self.confidence, self.seed = lines, confidence, seed

    @classmethod
    def of(
        cls,
        measures: Any,
        slack: float = 0.01,
        folds: int | None = None,
        lines: int = 50,
        confidence: float | None = None,
        seed: int = 0,
    ) -> SweepAsked:
        """What is asked; numbers out of their ranges are refused."""
        number = isinstance(slack, int | float) and not isinstance(slack, bool)
        if not number or not 0 <= slack < math.inf:
            raise ClusterdiffError(
                f"slack is a loss from 0 on, got {shown(slack)}.", "write e.g. slack=0.01.",
                "write e.g. --slack 0.01.",
            )  # fmt: skip
        for name, value in (("folds", folds), ("lines", lines)):
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 2
            ):
                raise ClusterdiffError(
                    f"{name} is a whole number from 2 on, got {shown(value)}.",
                    f"write e.g. {name}={5 if name == 'folds' else 50}.",
                    f"write e.g. --{name} {5 if name == 'folds' else 50}.",
                )
        chosen = measures_by_text(DEFAULT if measures is None else measures)
        sure = Confidence.of(confidence, seed=seed)
        return cls(chosen, float(slack), folds, lines, sure, seed)


def sweep_opened(
    truth: Any, opened: ScoredSource | Tree | Runs, policy: Policy, asked: SweepAsked
) -> Sweep:
    """The sweep of what is opened."""
    if not isinstance(truth, Partition):
        raise ScoredPairsError.from_kind(truth.kind)
    lines: ForestLines | LevelLines
    if isinstance(opened, Runs):
        truth, lines, swept = level_lines(truth, opened, policy)
    else:
        truth, lines, swept = _forest_lines(truth, opened, policy, asked.measures)
    fold = None
    if asked.folds is not None:
        fold = fold_of_clusters(lines.truth, asked.folds, asked.seed, _ranks(lines))
    made = Sweep(
        truth, lines, asked.measures, policy, swept, asked.slack, asked.lines, asked.confidence,
        fold,
    )  # fmt: skip
    made.prepare()
    return made


def _forest_lines(
    truth: Partition, scored: ScoredSource | Tree, policy: Policy, measures: Mapping[str, Measure]
) -> tuple[Partition, ForestLines, Swept]:
    """Every threshold of pairs, or every height of a tree."""
    found = aligned(truth, scored, policy)
    if isinstance(scored, Tree):
        forest, swept = _of_tree(scored)
    else:
        forest, swept = _of_pairs(scored, found)
    if truth.ids is None and found.unknown:
        truth = Partition(truth.labels, range(len(truth)))
    told = {"unknown": found.unknown, "silent": found.silent, "noise": found.noise}
    swept = replace(swept, **told, read=said(found.notes))  # type: ignore[arg-type]
    return truth, ForestLines(forest, found, measures), swept


def _of_pairs(scored: ScoredSource, found: Aligned) -> tuple[Forest, Swept]:
    watch = ScoreWatch(scored, found.truth)
    chunks = (ScoredPairs(*chunk) for chunk in watch.through(found.chunks(scored)))
    forest = forest_of(
        chunks, found.objects, distance=scored.distance, is_sorted=scored.is_sorted,
        precision=scored.precision,
    )  # fmt: skip
    watch.warn()
    return forest, Swept(
        shown=scored.shown,
        taken_for=scored.taken_for,
        columns=None if scored.columns is None else scored.columns.to_dict(),
        pairs=scored.count,
        objects=scored.objects,
        scores=forest.scores,
        self_pairs=scored.self_pairs + forest.self_pairs,
        duplicates=scored.repeats + forest.duplicates,
    )


def _of_tree(tree: Tree) -> tuple[Forest, Swept]:
    made = pairs_of_children(tree.children, tree.heights)
    forest = forest_of([made.pairs], made.leaves, distance=made.distance, precision=tree.precision)
    return forest, Swept(
        shown=tree.shown,
        taken_for=tree.taken_for,
        pairs=made.leaves - 1,
        objects=made.leaves,
        scores=forest.scores,
        is_tree=True,
        whole=tree.heights is None,
    )


def _ranks(lines: ForestLines | LevelLines) -> Ints | None:
    """The rank of each object by its id; None where objects are positions."""
    if lines.ids is None:
        return None
    rank = np.empty(lines.truth.size, np.int64)
    rank[canonical_order(lines.ids)] = np.arange(rank.size)
    return rank
