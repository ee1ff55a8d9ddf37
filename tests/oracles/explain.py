"""Where two partitions differ, object by object: components, outcomes, companions, losses.

Objects may be on one side only (align="penalise").
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from .bcubed import bcubed_f, bcubed_precision, bcubed_recall, elm_f
from .common import Cluster, Clustering, Number
from .splitmerge import split_merge

BRUTE = 5000
"""Matchings of clusters up to which all are tried."""


class Part(NamedTuple):
    """A component: labels of its clusters, and the objects in them."""

    truth: frozenset[Hashable]
    guess: frozenset[Hashable]
    objects: Cluster

    def kind(self, guess: Clustering) -> str:
        """What is wrong; where nothing is split or merged, which objects one side lacks."""
        if len(self.truth) > 1:
            return "mixed" if len(self.guess) > 1 else "merged"
        if len(self.guess) > 1:
            return "split"
        return "missing" if self.objects - guess.keys() else "extra"


def mates(c: Clustering, x: Hashable) -> Cluster:
    """All objects with the label of x, x among them; nobody where x is missing."""
    return frozenset(y for y in c if c[y] == c[x]) if x in c else frozenset()


def components(truth: Clustering, guess: Clustering) -> list[Part]:
    """All components, those in which truth and guess agree among them."""
    found = []
    left = {*truth, *guess}
    while left:
        reached: set[Hashable] = set()
        border = {next(iter(left))}
        while border:
            reached |= border
            near = (mates(c, x) for x in border for c in (truth, guess))
            border = set().union(*near) - reached
        left -= reached
        labels = [frozenset(c[x] for x in reached if x in c) for c in (truth, guess)]
        found.append(Part(labels[0], labels[1], frozenset(reached)))
    return found


def in_conflict(truth: Clustering, guess: Clustering) -> list[Part]:
    """The components that are more than one cluster which both sides have."""
    return [
        part
        for part in components(truth, guess)
        if any(mates(c, x) != part.objects for x in part.objects for c in (truth, guess))
    ]


def outcome(truth: Clustering, guess: Clustering, x: Hashable) -> str:
    """What became of x."""
    if x not in truth or x not in guess:
        return "missing" if x in truth else "extra"
    _, missing, wrong = companions(truth, guess, x)
    if missing:
        return "both" if wrong else "split"
    return "merged" if wrong else "right"


def companions(
    truth: Clustering, guess: Clustering, x: Hashable
) -> tuple[Cluster, Cluster, Cluster]:
    """Those who are rightly with x, those who should be, those who should not be."""
    wanted, had = mates(truth, x) - {x}, mates(guess, x) - {x}
    return wanted & had, wanted - had, had - wanted


def belongs_to(truth: Clustering, guess: Clustering, g: Hashable) -> set[Hashable]:
    """The true clusters that most objects of a guess cluster come from: of equally many, those of
    which fewer objects are elsewhere.
    """
    sizes, own = (
        Counter(truth.values()),
        Counter(truth[x] for x in guess if x in truth and guess[x] == g),
    )
    rank = {t: (n, -sizes[t]) for t, n in own.items()}
    return {t for t in rank if rank[t] == max(rank.values())}


def alone(c: Clustering, part: Part) -> dict[Hashable, Hashable]:
    """What a clustering says of the objects of a component."""
    return {x: c[x] for x in part.objects if x in c}


def _of_mean(score: Callable[..., Number]) -> Callable[[Clustering, Clustering, Part], Number]:
    """What a component takes off a mean over objects: what an object has depends on no others."""

    def loss(truth: Clustering, guess: Clustering, part: Part) -> Number:
        own = score(alone(truth, part), alone(guess, part))
        return (1 - own) * Fraction(len(part.objects), len({**truth, **guess}))

    return loss


def _bcubed_f(truth: Clustering, guess: Clustering, part: Part) -> Fraction:
    """What precision loses over the objects of guess, weighted with recall, and the other way
    round: 1 - 2PR / (P + R) is (R (1 - P) + P (1 - R)) / (P + R).
    """
    precision, recall = bcubed_precision(truth, guess), bcubed_recall(truth, guess)
    inside = alone(truth, part), alone(guess, part)
    of_precision = (1 - bcubed_precision(*inside)) * Fraction(len(inside[1]), len(guess))
    of_recall = (1 - bcubed_recall(*inside)) * Fraction(len(inside[0]), len(truth))
    return (recall * of_precision + precision * of_recall) / (precision + recall)


def _rand(truth: Clustering, guess: Clustering, part: Part) -> Fraction:
    """Pairs on which truth and guess disagree, of all pairs of objects."""
    pairs = combinations(part.objects, 2)
    apart = sum((truth[x] == truth[y]) != (guess[x] == guess[y]) for x, y in pairs)
    return Fraction(apart, math.comb(len(truth), 2))


def _accuracy(truth: Clustering, guess: Clustering, part: Part) -> Fraction:
    """Objects outside of the best one-to-one matching of the clusters."""
    cells = [
        [sum(truth[x] == t and guess[x] == g for x in part.objects) for g in part.guess]
        for t in part.truth
    ]
    return Fraction(len(part.objects) - _best_matching(cells), len(truth))


def _best_matching(cells: list[list[int]]) -> int:
    turned: list[list[int]] = [list(column) for column in zip(*cells, strict=True)]
    few = min(cells, turned, key=len)
    if math.perm(len(few[0]), len(few)) > BRUTE:
        rows, columns = linear_sum_assignment(few, maximize=True)
        return int(np.array(few)[rows, columns].sum())
    images = permutations(range(len(few[0])), len(few))
    return max(sum(row[j] for row, j in zip(few, image, strict=True)) for image in images)


def _vi_similarity(truth: Clustering, guess: Clustering, part: Part) -> float:
    """What the clusters of an object tell beyond each other, over n log n."""

    def beyond(x: Hashable) -> float:
        mine, other = mates(truth, x), mates(guess, x)
        return math.log(len(mine) / len(mine & other)) + math.log(len(other) / len(mine & other))

    return math.fsum(map(beyond, part.objects)) / (len(truth) * math.log(len(truth)))


LOSSES: dict[str, Callable[[Clustering, Clustering, Part], Number]] = {
    "elm_f": _of_mean(elm_f),
    "bcubed_f": _bcubed_f,
    "bcubed_f(f='objects')": _of_mean(partial(bcubed_f, f="objects")),
    "split_merge": _of_mean(split_merge),
    "rand": _rand,
    "accuracy": _accuracy,
    "vi_similarity": _vi_similarity,
}
"""What a component takes off the best score."""
