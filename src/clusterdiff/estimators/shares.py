"""Objects that share themselves out among prototypes: what fuzzy and evidential c-means share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.estimators.kernels.distances import NOWHERE, in_chunks
from clusterdiff.estimators.kernels.shares import share_out

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats
    from clusterdiff.clusterings.encode.sets import Sets
    from clusterdiff.estimators.rows import SortedRows


class ShareSums(NamedTuple):
    """What a pass over the objects finds for the centres."""

    objective: float
    weight: Floats
    """Of each prototype: the sum of the shares to the power of m."""
    pull: Floats
    """Clusters x features: the weighted sum of the differences of the objects to the centre."""


class Sharing(NamedTuple):
    """How objects share themselves out: a prototype for each set of clusters, the mean of theirs.

    The cost of a set A is |A|^alpha times the squared distance to its prototype. Shares go with
    costs to the power of -1/(m-1), and those to the power of m weigh the objects.
    """

    sets: Sets
    m: float
    alpha: float = 0.0
    noise: float | None = None
    """The cost of sharing with no cluster, where that is possible."""

    def prototypes(self, centres: Floats) -> Floats:
        """Sets x features."""
        sums = np.add.reduceat(centres[self.sets.member], self.sets.start[:-1], axis=0)
        return np.asarray(sums / self.sets.size[:, None])

    def sums(self, rows: SortedRows, centres: Floats, found: Floats = NOWHERE) -> ShareSums:
        """One pass over the objects; the shares are written to `found`, if it has room."""
        columns, (many, features) = rows.columns, centres.shape
        points, size = self.prototypes(centres), self.sets.size.astype(np.float64)
        factor, portion = size**self.alpha, size ** (self.alpha - 1.0)
        noise = -1.0 if self.noise is None else self.noise
        exponent = 1.0 / (self.m - 1.0)

        def work(begin: int, end: int, room: Floats) -> None:
            share_out(
                columns, points, factor, noise, exponent, centres, *self.sets, portion,
                rows.order, begin, end, room, found,
            )  # fmt: skip

        room = in_chunks(rows.number, 1 + len(points) + many * features, work)
        split = 1 + len(points)
        return ShareSums(float(room[0]), room[1:split], room[split:].reshape(many, features))

    def shares(self, rows: SortedRows, centres: Floats) -> Floats:
        """Objects x sets; the first column is what is shared with no cluster, where possible."""
        found = np.empty((rows.number, self.sets.number + (self.noise is not None)))
        self.sums(rows, centres, found)
        return found
