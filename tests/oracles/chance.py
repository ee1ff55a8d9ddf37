"""Chance: every reordering of the guess's labels over the objects is equally likely."""

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

from .common import Clustering, N


def expected(
    score: Callable[[Clustering, Clustering], Fraction | float],
    truth: Clustering,
    guess: Clustering,
) -> Fraction:
    """Exact mean of the score over all reorderings of the guess's labels (Vinh et al. 2010).

    Each different reordering comes from the same number of permutations, so one of each will do.
    """
    reorderings = set(permutations(guess.values()))
    values = [score(truth, dict(zip(guess, row, strict=True))) for row in reorderings]
    return sum((Fraction(value) for value in values), Fraction()) / len(values)


def adjusted(
    score: Callable[[Clustering, Clustering], N], truth: Clustering, guess: Clustering
) -> N | Fraction:
    """How far the score is from chance (0) towards 1 (Hubert, Arabie 1985; Vinh et al. 2010)."""
    chance = expected(score, truth, guess)
    if abs(1 - chance) < 1e-12:
        return Fraction(1)
    return (score(truth, guess) - chance) / (1 - chance)
