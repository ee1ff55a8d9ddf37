"""What MUC and CEAF-e count: links that build a cluster, and entities matched one to one by
φ4 = 2|T∩G| / (|T| + |G|).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures.core.sums import clusters_of, size_of
from clusterdiff.measures.core.zero_division import precision_recall
from clusterdiff.measures.hard.assignment import best_matching
from clusterdiff.meet import Counted, HardMeet, Shapes


def muc_links(s: Shapes, zero: float) -> tuple[float, float]:
    """Links in both over those of guess, and over those of truth; `zero` is 0/0."""
    links = int((np.maximum(s.found - 1, 0) * s.times).sum())
    guess = s.guess_objects - s.guess_sizes.clusters
    truth = s.truth_objects - s.truth_sizes.clusters
    return precision_recall(links, guess, truth, zero)


def muc_terms(m: Counted) -> dict[str, Floats]:
    """What each row adds to the links in both, in guess and in truth."""
    n, (truths, guesses) = size_of(m), clusters_of(m)
    return {
        "links": np.maximum(m.found - 1.0, 0.0),
        "truth links": n * m.in_truth - truths,
        "guess links": n * m.in_guess - guesses,
    }


class Entities(NamedTuple):
    """A best matching of clusters by φ4."""

    rows: Ints
    phi: Floats
    total: Fraction

    @property
    def earned(self) -> Floats:
        """For each row how similar its clusters are if they are matched, else 0."""
        earned = np.zeros(self.phi.size)
        earned[self.rows] = self.phi[self.rows]
        return earned


def matched_entities(m: HardMeet) -> Entities:
    """The clusters that are matched, how similar they are, and the sum of that."""
    sizes = m.truth_size + m.guess_size
    phi = 2 * m.found / sizes
    rows = best_matching(m, phi)
    tops = np.bincount(sizes[rows], 2 * m.found[rows] * m.times[rows])
    total = sum((Fraction(int(tops[d]), int(d)) for d in np.flatnonzero(tops)), Fraction(0))
    return Entities(rows, phi, total)


def entity_means(m: HardMeet, e: Entities, zero: float) -> tuple[float, float]:
    """The sum over the number of guess clusters, and over that of truth clusters."""
    return (
        float(e.total / n) if (n := m.guess_sizes.clusters) else zero,
        float(e.total / n) if (n := m.truth_sizes.clusters) else zero,
    )


def entity_terms(m: HardMeet) -> dict[str, Floats]:
    """How similar the matched clusters of each row are, and its part of its clusters."""
    truths, guesses = clusters_of(m)
    return {"truths": truths, "guesses": guesses, "matched": matched_entities(m).earned}
