"""Entities matched one to one by φ4 = 2|T∩G| / (|T| + |G|): what CEAF-e sums."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.sums import clusters_of
from clusterdiff.measures.core.zero_division import share
from clusterdiff.measures.hard.assignment import best_matching
from clusterdiff.meet import HardMeet

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints


class Entities(NamedTuple):
    """A best matching of clusters by φ4."""

    rows: Ints
    phi: Floats
    total: Fraction


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
    entities = matched_entities(m)
    matched = np.zeros(m.both.size)
    matched[entities.rows] = entities.phi[entities.rows]
    return {"truths": truths, "guesses": guesses, "matched": matched}


def means_of_entities(s: Mapping[str, Floats], zero: float) -> tuple[Floats, Floats]:
    """The same means of sums of `entity_terms`."""
    return share(s["matched"], s["guesses"], zero), share(s["matched"], s["truths"], zero)
