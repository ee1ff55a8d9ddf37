"""From the cells of covers and uncertain clusterings to their meet.

An engine counts how many objects have each pair of descriptions: sets as sorted lists, degrees as
lists of (cluster, degree). Each pair then stands for its objects in the engine for arrays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import AnyClustering, Partition, column
from clusterdiff.engines import covers, soft
from clusterdiff.engines.arrays import Places
from clusterdiff.engines.columns import made_of_matrix, made_of_rows
from clusterdiff.engines.table import Unfit
from clusterdiff.errors import MemoryNeeded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.engines.cells import Cells, Side
    from clusterdiff.meet import CoverMeet, Policy, SoftMeet

    Ints = NDArray[np.int64]

PAIR = 400
"""Bytes for a pair of descriptions, from when it is fetched until the meet is made."""


def meet_of_pairs(cells: Cells, policy: Policy) -> CoverMeet | SoftMeet:
    """The meet of two tables of which at least one is no partition."""
    if cells.sampled:
        raise Unfit("samples of clusterings that are no partitions")
    session, objects = cells.session, cells.both + cells.only_truth + cells.only_guess
    if cells.number * PAIR > session.memory:
        raise MemoryNeeded.from_pairs(cells.number, objects, cells.number * PAIR, session.memory)
    table = session.fetch(
        f"SELECT id, t, g, n, n_truth, n_guess FROM {cells.name} ORDER BY id",
        f"fetching {cells.number:,} pairs of descriptions",
    )
    n, n_truth, n_guess = (
        np.asarray(table.column(name).to_numpy(), np.int64) for name in ("n", "n_truth", "n_guess")
    )
    parts = [n_truth + n_guess - n]
    if policy.align in ("singletons", "penalise"):
        parts += [n - n_guess, n - n_truth]
    pair = np.concatenate([np.flatnonzero(part) for part in parts])
    count = np.concatenate([part[part > 0] for part in parts])
    which = np.repeat(np.arange(len(parts)), [int((part > 0).sum()) for part in parts])
    truth: Any
    guess: Any
    truth, in_truth = _described(cells.truth, table, "t", pair, which != 2)
    guess, in_guess = _described(cells.guess, table, "g", pair, which != 1)
    where = Places(in_truth, in_guess, cells.only_truth, cells.only_guess, count)
    if cells.is_soft:
        made: Any = soft.rows_of_places(truth, guess, where, policy)[0]
    else:
        made = covers.rows_of_places(truth, guess, where, policy)[0]
    found: CoverMeet | SoftMeet = replace(
        made, alignment=replace(made.alignment, repeats=cells.repeats)
    )
    return found


def _described(
    side: Side, table: Any, name: str, pair: Ints, has: Any
) -> tuple[AnyClustering, Ints]:
    """What a side says of the pairs it has, each once, and where each pair stands in that."""
    mine = np.unique(pair[has])
    place = np.full(table.num_rows, -1)
    place[mine] = np.arange(mine.size)
    given = table.take(mine)
    made = _clustering(side, given.column(name).combine_chunks(), given.column("id"))
    return made, np.where(has, place[pair], -1)


def _clustering(side: Side, said: Any, ids: Any) -> AnyClustering:
    """A clustering of one object for each description, under the id of one that has it."""
    import pyarrow.compute as pc

    known, t = column(ids), side.table
    if t.says == "partition":
        return Partition(column(said, written=t.written), known)
    length = np.asarray(pc.list_value_length(said).fill_null(0))
    owner = np.repeat(np.arange(len(said)), length)
    flat = pc.list_flatten(said)
    if t.columns.wide:
        matrix = np.asarray(flat, np.float64).reshape(len(said), -1)
        return made_of_matrix(t.kind, t.shown, t.columns, known, None, list(matrix.T), t.rest)
    if t.columns.degree is not None:
        label, degree = flat.field(0), flat.field(1).to_numpy(zero_copy_only=False)
        label = column(label, written=t.written)
        return made_of_rows(t.kind, label, known.take(owner), None, degree, t.rest)
    empty = np.flatnonzero(length == 0)
    order = np.argsort(np.concatenate([owner, empty]), kind="stable")
    entry = np.concatenate([np.arange(owner.size), np.full(empty.size, -1)])[order]
    owner = np.concatenate([owner, empty])[order]
    label = flat.take(_index(entry))
    return made_of_rows(t.kind, column(label, written=t.written), known.take(owner), None, None)


def _index(entry: Ints) -> Any:
    """Positions for Arrow; -1 takes a null."""
    import pyarrow as pa

    return pa.array(entry, mask=entry < 0)
