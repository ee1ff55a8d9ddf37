"""How consistently runs treat each object: mean over pairs of runs of |A∩B| / max(|A|, |B|)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.many.matrix.tables import FEW_GROUPS, RunTables
from clusterdiff.meet.exact_sums import exact_group_sums, exact_sum
from clusterdiff.progress import progress


class Consistencies(NamedTuple):
    """Consistency of objects, of the clusters of each run, and of runs."""

    objects: Floats
    """Of each object, over the pairs of runs that both have it; NaN where there is none."""
    clusters: list[ClusterMeans]
    """Of the clusters of each run."""
    runs: Floats
    """Of each run the mean over all others; NaN where none shares an object with it."""


class ClusterMeans(NamedTuple):
    """Clusters of a run, by the number they were given with."""

    number: Ints
    size: Ints
    consistency: Floats
    """Mean consistency of the objects."""
    stability: Floats
    """Mean over the other runs of |A∩B| / max(|A|, |B|), seen from the objects of the cluster."""


@dataclass
class CompensatedSum:
    """Sums of floating-point numbers with the rounding errors kept (Neumaier)."""

    total: Floats
    error: Floats
    terms: Ints

    @classmethod
    def zeros(cls, size: int) -> CompensatedSum:
        """Nothing added yet."""
        return cls(np.zeros(size), np.zeros(size), np.zeros(size, np.int64))

    def add(self, where: Any, value: Floats) -> None:
        """Add a value at each of these places, which are different."""
        old = self.total[where]
        new = old + value
        self.error[where] += np.where(old >= value, (old - new) + value, (value - new) + old)
        self.total[where] = new
        self.terms[where] += 1

    def mean(self) -> Floats:
        """The mean of what was added; NaN where nothing was."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.total + self.error) / self.terms)


def consistencies(tables: RunTables, clusters: list[Ints]) -> Consistencies:
    """Consistency over all pairs of runs; `clusters` are the runs as the tables were made of."""
    many = len(tables)
    groups = CompensatedSum.zeros(tables.groups)
    own = [CompensatedSum.zeros(width) for width in tables.widths]
    same = int((tables.same[0] * tables.same[1]).sum())
    runs = CompensatedSum.zeros(many)
    pairs = [(a, b) for a in range(many) for b in range(a + 1, many)]
    with progress(f"consistency over {len(pairs):,} pairs", len(pairs)) as advance:
        for a, b in pairs:
            cells = _Cells.of(tables, a, b)
            _add_to_groups(tables, a, b, cells, groups)
            for run, sizes, cluster in (
                (a, cells.rows, cells.truth),
                (b, cells.columns, cells.guess),
            ):
                shared = np.flatnonzero(sizes)
                own[run].add(shared, cells.means(cluster, sizes)[shared])
            if objects := int(cells.both.sum()) + same:
                score = np.array([(exact_sum(cells.both * cells.value) + same) / objects])
                runs.add(np.array([a]), score)
                runs.add(np.array([b]), score)
            advance(1)
    objects_mean = np.ones(tables.is_same.size)
    objects_mean[~tables.is_same] = groups.mean()[tables.group]
    per_run = [
        _cluster_means(tables, run, clusters[run], objects_mean, own[run].mean())
        for run in range(many)
    ]
    return Consistencies(objects_mean, per_run, runs.mean())


class _Cells(NamedTuple):
    """The cells of two runs with sizes over the objects that both have."""

    truth: Ints
    guess: Ints
    both: Ints
    rows: Ints
    columns: Ints
    value: Floats
    """|A∩B| / max(|A|, |B|) of each cell."""

    @classmethod
    def of(cls, tables: RunTables, a: int, b: int) -> _Cells:
        truth, guess, both = tables.cells(a, b)
        rows = np.bincount(truth, both, tables.widths[a]).astype(np.int64)
        columns = np.bincount(guess, both, tables.widths[b]).astype(np.int64)
        value = both / np.maximum(rows[truth], columns[guess])
        return cls(truth, guess, both, rows, columns, value)

    def means(self, cluster: Ints, sizes: Ints) -> Floats:
        """The mean over the objects of each cluster, whatever the order of the cells."""
        objects = int(self.both.sum())
        terms = self.both * self.value * objects
        sums = exact_group_sums(
            cluster, terms, sizes.size, float(objects) * int(sizes.max(initial=0))
        )
        return np.asarray(sums / np.maximum(sizes, 1) / max(objects, 1))


def _add_to_groups(tables: RunTables, a: int, b: int, cells: _Cells, sums: CompensatedSum) -> None:
    """Add the value of its cell to each group that both runs have."""
    left, right = tables.clusters[a], tables.clusters[b]
    columns = tables.widths[b]
    if tables.groups < FEW_GROUPS:
        shared = np.flatnonzero((left >= 0) & (right >= 0))
        keys = left[shared].astype(np.int64) * columns + right[shared]
        place = np.searchsorted(cells.truth * columns + cells.guess, keys)
        sums.add(shared, cells.value[place])
        return
    from clusterdiff.many.matrix.consistency_kernels import add_dense, add_sparse

    if tables.is_dense(a, b):
        value = np.full((tables.widths[a] + 1) * (columns + 1), -1.0)
        value[(cells.truth + 1) * (columns + 1) + cells.guess + 1] = cells.value
        add_dense(left, right, columns + 1, value, sums.total, sums.error, sums.terms)
        return
    order, start = tables.by_cluster(a)
    first = np.searchsorted(cells.truth, np.arange(start.size))
    known = order, start, right, first, cells.guess, cells.value, np.zeros(columns)
    add_sparse(*known, sums.total, sums.error, sums.terms)


def _cluster_means(
    tables: RunTables, run: int, cluster: Ints, objects: Floats, stability: Floats
) -> ClusterMeans:
    """Means over the objects of each cluster of a run."""
    known = cluster >= 0
    size = np.bincount(cluster[known], minlength=int(cluster.max(initial=-1)) + 1)
    number = np.flatnonzero(size)
    measured = known & ~np.isnan(objects)
    counted = np.bincount(cluster[measured], minlength=size.size)
    total = max(int(measured.sum()), 1)
    terms = np.round(objects[measured] * 2.0**50)
    sums = exact_group_sums(cluster[measured], terms, size.size, 2.0**50 * total)
    with np.errstate(invalid="ignore"):
        mean = sums / counted / 2.0**50
    stable = np.ones(size.size)
    stable[tables.numbers[run]] = stability
    return ClusterMeans(number, size[number], mean[number], stable[number])


def mean_of(values: NDArray[np.float64]) -> float:
    """The mean of those that are known, rounded once."""
    known = values[~np.isnan(values)]
    return exact_sum(known) / known.size if known.size else math.nan
