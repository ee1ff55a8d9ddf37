"""Drawing the records whose true clusters are to be found: a file to fill in, and to estimate from.

Records are drawn with replacement from the run, and each stands in the file with those that the run
has in the same cluster. Whoever fills it in names the true cluster of every record that was drawn,
gives the same name to its other members, and answers for each drawn record which others of its
entity are not listed: without these the run would look as if it had split nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.grouping import number
from clusterdiff.engines.label_checks import label_notes
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.engines.sql_objects import rows_in_order, rows_of_table
from clusterdiff.errors import ClusterdiffError, WriteError, shown, with_article
from clusterdiff.io import Workshop, side
from clusterdiff.io.arguments import settle_indexes
from clusterdiff.output import markup
from clusterdiff.output.result import frame_of
from clusterdiff.output.writing import write
from clusterdiff.sampling.estimators import ASKED, OTHERS

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.io.sides import GivenSide

# Which records to label: drawn with replacement, so that each draw has the same chances.


def places_drawn(population: int, records: int, seed: int) -> tuple[Ints, Ints]:
    """Places from 0 to `population` - 1, in their order, and how often each was drawn.

    >>> place, hits = places_drawn(10, 20, seed=1)
    >>> int(hits.sum()), bool((np.diff(place) > 0).all())
    (20, True)
    """
    drawn = np.random.default_rng(seed).integers(0, population, records)
    return np.unique(drawn, return_counts=True)


CANDIDATES = 100
"""Records of a cluster that are listed at most, besides those that were drawn."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Records that were drawn, with those that the run has in the same cluster."""

    rows: tuple[tuple[Any, int, Any], ...]
    """Id, how often it was drawn, and the cluster in the run."""
    hits: int
    """How many draws there were."""
    population: int
    """How many records were drawn from."""
    seed: int
    left_out: int
    """Records of large clusters that are not listed."""
    read: tuple[str, ...] = ()
    """How the run was read where that may not be what was meant."""

    def __repr__(self) -> str:
        drawn = sum(hits > 0 for _, hits, _ in self.rows)
        return (
            f"Drawn({self.hits:,} draws of {self.population:,} records: {drawn:,} different ones, "
            f"{len(self.rows) - drawn:,} others of their clusters)"
        )

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """A record for each line of the file: `truth` is to be filled in, and each question mark to
        be replaced by the ids of others of the entity that have no line, or by none.
        """
        return [
            {"id": id, "truth": None, OTHERS: ASKED if hits else None, "hits": hits, "run": cluster}
            for id, hits, cluster in self.rows
        ]

    def to_csv(self) -> str:
        """The file to fill in."""
        return markup.records_to_csv(self.records())

    def to_frame(self, library: str = "pandas") -> Any:
        """The file to fill in as a pandas, polars or pyarrow frame."""
        return frame_of(self.records(), library)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file to fill in; one that exists is left as it is."""
        refuse_existing(path)
        write(path, self.to_csv())


def draw(run: Any, records: int, *, seed: int = 0, candidates: int = CANDIDATES,
         engine: Any = None) -> Drawn:  # fmt: skip
    """Records of a run, drawn at random with replacement, whose true clusters are to be found.

    >>> draw({"a": 1, "b": 1, "c": 2}, 4, seed=1)
    Drawn(4 draws of 3 records: 2 different ones, 1 others of their clusters)

    The same seed draws the same records, whatever the order of the run. Each comes with the other
    records of its cluster, `candidates` of them at most; `write` makes the file to fill in, and
    `estimate(file, run, design="records")` reads it. The column `truth` names true clusters, and
    `others_of_this_entity_not_listed_here` asks, for each drawn record, for the ids of members that
    have no line.
    """
    with Workshop(engine) as shop:
        return draw_side(shop, side(shop, run, None), records, seed, candidates)


def draw_side(
    shop: Workshop, run: GivenSide, records: int, seed: int = 0, candidates: int = CANDIDATES
) -> Drawn:
    """Records of a run that is opened."""
    for name, value, least in (("records", records, 1), ("candidates", candidates, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ClusterdiffError(
                f"{name} must be a whole number from {least} on, got {shown(value)}.",
                f"write e.g. {name}=200.",
            )
    if isinstance(run, Table):
        try:
            return _from_table(run, records, seed, candidates)
        except NeedsMemory as unfit:
            run.session.refuse(unfit)
    whole = shop.loaded(run)
    if not isinstance(whole, Partition):
        raise ClusterdiffError(
            f"records are drawn from a partition, and the run is {with_article(whole.kind)} "
            "clustering.",
            "give a clustering in which each object is in one cluster.",
        )
    settle_indexes([whole])
    return _from_memory(whole, records, seed, candidates)


def _from_table(run: Table, records: int, seed: int, candidates: int) -> Drawn:
    every, notes = rows_of_table(run, nulls=True)
    place, hits = places_drawn(every, records, seed)
    found = rows_in_order(run, place.tolist(), candidates + 1, nulls=True)
    ids, clusters, places, sizes = (
        found.column(name).to_pylist() for name in ("id", "cluster", "place", "size")
    )
    made = _drawn(ids, clusters, places, sizes, place, hits, every, seed, candidates)
    return replace(made, read=(*run.notes, *notes))


def _from_memory(run: Partition, records: int, seed: int, candidates: int) -> Drawn:
    every = len(run)
    ids = list(range(every)) if run.ids is None else run.ids.tolist()
    order = np.array(sorted(range(every), key=lambda i: str(ids[i]).encode()), np.int64)
    place, hits = places_drawn(every, records, seed)
    code = number(run.labels.keys)[0][order]
    size = np.bincount(code)
    inside = np.flatnonzero(np.isin(code, np.unique(code[place])))
    clusters = run.labels.take(order[inside]).tolist()
    made = _drawn(
        [ids[i] for i in order[inside].tolist()], clusters, inside.tolist(),
        size[code[inside]].tolist(), place, hits, every, seed, candidates,
    )  # fmt: skip
    return replace(made, read=(*run.notes, *label_notes(run)))


def _drawn(
    ids: list[Any], clusters: list[Any], places: list[int], sizes: list[int], place: Ints,
    hits: Ints, every: int, seed: int, candidates: int,
) -> Drawn:  # fmt: skip
    """Clusters in the order of the first record of each that was drawn: in each the drawn ones
    first, then so many others.
    """
    drawn = dict(zip(place.tolist(), hits.tolist(), strict=True))
    groups: dict[Any, list[tuple[int, Any]]] = {}
    size: dict[Any, int] = {}
    for row in sorted(zip(places, ids, clusters, sizes, strict=True), key=lambda row: row[0]):
        key = ("alone", row[0]) if row[2] is None else ("cluster", row[2])
        groups.setdefault(key, []).append((row[0], row[1]))
        size[key] = row[3]
    rows, left_out = [], 0
    first = {key: min(at for at, _ in group if at in drawn) for key, group in groups.items()}
    for key in sorted(groups, key=lambda key: first[key]):
        group, called = groups[key], key[1] if key[0] == "cluster" else None
        own = [(id, drawn[at], called) for at, id in group if at in drawn]
        others = [(id, 0, called) for at, id in group if at not in drawn][:candidates]
        rows += own + others
        left_out += max(0, size[key] - len(own) - len(others))
    return Drawn(tuple(rows), int(hits.sum()), every, seed, left_out)


def refuse_existing(path: str | os.PathLike[str]) -> None:
    """Refuse to write over a file, in which there may be labels."""
    if os.path.lexists(path) and not os.fspath(path).startswith("/dev/"):
        raise WriteError(
            f"{os.fspath(path)} exists, and may have been filled in.", "write to another file."
        )
