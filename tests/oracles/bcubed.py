"""BCubed and ELM, object by object."""

from collections.abc import Callable, Hashable
from fractions import Fraction

from .common import (
    Clustering,
    Number,
    cluster,
    clusters,
    f_measure,
    f_of,
    mean,
    mean_over_guess,
    ratio,
)


def own_bcubed(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """Share of the guess cluster of x that is in the truth cluster of x, x included."""
    mine = cluster(guess, x)
    return ratio(len(mine & cluster(truth, x)), len(mine))


def own_elm(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """The same share without x itself; 1 if x is alone in the guess."""
    mine = cluster(guess, x) - {x}
    return ratio(len(mine & cluster(truth, x)), len(mine))


def own_without(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """The same share without x itself; 0 if x is alone in the guess."""
    mine = cluster(guess, x) - {x}
    return ratio(len(mine & cluster(truth, x)), len(mine), 0)


OWN = {"included": own_bcubed, "excluded": own_without}


def mean_of_truths(truth: Clustering, own: Callable[[Hashable], Fraction]) -> Fraction:
    """Mean over truth clusters of the mean over their objects (Binette et al. 2023)."""
    return mean((mean(map(own, mine)) for mine in clusters(truth)), 0)


def bcubed_precision(
    truth: Clustering, guess: Clustering, *, average: str = "objects", itself: str = "included"
) -> Fraction:
    """How much of an object's guess cluster belongs with it, on average (Bagga, Baldwin 1998)."""
    own = OWN[itself]
    if average == "objects":
        return mean_over_guess(truth, guess, own)
    return mean_of_truths(truth, lambda x: own(truth, guess, x) if x in guess else Fraction(0))


def bcubed_recall(
    truth: Clustering, guess: Clustering, *, average: str = "objects", itself: str = "included"
) -> Fraction:
    """How much of an object's truth cluster is found with it, on average (Bagga, Baldwin 1998)."""
    own = OWN[itself]
    if average == "objects":
        return mean_over_guess(guess, truth, own)
    return mean_of_truths(truth, lambda x: own(guess, truth, x) if x in guess else Fraction(0))


def bcubed_f(
    truth: Clustering,
    guess: Clustering,
    *,
    alpha: Number = 0.5,
    f: str = "means",
    average: str = "objects",
    itself: str = "included",
) -> Fraction:
    """F of BCubed precision and recall (Bagga, Baldwin 1998; "objects": van Heusden 2022)."""
    own = OWN[itself]
    if f == "means":
        precision, recall = (
            measure(truth, guess, average=average, itself=itself)
            for measure in (bcubed_precision, bcubed_recall)
        )
        return f_of(precision, recall, alpha)
    if average == "truth":
        return mean_of_truths(
            truth,
            lambda x: (
                f_of(own(truth, guess, x), own(guess, truth, x), alpha)
                if x in guess
                else Fraction(0)
            ),
        )
    return f_measure(truth, guess, bcubed_precision, own, alpha, f)


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
