"""Objects as units: intervals for few large clusters, such as cell types, classes or topics.

Ten cell types against eleven clusters are one connected component, and there is nothing to
resample but the objects. If each object was drawn by itself and labelled by fixed rules, the table
of counts is multinomial, and the jackknife leaves one object out of each cell: as many evaluations
as there are cells. The interval is for the score of another data set of the same size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import by_appearance, pair_keys
from clusterdiff.meet import CoverMeet, HardMeet, Stack
from clusterdiff.statistics.sure import LOGIT, PLAIN, Spread, spread

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Alignment
    from clusterdiff.statistics.joint import Joint
    from clusterdiff.statistics.sure import Scale

PER_CELL = 10
"""Objects per cell of the table, on average, from which objects are units by default."""
PER_CLUSTER = 30
"""Objects per cluster, on average, from which they are as well."""
SMALL = 5
"""Clusters below this size are small; where most are, clusters are what is drawn."""
CELLS = 1500
"""Cells up to which one object is left out of each: the tables have the square of that in all."""


def has_large_clusters(meet: HardMeet | CoverMeet) -> bool:
    """Whether objects can stand for what was drawn: a few clusters with many objects each."""
    sides = (meet.truth_sizes, meet.guess_sizes)
    for sizes in sides:
        small = int(sizes.count[sizes.size < SMALL].sum())
        if not sizes.clusters or 2 * small > sizes.clusters:
            return False
    cells = int(meet.times.sum()) if isinstance(meet, HardMeet) else meet.rows
    clusters = max(sizes.clusters for sizes in sides)
    return meet.objects >= PER_CELL * cells or meet.objects >= PER_CLUSTER * clusters


class Cells:
    """A table of counts, and the tables without one object of each cell."""

    def __init__(self, truth: Ints, guess: Ints, both: Ints, alignment: Alignment) -> None:
        self.both = both
        cells = np.arange(both.size)
        which = np.repeat(cells, both.size)
        left = np.tile(both, both.size) - (which == np.tile(cells, both.size))
        some = np.flatnonzero(left > 0)
        sides = []
        for side in (truth, guess):
            many = int(side.max(initial=-1)) + 1
            apart = np.tile(side, both.size) + which * many
            sides.append(np.where(np.tile(side, both.size) < 0, -1, apart)[some])
        names = cells.tolist()
        first, second = sides
        self.without = Stack.of_cells(names, which[some], first, second, left[some], alignment)

    @classmethod
    def of(cls, meet: HardMeet) -> Cells:
        """The table of a comparison."""
        truth, guess, both = meet.written_out()
        return cls(truth, guess, both, meet.alignment)

    def scores(self, measure: Measure) -> Floats:
        """The score without one object of each cell."""
        return np.array([float(one) for one in measure.of_each(self.without)])


def scores_of_cover(measure: Measure, meet: CoverMeet) -> Floats:
    """The score without one object of each row of a comparison of covers."""
    found = []
    for row in range(meet.rows):
        left = meet.both - (np.arange(meet.rows) == row)
        some = np.flatnonzero(left > 0)
        cells: Any = (meet.truth.row[some], meet.guess.row[some], left[some])
        sides: Any = (meet.truth.sets, meet.guess.sets, meet.alignment)
        found.append(measure.of(CoverMeet.of_cells(*cells, *sides)))
    return np.array([float(one) for one in found])


def spread_of_objects(scores: Floats, count: Ints) -> tuple[Spread, Floats]:
    """The standard error with n - 1 degrees of freedom, and how far each object moves the score."""
    objects = int(count.sum())
    deviation = scores - float(np.sum(count * scores)) / objects
    return spread(deviation, count.astype(np.float64))._replace(df=objects - 1.0), deviation


def scale_of_objects(bounds: tuple[float, float], value: float) -> Scale:
    """The scale on which the interval is symmetric."""
    return LOGIT if bounds == (0.0, 1.0) and 0 < value < 1 else PLAIN


def three_way(joint: Joint, one: str, other: str) -> tuple[Ints, Ints, Ints, Ints]:
    """The clusters of truth and of two guesses for each cell of their common table, and how many
    objects it has.
    """
    times = joint.times
    again = np.repeat(np.arange(times.size), times)
    copy = np.arange(again.size) - np.repeat(np.cumsum(times) - times, times)
    sides = []
    for name in ("", one, other):
        side = joint.clusters[name][again]
        most = int(side.max(initial=-1)) + 1
        # cells that repeat are clusters on which all agree: each has numbers of its own
        sides.append(np.where((copy > 0) & (side >= 0), most + np.arange(copy.size), side))
    return *sides, joint.objects[again]  # type: ignore[return-value]


def spread_of_difference(
    measure: Measure, joint: Joint, one: str, other: str
) -> tuple[Spread, int]:
    """The standard error of a difference by the three-way table, and how many objects the guesses
    place unlike.

    Without an object of a cell of that table, each score is the one without an object of the cell
    of its own table.
    """
    truth, *guesses, count = three_way(joint, one, other)
    moved, same = np.zeros(count.size), []
    for sign, guess in zip((1, -1), guesses, strict=True):
        cell, first = by_appearance(pair_keys(truth, guess))
        both = np.bincount(cell, count).astype(np.int64)
        cells = Cells(truth[first], guess[first], both, joint.alignment)
        moved += sign * cells.scores(measure)[cell]
        same.append(np.stack([both[cell], np.bincount(guess + 1, count)[guess + 1]]))
    differ = int(count[(same[0] != same[1]).any(axis=0)].sum())
    return spread_of_objects(moved, count)[0], differ
