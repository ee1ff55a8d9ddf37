"""The best line of a curve, and how far from it a score hardly changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.errors import ClusterdiffError

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
