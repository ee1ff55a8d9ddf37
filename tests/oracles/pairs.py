"""Pair counting, pair of objects by pair of objects."""

import math
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations

from .common import Clustering, Number, cluster, f_measure, ratio, same_objects


def _together(c: Clustering) -> set[frozenset[Hashable]]:
    """The pairs of objects that share a cluster."""
    return {frozenset({x, y}) for x, y in combinations(c, 2) if c[x] == c[y]}


def _disagreements(truth: Clustering, guess: Clustering) -> int:
    """How many pairs are together on one side and apart on the other."""
    pairs = combinations(same_objects(truth, guess), 2)
    return sum((truth[x] == truth[y]) != (guess[x] == guess[y]) for x, y in pairs)


def rand(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the pairs on which both sides agree, together or apart (Rand 1971)."""
    every = math.comb(len(truth), 2)
    return ratio(every - _disagreements(truth, guess), every)


def adjusted_rand(truth: Clustering, guess: Clustering) -> Fraction:
    """Pairs together on both sides, above chance and over the most possible (Hubert, Arabie 1985).

    Chance leaves both lists of cluster sizes as they are.
    """
    objects = same_objects(truth, guess)
    in_truth, in_guess = _together(truth), _together(guess)
    chance = ratio(len(in_truth) * len(in_guess), math.comb(len(objects), 2), 0)
    most = Fraction(len(in_truth) + len(in_guess), 2)
    return ratio(len(in_truth & in_guess) - chance, most - chance)


def pair_precision(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the pairs together in the guess that are together in truth (Larsen, Aone 1999)."""
    return ratio(len(_together(guess) & _together(truth)), len(_together(guess)))


def pair_recall(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the pairs together in truth that are together in the guess (Larsen, Aone 1999)."""
    return ratio(len(_together(guess) & _together(truth)), len(_together(truth)))


def _own_pair_precision(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """Share of the other objects in x's guess cluster that are with x in truth."""
    mates = cluster(guess, x) - {x}
    return ratio(sum(y in truth and truth[y] == truth[x] for y in mates), len(mates))


def pair_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means"
) -> Fraction:
    """F of pair precision and pair recall (van Rijsbergen 1979, over pairs)."""
    return f_measure(truth, guess, pair_precision, _own_pair_precision, alpha, f)


def adapted_rand_error(truth: Clustering, guess: Clustering, *, alpha: Number = 0.5) -> Fraction:
    """One less the F of pairs (Arganda-Carreras et al. 2015)."""
    return 1 - pair_f(truth, guess, alpha=alpha)


def pair_jaccard(truth: Clustering, guess: Clustering) -> Fraction:
    """Of the pairs that truth or guess puts together, the share that both do (Ben-Hur 2002)."""
    in_truth, in_guess = _together(truth), _together(guess)
    return ratio(len(in_truth & in_guess), len(in_truth | in_guess))


def fowlkes_mallows(truth: Clustering, guess: Clustering, *, empty: float = 1) -> float:
    """Geometric mean of pair precision and pair recall (Fowlkes, Mallows 1983); `empty` where no
    pair is together on either side."""
    if not _together(truth) and not _together(guess):
        return empty
    return math.sqrt(pair_precision(truth, guess) * pair_recall(truth, guess))


def mirkin_distance(truth: Clustering, guess: Clustering, *, scale: str = "count") -> Fraction:
    """Ordered pairs on which the sides disagree, or their share of all n^2 (Mirkin 1996)."""
    ordered = 2 * _disagreements(truth, guess)
    if scale == "count":
        return Fraction(ordered)
    if scale == "n2":
        return ratio(ordered, len(truth) ** 2, 0)
    raise ValueError(f"scale is 'count' or 'n2', not {scale!r}")


def pair_correlation(truth: Clustering, guess: Clustering) -> float:
    """Pearson's correlation of "together" in truth and in guess, over the pairs of objects.

    Where one side is the same for all pairs: 1 if the other side is that too, else 0.
    """
    objects = same_objects(truth, guess)
    pairs = [frozenset(pair) for pair in combinations(objects, 2)]
    one, other = ([int(pair in _together(c)) for pair in pairs] for c in (truth, guess))
    if len(set(one)) < 2 or len(set(other)) < 2:
        return float(one == other)
    n = len(pairs)
    means = [Fraction(sum(side), n) for side in (one, other)]
    shared = sum((x - means[0]) * (y - means[1]) for x, y in zip(one, other, strict=True))
    own = [
        sum((x - mean) ** 2 for x in side) for side, mean in zip((one, other), means, strict=True)
    ]
    return float(shared) / math.sqrt(own[0] * own[1])


def pair_correlation_distance(truth: Clustering, guess: Clustering) -> float:
    """The arccosine of it, over pi (Goesgens et al. 2021)."""
    return math.acos(max(-1.0, min(1.0, pair_correlation(truth, guess)))) / math.pi
