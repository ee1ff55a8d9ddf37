"""The omega index: pairs of objects that share equally many clusters on both sides."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.overlapping.bcubed import PLAIN, co_members, once
from clusterdiff.meet import CoverMeet


@measure(cite="collins1988", bounds=(-1.0, 1.0), reached=False, perfect=False, hard="adjusted_rand")
def omega(m: CoverMeet) -> float:
    """Omega index: share of pairs in equally many clusters on both sides, corrected for chance.

    Definition:  (observed - expected) / (1 - expected), observed = share of pairs with t = g,
                 expected = Σ_j share of pairs with t = j · share of pairs with g = j
    """
    pairs = once(m, co_members, PLAIN, None).pairs.copy()
    guess, truth = m.guess.memberships, m.truth.memberships
    covered = np.maximum(guess, truth) > 0
    for place, shared in enumerate((guess, truth, np.where(guess == truth, 0, -1))):
        here = covered & (shared >= 0)
        np.subtract.at(pairs[place], shared[here], m.both[here].astype(object))
    total = m.objects * (m.objects - 1)
    if not total:
        return 1.0
    apart = total - int(pairs[0].sum())
    observed = Fraction(int(pairs[2, 0]) + apart, total)
    pairs[:2, 0] += apart
    expected = Fraction(int((pairs[0] * pairs[1]).sum()), total**2)
    return 1.0 if expected == 1 else float((observed - expected) / (1 - expected))
