"""How consistently runs treat each object, cluster and run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.base import pandas_series
from clusterdiff.compiled import compiled
from clusterdiff.contingency.exact_sums import exact_group_sums, exact_sum
from clusterdiff.errors import printable
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import cut, shown_name, wrapped
from clusterdiff.progress import progress
from clusterdiff.runs.tables import FEW_GROUPS, RunTables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.io.runs import LabelledRuns
    from clusterdiff.output.result import Block

# How consistently runs treat each object: mean over pairs of runs of |A∩B| / max(|A|, |B|).


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


SHOWN = 10
"""Objects and clusters that are shown."""
LONGEST = 32


class ClusterConsistency(NamedTuple):
    """A cluster of a run."""

    run: str
    cluster: Any
    objects: int
    consistency: float
    """Mean consistency of its objects over all pairs of runs."""
    stability: float
    """Mean over the other runs of |A∩B| / max(|A|, |B|), over its objects: whether other runs have
    this cluster too.
    """


class RunConsistency(NamedTuple):
    """A run."""

    run: str
    objects: int
    clusters: int
    consistency: float
    """Mean over the pairs with this run of |A∩B| / max(|A|, |B|), over the objects of each."""


def consistency_of(labelled: LabelledRuns, tables: RunTables, runs: int) -> Consistency:
    """Consistency over the first runs."""
    clusters = labelled.clusters[:runs]
    each = max(tables.alone) < 0
    some = tables.only(runs) if each else RunTables.of(clusters, alone=False)
    made = consistencies(some, clusters)
    return Consistency(labelled, made, runs)


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(TableResult):
    """Consistency of each object: the mean over pairs of runs of |A∩B| / max(|A|, |B|), with the
    clusters A and B that the object is in; 1 where all runs have the same cluster.
    """

    schema = "consistency/1"

    labelled: LabelledRuns
    found: Consistencies
    runs_compared: int

    def __len__(self) -> int:
        return self.values.size

    @property
    def values(self) -> Floats:
        """Of each object; NaN where fewer than two runs have it."""
        return self.found.objects

    @cached_property
    def ids(self) -> list[Any]:
        """What the objects are called; positions where there are no ids."""
        known = self.labelled.ids
        return list(range(len(self))) if known is None else known.tolist()

    def to_series(self) -> Any:
        """A pandas Series in the order of the objects, under their ids, or under the index that
        they came with, or their positions, where there are no ids.
        """
        index = self.labelled.index
        return pandas_series(self.values, self.ids if index is None else index, "consistency")

    @property
    def mean(self) -> float:
        """The mean over objects."""
        return mean_of(self.values)

    @cached_property
    def in_runs(self) -> Ints:
        """How many runs have each object."""
        runs = self.labelled.clusters[: self.runs_compared]
        return np.asarray(sum((run >= 0).astype(np.int64) for run in runs))

    def worst(self, n: int = 20) -> list[tuple[Any, float]]:
        """The least consistent objects, in the order of the input where equal."""
        return [(self._id(i), float(self.values[i])) for i in self._sorted()[:n].tolist()]

    @cached_property
    def clusters(self) -> list[ClusterConsistency]:
        """The clusters of each run, run by run; objects that noise left alone are none."""
        made = []
        for r, one in enumerate(self.found.clusters):
            labels = self.labelled.labels[r]
            named = one.number < len(labels)
            columns = (one.number, one.size, one.consistency, one.stability)
            rows = zip(*(c[named].tolist() for c in columns), strict=True)
            name = self.labelled.names[r]
            made += [ClusterConsistency(name, labels[k], *rest) for k, *rest in rows]
        return made

    @cached_property
    def runs(self) -> list[RunConsistency]:
        """The runs in the order given."""
        return [
            RunConsistency(
                self.labelled.names[r],
                int(one.size.sum()),
                one.number.size,
                float(self.found.runs[r]),
            )
            for r, one in enumerate(self.found.clusters)
        ]

    def head(self, width: int = 80) -> str:
        """How many objects are consistent, and how much."""
        known = self.values[~np.isnan(self.values)]
        one, half = int((known == 1).sum()), int((known < 0.5).sum())
        told = (
            f"consistency of {count(len(self), 'object')} over {self.runs_compared:,} runs: mean "
            f"{digits(self.mean)}; {one:,} in the same cluster in all runs, {half:,} below 0.5"
        )
        return wrapped(told, width)

    def table(self) -> CellTable:
        """The least consistent objects."""
        rows = [(shown_name(id), digits(value)) for id, value in self.worst(SHOWN)]
        return CellTable(("object", "consistency"), tuple((cut(a, LONGEST), b) for a, b in rows))

    def clusters_table(self) -> CellTable:
        """The clusters that other runs have least."""
        worst = sorted(self.clusters, key=lambda one: (np.isnan(one.stability), one.stability))
        rows = [
            (
                cut(shown_name(one.cluster), LONGEST),
                cut(printable(one.run), LONGEST),
                f"{one.objects:,}",
                *map(_cell, (one.stability, one.consistency)),
            )
            for one in worst[:SHOWN]
        ]
        headings = ("cluster", "run", "objects", "stability", "consistency")
        return CellTable(headings, tuple(rows))

    def body(self, width: int) -> Iterator[Block]:
        """The least consistent objects and the least stable clusters."""
        yield from (self.table(), self.clusters_table())

    def notes(self) -> list[str]:
        """What the numbers mean."""
        told = [
            "Consistency is the mean over pairs of runs of |A∩B| / max(|A|, |B|) with the clusters "
            "of the object. Stability of a cluster is the same with its own run against the others."
        ]
        if unknown := int(np.isnan(self.values).sum()):
            verb = (
                "is in fewer than two runs, and has"
                if unknown == 1
                else "are in fewer than two runs, and have"
            )
            told.append(f"{count(unknown, 'object')} {verb} none.")
        return told

    def records(self) -> list[dict[str, Any]]:
        """A record for each object, the least consistent first."""
        values, runs = self.values, self.in_runs
        return [
            {
                "id": self._id(i),
                "consistency": None if np.isnan(values[i]) else float(values[i]),
                "runs": int(runs[i]),
            }
            for i in self._sorted().tolist()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        return {
            "mean": self.mean,
            "objects": self.records(),
            "clusters": [_known(one._asdict()) for one in self.clusters],
            "runs": [_known(one._asdict()) for one in self.runs],
        }

    def _id(self, place: int) -> Any:
        return self.labelled.id_of(place)

    def _sorted(self) -> Ints:
        """Objects by their consistency; those without come last."""
        return np.argsort(self.values, kind="stable")


def _cell(value: float) -> str:
    return "—" if np.isnan(value) else digits(value)


def _known(record: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in record.items()}


# Compiled sums of the values of cells over groups of objects, rounding errors kept.


@compiled(inline="always")
def _add(i, value, total, error, terms):  # type: ignore[no-untyped-def]  # pragma: no cover
    old = total[i]
    new = old + value
    if old >= value:
        error[i] += (old - new) + value
    else:
        error[i] += (value - new) + old
    total[i] = new
    terms[i] += 1


@compiled
def add_dense(truth, guess, columns, values, total, error, terms):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add to each group the value of its cell of a whole table; negative where one is missing."""
    for i in range(truth.size):
        value = values[(np.int64(truth[i]) + 1) * columns + guess[i] + 1]
        if value >= 0:
            _add(i, value, total, error, terms)


@compiled
def add_sparse(  # type: ignore[no-untyped-def]  # pragma: no cover
    order, start, guess, first, column, values, scratch, total, error, terms
):
    """The same cluster by cluster, whose cells are listed from `first` on."""
    for cluster in range(start.size - 1):
        for cell in range(first[cluster], first[cluster + 1]):
            scratch[column[cell]] = values[cell]
        for k in range(start[cluster], start[cluster + 1]):
            group = order[k]
            if guess[group] >= 0:
                _add(group, scratch[guess[group]], total, error, terms)
