"""What became of each id, and why: a row per old id, and per new cluster without one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.many.events import BORN, DIED, KINDS, MERGED, SPLIT
from clusterdiff.results.describe import count
from clusterdiff.results.render import markup
from clusterdiff.results.render.frames import frame_of
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.render.text import shown_name

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings.encode.column import Column
    from clusterdiff.many.lives import Renaming

COLUMNS = ("old", "new", "id", "shared", "of_old", "of_new", "event", "reason")


@dataclass(frozen=True, eq=False)
class IdTable:
    """The rows, by place: old ids in their order, then new clusters without an old id."""

    renaming: Renaming
    names: Column
    """What ids are called, by number."""
    labels: Column
    """What the new run calls its clusters."""

    @cached_property
    def _rows(self) -> tuple[Ints, Ints]:
        """For each row the place of its old id and of its new cluster, -1 for none."""
        found = self.renaming
        unnamed = np.flatnonzero(found.taken < 0)
        old = np.concatenate([np.arange(found.old.size), np.full(unnamed.size, -1)])
        return old, np.concatenate([found.kept_by, unnamed])

    def __len__(self) -> int:
        return int(self._rows[0].size)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records())

    def __repr__(self) -> str:
        return f"IdTable({count(len(self), 'row')}: {', '.join(COLUMNS)})"

    def records(self, rows: Ints | None = None) -> list[dict[str, Any]]:
        """All rows, or some of them, as records."""
        chosen = np.arange(len(self)) if rows is None else rows
        columns = self._columns(chosen)
        return [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]

    def to_frame(self, library: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame; ids that are whole numbers stay so beside gaps."""
        records = self.records()
        frame = frame_of(records, library, COLUMNS)
        if library == "pandas":
            for name in COLUMNS:
                values = [record[name] for record in records]
                if None in values and all(one is None or type(one) is int for one in values):
                    frame[name] = _whole(values)
        return frame

    def to_csv(self) -> str:
        """A line per row."""
        if not len(self):
            return ",".join(COLUMNS) + "\n"
        return markup.records_to_csv(self.records())

    def largest(self, most: int | None) -> Ints:
        """The rows to act on, among those that are not a cluster with the same objects: retired
        ids, then new and revived ones, then kept ones, each with the largest first.
        """
        old, new = self._rows
        sizes = self.renaming.overlaps.old_size, self.renaming.overlaps.new_size
        size = [np.append(own, 0)[at] for own, at in zip(sizes, (old, new), strict=True)]
        events = self.renaming.events
        of_old = np.append(events.kind[events.of_old], -1)[old]
        changed = np.flatnonzero(of_old != 0)
        kept = np.where(new < 0, 0, np.where(old < 0, 1, 2))
        order = np.lexsort((-np.maximum(*size)[changed], kept[changed]))
        return changed[order[:most]]

    def cells(self, most: int | None) -> CellTable:
        """The rows to act on first, formatted for display."""
        rows = [
            tuple(_cell(record[name], name in COLUMNS[:3]) for name in COLUMNS)
            for record in self.records(self.largest(most))
        ]
        return CellTable(tuple(name.replace("_", " ") for name in COLUMNS), tuple(rows))

    def _columns(self, rows: Ints) -> tuple[list[Any], ...]:
        found, over = self.renaming, self.renaming.overlaps
        old, new = (side[rows] for side in self._rows)
        events = found.events
        event = np.where(old >= 0, _at(events.of_old, old), _at(events.of_new, new))
        kept = np.zeros(found.old.size, np.int64)
        kept[over.old[found.kept_rows]] = over.shared[found.kept_rows]
        shared = np.where(new < 0, _at(over.old_shared, old), _at(kept, old))
        shared = np.where(old < 0, _at(over.new_shared, new), shared)
        ids = _named(self.names, _at(found.given, new))
        texts = zip(old.tolist(), new.tolist(), event.tolist(), shared.tolist(), strict=True)
        return (
            _named(self.names, _at(found.old, old)),
            _named(self.labels, new),
            ids,
            shared.tolist(),
            _sizes(over.old_size, old),
            _sizes(over.new_size, new),
            [KINDS[kind] for kind in events.kind[event].tolist()],
            [self._reason(*row) for row in texts],
        )

    def _reason(self, old: int, new: int, event: int, shared: int) -> str:
        kind = int(self.renaming.events.kind[event])
        if old >= 0 and new >= 0:
            return f"kept: {shared:,} of {count(int(self._old_size[old]), 'object')}"
        return self._ended(old, kind) if new < 0 else self._began(new, kind)

    @property
    def _old_size(self) -> Ints:
        return self.renaming.overlaps.old_size

    def _ended(self, old: int, kind: int) -> str:
        found = self.renaming
        target = int(found.main_new[old])
        if kind == DIED or target < 0:
            return "retired: objects gone"
        into = self._name(int(found.given[target]))
        share = found.min_share
        if share is not None:
            most = int(self._most_together[old])
            size = int(self._old_size[old])
            if most * share.denominator <= size * share.numerator:
                return (
                    f"retired: at most {most:,} of {count(size, 'object')} stayed together, which "
                    f"is not more than {float(share):.3g}"
                )
        return f"retired: {'merged into' if kind == MERGED else 'most objects now in'} {into}"

    @cached_property
    def _most_together(self) -> Ints:
        """For each old id the most of its objects in one new cluster."""
        over = self.renaming.overlaps
        most = np.zeros(over.old_size.size, np.int64)
        np.maximum.at(most, over.old, over.shared)
        return most

    def _began(self, new: int, kind: int) -> str:
        found = self.renaming
        if revived := int(found.revived[new]):
            return f"revived: {revived:,} of its objects had it"
        source = int(found.main_old[new])
        if kind == BORN or source < 0:
            return "new: all objects are new"
        name = self._name(int(found.old[source]))
        return f"new: split from {name}" if kind == SPLIT else f"new: most objects come from {name}"

    def _name(self, number: int) -> str:
        return shown_name(self.names[number])


def _at(values: Ints, place: Ints) -> Ints:
    """Values at these places, -1 for -1."""
    return np.append(values, -1)[place]


def _named(names: Column, numbers: Ints) -> list[Any]:
    """Names, None for -1."""
    if not len(names):
        return [None] * numbers.size
    found = names.take(np.maximum(numbers, 0)).tolist()
    return [name if own >= 0 else None for name, own in zip(found, numbers.tolist(), strict=True)]


def _sizes(sizes: Ints, place: Ints) -> list[int | None]:
    return [size if size >= 0 else None for size in _at(sizes, place).tolist()]


def _whole(values: list[int | None]) -> Any:
    """A column of pandas that has whole numbers and gaps."""
    import pandas as pd

    large = any(one is not None and abs(one) >= 2**63 for one in values)
    return pd.array(values, dtype="object" if large else "Int64")


def _cell(value: Any, is_name: bool) -> str:
    if value is None:
        return "—"
    return shown_name(value) if is_name or isinstance(value, str) else f"{value:,}"
