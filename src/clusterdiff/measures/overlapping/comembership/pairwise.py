"""The objects around each object, visited one by one: compiled, in threads, row by row.

For each row asked, the rows of its clusters are entered in a small table that is cleared again, so
memory grows with the rows, never with their pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.compiled import compiled
from clusterdiff.measures.core.threads import in_threads
from clusterdiff.measures.overlapping.comembership.accumulators import (
    WIDE,
    CoMemberCounts,
    bits_for,
    clear,
    count,
    credit,
    hashed,
    matched,
    pair,
    room_for_cells,
    settle,
    table_size,
)

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools, Ints
    from clusterdiff.measures.overlapping.comembership.plan import Alike
    from clusterdiff.meet import CoverMeet, CoverSide


def visits(m: CoverMeet) -> Ints:
    """How many rows must be visited for each row, those in several of its clusters each time."""
    return _visits(m.guess) + _visits(m.truth)


def _visits(side: CoverSide) -> Ints:
    entries = side.each
    rows = np.bincount(entries.member, minlength=side.clusters)
    sums = np.concatenate([[0], np.cumsum(rows[entries.member])])
    return np.asarray(sums[entries.start[1:]] - sums[entries.start[:-1]])


def visit(m: CoverMeet, asked: Ints, others: Bools, how: Alike, found: CoMemberCounts) -> None:
    """Visit the rows around those asked; what is found counts for `others` that are met too."""
    cost = visits(m)
    slots = table_size(min(int(cost[asked].max(initial=1)), m.rows))
    fixed = (
        m.guess.each.start, m.guess.each.member, *_rows_of(m.guess),
        m.truth.each.start, m.truth.each.member, *_rows_of(m.truth),
        m.both, cost, others, *how.best, float(how.unit), *how.table, found.sums, found.around,
    )  # fmt: skip

    def scratch() -> tuple[Any, CoMemberCounts]:
        seen = np.zeros((slots, 6), np.int64)
        seen[:, 0] = -1
        used, shared = np.zeros(slots, np.int64), np.zeros((3, max(m.widest)), np.int64)
        mine = CoMemberCounts.nothing(others.size, max(m.widest))
        return (seen, used, shared, room_for_cells(m.widest)), mine

    rooms = in_threads(
        lambda begin, end, room: _around(asked[begin:end], *fixed, *room[0], *room[1]),
        cost[asked],
        scratch,
        "visiting the objects around each object",
    )
    for _, more in rooms:
        found.add(more)


def _rows_of(side: CoverSide) -> tuple[Ints, Ints]:
    """The rows of each cluster, one after the other, each with its objects."""
    start, rows = side.rows_of_clusters
    return start, np.stack([rows, side.both[rows]], axis=1)


@compiled(inline="always")
def _enter(  # type: ignore[no-untyped-def]  # pragma: no cover
    p, start, member, rows_start, rows, best, place, seen, used, many, shift, mask
):
    """Enter the rows of a row's clusters on one side in the table of those seen: how many clusters
    they share, and how alike these are; gives how many rows there are.
    """
    for e in range(start[p], start[p + 1]):
        c = member[e]
        like = best[c] if best.size else 0
        for k in range(rows_start[c], rows_start[c + 1]):
            row = rows[k, 0]
            slot = hashed(row, shift)
            while seen[slot, 0] != row:
                if seen[slot, 0] < 0:
                    seen[slot, 0], seen[slot, 1] = row, rows[k, 1]
                    used[many] = slot
                    many += 1
                else:
                    slot = (slot + 1) & mask
            seen[slot, place] += 1
            seen[slot, place + 2] += like
    return many


@compiled
def _around(  # type: ignore[no-untyped-def]  # pragma: no cover
    asked,
    g_start, g_member, g_rows_start, g_rows,
    t_start, t_member, t_rows_start, t_rows,
    weight, visits, others, g_best, t_best, unit,
    table_start, table_truth, table_precise, table_recalled, sums, around,
    seen, used, shared, cells, other_sums, other_around, pairs,
):  # fmt: skip
    by_pair = table_start.size > 0
    for p in asked:
        guesses, truths = g_start[p + 1] - g_start[p], t_start[p + 1] - t_start[p]
        bits = bits_for(visits[p], used.size)
        shift, mask = np.uint64(64 - bits), (1 << bits) - 1
        many = _enter(
            p, g_start, g_member, g_rows_start, g_rows, g_best, 2, seen, used, 0, shift, mask
        )
        many = _enter(
            p, t_start, t_member, t_rows_start, t_rows, t_best, 3, seen, used, many, shift, mask
        )
        wide = guesses > WIDE or truths > WIDE
        tabled = not wide and (guesses + 1) * (truths + 1) <= max(64, visits[p])
        if tabled:
            clear(cells, guesses, truths)
        for i in range(many):
            slot = used[i]
            q, w, g, t = seen[slot, 0], seen[slot, 1], seen[slot, 2], seen[slot, 3]
            likeness, reverse = seen[slot, 4], seen[slot, 5]
            seen[slot, 0] = -1
            seen[slot, 2] = seen[slot, 3] = seen[slot, 4] = seen[slot, 5] = 0
            if by_pair and g > 0 and t > 0:
                likeness, reverse = matched(
                    _shared(g_start, g_member, p, q, shared[0]),
                    _shared(t_start, t_member, p, q, shared[1]),
                    table_start, table_truth, table_precise, table_recalled, shared[2],
                )  # fmt: skip
            if tabled:
                count(cells, g, t, w, likeness, reverse)
            else:
                credit(sums, around, p, g, t, w, likeness, reverse, unit)
                pair(pairs, g, t, weight[p], w)
            if others.size and others[q]:
                credit(other_sums, other_around, q, g, t, weight[p], likeness, reverse, unit)
                pair(pairs, g, t, weight[p], w)
        if tabled:
            settle(cells, guesses, truths, p, weight[p], unit, sums, around, pairs)


@compiled(inline="always")
def _shared(start, member, p, q, found):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The clusters that two rows share."""
    i, j, many = start[p], start[q], 0
    while i < start[p + 1] and j < start[q + 1]:
        if member[i] < member[j]:
            i += 1
        elif member[i] > member[j]:
            j += 1
        else:
            found[many] = member[i]
            many += 1
            i += 1
            j += 1
    return found[:many]
