"""What a new run of partitions repaired and broke, true cluster by true cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import number, small
from clusterdiff.results.diff.changes import (
    ROUNDING,
    ClusterChange,
    Run,
    by_fate,
    change_line,
    members_of,
    pieces,
    record,
    signed,
)
from clusterdiff.results.diff.result import Diff
from clusterdiff.results.explain.base import IDS, TOP
from clusterdiff.results.explain.object import PartitionObject, partition_object
from clusterdiff.results.explain.prose import name_of
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.render.text import shown_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.array_types import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class PartitionDiff(Diff):
    """True clusters that fare otherwise in the new run, by what their objects lose."""

    old: Run
    new: Run

    unit = "true cluster"
    columns = (
        "cluster", "sample", "size", "change", "fate", "old", "new", "ids",
    )  # fmt: skip

    @cached_property
    def _compared(self) -> Ints:
        """Positions of truth whose objects are compared in both runs."""
        return small(np.flatnonzero((self.old.row >= 0) & (self.new.row >= 0)))

    @property
    def gain(self) -> Floats:
        """How much less each object that is compared in both runs takes off the best score."""
        at = self._compared
        gain = self.old.row_loss[self.old.row[at]]
        gain -= self.new.row_loss[self.new.row[at]]
        gain[np.abs(gain) < ROUNDING / max(at.size, 1)] = 0.0
        return gain

    @property
    def extra_gain(self) -> float:
        """How much less objects that truth lacks take off the best score; they are in no true
        cluster.
        """
        return self.old.extra_loss - self.new.extra_loss

    @cached_property
    def objects(self) -> dict[str, int]:
        """Objects by what became of them."""
        at = self._compared
        return by_fate(self.old.right(at), self.new.right(at), self.gain)

    @cached_property
    def _by_cluster(self) -> tuple[Ints, Floats, Ints, Ints, Ints]:
        """The true cluster of each object compared, and for each cluster: its gain, objects, and
        how many of them were and are right.
        """
        at = self._compared
        code, many = number(self.old.truth[self.old.row[at]])
        gain = np.asarray(np.bincount(code, self.gain, many), np.float64)
        size = np.bincount(code, minlength=many)
        before, after = (
            np.bincount(code[run.right(at)], minlength=many) for run in (self.old, self.new)
        )
        return small(code), gain, size, before, after

    @cached_property
    def clusters(self) -> dict[str, int]:
        """True clusters by what became of them."""
        _, gain, size, before, after = self._by_cluster
        gain = np.where(np.abs(gain) < ROUNDING, 0.0, gain)
        return by_fate(before == size, after == size, gain)

    def changed(
        self, better: bool, top: int | None = TOP, ids: int | None = IDS
    ) -> list[ClusterChange]:
        """The true clusters that fare better (or worse) in the new run, most changed first."""
        code, gain, size, before, after = self._by_cluster
        signed = gain if better else -gain
        order = np.argsort(-np.round(signed, 15), kind="stable")
        order = order[signed[order] > ROUNDING][:top]
        truth, members = self.old.named.truth, members_of(code, size, order)
        made = []
        for c, where in zip(order.tolist(), members, strict=True):
            at = self._compared[where]
            first = int(at[0])
            whole, now = before[c] == size[c], after[c] == size[c]
            fate = "repaired" if now else "broken" if whole else "better" if better else "worse"
            made.append(
                ClusterChange(
                    truth.labels[first], None if truth.samples is None else truth.samples[first],
                    int(size[c]), float(gain[c]), fate, self.old.pieces(at), self.new.pieces(at),
                    [truth.id_of(int(i)) for i in at[:ids]],
                )
            )  # fmt: skip
        return made

    def object(self, id: Any, sample: Any = None) -> dict[str, PartitionObject]:
        """The companions of an object in both runs."""
        runs = {"old": self.old, "new": self.new}
        return {name: partition_object(run.named, id, sample) for name, run in runs.items()}

    def table_of(self, changes: Iterable[ClusterChange], ids: int | None) -> CellTable:
        """Clusters that changed, as a table for eyes."""
        rows = tuple(
            (
                signed(c.change), c.fate, name_of(c.cluster), f"{c.size:,}", pieces(c.old),
                pieces(c.new), shown_ids(c.ids, ids, c.size),
            )
            for c in changes
        )  # fmt: skip
        return CellTable(("change", "fate", "true cluster", "objects", "was", "is", "ids"), rows)

    def change_lines(self, change: ClusterChange, width: int, ids: int | None) -> str:
        """A cluster that changed, with where it was and where it is."""
        return change_line(change, width, ids)

    def record(self, change: ClusterChange) -> dict[str, Any]:
        """A change for programs."""
        return record(change)
