"""How consistently runs treat each object, cluster and run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.base import pandas_series
from clusterdiff.many.matrix.consistency import Consistencies, consistencies, mean_of
from clusterdiff.many.matrix.tables import RunTables
from clusterdiff.results.describe import count
from clusterdiff.results.render.result import TableResult
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import cut, printable, shown_name, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterdiff.array_types import Floats, Ints
    from clusterdiff.inputs.runs import LabelledRuns
    from clusterdiff.results.render.renderable import Block

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
