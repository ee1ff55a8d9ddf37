"""Sums of every line of a forest, from one replay of its merges, and the scores that follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.grouping import number
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure
from clusterdiff.measures.sums import LineSums, SizeMean, line_score
from clusterdiff.progress import progress
from clusterdiff.sweep import kernels
from clusterdiff.sweep.forest import STEP, Forest, place_type

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


def curve_of(
    forest: Forest, truth: Ints, measures: Sequence[Measure], counted: Bools | None = None
) -> LineScores:
    """The scores of every line of a forest.

    `truth` is the true cluster of each object. An object whose true cluster is -1, or which is not
    `counted`, links others without being scored.
    """
    scores = {measure: line_score(measure) for measure in measures}
    means = dict.fromkeys(mean for score in scores.values() if score for mean in score.needs)
    counts = truth >= 0 if counted is None else counted & (truth >= 0)
    if not counts.any():
        raise ClusterdiffError(
            "no object of the pairs is in truth, so there is nothing to score.",
            "give truth and pairs the same ids.",
        )
    clusters = np.full(truth.size, -1, place_type(truth.size))
    clusters[counts] = number(truth[counts])[0]
    return LineScores(
        line_sums(forest, clusters, list(means)),
        {str(measure): measure for measure, score in scores.items() if score},
        [measure for measure, score in scores.items() if not score],
    )


class Meetings(NamedTuple):
    """The rows of the contingency table that each merge joins.

    The objects that count have ranks: one true cluster after the other, and within a cluster in the
    order of the leaves.
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
    """The size of its true cluster; 0 for objects that do not count."""


def meetings_of(forest: Forest, truth: NDArray[Any]) -> Meetings:
    """The merge at which each object meets its predecessor in the same true cluster."""
    from scipy.sparse import csr_array

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
    # ranks by merge: the rows of a sparse matrix, which SciPy builds by a counting sort
    rank = np.flatnonzero(meeting >= 0)
    events = csr_array(
        (np.ones(rank.size, np.bool_), (meeting[rank], rank)),
        shape=(forest.junction.size, meeting.size),
    )
    owner = np.repeat(np.arange(truth_size.size, dtype=kind), truth_size)
    placed = truth[forest.order]
    size = np.where(placed >= 0, np.append(truth_size, 0)[placed], 0).astype(kind)
    start, event = events.indptr.astype(kind), events.indices.astype(kind)
    return Meetings(truth_size, owner, start, event, placed >= 0, size)


def line_sums(forest: Forest, truth: NDArray[Any], means: Sequence[SizeMean] = ()) -> LineSums:
    """The sums of every line, and the means over objects that measures need."""
    meetings = meetings_of(forest, truth)
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
    kind: Any = forest.order.dtype
    places, lines, sizes = forest.objects, forest.lines, meetings.truth_size
    objects = int(sizes.sum())
    logs = np.zeros(min(objects, 4096) + 1)
    kernels.log_table(objects, logs)
    units = np.array(
        [kernels.unit_for(objects * math.log(max(objects, 2))), kernels.unit_for(objects)]
    )
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
    kind: Any = forest.order.dtype
    places, objects = forest.objects, int(meetings.truth_size.sum())
    kinds = np.array([kernels.KINDS[mean.kind] for mean in means])
    alphas = np.array([mean.alpha for mean in means], np.float64)
    unit, total = kernels.unit_for(objects), np.zeros((2, len(means)), np.int64)
    out, value = np.empty((len(means), forest.lines)), np.empty((places, len(means)))
    size = meetings.counts.astype(kind)
    clusters = np.column_stack([np.ones(places, kind), size, size])
    lists = clusters, meetings.size.copy(), size, size.astype(np.int64)
    kernels.begin_sizes(kinds, alphas, objects, unit, *lists, value, total, out)
    scratch = np.empty((3, np.unique(meetings.truth_size).size), np.int64)
    ranks = np.column_stack([np.ones(objects, kind), meetings.truth_size[meetings.owner]])
    changed, line = np.zeros(places + 1, kind), 1
    for begin, end in _steps(forest):
        line = kernels.replay_sizes(
            begin, end, line, forest.ends, forest.junction, meetings.start, meetings.event,
            objects, unit, kinds, alphas, ranks, scratch, *lists, value, changed, total, out,
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
