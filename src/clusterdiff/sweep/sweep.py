"""Choosing a threshold: the score at every threshold of scored pairs, or of every level."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import Policy
from clusterdiff.engines.counts import with_counts
from clusterdiff.engines.samples import no_source, with_samples
from clusterdiff.engines.shared_objects import Together
from clusterdiff.errors import (
    ClusterdiffError,
    ScoredPairsError,
    partitions_only,
    shown,
    with_article,
)
from clusterdiff.io import EngineSessions, settle_indexes, side
from clusterdiff.io.arguments import align_together, column_of, counted_sides
from clusterdiff.io.between import (
    NOTE,
    named,
    sources_together,
    with_sources,
)
from clusterdiff.io.runs import Runs
from clusterdiff.io.scored import (
    ScoreWatch,
    Tree,
    align_scored,
    canonical_order,
    check_engine,
    opened_scored,
    own_ids,
)
from clusterdiff.io.session import SWEPT
from clusterdiff.io.sides import NOWHERE, said
from clusterdiff.measures.pairs import default_between
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.sweep.forest import ScoredPairs, forest_of, forest_of_tree
from clusterdiff.sweep.lines import ForestLines, LevelLines, Weights, fold_of_clusters
from clusterdiff.sweep.result import Sweep, Swept

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clusterdiff.array_types import Ints
    from clusterdiff.io.scored import Aligned, ScoredSource
    from clusterdiff.measures import Measure
    from clusterdiff.sweep.forest import Forest
    from clusterdiff.sweep.lines import SweepLines

DEFAULT = ("elm_f", "bcubed_f", "pair_f", "adjusted_rand")
"""The measures that are swept by default."""


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
    count: Any = None,
    between: Any = None,
    confidence: float | None = None,
    seed: int = 0,
    engine: Any = None,
) -> Sweep:
    """Score the clusterings at every threshold of scored pairs, and find the best one.

    >>> pairs = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4)]
    >>> curve = sweep({1: "x", 2: "x", 3: "x", 4: "y", 5: "y", 6: "z"}, pairs, "pair_f")
    >>> best = curve.best("pair_f")
    >>> best.low, best.high, round(best.value, 4)
    (0.7, 0.9, 0.6667)

    A threshold t links the pairs that score t or more; clusters are connected components (single
    linkage). `pairs` is a table of two ids and a score (a path, a frame, a DuckDB relation, the
    predictions of splink), an array of dedupe, three arrays (left, right, score) or the edges of a
    graph; a dendrogram (a linkage matrix of SciPy, a fitted AgglomerativeClustering or HDBSCAN),
    whose leaves are the objects of truth in their order; or clusterings, one for each level: a
    dict, a frame with a column for each, "table.csv::leiden_*". `left`, `right` and `score` name
    columns; several columns form one id together, as in left=["source_dataset_l", "unique_id_l"].

    distance=True links pairs that score t or less; by default the name of the score decides, and
    dendrograms have distances. Lines that lose at most `slack` around the best one are its flat
    run. Objects that pairs name and truth does not have are refused; with align="shared" they link
    others without being scored, with align="singletons" each is a true cluster.

    folds=5 chooses the threshold on four fifths of the true clusters and scores the others.
    Measures that have to be computed line by line are scored on `lines` of them. `count` says how
    many objects each one stands for, and `between` which source it comes from, so that only pairs
    from different sources count, as in `compare`. The copies of an object are together on every
    line; the pairs of one that counts 0 link nothing. confidence=0.95 adds the interval of the best
    score, and whether its neighbours are significantly worse.
    """
    policy = Policy(align, noise, noise_as)
    of = None if between is None else named(between)
    if of is not None and measures is None:
        measures = default_between(align)
    options = SweepOptions(measures, slack, folds, lines, confidence, seed, of, count)
    check_engine(engine)
    with EngineSessions(engine, whole=True, each=SWEPT) as sessions, partitions_only():
        column = between if isinstance(between, str) else None
        truth = sessions.loaded(side(sessions, truth, None, column, column_of(count)))
        if between is not None and column is None:
            truth = with_samples(truth, between, "source")
    names, own = {"left": left, "right": right, "score": score}, column_of(count)
    with opened_scored(pairs, distance=distance, names=names, engine=engine, count=own) as opened:
        return sweep_opened(truth, opened, policy, options)


@dataclass
class SweepOptions:
    """The measures and options of a sweep, as a user gives them; numbers out of range are refused,
    measures are looked up.
    """

    measures: Any = None
    slack: float = 0.01
    folds: int | None = None
    lines: int = 50
    confidence: Any = None
    seed: int = 0
    between: str | None = None
    """What the sources are called that truth has as samples, if pairs of one do not count."""
    count: Any = None
    """How many objects each one stands for, where no clustering says so."""

    def __post_init__(self) -> None:
        number = isinstance(self.slack, int | float) and not isinstance(self.slack, bool)
        if not number or not 0 <= self.slack < math.inf:
            raise ClusterdiffError(
                f"slack is a loss from 0 on, got {shown(self.slack)}.", "write e.g. slack=0.01."
            )
        for name, value, example in (("folds", self.folds, 5), ("lines", self.lines, 50)):
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and value > 1):
                raise ClusterdiffError(
                    f"{name} is a whole number from 2 on, got {shown(value)}.",
                    f"write e.g. {name}={example}.",
                    f"write e.g. --{name} {example}.",
                )
        self.measures = measures_by_text(DEFAULT if self.measures is None else self.measures)
        self.confidence = Confidence.of(self.confidence, seed=self.seed)


def sweep_opened(
    truth: Any, opened: ScoredSource | Tree | Runs, policy: Policy, options: SweepOptions
) -> Sweep:
    """The sweep of pairs, a tree or levels that are opened."""
    if not isinstance(truth, Partition):
        raise ScoredPairsError(
            f"thresholds are chosen for partitions, and truth is {with_article(truth.kind)} "
            "clustering.",
            "give a truth in which each object is in one cluster.",
        )
    lines: SweepLines
    if isinstance(opened, Runs):
        truth, lines, swept = _levels(truth, opened, policy, options)
    else:
        if options.count is not None:
            truth = _with_counts(truth, options.count)
        if options.between is not None:
            (truth,) = with_sources([truth], options.between)
        objects = align_scored(truth, opened, policy, options.count)
        forest, swept = _of_tree(opened) if isinstance(opened, Tree) else _of_pairs(opened, objects)
        if truth.ids is None and objects.unknown:
            truth = copy(truth)
            truth.ids = column(range(len(truth)))
        swept = replace(
            swept, scores=forest.scores, not_in_truth=objects.unknown,
            not_in_pairs=objects.silent, noise=objects.noise, read=said(objects.notes),
        )  # fmt: skip
        by_number = isinstance(opened, Tree) and opened.heights is None
        source = weights = None
        if options.between is not None:
            source = _source_of(truth, objects, options.between)
        if objects.count is not None and objects.lone is not None:
            weights = Weights(objects.count, objects.lone, truth.counted)
        lines = ForestLines(forest, objects, options.measures, by_number, source, weights)
    if options.between is not None:
        swept = replace(swept, read=(*swept.read, NOTE.format(options.between)))
    fold = None
    if options.folds is not None:
        rank = None
        if lines.ids is not None:  # folds do not depend on the order of rows
            rank = np.empty(lines.truth.size, np.int64)
            rank[canonical_order(lines.ids)] = np.arange(rank.size)
        count = None if lines.weights is None else lines.weights.count
        fold = fold_of_clusters(lines.truth, options.folds, options.seed, rank, count)
    curve = Sweep(
        truth, lines, options.measures, policy, swept, float(options.slack), options.lines,
        options.confidence, fold, between=options.between,
    )  # fmt: skip
    curve.find_best(options.measures)
    return curve


def _with_counts(truth: Partition, count: Any) -> Partition:
    """Truth with counts that are given, or that stand in a column of it."""
    if column_of(count) is None:
        return with_counts(truth, count)
    if truth.counts is None:
        with EngineSessions() as sessions:
            counted_sides(sessions, [truth], count)  # says that there is no such column
    return truth


def _of_pairs(scored: ScoredSource, objects: Aligned) -> tuple[Forest, Swept]:
    """Every threshold of pairs, whose scores are watched for what looks wrong."""
    watch = ScoreWatch(scored, objects.truth)
    chunks = (ScoredPairs(*chunk) for chunk in watch.through(objects.chunks(scored)))
    forest = forest_of(
        chunks, objects.objects, distance=scored.distance, is_sorted=scored.is_sorted,
        precision=scored.precision,
    )  # fmt: skip
    watch.warn()
    return forest, Swept(
        shown=scored.shown,
        taken_for=scored.taken_for,
        columns=None if scored.columns is None else scored.columns.to_dict(),
        pairs=scored.count,
        objects=scored.objects,
        self_pairs=scored.self_pairs + forest.self_pairs,
        duplicates=scored.repeats + forest.duplicates,
    )


def _of_tree(tree: Tree) -> tuple[Forest, Swept]:
    """Every height of a tree."""
    merges, leaves = len(tree.children), tree.leaves
    swept = Swept(tree.shown, tree.taken_for, pairs=merges, objects=leaves, is_tree=True)
    return forest_of_tree(tree), swept


def _source_of(truth: Partition, objects: Aligned, name: str) -> Ints:
    """The source of each object; refused where one that counts has none."""
    assert truth.sources is not None
    source = np.full(objects.objects, -1)
    source[: objects.known] = truth.sources
    if (missing := np.flatnonzero((source < 0) & (objects.truth >= 0))).size:
        ids = missing[:3].tolist() if objects.ids is None else own_ids(objects.ids, missing[:3])
        raise no_source(ids, missing.size, objects.objects, name)
    return source


def _levels(
    truth: Partition, runs: Runs, policy: Policy, options: SweepOptions
) -> tuple[Partition, LevelLines, Swept]:
    """Levels over the same objects, as `compare` takes several guesses."""
    given, between = runs.partitions(), options.between
    settle_indexes([truth, *given.values()])
    made: Any = counted_sides(runs.sessions, [truth, *given.values()], options.count)
    truth, given = made[0], dict(zip(given, made[1:], strict=True))
    if between is not None:
        truth, *rest = with_sources([truth, *given.values()], between)
        given = dict(zip(given, rest, strict=True))
    aligned = align_together(runs.sessions, truth, given, policy)
    meets = {
        name: aligned.contingency_of(name).pooled for name in given
    }  # refuses what cannot be compared
    (code, *codes), count, place = Together.of([truth, *given.values()], policy).cells()
    source = None if between is None else sources_together(aligned, between)[place]
    weights = None
    if truth.counts is not None:
        weights = Weights(count, np.zeros(count.size, np.bool_), truth.counted)
    swept = Swept(
        shown=f"{len(given):,} levels",
        taken_for="levels",
        objects=int(count.sum()),
        noise=next(iter(meets.values())).alignment.noise,
        levels=list(given),
        read=NOWHERE.with_notes_of(meets).read,
    )
    runs_of = dict(zip(given, codes, strict=True))
    return truth, LevelLines(code, runs_of, given, source, weights), swept
