"""Ends that are certain: inequalities with a proof.

Against a certain clustering C, d₀ and d₁ are the mean over rough clusterings of the least and the
largest distance to a clustering that they allow; so the mean distance to any way of choosing one
lies between them. Between two uncertain clusterings, every coupling of what is known object by
object is a plan, whose cost is not below the least one. Against a certain clustering all of it is
linear in the rows; between two uncertain ones the low end goes over all pairs of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.degrees import CHUNK, MOST, Masses
from clusterdiff.clusterings.sets import singles
from clusterdiff.contingency import SoftMeet, SoftSide
from clusterdiff.errors import KindError
from clusterdiff.measures.assignment import matched_clusters
from clusterdiff.measures.evidential import partition_distance_alpha, rand_alphas
from clusterdiff.measures.pair_masses import (
    SoftVersusHard,
    expected_pairs,
    in_clusters,
    masses_by_label,
    sums_over_pairs,
)
from clusterdiff.measures.transport.distance import Base, End, Ends, logical, may_lack

# A plan between two uncertain clusterings: the evidence on each object is coupled separately.


class Coupling:
    """What truth and guess know of each object, coupled so that equal sets go together first, then
    sets that share most, under one matching of the clusters.
    """

    def __init__(self, m: SoftMeet) -> None:
        self.both = m.both.astype(np.float64)
        truth, guess = m.truth.masses, m.guess.masses
        overlap = (truth.betting[m.truth.row] * self.both[:, None]).T @ guess.betting[m.guess.row]
        first, second, _ = matched_clusters(overlap)
        clusters = truth.clusters + guess.clusters
        renamed = truth.clusters + np.arange(guess.clusters)
        renamed[second] = first
        self.one = np.zeros((truth.focal.number, clusters), np.bool_)
        self.one[:, : truth.clusters] = truth.member
        self.other = np.zeros((guess.focal.number, clusters), np.bool_)
        self.other[:, renamed] = guess.member
        self.types, self.share = self._coupled(truth.mass[m.truth.row], guess.mass[m.guess.row])

    def _coupled(self, truth: Floats, guess: Floats) -> tuple[Ints, Floats]:
        """Pairs of sets (truth, guess), and how much mass each row has on each pair."""
        both = (self.one[:, None] & self.other).sum(axis=2)
        either = (self.one[:, None] | self.other).sum(axis=2)
        alike = both / np.maximum(either, 1)
        pairs, shares = [], []
        truth, guess = truth.copy(), guess.copy()
        for cell in np.argsort(-alike, axis=None, kind="stable"):
            a, b = divmod(int(cell), self.other.shape[0])
            moved = np.minimum(truth[:, a], guess[:, b])
            if not moved.any():
                continue
            truth[:, a] -= moved
            guess[:, b] -= moved
            pairs.append((a, b))
            shares.append(moved)
        share = np.column_stack(shares)
        return np.array(pairs, np.int64), share / share.sum(axis=1, keepdims=True)

    def costs(self, *, pairs: bool) -> tuple[float, float]:
        """Pairs that disagree, or objects that move: under kind choices, and at most."""
        a, b = self.one[self.types[:, 0]], self.other[self.types[:, 1]]
        meet = np.asarray((a & b).any(axis=1))
        equal = np.asarray((a == b).all(axis=1))
        if not pairs:
            total = self.both @ self.share
            return float(total @ ~meet), float(total @ ~equal)
        return self._kind_pairs(a, b), self._unsure_pairs(a, b, equal)

    def _kind_pairs(self, a: Bools, b: Bools) -> float:
        """The mean number of pairs that disagree where objects choose a common cluster."""
        common = a & b
        some = np.asarray(common.any(axis=1))
        first = np.where(some[:, None], common, a).astype(np.float64)
        second = np.where(some[:, None], common, b).astype(np.float64)
        first /= first.sum(axis=1, keepdims=True)
        second /= second.sum(axis=1, keepdims=True)
        joint = first[:, :, None] * second[:, None, :]
        clusters = a.shape[1]
        joint[some] = np.eye(clusters) * first[some][:, :, None]
        flat = joint.reshape(len(a), -1)
        together = self._pairs_together(first) + self._pairs_together(second)
        return max(0.0, together - 2 * self._pairs_together(flat))

    def _pairs_together(self, label: Floats) -> float:
        """The mean number of pairs with equal labels, from the chances of labels per type."""
        total = (self.both @ self.share) @ label
        own = 0.0
        for at in range(0, len(self.both), CHUNK):
            part = self.share[at : at + CHUNK] @ label
            own += float(self.both[at : at + CHUNK] @ np.einsum("ij,ij->i", part, part))
        return (float(total @ total) - own) / 2

    def _unsure_pairs(self, a: Bools, b: Bools, equal: Bools) -> float:
        """The mean number of pairs that may disagree for some choice of one side.

        A pair does not where both objects have the same set on both sides, or where both sides
        know the same relation for certain.
        """
        ways = []
        for sets in (a, b):
            one = np.asarray(sets.sum(axis=1) == 1)
            shared = sets.astype(np.float64) @ sets.T.astype(np.float64)
            ways.append((np.asarray((shared > 0) & one[:, None] & one), np.asarray(shared == 0)))
        fine = (equal[:, None] & equal) | (ways[0][0] & ways[1][0]) | (ways[0][1] & ways[1][1])
        unsure = (~fine).astype(np.float64)
        total = self.both @ self.share
        own = 0.0
        for at in range(0, len(self.both), CHUNK):
            part = self.share[at : at + CHUNK]
            own += float(self.both[at : at + CHUNK] @ np.einsum("ij,ij->i", part @ unsure, part))
        return (float(total @ unsure @ total) - own) / 2


STEPS = np.geomspace(0.01, 8.0, 16)
"""Exponents among which the best is taken; every one gives a bound."""
COUPLED = 10**8
"""Pairs of focal sets times rows up to which what is known is coupled object by object."""
SMALL = 10**8
"""Cells of tables sets x clusters, one for each certain cluster, that are worth laying out."""
SUBSETS = 10**7
"""Sets of clusters that are gone through in a sum over all matchings."""


def no_bounds(base: Base) -> KindError:
    """A measure for which no inequality is proved."""
    return KindError(
        f"no inequality is proved for transport({base.measure}) with what is known here.",
        "bounds are known for rand, mirkin_distance, partition_distance and accuracy; "
        "use method='exact' or method='sample' for other measures.",
    )


def against_hard(base: Base, f: SoftVersusHard) -> Ends:
    """Bounds of the two ends against a certain clustering."""
    if base.per_pair is not None:
        ends = _pairs(f, base.per_pair)
    elif base.per_move is not None:
        ends = _moves(f, base.per_move)
    else:
        raise no_bounds(base)
    least, most = (End(low, min(high, base.largest)) for low, high in ends[:2])
    return ends._replace(least=least, most=most)


def _pairs(f: SoftVersusHard, scale: float) -> Ends:
    """A pair of which the guess knows the contrary disagrees in every clustering that it allows,
    and one of which it knows the same in none.
    """
    same, apart = sums_over_pairs(f)
    wrong, unknown = same.apart + apart.same, same.unknown + apart.unknown
    near, far = wrong + unknown, wrong
    if _is_small(f):
        matched, _ = _matching(f)
        chosen = [expected_pairs(_chosen(f, matched, kind=kind)) for kind in (True, False)]
        near, far = min(near, *chosen), max(far, *chosen)
    return Ends(
        End(wrong, max(wrong, near)) * scale,
        End(min(wrong + unknown, far), wrong + unknown) * scale,
        "outer bounds: Rand₁ ≤ 1 - d₁ ≤ 1 - d₀ ≤ Rand₀, one side is certain",
    )


def _matching(f: SoftVersusHard, *, alone: bool = False) -> tuple[Ints, float]:
    """For each certain cluster the guess cluster that it is matched with, -1 for none, so that the
    masses on sets that hold it (or are it alone) have the largest sum; and that sum.
    """
    groups = masses_by_label(f)
    matched = np.full(f.labels, -1)
    rows, columns, total = matched_clusters(in_clusters(groups, f.side.masses, alone=alone))
    matched[rows] = columns
    return matched, total


def _is_small(f: SoftVersusHard) -> bool:
    """Whether choices can be laid out cluster by cluster, which narrows the bounds."""
    m = f.side.masses
    return m.focal.number * m.clusters * f.labels <= SMALL and f.label.size * m.clusters <= MOST


def _chosen(f: SoftVersusHard, matched: Ints, *, kind: bool) -> SoftVersusHard:
    """A fuzzy clustering within the uncertain one: the matched cluster is chosen from each set
    where it can be (kind), or another where there is one; all that are left are equally likely.
    """
    m = f.side.masses
    table = np.empty((f.label.size, m.clusters))
    order = np.argsort(f.label, kind="stable")
    starts = np.searchsorted(f.label[order], np.arange(f.labels + 1))
    for label in range(f.labels):
        rows = order[starts[label] : starts[label + 1]]
        choice = m.member.astype(np.float64)
        if (target := int(matched[label])) >= 0:
            has = m.member[:, target]
            if kind:
                choice[has] = 0.0
                choice[has, target] = 1.0
            else:
                choice[has & (m.focal.size > 1), target] = 0.0
        choice /= np.maximum(choice.sum(axis=1, keepdims=True), 1.0)
        table[rows] = m.summed(choice, f.side.row[rows])
    masses = Masses(singles(np.arange(m.clusters)), m.clusters, table)
    return f._replace(side=SoftSide("fuzzy", np.arange(f.label.size), masses))


def _moves(f: SoftVersusHard, scale: float) -> Ends:
    """The mean of a minimum over matchings is not above the minimum of the means, and below it by
    no more than the other matchings can gain; and a move changes no more than n - 1 pairs.
    """
    objects = float(f.both.sum())
    best, kept = _matching(f)
    least = objects - kept
    sure, kept = _matching(f, alone=True)
    most = objects - kept
    gain, below = math.inf, 0.0
    if _is_small(f):
        gain = _most_gain(f, best)
        unkind = _chosen(f, sure, kind=False)
        settled, kept = _matching(unkind)
        below = objects - kept - _most_gain(unkind, settled)
    low = min(least, max(0.0, least - gain, expected_pairs(f) / max(1.0, objects - 1)))
    return Ends(
        End(low, least) * scale,
        End(min(most, max(low, below)), most) * scale,
        "outer bounds: E[min] ≤ min E over matchings, and above it less exponential moments",
    )


def _most_gain(f: SoftVersusHard, matched: Ints) -> float:
    """At most how many moves fewer another matching needs, on average.

    Y⁺ ≤ exp(λY - 1)/λ for every λ > 0, and exp of a sum over independent objects has the product
    of their means, so that the sum over all other matchings is a permanent.
    """
    m = f.side.masses
    clusters = m.clusters
    if clusters > 20 or f.labels * clusters * 2**clusters > SUBSETS:
        return math.inf
    gain = np.zeros((STEPS.size, f.labels, clusters + 1))
    for rows, wins, loses in _exchanged(f, matched):
        weight = f.both[rows].astype(np.float64)
        for k, step in enumerate(STEPS):
            moment = np.log1p(wins * math.expm1(step) + loses * math.expm1(-step))
            for column in range(clusters + 1):
                gain[k, :, column] += np.bincount(
                    f.label[rows], weight * moment[:, column], f.labels
                )
    bounds = [
        _other_matchings(one, matched) / (step * math.e)
        for one, step in zip(gain, STEPS, strict=True)
    ]
    return float(min(bounds))


def _exchanged(f: SoftVersusHard, matched: Ints) -> Iterator[tuple[slice, Floats, Floats]]:
    """For some rows at a time and each guess cluster (last: none), the chances that it holds the
    object and the matched one does not, and the other way round.
    """
    m = f.side.masses
    inside = np.column_stack([m.member, np.zeros(m.focal.number, np.bool_)]).astype(np.float64)
    for at in range(0, f.label.size, CHUNK):
        rows = slice(at, at + CHUNK)
        profile, own = f.side.row[rows], matched[f.label[rows]]
        wins = np.empty((own.size, m.clusters + 1))
        loses = np.empty_like(wins)
        for target in np.unique(own):
            some = own == target
            has = inside[:, target] if target >= 0 else np.zeros(m.focal.number)
            wins[some] = m.summed(inside * (1 - has)[:, None], profile[some])
            loses[some] = m.summed((1 - inside) * has[:, None], profile[some])
        yield rows, wins, loses


def _other_matchings(gain: Floats, matched: Ints) -> float:
    """The sum over all matchings but one of exp of the sum of their gains."""
    labels, clusters = gain.shape[0], gain.shape[1] - 1
    spare = max(0, labels - clusters)
    size = 1 << clusters
    same = np.full(size, -np.inf)
    other = np.full(size, -np.inf)
    same[0] = 0.0
    masks = np.arange(size)
    used = np.array([mask.bit_count() for mask in range(size)])
    for label in range(labels):
        new_same, new_other = np.full(size, -np.inf), np.full(size, -np.inf)
        for column in range(clusters + 1):
            if column == clusters:
                here = there = masks[label - used < spare]
            else:
                here = masks[(masks >> column & 1) == 0]
                there = here | (1 << column)
            own = column == (matched[label] if matched[label] >= 0 else clusters)
            if own:
                new_same[there] = np.logaddexp(new_same[there], same[here])
                new_other[there] = np.logaddexp(new_other[there], other[here])
            else:
                both = np.logaddexp(same[here], other[here]) + gain[label, column]
                new_other[there] = np.logaddexp(new_other[there], both)
        same, other = new_same, new_other
    total = float(np.logaddexp.reduce(other[used == min(labels, clusters)]))
    return math.exp(total) if total < 700 else math.inf


def between(base: Base, m: SoftMeet) -> Ends:
    """Bounds of the two ends between two uncertain clusterings."""
    scale = base.per_pair if base.per_pair is not None else base.per_move
    if scale is None:
        raise no_bounds(base)
    n = m.objects
    rand_0, _ = rand_alphas(m, (0.0, 1.0))  # both ends in one pass: rand_alpha asks for both
    wrong = n * (n - 1) / 2 * max(0.0, 1.0 - rand_0)
    empty = may_lack(m)
    if empty and base.largest != 1.0:
        raise no_bounds(base)
    if base.per_pair is not None:
        low, how = wrong, "1 - d₀ ≤ Rand₀"
    else:
        low, how = wrong / max(1, n - 1), "a move changes n - 1 pairs"
        if logical(m.truth) and logical(m.guess) and not empty:
            found = partition_distance_alpha.with_params(alpha=0.0).of(m) * max(1, n - 1)
            low, how = max(low, found), "δ₀ ≤ d₀ between rough clusterings"
    sets = [side.masses.focal.number for side in (m.truth, m.guess)]
    if empty or sets[0] * sets[1] * m.rows > COUPLED:
        furthest = n * (n - 1) / 2 if base.per_pair is not None else n - 1
        far = base.largest if empty else scale * furthest
        return Ends(
            End(scale * low, far), End(scale * low, far), f"outer bounds: {how}; d ≤ {far:g}"
        )
    least, most = Coupling(m).costs(pairs=base.per_pair is not None)
    return Ends(
        End(min(low, least), least) * scale,
        End(min(low, most), most) * scale,
        f"outer bounds: {how}; the cost of a coupling object by object",
    )
