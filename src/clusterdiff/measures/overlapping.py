"""The omega index: pairs of objects that share equally many clusters on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats
from clusterdiff.contingency import CoverMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.measures.base import measure
from clusterdiff.measures.matching import PAIRS_OF_CLUSTERS, best_partners
from clusterdiff.measures.matching import f as f_of_clusters
from clusterdiff.measures.overlapping_bcubed import PLAIN, co_members, once
from clusterdiff.measures.sums import UnitSums, function_of_sums
from clusterdiff.measures.zero_division import share


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


@omega.hook("sums_of_units")
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


# Overlapping NMI: each cluster is a yes-or-no variable, explained by its best match.


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


# Average F1: each cluster with its best match on the other side.


@measure(cite="yang2013", cost=PAIRS_OF_CLUSTERS)
def cover_f1(m: CoverMeet) -> float:
    """Average F1 score: mean F of each cluster with its best match, over both sides.

    Definition:  1/2 mean_T max_G F(T,G) + 1/2 mean_G max_T F(T,G), F(T,G) = 2|T∩G| / (|T| + |G|)

    The `f1` of cdlib is a different measure: the mean over the clusters of its
    first argument alone of F with the cluster that shares most objects, each F rounded to two
    decimals.

    Also known as: AvgF1, best-match F1.
    """
    if not m.truth.clusters or not m.guess.clusters:
        return float(m.truth.clusters == m.guess.clusters)
    sides = (best_partners(one, f_of_clusters, apart=False) for one in (m, m.swap()))
    return sum(exact_sum(best) / best.size for best in sides) / 2


def _terms(m: CoverMeet) -> dict[str, Floats]:
    """Clusters of each side and the F with their best match, each with the first of its rows."""
    terms: dict[str, Floats] = {}
    found = m.truth.clusters > 0 and m.guess.clusters > 0
    for name, one in (("truth", m.swap()), ("guess", m)):
        side = one.guess
        best = best_partners(one, f_of_clusters, apart=False) if found else np.zeros(side.clusters)
        start, rows = side.rows_of_clusters
        first = rows[start[:-1]]
        terms[name] = np.bincount(first, minlength=m.rows).astype(np.float64)
        terms[f"best of {name}"] = np.asarray(np.bincount(first, best, m.rows), np.float64)
    return terms


def _of_sums(s: Mapping[str, Floats]) -> Floats:
    mean = (share(s["best of truth"], s["truth"]) + share(s["best of guess"], s["guess"])) / 2
    return np.where(s["truth"] * s["guess"] == 0, s["truth"] == s["guess"], mean)


function_of_sums(cover_f1, _terms, lambda s, _: _of_sums(s), whole=True)
