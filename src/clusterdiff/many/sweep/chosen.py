"""Chosen lines scored by the ordinary comparison: for measures that are no function of sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.backends.memory.hard import meet_keys
from clusterdiff.errors import ClusterdiffError
from clusterdiff.many.sweep.forest import Forest
from clusterdiff.measures import Measure
from clusterdiff.meet import HardMeet
from clusterdiff.progress import progress


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
