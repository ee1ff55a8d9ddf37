"""The components in which two partitions disagree: what was split, merged, or both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.group import number
from clusterdiff.measures.hard.greedy_matching import homes
from clusterdiff.meet.join import dense
from clusterdiff.results.explain.base import Part, counted_by_kind
from clusterdiff.results.explain.prose import component_lines, title

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.backends.labelled.protocol import Compared, RowNames


KINDS = ("split", "merged", "mixed", "missing", "extra")
"""One truth cluster in several guess clusters; several in one; several in several; or clusters
that differ only by objects that one side lacks: some are missing in guess, or all of them are not
in truth.
"""


FATES = ("home", "split off", "merged", "moved", "missing", "extra")
"""What becomes of the objects that a true and a guess cluster share: the guess cluster is the home
of the true one (largest parts choose first); it is nobody's home; it is another's, and the true
cluster has none; it is another's, and the true cluster has one; they are on one side only.
"""

CELLS = 100
"""Cells of a component that get names where nobody asks for all."""


class Cluster(NamedTuple):
    """A cluster by name, with its size; a cluster that is missing has none."""

    name: Any
    size: int


class Cell(NamedTuple):
    """The objects that a truth cluster and a guess cluster share."""

    truth: Cluster
    guess: Cluster
    objects: int
    ids: list[Any]
    """As many as were asked for, in the order of the input."""
    loss: float
    fate: str
    """One of `FATES`."""

    def objects_lost(self) -> dict[str, Any]:
        """For programs: its objects, and what became of them."""
        return {"objects": self.objects, "fate": self.fate, "loss": self.loss, "ids": self.ids}


@dataclass(frozen=True, kw_only=True)
class Component(Part):
    """Clusters of truth and guess that are entangled with each other and with no others."""

    loss: float
    """What its objects take off the best score."""
    missing: int
    """How many of them guess lacks."""
    extra: int
    """How many of them truth lacks."""
    truth_clusters: int
    guess_clusters: int
    parts: int
    """How many cells it has; the largest have names."""
    truth: list[Cluster]
    """Largest first; of a large component, those of the cells that have names."""
    guess: list[Cluster]
    cells: list[Cell]
    """Largest first."""
    sample: Any = None
    """The sample it lies in, where there are samples."""

    keys = (
        "kind", "loss", "share", "objects", "missing", "extra", "truth_clusters", "guess_clusters",
        "parts",
    )  # fmt: skip

    def lines(self, ids: int | None) -> list[str]:
        """The component in words."""
        return component_lines(self, ids)

    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """How many objects, which clusters, and what became of the parts."""
        return f"{self.objects:,}", title(self), "; ".join(self.lines(ids)[1:])

    def records(self) -> list[dict[str, Any]]:
        """One record per truth and guess cluster that share objects."""
        return [
            {
                "sample": self.sample, "kind": self.kind, "component_loss": self.loss,
                "share": self.share, "truth": cell.truth.name, "truth_size": cell.truth.size,
                "guess": cell.guess.name, "guess_size": cell.guess.size, **cell.objects_lost(),
            }
            for cell in self.cells
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            **({} if self.sample is None else {"sample": self.sample}),
            **super().to_dict(),
            "truth": [c._asdict() for c in self.truth],
            "guess": [c._asdict() for c in self.guess],
            "cells": [
                {"truth": cell.truth.name, "guess": cell.guess.name, **cell.objects_lost()}
                for cell in self.cells
            ],
        }


@dataclass(frozen=True, eq=False)
class Components:
    """All components in conflict, ranked by what they lose; a few at a time get their names."""

    named: Compared
    loss: Floats
    """What each row in conflict takes off the best score."""

    @cached_property
    def of_row(self) -> Ints:
        """The component of each row in conflict."""
        return number(self.named.meet.component[self.named.agreeing :])[0]

    @cached_property
    def losses(self) -> Floats:
        """What each component takes off the best score."""
        return np.asarray(np.bincount(self.of_row, self.loss, self.count), np.float64)

    @cached_property
    def total(self) -> float:
        """What all of them take off."""
        return float(self.losses.sum())

    @cached_property
    def count(self) -> int:
        """How many there are."""
        return int(self.of_row.max(initial=-1)) + 1

    @cached_property
    def objects(self) -> Ints:
        """How many objects each has."""
        return self._objects(np.ones(self.of_row.size, np.bool_))

    @cached_property
    def lacking(self) -> tuple[Ints, Ints]:
        """How many objects of each are missing in guess, and how many are not in truth."""
        m, rest = self.named.meet, slice(self.named.agreeing, None)
        return self._objects(~m.in_guess[rest]), self._objects(~m.in_truth[rest])

    def _objects(self, some: Bools) -> Ints:
        """How many objects of these rows each has."""
        both = self.named.meet.both[self.named.agreeing :]
        return np.bincount(self.of_row[some], both[some], self.count).astype(np.int64)

    @cached_property
    def clusters(self) -> tuple[Ints, Ints]:
        """How many clusters of truth and of guess each has."""
        m, rest = self.named.meet, slice(self.named.agreeing, None)
        return self._distinct(m.truth[rest]), self._distinct(m.guess[rest])

    def _distinct(self, cluster: Ints) -> Ints:
        known = cluster >= 0
        component = np.full(int(cluster.max(initial=-1)) + 1, -1)
        component[cluster[known]] = self.of_row[known]
        return np.bincount(component[component >= 0], minlength=self.count)

    @cached_property
    def kinds(self) -> Ints:
        """The kind of each, by its place among `KINDS`."""
        truth, guess = self.clusters
        several = (guess > 1) + 2 * (truth > 1)
        found = np.array([4, 0, 1, 2])[several]
        return np.where((several == 0) & (self.lacking[0] > 0), 3, found)

    @cached_property
    def order(self) -> Ints:
        """The components from the one that loses most to the one that loses least."""
        top = float(self.losses.max(initial=0.0)) or 1.0
        return np.lexsort((-self.objects, -np.round(self.losses / top, 12)))

    def by_kind(self, some: Ints | None = None) -> dict[str, tuple[int, int, float]]:
        """For each kind that there is: components, their objects and what they lose."""
        some = np.arange(self.count) if some is None else some
        return counted_by_kind(KINDS, self.kinds, self.objects, self.losses, some)

    def rows_of(self, components: Ints) -> Ints:
        """The rows in conflict of these components, one component after the other, in each the
        largest first.
        """
        wanted = np.zeros(self.count, np.bool_)
        wanted[components] = True
        rows = np.flatnonzero(wanted[self.of_row])
        both = self.named.meet.both[rows + self.named.agreeing]
        return rows[np.lexsort((-both, self.of_row[rows]))]

    def named_ones(
        self, components: Ints, ids: int | None = 5, cells: int | None = CELLS
    ) -> list[Component]:
        """These components with names for up to so many cells, and up to so many ids for each cell
        (None for all).
        """
        if not components.size:
            return []
        rows = self.rows_of(components)
        fates, of_row = self._fates(rows), self.of_row[rows]
        begins = np.searchsorted(of_row, components, side="left").tolist()
        ends = np.searchsorted(of_row, components, side="right").tolist()
        shown = [
            self._some(rows, fates, begin, end, cells)
            for begin, end in zip(begins, ends, strict=True)
        ]
        names = iter(self.named.described(rows[np.concatenate(shown)], ids))
        return [
            self._named_one(c, end - begin, rows[at], fates[at], list(islice(names, at.size)))
            for c, begin, end, at in zip(components.tolist(), begins, ends, shown, strict=True)
        ]

    def _some(self, rows: Ints, fates: Ints, begin: int, end: int, most: int | None) -> Ints:
        """Which rows of a component get names; if they are too many, half of them are those out of
        place that cost most, the others the largest.
        """
        every = np.arange(begin, end)
        if most is None or end - begin <= most:
            return every
        wrong = every[fates[begin:end] > 0]
        costly = wrong[np.argsort(-self.loss[rows[wrong]], kind="stable")][: most // 2]
        rest = np.setdiff1d(every, costly)[: most - costly.size]
        return np.sort(np.concatenate([costly, rest]))

    def _fates(self, rows: Ints) -> Ints:
        """What became of the objects of the rows of some components, by place among `FATES`."""
        m, at = self.named.meet, rows + self.named.agreeing
        truth, guess = m.truth[at], m.guess[at]
        home, settled, owned = homes(dense(truth), dense(guess), m.both[at])
        wrong = np.where(owned, np.where(settled, 3, 2), 1)
        return np.where(truth < 0, 5, np.where(guess < 0, 4, np.where(home, 0, wrong)))

    def _named_one(
        self, component: int, parts: int, rows: Ints, fates: Ints, names: list[RowNames]
    ) -> Component:
        """One component of so many rows, some of which have names."""
        m, first = self.named.meet, self.named.agreeing
        truth: dict[int, Cluster] = {}
        guess: dict[int, Cluster] = {}
        cells = []
        for row, fate, name in zip((rows + first).tolist(), fates.tolist(), names, strict=True):
            of_truth = Cluster(name.truth, int(m.truth_size[row]))
            of_guess = Cluster(name.guess, int(m.guess_size[row]))
            truth[int(m.truth[row])] = of_truth
            guess[int(m.guess[row])] = of_guess
            lost, objects = float(self.loss[row - first]), int(m.both[row])
            cells.append(Cell(of_truth, of_guess, objects, name.ids, lost, FATES[fate]))
        loss = float(self.losses[component])
        return Component(
            kind=KINDS[int(self.kinds[component])],
            loss=loss,
            share=loss / self.total if self.total else 0.0,
            objects=int(self.objects[component]),
            missing=int(self.lacking[0][component]),
            extra=int(self.lacking[1][component]),
            truth_clusters=int(self.clusters[0][component]),
            guess_clusters=int(self.clusters[1][component]),
            parts=parts,
            truth=sorted((c for t, c in truth.items() if t >= 0), key=lambda c: -c.size),
            guess=sorted((c for g, c in guess.items() if g >= 0), key=lambda c: -c.size),
            cells=cells,
            sample=names[0].sample,
        )
