"""What the oracles share: clusters as sets of objects, quotients, means, matchings and F."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from typing import TypeVar

Clustering = Mapping[Hashable, Hashable]
Cluster = frozenset[Hashable]
Number = Fraction | float
N = TypeVar("N", Fraction, float)


def ratio(top: Fraction | int, bottom: Fraction | int, nothing: int = 1) -> Fraction:
    """The quotient; `nothing` is the value of 0/0, and anything else over 0 is a mistake."""
    if bottom == 0 and top == 0:
        return Fraction(nothing)
    return Fraction(top) / Fraction(bottom)


def mean(values: Iterable[Fraction], nothing: int = 1) -> Fraction:
    """The average; the mean of no values is 0/0."""
    listed = list(values)
    return ratio(sum(listed, Fraction()), len(listed), nothing)


def cluster(c: Clustering, x: Hashable) -> Cluster:
    """All objects with the label of x, x among them."""
    return frozenset(y for y in c if c[y] == c[x])


def clusters(c: Clustering) -> set[Cluster]:
    """The clusters as sets of objects, without their labels."""
    return {cluster(c, x) for x in c}


def same_objects(truth: Clustering, guess: Clustering) -> list[Hashable]:
    """The objects of both sides, for the measures that need the same ones on each."""
    if truth.keys() != guess.keys():
        raise ValueError("truth and guess must have the same objects")
    return list(truth)


def matchings(
    left: Collection[Cluster], right: Collection[Cluster]
) -> Iterator[list[tuple[Cluster, Cluster]]]:
    """Every way to give each cluster of the smaller side a partner of its own."""
    if len(left) <= len(right):
        for image in permutations(right, len(left)):
            yield list(zip(left, image, strict=True))
    else:
        for image in permutations(left, len(right)):
            yield list(zip(image, right, strict=True))


def f_of(precision: N, recall: N, alpha: Number) -> N:
    """F = 1 / (alpha/P + (1 - alpha)/R); alpha=1 is P, alpha=0 is R, else 0 if one of them is."""
    weight = Fraction(alpha)
    if weight == 1:
        return precision
    if weight == 0:
        return recall
    if precision == 0 or recall == 0:
        return precision * 0
    return 1 / (weight / precision + (1 - weight) / recall)


def mean_over_guess(
    truth: Clustering,
    guess: Clustering,
    own: Callable[[Clustering, Clustering, Hashable], Fraction],
) -> Fraction:
    """Mean over the guess's objects of `own`; an object that truth lacks earns 0."""
    return mean(own(truth, guess, x) if x in truth else Fraction(0) for x in guess)


def mean_over_all(
    truth: Clustering, guess: Clustering, own: Callable[[Hashable], Fraction], nothing: int = 1
) -> Fraction:
    """Mean over the objects of either side of `own`; an object on one side only has 0."""
    everything = truth.keys() | guess.keys()
    both = truth.keys() & guess.keys()
    return mean((own(x) if x in both else Fraction(0) for x in everything), nothing)


def f_measure(
    truth: Clustering,
    guess: Clustering,
    precision: Callable[[Clustering, Clustering], Fraction],
    own_precision: Callable[[Clustering, Clustering, Hashable], Fraction],
    alpha: Number,
    f: str,
    nothing: int = 1,
) -> Fraction:
    """F of the two overall numbers ("means") or mean of the objects' own F ("objects").

    Recall is precision with the sides exchanged, overall and for one object.
    """
    if f == "means":
        return f_of(precision(truth, guess), precision(guess, truth), alpha)
    if f == "objects":
        return mean_over_all(
            truth,
            guess,
            lambda x: f_of(own_precision(truth, guess, x), own_precision(guess, truth, x), alpha),
            nothing,
        )
    raise ValueError(f"f is 'means' or 'objects', not {f!r}")


def partitions(n: int) -> Iterator[dict[Hashable, Hashable]]:
    """Every partition of the objects 1..n once; a cluster is labelled in order of appearance."""

    def labels(length: int) -> Iterator[tuple[int, ...]]:
        if length == 0:
            yield ()
            return
        for start in labels(length - 1):
            for label in range(max(start, default=-1) + 2):
                yield (*start, label)

    for row in labels(n):
        yield dict(enumerate(row, start=1))
