"""Clusters matched with clusters: the best partner, a one-to-one matching, or an exact copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.grouping import group_pairs
from clusterdiff.contingency import Counted, CoverMeet, HardMeet, Shapes, Sizes
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.assignment import heaviest_matching
from clusterdiff.measures.base import Form, measure
from clusterdiff.measures.sums import (
    LineScore,
    Quotients,
    clusters_of,
    family_of_quotients,
    function_of_lines,
    function_of_sums,
    size_of,
)
from clusterdiff.measures.zero_division import f_of, f_score, part_of, ratio, share

MATCHING_COST = (
    "one pass over the objects, then a matching in each component: quick where guess is like truth,"
    " slow where every cluster meets every other"
)


def best_matching(m: HardMeet, weight: Floats) -> Ints:
    """The rows of a matching of truth with guess clusters whose weights have the largest sum.

    Clusters that agree match each other, the rest by `heaviest_matching`.
    """
    rest = np.flatnonzero(~m.agree & (m.truth >= 0) & (m.guess >= 0))
    matched = heaviest_matching(m.truth[rest], m.guess[rest], weight[rest])
    return np.concatenate([np.flatnonzero(m.agree), rest[matched]])


def matched_objects(m: HardMeet) -> int:
    """The most objects that a one-to-one matching of clusters can keep together."""
    return int(m.weight[best_matching(m, m.found.astype(np.float64))].sum())


def kept_rows(m: HardMeet) -> Floats:
    """1 for each row that the best matching of clusters keeps together."""
    kept = np.zeros(m.both.size)
    kept[best_matching(m, m.found.astype(np.float64))] = 1.0
    return kept


@measure(cite="meila2001", reached=False, solver=True, cost=MATCHING_COST)
def accuracy(m: HardMeet) -> float:
    """Clustering accuracy (ACC): share of objects kept by the best one-to-one cluster matching.

    Definition:  A = max over matchings W of Σ W(T,G) |T∩G| / n

    The matching is a linear assignment on the contingency table, which the Hungarian algorithm
    solves.

    Also known as: Hungarian accuracy, unsupervised clustering accuracy, matching accuracy.
    """
    return ratio(matched_objects(m), m.objects)


@measure(cite="almudevar1999", solver=True, cost=MATCHING_COST)
def partition_distance(m: HardMeet, *, over: Literal["n-1", "n"] = "n-1") -> float:
    """Partition distance: objects to move until the partitions are equal, as a share of n - 1.

    Definition:  d_π = (n - max over matchings W of Σ W(T,G) |T∩G|) / (n - 1)

    over='n' divides by n, as some printed examples do.
    """
    moved = m.objects - matched_objects(m)
    return ratio(moved, m.objects - 1 if over == "n-1" else m.objects, 0.0)


def largest_part(cluster: Ints, objects: Ints) -> Ints:
    """For each row, the most objects that its cluster has in one row; 0 for a missing cluster."""
    most = np.zeros(int(cluster.max(initial=-1)) + 2, np.int64)
    np.maximum.at(most, cluster + 1, objects)
    most[0] = 0
    return most[cluster + 1]


def purities(m: HardMeet) -> tuple[Floats, Floats]:
    """Share of the largest part in each object's guess cluster, and in its truth cluster."""
    return (
        np.where(m.found > 0, share(largest_part(m.guess, m.found), m.guess_size), 0.0),
        np.where(m.found > 0, share(largest_part(m.truth, m.found), m.truth_size), 0.0),
    )


def _objects_in_largest(m: HardMeet, cluster: Ints) -> int:
    """Objects in the largest part of their cluster, over all clusters."""
    times = np.zeros(int(cluster.max(initial=-1)) + 2, np.int64)
    most = np.zeros_like(times)
    times[cluster + 1] = m.times
    np.maximum.at(most, cluster + 1, m.found)
    return int((most[1:] * times[1:]).sum())


def _purity(m: HardMeet) -> Quotients:
    """Objects in the largest part of their guess and of their truth cluster."""
    of_guess, of_truth = (_objects_in_largest(m, side) for side in (m.guess, m.truth))
    return Quotients(of_guess, m.guess_objects, m.truth_objects, of_truth)


@measure(cite="vandongen2000", reached=False)
def van_dongen(m: HardMeet) -> float:
    """Van Dongen similarity: mean share of objects in the largest part of their cluster.

    Definition:  N = 1/2 Σ_T max_G |T∩G|/n + 1/2 Σ_G max_T |T∩G|/n

    That is 1 - D / 2n with the Van Dongen (split-join) distance D = 2n - Σ_T max_G |T∩G| -
    Σ_G max_T |T∩G|.
    """
    largest = _purity(m)
    return ratio(largest.precise + largest.recalled, 2 * m.objects)


@measure(cite="zhao2001", reached=False, symmetric=False, perfect=False, penalise=True)
def purity(m: HardMeet) -> float:
    """Purity: share of objects in the majority truth cluster of their guess cluster.

    Definition:  P = 1/n Σ_G max_T |T∩G|
    """
    return _purity(m).shares()[0]


@measure(cite="zhao2001", reached=False, symmetric=False, perfect=False, penalise=True)
def inverse_purity(m: HardMeet) -> float:
    """Inverse purity: share of objects in the majority guess cluster of their truth cluster.

    Definition:  R = 1/n Σ_T max_G |T∩G|
    """
    return _purity(m).shares()[1]


@measure(cite="zhao2001", reached=False, penalise=True, halves=("purity", "inverse_purity"))
def purity_f(m: HardMeet, *, alpha: float = 0.5, f: Form = "means") -> float | Floats:
    """Purity F: harmonic mean of purity and inverse purity.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: purity F-measure.
    """
    return f_of(
        f, purities(m) if f == "objects" else (None, None), lambda: _purity(m).shares(), alpha
    )


def _exact(s: Shapes) -> Quotients:
    same = int(s.times[_is_exact(s)].sum())
    return Quotients(same, s.guess_sizes.clusters, s.truth_sizes.clusters)


def _is_exact(s: Shapes) -> NDArray[np.bool_]:
    return np.asarray((s.both == s.truth_size) & (s.both == s.guess_size))


@measure(cite="menestrina2010", symmetric=False, penalise=True)
def exact_precision(s: Shapes) -> float:
    """Cluster-level precision: share of the guess clusters that are truth clusters exactly.

    Definition:  P = (clusters that both have) / (clusters of guess)

    Also known as: exact match precision, cluster precision, precision of grouping accuracy, PGA.
    """
    return _exact(s).shares()[0]


@measure(cite="menestrina2010", symmetric=False, penalise=True)
def exact_recall(s: Shapes) -> float:
    """Cluster-level recall: share of the truth clusters that are guess clusters exactly.

    Definition:  R = (clusters that both have) / (clusters of truth)

    Also known as: exact match recall, cluster recall, recall of grouping accuracy, RGA.
    """
    return _exact(s).shares()[1]


@measure(cite="menestrina2010", penalise=True)
def exact_f(s: Shapes, *, alpha: float = 0.5, f: Form = "means") -> float | Floats:
    """Cluster-level F: harmonic mean of cluster-level precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    f='objects' is the share of the objects that are in such clusters.

    Also known as: exact match F, cluster F1, F1 score of grouping accuracy, FGA.
    """
    exact = _is_exact(s).astype(np.float64)
    return f_of(f, (exact, exact), lambda: _exact(s).shares(), alpha)


@measure(cite="zhu2019", penalise=True)
def exact_accuracy(s: Shapes) -> Floats:
    """Grouping accuracy (GA): share of the objects whose cluster is found exactly.

    Definition:  GA = |{o : T(o) = G(o)}| / n

    As log parsing counts messages: one is right if the messages of its guess cluster are those of
    its template, no more and no fewer. It is exact_f(f='objects').

    Also known as: parsing accuracy, exact object accuracy.
    """
    return _is_exact(s).astype(np.float64)


def _unbroken(s: Counted) -> tuple[Bools, Bools]:
    """Which rows are all of a guess cluster, and all of a truth cluster."""
    return (s.found > 0) & (s.found == s.guess_size), (s.found > 0) & (s.found == s.truth_size)


def _pure(s: Shapes) -> Quotients:
    pure, whole = (int(s.times[rows].sum()) for rows in _unbroken(s))
    return Quotients(pure, s.guess_sizes.clusters, s.truth_sizes.clusters, whole)


@measure(cite="ralph2022", symmetric=False, perfect=False, penalise=True)
def pure_share(s: Shapes) -> float:
    """Pure share: share of the guess clusters that lie inside one truth cluster.

    Definition:  P = |{G : G ⊆ T for some T}| / (clusters of guess)

    Each cluster counts once, whatever its size; purity counts objects instead.

    Also known as: share of pure clusters, cluster homogeneity rate.
    """
    return _pure(s).shares()[0]


@measure(cite="ralph2022", symmetric=False, perfect=False, penalise=True)
def whole_share(s: Shapes) -> float:
    """Whole share: share of the truth clusters that lie inside one guess cluster.

    Definition:  R = |{T : T ⊆ G for some G}| / (clusters of truth)

    Also known as: share of whole clusters, share of unsplit clusters.
    """
    return _pure(s).shares()[1]


@measure(cite="ralph2022", penalise=True, halves=("pure_share", "whole_share"))
def pure_whole_f(s: Shapes, *, alpha: float = 0.5) -> float:
    """Pure and whole F: harmonic mean of the pure share and the whole share.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: F of pure and whole clusters.
    """
    return f_score(*_pure(s).shares(), alpha)


def _share_of_truth(m: HardMeet) -> Floats:
    """How much of its truth cluster each row is."""
    return np.asarray(np.true_divide(m.found, np.maximum(m.truth_size, 1)))


def _matched_shares(m: HardMeet) -> Floats:
    """The same of the rows of the matching that keeps the largest shares, and 0 of the others."""
    shares, kept = _share_of_truth(m), np.zeros(m.both.size)
    chosen = best_matching(m, shares)
    kept[chosen] = shares[chosen]
    return kept


def _above_worst(kept: Any, truths: Any) -> Any:
    """The kept shares of clusters, less those that a guess without any knowledge keeps."""
    most = np.maximum(0.0, share(np.asarray(kept - 1.0), np.asarray(truths - 1.0)))
    return np.where(truths == 1, kept >= 1.0, most)


@measure(cite="gagolewski2025", symmetric=False, solver=True, cost=MATCHING_COST)
def normalized_clustering_accuracy(m: HardMeet) -> float:
    """Normalized clustering accuracy (NCA): mean share of truth clusters that a matching keeps.

    Definition:  NCA = (S - 1) / (K - 1),  S = max over matchings W of Σ W(T,G) |T∩G|/|T|

    K is the number of truth clusters, which all count the same. 0 is for the worst guess, which
    spreads each truth cluster evenly over as many clusters, and 1 for the truth. Gagolewski defines
    it for as many guess clusters as there are true ones. Of fewer, empty ones are added, as in
    genieclust 1.1.2; of more, those without a partner are lost as they are in accuracy, and what
    would be negative is 0. With a single truth cluster it is 1 for that cluster and else 0.

    Also known as: adjusted asymmetric accuracy, AAA, normalised clustering accuracy.
    """
    kept = exact_sum(_matched_shares(m) * m.times)
    return float(_above_worst(kept, m.truth_sizes.clusters))


@measure(cite="rezaei2016", solver=True, cost=MATCHING_COST)
def pair_sets_index(m: HardMeet) -> float:
    """Pair sets index (PSI): similarity of matched clusters, corrected for chance by sizes.

    Definition:  PSI = max(0, (S - E) / (max(K,L) - E)),  S = max over matchings W of
                 Σ W(T,G) |T∩G| / max(|T|,|G|),  E = 1/n Σ_i min(t_i,g_i)

    K and L are the numbers of clusters, t_i and g_i the i-th largest sizes of both sides: the
    expectation of Rezaei and Fränti's equation 18, which pairs clusters by size. All clusters count
    the same; where the numbers differ, those left over are matched with nothing.

    Also known as: PSI score.
    """
    similar: Floats = np.true_divide(m.found, np.maximum(m.truth_size, m.guess_size))
    chosen = best_matching(m, similar)
    found = exact_sum(similar[chosen] * m.times[chosen])
    chance = _paired_by_size(m.truth_sizes, m.guess_sizes) / m.objects
    return max(0.0, ratio(found - chance, max(m.clusters) - chance))


def _paired_by_size(one: Sizes, other: Sizes) -> int:
    """The sum of the smaller sizes of clusters paired from the largest on."""
    ends = [np.cumsum(side.count[np.argsort(-side.size)]) for side in (one, other)]
    last = min(int(end[-1]) for end in ends)
    cuts = np.unique(np.concatenate([[0], *ends]))
    cuts = cuts[cuts <= last]
    of_cut = [
        np.sort(side.size)[::-1][np.searchsorted(end, cuts[:-1], side="right")]
        for side, end in zip((one, other), ends, strict=True)
    ]
    return int((np.minimum(*of_cut) * np.diff(cuts)).sum())


def moved_objects(m: HardMeet, over: str) -> Floats:
    """Objects that the best matching of clusters does not keep together."""
    return part_of((1.0 - kept_rows(m)) * m.weight, m.objects - 1 if over == "n-1" else m.objects)


def largest_rows(m: HardMeet, cluster: Ints) -> Bools:
    """Which rows are the largest part of their cluster; of equal parts, the first."""
    order = np.lexsort((-m.found, cluster))
    first = np.diff(cluster[order], prepend=-2) != 0
    largest = np.zeros(m.both.size, np.bool_)
    largest[order[first]] = True
    return np.asarray(largest & (m.found > 0) & (cluster >= 0))


partition_distance.hook("loss")(moved_objects)
accuracy.hook("loss")(lambda m: moved_objects(m, "n"))
accuracy.hook("per_move")(lambda n: 1.0 / n)
partition_distance.hook("per_move")(lambda n, over: 1.0 / n if over == "n" else 1.0 / max(n - 1, 1))


def _matching_terms(m: HardMeet) -> dict[str, Floats]:
    """Objects of each row, and those that the best matching keeps."""
    n = size_of(m)
    return {"objects": n, "kept": kept_rows(m) * n}


function_of_sums(accuracy, _matching_terms, lambda s, _: share(s["kept"], s["objects"]), whole=True)
function_of_sums(
    partition_distance,
    _matching_terms,
    lambda s, _, over: share(s["objects"] - s["kept"], s["objects"] - (over == "n-1"), 0.0),
    whole=True,
    counts_all=True,
)


def _purity_of_rows(m: HardMeet) -> Quotients:
    n = size_of(m)
    of_guess, of_truth = (n * largest_rows(m, side) for side in (m.guess, m.truth))
    return Quotients(of_guess, n * m.in_guess, n * m.in_truth, of_truth)


def _exact_of_rows(m: HardMeet) -> Quotients:
    truth, guess = clusters_of(m)
    return Quotients(m.agree.astype(np.float64), guess, truth)


family_of_quotients(
    (purity, inverse_purity, purity_f),
    _purity_of_rows,
    of_lines=lambda s: Quotients(s.pure, s.each(s.objects), s.each(s.objects), s.inverse),
    whole=(True, False, True),
    sizes=(("truth", "guess"),) * 3,
    counts=_purity,
)
family_of_quotients(
    (exact_precision, exact_recall, exact_f),
    _exact_of_rows,
    of_lines=lambda s: Quotients(s.exact, s.clusters, s.each(s.truths)),
    objects=lambda alpha: LineScore(lambda s: share(s.exact_objects, s.each(s.objects))),
    counts=lambda m: _exact(m.shapes),
)
function_of_lines(exact_accuracy, lambda s: share(s.exact_objects, s.each(s.objects)))


def _pure_of_rows(m: Counted) -> Quotients:
    truth, guess = clusters_of(m)
    pure, whole = (rows.astype(np.float64) for rows in _unbroken(m))
    return Quotients(pure, guess, truth, whole)


family_of_quotients(
    (pure_share, whole_share, pure_whole_f), _pure_of_rows, counts=lambda m: _pure(m.shapes)
)
function_of_sums(
    normalized_clustering_accuracy,
    lambda m: {"kept": _matched_shares(m), "truths": clusters_of(m)[0]},
    lambda s, _: _above_worst(s["kept"], s["truths"]),
    whole=True,
    counts_all=True,
    sizes=("truths",),
)
function_of_sums(
    van_dongen,
    lambda m: _purity_of_rows(m).terms(),
    lambda s, _: sum(Quotients.of_sums(s).shares()) / 2,
    whole=True,
)
function_of_lines(
    van_dongen, lambda s: share(np.add(s.pure, s.inverse, dtype=np.int64), s.each(2 * s.objects))
)


van_dongen.hook("loss")(
    lambda m: sum(
        part_of(missing * m.times, 2 * m.objects) for missing in _purity_of_rows(m).missing[::-1]
    )
)


# For each cluster its best partner on the other side, and how good that one is.

Similarity = Callable[[Any, Any, Any, int], Any]
"""Of the objects in both, the size of the cluster, that of its partner, and all objects."""

CELLS = 1 << 22
"""Cells of a table of clusters and sizes that are looked at a time."""


def jaccard(both: Any, size: Any, other: Any, objects: int) -> Any:
    """Objects in both clusters over objects in either."""
    return both / (size + other - both)


def rand(both: Any, size: Any, other: Any, objects: int) -> Any:
    """The share of all objects that are in both clusters or in neither."""
    return (objects - size - other + 2 * both) / objects


def f(both: Any, size: Any, other: Any, objects: int) -> Any:
    """Harmonic mean of the shares of the two clusters that are in both."""
    return 2 * both / (size + other)


PAIRS_OF_CLUSTERS = "one pass over the memberships, then the pairs of clusters that share objects"
SIMILARITIES: dict[str, Similarity] = {"jaccard": jaccard, "rand": rand, "f": f}


def checked(similarity: Similarity) -> Similarity:
    """A similarity of a user's own, held to one number from 0 to 1 for each pair."""
    name = getattr(similarity, "__name__", type(similarity).__name__)

    def run(both: Any, size: Any, other: Any, objects: int) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, (both, size, other)))
        try:
            found = np.broadcast_to(
                np.asarray(similarity(both, size, other, objects), np.float64), shape
            )
        except Exception as error:
            raise UnknownParameter.from_similarity(name, f"fails: {error}") from error
        with np.errstate(invalid="ignore"):
            wrong = found[~((found >= 0) & (found <= 1))]
        if wrong.size:
            raise UnknownParameter.from_similarity(name, f"gives {float(wrong[0])!r}")
        return found

    return run


NOTHING_APART = (jaccard, f)
"""Similarities that are 0 for clusters without a common object."""


def best_partners(m: CoverMeet, similarity: Similarity, *, apart: bool) -> Floats:
    """The best similarity of each guess cluster to a truth cluster, of which there must be some.

    Clusters without a common object count too if `apart` says so. They need no table of pairs: how
    alike they are depends on their sizes alone, so for each cluster and each size of the other
    side it is enough to know whether a cluster of that size is left that it does not meet.
    """
    shared, own, other = m.shared, m.guess.size, m.truth.size
    best = np.full(own.size, -np.inf if apart else similarity(0, own, other.min(), m.objects))
    sizes = own[shared.guess], other[shared.truth]
    np.maximum.at(best, shared.guess, similarity(shared.both, *sizes, m.objects))
    return np.maximum(best, _best_apart(m, similarity)) if apart else best


def _best_apart(m: CoverMeet, similarity: Similarity) -> Floats:
    """The best similarity of each cluster to one that it has no object in common with."""
    sizes, place, total = np.unique(m.truth.size, return_inverse=True, return_counts=True)
    own, mine = np.unique(m.guess.size, return_inverse=True)
    values = np.broadcast_to(
        similarity(0, own[:, None], sizes[None], m.objects), (own.size, sizes.size)
    )
    met = group_pairs(m.shared.guess, place[m.shared.truth].astype(np.int64))
    order = np.argsort(met.first, kind="stable")
    found = np.full(mine.size, -np.inf)
    step = max(1, CELLS // sizes.size)
    for begin in range(0, found.size, step):
        end = min(begin + step, found.size)
        left = np.repeat(total[None], end - begin, axis=0)
        here = order[slice(*np.searchsorted(met.first[order], [begin, end]))]
        left[met.first[here] - begin, met.second[here]] -= met.count[here]
        found[begin:end] = np.where(left > 0, values[mine[begin:end]], -np.inf).max(axis=1)
    return found
