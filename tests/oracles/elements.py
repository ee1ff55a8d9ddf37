"""Element-centric similarity."""

from collections.abc import Hashable
from fractions import Fraction

from .common import Clustering, Number, cluster, mean, same_objects


def affinity(c: Clustering, x: Hashable, y: Hashable, alpha: Number) -> Fraction:
    """Share of time at y of a walk from x that stays in clusters and returns with 1 - alpha."""
    mine, go_on = cluster(c, x), Fraction(alpha)
    return go_on * Fraction(y in mine, len(mine)) + (1 - go_on) * (x == y)


def element_similarity(
    truth: Clustering, guess: Clustering, *, alpha: Number = Fraction(9, 10)
) -> Fraction:
    """Mean over objects of how alike their surroundings are on both sides (Gates et al. 2019)."""
    objects = same_objects(truth, guess)

    def own(x: Hashable) -> Fraction:
        gaps = (abs(affinity(truth, x, y, alpha) - affinity(guess, x, y, alpha)) for y in objects)
        return 1 - sum(gaps, Fraction()) / (2 * Fraction(alpha))

    return mean(map(own, objects))
