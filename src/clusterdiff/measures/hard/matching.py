"""Clusters matched with clusters: the best partner, a one-to-one matching, or an exact copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.measures.core.lines import (
    LineScore,
    LineSums,
    family_of_lines,
    function_of_lines,
)
from clusterdiff.measures.core.measure import Form, measure
from clusterdiff.measures.core.sums import clusters_of, family_of_sums, function_of_sums, size_of
from clusterdiff.measures.core.zero_division import (
    f_of,
    f_scores,
    part_of,
    precision_recall,
    ratio,
    share,
)
from clusterdiff.measures.hard.assignment import MATCHING_COST, best_matching
from clusterdiff.meet import HardMeet, Shapes


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


def _purity(m: HardMeet) -> tuple[float, float]:
    return (
        ratio(_objects_in_largest(m, m.guess), m.guess_objects),
        ratio(_objects_in_largest(m, m.truth), m.truth_objects),
    )


@measure(cite="vandongen2000", reached=False)
def van_dongen(m: HardMeet) -> float:
    """Van Dongen similarity: mean share of objects in the largest part of their cluster.

    Definition:  N = 1/2 Σ_T max_G |T∩G|/n + 1/2 Σ_G max_T |T∩G|/n

    That is 1 - D / 2n with the Van Dongen (split-join) distance D = 2n - Σ_T max_G |T∩G| -
    Σ_G max_T |T∩G|.
    """
    both_ways = _objects_in_largest(m, m.truth) + _objects_in_largest(m, m.guess)
    return ratio(both_ways, 2 * m.objects)


@measure(cite="zhao2001", reached=False, symmetric=False, perfect=False, penalise=True)
def purity(m: HardMeet) -> float:
    """Purity: share of objects in the majority truth cluster of their guess cluster.

    Definition:  P = 1/n Σ_G max_T |T∩G|
    """
    return _purity(m)[0]


@measure(cite="zhao2001", reached=False, symmetric=False, perfect=False, penalise=True)
def inverse_purity(m: HardMeet) -> float:
    """Inverse purity: share of objects in the majority guess cluster of their truth cluster.

    Definition:  R = 1/n Σ_T max_G |T∩G|
    """
    return _purity(m)[1]


@measure(cite="zhao2001", reached=False, penalise=True, halves=("purity", "inverse_purity"))
def purity_f(m: HardMeet, *, alpha: float = 0.5, f: Form = "means") -> float | Floats:
    """Purity F: harmonic mean of purity and inverse purity.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: purity F-measure.
    """
    return f_of(f, purities(m) if f == "objects" else (None, None), lambda: _purity(m), alpha)


def _exact(s: Shapes) -> tuple[float, float]:
    same = int(s.times[_is_exact(s)].sum())
    return precision_recall(same, s.guess_sizes.clusters, s.truth_sizes.clusters)


def _is_exact(s: Shapes) -> NDArray[np.bool_]:
    return np.asarray((s.both == s.truth_size) & (s.both == s.guess_size))


@measure(cite="menestrina2010", symmetric=False, penalise=True)
def exact_precision(s: Shapes) -> float:
    """Cluster-level precision: share of the guess clusters that are truth clusters exactly.

    Definition:  P = (clusters that both have) / (clusters of guess)

    Also known as: exact match precision, cluster precision.
    """
    return _exact(s)[0]


@measure(cite="menestrina2010", symmetric=False, penalise=True)
def exact_recall(s: Shapes) -> float:
    """Cluster-level recall: share of the truth clusters that are guess clusters exactly.

    Definition:  R = (clusters that both have) / (clusters of truth)

    Also known as: exact match recall, cluster recall.
    """
    return _exact(s)[1]


@measure(cite="menestrina2010", penalise=True)
def exact_f(s: Shapes, *, alpha: float = 0.5, f: Form = "means") -> float | Floats:
    """Cluster-level F: harmonic mean of cluster-level precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    f='objects' is the share of the objects that are in such clusters.

    Also known as: exact match F, cluster F1.
    """
    exact = _is_exact(s).astype(np.float64)
    return f_of(f, (exact, exact), lambda: _exact(s), alpha)


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


def _outside_largest(m: HardMeet, cluster: Ints, objects: int) -> Floats:
    """Objects that are not in the largest part of their cluster; of equal parts, the first."""
    weight = m.weight.astype(np.float64)
    return part_of(np.where(largest_rows(m, cluster) | (cluster < 0), 0.0, weight), objects)


def _not_exact(m: HardMeet, size: Ints, clusters: int) -> Floats:
    """Clusters that the other side does not have, each row with its part of the cluster."""
    part: Floats = np.where(m.agree, 0.0, share(m.both, size, 0.0) * m.times)
    return part_of(part, clusters)


partition_distance.fact("loss")(moved_objects)
accuracy.fact("loss")(lambda m: moved_objects(m, "n"))
accuracy.fact("per_move")(lambda n: 1.0 / n)
partition_distance.fact("per_move")(lambda n, over: 1.0 / n if over == "n" else 1.0 / max(n - 1, 1))
purity.fact("loss")(lambda m: _outside_largest(m, m.guess, m.guess_objects))
inverse_purity.fact("loss")(lambda m: _outside_largest(m, m.truth, m.truth_objects))
van_dongen.fact("loss")(
    lambda m: sum(_outside_largest(m, side, 2 * m.objects) for side in (m.truth, m.guess))
)
exact_precision.fact("loss")(lambda m: _not_exact(m, m.guess_size, m.guess_sizes.clusters))
exact_recall.fact("loss")(lambda m: _not_exact(m, m.truth_size, m.truth_sizes.clusters))


def matching_terms(m: HardMeet) -> dict[str, Floats]:
    """Objects of each row, those of both sides, and those that the best matching keeps."""
    n = size_of(m)
    return {
        "objects": n,
        "truth": n * m.in_truth,
        "guess": n * m.in_guess,
        "kept": kept_rows(m) * n,
    }


def _purity_terms(m: HardMeet) -> dict[str, Floats]:
    """Objects on each side, and those in the largest part of their cluster."""
    n = size_of(m)
    return {
        "guess": n * m.in_guess, "largest of guess": n * largest_rows(m, m.guess),
        "truth": n * m.in_truth, "largest of truth": n * largest_rows(m, m.truth),
    }  # fmt: skip


def _purity_of(s: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return share(s["largest of guess"], s["guess"]), share(s["largest of truth"], s["truth"])


def _exact_terms(m: HardMeet) -> dict[str, Floats]:
    """Clusters of each side, and those that both have."""
    truth, guess = clusters_of(m)
    return {"truth": truth, "guess": guess, "exact": m.agree.astype(np.float64)}


function_of_sums(accuracy, matching_terms, lambda s, _: share(s["kept"], s["objects"]), whole=True)
function_of_sums(
    partition_distance,
    matching_terms,
    lambda s, _, over: share(s["objects"] - s["kept"], s["objects"] - (over == "n-1"), 0.0),
    whole=True,
    counts_all=True,
)
function_of_sums(purity, _purity_terms, lambda s, _: _purity_of(s)[0], whole=True)
function_of_sums(inverse_purity, _purity_terms, lambda s, _: _purity_of(s)[1])
function_of_sums(
    purity_f, _purity_terms, lambda s, _, alpha, f: f_scores(*_purity_of(s), alpha), whole=True
)
function_of_sums(van_dongen, _purity_terms, lambda s, _: sum(_purity_of(s)) / 2, whole=True)
family_of_sums(
    (exact_precision, exact_recall, exact_f),
    _exact_terms,
    lambda s, _: precision_recall(s["exact"], s["guess"], s["truth"]),
    sizes=("guess", "truth"),
)


def _purity_of_lines(s: LineSums) -> tuple[Floats, Floats]:
    """Purity and inverse purity of every line of a sweep."""
    return share(s.pure, s.each(s.objects)), share(s.inverse, s.each(s.objects))


family_of_lines((purity, inverse_purity, purity_f), _purity_of_lines)
function_of_lines(
    van_dongen, lambda s: share(np.add(s.pure, s.inverse, dtype=np.int64), s.each(2 * s.objects))
)


def _exact_of_lines(s: LineSums) -> tuple[Floats, Floats]:
    """Shares of the guess clusters and of the truth clusters that both have, on every line."""
    return share(s.exact, s.clusters), share(s.exact, s.each(s.truths))


function_of_lines(exact_precision, lambda s: _exact_of_lines(s)[0])
function_of_lines(exact_recall, lambda s: _exact_of_lines(s)[1])


@exact_f.fact("lines")
def exact_f_lines(alpha: float, f: str) -> LineScore | None:
    """F of both shares of clusters, or the share of the objects that are in exact ones."""
    if f == "objects":
        return LineScore(lambda s: share(s.exact_objects, s.each(s.objects)))
    return LineScore(lambda s: f_scores(*_exact_of_lines(s), alpha))
