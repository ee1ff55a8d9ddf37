"""How consistently runs treat each object, cluster and run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.base import pandas_series
from clusterdiff.contingency.exact_sums import exact_group_sums, exact_sum
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import cut, shown_name, wrapped
from clusterdiff.progress import progress
from clusterdiff.runs.agreement import LONGEST, digits_or_dash, mean_of, number_or_none
from clusterdiff.runs.tables import RunTables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.io.runs import LabelledRuns
    from clusterdiff.output.result import Block

# How consistently runs treat each object: mean over pairs of runs of |A∩B| / max(|A|, |B|).


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


def consistency_of(labelled: LabelledRuns, runs: int) -> Consistency:
    """Consistency of the first runs, over all pairs of them."""
    if labelled.counts is not None:
        raise ClusterdiffError(
            "the consistency of objects is told for objects that count once.",
            "leave the counts out.",
        )
    clusters = labelled.clusters[:runs]
    tables = RunTables.of(clusters)
    groups = CompensatedSum.zeros(tables.groups)
    own = [CompensatedSum.zeros(width) for width in tables.widths]
    same = int((tables.same[0] * tables.same[1]).sum())
    scores: list[list[float]] = [[] for _ in range(runs)]
    pairs = list(combinations(range(runs), 2))
    with progress(f"consistency over {len(pairs):,} pairs", len(pairs)) as advance:
        for a, b in pairs:
            truth, guess, both = tables.cells(a, b)
            rows = np.bincount(truth, both, tables.widths[a]).astype(np.int64)
            columns = np.bincount(guess, both, tables.widths[b]).astype(np.int64)
            value = both / np.maximum(rows[truth], columns[guess])
            groups.add(*_values_of_groups(tables, a, b, truth, guess, value))
            objects = int(both.sum())
            for run, sizes, cluster in ((a, rows, truth), (b, columns, guess)):
                # Sums over the cells of a cluster, rounded once, whatever the order of the cells.
                largest = float(objects) * int(sizes.max(initial=0))
                sums = exact_group_sums(cluster, both * value * objects, sizes.size, largest)
                shared = np.flatnonzero(sizes)
                own[run].add(shared, sums[shared] / sizes[shared] / objects)
            if objects + same:
                score = (exact_sum(both * value) + same) / (objects + same)
                scores[a].append(score)
                scores[b].append(score)
            advance(1)
    each = np.ones(tables.is_same.size)
    each[~tables.is_same] = groups.mean()[tables.group]
    per_run = [
        _cluster_means(tables, run, clusters[run], each, own[run].mean()) for run in range(runs)
    ]
    return Consistency(labelled, runs, each, per_run, [mean_of(np.array(one)) for one in scores])


def _values_of_groups(
    tables: RunTables, a: int, b: int, truth: Ints, guess: Ints, value: Floats
) -> tuple[Any, Floats]:
    """The groups that both runs have, and the value of the cell that each is in."""
    left, right = tables.clusters[a].astype(np.int64), tables.clusters[b]
    columns = tables.widths[b] + 1
    if not tables.is_dense(a, b):
        shared = np.flatnonzero((left >= 0) & (right >= 0))
        keys, cells = left[shared] * columns + right[shared], truth * columns + guess
        order = np.argsort(cells)
        return shared, value[order[np.searchsorted(cells[order], keys)]]
    # The first row and column of the table are for missing ones.
    table = np.zeros((tables.widths[a] + 1, columns))
    table[truth + 1, guess + 1] = value
    values = table.ravel()[(left + 1) * columns + right + 1]
    if values.all():
        return slice(None), values
    shared = np.flatnonzero(values)
    return shared, values[shared]


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


SHOWN = 10
"""Objects and clusters that are shown."""


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


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(TableResult):
    """Consistency of each object: the mean over pairs of runs of |A∩B| / max(|A|, |B|), with the
    clusters A and B that the object is in; 1 where all runs have the same cluster.
    """

    schema = "consistency/1"

    labelled: LabelledRuns
    runs_compared: int
    values: Floats
    """Of each object; NaN where fewer than two runs have it."""
    cluster_means: list[ClusterMeans]
    """Of the clusters of each run."""
    run_means: list[float]
    """Of each run the mean over all others; NaN where none shares an object with it."""

    def __len__(self) -> int:
        return self.values.size

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
        return [(self.labelled.id_of(i), float(self.values[i])) for i in self._sorted()[:n]]

    @cached_property
    def clusters(self) -> list[ClusterConsistency]:
        """The clusters of each run, run by run; objects that noise left alone are none."""
        made = []
        for name, labels, one in zip(
            self.labelled.names, self.labelled.labels, self.cluster_means, strict=False
        ):
            named = one.number < len(labels)
            rows = zip(*(column[named].tolist() for column in one), strict=True)
            made += [ClusterConsistency(name, labels[k], *rest) for k, *rest in rows]
        return made

    @cached_property
    def runs(self) -> list[RunConsistency]:
        """The runs in the order given."""
        found = zip(self.labelled.names, self.cluster_means, self.run_means, strict=False)
        return [RunConsistency(n, int(c.size.sum()), c.number.size, mean) for n, c, mean in found]

    def head(self, width: int = 80) -> str:
        """How many objects are consistent, and how much."""
        one, half = int((self.values == 1).sum()), int((self.values < 0.5).sum())
        told = (
            f"consistency of {count(len(self), 'object')} over {self.runs_compared:,} runs: mean "
            f"{digits(self.mean)}; {one:,} in the same cluster in all runs, {half:,} below 0.5"
        )
        return wrapped(told, width)

    def table(self) -> CellTable:
        """The least consistent objects."""
        rows = [(cut(shown_name(id), LONGEST), digits(value)) for id, value in self.worst(SHOWN)]
        return CellTable(("object", "consistency"), tuple(rows))

    def clusters_table(self) -> CellTable:
        """The clusters that other runs have least."""
        worst = sorted(self.clusters, key=lambda one: (np.isnan(one.stability), one.stability))
        rows = [
            (
                cut(shown_name(one.cluster), LONGEST),
                cut(printable(one.run), LONGEST),
                f"{one.objects:,}",
                *map(digits_or_dash, (one.stability, one.consistency)),
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
            are, have = ("is", "has") if unknown == 1 else ("are", "have")
            told.append(
                f"{count(unknown, 'object')} {are} in fewer than two runs, and {have} none."
            )
        return told

    def records(self) -> list[dict[str, Any]]:
        """A record for each object, the least consistent first."""
        order = self._sorted()
        values, runs = self.values[order].tolist(), self.in_runs[order].tolist()
        return [
            {"id": self.labelled.id_of(i), "consistency": number_or_none(value), "runs": n}
            for i, value, n in zip(order, values, runs, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        return {
            "mean": self.mean,
            "objects": self.records(),
            "clusters": [_without_nan(one._asdict()) for one in self.clusters],
            "runs": [_without_nan(one._asdict()) for one in self.runs],
        }

    def _sorted(self) -> list[int]:
        """Places of the objects by their consistency; those without come last."""
        order: list[int] = np.argsort(self.values, kind="stable").tolist()
        return order


def _without_nan(record: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in record.items()}
