"""Scores at every threshold, from one replay of the merges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.encode.group import number
from clusterdiff.errors import ClusterdiffError
from clusterdiff.many.sweep.forest import STEP, Forest, place_type
from clusterdiff.measures import Measure
from clusterdiff.measures.core.lines import LineSums, SizeMean, line_score
from clusterdiff.progress import progress

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
    from clusterdiff.many.sweep import line_kernels as kernels

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
    from clusterdiff.many.sweep import line_kernels as kernels
    from clusterdiff.many.sweep.exact_totals import unit_for

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
    from clusterdiff.many.sweep import size_kernels
    from clusterdiff.many.sweep.exact_totals import unit_for

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
