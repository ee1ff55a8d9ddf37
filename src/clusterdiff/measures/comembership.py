"""What the objects around each object amount to: all that BCubed of covers and omega need.

Objects in few clusters are counted through subsets, those in many are visited pair by pair;
whichever is estimated to cost less. Both are exact, and neither depends on names or order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.grouping import number
from clusterdiff.compiled import compiled
from clusterdiff.contingency import CoverMeet
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.matching import (
    NOTHING_APART,
    SIMILARITIES,
    Similarity,
    best_partners,
    checked,
)
from clusterdiff.measures.threads import in_threads

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools
    from clusterdiff.contingency import CoverSide

# The objects around each object, for few rows: all pairs in one table, nothing to compile.

ROWS = 256
CELLS = 1 << 22
STEPS = 1 << 25
OBJECTS = 1 << 20
"""So many are few: sums of whole numbers stay exact in floating point."""
LOW = 29
"""Products of whole numbers are summed in two parts, below and above so many bits."""


def is_small(m: CoverMeet, how: ClusterSimilarity) -> bool:
    """Whether a table of all pairs of rows is the quickest, and exact."""
    cells = m.rows * (m.widest[0] + 1) * (m.widest[1] + 1)
    steps = m.rows**2 * (m.guess.clusters + m.truth.clusters)
    few = m.rows <= ROWS and cells <= CELLS and steps <= STEPS and m.objects < OBJECTS
    return few and not how.table[0].size


def tabulate(m: CoverMeet, how: ClusterSimilarity) -> tuple[Floats, Ints, NDArray[np.object_]]:
    """Sums of precision and recall, plain and with likeness; objects around; pairs of objects."""
    guess, truth = (_matrix(side.each.owner, side.each.member, (m.rows, side.clusters))
                    for side in (m.guess, m.truth))  # fmt: skip
    g, t = guess @ guess.T, truth @ truth.T
    wide = m.widest[0] + 1, m.widest[1] + 1
    cell = (np.arange(m.rows)[:, None] * wide[0] + g) * wide[1] + t

    def summed(values: Ints) -> Floats:
        weights = (values * m.both).ravel().astype(np.float64)
        found = np.bincount(cell.ravel(), weights, m.rows * wide[0] * wide[1])
        return np.asarray(found, np.float64).reshape(-1, *wide)

    objects = summed(np.ones_like(g))
    objects[:, 0, 0] = 0
    shares = np.arange(wide[0], dtype=np.float64)[:, None], np.arange(wide[1], dtype=np.float64)
    least = np.minimum(*shares)
    sums = [_over(least * objects, own) for own in shares]
    for own, matrix, best in zip(shares, (guess, truth), how.best, strict=True):
        like = (matrix * best) @ matrix.T
        likeness = summed(like & ((1 << LOW) - 1)) + summed(like >> LOW) * (1 << LOW)
        sums.append(_over(least * likeness, own * own * how.unit))
    around = [objects[:, 1:].sum(axis=(1, 2)), objects[:, :, 1:].sum(axis=(1, 2))]
    whole = objects.astype(np.int64).astype(object)
    table = (whole * m.both.astype(object)[:, None, None]).sum(axis=0)
    pairs = np.zeros((3, max(wide)), object)
    pairs[0, : wide[0]], pairs[1, : wide[1]] = table.sum(axis=1), table.sum(axis=0)
    pairs[2, 0] = int(np.trace(table))
    return np.stack(sums, axis=1), np.stack(around, axis=1).astype(np.int64), pairs


def _matrix(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """A 0/1 matrix."""
    made = np.zeros(shape, np.int64)
    made[rows, columns] = 1
    return made


def _over(parts: Floats, whole: Floats) -> Floats:
    """Quotients summed over the cells of each row; those without a whole are 0."""
    whole = np.broadcast_to(whole, parts.shape)
    found = np.divide(parts, whole, out=np.zeros_like(parts), where=whole > 0)
    return np.asarray(found.sum(axis=(1, 2)))


BUDGET = 10**9
"""Pairs of rows to visit, beyond which a sample of the objects is drawn if one was asked for."""
SUBSET = 6.0
"""Visits that take as long as one pair of subsets."""
BOTH = 3.0
"""How much longer a visit takes that counts for the row visited too."""
LARGEST = 1 << 34
"""Objects from which sums of their pairs could overflow."""
ROOM = 15 * 10**7
"""Pairs of subsets that are held at a time at most."""
MOST = 16
"""Memberships of an object on both sides, beyond which its subsets are never counted."""


class CoMembers(NamedTuple):
    """Sums over the objects that share a cluster with an object of each row, itself included."""

    precise: Floats
    """Of those that share a guess cluster: how right that is, 0 to 1 each."""
    recalled: Floats
    """Of those that share a truth cluster: how far guess has it, 0 to 1 each."""
    precise_alike: Floats
    """The sum of `precise`, each object times the likeness of the clusters."""
    recalled_alike: Floats
    guess: Ints
    """How many share a guess cluster."""
    truth: Ints
    """How many share a truth cluster."""
    pairs: NDArray[np.object_]
    """Ordered pairs of objects that share a cluster, an object with itself included: by the number
    of guess clusters they share, by that of truth clusters, and (place 0) how many share equally
    many. Whole numbers of any size."""


class Plan(NamedTuple):
    """Which rows are counted through subsets, and which are visited."""

    counted: Ints
    visited: Ints
    pairs: int
    """Pairs of rows to visit."""


def plan(m: CoverMeet) -> Plan:
    """The cheapest way: rows with up to so many memberships are counted, the others visited."""

    guess, truth = m.guess.memberships, m.truth.memberships
    cost = visits(m)
    few = np.minimum(guess + truth, MOST + 1)
    visiting = np.bincount(few, cost, MOST + 2)
    subsets = 2.0 ** np.minimum(guess, MOST) * 2.0 ** np.minimum(truth, MOST)
    counting = np.cumsum(np.bincount(few, subsets, MOST + 2))[:-1]
    rest = visiting.sum() - np.cumsum(visiting)[:-1]
    total = np.where(counting <= ROOM, counting * SUBSET + BOTH * rest, np.inf)
    best = int(np.argmin(np.concatenate([[visiting.sum()], total]))) - 1
    counted = guess + truth <= best
    return Plan(np.flatnonzero(counted), np.flatnonzero(~counted), int(cost[~counted].sum()))


class ClusterSimilarity(NamedTuple):
    """Similarity of clusters to those of the other side, as integers, so that sums are exact."""

    unit: int
    """The number that stands for 1."""
    best: tuple[Ints, Ints]
    """Of each guess and of each truth cluster, its best partner."""
    table: tuple[Ints, Ints, Ints, Ints]
    """Of each two clusters that share objects, where a pair's own clusters are asked: by guess
    cluster where its truth clusters start, these, and the likeness one way and the other."""


NONE = np.zeros(0, np.int64)


def alike(m: CoverMeet, similarity: Any, match: str) -> ClusterSimilarity:
    """Similarities of clusters: match='all' over all of the other side, 'pair' table by table."""
    function: Similarity = (
        SIMILARITIES[similarity] if isinstance(similarity, str) else checked(similarity)
    )
    shared = m.shared
    wide = max(m.widest).bit_length()
    unit = 1 << min(61 - wide, 91 - wide - m.objects.bit_length())

    def whole(values: Any) -> Ints:
        return np.round(np.asarray(values, np.float64) * unit).astype(np.int64)

    if not m.guess.clusters or not m.truth.clusters:
        none = np.zeros(m.guess.clusters, np.int64), np.zeros(m.truth.clusters, np.int64)
        return ClusterSimilarity(unit, none, (NONE, NONE, NONE, NONE))
    if match == "all":
        apart = function not in NOTHING_APART
        guess, truth = (best_partners(one, function, apart=apart) for one in (m, m.swap()))
        return ClusterSimilarity(unit, (whole(guess), whole(truth)), (NONE, NONE, NONE, NONE))
    order = np.lexsort((shared.truth, shared.guess))
    classes, clusters, both = (x[order] for x in shared)
    sizes = m.guess.size[clusters], m.truth.size[classes]
    start = np.searchsorted(clusters, np.arange(m.guess.clusters + 1)).astype(np.int64)
    precise = whole(function(both, sizes[0], sizes[1], m.objects))
    recalled = whole(function(both, sizes[1], sizes[0], m.objects))
    return ClusterSimilarity(unit, (NONE, NONE), (start, classes, precise, recalled))


def around(m: CoverMeet, how: ClusterSimilarity, rows: Ints | None = None) -> CoMembers:
    """The sums for all rows, or for some (the others are 0); `how` is the likeness of clusters."""
    if m.objects >= LARGEST:
        raise ClusterdiffError(
            f"{m.objects:,} objects of a cover are too many to count the pairs of.",
            f"compare fewer than {LARGEST:,} at a time.",
        )
    if is_small(m, how):
        sums, objects, pairs = tabulate(m, how)
        return CoMembers._make((*sums.T, *objects.T, pairs))

    chosen = plan(m) if rows is None else Plan(NONE, rows, 0)
    is_counted = np.zeros(m.rows if chosen.counted.size else 0, np.bool_)
    is_counted[chosen.counted] = True
    found = CoMemberCounts.nothing(m.rows, max(m.widest))
    if chosen.visited.size:
        visit(m, chosen.visited, is_counted, how, found)
    if chosen.counted.size:
        count_subsets(m, chosen.counted, how, found)
    pairs = found.pairs[0].astype(object) + found.pairs[1].astype(object) * (1 << LOW)
    sums = found.sums[:, ::2] + found.sums[:, 1::2]
    return CoMembers._make((*sums.T, *found.around.T, pairs))


# Objects around an object by how many guess and truth clusters they share with it: compiled.
#
# Everything is counted in whole numbers until the very end, so neither the names of clusters nor
# the order of objects show in the last bit. A cell holds the objects, and their summed likeness of
# guess and of truth clusters, each in two parts, below and above `LOW` bits.

MASK = (1 << LOW) - 1
MIX = np.uint64(0x9E3779B97F4A7C15)
WIDE = 255
"""Memberships up to which the cells of an object are held in a table."""
SMALL = 16
"""Slots that a table has at least."""


def room_for_cells(widest: tuple[int, int]) -> Ints:
    """Cells of an object with up to so many memberships, as far as they are held."""
    return np.zeros((min(widest[0], WIDE) + 1, min(widest[1], WIDE) + 1, 5), np.int64)


def table_size(keys: int) -> int:
    """Slots of an open-addressing table for so many keys, half of them free: a power of two."""
    return max(SMALL, 1 << (2 * keys).bit_length())


class CoMemberCounts(NamedTuple):
    """What was found for each row."""

    sums: Floats
    """Rows x (precision, recall, both with likeness), each with what it rounded off beside it."""
    around: Ints
    """Rows x (objects that share a guess cluster, objects that share a truth cluster)."""
    pairs: Ints
    """Ordered pairs of objects that share a cluster: by the number of guess clusters, by that of
    truth clusters, and (place 0) how many share equally many; each in two parts."""

    @classmethod
    def nothing(cls, rows: int, widest: int) -> CoMemberCounts:
        """Zeros, for rows with up to so many memberships on each side."""
        pairs = np.zeros((2, 3, widest + 1), np.int64)
        return cls(np.zeros((rows, 8)), np.zeros((rows, 2), np.int64), pairs)

    def add(self, other: CoMemberCounts) -> None:
        """Add what was found elsewhere; arrays without rows say nothing."""
        if other.sums.size:
            old, term = self.sums[:, ::2], other.sums[:, ::2]
            new = old + term
            part = new - old
            self.sums[:, 1::2] += other.sums[:, 1::2] + ((old - (new - part)) + (term - part))
            self.sums[:, ::2] = new
            self.around[:] += other.around
        self.pairs[:] += other.pairs


@compiled(inline="always")
def bits_for(keys, slots):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Bits of a table that is at most half full, within the slots there are."""
    bits = 4
    while (1 << bits) < 2 * keys and (1 << bits) < slots:
        bits += 1
    return bits


@compiled(inline="always")
def hashed(key, shift):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The slot at which to look for a key first."""
    return np.int64((np.uint64(key) * MIX) >> shift)


@compiled(inline="always")
def add(sums, row, place, term):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add a term to a sum; what is rounded off goes to the place beside it."""
    old = sums[row, place]
    new = old + term
    part = new - old
    sums[row, place] = new
    sums[row, place + 1] += (old - (new - part)) + (term - part)


@compiled(inline="always")
def clear(cells, guesses, truths):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Empty the cells of an object in so many guess and truth clusters."""
    for g in range(guesses + 1):
        for t in range(truths + 1):
            for k in range(5):
                cells[g, t, k] = 0


@compiled(inline="always")
def count(cells, g, t, objects, likeness, reverse):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Count objects that share g guess clusters of this likeness and t truth clusters."""
    cells[g, t, 0] += objects
    cells[g, t, 1] += objects * (likeness & MASK)
    cells[g, t, 2] += objects * (likeness >> LOW)
    cells[g, t, 3] += objects * (reverse & MASK)
    cells[g, t, 4] += objects * (reverse >> LOW)


@compiled(inline="always")
def pair(pairs, g, t, weight, objects):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Count pairs of objects that share g guess and t truth clusters."""
    low, high = weight * (objects & MASK), weight * (objects >> LOW)
    pairs[0, 0, g] += low
    pairs[1, 0, g] += high
    pairs[0, 1, t] += low
    pairs[1, 1, t] += high
    if g == t:
        pairs[0, 2, 0] += low
        pairs[1, 2, 0] += high


@compiled(inline="always")
def credit(  # type: ignore[no-untyped-def]  # pragma: no cover
    sums, around, row, g, t, objects, likeness, reverse, unit
):
    """Add to the sums of a row objects that share g guess and t truth clusters with it."""
    around[row, 0] += objects if g > 0 else 0
    around[row, 1] += objects if t > 0 else 0
    if g > 0 and t > 0:
        least = min(g, t)
        add(sums, row, 0, objects * (least / g))
        add(sums, row, 2, objects * (least / t))
        add(sums, row, 4, objects * (least * float(likeness) / (g * g * unit)))
        add(sums, row, 6, objects * (least * float(reverse) / (t * t * unit)))


@compiled(inline="always")
def matched(  # type: ignore[no-untyped-def]  # pragma: no cover
    guess, truth, table_start, table_truth, table_precise, table_recalled, most
):
    """Sums, over the guess and over the truth clusters that two objects share, of the best
    similarity to one of the other side.
    """
    precise = recalled = 0
    most[: truth.size] = 0
    for c in guess:
        best = 0
        begin, end = table_start[c], table_start[c + 1]
        for k in range(truth.size):
            at = begin + np.searchsorted(table_truth[begin:end], truth[k])
            best = max(best, table_precise[at])
            most[k] = max(most[k], table_recalled[at])
        precise += best
    for k in range(truth.size):
        recalled += most[k]
    return precise, recalled


@compiled(inline="always")
def settle(  # type: ignore[no-untyped-def]  # pragma: no cover
    cells, guesses, truths, row, weight, unit, sums, around, pairs
):
    """Add what the cells hold to the sums of a row."""
    for g in range(guesses + 1):
        for t in range(truths + 1):
            objects = cells[g, t, 0]
            if objects == 0 or g + t == 0:
                continue
            around[row, 0] += objects if g > 0 else 0
            around[row, 1] += objects if t > 0 else 0
            pair(pairs, g, t, weight, objects)
            if g > 0 and t > 0:
                least = min(g, t)
                likeness = float(cells[g, t, 1]) + float(cells[g, t, 2]) * (MASK + 1)
                reverse = float(cells[g, t, 3]) + float(cells[g, t, 4]) * (MASK + 1)
                add(sums, row, 0, least * objects / g)
                add(sums, row, 2, least * objects / t)
                add(sums, row, 4, least * likeness / (g * g * unit))
                add(sums, row, 6, least * reverse / (t * t * unit))


# The objects around each object, visited one by one: compiled, in threads, row by row.
#
# For each row asked, the rows of its clusters are entered in a small table that is cleared again,
# so memory grows with the rows, never with their pairs.


def visits(m: CoverMeet) -> Ints:
    """How many rows must be visited for each row, those in several of its clusters each time."""
    return _visits(m.guess) + _visits(m.truth)


def _visits(side: CoverSide) -> Ints:
    entries = side.each
    rows = np.bincount(entries.member, minlength=side.clusters)
    sums = np.concatenate([[0], np.cumsum(rows[entries.member])])
    return np.asarray(sums[entries.start[1:]] - sums[entries.start[:-1]])


def visit(
    m: CoverMeet, asked: Ints, others: Bools, how: ClusterSimilarity, found: CoMemberCounts
) -> None:
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
        lambda begin, end, room: _around_by_pairs(asked[begin:end], *fixed, *room[0], *room[1]),
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
def _enter_rows(  # type: ignore[no-untyped-def]  # pragma: no cover
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
def _around_by_pairs(  # type: ignore[no-untyped-def]  # pragma: no cover
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
        many = _enter_rows(
            p, g_start, g_member, g_rows_start, g_rows, g_best, 2, seen, used, 0, shift, mask
        )
        many = _enter_rows(
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


# The objects around each object, counted through subsets of clusters: no pair is visited.
#
# Let N(A, B) be the number of objects that are in all guess clusters of A and all truth clusters
# of B. For an object with guess clusters G and truth clusters T, the N(A, B) of all A ⊆ G and B ⊆
# T determine how many objects share exactly the guess clusters S' and the truth clusters S with
# it: inclusion and exclusion, one cluster at a time. An object in few clusters has few such
# subsets, so the work grows with the objects, however large the clusters are.


def pairs_of_subsets(m: CoverMeet, rows: Ints) -> Ints:
    """How many pairs of a non-empty guess and a non-empty truth subset each row has."""
    guess, truth = m.guess.memberships[rows], m.truth.memberships[rows]
    return ((1 << guess) - 1) * ((1 << truth) - 1)


def count_subsets(m: CoverMeet, rows: Ints, how: ClusterSimilarity, found: CoMemberCounts) -> None:
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
        lambda begin, end, room: _around_by_subsets(begin, end, *fixed, *room),
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
    _enter_subsets(guess.at, guess.width, guess.number, start.copy(), entry)
    return start, entry, cost


@compiled
def _tally(at, width, number, other_width, cost, many):  # type: ignore[no-untyped-def]  # pragma: no cover
    for row in range(at.size):
        for a in range(1, width[row]):
            subset = number[at[row] + a]
            many[subset] += 1
            cost[subset] += other_width[row]


@compiled
def _enter_subsets(at, width, number, free, entry):  # type: ignore[no-untyped-def]  # pragma: no cover
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
def _around_by_subsets(  # type: ignore[no-untyped-def]  # pragma: no cover
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
