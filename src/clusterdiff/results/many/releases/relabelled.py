"""A new run under the ids of the old one: what was kept, with reasons, and how it is written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.column import Column
from clusterdiff.errors import ClusterdiffError
from clusterdiff.results.describe import count
from clusterdiff.results.many.releases.id_table import IdTable
from clusterdiff.results.origins import said
from clusterdiff.results.render import markup
from clusterdiff.results.render.renderable import Block, Renderable, blocks_to_text
from clusterdiff.results.render.result import read_lines
from clusterdiff.results.render.table import percent
from clusterdiff.results.render.text import wrapped
from clusterdiff.results.render.writing import Place, placed

if TYPE_CHECKING:
    from clusterdiff.inputs.releases.protocol import Releases
    from clusterdiff.many.lives import Renaming


SHOWN = 10
"""Rows of the table that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Relabelled(Renderable):
    """A run under the ids of the one before: the clustering, and what became of each id."""

    _found: Renaming
    _names: Column
    _releases: Releases
    _before: Sequence[Any]
    """Ids that were retired before."""
    noise: int
    """Objects of the new run that are noise, and in no cluster."""

    @property
    def kept(self) -> int:
        """Objects that keep their id."""
        return self._found.kept

    @property
    def shared(self) -> int:
        """Objects that had an id and are in the new run."""
        return self._found.shared

    @property
    def share(self) -> float:
        """Share of the shared objects that keep their id; no renaming keeps more."""
        return self.kept / self.shared if self.shared else 1.0

    @property
    def weighted_share(self) -> float | None:
        """The same by weight, where objects have one."""
        weight = self._found.overlaps.weight
        if weight is None:
            return None
        total = int(weight.sum())
        return int(weight[self._found.kept_rows].sum()) / total if total else 1.0

    @cached_property
    def clustering(self) -> Any:
        """The new run under its ids: a Partition; of Spark frames, a frame."""
        return self._releases.renamed(self._new, self._ids)

    @cached_property
    def table(self) -> IdTable:
        """A row for each old id, and for each new cluster without one, with the reason."""
        return IdTable(self._found, self._names, self._releases.labels(self._new))

    @cached_property
    def redirects(self) -> dict[Any, Any]:
        """For each id that ends here, the id that most of its objects have now; None where all of
        them are gone.
        """
        ended = np.flatnonzero(self._found.kept_by < 0)
        target = self._found.main_new[ended]
        ids = np.append(self._found.given, -1)[target]
        names = self._names.take(np.maximum(ids, 0)).tolist() if ids.size else []
        now = [name if own >= 0 else None for name, own in zip(names, ids.tolist(), strict=True)]
        return dict(zip(self._names.take(self._found.old[ended]).tolist(), now, strict=True))

    @cached_property
    def retired(self) -> list[Any]:
        """All ids that must not be used again: those given, and those that end here."""
        again = set(self._names.take(self._found.given[self._found.revived > 0]).tolist())
        every = dict.fromkeys([*self._before, *self.redirects])
        return [one for one in every if one not in again]

    @cached_property
    def ids(self) -> dict[str, int]:
        """How many ids were kept, retired, revived, and are new."""
        kept = int((self._found.taken >= 0).sum())
        revived = int((self._found.revived > 0).sum())
        fresh = self._found.taken.size - kept - revived
        retired = self._found.old.size - kept
        return {"kept": kept, "retired": retired, "revived": revived, "new": fresh}

    @property
    def events(self) -> dict[str, int]:
        """How many events of each kind there are."""
        return self._found.events.counts

    @property
    def _new(self) -> int:
        return len(self._releases.names) - 1

    @property
    def _ids(self) -> Column:
        return self._names.take(self._found.given)

    @property
    def read(self) -> tuple[str, ...]:
        """How runs were read where that may not be what was meant."""
        return said(self._releases.notes)

    def __repr__(self) -> str:
        return f"Relabelled({self.sentence()})"

    def sentence(self) -> str:
        """How many objects and ids were kept."""
        kept, *rest = self.ids.items()
        told = [count(kept[1], "id") + " kept"]
        told += [f"{n:,} {what}" for what, n in rest if n or what != "revived"]
        keep = "keeps its" if self.shared == 1 else "keep their"
        objects = f"{self.kept:,} of {count(self.shared, 'object')}"
        return f"{objects} {keep} id ({percent(self.share)}): {', '.join(told)}"

    def notes(self) -> list[str]:
        """What else to know."""
        told = []
        if (heavy := self.weighted_share) is not None:
            told.append(f"By weight, {percent(heavy)} keep their id.")
        if self.noise:
            told.append(f"{count(self.noise, 'object')} of the new run: noise, in no cluster.")
        return told

    def to_text(self, width: int | None = None, top: int | None = SHOWN) -> str:
        """The result for a terminal of this width: the rows of the table to act on."""
        columns = width or shutil.get_terminal_size().columns
        return blocks_to_text(self.blocks(columns, top), columns)

    def blocks(self, width: int, top: int | None = SHOWN) -> Iterator[Block]:
        """What was kept, the rows of the table to act on, and what else to know."""
        yield "\n".join([wrapped(self.sentence(), width), *read_lines(self.read, width)])
        table = self.table.cells(top)
        if table.rows:
            yield table
        yield from (wrapped(note, width) for note in self._limits(len(table.rows)))

    def _limits(self, shown: int) -> list[str]:
        same = self.events["same"]
        more = len(self.table) - same - shown
        told = [f"{count(same, 'cluster')} with the same objects."] if same else []
        told += [f"{count(more, 'more row')} not shown."] if more else []
        return ([" ".join(told)] if told else []) + self.notes()

    def to_markdown(self, top: int | None = SHOWN) -> str:
        """The same as a Markdown table."""
        table = self.table.cells(top)
        body = [markup.to_markdown(table)] if table.rows else []
        notes = [markup.in_markdown(note) for note in self._limits(len(table.rows))]
        return "\n\n".join([markup.in_markdown(self.sentence()), *body, *notes])

    def to_csv(self, top: int | None = None) -> str:
        """The table of ids."""
        return self.table.to_csv()

    def to_dict(self) -> dict[str, Any]:
        """Everything, with stable keys."""
        return {
            "kept": self.kept,
            "shared": self.shared,
            "share": self.share,
            "weighted_share": self.weighted_share,
            "ids": self.ids,
            "events": self.events,
            "noise": self.noise,
            "redirects": [{"old": old, "id": id} for old, id in self.redirects.items()],
            "retired": self.retired,
            "table": self.table.records(),
            **({"notes": list(self.read)} if self.read else {}),
        }

    def to_json(self, indent: int | None = 2, top: int | None = None) -> str:
        """Everything, as JSON."""
        return markup.document("relabel/1", self.to_dict(), indent)

    def to_frame(self, library: str = "pandas") -> Any:
        """The table of ids as a pandas, polars or pyarrow frame."""
        return self.table.to_frame(library)

    def redirects_to_csv(self) -> str:
        """A line for each id that ends here: old, id."""
        if not self.redirects:
            return "old,id\n"
        return markup.records_to_csv(
            [{"old": old, "id": now} for old, now in self.redirects.items()]
        )

    def write(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write the new run under its ids, as CSV or Parquet by the ending of the name."""
        with placed(path, inputs, check_ending(path)) as beside:
            self._releases.write(self._new, self._ids, beside)


def check_ending(path: Place) -> str:
    """The ending of a file for a clustering; others are refused."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if not ending and os.fspath(path).startswith("/dev/"):
        return ".csv"
    if ending not in (".csv", ".tsv", ".parquet", ".pq"):
        raise ClusterdiffError(
            f"a clustering cannot be written as {os.fspath(path)}.",
            "name the file .csv, .tsv or .parquet.",
        )
    return ending
