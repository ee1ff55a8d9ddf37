"""Overlapping NMI: each cluster is a yes-or-no variable, explained by its best match."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.core.zero_division import share
from clusterdiff.measures.hard.best_match import PAIRS_OF_CLUSTERS, best_partners
from clusterdiff.meet import CoverMeet
from clusterdiff.meet.exact_sums import exact_sum


class Entropies(NamedTuple):
    """Of each cluster of a side: its entropy, and what is left of it given the other side."""

    whole: Floats
    rest: Floats

    @classmethod
    def of(cls, m: CoverMeet) -> Entropies:
        """The entropies of the guess clusters."""
        whole = _entropy(m.guess.size, m.objects)
        if not m.truth.clusters:
            return cls(whole, whole)
        half = 2 * max(int(m.guess.size.max(initial=0)), int(m.truth.size.max())) > m.objects
        return cls(whole, -best_partners(m, _minus_conditional, apart=half))

    def mean_rest(self, other: Entropies) -> float:
        """Mean over clusters of the share of their entropy that is left.

        A cluster of all objects has none; nothing of it is left if the other side has one too.
        """
        if not self.whole.size:
            return float(other.whole.size > 0)
        trivial = float(not (other.whole == 0).any())
        return exact_sum(share(self.rest, self.whole, trivial)) / self.whole.size


def _plogp(count: Any, objects: int) -> Floats:
    """-p log p of shares of the objects."""
    p = np.asarray(count, np.float64) / objects
    return np.asarray(-p * np.log(p, out=np.zeros_like(p), where=p > 0))


def _entropy(size: Any, objects: int) -> Floats:
    return _plogp(size, objects) + _plogp(objects - size, objects)


def _minus_conditional(both: Any, size: Any, other: Any, objects: int) -> Floats:
    """Minus the entropy of a cluster given another one; of clusters that tell more by differing
    than by agreeing, minus its whole entropy. If no cluster has more than half of the objects,
    disjoint ones never tell more by agreeing: h(1-x-y) <= h(x) + h(y) for x, y <= 1/2.
    """
    agree = _plogp(both, objects) + _plogp(objects - size - other + both, objects)
    differ = _plogp(size - both, objects) + _plogp(other - both, objects)
    rest = agree + differ - _entropy(other, objects)
    return -np.where(agree >= differ - 1e-12, rest, _entropy(size, objects))


@measure(cite="mcdaid2011", bounds=(0.0, 1.0), perfect=False, cost=PAIRS_OF_CLUSTERS)
def onmi(m: CoverMeet, *, variant: Literal["max", "lfk"] = "max") -> float:
    """Overlapping normalized mutual information (ONMI): each cluster with its best match.

    Definition:  (Σ_T (H(T) - H(T | guess)) + Σ_G (H(G) - H(G | truth))) / 2 max(Σ_T H(T), Σ_G
                 H(G)), where H(T | guess) = min_G H(T | G)

    Each cluster is a yes-or-no variable; its entropy given the other side is that given the best
    single cluster there, if that one tells more by agreeing than by differing.
    variant='max' divides the information by the larger total entropy (McDaid, Greene and Hurley
    2011); 'lfk' takes the mean of the clusters' quotients (Lancichinetti, Fortunato and
    Kertész 2009).

    Also known as: overlapping NMI, LFK NMI (variant='lfk').
    """
    guess, truth = Entropies.of(m), Entropies.of(m.swap())
    if variant == "lfk":
        return 1.0 - (guess.mean_rest(truth) + truth.mean_rest(guess)) / 2
    of_guess, of_truth = exact_sum(guess.whole), exact_sum(truth.whole)
    most = max(of_guess, of_truth)
    if not most:
        return float(guess.whole.size == truth.whole.size)
    told = (of_guess - exact_sum(guess.rest)) + (of_truth - exact_sum(truth.rest))
    return told / 2 / most
