"""Overlapping clusterings: Extended BCubed, CICE-BCubed, omega, overlapping NMI, average F1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats
from clusterdiff.contingency import CoverMeet
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.errors import InputError
from clusterdiff.measures.base import DrawnObjects, Form, Mean, draw, f_of_means, mean, measure
from clusterdiff.measures.comembership import BUDGET, CoMembers, alike, around, plan
from clusterdiff.measures.matching import PAIRS_OF_CLUSTERS, best_partners
from clusterdiff.measures.matching import f as f_of_clusters
from clusterdiff.measures.sums import Sums, UnitSums, function_of_sums
from clusterdiff.measures.zero_division import f_scores, share

# BCubed for objects in several clusters.

Uncovered = Literal["one", "zero", "skip", "refuse"]
Match = Literal["all", "pair"]
Clusterwise = Literal["jaccard", "rand", "f"] | Callable[..., Any]


class _Part(NamedTuple):
    """A value of each row's objects, the rows that count for its mean, and the mean of none."""

    values: Floats
    counts: Bools
    nothing: float


class _Shares(NamedTuple):
    """Precision and recall of each row's objects, or of those drawn."""

    precision: _Part
    recall: _Part
    lacking: Bools
    """Rows whose objects are on one side only."""
    drawn: DrawnObjects | None
    weight: NDArray[np.int64]
    plain: bool
    """Whether all objects count: each has a score of its own."""

    def each_f(self, alpha: float) -> _Part:
        """F of each row's objects."""
        values = f_scores(self.precision.values, self.recall.values, alpha)
        return _Part(values, self.precision.counts | self.recall.counts | self.lacking, 1.0)

    def f(self, alpha: float, form: str) -> float | Floats:
        """F of each object, or of mean precision and mean recall."""
        if form == "objects":
            return self.of(self.each_f(alpha))
        means = self.mean(self.precision), self.mean(self.recall)
        return self.with_error(f_of_means(*means, alpha))

    def of(self, part: _Part) -> float | Floats:
        """The values themselves, or their mean where not all objects count."""
        return part.values if self.plain else self.with_error(self.mean(part))

    def mean(self, part: _Part) -> Mean:
        """The mean over the objects that count."""
        return mean(self.weight, *part)

    def with_error(self, found: Mean) -> float:
        """A mean, with its standard error if objects were drawn."""
        return self.drawn.estimate(*found) if self.drawn else found.value


PLAIN = ("jaccard", "all")
"""The likeness of clusters that is found along with Extended BCubed, for CICE as it stands."""


def _shares(
    m: CoverMeet, uncovered: str, sample: int | None, seed: int, how: tuple[Any, str] | None = None
) -> _Shares:
    """The precision and recall of each object, by Extended BCubed or (`how`) by CICE."""
    drawn = None
    if sample is not None and sample < m.objects and once(m, plan).pairs > BUDGET:
        drawn = once(m, draw, sample, seed)
    found = once(m, co_members, how or PLAIN, drawn and (sample, seed))
    sums = (found.precise_alike, found.recalled_alike) if how else (found.precise, found.recalled)
    precision = _side(m, sums[0], found.guess, uncovered, "guess")
    recall = _side(m, sums[1], found.truth, uncovered, "truth")
    weight = drawn.times if drawn else m.both
    plain = drawn is None and uncovered != "skip"
    return _Shares(precision, recall, ~(m.in_truth & m.in_guess), drawn, weight, plain)


def once(m: CoverMeet, function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function of a meet, remembered with the meet."""
    key = (function.__name__, *(_key(argument) for argument in arguments))
    if key not in m.memo:
        m.memo[key] = function(m, *arguments), arguments
    return m.memo[key][0]


def _key(argument: Any) -> Any:
    """What an argument is remembered by; functions by their identity."""
    if isinstance(argument, tuple):
        return tuple(map(_key, argument))
    return id(argument) if callable(argument) else argument


def co_members(m: CoverMeet, how: tuple[Any, str], sample: tuple[int, int] | None) -> CoMembers:
    """The objects around each object, or around those drawn."""
    rows = once(m, draw, *sample).rows if sample else None
    return around(m, alike(m, *how), rows)


def _side(
    m: CoverMeet, sums: Floats, around: NDArray[np.int64], uncovered: str, name: str
) -> _Part:
    """The share of each row's objects on one side; a side that knows no objects has a mean of 0."""
    side, known = (m.guess, m.in_guess) if name == "guess" else (m.truth, m.in_truth)
    if uncovered == "refuse" and side.uncovered.any():
        count = int(m.both[side.uncovered].sum())
        raise InputError(
            f"{count:,} of {m.objects:,} objects are in no cluster of {name}, which "
            'uncovered="refuse" forbids.',
            'say what they count as: uncovered="one", "zero" or "skip".',
        )
    values = share(sums, around, 0.0)
    nowhere = side.uncovered & m.in_truth & m.in_guess
    values[nowhere] = float(uncovered == "one")
    counts = known & ~nowhere if uncovered == "skip" else known
    objects = m.guess_objects if name == "guess" else m.truth_objects
    return _Part(values, counts, float(objects > 0))


@measure(
    cite="amigo2009", symmetric=False, perfect=False, penalise=True, over="guess",
    hard="bcubed_precision",
)  # fmt: skip
def extended_bcubed_precision(
    m: CoverMeet, *, uncovered: Uncovered = "one", sample: int | None = None, seed: int = 0
) -> float | Floats:
    """Extended BCubed precision: BCubed precision that counts how many clusters two share.

    Definition:  P(o) = mean over o' with G(o) ∩ G(o') ≠ ∅ of
                 min(|G(o) ∩ G(o')|, |T(o) ∩ T(o')|) / |G(o) ∩ G(o')|

    An object in no cluster has no o': `uncovered` makes its P one or zero, or skips or refuses it.
    Where more than 10⁹ pairs would have to be visited, `sample` objects drawn with `seed` stand
    for all, with a standard error.
    """
    shares = _shares(m, uncovered, sample, seed)
    return shares.of(shares.precision)


@measure(
    cite="amigo2009", symmetric=False, perfect=False, penalise=True, over="truth",
    hard="bcubed_recall",
)  # fmt: skip
def extended_bcubed_recall(
    m: CoverMeet, *, uncovered: Uncovered = "one", sample: int | None = None, seed: int = 0
) -> float | Floats:
    """Extended BCubed recall: BCubed recall that counts how many clusters two share.

    Definition:  R(o) = mean over o' with T(o) ∩ T(o') ≠ ∅ of
                 min(|G(o) ∩ G(o')|, |T(o) ∩ T(o')|) / |T(o) ∩ T(o')|
    """
    shares = _shares(m, uncovered, sample, seed)
    return shares.of(shares.recall)


@measure(cite="amigo2009", perfect=False, penalise=True, hard="bcubed_f")
def extended_bcubed_f(
    m: CoverMeet,
    *,
    alpha: float = 0.5,
    f: Form = "means",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """Extended BCubed F: harmonic mean of Extended BCubed precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    It counts in how many clusters two objects are together, not in which, so that different covers
    can score 1.

    Also known as: extended BCubed, overlapping BCubed.
    """
    return _shares(m, uncovered, sample, seed).f(alpha, f)


@measure(cite="rosales2013", symmetric=False, perfect=False, penalise=True, over="guess")
def cice_precision(
    m: CoverMeet,
    *,
    similarity: Clusterwise = "jaccard",
    match: Match = "all",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """CICE-BCubed precision: Extended BCubed precision, weighted by how similar clusters are.

    Definition:  the term of o' is multiplied by Φ(o, o') = mean over the guess clusters G of both
                 of max sim(T, G) over all truth clusters T (match='pair': those with o and o')

    `similarity` is jaccard, rand (the share of objects in both or in neither), f, or a function
    of (objects in both, size, other size, all objects) that takes arrays, with values in 0 to 1.

    Also known as: cluster identity checking extended BCubed precision.
    """
    shares = _shares(m, uncovered, sample, seed, (similarity, match))
    return shares.of(shares.precision)


@measure(cite="rosales2013", symmetric=False, perfect=False, penalise=True, over="truth")
def cice_recall(
    m: CoverMeet,
    *,
    similarity: Clusterwise = "jaccard",
    match: Match = "all",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """CICE-BCubed recall: Extended BCubed recall, weighted by how similar clusters are.

    Definition:  cice_precision with truth and guess exchanged

    Also known as: cluster identity checking extended BCubed recall.
    """
    shares = _shares(m, uncovered, sample, seed, (similarity, match))
    return shares.of(shares.recall)


@measure(cite="rosales2013", penalise=True)
def cice_f(
    m: CoverMeet,
    *,
    alpha: float = 0.5,
    f: Form = "means",
    similarity: Clusterwise = "jaccard",
    match: Match = "all",
    uncovered: Uncovered = "one",
    sample: int | None = None,
    seed: int = 0,
) -> float | Floats:
    """CICE-BCubed F: harmonic mean of CICE-BCubed precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Among sets of distinct clusters only the same clusters score 1; if a clustering may hold a
    cluster twice, others can too. Homogeneity and rag bag, which BCubed satisfies, fail for it.

    Also known as: cluster identity checking extended BCubed, CICE-BCubed.
    """
    return _shares(m, uncovered, sample, seed, (similarity, match)).f(alpha, f)


def _sums(m: CoverMeet, *, place: str, **given: Any) -> Sums | None:
    """Values summed over the objects that count for them; None if they depend on objects elsewhere,
    or if objects are drawn.
    """
    how = (given["similarity"], given["match"]) if "similarity" in given else None
    if how is not None and how[0] not in ("jaccard", "f"):
        return None
    shares = _shares(m, given["uncovered"], given["sample"], given["seed"], how)
    if shares.drawn is not None:
        return None
    alpha = given.get("alpha", 0.5)
    parts = {"precision": shares.precision, "recall": shares.recall, "f": shares.each_f(alpha)}
    terms: dict[str, Floats] = {}
    for name, part in parts.items():
        terms[name] = np.asarray(m.both * np.where(part.counts, part.values, 0.0), np.float64)
        terms[f"objects of {name}"] = np.asarray(m.both * part.counts, np.float64)

    def score(s: Mapping[str, Floats]) -> Floats:
        means = {
            name: share(s[name], s[f"objects of {name}"], part.nothing)
            for name, part in parts.items()
        }
        if given.get("f") == "means":
            return f_scores(means["precision"], means["recall"], alpha)
        return means[place]

    return Sums(terms, score, whole=True)


for _place, _measures in {
    "precision": (extended_bcubed_precision, cice_precision),
    "recall": (extended_bcubed_recall, cice_recall),
    "f": (extended_bcubed_f, cice_f),
}.items():
    for _measure in _measures:
        _measure.hook("sums")(partial(_sums, place=_place))


# The omega index: pairs of objects that share equally many clusters on both sides.


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


def _cover_f1_terms(m: CoverMeet) -> dict[str, Floats]:
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


def _cover_f1_of(s: Mapping[str, Floats]) -> Floats:
    mean = (share(s["best of truth"], s["truth"]) + share(s["best of guess"], s["guess"])) / 2
    return np.where(s["truth"] * s["guess"] == 0, s["truth"] == s["guess"], mean)


function_of_sums(cover_f1, _cover_f1_terms, lambda s, _: _cover_f1_of(s), whole=True)
