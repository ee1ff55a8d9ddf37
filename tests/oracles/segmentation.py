"""Segments that overlap, and where segments begin."""

from fractions import Fraction
from itertools import combinations

from .common import Cluster, Clustering, Number, clusters, f_of, matchings, ratio


def _overlap(one: Cluster, other: Cluster) -> Fraction:
    """Intersection over union."""
    return Fraction(len(one & other), len(one | other))


def _matched(truth: Clustering, guess: Clustering) -> list[Fraction]:
    """The overlaps that are above one half."""
    pairs = ((t, g) for t in clusters(truth) for g in clusters(guess))
    return [iou for iou in (_overlap(t, g) for t, g in pairs) if iou > Fraction(1, 2)]


def panoptic_quality(truth: Clustering, guess: Clustering) -> Fraction:
    """Equation 1 of Kirillov et al. 2019, for one class."""
    found = _matched(truth, guess)
    extra, missed = len(clusters(guess)) - len(found), len(clusters(truth)) - len(found)
    return ratio(sum(found, Fraction()), len(found) + Fraction(extra, 2) + Fraction(missed, 2))


def panoptic_quality_sq(truth: Clustering, guess: Clustering) -> Fraction:
    """The first factor of their equation 2, and 0 if there are no true positives."""
    found = _matched(truth, guess)
    return sum(found, Fraction()) / len(found) if found else Fraction(0)


def panoptic_quality_rq(truth: Clustering, guess: Clustering) -> Fraction:
    """The second factor of their equation 2."""
    found = len(_matched(truth, guess))
    extra, missed = len(clusters(guess)) - found, len(clusters(truth)) - found
    return ratio(found, found + Fraction(extra, 2) + Fraction(missed, 2))


def _most_matches(truth: Clustering, guess: Clustering, iou: float) -> int:
    """How many pairs of overlapping clusters are near enough, in the best of all matchings."""
    near = Fraction(str(iou))
    return max(
        sum(bool(t & g) and _overlap(t, g) >= near for t, g in matching)
        for matching in matchings(clusters(truth), clusters(guess))
    )


def match_precision(truth: Clustering, guess: Clustering, *, iou: float = 0.5) -> Fraction:
    """Share of the guess clusters that are matched."""
    return ratio(_most_matches(truth, guess, iou), len(clusters(guess)))


def match_recall(truth: Clustering, guess: Clustering, *, iou: float = 0.5) -> Fraction:
    """Share of the truth clusters that are matched."""
    return ratio(_most_matches(truth, guess, iou), len(clusters(truth)))


def match_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, iou: float = 0.5
) -> Fraction:
    """F of both."""
    return f_of(match_precision(truth, guess, iou=iou), match_recall(truth, guess, iou=iou), alpha)


def _join(truth: Clustering, guess: Clustering) -> set[Cluster]:
    """The finest clusters that hold the clusters of both sides whole."""
    groups = clusters(truth) | clusters(guess)
    while pair := next((p for p in combinations(groups, 2) if p[0] & p[1]), None):
        groups = groups - set(pair) | {pair[0] | pair[1]}
    return groups


def boundary_precision(truth: Clustering, guess: Clustering) -> Fraction:
    """Clusters of the join over those of the guess."""
    return ratio(len(_join(truth, guess)), len(clusters(guess)))


def boundary_recall(truth: Clustering, guess: Clustering) -> Fraction:
    """Clusters of the join over those of the truth."""
    return boundary_precision(guess, truth)


def boundary_f(truth: Clustering, guess: Clustering, *, alpha: Number = 0.5) -> Fraction:
    """F of both."""
    return f_of(boundary_precision(truth, guess), boundary_recall(truth, guess), alpha)
