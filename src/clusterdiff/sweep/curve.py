"""Scores at every threshold, from one replay of the merges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.grouping import number
from clusterdiff.contingency import HardMeet
from clusterdiff.engines.memory import meet_keys
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure
from clusterdiff.measures.sums import LineSums, SizeMean, line_score
from clusterdiff.progress import progress
from clusterdiff.sweep.forest import STEP, Forest, place_type

COUNTS = (
    "clusters", "rows", "largest", "singles", "alone",
    "exact", "exact_objects", "pure", "inverse",
)  # fmt: skip
FRACTIONS = (
    "guess_logs", "both_logs", "precise", "mates_precise", "recalled", "mates_recalled"
)  # fmt: skip
"""Sums of lines as the compiled replay calls them, in capitals, and `LineSums`."""
LINES = 1 << 16
"""Lines that are scored together, so that their sums stay in the cache."""
AT_ONCE = 4
"""Means over objects that one replay follows."""
MERGES = 1 << 16
"""Merges that are replayed before an interrupt is heard."""


class LineValues(Mapping[str, Floats]):
    """The scores of every line by measure, computed from the sums when they are asked for."""

    def __init__(self, sums: LineSums, measures: Sequence[Measure]) -> None:
        self._sums, self._measures = sums, {str(measure): measure for measure in measures}

    def __getitem__(self, name: str) -> Floats:
        known, sums = line_score(self._measures[name]), self._sums
        assert known is not None
        values = np.empty(sums.lines)
        for begin in range(0, sums.lines, LINES):
            end = min(begin + LINES, sums.lines)
            values[begin:end] = known.score(sums.part(begin, end))
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)


@dataclass(frozen=True, eq=False)
class LineScores:
    """What a sweep knows of every line; line 0 links nothing."""

    sums: LineSums
    links: Ints
    """Pairs that score as high as the line or higher."""
    values: Mapping[str, Floats]
    """The scores of each measure at every line."""
    unknown: list[Measure]
    """Measures that are no function of sums of lines: score these on chosen ones."""

    @property
    def clusters(self) -> Ints:
        """Clusters that have an object that counts."""
        return self.sums.clusters

    @property
    def largest(self) -> Ints:
        """Objects of the largest cluster."""
        return self.sums.largest

    @property
    def rows(self) -> Ints:
        """Cells of the contingency table that are not empty."""
        return self.sums.rows


def curve_of(
    forest: Forest, truth: Ints, measures: Sequence[Measure], counted: Bools | None = None
) -> LineScores:
    """The scores of every line of a forest.

    `truth` is the true cluster of each object, -1 for one that is not in truth: it conducts, which
    is to say that it links others and does not count. So do all objects that are not `counted`.
    """
    if truth.size != forest.objects:
        raise ClusterdiffError(
            f"truth has {truth.size:,} objects, and the pairs link {forest.objects:,}.",
            "number the objects of truth and pairs together.",
        )
    found = [(measure, line_score(measure)) for measure in measures]
    means = dict.fromkeys(mean for _, score in found if score for mean in score.needs)
    sums = line_sums(forest, _true_clusters(truth, counted), list(means))
    values = LineValues(sums, [measure for measure, score in found if score])
    return LineScores(sums, forest.links, values, [m for m, score in found if not score])


def _true_clusters(truth: Ints, counted: Bools | None) -> NDArray[Any]:
    """The true cluster of each object that counts, from 0 on; -1 for others."""
    counts = truth >= 0 if counted is None else counted & (truth >= 0)
    if not counts.any():
        raise ClusterdiffError(
            "no object of the pairs is in truth, so there is nothing to score.",
            "give truth and pairs the same ids.",
        )
    kind: Any = place_type(truth.size)
    clusters = np.full(truth.size, -1, kind)
    clusters[counts] = number(truth[counts])[0]
    return clusters


class Meetings(NamedTuple):
    """Which rows each merge joins, and what is known of the true clusters.

    Objects that count have a rank: one true cluster behind the other, in each the order of leaves.
    """

    truth_size: NDArray[Any]
    owner: NDArray[Any]
    """The true cluster of each rank."""
    start: NDArray[Any]
    """Where the events of each merge begin; one longer than the merges."""
    event: NDArray[Any]
    """The ranks that a merge joins with the next rank."""
    counts: Bools
    """Whether the object at each place of the order counts."""
    size: NDArray[Any]
    """The size of its true cluster; 0 for others."""


def meetings_of(forest: Forest, truth: NDArray[Any]) -> Meetings:
    """The merge at which each object meets the one before it of its true cluster."""
    from clusterdiff.sweep import line_kernels as kernels

    kind: Any = truth.dtype
    truth_size = np.bincount(truth[truth >= 0]).astype(kind)
    free = (np.cumsum(truth_size) - truth_size).astype(kind)
    last = np.full(truth_size.size, -1, kind)
    stack, state = np.empty(forest.objects, kind), np.zeros(2, np.int64)
    meeting = np.full(int(truth_size.sum()), -1, kind)
    for begin in range(0, forest.objects, STEP):
        kernels.meetings(
            begin, min(begin + STEP, forest.objects), forest.order, truth, forest.between,
            free, last, stack, state, meeting,
        )  # fmt: skip
    start = np.zeros(forest.junction.size + 1, kind)
    event = np.empty(int((meeting >= 0).sum()), kind)
    kernels.by_merge(meeting, start, event)
    owner = np.repeat(np.arange(truth_size.size, dtype=kind), truth_size)
    placed = truth[forest.order]
    size = np.where(placed >= 0, np.append(truth_size, 0)[placed], 0).astype(kind)
    return Meetings(truth_size, owner, start, event, placed >= 0, size)


def line_sums(forest: Forest, truth: NDArray[Any], means: Sequence[SizeMean] = ()) -> LineSums:
    """The sums of every line, and the means over objects that are asked for."""
    meetings = meetings_of(forest, truth)
    steps = forest.junction.size
    passes = [means[i : i + AT_ONCE] for i in range(0, len(means), AT_ONCE)]
    with progress("scoring every threshold", max(steps * (1 + len(passes)), 1)) as advance:
        found = _plain_sums(forest, meetings, advance)
        values: dict[SizeMean, Floats] = {}
        for some in passes:
            values |= _size_means(forest, meetings, some, advance)
    return LineSums(**found, size_means=values)


def _plain_sums(forest: Forest, meetings: Meetings, advance: Any) -> dict[str, Any]:
    from clusterdiff.sweep import line_kernels as kernels
    from clusterdiff.sweep.line_kernels import unit_for

    kind: Any = forest.order.dtype
    places, lines, sizes = forest.objects, forest.lines, meetings.truth_size
    objects = int(sizes.sum())
    logs = np.zeros(min(objects, 4096) + 1)
    kernels.log_table(objects, logs)
    units = np.array([unit_for(objects * math.log(max(objects, 2))), unit_for(objects)])
    counts, total = np.zeros(kernels.COUNTS, np.int64), np.zeros((2, kernels.FRACTIONS), np.int64)
    small = np.empty((kernels.GUESS_SQUARES, lines), kind)
    squares, fractions = np.empty((2, lines), np.int64), np.empty((kernels.FRACTIONS - 1, lines))
    kernels.begin_sums(sizes, objects, logs, units, counts, total)
    noted = small, squares, fractions
    kernels.note(0, counts, total, units, *noted)
    size = meetings.counts.astype(kind)
    clusters = np.column_stack(
        [np.ones(places, kind), size, size, (meetings.size == 1).astype(kind)]
    )
    ranks = np.column_stack([np.ones(objects, kind), meetings.owner])
    true = np.column_stack([sizes, np.minimum(sizes, 1)])
    state = clusters, size.astype(np.int64), ranks, true
    fixed = forest.ends, forest.junction, meetings.start, meetings.event
    line = 1
    for begin, end in _steps(forest):
        line = kernels.replay(
            begin, end, line, *fixed, objects, logs, units, *state, counts, total, *noted
        )
        advance(end - begin)
    return {
        "objects": objects,
        "truths": int((sizes > 0).sum()),
        "truth_pairs": int((sizes.astype(np.int64) * (sizes - 1) // 2).sum()),
        "truth_singles": int((sizes == 1).sum()),
        "truth_logs": float(kernels.truth_logs(total, units)),
        **{name: small[getattr(kernels, name.upper())] for name in COUNTS},
        "guess_pairs": (squares[0] - objects) // 2,
        "both_pairs": (squares[1] - objects) // 2,
        **{name: fractions[getattr(kernels, name.upper())] for name in FRACTIONS},
    }


def _size_means(
    forest: Forest, meetings: Meetings, means: Sequence[SizeMean], advance: Any
) -> dict[SizeMean, Floats]:
    from clusterdiff.sweep import size_kernels
    from clusterdiff.sweep.line_kernels import unit_for

    kind: Any = forest.order.dtype
    places, objects = forest.objects, int(meetings.truth_size.sum())
    kinds = np.array([size_kernels.KINDS[mean.kind] for mean in means])
    alphas = np.array([mean.alpha for mean in means], np.float64)
    unit, total = unit_for(objects), np.zeros((2, len(means)), np.int64)
    out, value = np.empty((len(means), forest.lines)), np.empty((places, len(means)))
    size = meetings.counts.astype(kind)
    clusters = np.column_stack([np.ones(places, kind), size, size])
    lists = clusters, meetings.size.copy(), size, size.astype(np.int64)
    size_kernels.begin_sizes(kinds, alphas, objects, unit, *lists, value, total, out)
    scratch = np.empty((3, np.unique(meetings.truth_size).size), np.int64)
    fixed = forest.ends, forest.junction, meetings.start, meetings.event
    ranks = np.column_stack([np.ones(objects, kind), meetings.truth_size[meetings.owner]])
    state = ranks, scratch, *lists
    changed = np.zeros(places + 1, kind)
    line = 1
    for begin, end in _steps(forest):
        line = size_kernels.replay_sizes(
            begin, end, line, *fixed, objects, unit, kinds, alphas, *state,
            value, changed, total, out,
        )  # fmt: skip
        advance(end - begin)
    out /= max(objects, 1)
    return dict(zip(means, out, strict=True))


def _steps(forest: Forest) -> Iterator[tuple[int, int]]:
    """Merges in portions."""
    merges = forest.junction.size
    return ((begin, min(begin + MERGES, merges)) for begin in range(0, merges, MERGES))


# Chosen lines scored by the ordinary comparison: for measures that are no function of sums.


def spread_lines(forest: Forest, most: int = 50) -> Ints:
    """Up to so many lines, the first and the last among them: half of them spread evenly over the
    merges, half over the logarithm of the number of clusters, where these are few.
    """
    if most < 2:
        raise ClusterdiffError(f"lines must be 2 or more, got {most!r}.", "write e.g. lines=50.")
    if forest.lines <= most:
        return np.arange(forest.lines)
    merges = int(forest.ends[-1])
    even = np.linspace(0, merges, most - most // 2 + 2)
    clusters = np.geomspace(forest.objects, forest.objects - merges, most // 2)[1:-1]
    wanted = np.sort(np.concatenate([even, forest.objects - clusters]))
    lines = np.unique(np.searchsorted(forest.ends, np.minimum(wanted, merges)))
    return lines.astype(np.int64)


def meet_at(forest: Forest, truth: Ints, line: int) -> HardMeet:
    """The comparison of truth with one line; objects with the true cluster -1 do not count."""
    counts = truth >= 0
    return meet_keys(truth[counts], forest.cut(line)[counts])


def score_lines(
    forest: Forest, truth: Ints, measures: Sequence[Measure], lines: Sequence[int] | Ints
) -> dict[str, Floats]:
    """The scores of some lines, one after the other."""
    found = {str(measure): np.empty(len(lines)) for measure in measures}
    with progress("scoring chosen thresholds", len(lines)) as advance:
        for place, line in enumerate(lines):
            meet = meet_at(forest, truth, int(line))
            for measure in measures:
                found[str(measure)][place] = measure.of(meet)
            advance(1)
    return found


# The best line of a curve, and how far from it a score hardly changes.

TIED = 1e-14
"""Scores that differ by no more than rounding are equal."""


class BestLine(NamedTuple):
    """The best line and the flat run around it; lines are numbered from 0, which links nothing."""

    line: int
    value: float
    first: int
    """The first line of the flat run: that with the highest threshold."""
    last: int
    """The last one."""


def best_line(values: Floats, *, distance: bool = False, slack: float = 0.01) -> BestLine:
    """The line with the largest score, of distances the smallest; of equal ones the first, which
    has the fewest links. Around it, the longest run of lines that lose at most `slack`.

    >>> best_line(np.array([0.2, 0.795, 0.8, 0.8, 0.79, 0.5, 0.8]))
    BestLine(line=2, value=0.8, first=1, last=4)
    """
    if not slack >= 0:
        raise ClusterdiffError(
            f"slack must be 0 or more, got {slack!r}.", "write e.g. slack=0.01 (--slack 0.01)."
        )
    goodness = -values if distance else values
    most = float(goodness.max())
    line = int(np.argmax(goodness >= most - TIED))
    lost = np.flatnonzero(goodness < most - slack - TIED)
    place = int(np.searchsorted(lost, line))
    first = int(lost[place - 1]) + 1 if place else 0
    last = int(lost[place]) - 1 if place < lost.size else values.size - 1
    return BestLine(line, float(values[line]), first, last)


# Choosing a threshold on some true clusters and scoring it on others.
#
# A threshold that is chosen on the labels that score it looks better than it is. Here the true
# clusters are dealt into folds. For each fold the line is chosen with the clusters of the others,
# and scored with those of the fold; objects that do not count still link others.
#
# A fold has fewer objects that could be wrongly together than all of truth, so its scores are not
# comparable with that of the best line. What is comparable is the score of another line on the
# same fold: that of the line chosen with all clusters, the fold among them.


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
