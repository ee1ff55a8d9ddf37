"""Uncertain clusterings of every kind: pairs of objects, and objects moved, under what is unknown.

Without alpha a measure is an interval, from "what is unknown is an error" (alpha = 1) to "what is
unknown is accepted" (alpha = 0); with alpha it is one number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.measures.assignment import matched_clusters
from clusterdiff.measures.base import measure
from clusterdiff.measures.information import mutual_information
from clusterdiff.measures.matching import partition_distance
from clusterdiff.measures.pair_masses import (
    PAIRS_OF_ROWS,
    SMALL,
    Kind,
    Pairs,
    PairSums,
    RelationMass,
    SoftVersusHard,
    facing,
    in_clusters,
    masses_by_label,
    mean_distance,
    moving_cost,
    over_pairs,
    sums_over_pairs,
)
from clusterdiff.measures.pairs import rand
from clusterdiff.measures.score_range import ScoreRange

CELLS = 1 << 20
"""Rows x clusters x clusters that are worked on at a time."""


@measure(cite="campagner2023", perfect=False)
def rand_alpha(
    m: SoftMeet, *, alpha: float | None = None, pairs: Pairs = "distinct"
) -> float | ScoreRange:
    """Rand index of uncertain clusterings: share of pairs of which both know the same.

    Definition:  1 - mean over pairs of r_alpha, the least cost of turning what truth knows of a
    pair (together, apart, unknown) into what guess knows, where unknown is alpha from the others

    Without alpha, the interval from alpha = 1 to alpha = 0. pairs='all' counts all n² pairs, each
    object with itself as agreeing, as the printed examples do. Against a hard clustering it is
    linear in the objects.

    Also known as: evidential Rand index.
    """
    if alpha is not None:
        return over_pairs(rand_alphas(m, (alpha,))[0], m.objects, pairs)
    high, low = (over_pairs(v, m.objects, pairs) for v in rand_alphas(m, (0.0, 1.0)))
    return ScoreRange(min(low, high), high)


def rand_alphas(m: SoftMeet, alphas: Sequence[float]) -> list[float]:
    """Rand_alpha over distinct pairs for each alpha."""
    if m.is_hard:
        return [rand.of(m.hard)] * len(alphas)
    if m.objects < 2:
        return [1.0] * len(alphas)
    if (found := _against_hard(m)) is not None:
        same, apart = found
        pairs = m.objects * (m.objects - 1) / 2
        agree, unknown = same.same + apart.apart, same.unknown + apart.unknown
        return [(agree + (1 - alpha) * unknown) / pairs for alpha in alphas]
    return [1.0 - d for d in mean_distance(m, "alpha", alphas)]


def _against_hard(m: SoftMeet) -> tuple[PairSums, PairSums] | None:
    """Sums over pairs of what the uncertain side knows, where the other side is certain."""
    if "hard" not in m.memo:
        m.memo["hard"] = None if (f := facing(m)) is None else sums_over_pairs(f)
    found: tuple[PairSums, PairSums] | None = m.memo["hard"]
    return found


def _credal_rand(
    m: SoftMeet,
    kind: Kind,
    pairs: Pairs,
    agreeing: Callable[[PairSums, PairSums], float] | None = None,
) -> float:
    """One less the mean distance of what both know of a pair; against a hard clustering, which
    pairs are `agreeing` follows from sums over those that it puts together and apart.
    """
    if m.is_hard:
        value = rand.of(m.hard)
    elif agreeing and m.objects > 1 and (found := _against_hard(m)) is not None:
        value = agreeing(*found) / (m.objects * (m.objects - 1) / 2)
    else:
        value = 1.0 - mean_distance(m, kind, (0,))[0]
    return over_pairs(value, m.objects, pairs)


@measure(cite="denoeux2017", perfect=False)
def rand_belief(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Credal Rand index by belief distance: an unknown pair counts as half right.

    Definition:  1 - mean over pairs of half the differences of belief in together, in apart and in
                 either

    Without mass on the empty set this is rand_alpha(alpha=0.5).
    """
    return _credal_rand(
        m, "belief", pairs,
        lambda same, apart: same.same + apart.apart + (same.unknown + apart.unknown) / 2,
    )  # fmt: skip


@measure(cite="denoeux2017", perfect=False, cost=PAIRS_OF_ROWS)
def rand_jousselme(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Credal Rand index by Jousselme distance: an unknown pair costs more than an even chance.

    Definition:  1 - mean over pairs of √((m - m')ᵀ J (m - m') / 2), m and m' what truth and guess
                 know, J the Jaccard indices of {together}, {apart}, unknown and impossible
    """
    return _credal_rand(m, "jousselme", pairs)


@measure(
    cite="denoeux2017", perfect=False, best=None,
    cost="one pass over the distinct rows, times the clusters and the sets",
)  # fmt: skip
def rand_conflict(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Credal Rand index by degree of conflict: an unknown pair is never wrong.

    Definition:  1 - mean over pairs of the mass on relations that exclude each other

    A clustering conflicts with itself as soon as chances are spread over several clusters, so it
    need not have 1 with itself.
    """
    return _credal_rand(
        m, "conflict", pairs,
        lambda same, apart: same.same + apart.apart + same.unknown + apart.unknown,
    )  # fmt: skip


@measure(
    cite="campagner2019", bounds=(0.0, np.inf), perfect=False, best=None,
    cost="against a hard clustering, polynomial in the objects for a fixed number of clusters;"
    " between two rough ones, exponential in the uncertain objects; up to `budget` steps",
)  # fmt: skip
def soft_mutual_information(m: SoftMeet, *, budget: int = 1_000_000_000) -> ScoreRange:
    """Soft mutual information: least and greatest value between rough clusterings, in nats.

    Definition:  min and max of I(C, C') over hard C that truth allows and C' that guess allows

    The ends are taken over all pairs of hard clusterings that the two allow. Against a hard
    clustering this is a programme over column totals, between two rough ones all pairs are tried,
    up to `budget` steps of work.
    """
    from clusterdiff.measures.transport import range_of_information

    if m.is_hard:
        value = mutual_information.of(m.hard)
        return ScoreRange(value, value)
    return ScoreRange(*range_of_information(m, budget))


@measure(
    cite="campagner2023", bounds=(0.0, np.inf), best=0.0, perfect=False, solver=True,
    cost="one pass over the distinct rows, times the clusters (between two uncertain clusterings"
    " the pairs of clusters), and one matching",
)  # fmt: skip
def partition_distance_alpha(
    m: SoftMeet, *, alpha: float | None = None, over: Literal["n-1", "n"] = "n-1"
) -> float | ScoreRange:
    """Partition distance of uncertain clusterings: one matching, unknown at the cost alpha.

    Definition:  min over matchings of Σ_clusters Σ_objects Δ_alpha / 2(n - 1), where Δ_alpha is
    the least cost of turning what truth knows of "is it in this cluster" into what guess knows

    Without alpha, the interval from alpha = 0 to alpha = 1. over='n' divides by n, as printed
    examples do. Against a vacuous clustering it can exceed 1.
    """
    scale = share_of_move(m, over)
    if alpha is not None:
        return _moved(m, (alpha,))[0] * scale
    low, high = (moved * scale for moved in _moved(m, (0.0, 1.0)))
    return ScoreRange(min(low, high), high, distance=True)


def share_of_move(m: SoftMeet, over: str) -> float:
    """One over twice the number of moves that there can be."""
    return 0.0 if m.objects < 2 else 0.5 / (m.objects - 1 if over == "n-1" else m.objects)


def _moved(m: SoftMeet, alphas: Sequence[float]) -> list[float]:
    """The least sum over clusters and objects of what is moved, for each alpha."""
    if m.is_hard:
        return [2.0 * round(partition_distance.of(m.hard) * max(m.objects - 1, 0))] * len(alphas)
    if (f := facing(m)) is not None:
        found = match_with_hard(f)
        sure, vague = float(found.mass @ found.sure), float(found.mass @ found.vague)
        return [sure + alpha * vague - found.kept for alpha in alphas]
    costs = moving_costs(m, alphas)
    return [float(cost[matched_clusters(-cost)[:2]].sum()) for cost in costs]


def moving_costs(m: SoftMeet, alphas: Sequence[float]) -> Floats:
    """For each alpha, clusters of truth x clusters of guess that hold any mass: what is moved if
    the one stands for the other. The side with fewer is filled up with clusters that hold nothing.
    """
    if m.rows > SMALL and m.masses_on_device:
        from clusterdiff.measures import soft_on_device as moving

        return moving.moving_costs(m, alphas)
    truth, guess = held_clusters(m.truth), held_clusters(m.guess)
    clusters = max(truth.size, guess.size)
    cost = np.zeros((len(alphas), clusters, clusters))
    rows = max(1, CELLS // max(1, clusters**2))
    for at in range(0, m.rows, rows):
        part = slice(at, at + rows)
        weight = m.both[part].astype(np.float64)
        one = RelationMass(*(x[:, :, None] for x in of_clusters(m.truth, part, truth, clusters)))
        other = RelationMass(*(x[:, None, :] for x in of_clusters(m.guess, part, guess, clusters)))
        for total, alpha in zip(cost, alphas, strict=True):
            total += np.tensordot(weight, moving_cost(one, other, alpha), 1)
    return cost


def held_clusters(side: SoftSide) -> Ints:
    """The clusters that hold any mass."""
    return np.flatnonzero(side.masses.plausible.any(axis=0))


def of_clusters(side: SoftSide, part: slice, named: Ints, clusters: int) -> RelationMass:
    """The evidence on "is it in this cluster" for some rows and each cluster: yes, no, unknown,
    impossible; up to so many clusters, those that the side lacks hold nothing.
    """
    m, row = side.masses, side.row[part]
    single, plausible = (
        np.pad(values[np.ix_(row, named)], ((0, 0), (0, clusters - named.size)))
        for values in (m.single, m.plausible)
    )
    empty = np.repeat(m.empty[row][:, None], clusters, axis=1)
    return RelationMass(single, 1.0 - empty - plausible, np.maximum(0.0, plausible - single), empty)


class HardMatch(NamedTuple):
    """The best matching of the clusters of a hard with those of an uncertain clustering, the same
    for every alpha, and what is moved: for the mass on each set `sure` + alpha `vague`, less the
    mass on sets that hold the cluster matched, and once more less that on it alone.
    """

    label: Ints
    cluster: Ints
    """The cluster of the uncertain side that each of the labels is matched with."""
    kept: float
    """What the matching takes off for all objects."""
    mass: Floats
    """The mass of all objects on each focal set."""
    sure: Floats
    vague: Ints


def match_with_hard(f: SoftVersusHard) -> HardMatch:
    """The best matching of labels with the clusters of an uncertain side."""
    m, size = f.side.masses, f.side.masses.focal.size
    groups = masses_by_label(f)
    total = np.asarray(groups.sum(axis=0)).ravel()
    inside = in_clusters(groups, m)
    used = int((np.asarray(inside.sum(axis=0)).ravel() > 0).sum())
    *matched, best = matched_clusters(in_clusters(groups, m, alone=True) + inside)
    sure = 1.0 + (max(used, np.unique(f.label).size) - 1) * (size == 0) + (size == 1)
    return HardMatch(matched[0], matched[1], best, total, sure, np.where(size > 1, size, 0))
