"""A run against the truth, object by object: what each loses, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.engines.arrays import every_row
from clusterdiff.measures.loss import losses
from clusterdiff.report.summary import outcome_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.engines.named import Named
    from clusterdiff.measures import Measure
    from clusterdiff.meet import HardMeet

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Piece(NamedTuple):
    """A part of a true cluster in one cluster of a run."""

    cluster: Any
    objects: int
    others: int
    """Objects of other true clusters that are there too."""
    missing: bool = False
    """Whether the run lacks these objects, so that there is no cluster."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run against the truth, in the order of truth."""

    named: Named
    rows: HardMeet
    """The comparison with every row kept apart."""
    row: Ints
    """The row of each object compared."""
    first: Ints
    """An object of each row."""
    lost: Floats
    """What each row takes off the best score."""

    @classmethod
    def of(cls, named: Named, measure: Measure) -> Run:
        """A run by what a measure loses; refused where that cannot be told object by object."""
        measure.of(named.meet)
        rows, row, first = every_row(named.objects)
        return cls(named, rows, row, first, losses(measure, rows))

    def by_truth(self, values: NDArray[Any], missing: Any) -> NDArray[Any]:
        """A value of each object compared, in the order of truth."""
        where = self.named.objects.in_truth
        found = np.full(len(self.named.truth), missing, values.dtype)
        found[where[where >= 0]] = values[where >= 0]
        return found

    @cached_property
    def loss(self) -> Floats:
        """What each object takes off the best score; NaN for one that is not compared."""
        return self.by_truth((self.lost / self.rows.both)[self.row], np.nan)

    @cached_property
    def right(self) -> Ints:
        """1 for objects that are with all their companions and no others, -1 if not compared."""
        return self.by_truth((outcome_of(self.rows) == 0).astype(np.int64)[self.row], -1)

    @cached_property
    def place(self) -> Ints:
        """Where the object at each position of truth stands among the objects compared, or -1."""
        return self.by_truth(np.arange(self.row.size), -1)

    def pieces(self, at: Ints) -> list[Piece]:
        """How the run has the objects at these positions of truth, all of one true cluster."""
        rows, counts = np.unique(self.row[self.place[at]], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [
            Piece(
                self.named.guess_name(int(self.first[row])),
                objects,
                int(max(0, self.rows.guess_size[row] - self.rows.both[row])),
                not self.rows.in_guess[row],
            )
            for row, objects in zip(rows[order].tolist(), counts[order].tolist(), strict=True)
        ]
