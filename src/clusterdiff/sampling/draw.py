"""Drawing records whose true clusters are to be found: a file to fill in, and to estimate from.

Records are drawn with replacement from the run, and each is listed in the file with the records
that the run has in the same cluster. Whoever fills it in names the true cluster of every record
that was drawn, gives the same name to its other members, and answers for each drawn record which
members are not listed: without these the run would look as if it had split nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.grouping import number
from clusterdiff.engines.columns import CLUSTERS, IDS
from clusterdiff.engines.label_checks import label_notes
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.engines.sql_objects import rows_in_order, rows_of_table
from clusterdiff.errors import ClusterdiffError, WriteError, shown
from clusterdiff.io import EngineSessions, side
from clusterdiff.io.arguments import settle_indexes
from clusterdiff.io.runs import check_not_counted
from clusterdiff.io.sides import DEFAULT, RecordOptions, records_of
from clusterdiff.output import markup
from clusterdiff.output.result import frame_of
from clusterdiff.output.writing import write
from clusterdiff.sampling.sample import ASKED, OTHERS, as_partition

if TYPE_CHECKING:
    from clusterdiff.io.sides import GivenSide

CANDIDATES = 100
"""Largest number of records listed from a cluster, besides those that were drawn."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Records that were drawn, with those that the run has in the same cluster."""

    rows: tuple[tuple[Any, int, Any], ...]
    """Id, number of draws, and cluster in the run."""
    hits: int
    """Number of draws."""
    population: int
    """Number of records they were drawn from."""
    seed: int
    left_out: int
    """Number of records in large clusters that are not listed."""
    read: tuple[str, ...] = ()
    """Notes on how the run was read where the user may have meant something else."""
    columns: tuple[str, ...] = ()
    """What else is known of the records, by name."""
    attributes: Sequence[tuple[Any, ...]] = ()
    """These values of each record."""

    def __repr__(self) -> str:
        drawn = sum(hits > 0 for _, hits, _ in self.rows)
        return (
            f"Drawn({self.hits:,} draws of {self.population:,} records: {drawn:,} different ones, "
            f"{len(self.rows) - drawn:,} others of their clusters)"
        )

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """The lines of the file: `truth` is to be filled in, and each question mark to be replaced
        by the ids of members without a line, or by none.
        """
        return [
            {"id": id, "truth": None, OTHERS: ASKED if hits else None, "hits": hits, "run": cluster}
            | dict(zip(self.columns, own, strict=True))
            for (id, hits, cluster), own in zip(
                self.rows, self.attributes or repeat((), len(self.rows)), strict=True
            )
        ]

    def to_csv(self) -> str:
        """The file to fill in."""
        return markup.records_to_csv(self.records())

    def to_frame(self, library: str = "pandas") -> Any:
        """The file to fill in as a pandas, polars or pyarrow frame."""
        return frame_of(self.records(), library)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file to fill in; an existing file is not overwritten."""
        check_existing(path)
        write(path, self.to_csv())


def draw(run: Any, records: int, *, seed: int = 0, candidates: int = CANDIDATES,
         engine: Any = None, table: Any = None,
         show: str | Sequence[str] | None = None) -> Drawn:  # fmt: skip
    """Draw a random sample of records, with replacement, whose true clusters are to be labelled.

    >>> draw({"a": 1, "b": 1, "c": 2}, 4, seed=1)
    Drawn(4 draws of 3 records: 2 different ones, 1 others of their clusters)

    The same seed draws the same records, whatever the order of the run. Each is listed with the
    other records of its cluster, at most `candidates` of them; `write` makes the file to fill in,
    and `estimate(file, run, design="records")` reads it. The column `truth` is for the names of
    true clusters, and `others_of_this_entity_not_listed_here` asks, for each drawn record, for the
    ids of members without a line. Behind them stand the other columns of the run, or those of
    `table`, a frame or a file with a row for each id; `show` names the columns, the first eight
    where it is left out.
    """
    shown = RecordOptions(table, show)
    with EngineSessions(engine) as sessions:
        return draw_side(sessions, side(sessions, run, None), records, seed, candidates, shown)


def draw_side(
    sessions: EngineSessions,
    run: GivenSide,
    records: int,
    seed: int = 0,
    candidates: int = CANDIDATES,
    shown: RecordOptions = DEFAULT,
) -> Drawn:
    """Records of a run that is opened, with what else is known of them."""
    check_not_counted([run], "each record is drawn with the same chance")
    drawn = _drawn(sessions, run, records, seed, candidates)
    if (known := records_of([run], shown)) is None:
        return drawn
    # No name is taken for that of ids or clusters when the file is read again.
    taken = [*drawn.records()[0], *IDS.all, *CLUSTERS.all] if drawn.rows else []
    names = known.names_beside(taken)
    return replace(drawn, columns=tuple(names), attributes=known.of([id for id, *_ in drawn.rows]))


def _drawn(
    sessions: EngineSessions, run: GivenSide, records: int, seed: int, candidates: int
) -> Drawn:
    for name, value, least in (("records", records, 1), ("candidates", candidates, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ClusterdiffError(
                f"{name} must be a whole number from {least} on, got {shown(value)}.",
                f"write e.g. {name}=200.",
            )
    if isinstance(run, Table):
        try:
            population, notes = rows_of_table(run, nulls=True)
            hits = draw_places(population, records, seed)
            found = rows_in_order(run, list(hits), candidates + 1, nulls=True)
            names = ("place", "id", "cluster", "size")
            rows = zip(*(found.column(name).to_pylist() for name in names), strict=True)
            listed, left_out = _listed(rows, hits, candidates)
            return Drawn(listed, records, population, seed, left_out, (*run.notes, *notes))
        except NeedsMemory as unfit:
            run.session.refuse(unfit)
    whole = as_partition(sessions.loaded(run), "records are drawn from a partition, and the run")
    settle_indexes([whole])
    population = len(whole)
    ids = list(range(population)) if whole.ids is None else whole.ids.tolist()
    order = np.array(sorted(range(population), key=lambda i: str(ids[i]).encode()), np.int64)
    hits = draw_places(population, records, seed)
    code = number(whole.labels.keys)[0][order]
    near = np.flatnonzero(np.isin(code, np.unique(code[list(hits)])))
    columns = (
        near.tolist(), (ids[i] for i in order[near].tolist()),
        whole.labels.take(order[near]).tolist(), np.bincount(code)[code[near]].tolist(),
    )  # fmt: skip
    listed, left_out = _listed(zip(*columns, strict=True), hits, candidates)
    notes = (*whole.notes, *label_notes(whole))
    return Drawn(listed, records, population, seed, left_out, notes)


def draw_places(population: int, records: int, seed: int) -> dict[int, int]:
    """Places from 0 to `population` - 1, in ascending order, and how often each was drawn.

    >>> draw_places(10, 5, seed=1)
    {0: 1, 4: 1, 5: 1, 7: 1, 9: 1}
    """
    drawn = np.random.default_rng(seed).integers(0, population, records)
    places, hits = np.unique(drawn, return_counts=True)
    return dict(zip(places.tolist(), hits.tolist(), strict=True))


def _listed(
    rows: Iterable[tuple[int, Any, Any, int]], hits: Mapping[int, int], candidates: int
) -> tuple[tuple[tuple[Any, int, Any], ...], int]:
    """The records to list, from (place, id, cluster, size of the cluster), and the number of those
    that are not listed. Clusters are in the order of their first drawn record, and drawn records
    come first.
    """
    groups: dict[Any, list[tuple[int, Any, Any, int]]] = {}
    for row in sorted(rows, key=lambda row: row[0]):
        key = ("alone", row[0]) if row[2] is None else ("cluster", row[2])
        groups.setdefault(key, []).append(row)
    listed: list[tuple[Any, int, Any]] = []
    left_out = 0
    by_first_hit = sorted(
        groups.values(), key=lambda group: min(r[0] for r in group if r[0] in hits)
    )
    for group in by_first_hit:
        drawn = [row for row in group if row[0] in hits]
        others = [row for row in group if row[0] not in hits][:candidates]
        listed += [(id, hits.get(place, 0), label) for place, id, label, _ in (*drawn, *others)]
        left_out += max(0, group[0][3] - len(drawn) - len(others))
    return tuple(listed), left_out


def check_existing(path: str | os.PathLike[str]) -> None:
    """Refuse to overwrite a file, which may have labels."""
    if os.path.lexists(path) and not os.fspath(path).startswith("/dev/"):
        raise WriteError(
            f"{os.fspath(path)} exists, and may have been filled in.", "write to another file."
        )
