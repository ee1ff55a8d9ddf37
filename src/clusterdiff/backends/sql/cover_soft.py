"""From the cells of covers and uncertain clusterings to their meet.

An engine counts how many objects have each pair of descriptions: sets as sorted lists, degrees as
lists of (cluster, degree). Each pair then stands for its objects in the engine for arrays.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.alignment import AlignmentPlan, Fate
from clusterdiff.backends.columns.find import made_of_matrix, made_of_rows
from clusterdiff.backends.memory.cover import cover_rows_of_places
from clusterdiff.backends.memory.hard import Positions
from clusterdiff.backends.memory.soft import soft_rows_of_places
from clusterdiff.backends.samples import listed_of
from clusterdiff.backends.sql.join import JoinedCells, JoinSide, sample_order
from clusterdiff.clusterings import AnyClustering, Column, Partition, column
from clusterdiff.errors import AllNoise, ClusterdiffError, MemoryNeeded
from clusterdiff.meet import CoverMeet, Listed, SoftMeet

PAIR = 400
"""Bytes for a pair of descriptions, from when it is fetched until the meet is made."""


def meet_of_pairs(cells: JoinedCells, plan: AlignmentPlan) -> CoverMeet | SoftMeet | Listed:
    """The meet of two tables of which at least one is no partition; with samples, the meet of
    each.
    """
    session, objects = cells.session, cells.both + cells.only_truth + cells.only_guess
    if cells.number * PAIR > session.memory:
        raise MemoryNeeded.from_pairs(cells.number, objects, cells.number * PAIR, session.memory)
    s = "s, " if cells.sampled else ""
    table = session.fetch(
        f"SELECT {s}id, t, g, n, n_truth, n_guess FROM {cells.name} ORDER BY {s}id",
        f"fetching {cells.number:,} pairs of descriptions",
    )
    if not cells.sampled:
        found: CoverMeet | SoftMeet = _with_repeats(_meet(cells, table, plan), cells.repeats)
        return found
    names = sample_order(cells, table.column("s").type)
    code = np.asarray(table.column("s").dictionary_encode().combine_chunks().indices)
    edges = np.append(np.flatnonzero(np.diff(code, prepend=-1)), code.size)
    meets = {}
    for begin, end in pairwise(edges.tolist()):
        name = table.column("s")[begin].as_py()
        try:
            meets[name] = _meet_or_nothing(cells, table.slice(begin, end - begin), plan)
        except ClusterdiffError as error:
            raise error.within(f"sample {name}") from None
    listed = listed_of([(name, meets[name]) for name in names])
    return replace(listed, pooled=_with_repeats(listed.pooled, cells.repeats))


def _meet_or_nothing(cells: JoinedCells, table: Any, plan: AlignmentPlan) -> Any:
    """The meet of the pairs of a sample; where the plan leaves no object, how the objects were
    matched.
    """
    n, n_truth, n_guess = (_total(table, name) for name in ("n", "n_truth", "n_guess"))
    both = n_truth + n_guess - n
    alone = plan.alignment(n - n_guess, n - n_truth)
    if plan.lacked is Fate.DROPPED and not both:
        return alone
    try:
        return _meet(cells, table, plan)
    except AllNoise:
        return replace(alone, noise=n if plan.one_sided else both)


def _total(table: Any, name: str) -> int:
    """What a column adds up to."""
    return int(table.column(name).to_numpy().sum())


def _with_repeats(meet: Any, repeats: int) -> Any:
    """The meet, with how many rows of the tables said the same again."""
    return replace(meet, alignment=replace(meet.alignment, repeats=repeats))


def _meet(cells: JoinedCells, table: Any, plan: AlignmentPlan) -> Any:
    """The meet of pairs of descriptions."""
    n, n_truth, n_guess = (
        np.asarray(table.column(name).to_numpy(), np.int64) for name in ("n", "n_truth", "n_guess")
    )
    parts = [n_truth + n_guess - n]
    if plan.one_sided:
        parts += [n - n_guess, n - n_truth]
    pair = np.concatenate([np.flatnonzero(part) for part in parts])
    count = np.concatenate([part[part > 0] for part in parts])
    which = np.repeat(np.arange(len(parts)), [int((part > 0).sum()) for part in parts])
    truth: Any
    guess: Any
    truth, in_truth = _described(cells.truth, table, "t", n_truth > 0)
    guess, in_guess = _described(cells.guess, table, "g", n_guess > 0)
    in_truth, in_guess = (
        np.where(which != 2, in_truth[pair], -1),
        np.where(which != 1, in_guess[pair], -1),
    )
    only = int((n - n_guess).sum()), int((n - n_truth).sum())
    where = Positions(in_truth, in_guess, *only, count)
    meet_of: Any = soft_rows_of_places if cells.is_soft else cover_rows_of_places
    return meet_of(truth, guess, where, plan)[0]


def _described(side: JoinSide, table: Any, name: str, has: Any) -> tuple[AnyClustering, Ints]:
    """What a side says of the pairs that it has, and where each pair stands in that."""
    mine = np.flatnonzero(has)
    place = np.full(table.num_rows, -1)
    place[mine] = np.arange(mine.size)
    given = table.take(mine)
    return _clustering(side, given.column(name).combine_chunks(), given.column("id")), place


def _clustering(side: JoinSide, said: Any, ids: Any) -> AnyClustering:
    """A clustering of one object for each description, under the id of one that has it."""
    import pyarrow.compute as pc

    known, t = column(ids), side.table
    if t.says == "partition":
        return Partition(_labels(said, t.written), known)
    length = np.asarray(pc.list_value_length(said).fill_null(0))
    owner = np.repeat(np.arange(len(said)), length)
    flat = pc.list_flatten(said)
    if t.columns.wide:
        matrix = np.asarray(flat, np.float64).reshape(len(said), -1)
        return made_of_matrix(t.kind, t.shown, t.columns, known, None, list(matrix.T), t.rest)
    if t.columns.degree is not None:
        label, degree = flat.field(0), flat.field(1).to_numpy(zero_copy_only=False)
        label = _labels(label, t.written)
        return made_of_rows(t.kind, label, known.take(owner), None, degree, t.rest)
    empty = np.flatnonzero(length == 0)
    order = np.argsort(np.concatenate([owner, empty]), kind="stable")
    entry = np.concatenate([np.arange(owner.size), np.full(empty.size, -1)])[order]
    owner = np.concatenate([owner, empty])[order]
    label = _labels(flat.take(_index(entry)), t.written)
    return made_of_rows(t.kind, label, known.take(owner), None, None)


def _labels(values: Any, written: bool) -> Column:
    """Labels as files have them: whole numbers if all that was written are."""
    import pyarrow as pa

    if written and len(values) and not values.null_count:
        try:
            numbers = values.cast(pa.int64())
        except pa.ArrowInvalid:
            return column(values, written=True)
        if numbers.cast(values.type).equals(values):
            return column(numbers, written=True)
    return column(values, written=written)


def _index(entry: Ints) -> Any:
    """Positions for Arrow; -1 takes a null."""
    import pyarrow as pa

    return pa.array(entry, mask=entry < 0)
