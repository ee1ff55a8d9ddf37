"""True clusters one by one: their best guess, how pure and how whole it is, what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.group import number
from clusterdiff.meet.cells import size_per_row
from clusterdiff.results.describe import count
from clusterdiff.results.render.table import digits

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.results.explain.partition import Explanation


GRID = 50
"""Steps of precision and recall within which clusters share a point."""


FATES = ("split", "merged", "both", "missing", "extra")
"""What becomes of a true cluster: it lies in several guess clusters; with objects of others; the
one and the other; in one or none, and some of its objects are missing in guess; or in one, with
objects that are not in truth.
"""


class ClusterRow(NamedTuple):
    """A true cluster with its best guess."""

    name: Any
    sample: Any
    size: int
    kind: str
    parts: int
    """Guess clusters that hold some of it."""
    best: Any
    """The guess cluster that holds most of it."""
    best_size: int
    both: int
    precision: float
    recall: float
    loss: float


class Point(NamedTuple):
    """True clusters with about the same precision and recall."""

    precision: float
    recall: float
    clusters: int
    objects: int

    def told(self) -> str:
        """What they are, for eyes."""
        return (
            f"{count(self.clusters, 'true cluster')}, {count(self.objects, 'object')}: "
            f"precision {digits(self.precision)}, recall {digits(self.recall)}"
        )


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """All true clusters in conflict, in columns; and how many agree."""

    told: Explanation
    row: Ints
    """The row in conflict that is the largest part of each cluster."""
    parts: Ints
    """How many guess clusters hold some of it."""
    kind: Ints
    """What became of it, by its place among `FATES`."""
    loss: Floats

    @classmethod
    def of(cls, told: Explanation) -> ClusterTable:
        """The true clusters of an explanation."""
        m, first = told.named.meet, told.named.agreeing
        known = np.flatnonzero(m.truth[first:] >= 0)
        cluster, many = number(m.truth[first:][known])
        order = np.lexsort((-m.found[first:][known], cluster))
        starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
        loss = np.asarray(np.bincount(cluster, told.loss[first:][known], many), np.float64)
        rows = known + first
        parts = np.bincount(cluster, m.in_guess[rows], many).astype(np.int64)
        beside = m.found[rows] < size_per_row(m.guess, m.found)[rows]
        merged = np.bincount(cluster, beside, many) > 0
        missing = np.bincount(cluster, ~m.in_guess[rows], many) > 0
        entangled = (parts > 1) + 2 * merged - 1
        kind = np.where(entangled >= 0, entangled, np.where(missing, 3, 4))
        return cls(told, known[order[starts]], parts, kind, loss)

    def shares(self) -> tuple[Floats, Floats]:
        """Precision and recall of the best guess of each."""
        m, at = self.told.named.meet, self.row + self.told.named.agreeing
        return m.found[at] / np.maximum(m.guess_size[at], 1), m.found[at] / m.truth_size[at]

    def points(self) -> dict[str, list[Point]]:
        """Clusters by what became of them, and by precision and recall."""
        m = self.told.named.meet
        precision, recall = self.shares()
        cell, _ = number(
            np.round(precision * GRID).astype(np.int64) * (GRID + 1)
            + np.round(recall * GRID).astype(np.int64)
        )
        found = {}
        if exact := self.told.summary.exact:
            right = self.told.summary.outcomes["right"]
            found["right"] = [Point(1.0, 1.0, exact, right)]
        for i, kind in enumerate(FATES):
            here = np.flatnonzero(self.kind == i)
            if not here.size:
                continue
            code, many = number(cell[here])
            n = np.bincount(code, minlength=many)
            size = m.truth_size[self.row[here] + self.told.named.agreeing]
            columns = (
                np.bincount(code, precision[here], many) / n,
                np.bincount(code, recall[here], many) / n,
                n,
                np.bincount(code, size, many).astype(np.int64),
            )
            found[kind] = [
                Point(*point) for point in zip(*(c.tolist() for c in columns), strict=True)
            ]
        return found

    def worst(self, n: int | None = None) -> list[ClusterRow]:
        """The clusters that cost most, with names."""
        named = self.told.named
        order = np.argsort(-self.loss, kind="stable")[:n]
        rows = self.row[order]
        if not rows.size:
            return []
        names = named.described(rows, 0)
        precision, recall = self.shares()
        kinds = self.kind[order].tolist()
        at = rows + named.agreeing
        m = named.meet
        return [
            ClusterRow(
                name.truth, name.sample, int(m.truth_size[row]), FATES[kind],
                int(self.parts[k]), name.guess, int(m.guess_size[row]),
                int(m.found[row]), float(precision[k]), float(recall[k]), float(self.loss[k]),
            )
            for k, row, name, kind in zip(order.tolist(), at.tolist(), names, kinds, strict=True)
        ]  # fmt: skip
