"""A run against the truth, object by object: what each loses, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.backends.memory.hard import every_row
from clusterdiff.clusterings.encode.group import small
from clusterdiff.measures.attribution.rows import losses
from clusterdiff.results.explain.summary import outcome_of

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.backends.labelled.memory import Named
    from clusterdiff.measures import Measure


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
    """A run against the truth: what is the same for the objects of a row is kept once."""

    named: Named
    row: Ints
    """The row of the object at each position of truth, or -1 for one that is not compared."""
    first: Ints
    """An object of each row."""
    truth: Ints
    """The true cluster of each row, by number."""
    others: Ints
    """Objects that are in the guess cluster of each row and not in the row."""
    missing: Bools
    """Whether the run lacks the objects of each row."""
    row_loss: Floats
    """What an object of each row takes off the best score."""
    row_right: Bools
    """Whether the objects of each row are with all their companions and no others."""
    extra_loss: float
    """What objects that truth lacks take off the best score."""

    @classmethod
    def of(cls, named: Named, measure: Measure) -> Run:
        """A run by what a measure loses; refused where that cannot be told object by object."""
        measure.of(named.meet)
        rows, row, first = every_row(named.objects)
        lost = losses(measure, rows) / rows.both
        return cls(
            named,
            _by_truth(row, named),
            small(first),
            small(rows.truth),
            small(np.maximum(0, rows.guess_size - rows.both)),
            ~rows.in_guess,
            lost,
            outcome_of(rows) == 0,
            float(lost[row[named.objects.in_truth < 0]].sum()),
        )

    def right(self, at: Ints) -> Bools:
        """Whether the objects at these positions of truth are right."""
        return self.row_right[self.row[at]]

    def pieces(self, at: Ints) -> list[Piece]:
        """How the run has the objects at these positions of truth, all of one true cluster."""
        rows, counts = np.unique(self.row[at], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        rows, counts = rows[order], counts[order]
        names = self.named.names_of("guess", self.first[rows])
        columns = counts, self.others[rows], self.missing[rows]
        return list(map(Piece, names, *(column.tolist() for column in columns)))


def _by_truth(row: Ints, named: Named) -> Ints:
    """The rows of objects that are compared in the order of truth."""
    where = named.objects.in_truth
    row, known = small(row), where >= 0
    found = np.full(len(named.truth), -1, row.dtype)
    found[where[known]] = row[known]
    return found
