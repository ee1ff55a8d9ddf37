"""Segments: clusters that overlap enough to count as found, and boundaries between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings.grouping import number
from clusterdiff.contingency import Counted, HardMeet, Shapes
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.measures.base import Measure, measure
from clusterdiff.measures.sums import (
    Quotients,
    Sums,
    clusters_of,
    family_of_quotients,
    function_of_sums,
)
from clusterdiff.measures.zero_division import f_score, f_scores, part_of, ratio, share

# Panoptic quality: clusters that share more than half of their union. No cluster has two such
# partners, so that sizes alone decide.


def outside(s: Counted) -> Ints:
    """Objects of the two clusters of a row that are in one of them alone."""
    return (s.truth_size - s.found) + (s.guess_size - s.found)


def overlap(s: Counted) -> tuple[Floats, Floats]:
    """The intersection over union of each row whose clusters match, and which rows these are."""
    apart = outside(s)
    matched = s.found > apart
    return np.where(matched, share(s.found, s.found + apart, 0.0), 0), matched.astype(np.int64)


def _segments(s: Shapes) -> Quotients:
    """The overlap of matched clusters, all clusters, and last how many are matched."""
    iou, matched = overlap(s)
    truths, guesses = s.clusters
    return Quotients(exact_sum(iou * s.times), guesses, truths, int((matched * s.times).sum()))


def _segments_of_rows(s: Counted) -> Quotients:
    iou, matched = overlap(s)
    truth, guess = clusters_of(s)
    return Quotients(iou, guess, truth, matched.astype(np.float64))


def _quality(q: Quotients) -> Any:
    return ratio(2 * q.precise, q.guess + q.truth)


def _overlap(q: Quotients) -> Any:
    return ratio(q.precise, q.recalled, 0.0)


def _recognised(q: Quotients) -> Any:
    return ratio(2 * q.recalled, q.guess + q.truth)


@measure(cite="kirillov2019", penalise=True)
def panoptic_quality(s: Shapes) -> float:
    """Panoptic quality (PQ): overlap of the matched clusters, over all clusters of both sides.

    Definition:  PQ = Σ IoU / (TP + FP/2 + FN/2), sum over clusters whose IoU is above 0.5

    Two clusters match if their intersection over union, IoU = |T∩G| / |T∪G|, is above 1/2, as in
    Kirillov et al. TP counts the matches, FP the guess clusters and FN the truth clusters without
    one, so that TP + FP/2 + FN/2 is half of all clusters. PQ is the product of panoptic_quality_sq
    and panoptic_quality_rq. Of one class: a background that is no segment is left out of each side
    on its own, with align='penalise'.

    Also known as: weighted document F1.
    """
    return _quality(_segments(s))  # type: ignore[no-any-return]


@measure(cite="kirillov2019", penalise=True, perfect=False)
def panoptic_quality_sq(s: Shapes) -> float:
    """Segmentation quality (SQ): mean overlap of the clusters that match.

    Definition:  SQ = Σ IoU / TP, sum over the TP pairs of clusters whose IoU is above 0.5

    0 where no clusters match, as in the programs of Kirillov et al.; some packages have NaN there.
    """
    return _overlap(_segments(s))  # type: ignore[no-any-return]


@measure(cite="kirillov2019", penalise=True, perfect=False)
def panoptic_quality_rq(s: Shapes) -> float:
    """Recognition quality (RQ): F of the clusters that match, found with an overlap above 1/2.

    Definition:  RQ = TP / (TP + FP/2 + FN/2)

    TP are the pairs of clusters whose intersection over union is above 1/2, FP and FN the clusters
    of guess and of truth without one.

    It is match_f but for overlaps of exactly 1/2, which do not match here.

    Also known as: unweighted document F1.
    """
    return _recognised(_segments(s))  # type: ignore[no-any-return]


CLUSTERS = ("guess", "truth")
for _one, _score in (
    (panoptic_quality, _quality),
    (panoptic_quality_sq, _overlap),
    (panoptic_quality_rq, _recognised),
):
    function_of_sums(
        _one,
        lambda rows: _segments_of_rows(rows).terms(),
        lambda s, _, score=_score: score(Quotients.of_sums(s)),
        sizes=CLUSTERS,
    )


def _lost(m: HardMeet, found: Floats) -> tuple[Floats, Floats]:
    """What each row adds to the truth clusters, and to the guess clusters, that are not found; a
    cluster is found as far as one of its rows is.
    """
    lost = []
    for cluster, part in zip((m.truth, m.guess), clusters_of(m), strict=True):
        best = np.zeros(int(cluster.max(initial=-1)) + 2)
        np.maximum.at(best, cluster + 1, found)
        lost.append(part * (1.0 - best[cluster + 1]) * m.times)
    return lost[0], lost[1]


def _clusters_lost(m: HardMeet, found: Floats) -> Floats:
    """What is not found of the clusters of both sides, over all of them."""
    return part_of(np.add(*_lost(m, found)), sum(m.clusters))


panoptic_quality.hook("loss")(lambda m: _clusters_lost(m, overlap(m)[0]))
panoptic_quality_rq.hook("loss")(lambda m: _clusters_lost(m, overlap(m)[1].astype(np.float64)))


@panoptic_quality_sq.hook("loss")
def segmentation_loss(m: HardMeet) -> Floats:
    """What matched clusters lack of full overlap; all where none match, by objects."""
    iou, matched = overlap(m)
    found = int((matched * m.times).sum())
    return part_of((matched - iou) * m.times, found) if found else m.weight / m.objects


# Clusters matched one to one where they overlap enough.


def matched_rows(m: HardMeet, iou: float) -> Bools:
    """The rows of as many one-to-one matches as there can be, with an overlap of at least `iou`.

    Above 1/2 each cluster has one partner at most; from there down some have several.
    """
    # no fractions: 3/5 is as large as the number that 0.6 stands for
    near = np.asarray((m.found > 0) & (np.true_divide(m.found, m.found + outside(m)) >= iou))
    rest = np.flatnonzero(near & ~m.agree)
    if iou > 0.5 or not rest.size:
        return near
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    left, truths = number(m.truth[rest])
    right, guesses = number(m.guess[rest])
    graph = csr_array((np.ones(rest.size, np.int8), (left, right)), shape=(truths, guesses))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    near[rest] = partner[left] == right
    return near


def _matches(m: HardMeet, iou: float) -> Quotients:
    """Matched clusters, and all of each side."""
    truths, guesses = m.clusters
    return Quotients(int(m.times[matched_rows(m, iou)].sum()), guesses, truths)


MATCHES = "one pass over the objects, then the rows in conflict; for iou up to 1/2 also a matching"


@measure(cite="kirillov2019", symmetric=False, penalise=True, cost=MATCHES, perfect=False)
def match_precision(m: HardMeet, *, iou: float = 0.5) -> float:
    """Matched precision: share of the guess clusters that match a truth cluster.

    Definition:  P = TP / (clusters of guess)

    TP are clusters that match: one to one, as many as can be, among those whose intersection over
    union is at least `iou`; those without a common object never match.

    Also known as: instance precision, AP50 precision.
    """
    return _matches(m, iou).shares()[0]


@measure(cite="kirillov2019", symmetric=False, penalise=True, cost=MATCHES, perfect=False)
def match_recall(m: HardMeet, *, iou: float = 0.5) -> float:
    """Matched recall: share of the truth clusters that match a guess cluster.

    Definition:  R = TP / (clusters of truth)

    TP are clusters that match, as in match_precision.

    Also known as: instance recall, AP50 recall.
    """
    return _matches(m, iou).shares()[1]


@measure(
    cite="kirillov2019", penalise=True, cost=MATCHES, perfect=False,
    halves=("match_precision", "match_recall"),
)  # fmt: skip
def match_f(m: HardMeet, *, alpha: float = 0.5, iou: float = 0.5) -> float:
    """Matched F: harmonic mean of the shares of guess and truth clusters that match.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Clusters are matched as in match_precision. With iou=1 it is exact_f.

    Also known as: instance F1, F1 at an overlap.
    """
    return f_score(*_matches(m, iou).shares(), alpha)


def _matches_of_rows(m: HardMeet, iou: float) -> Quotients:
    truth, guess = clusters_of(m)
    return Quotients(matched_rows(m, iou).astype(np.float64), guess, truth)


def _hooks(one: Measure, place: int) -> None:
    """What matched precision, recall or F is a function of, and what its rows lose."""

    @one.hook("sums")
    def sums(m: HardMeet, iou: float, alpha: float = 0.5) -> Sums:
        def score(s: Mapping[str, Floats]) -> Floats:
            precision, recall = map(np.asarray, Quotients.of_sums(s).shares())
            return (precision, recall, f_scores(precision, recall, alpha))[place]

        sizes = ("guess",), ("truth",), CLUSTERS
        return Sums(_matches_of_rows(m, iou).terms(), score, whole=True, sizes=sizes[place])

    if place < 2:
        one.hook("loss")(
            lambda m, iou: part_of(
                _lost(m, matched_rows(m, iou).astype(np.float64))[1 - place], m.clusters[1 - place]
            )
        )


for _place, _one in enumerate((match_precision, match_recall, match_f)):
    _hooks(_one, _place)

# Boundaries. Where clusters are stretches of a sequence, both sides begin one at the same place
# exactly where a cluster of their join begins: the table knows the boundaries that both have.


def _boundaries(m: HardMeet) -> Quotients:
    """Clusters of the join, and those of each side."""
    truths, guesses = m.clusters
    return Quotients(m.components, guesses, truths)


def _boundaries_of_rows(m: HardMeet) -> Quotients:
    """Each row is as much of a cluster of the join as it has of its objects."""
    truth, guess = clusters_of(m)
    joined = np.bincount(m.component, m.both)
    return Quotients(share(m.both, joined[m.component], 0.0), guess, truth)


@measure(cite="vanheusden2022wooir", symmetric=False, perfect=False, reached=False)
def boundary_precision(m: HardMeet) -> float:
    """Boundary precision: share of the places where guess begins a segment that truth does too.

    Definition:  P = (beginnings that both have) / (beginnings in guess)

    Of segments, stretches of a sequence that is cut: pages of a stream, sentences of a text. The
    first object of each sequence begins a segment on both sides, and counts. Where both begin one,
    so does their join, the finest clustering that both are finer than; so for any clusterings this
    is its number of clusters over that of the guess.

    Also known as: page stream precision, segmentation boundary precision.
    """
    return _boundaries(m).shares()[0]


@measure(cite="vanheusden2022wooir", symmetric=False, perfect=False, reached=False)
def boundary_recall(m: HardMeet) -> float:
    """Boundary recall: share of the places where truth begins a segment that guess does too.

    Definition:  R = (beginnings that both have) / (beginnings in truth)

    Of segments, as boundary_precision: for any clusterings it is the number of clusters of the
    join over that of the truth.

    Also known as: page stream recall, segmentation boundary recall.
    """
    return _boundaries(m).shares()[1]


@measure(
    cite="vanheusden2022wooir", reached=False, halves=("boundary_precision", "boundary_recall")
)
def boundary_f(m: HardMeet, *, alpha: float = 0.5) -> float:
    """Boundary F: harmonic mean of boundary precision and boundary recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: boundary F1, page stream F1.
    """
    return f_score(*_boundaries(m).shares(), alpha)


family_of_quotients(
    (boundary_precision, boundary_recall, boundary_f),
    _boundaries_of_rows,
    whole=(True, True, True),
    counts=_boundaries,
)
