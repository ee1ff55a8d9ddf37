"""The clusterings of a sweep, one per line: their sums and scores, the best line, and folds."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.counts import GIVEN
from clusterdiff.clusterings.grouping import group_sums, number, pair_keys
from clusterdiff.contingency import Alignment, BetweenMeet
from clusterdiff.engines.counts import UNKNOWN, counting
from clusterdiff.engines.memory import Objects, Positions, every_row, meet_keys
from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff.io.scored import Aligned, canonical_order
from clusterdiff.measures import Measure
from clusterdiff.measures.base import not_of_pairs
from clusterdiff.measures.sums import LineSums, SizeMean, line_score
from clusterdiff.progress import progress
from clusterdiff.sweep import kernels
from clusterdiff.sweep.forest import MOST_OBJECTS, STEP, Forest, place_type

if TYPE_CHECKING:
    from clusterdiff.clusterings import Column
    from clusterdiff.contingency import HardMeet

# The sums of every line of a forest, from one replay of its merges, and the scores that follow.

COUNTS = (
    "clusters", "rows", "largest", "singles", "alone",
    "exact", "exact_objects", "pure", "inverse",
)  # fmt: skip
FRACTIONS = (
    "guess_logs", "both_logs", "precise", "mates_precise", "recalled", "mates_recalled"
)  # fmt: skip
"""Sums of lines by their names in `LineSums`; the kernels have the same names in capitals."""
LINES = 1 << 16
"""Lines scored together, so that their sums stay in the cache."""
NUMBERS = (int, float, np.number)
AT_ONCE = 4
"""Means over objects that one replay follows."""
MERGES = 1 << 16
"""Merges replayed between two checks for an interrupt."""


@dataclass(frozen=True, eq=False)
class LineScores:
    """The sums of every line; `scores["elm_f"]` computes the scores of a measure from them."""

    sums: LineSums
    measures: Mapping[str, Measure]
    """The measures that are functions of the sums, by their text."""
    unknown: list[Measure]
    """Measures that are not, and have to be computed line by line."""

    def __getitem__(self, text: str) -> Floats:
        score = line_score(self.measures[text])
        assert score is not None
        values = np.empty(self.sums.lines)
        for begin in range(0, values.size, LINES):
            end = begin + LINES
            values[begin:end] = score.score(self.sums.part(begin, end))
        return values


class Weights(NamedTuple):
    """How many objects each one stands for."""

    count: Ints  # type: ignore[assignment]
    lone: Bools
    """Whether each of its copies is a true cluster, as those of noise are."""
    name: str = GIVEN
    """What the counts are called."""

    @property
    def fit(self) -> bool:
        """Whether squares of sizes are whole numbers of 64 bits."""
        return float(self.count.sum(dtype=np.float64)) <= MOST_OBJECTS

    def one_by_one(self, truth: Ints, some: Ints) -> tuple[Ints, Ints, Ints]:
        """Some objects with those taken apart that are lone: where each is, its true cluster, and
        how often it counts.
        """
        lone = self.lone[some]
        apart = Positions(some, some, 0, 0, self.count[some]).one_by_one(lone)
        assert apart.count is not None
        true, own = truth[apart.in_truth], self.lone[apart.in_truth]
        true[own] = int(truth.max(initial=-1)) + 1 + np.arange(int(own.sum()))
        return apart.in_truth, true, apart.count


def curve_of(
    forest: Forest,
    truth: Ints,
    measures: Sequence[Measure],
    counted: Bools | None = None,
    source: Ints | None = None,
    weights: Weights | None = None,
) -> LineScores:
    """The scores of every line of a forest.

    `truth` is the true cluster of each object. An object whose true cluster is -1, or which is not
    `counted`, links others without being scored. Given the `source` of each object, pairs of one
    source do not count; given `weights`, objects count more than once.
    """
    scores = {measure: line_score(measure) for measure in measures}
    if weights is not None and not weights.fit:
        scores = dict.fromkeys(scores)
    means = dict.fromkeys(mean for score in scores.values() if score for mean in score.needs)
    counts = truth >= 0 if counted is None else counted & (truth >= 0)
    if not counts.any():
        raise ClusterdiffError(
            "no object of the pairs is in truth, so there is nothing to score.",
            "give truth and pairs the same ids.",
        )

    def among(cluster: Ints) -> NDArray[Any]:
        """The clusters of the objects that count, numbered."""
        made = np.full(truth.size, -1, place_type(truth.size))
        made[counts] = number(cluster[counts])[0]
        return made

    sums = line_sums(forest, among(truth), list(means), weights)
    if source is not None:
        for measure in measures:
            if not measure.is_of_pairs:
                raise not_of_pairs(measure)
        # with sources for truth, what both put together is what a line does within sources
        together = weights and weights._replace(lone=np.zeros(truth.size, np.bool_))
        cut = line_sums(forest, among(pair_keys(truth, source)), (), weights)
        alike = line_sums(forest, among(source), (), together)
        sums = replace(
            sums,
            truth_pairs=sums.truth_pairs - cut.truth_pairs,
            guess_pairs=sums.guess_pairs - alike.both_pairs,
            both_pairs=sums.both_pairs - cut.both_pairs,
            within=alike.truth_pairs,
        )
    return LineScores(
        sums,
        {str(measure): measure for measure, score in scores.items() if score},
        [measure for measure, score in scores.items() if not score],
    )


class Meetings(NamedTuple):
    """The rows of the contingency table that each merge joins.

    The objects that count have ranks: one true cluster after the other, and within a cluster in the
    order of the leaves.
    """

    truth_size: NDArray[Any]
    times: NDArray[Any]
    """How many true clusters each one stands for."""
    largest: NDArray[Any]
    """The largest of its objects, by count."""
    owner: NDArray[Any]
    """The true cluster of each rank."""
    start: NDArray[Any]
    """Where the events of each merge begin; one longer than the merges."""
    event: NDArray[Any]
    """The ranks that a merge joins with the next rank."""
    counts: NDArray[Any]
    """How often the object at each place of the order counts; 0 if it does not."""
    row: NDArray[Any]
    """The size of its row: 1 where its copies are a true cluster each."""
    size: NDArray[Any]
    """The size of its true cluster; 0 for objects that do not count."""
    mass: NDArray[Any] | None
    """How often the object of each rank counts; None if all count once."""

    @property
    def objects(self) -> int:
        """How many objects count, each as often as it does."""
        if self.mass is None:
            return int(self.truth_size.sum())
        return int(self.counts.sum(dtype=np.int64))

    def ranks(self, of_owner: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """The columns of ranks with something of their true clusters, and that of the sizes of
        rows.
        """
        one = np.ones(self.owner.size, self.counts.dtype)
        if self.mass is None:
            return np.column_stack([one, of_owner]), kernels.LENGTH
        return np.column_stack([one, of_owner, self.mass]), kernels.MASS


def meetings_of(forest: Forest, truth: NDArray[Any], weights: Weights | None = None) -> Meetings:
    """The merge at which each object meets its predecessor in the same true cluster."""
    from scipy.sparse import csr_array

    kind: Any = truth.dtype
    members = np.bincount(truth[truth >= 0]).astype(kind)
    free = (np.cumsum(members) - members).astype(kind)
    last = np.full(members.size, -1, kind)
    stack, state = np.empty(forest.objects, kind), np.zeros(2, np.int64)
    meeting = np.full(int(members.sum()), -1, kind)
    for begin in range(0, forest.objects, STEP):
        kernels.meetings(
            begin, min(begin + STEP, forest.objects), forest.order, truth, forest.between,
            free, last, stack, state, meeting,
        )  # fmt: skip
    # ranks by merge: the rows of a sparse matrix, which SciPy builds by a counting sort
    rank = np.flatnonzero(meeting >= 0)
    events = csr_array(
        (np.ones(rank.size, np.bool_), (meeting[rank], rank)),
        shape=(forest.junction.size, meeting.size),
    )
    start, event = events.indptr.astype(kind), events.indices.astype(kind)
    owner = np.repeat(np.arange(members.size, dtype=kind), members)
    placed = truth[forest.order]
    there = placed >= 0
    counts = row = there.astype(kind)
    times = largest = np.minimum(members, 1)
    truth_size, mass = members, None
    if weights is not None:
        at, true = forest.order[there], placed[there]
        held, lone = weights.count[at], weights.lone[at]
        wide: Any = place_type(int(held.sum()))
        rows = np.where(lone, 1, held).astype(wide)
        truth_size = group_sums(true, rows.astype(np.int64), members.size).astype(wide)
        times, largest = times.astype(wide), np.zeros(members.size, wide)
        times[true[lone]] = held[lone]
        np.maximum.at(largest, true, rows)
        counts, row = np.zeros((2, placed.size), wide)
        counts[there], row[there] = held, rows
        mass = rows[np.argsort(true, kind="stable")]
    size = np.where(there, np.append(truth_size, 0)[placed], 0).astype(truth_size.dtype)
    return Meetings(truth_size, times, largest, owner, start, event, counts, row, size, mass)


def line_sums(
    forest: Forest,
    truth: NDArray[Any],
    means: Sequence[SizeMean] = (),
    weights: Weights | None = None,
) -> LineSums:
    """The sums of every line, and the means over objects that measures need."""
    meetings = meetings_of(forest, truth, weights)
    passes = [means[i : i + AT_ONCE] for i in range(0, len(means), AT_ONCE)]
    steps = max(forest.junction.size * (1 + len(passes)), 1)
    with progress("scoring every threshold", steps) as advance:
        sums = _plain_sums(forest, meetings, advance)
        size_means: dict[SizeMean, Floats] = {}
        for some in passes:
            size_means |= _size_means(forest, meetings, some, advance)
    return LineSums(**sums, size_means=size_means)


def _plain_sums(forest: Forest, meetings: Meetings, advance: Any) -> dict[str, Any]:
    """All sums of `LineSums` but the means over objects, by their names."""
    size, sizes, times = meetings.counts, meetings.truth_size, meetings.times
    kind: Any = size.dtype
    lines, objects = forest.lines, meetings.objects
    logs = np.zeros(min(objects, 4096) + 1)
    kernels.log_table(objects, logs)
    units = np.array(
        [kernels.unit_for(objects * math.log(max(objects, 2))), kernels.unit_for(objects)]
    )
    counts, total = np.zeros(kernels.COUNTS, np.int64), np.zeros((2, kernels.FRACTIONS), np.int64)
    small = np.empty((kernels.GUESS_SQUARES, lines), kind)
    squares, fractions = np.empty((2, lines), np.int64), np.empty((kernels.FRACTIONS - 1, lines))
    exact = (meetings.size == size) & (size > 0)
    clusters = np.column_stack([np.ones_like(size), size, meetings.row, exact.astype(kind)])
    square = size.astype(np.int64) * meetings.row
    if meetings.mass is None:
        kernels.begin_sums(sizes, objects, logs, units, counts, total)
    else:
        kernels.begin_counted(
            sizes, times, meetings.largest, clusters, square, meetings.size, objects, logs, units,
            counts, total,
        )  # fmt: skip
    noted = small, squares, fractions
    kernels.note(0, counts, total, units, *noted)
    ranks, mass = meetings.ranks(meetings.owner)
    state = clusters, square, ranks, np.column_stack([sizes, meetings.largest])
    fixed = forest.ends, forest.junction, meetings.start, meetings.event
    line = 1
    for begin, end in _steps(forest):
        line = kernels.replay(
            begin, end, line, *fixed, objects, logs, units, mass, *state, counts, total, *noted
        )
        advance(end - begin)
    return {
        "objects": objects,
        "truths": int(times.sum(dtype=np.int64)),
        "truth_pairs": int((sizes.astype(np.int64) * (sizes - 1) // 2).sum()),
        "truth_singles": int(times[sizes == 1].sum(dtype=np.int64)),
        "truth_logs": float(kernels.sum_of(total, kernels.TRUTH_LOGS, units[0])),
        **{name: small[getattr(kernels, name.upper())] for name in COUNTS},
        "guess_pairs": (squares[0] - objects) // 2,
        "both_pairs": (squares[1] - objects) // 2,
        **{name: fractions[getattr(kernels, name.upper())] for name in FRACTIONS},
    }


def _size_means(
    forest: Forest, meetings: Meetings, means: Sequence[SizeMean], advance: Any
) -> dict[SizeMean, Floats]:
    """Means over objects of functions of cluster sizes, for every line."""
    size, objects = meetings.counts, meetings.objects
    kinds = np.array([kernels.KINDS[mean.kind] for mean in means])
    alphas = np.array([mean.alpha for mean in means], np.float64)
    unit, total = kernels.unit_for(objects), np.zeros((2, len(means)), np.int64)
    out, value = np.empty((len(means), forest.lines)), np.empty((size.size, len(means)))
    clusters = np.column_stack([np.ones_like(size), size, np.minimum(size, 1)])
    square = size.astype(np.int64) * meetings.row
    lists = clusters, meetings.size.copy(), size.copy(), square
    kernels.begin_sizes(kinds, alphas, objects, unit, *lists, value, total, out)
    scratch = np.empty((3, np.unique(meetings.truth_size).size), np.int64)
    ranks, mass = meetings.ranks(meetings.truth_size[meetings.owner])
    changed, line = np.zeros(size.size + 1, forest.order.dtype), 1
    for begin, end in _steps(forest):
        line = kernels.replay_sizes(
            begin, end, line, forest.ends, forest.junction, meetings.start, meetings.event,
            objects, unit, mass, kinds, alphas, ranks, scratch, *lists, value, changed, total, out,
        )  # fmt: skip
        advance(end - begin)
    out /= max(objects, 1)
    return dict(zip(means, out, strict=True))


def _steps(forest: Forest) -> Iterator[tuple[int, int]]:
    """The merges in portions."""
    merges = forest.junction.size
    return ((begin, min(begin + MERGES, merges)) for begin in range(0, merges, MERGES))


def spread_lines(forest: Forest, most: int = 50) -> Ints:
    """Up to `most` lines, including the first and the last: half of them spread evenly over the
    merges, half over the logarithm of the number of clusters, where lines with few clusters are.
    """
    if forest.lines <= most:
        return np.arange(forest.lines)
    merges = int(forest.ends[-1])
    even = np.linspace(0, merges, most - most // 2 + 2)
    clusters = np.geomspace(forest.objects, forest.objects - merges, most // 2)[1:-1]
    wanted = np.sort(np.concatenate([even, forest.objects - clusters]))
    lines = np.unique(np.searchsorted(forest.ends, np.minimum(wanted, merges)))
    return lines.astype(np.int64)


# The best line of a curve, and how far around it the score hardly changes.

TIED = 1e-14
"""Scores that differ by no more than this are equal but for rounding."""


class BestLine(NamedTuple):
    """The best line and the flat run around it."""

    line: int
    value: float
    first: int
    """The first line of the flat run, which has the strictest threshold."""
    last: int


def best_line(values: Floats, *, distance: bool = False, slack: float = 0.0) -> BestLine:
    """The line with the largest score, or the smallest of a distance; among equal ones the first,
    which has the fewest links. Around it, the longest run of lines that lose at most `slack`. Lines
    whose score is NaN are skipped.

    >>> best_line(np.array([0.2, 0.795, 0.8, 0.8, 0.79, 0.5, 0.8]), slack=0.01)
    BestLine(line=2, value=0.8, first=1, last=4)
    """
    scored = np.flatnonzero(~np.isnan(values))
    goodness = -values[scored] if distance else values[scored]
    most = float(goodness.max())
    best = int(np.argmax(goodness >= most - TIED))
    lost = np.flatnonzero(goodness < most - slack - TIED)
    place = int(np.searchsorted(lost, best))
    first = int(lost[place - 1]) + 1 if place else 0
    last = int(lost[place]) - 1 if place < lost.size else scored.size - 1
    line, first, last = scored[[best, first, last]].tolist()
    return BestLine(line, float(values[line]), first, last)


# Choosing a threshold on some true clusters and scoring it on others.
#
# A threshold that is chosen on the labels that score it looks better than it is. Here the true
# clusters are dealt into folds. For each fold the line is chosen with the clusters of the other
# folds and scored with those of the fold; objects that do not count still link others.
#
# A fold has fewer objects that could be merged by mistake than all of truth, so its scores are not
# comparable with that of the best line. The score of the best line on the same folds is.


class HeldOut(NamedTuple):
    """Scores of true clusters that did not take part in choosing the threshold.

    When a fold is scored, the clusters of the other folds do not count: merges with them are not
    seen, and all scores are higher than on all clusters. What choosing adds is `optimism`.
    """

    value: float
    """The mean over folds."""
    in_sample: float
    """The mean score of the same folds at the line that is best on all clusters."""
    each: tuple[float, ...]
    """The score of each fold at the line that the other folds chose."""
    lines: tuple[int, ...]
    """The line that was chosen without each fold."""

    @property
    def optimism(self) -> float:
        """The gain of the same clusters at the line that they helped to choose."""
        return self.in_sample - self.value


def fold_of_clusters(
    truth: Ints,
    folds: int,
    seed: int = 0,
    keys: Ints | None = None,
    count: Ints | None = None,
) -> Ints:
    """The fold of each object; -1 for an object without a true cluster.

    Clusters are shuffled and dealt out by size, so that folds have similar numbers of each size;
    objects add their `count` to it. A cluster is identified by the smallest of the `keys` of its
    objects, by default their numbers: with keys made from ids, the order of rows does not matter.
    """
    counts = np.flatnonzero(truth >= 0)
    cluster, many = number(truth[counts])
    if not 2 <= folds <= many:
        raise ClusterdiffError(
            f"folds must be from 2 to the number of true clusters, {many:,}; got {folds!r}.",
            f"write e.g. folds={min(5, many)}." if many > 1 else "leave folds= out.",
        )
    size = np.bincount(cluster) if count is None else group_sums(cluster, count[counts], many)
    name = np.full(many, np.iinfo(np.int64).max)
    np.minimum.at(name, cluster, counts if keys is None else keys[counts])
    shuffled = np.argsort(name)[np.random.default_rng(seed).permutation(many)]
    dealt = np.empty(many, np.int64)
    dealt[shuffled[np.argsort(size[shuffled], kind="stable")]] = np.arange(many) % folds
    fold = np.full(truth.size, -1)
    fold[counts] = dealt[cluster]
    return fold


class SweepLines(ABC):
    """Clusterings of the same objects, in order."""

    truth: Ints
    """The number of the true cluster of each object; -1 for objects that do not count."""
    thresholds: Floats
    clusters: Ints
    """Number of clusters of each line with objects that count."""
    largest: Ints
    """Number of objects that count in the largest cluster of each line."""
    rows: Ints
    """Number of non-empty cells of the contingency table of each line."""
    links: Ints | None = None
    """Number of pairs that each line links; None for levels."""
    names: Sequence[str] | None = None
    """The names of levels; None for thresholds."""
    distance: bool = False
    """Whether thresholds are distances."""
    counts_clusters: bool = False
    """Whether thresholds are numbers of clusters."""
    ids: Column | None = None
    """The id of each object; None where objects are positions."""
    source: Ints | None = None
    """The source of each object, where pairs of one source do not count."""
    weights: Weights | None = None
    """How many objects each one stands for, where they have counts."""

    @property
    def size(self) -> int:
        """Number of lines."""
        return self.thresholds.size

    @abstractmethod
    def cluster_of(self, line: int) -> Ints:
        """The number of the cluster of each object at a line."""

    @abstractmethod
    def partition(self, line: int) -> Partition:
        """The clustering of a line, with ids and labels."""

    @abstractmethod
    def line_at(self, threshold: Any) -> int:
        """The line at a threshold, or of a level by its name or number."""

    @abstractmethod
    def interval(self, first: int, last: int | None = None) -> tuple[float, float]:
        """The thresholds of a line or run of lines; of levels the least and the largest number."""

    @abstractmethod
    def describe(self, first: int, last: int | None = None) -> str:
        """The thresholds or levels of a line or run of lines, for display."""

    @abstractmethod
    def values(
        self, measures: Mapping[str, Measure], most: int, counted: Bools | None = None
    ) -> dict[str, Floats]:
        """The score of each line; NaN for lines that are not scored because the measure has to be
        computed line by line and there are more than `most` lines.
        """

    def contingency(self, line: int, counted: Bools | None = None) -> HardMeet:
        """The contingency table of truth and a line over the objects that count."""
        some = np.flatnonzero(self.truth >= 0 if counted is None else (self.truth >= 0) & counted)
        truth, count = self.truth[some], None
        if self.weights is not None:
            some, truth, count = self.weights.one_by_one(self.truth, some)
        guess = self.cluster_of(line)[some]
        if self.source is None:
            return meet_keys(truth, guess, count=count)
        every = np.arange(truth.size)
        objects = Objects(truth, guess, every, every, Alignment(), count, keyed=True)
        meet, row, _ = every_row(objects)
        return BetweenMeet.of(meet, row, self.source[some], count)

    def score_lines(
        self, measures: Mapping[str, Measure], lines: Sequence[int], counted: Bools | None = None
    ) -> dict[str, Floats]:
        """The scores of some lines by ordinary comparison; NaN for the other lines."""
        values = {text: np.full(self.size, math.nan) for text in measures}
        with progress("scoring chosen lines", len(lines)) as advance:
            for line in lines:
                meet = self.contingency(line, counted)
                for text, measure in measures.items():
                    values[text][line] = float(measure.of(meet))
                advance(1)
        for text, scores in values.items():
            if np.isnan(scores).all():
                raise ClusterdiffError(
                    f"{text} could not be computed on any line.", "choose another measure."
                )
        return values

    def held_out(
        self, measures: Mapping[str, Measure], best: Mapping[str, int], fold: Ints, most: int
    ) -> dict[str, HeldOut]:
        """For each measure, the scores of folds at the lines that the other folds choose, beside
        those at the line that is best on all clusters.
        """
        chosen: dict[str, list[int]] = {text: [] for text in measures}
        scores: dict[str, list[tuple[float, float]]] = {text: [] for text in measures}
        for held in range(int(fold.max()) + 1):
            values = self.values(measures, most, fold != held)
            meets: dict[int, HardMeet] = {}
            for text, measure in measures.items():
                line = best_line(values[text], distance=measure.is_distance).line
                for needed in {line, best[text]} - meets.keys():
                    meets[needed] = self.contingency(needed, fold == held)
                chosen[text].append(line)
                scores[text].append((float(measure.of(meets[line])),
                                     float(measure.of(meets[best[text]]))))  # fmt: skip
        found = {}
        for text, lines in chosen.items():
            each, in_sample = zip(*scores[text], strict=True)
            mean, whole = (math.fsum(some) / len(some) for some in (each, in_sample))
            found[text] = HeldOut(mean, whole, each, tuple(lines))
        return found


class ForestLines(SweepLines):
    """Every threshold of scored pairs, or every height of a dendrogram."""

    def __init__(
        self,
        forest: Forest,
        aligned: Aligned,
        measures: Mapping[str, Measure],
        counts_clusters: bool = False,
        source: Ints | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.source, self.weights = source, weights
        self.forest, self.ids, self.truth = forest, aligned.ids, aligned.truth
        self.distance, self.counts_clusters = forest.distance, counts_clusters
        self.thresholds, self.links = forest.thresholds, forest.links
        self._scores = curve_of(forest, self.truth, [*measures.values()], None, source, weights)
        sums = self._scores.sums
        self.clusters, self.largest, self.rows = sums.clusters, sums.largest, sums.rows

    def cluster_of(self, line: int) -> Ints:
        return self.forest.cut(line)

    def partition(self, line: int) -> Partition:
        # each cluster is labelled with the smallest of its ids
        cluster = self.forest.cut(line)
        order = np.arange(cluster.size) if self.ids is None else canonical_order(self.ids)
        first = np.empty(int(cluster.max(initial=-1)) + 1, np.int64)
        first[cluster[order[::-1]]] = order[::-1]
        place = first[cluster]
        if self.ids is None:
            made = Partition(column(np.arange(place.size)).as_made(place))
        else:
            made = Partition(self.ids.as_made(place), self.ids)
        if self.weights is None or self.weights.count.min() == UNKNOWN:
            return made
        return counting(made, self.weights.count, self.weights.name)

    def line_at(self, threshold: Any) -> int:
        number = isinstance(threshold, NUMBERS) and not isinstance(threshold, bool)
        if not number or math.isnan(threshold):
            raise ClusterdiffError(
                f"{threshold!r} is not a threshold.", "give a number, or the name of a measure."
            )
        return self.forest.line_at(float(threshold))

    def interval(self, first: int, last: int | None = None) -> tuple[float, float]:
        return self.forest.interval(first, last)

    def describe(self, first: int, last: int | None = None) -> str:
        low, high = self.interval(first, last)
        return shown_thresholds(low, high, self.distance, self.counts_clusters)

    def values(
        self, measures: Mapping[str, Measure], most: int, counted: Bools | None = None
    ) -> dict[str, Floats]:
        scores = self._scores
        asked = {*scores.measures.values(), *scores.unknown}
        if counted is not None or not asked.issuperset(measures.values()):
            scores = curve_of(
                self.forest, self.truth, [*measures.values()], counted, self.source, self.weights
            )
        slow = {text: m for text, m in measures.items() if text not in scores.measures}
        values = {text: scores[text] for text in measures if text not in slow}
        if slow:
            values |= self.score_lines(slow, spread_lines(self.forest, most).tolist(), counted)
        return values


class LevelLines(SweepLines):
    """Clusterings that were made one by one, in the order in which they are given."""

    def __init__(
        self,
        truth: Ints,
        runs: Mapping[str, Ints],
        given: Mapping[str, Partition],
        source: Ints | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.truth, self.names, self.source = truth, list(runs), source
        self.weights = weights
        self._runs, self._given = list(runs.values()), list(given.values())
        self.thresholds = levels_of(self.names)
        meets = [self.contingency(line) for line in range(self.size)]
        self.clusters = np.array([m.clusters[1] for m in meets])
        self.largest = np.array([int(m.guess_sizes.size.max()) for m in meets])
        self.rows = np.array([m.rows for m in meets])

    def cluster_of(self, line: int) -> Ints:
        return self._runs[line]

    def partition(self, line: int) -> Partition:
        return self._given[line]

    def line_at(self, threshold: Any) -> int:
        assert self.names is not None
        if threshold in self.names:
            return self.names.index(threshold)
        if isinstance(threshold, NUMBERS) and (self.thresholds == threshold).sum() == 1:
            return int(np.argmax(self.thresholds == threshold))
        near = did_you_mean(str(threshold), list(self.names))
        raise ClusterdiffError(
            f"no level is called {threshold!r}.", f"{near}There are {', '.join(self.names[:8])}."
        )

    def interval(self, first: int, last: int | None = None) -> tuple[float, float]:
        ends = self.thresholds[[first, first if last is None else last]]
        return float(ends.min()), float(ends.max())

    def describe(self, first: int, last: int | None = None) -> str:
        assert self.names is not None
        if last is None or first == last:
            return self.names[first]
        return f"{self.names[first]}–{self.names[last]}"

    def values(
        self, measures: Mapping[str, Measure], most: int, counted: Bools | None = None
    ) -> dict[str, Floats]:
        return self.score_lines(measures, range(self.size), counted)


def levels_of(names: Sequence[str]) -> Floats:
    """The numbers at the end of names, if each name has one and they differ; else their places.

    >>> levels_of(["leiden_0.5", "leiden_1"]).tolist(), levels_of(["coarse", "fine"]).tolist()
    ([0.5, 1.0], [0.0, 1.0])
    """
    endings = [re.search(r"\d+(?:\.\d+)?$", name) for name in names]
    numbers = [float(ending[0]) for ending in endings if ending is not None]
    if len(set(numbers)) == len(names):
        return np.array(numbers)
    return np.arange(len(names)).astype(np.float64)


# Thresholds for display: with enough digits to tell them apart, rounded so that they still hold.

LEAST, MOST = 4, 17
"""Significant digits of a threshold."""


def shown_thresholds(
    low: float, high: float, distance: bool = False, counts_clusters: bool = False
) -> str:
    """The thresholds above `low`, up to `high`; for distances from `low` to below `high`.

    The lower end is rounded up and the upper one down, so what is shown lies within.

    >>> shown_thresholds(0.7, 0.9), shown_thresholds(0.85714285, 0.85858585)
    ('0.7–0.9', '0.8572–0.8585')
    >>> shown_thresholds(0.9, math.inf), shown_thresholds(-math.inf, 0.4)
    ('above 0.9', 'up to 0.4')
    >>> shown_thresholds(2.0, math.inf, distance=True), shown_thresholds(-math.inf, 2.0, True)
    ('from 2', 'below 2')
    >>> shown_thresholds(8, 12, counts_clusters=True)
    '9–12'
    """
    if counts_clusters:
        first, last = f"{max(low, 0) + 1:,.0f}", f"{high:,.0f}"
        if math.isinf(high):
            return f"from {first}"
        return first if first == last else f"{first}–{last}"
    if math.isinf(low) and math.isinf(high):
        return "any"
    if math.isinf(high):
        return f"{'from' if distance else 'above'} {rounded(low, ROUND_CEILING)}"
    if math.isinf(low):
        return f"{'below' if distance else 'up to'} {rounded(high, ROUND_FLOOR)}"
    for places in range(LEAST, MOST + 1):
        first, last = rounded(low, ROUND_CEILING, places), rounded(high, ROUND_FLOOR, places)
        if low <= float(first) < float(last) <= high:
            break
    return f"{first}–{last}".replace("-", "−")


def rounded(value: float, rounding: str = ROUND_FLOOR, places: int = LEAST) -> str:
    """A number with this many significant digits, rounded in one direction, without zeros at the
    end.
    """
    exact = Decimal(repr(float(value)))
    if not exact:
        return "0"
    unit = Decimal(1).scaleb(exact.adjusted() - places + 1)
    short = exact.quantize(unit, rounding=rounding).normalize()
    if not short or -5 < short.adjusted() < 9:
        return f"{short:f}"
    return f"{short:.{max(0, len(short.as_tuple().digits) - 1)}e}"
