"""Choosing a threshold: the score at every threshold of scored pairs, or of every level."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import Policy
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
from clusterdiff.io.arguments import align_together
from clusterdiff.io.between import (
    NOTE,
    named,
    sources_together,
    with_sources,
)
from clusterdiff.io.runs import Runs, check_not_counted
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
from clusterdiff.sweep.lines import ForestLines, LevelLines, fold_of_clusters
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
    Measures that have to be computed line by line are scored on `lines` of them. `between` says
    which source each object of truth comes from, so that only pairs from different sources count,
    as in `compare`. confidence=0.95
    adds the interval of the best score, and whether its neighbours are significantly worse.
    """
    policy = Policy(align, noise, noise_as)
    of = None if between is None else named(between)
    if of is not None and measures is None:
        measures = default_between(align)
    options = SweepOptions(measures, slack, folds, lines, confidence, seed, of)
    check_engine(engine)
    with EngineSessions(engine, whole=True, each=SWEPT) as sessions, partitions_only():
        column = between if isinstance(between, str) else None
        truth = sessions.loaded(side(sessions, truth, None, column))
        if between is not None and column is None:
            truth = with_samples(truth, between, "source")
    names = {"left": left, "right": right, "score": score}
    with opened_scored(pairs, distance=distance, names=names, engine=engine) as opened:
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
    check_not_counted(
        [truth, *(opened.sides.values() if isinstance(opened, Runs) else ())],
        "no pair says at which score the copies of an object are linked; clusters at a threshold "
        "are compared with counts by cd.compare",
    )
    if not isinstance(truth, Partition):
        raise ScoredPairsError(
            f"thresholds are chosen for partitions, and truth is {with_article(truth.kind)} "
            "clustering.",
            "give a truth in which each object is in one cluster.",
        )
    lines: SweepLines
    if isinstance(opened, Runs):
        truth, lines, swept = _levels(truth, opened, policy, options.between)
    else:
        if options.between is not None:
            (truth,) = with_sources([truth], options.between)
        objects = align_scored(truth, opened, policy)
        forest, swept = _of_tree(opened) if isinstance(opened, Tree) else _of_pairs(opened, objects)
        if truth.ids is None and objects.unknown:
            truth = Partition(truth.labels, range(len(truth)))
        swept = replace(
            swept, scores=forest.scores, not_in_truth=objects.unknown,
            not_in_pairs=objects.silent, noise=objects.noise, read=said(objects.notes),
        )  # fmt: skip
        by_number = isinstance(opened, Tree) and opened.heights is None
        source = None
        if options.between is not None:
            source = _source_of(truth, objects, options.between)
        lines = ForestLines(forest, objects, options.measures, by_number, source)
    if options.between is not None:
        swept = replace(swept, read=(*swept.read, NOTE.format(options.between)))
    fold = None
    if options.folds is not None:
        rank = None
        if lines.ids is not None:  # folds do not depend on the order of rows
            rank = np.empty(lines.truth.size, np.int64)
            rank[canonical_order(lines.ids)] = np.arange(rank.size)
        fold = fold_of_clusters(lines.truth, options.folds, options.seed, rank)
    curve = Sweep(
        truth, lines, options.measures, policy, swept, float(options.slack), options.lines,
        options.confidence, fold, between=options.between,
    )  # fmt: skip
    curve.find_best(options.measures)
    return curve


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
    truth: Partition, runs: Runs, policy: Policy, between: str | None = None
) -> tuple[Partition, LevelLines, Swept]:
    """Levels over the same objects, as `compare` takes several guesses."""
    given = runs.partitions()
    settle_indexes([truth, *given.values()])
    if between is not None:
        truth, *rest = with_sources([truth, *given.values()], between)
        given = dict(zip(given, rest, strict=True))
    aligned = align_together(runs.sessions, truth, given, policy)
    meets = {
        name: aligned.contingency_of(name).pooled for name in given
    }  # refuses what cannot be compared
    code, *codes = Together.of([truth, *given.values()], policy).clusters()
    source = None if between is None else sources_together(aligned, between)
    swept = Swept(
        shown=f"{len(given):,} levels",
        taken_for="levels",
        objects=code.size,
        noise=next(iter(meets.values())).alignment.noise,
        levels=list(given),
        read=NOWHERE.with_notes_of(meets).read,
    )
    return truth, LevelLines(code, dict(zip(given, codes, strict=True)), given, source), swept
