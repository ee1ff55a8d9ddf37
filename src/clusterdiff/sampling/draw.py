"""Drawing records whose true clusters are to be found: a file to fill in, and to estimate from.

Records are drawn with replacement from the run, and each is listed in the file with the records
that the run has in the same cluster. Whoever fills it in names the true cluster of every record
that was drawn, gives the same name to its other members, and answers for each drawn record which
members are not listed: without these the run would look as if it had split nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.columns import column
from clusterdiff.clusterings.grouping import number
from clusterdiff.engines.columns import CLUSTERS, IDS
from clusterdiff.engines.label_checks import label_notes
from clusterdiff.engines.memory import match_ids
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.engines.sql_objects import clusters_of_ids, rows_in_order, rows_of_table
from clusterdiff.errors import AlignmentError, ClusterdiffError, WriteError, shown
from clusterdiff.io import EngineSessions, side
from clusterdiff.io.arguments import column_of, counted_sides, settle_indexes
from clusterdiff.io.pair_lookup import PairLookup
from clusterdiff.io.scored import strangers
from clusterdiff.io.sides import DEFAULT, PairOptions, RecordOptions, records_of
from clusterdiff.output import markup
from clusterdiff.output.result import frame_of
from clusterdiff.output.writing import write
from clusterdiff.sampling.sample import ASKED, OTHERS, as_partition

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.io.sides import GivenSide

CANDIDATES = 100
"""Largest number of records listed from a cluster, besides those that were drawn."""
ELSEWHERE = 10
"""Largest number of records of other clusters listed for a drawn record, where pairs are scored."""


class BestPair(NamedTuple):
    """The best-scoring pair of a record with one that was drawn."""

    score: float
    drawn: Any
    """The record that was drawn."""


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
    pairs: Mapping[Any, BestPair] | None = None
    """The best pair of each record that was not drawn, where scored pairs were given."""

    def __repr__(self) -> str:
        drawn = sum(hits > 0 for _, hits, _ in self.rows)
        return (
            f"Drawn({self.hits:,} draws of {self.population:,} records: {drawn:,} different ones, "
            f"{len(self.rows) - drawn:,} others{' of their clusters' * (self.pairs is None)})"
        )

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """The lines of the file: `truth` is to be filled in, and each question mark to be replaced
        by the ids of members without a line, or by none.
        """
        return [
            {"id": id, "truth": None, OTHERS: ASKED if hits else None, "hits": hits, "run": cluster}
            | self._paired(id)
            | dict(zip(self.columns, own, strict=True))
            for (id, hits, cluster), own in zip(
                self.rows, self.attributes or repeat((), len(self.rows)), strict=True
            )
        ]

    def _paired(self, id: Any) -> dict[str, Any]:
        """The columns of pairs, if there are any."""
        if self.pairs is None:
            return {}
        score, drawn = self.pairs.get(id, (None, None))
        return {"pair_score": score, "paired_with": drawn}

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
         engine: Any = None, table: Any = None, count: Any = None,
         show: str | Sequence[str] | None = None, pairs: Any = None) -> Drawn:  # fmt: skip
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

    Members that the run has missed are in other clusters. With `pairs`, the scored pairs that the
    run was made of, the records that pair best with a drawn one and are in another cluster are
    listed too, ten for each, below those of its own cluster. The columns `pair_score` and
    `paired_with` have the best pair of each listed record with a drawn one.

    `count` says how many records each one stands for, as in `compare`: the chance to be drawn is by
    count then, and `estimate` takes the same counts.
    """
    shown, scored = RecordOptions(table, show), PairOptions.of(pairs, None, engine)
    with EngineSessions(engine) as sessions:
        own = side(sessions, run, None, count=column_of(count))
        [own] = counted_sides(sessions, [own], count)
        return draw_side(sessions, own, records, seed, candidates, shown, scored)


def draw_side(
    sessions: EngineSessions,
    run: GivenSide,
    records: int,
    seed: int = 0,
    candidates: int = CANDIDATES,
    shown: RecordOptions = DEFAULT,
    scored: PairOptions | None = None,
) -> Drawn:
    """Records of a run that is opened, with what else is known of them."""
    [run] = sessions.placed([run])
    drawn = _drawn(sessions, run, records, seed, candidates)
    if scored is not None:
        drawn = _with_pairs(sessions, run, drawn, scored.opened(), min(candidates, ELSEWHERE))
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
            sessions.refuse(unfit, run)
    whole = as_partition(sessions.loaded(run), "records are drawn from a partition, and the run")
    settle_indexes([whole])
    population = len(whole)
    ids = list(range(population)) if whole.ids is None else whole.ids.tolist()
    order = np.array(sorted(range(population), key=lambda i: str(ids[i]).encode()), np.int64)
    notes = (*whole.notes, *label_notes(whole))
    if whole.counts is None:
        hits = draw_places(population, records, seed)
    else:
        hits, population = _draw_counted(whole.counts[order], records, seed)
        notes += (f"records are drawn by their counts ({whole.counted})",)
    code = number(whole.labels.keys)[0][order]
    near = np.flatnonzero(np.isin(code, np.unique(code[list(hits)])))
    columns = (
        near.tolist(), (ids[i] for i in order[near].tolist()),
        whole.labels.take(order[near]).tolist(), np.bincount(code)[code[near]].tolist(),
    )  # fmt: skip
    listed, left_out = _listed(zip(*columns, strict=True), hits, candidates)
    return Drawn(listed, records, population, seed, left_out, notes)


def _with_pairs(
    sessions: EngineSessions, run: GivenSide, drawn: Drawn, pairs: PairLookup, most: int
) -> Drawn:
    """The same with the best pair of each listed record, and below the records of a cluster those
    of other clusters that pair best with its drawn ones, up to so many for each of these.
    """
    ids = [id for id, hits, _ in drawn.rows if hits]
    others, found = pairs.beside(ids)
    clusters = _clusters_of(sessions, run, others)
    if not clusters and not _clusters_of(sessions, run, some := pairs.some_ids()):
        raise strangers([id for id, *_ in drawn.rows], some)
    listed = {str(id): id for id, *_ in drawn.rows}
    run_of = {id: None if own is None else str(own) for id, hits, own in drawn.rows if hits}
    every = [*ids, *(listed.get(str(id), id) for id in others)]
    best: dict[Any, BestPair] = {}
    chosen: dict[Any, Any] = {}
    many: Counter[Any] = Counter()
    for left, right, score in zip(*(own.tolist() for own in found), strict=True):
        for one, other in ((every[left], every[right]), (every[right], every[left])):
            if one not in run_of or other in run_of or str(other) not in clusters:
                continue
            best.setdefault(other, BestPair(score, one))  # the strongest pairs come first
            apart = str(other) not in listed and str(clusters[str(other)]) != run_of[one]
            if apart and many[one] < most:
                many[one] += 1
                chosen[other] = best[other].drawn
    below: dict[Any, list[Any]] = {}
    for id, one in chosen.items():
        below.setdefault(one, []).append(id)
    rows: list[tuple[Any, int, Any]] = []
    for _, group in groupby(
        drawn.rows, key=lambda row: (row[2], row[0] if row[2] is None else None)
    ):
        own = list(group)
        near = [id for one, *_ in own for id in below.get(one, ())]
        near.sort(key=lambda id: best[id].score, reverse=not pairs.distance)
        rows += [*own, *((id, 0, clusters[str(id)]) for id in near)]
    return replace(drawn, rows=tuple(rows), pairs=best)


def _clusters_of(sessions: EngineSessions, run: GivenSide, ids: Sequence[Any]) -> dict[str, Any]:
    """The cluster of each record of these ids that the run has, by the id as text."""
    if not ids:
        return {}
    if isinstance(run, Table) and run.columns.id is not None:
        return clusters_of_ids(run, ids)
    whole = as_partition(sessions.loaded(run), "records are drawn from a partition, and the run")
    own = column(range(len(whole))) if whole.ids is None else whole.ids
    try:
        matched = match_ids(column(list(ids), written=True), own)
    except AlignmentError:
        return {}
    at = np.arange(len(own)) if matched.guess is None else matched.guess
    pairs = zip(own.take(at).tolist(), whole.labels.take(at).tolist(), strict=True)
    return {str(id): cluster for id, cluster in pairs}


def draw_places(population: int, records: int, seed: int) -> dict[int, int]:
    """Places from 0 to `population` - 1, in ascending order, and how often each was drawn.

    >>> draw_places(10, 5, seed=1)
    {0: 1, 4: 1, 5: 1, 7: 1, 9: 1}
    """
    drawn = np.random.default_rng(seed).integers(0, population, records)
    places, hits = np.unique(drawn, return_counts=True)
    return dict(zip(places.tolist(), hits.tolist(), strict=True))


def _draw_counted(count: Ints, records: int, seed: int) -> tuple[dict[int, int], int]:
    """The same where each place stands for so many, and how many there are in all."""
    ends = np.cumsum(count)
    hits: Counter[int] = Counter()
    for copy, times in draw_places(int(ends[-1]), records, seed).items():
        hits[int(np.searchsorted(ends, copy, side="right"))] += times
    return hits, int(ends[-1])


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
