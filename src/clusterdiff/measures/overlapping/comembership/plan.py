"""What the objects around each object amount to: all that BCubed of covers and omega need.

Objects in few clusters are counted through subsets, those in many are visited pair by pair;
whichever is estimated to cost less. Both are exact, and neither depends on names or order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures.hard.best_match import (
    NOTHING_APART,
    SIMILARITIES,
    Similarity,
    best_partners,
    checked,
)
from clusterdiff.measures.overlapping.comembership.dense import LOW, is_small, tabulate
from clusterdiff.meet import CoverMeet

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
    """The same, each times the likeness of the clusters."""
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
    from clusterdiff.measures.overlapping.comembership.pairwise import visits

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


class Alike(NamedTuple):
    """Similarity of clusters to those of the other side, as integers, so that sums are exact."""

    unit: int
    """The number that stands for 1."""
    best: tuple[Ints, Ints]
    """Of each guess and of each truth cluster, its best partner."""
    table: tuple[Ints, Ints, Ints, Ints]
    """Of each two clusters that share objects, where a pair's own clusters are asked: by guess
    cluster where its truth clusters start, these, and the likeness one way and the other."""


NONE = np.zeros(0, np.int64)


def alike(m: CoverMeet, similarity: Any, match: str) -> Alike:
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
        return Alike(unit, none, (NONE, NONE, NONE, NONE))
    if match == "all":
        apart = function not in NOTHING_APART
        guess, truth = (best_partners(one, function, apart=apart) for one in (m, m.swap()))
        return Alike(unit, (whole(guess), whole(truth)), (NONE, NONE, NONE, NONE))
    order = np.lexsort((shared.truth, shared.guess))
    classes, clusters, both = (x[order] for x in shared)
    sizes = m.guess.size[clusters], m.truth.size[classes]
    start = np.searchsorted(clusters, np.arange(m.guess.clusters + 1)).astype(np.int64)
    precise = whole(function(both, sizes[0], sizes[1], m.objects))
    recalled = whole(function(both, sizes[1], sizes[0], m.objects))
    return Alike(unit, (NONE, NONE), (start, classes, precise, recalled))


def around(m: CoverMeet, how: Alike, rows: Ints | None = None) -> CoMembers:
    """The sums for all rows, or for some (the others are 0); `how` is the likeness of clusters."""
    if m.objects >= LARGEST:
        raise ClusterdiffError(
            f"{m.objects:,} objects of a cover are too many to count the pairs of.",
            f"compare fewer than {LARGEST:,} at a time.",
        )
    if is_small(m, how):
        sums, objects, pairs = tabulate(m, how)
        return CoMembers._make((*sums.T, *objects.T, pairs))
    from clusterdiff.measures.overlapping.comembership.accumulators import CoMemberCounts
    from clusterdiff.measures.overlapping.comembership.inclusion_exclusion import count_subsets
    from clusterdiff.measures.overlapping.comembership.pairwise import visit

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
