"""A plan between two uncertain clusterings: what is known of each object coupled for itself."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.masses import CHUNK
from clusterdiff.measures.hard.assignment import matched_clusters
from clusterdiff.meet import SoftMeet


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
