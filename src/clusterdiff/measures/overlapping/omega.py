"""The omega index: pairs of objects that share equally many clusters on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.core.sums import UnitSums
from clusterdiff.measures.core.zero_division import share
from clusterdiff.measures.overlapping.bcubed import PLAIN, co_members, once
from clusterdiff.meet import CoverMeet


@measure(cite="collins1988", bounds=(-1.0, 1.0), reached=False, perfect=False, hard="adjusted_rand")
def omega(m: CoverMeet) -> float:
    """Omega index: share of pairs in equally many clusters on both sides, corrected for chance.

    Definition:  (observed - expected) / (1 - expected), observed = share of pairs with t = g,
                 expected = Σ_j (share of pairs with t = j) · (share of pairs with g = j)

    t and g are the numbers of clusters that two objects share in truth and in guess.
    """
    pairs = _pairs(m)
    total = m.objects * (m.objects - 1)
    if not total:
        return 1.0
    apart = total - int(pairs[0].sum())
    observed = Fraction(int(pairs[2, 0]) + apart, total)
    pairs[:2, 0] += apart
    expected = Fraction(int((pairs[0] * pairs[1]).sum()), total**2)
    return 1.0 if expected == 1 else float((observed - expected) / (1 - expected))


def _pairs(m: CoverMeet) -> NDArray[np.object_]:
    """Ordered pairs of objects that share a cluster: by the number of guess clusters they share, by
    that of truth clusters, and (place 0) how many share equally many.
    """
    pairs: NDArray[np.object_] = once(m, co_members, PLAIN, None).pairs.copy()
    guess, truth = m.guess.memberships, m.truth.memberships
    covered = np.maximum(guess, truth) > 0
    for place, shared in enumerate((guess, truth, np.where(guess == truth, 0, -1))):
        here = covered & (shared >= 0)
        np.subtract.at(pairs[place], shared[here], m.both[here].astype(object))
    return pairs


@omega.fact("sums_of_units")
def omega_sums(units: list[CoverMeet]) -> UnitSums:
    """Pairs by how many clusters they share; those that share none are the rest of all pairs."""
    counts = [_pairs(m).astype(np.float64) for m in units]
    widest = max(one.shape[1] for one in counts)
    padded = np.stack([np.pad(one, ((0, 0), (0, widest - one.shape[1]))) for one in counts], axis=2)
    terms = {
        f"{side} {j}": padded[place, j]
        for place, side in enumerate(("guess", "truth"))
        for j in range(widest)
    }
    terms |= {"equal": padded[2, 0], "objects": np.array([float(m.objects) for m in units])}
    terms |= {"guess": padded[0, 1:].sum(axis=0), "truth": padded[1, 1:].sum(axis=0)}

    def score(s: Mapping[str, Floats]) -> Floats:
        total = s["objects"] * (s["objects"] - 1)
        guess, truth = ([s[f"{side} {j}"] for j in range(widest)] for side in ("guess", "truth"))
        apart = total - sum(guess)
        guess[0], truth[0] = guess[0] + apart, truth[0] + apart
        both = sum(share(g, total) * share(t, total) for g, t in zip(guess, truth, strict=True))
        return share(share(s["equal"] + apart, total) - both, np.asarray(1 - both))

    return UnitSums(terms, score, sizes=("truth", "guess"))
