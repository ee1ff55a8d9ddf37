"""The objects around each object, visited one by one: compiled, in threads, row by row.

For each row asked, the rows of its clusters are counted in a table that is cleared again, so
memory grows with the rows, never with their pairs. Sums carry what they round off with them, which
makes them the same in any order.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from clusterdiff.clusterings.kernels import compiled, workers
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.clusterings import Sets
    from clusterdiff.meet import CoverMeet, Side

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BLOCK = 20_000_000
"""Visits between two looks at the clock: some hundredths of a second."""
LOW = 29
"""Products of counts are summed in two parts, above and below this bit."""


class Table(NamedTuple):
    """How like clusters are that share objects, as whole numbers, by guess cluster."""

    start: Ints
    truth: Ints
    precise: Ints
    """How like the truth cluster is to the guess cluster."""
    recalled: Ints
    """The other way round."""


class Found(NamedTuple):
    """What visiting found, per row: sums with what they rounded off, and objects around."""

    sums: Floats
    """Rows x (precision, what it rounded off, recall, what it rounded off)."""
    around: Ints
    """Rows x (objects that share a guess cluster, objects that share a truth cluster)."""
    pairs: Ints
    """Pairs of objects by shared guess and truth clusters, in two parts."""


def visits(m: CoverMeet) -> Ints:
    """How many rows must be visited for each row, those in several of its clusters each time."""
    return _visits(m.guess) + _visits(m.truth)


def _visits(side: Side) -> Ints:
    entries = side.each
    rows = np.bincount(entries.member, minlength=side.clusters)
    sums = np.concatenate([[0], np.cumsum(rows[entries.member])])
    return sums[entries.start[1:]] - sums[entries.start[:-1]]


def visit(
    m: CoverMeet,
    asked: Ints,
    others: Bools,
    best: tuple[Ints, Ints] | None,
    unit: int,
    table: Table | None,
) -> Found:
    """Visit the rows around those asked; what is found counts for `others` that are met too."""
    cost = visits(m)[asked]
    edges = np.searchsorted(np.cumsum(cost), np.arange(0, int(cost.sum()) + BLOCK, BLOCK)[1:])
    blocks = [b for b in np.split(asked, np.unique(edges)) if b.size]
    widest = int(m.guess.memberships.max(initial=0)), int(m.truth.memberships.max(initial=0))
    none = np.zeros(0, np.int64)
    fixed = (
        m.guess.each.start, m.guess.each.member, *_rows_of(m.guess),
        m.truth.each.start, m.truth.each.member, *_rows_of(m.truth),
        m.both, others, *(best or (none, none)), float(unit), *(table or (none, none, none, none)),
    )  # fmt: skip
    idle: SimpleQueue[tuple[NDArray[Any], ...]] = SimpleQueue()
    found: list[Found] = []
    for _ in range(min(workers(), max(1, len(blocks)))):
        found.append(
            Found(
                np.zeros((m.rows, 4)),
                np.zeros((m.rows, 2), np.int64),
                np.zeros((2, widest[0] + 1, widest[1] + 1), np.int64),
            )
        )
        counts = np.zeros((m.rows, 2), np.int32)
        totals = np.zeros((m.rows if best or table else 0, 2), np.int64)
        touched, most = np.zeros(m.rows, np.int64), np.zeros(widest[1], np.int64)
        idle.put((counts, totals, touched, most, *found[-1]))

    def run(block: Ints) -> int:
        mine = idle.get()
        try:
            _around(block, *fixed, *mine)
        finally:
            idle.put(mine)
        return int(block.size)

    pool = ThreadPoolExecutor(len(found))
    try:
        with progress("visiting the objects around each object", asked.size) as advance:
            waiting = {pool.submit(run, block) for block in blocks}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for one in done:
                    advance(one.result())
    finally:
        pool.shutdown(cancel_futures=True)
    return Found(*(np.sum(parts, axis=0) for parts in zip(*found, strict=True)))


def _rows_of(side: Side) -> Sets:
    """The rows of each cluster."""
    from clusterdiff.clusterings.sets import sets_of_rows

    return sets_of_rows(side.each.member, side.each.owner, side.clusters)[0]


@njit(inline="always")
def _add(sums, row, place, term):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term to a sum; what is rounded off goes to the place beside it."""
    old = sums[row, place]
    new = old + term
    part = new - old
    sums[row, place] = new
    sums[row, place + 1] += (old - (new - part)) + (term - part)


@compiled
def _around(  # type: ignore[no-untyped-def]  # pragma: no cover
    asked,
    g_start, g_member, g_rows_start, g_rows,
    t_start, t_member, t_rows_start, t_rows,
    weight, others, g_best, t_best, unit,
    table_start, table_truth, table_precise, table_recalled,
    counts, totals, touched, most, sums, around, pairs,
):  # fmt: skip
    low = (1 << LOW) - 1
    by_pair = table_start.size > 0
    by_cluster = g_best.size + t_best.size > 0
    for p in asked:
        many = 0
        for e in range(g_start[p], g_start[p + 1]):
            c = g_member[e]
            for k in range(g_rows_start[c], g_rows_start[c + 1]):
                q = g_rows[k]
                if counts[q, 0] == 0:
                    touched[many] = q
                    many += 1
                counts[q, 0] += 1
                if by_cluster:
                    totals[q, 0] += g_best[c]
        for e in range(t_start[p], t_start[p + 1]):
            c = t_member[e]
            for k in range(t_rows_start[c], t_rows_start[c + 1]):
                q = t_rows[k]
                if counts[q, 0] == 0 and counts[q, 1] == 0:
                    touched[many] = q
                    many += 1
                counts[q, 1] += 1
                if by_cluster:
                    totals[q, 1] += t_best[c]
        for i in range(many):
            q = touched[i]
            g, t = counts[q, 0], counts[q, 1]
            least = min(g, t)
            precise = recalled = 0.0
            if least > 0:
                if by_pair:
                    totals[q, 0], totals[q, 1] = _matched(
                        p, q, g_start, g_member, t_start, t_member,
                        table_start, table_truth, table_precise, table_recalled, most,
                    )  # fmt: skip
                if by_pair or by_cluster:
                    precise = least * float(totals[q, 0]) / (g * g * unit)
                    recalled = least * float(totals[q, 1]) / (t * t * unit)
                else:
                    precise = least / g
                    recalled = least / t
                _add(sums, p, 0, weight[q] * precise)
                _add(sums, p, 2, weight[q] * recalled)
            around[p, 0] += weight[q] if g > 0 else 0
            around[p, 1] += weight[q] if t > 0 else 0
            pairs[0, g, t] += weight[p] * (weight[q] & low)
            pairs[1, g, t] += weight[p] * (weight[q] >> LOW)
            if others[q]:
                if least > 0:
                    _add(sums, q, 0, weight[p] * precise)
                    _add(sums, q, 2, weight[p] * recalled)
                around[q, 0] += weight[p] if g > 0 else 0
                around[q, 1] += weight[p] if t > 0 else 0
                pairs[0, g, t] += weight[p] * (weight[q] & low)
                pairs[1, g, t] += weight[p] * (weight[q] >> LOW)
            counts[q, 0] = counts[q, 1] = 0
            if by_cluster or by_pair:
                totals[q, 0] = totals[q, 1] = 0


@compiled
def _matched(  # type: ignore[no-untyped-def]  # pragma: no cover
    p, q, g_start, g_member, t_start, t_member,
    table_start, table_truth, table_precise, table_recalled, most,
):  # fmt: skip
    """Sums, over the clusters that two rows share, of the best similarity to one of those
    that they share on the other side.
    """
    precise = recalled = 0
    most[:] = 0
    i, j = g_start[p], g_start[q]
    while i < g_start[p + 1] and j < g_start[q + 1]:
        if g_member[i] < g_member[j]:
            i += 1
        elif g_member[i] > g_member[j]:
            j += 1
        else:
            best = 0
            begin, end = table_start[g_member[i]], table_start[g_member[i] + 1]
            k, n, place = t_start[p], t_start[q], 0
            while k < t_start[p + 1] and n < t_start[q + 1]:
                if t_member[k] < t_member[n]:
                    k += 1
                elif t_member[k] > t_member[n]:
                    n += 1
                else:
                    at = begin + np.searchsorted(table_truth[begin:end], t_member[k])
                    best = max(best, table_precise[at])
                    most[place] = max(most[place], table_recalled[at])
                    place += 1
                    k += 1
                    n += 1
            precise += best
            i += 1
            j += 1
    for k in range(most.size):
        recalled += most[k]
    return precise, recalled
