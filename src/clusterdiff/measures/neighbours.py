"""What the objects around each object amount to: all that BCubed of covers and omega need.

Objects in few clusters are counted through subsets, those in many are visited pair by pair;
whichever is estimated to cost less. Both are exact, and neither depends on names or order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.partners import (
    NOTHING_APART,
    SIMILARITIES,
    Similarity,
    best_partners,
)
from clusterdiff.measures.subsets import Block, blocks, by_members, members, over_subsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.measures.visits import Table
    from clusterdiff.meet import CoverMeet

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BUDGET = 10**9
"""Pairs of rows to visit, beyond which a sample of the objects is drawn if one was asked for."""
SUBSET = 24
"""Visits that take as long as one pair of subsets."""
MOST = 16
"""Memberships of an object on both sides, beyond which its subsets are never counted."""


class Around(NamedTuple):
    """Sums over the objects that share a cluster with an object of each row, itself included."""

    precise: Floats
    """Of those that share a guess cluster: how right that is, 0 to 1 each."""
    recalled: Floats
    """Of those that share a truth cluster: how far guess has it, 0 to 1 each."""
    guess: Ints
    """How many share a guess cluster."""
    truth: Ints
    """How many share a truth cluster."""
    pairs: NDArray[np.object_]
    """Ordered pairs of objects by the number of guess and of truth clusters they share, an object
    with itself included; those that share none are not counted."""


class Plan(NamedTuple):
    """Which rows are counted through subsets, and which are visited."""

    counted: Ints
    visited: Ints
    pairs: int
    """Pairs of rows to visit."""


def plan(m: CoverMeet) -> Plan:
    """The cheapest way: rows with up to so many memberships are counted, the others visited."""
    from clusterdiff.measures.visits import visits

    memberships = m.guess.memberships + m.truth.memberships
    cost = visits(m)
    few = np.minimum(memberships, MOST + 1)
    visiting = np.bincount(few, cost, MOST + 2)
    subsets = ((1 << np.minimum(m.guess.memberships, MOST)) - 1.0) * (
        (1 << np.minimum(m.truth.memberships, MOST)) - 1.0
    )
    counting = np.bincount(few, subsets * SUBSET, MOST + 2)
    total = np.cumsum(counting)[:-1] + visiting.sum() - np.cumsum(visiting)[:-1]
    best = int(np.argmin(np.append(total, visiting.sum())))
    counted = memberships <= best if best <= MOST else np.zeros(m.rows, np.bool_)
    return Plan(np.flatnonzero(counted), np.flatnonzero(~counted), int(cost[~counted].sum()))


class Alike(NamedTuple):
    """How like clusters are to those of the other side, as whole numbers: sums do not round."""

    unit: int
    """The number that stands for 1."""
    best: tuple[Ints, Ints] | None
    """Of each guess and of each truth cluster, its best partner."""
    table: Table | None
    """Of each two clusters that share objects, where a pair's own clusters are asked."""


def alike(m: CoverMeet, similarity: Any, match: str) -> Alike:
    """Similarities of clusters: match='all' over all of the other side, 'pair' table by table."""
    function: Similarity = SIMILARITIES.get(similarity, similarity)
    widest = int(max(m.guess.memberships.max(initial=1), m.truth.memberships.max(initial=1)))
    unit = 1 << (61 - widest.bit_length())

    def whole(values: Any) -> Ints:
        found = np.asarray(values, np.float64)
        if not ((found >= 0) & (found <= 1)).all():
            raise UnknownParameter.from_value(
                "cice", "similarity", function, "a function that gives numbers from 0 to 1"
            )
        return np.round(found * unit).astype(np.int64)

    if match == "all":
        if not m.guess.clusters or not m.truth.clusters:
            none = np.zeros(m.guess.clusters, np.int64), np.zeros(m.truth.clusters, np.int64)
            return Alike(unit, none, None)
        apart = function not in NOTHING_APART
        guess, truth = (best_partners(one, function, apart=apart) for one in (m, m.swap()))
        return Alike(unit, (whole(guess), whole(truth)), None)
    from clusterdiff.measures.visits import Table

    shared = m.shared
    order = np.lexsort((shared.truth, shared.guess))
    truth, guess, both = (x[order] for x in shared)
    sizes = m.guess.size[guess], m.truth.size[truth]
    start = np.searchsorted(guess, np.arange(m.guess.clusters + 1))
    precise = whole(function(both, sizes[0], sizes[1], m.objects))
    recalled = whole(function(both, sizes[1], sizes[0], m.objects))
    return Alike(unit, None, Table(start.astype(np.int64), truth, precise, recalled))


def around(m: CoverMeet, how: Alike | None = None, rows: Ints | None = None) -> Around:
    """The sums for all rows, or for some (the others are 0); `how` weighs clusters by likeness."""
    from clusterdiff.measures.visits import LOW, visit

    chosen = plan(m) if rows is None else Plan(np.zeros(0, np.int64), rows, 0)
    is_counted = np.zeros(m.rows, np.bool_)
    is_counted[chosen.counted] = True
    widest = int(m.guess.memberships.max(initial=0)), int(m.truth.memberships.max(initial=0))
    precise, recalled = np.zeros(m.rows), np.zeros(m.rows)
    guess, truth = np.zeros(m.rows, np.int64), np.zeros(m.rows, np.int64)
    pairs = np.zeros((widest[0] + 1, widest[1] + 1), object)
    if chosen.visited.size:
        best, unit, table = (how.best, how.unit, how.table) if how else (None, 1, None)
        found = visit(m, chosen.visited, is_counted, best, unit, table)
        precise, recalled = found.sums[:, [0, 2]].T + found.sums[:, [1, 3]].T
        guess, truth = found.around.T.copy()
        pairs += found.pairs[0].astype(object) + found.pairs[1].astype(object) * (1 << LOW)
    for block in blocks(m, chosen.counted):
        right, left, counts = _sums(block, how)
        precise[block.rows] += right
        recalled[block.rows] += left
        guess[block.rows] += counts[:, 1:].sum(axis=(1, 2)).astype(np.int64)
        truth[block.rows] += counts[:, :, 1:].sum(axis=(1, 2)).astype(np.int64)
        whole = counts.astype(np.int64).reshape(block.rows.size, -1)
        low, high = (m.both[block.rows] @ part for part in (whole & ((1 << LOW) - 1), whole >> LOW))
        total = (low.astype(object) + high.astype(object) * (1 << LOW)).reshape(counts.shape[1:])
        pairs[: total.shape[0], : total.shape[1]] += total
    pairs[0, 0] = 0
    return Around(precise, recalled, guess, truth, pairs)


def _sums(block: Block, how: Alike | None) -> tuple[Floats, Floats, Floats]:
    """Sums of precision and recall of the rows of a block, and objects by shared clusters."""
    exactly = block.exactly
    g, t = block.guess.shape[1], block.truth.shape[1]
    counts = np.matmul(by_members(g).T, exactly @ by_members(t))
    counts[:, 0, 0] = 0
    if how is None:
        shared = np.arange(g + 1.0)[:, None], np.arange(t + 1.0)[None]
        precise, recalled = (counts * _right(*shared, own) for own in shared)
        return precise.sum(axis=(1, 2)), recalled.sum(axis=(1, 2)), counts
    shared = members(g)[:, None].astype(np.float64), members(t)[None].astype(np.float64)
    likeness = _likeness(block, how, "guess"), _likeness(block, how, "truth")
    right, left = (
        _ordered_sum(exactly * _right(*shared, own * own * how.unit, like))
        for own, like in zip(shared, likeness, strict=True)
    )
    return right, left, counts


def _right(guess: Floats, truth: Floats, whole: Floats, like: Ints | float = 1.0) -> Floats:
    """min(shared in guess, shared in truth), times likeness, over the whole; 0 where none are."""
    least = np.minimum(guess, truth) * like
    return np.divide(least, whole, out=np.zeros_like(least), where=whole > 0)


def _likeness(block: Block, how: Alike, side: str) -> Ints:
    """Rows x subsets of guess x subsets of truth: summed likeness of the clusters of one side."""
    if how.best is not None:
        own = how.best[0][block.guess] if side == "guess" else how.best[1][block.truth]
        sums = over_subsets(own, np.add)
        return sums[:, :, None] if side == "guess" else sums[:, None, :]
    assert how.table is not None
    table = how.table
    wide = int(table.truth.max(initial=0)) + 1
    keys = np.repeat(np.arange(table.start.size - 1), np.diff(table.start)) * wide + table.truth
    wanted = block.guess[:, :, None] * wide + block.truth[:, None, :]
    where = np.searchsorted(keys, wanted)
    if side == "guess":
        best = over_subsets(table.precise[where], np.maximum)
        return over_subsets(best.transpose(0, 2, 1), np.add).transpose(0, 2, 1)
    best = over_subsets(table.recalled[where].transpose(0, 2, 1), np.maximum)
    return over_subsets(best.transpose(0, 2, 1), np.add)


def _ordered_sum(terms: Floats) -> Floats:
    """The sum of each row's terms, in ascending order: names of clusters do not show."""
    flat = np.sort(terms.reshape(terms.shape[0], -1), axis=1)
    return np.asarray(flat.sum(axis=1))
