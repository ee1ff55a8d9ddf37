"""Set matching: best partners, largest shares, clusters found whole."""

from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations, permutations

from .common import (
    Clustering,
    Number,
    cluster,
    clusters,
    f_measure,
    f_of,
    matchings,
    mean_over_all,
    ratio,
    same_objects,
)


def accuracy(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of objects kept by the best one-to-one matching of clusters (Meila, Heckerman 2001)."""
    objects = same_objects(truth, guess)
    kept = max(
        sum(len(left & right) for left, right in matching)
        for matching in matchings(clusters(truth), clusters(guess))
    )
    return ratio(kept, len(objects))


def partition_distance(truth: Clustering, guess: Clustering, *, over: str = "n-1") -> Fraction:
    """Fewest objects to take out so that the rest agree, over n-1 or n (Gusfield 2002)."""
    objects = same_objects(truth, guess)
    moved = next(
        size
        for size in range(len(objects) + 1)
        for gone in combinations(objects, size)
        if _agree(truth, guess, [x for x in objects if x not in gone])
    )
    if over == "n-1":
        return ratio(moved, max(len(objects) - 1, 0), 0)
    if over == "n":
        return ratio(moved, len(objects), 0)
    raise ValueError(f"over is 'n-1' or 'n', not {over!r}")


def _agree(truth: Clustering, guess: Clustering, objects: list[Hashable]) -> bool:
    """Whether the two partitions are one and the same on these objects."""
    pairs = combinations(objects, 2)
    return all((truth[x] == truth[y]) == (guess[x] == guess[y]) for x, y in pairs)


def van_dongen(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of objects in the largest common part of their cluster, both ways (Dongen 2000)."""
    objects = same_objects(truth, guess)
    left, right = clusters(truth), clusters(guess)
    split = sum(max(len(a & b) for b in right) for a in left)
    merged = sum(max(len(a & b) for a in left) for b in right)
    return ratio(split + merged, 2 * len(objects))


def _own_purity(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """Largest share of one truth cluster in the guess cluster of x."""
    mine = cluster(guess, x)
    return Fraction(max(len(mine & other) for other in clusters(truth)), len(mine))


def purity(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the guess's objects in the largest part of their cluster (Zhao, Karypis 2001)."""
    most = [max((len(c & t) for t in clusters(truth)), default=0) for c in clusters(guess)]
    return ratio(sum(most), len(guess))


def inverse_purity(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of truth's objects in the largest part of their cluster (Amigo et al. 2009)."""
    return purity(guess, truth)


def purity_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means"
) -> Fraction:
    """F of purity and inverse purity (Amigo et al. 2009)."""
    return f_measure(truth, guess, purity, _own_purity, alpha, f)


def exact_precision(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the guess clusters that are truth clusters, object for object (Menestrina 2010)."""
    return ratio(len(clusters(guess) & clusters(truth)), len(clusters(guess)))


def exact_recall(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the truth clusters that are guess clusters, object for object (Menestrina 2010)."""
    return ratio(len(clusters(guess) & clusters(truth)), len(clusters(truth)))


def _own_exact(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """1 if the guess cluster of x is a truth cluster, else 0."""
    return Fraction(cluster(guess, x) in clusters(truth))


def exact_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means"
) -> Fraction:
    """F of exact precision and exact recall (Menestrina et al. 2010)."""
    return f_measure(truth, guess, exact_precision, _own_exact, alpha, f)


def exact_accuracy(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the messages whose template groups the same messages (Zhu et al. 2019)."""
    return mean_over_all(truth, guess, lambda x: Fraction(cluster(truth, x) == cluster(guess, x)))


def pure_share(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the guess clusters with objects of one truth cluster alone."""
    pure = [c for c in clusters(guess) if any(c <= t for t in clusters(truth))]
    return ratio(len(pure), len(clusters(guess)))


def whole_share(truth: Clustering, guess: Clustering) -> Fraction:
    """Share of the truth clusters that stay together."""
    return pure_share(guess, truth)


def pure_whole_f(truth: Clustering, guess: Clustering, *, alpha: Number = 0.5) -> Fraction:
    """F of both."""
    return f_of(pure_share(truth, guess), whole_share(truth, guess), alpha)


def normalized_clustering_accuracy(truth: Clustering, guess: Clustering) -> Fraction:
    """Mean over the truth clusters of (share - 1/K) / (1 - 1/K) (Gagolewski 2025).

    The shares are those of the matching that makes it largest, to which empty clusters are added
    for truth clusters without a partner; not below 0.
    """
    same_objects(truth, guess)
    wanted = list(clusters(truth))
    found = [*clusters(guess), *(frozenset() for _ in wanted)]
    if len(wanted) == 1:
        return Fraction(wanted[0] in found)
    least = Fraction(1, len(wanted))
    scores = (
        sum(
            (
                (Fraction(len(t & g), len(t)) - least) / (1 - least)
                for t, g in zip(wanted, partners, strict=True)
            ),
            Fraction(),
        )
        for partners in set(permutations(found, len(wanted)))
    )
    return max(Fraction(0), max(scores) / len(wanted))


def pair_sets_index(truth: Clustering, guess: Clustering) -> Fraction:
    """Equations 16 to 18 of Rezaei and Fraenti 2016, where K = K' = 1 is 1."""
    objects = same_objects(truth, guess)
    left, right = clusters(truth), clusters(guess)
    similarity = max(
        sum((Fraction(len(a & b), max(len(a), len(b))) for a, b in matching), Fraction())
        for matching in matchings(left, right)
    )
    by_size = [sorted(map(len, side), reverse=True) for side in (left, right)]
    chance = sum(
        (Fraction(n * m, len(objects) * max(n, m)) for n, m in zip(*by_size, strict=False)),
        Fraction(),
    )
    return max(Fraction(0), ratio(similarity - chance, max(len(left), len(right)) - chance))
