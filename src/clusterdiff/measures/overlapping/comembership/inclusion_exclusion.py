"""The objects around each object, counted through subsets of clusters: no pair is visited.

Let N(A, B) be the number of objects that are in all guess clusters of A and all truth clusters of
B. For an object with guess clusters G and truth clusters T, the N(A, B) of all A ⊆ G and B ⊆ T
determine how many objects share exactly the guess clusters S' and the truth clusters S with it:
inclusion and exclusion, one cluster at a time. An object in few clusters has few such subsets, so
the work grows with the objects, however large the clusters are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.clusterings.encode.group import number
from clusterdiff.compiled import compiled
from clusterdiff.measures.core.threads import in_threads
from clusterdiff.measures.overlapping.comembership.accumulators import (
    CoMemberCounts,
    bits_for,
    clear,
    count,
    hashed,
    matched,
    room_for_cells,
    settle,
    table_size,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Ints
    from clusterdiff.measures.overlapping.comembership.plan import Alike
    from clusterdiff.meet import CoverMeet, CoverSide


def pairs_of_subsets(m: CoverMeet, rows: Ints) -> Ints:
    """How many pairs of a non-empty guess and a non-empty truth subset each row has."""
    guess, truth = m.guess.memberships[rows], m.truth.memberships[rows]
    return ((1 << guess) - 1) * ((1 << truth) - 1)


def count_subsets(m: CoverMeet, rows: Ints, how: Alike, found: CoMemberCounts) -> None:
    """Add what the objects of these rows share with each other."""
    guess, truth = _Subsets.of(m, m.guess, rows), _Subsets.of(m, m.truth, rows)
    pairs = pairs_of_subsets(m, rows)
    at = np.concatenate([[0], np.cumsum(pairs)])
    together = np.zeros(at[-1], np.int64 if m.objects >= 2**31 else np.int32)
    start, entry, cost = _invert(guess, truth)
    slots = table_size(min(int(cost.max(initial=1)), truth.count.size))
    place = np.stack([truth.at, truth.width, m.both[rows], at[:-1]], axis=1)
    in_threads(
        lambda begin, end, room: _together(
            begin, end, start, entry, place, truth.number, truth.count.size, *room, together
        ),
        cost,
        lambda: (np.full((slots, 2), [-1, 0]), np.zeros(slots, np.int64)),
        "counting subsets of clusters",
    )
    fixed = (
        rows, guess.at, guess.width, guess.number, guess.count,
        truth.at, truth.width, truth.number, truth.count, at, together,
        m.guess.each.start, m.guess.each.member, m.truth.each.start, m.truth.each.member,
        m.both, *how.best, float(how.unit), *how.table, found.sums, found.around,
    )  # fmt: skip
    most = int((guess.width * truth.width).max())
    members = np.bitwise_count(np.arange(most)).astype(np.int64)

    def scratch() -> tuple[NDArray[np.int64], ...]:
        room = (np.zeros(most, np.int64) for _ in range(3))
        shared, cells = np.zeros((3, max(m.widest)), np.int64), room_for_cells(m.widest)
        return members, *room, shared, cells, np.zeros_like(found.pairs)

    rooms = in_threads(
        lambda begin, end, room: _around(begin, end, *fixed, *room),
        pairs,
        scratch,
        "adding up what objects share",
    )
    for room in rooms:
        found.pairs[:] += room[-1]


class _Subsets(NamedTuple):
    """The subsets of each row's clusters on one side, numbered alike where they are equal."""

    at: Ints
    """Where the subsets of each row begin in `number`."""
    width: Ints
    """How many subsets each row has, the empty one included."""
    number: Ints
    """Subset 5 = 101 in binary holds the first and the third cluster; the empty one is 0."""
    count: Ints  # type: ignore[assignment]
    """How many objects are in all clusters of a subset."""

    @classmethod
    def of(cls, m: CoverMeet, side: CoverSide, rows: Ints) -> _Subsets:
        """All subsets: each is one with a cluster less, and its last cluster."""
        own = np.where(side.row[rows] < 0, side.sets.number, side.row[rows])
        objects = np.bincount(own, m.both[rows])
        sets = np.flatnonzero(objects)
        size = np.append(side.sets.size, 0)
        width = 1 << size
        at = np.full(side.sets.number + 1, -1)
        at[sets] = np.concatenate([[0], np.cumsum(width[sets])[:-1]])
        found = np.zeros(int(width[sets].sum()), np.int64)
        by_size = {
            k: sets[size[sets] == k] for k in np.flatnonzero(np.bincount(size[sets])).tolist()
        }
        many = 1
        for level in range(1, max(by_size) + 1):
            where, keys = [], []
            for k, these in by_size.items():
                masks = np.array([a for a in range(1 << k) if a.bit_count() == level], np.int64)
                last = np.array([int(a).bit_length() - 1 for a in masks], np.int64)
                before = found[at[these][:, None] + (masks - (1 << last))]
                members = side.sets.member[side.sets.start[these][:, None] + last]
                where.append((at[these][:, None] + masks).ravel())
                keys.append((before * (side.clusters + 1) + members).ravel())
            codes, new = number(np.concatenate(keys))
            found[np.concatenate(where)] = codes + many
            many += new
        total = np.bincount(found, np.repeat(objects[sets], width[sets]), many)
        return cls(at[own], width[own], found, total.astype(np.int64))


def _invert(guess: _Subsets, truth: _Subsets) -> tuple[Ints, Ints, Ints]:
    """For each guess subset where its entries (row, place among the row's subsets) start, all
    entries, and how many truth subsets their rows have.
    """
    cost, many = np.zeros(guess.count.size, np.int64), np.zeros(guess.count.size + 1, np.int64)
    _tally(guess.at, guess.width, guess.number, truth.width, cost, many)
    start = np.concatenate([[0], np.cumsum(many[:-1])])
    entry = np.empty((int(start[-1]), 2), np.int64)
    _enter(guess.at, guess.width, guess.number, start.copy(), entry)
    return start, entry, cost


@compiled
def _tally(at, width, number, other_width, cost, many):  # type: ignore[no-untyped-def]  # pragma: no cover
    for row in range(at.size):
        for a in range(1, width[row]):
            subset = number[at[row] + a]
            many[subset] += 1
            cost[subset] += other_width[row]


@compiled
def _enter(at, width, number, free, entry):  # type: ignore[no-untyped-def]  # pragma: no cover
    for row in range(at.size):
        for a in range(1, width[row]):
            subset = number[at[row] + a]
            entry[free[subset], 0] = row
            entry[free[subset], 1] = a
            free[subset] += 1


@compiled
def _together(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, start, entry, place, t_number, subsets, table, used, out
):
    """Count N(A, B) for the guess subsets A from `begin` to `end`, and hand it to their rows."""
    for subset in range(begin, end):
        wanted = 0
        for e in range(start[subset], start[subset + 1]):
            wanted += place[entry[e, 0], 1]
        bits = bits_for(wanted, used.size)
        shift, mask, many = np.uint64(64 - bits), (1 << bits) - 1, 0
        direct = subsets <= 1 << bits
        for hand in range(2):
            for e in range(start[subset], start[subset + 1]):
                row, a = entry[e, 0], entry[e, 1]
                t_at, wide, weight, at = place[row]
                base = at + (a - 1) * (wide - 1) - 1
                for b in range(1, wide):
                    key = t_number[t_at + b]
                    slot = key if direct else hashed(key, shift)
                    while table[slot, 0] != key and table[slot, 0] >= 0:
                        slot = (slot + 1) & mask
                    if hand == 0:
                        if table[slot, 0] < 0:
                            table[slot, 0] = key
                            used[many] = slot
                            many += 1
                        table[slot, 1] += weight
                    else:
                        out[base + b] = table[slot, 1]
        for i in range(many):
            table[used[i], 0] = -1
            table[used[i], 1] = 0


@compiled
def _around(  # type: ignore[no-untyped-def]  # pragma: no cover
    begin, end, rows, g_at, g_width, g_number, g_count, t_at, t_width, t_number, t_count,
    at, together, g_start, g_member, t_start, t_member, weight, g_best, t_best, unit,
    table_start, table_truth, table_precise, table_recalled, sums, around,
    members, exactly, g_like, t_like, shared, cells, pairs,
):  # fmt: skip
    """From "at least these" to "exactly these" for each row, and into its cells."""
    by_pair = table_start.size > 0
    for i in range(begin, end):
        p, wide, high = rows[i], t_width[i], g_width[i]
        guesses, truths = g_start[p + 1] - g_start[p], t_start[p + 1] - t_start[p]
        for b in range(1, wide):
            exactly[b] = t_count[t_number[t_at[i] + b]]
        k = at[i]
        for a in range(1, high):
            exactly[a * wide] = g_count[g_number[g_at[i] + a]]
            for b in range(1, wide):
                exactly[a * wide + b] = together[k]
                k += 1
        for bit in range(guesses + truths):
            step = 1 << bit
            for low in range(0, high * wide, 2 * step):
                for j in range(low, low + step):
                    exactly[j] -= exactly[j + step]
        clear(cells, guesses, truths)
        exactly[0] = 0
        guess, truth = g_member[g_start[p] : g_start[p + 1]], t_member[t_start[p] : t_start[p + 1]]
        if not by_pair:
            _likeness(g_best, guess, g_like)
            _likeness(t_best, truth, t_like)
        for a in range(high):
            for b in range(wide):
                objects = exactly[a * wide + b]
                if not objects:
                    continue
                likeness, reverse = g_like[a], t_like[b]
                if by_pair:
                    likeness, reverse = matched(
                        _chosen(a, guess, shared[0]), _chosen(b, truth, shared[1]),
                        table_start, table_truth, table_precise, table_recalled, shared[2],
                    )  # fmt: skip
                count(cells, members[a], members[b], objects, likeness, reverse)
        settle(cells, guesses, truths, p, weight[p], unit, sums, around, pairs)


@compiled(inline="always")
def _likeness(best, clusters, like):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The summed likeness of each subset of these clusters."""
    like[0] = 0
    for c in range(clusters.size):
        for a in range(1 << c):
            like[a + (1 << c)] = like[a] + best[clusters[c]]


@compiled(inline="always")
def _chosen(subset, clusters, found):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The clusters of a subset."""
    many = 0
    for c in range(clusters.size):
        if subset >> c & 1:
            found[many] = clusters[c]
            many += 1
    return found[:many]
