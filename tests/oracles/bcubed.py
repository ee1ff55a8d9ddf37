"""BCubed and ELM, object by object."""

from collections.abc import Hashable
from fractions import Fraction

from .common import Clustering, Number, cluster, f_measure, mean_over_guess, ratio


def own_bcubed(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """Share of the guess cluster of x that is in the truth cluster of x, x included."""
    mine = cluster(guess, x)
    return ratio(len(mine & cluster(truth, x)), len(mine))


def own_elm(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """The same share without x itself; 1 if x is alone in the guess."""
    mine = cluster(guess, x) - {x}
    return ratio(len(mine & cluster(truth, x)), len(mine))


def bcubed_precision(truth: Clustering, guess: Clustering) -> Fraction:
    """How much of an object's guess cluster belongs with it, on average (Bagga, Baldwin 1998)."""
    return mean_over_guess(truth, guess, own_bcubed)


def bcubed_recall(truth: Clustering, guess: Clustering) -> Fraction:
    """How much of an object's truth cluster is found with it, on average (Bagga, Baldwin 1998)."""
    return bcubed_precision(guess, truth)


def bcubed_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "objects"
) -> Fraction:
    """F of BCubed precision and recall (van Heusden et al. 2022; "means": Bagga, Baldwin 1998)."""
    return f_measure(truth, guess, bcubed_precision, own_bcubed, alpha, f)


def elm_precision(truth: Clustering, guess: Clustering) -> Fraction:
    """How many of an object's guess mates belong with it, on average (van Heusden et al. 2022)."""
    return mean_over_guess(truth, guess, own_elm)


def elm_recall(truth: Clustering, guess: Clustering) -> Fraction:
    """How many of an object's truth mates are found with it, on average (van Heusden 2022)."""
    return elm_precision(guess, truth)


def elm_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "objects"
) -> Fraction:
    """F of ELM precision and recall (van Heusden et al. 2022)."""
    return f_measure(truth, guess, elm_precision, own_elm, alpha, f)
