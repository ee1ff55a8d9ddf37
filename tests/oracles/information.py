"""Information measures: means over objects of logarithms (natural) of shares."""

import math
from collections.abc import Iterable
from fractions import Fraction

from .chance import expected
from .common import Clustering, Number, cluster, clusters, f_of, same_objects


def _average(values: Iterable[float]) -> float:
    """Mean of floats; 0 for no values, since no objects carry no information."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else 0.0


def _entropy(c: Clustering) -> float:
    """Mean over objects of log n/|cluster|."""
    return _average(math.log(Fraction(len(c), len(cluster(c, x)))) for x in c)


def _joint_entropy(truth: Clustering, guess: Clustering) -> float:
    """Entropy of the clustering into common parts."""
    return _entropy({x: (truth[x], guess[x]) for x in truth})


def _conditional_entropy(c: Clustering, given: Clustering) -> float:
    """Mean over objects of how surprising their cluster is, the other clustering known."""
    return _average(
        math.log(Fraction(len(cluster(given, x)), len(cluster(c, x) & cluster(given, x))))
        for x in c
    )


def mutual_information(truth: Clustering, guess: Clustering) -> float:
    """What one side tells about the other, in nats (Cover, Thomas 1991)."""
    objects = same_objects(truth, guess)

    def excess(x: object) -> float:
        mine, other = cluster(truth, x), cluster(guess, x)
        return math.log(Fraction(len(objects) * len(mine & other), len(mine) * len(other)))

    return _average(map(excess, objects))


def normaliser(norm: str, truth: Clustering, guess: Clustering) -> float:
    """The upper bound of mutual information that `norm` names."""
    first, second = _entropy(truth), _entropy(guess)
    if norm == "max":
        return max(first, second)
    if norm == "min":
        return min(first, second)
    if norm == "arithmetic":
        return (first + second) / 2
    if norm == "geometric":
        return math.sqrt(first * second)
    if norm == "joint":
        return _joint_entropy(truth, guess)
    raise ValueError(f"no normaliser is called {norm!r}")


def nmi(truth: Clustering, guess: Clustering, *, norm: str = "arithmetic") -> float:
    """Mutual information over a bound made of the entropies (Vinh et al. 2010)."""
    information, bound = mutual_information(truth, guess), normaliser(norm, truth, guess)
    if _entropy(truth) == 0 and _entropy(guess) == 0:
        return 1.0
    return information / bound if bound else 0.0


def adjusted_mutual_information(
    truth: Clustering, guess: Clustering, *, norm: str = "arithmetic"
) -> float:
    """Mutual information above chance, over the most there is above chance (Vinh et al. 2010).

    1 for equal clusterings; 0 where others leave no room above chance, as nothing is shared.
    """
    same_objects(truth, guess)
    if norm == "joint":
        raise ValueError("adjusted mutual information has no 'joint' form")
    if clusters(truth) == clusters(guess):
        return 1.0
    chance = expected(mutual_information, truth, guess)
    room = normaliser(norm, truth, guess) - chance
    if abs(room) < 1e-12:
        return 0.0
    return (mutual_information(truth, guess) - chance) / room


def vi_distance(truth: Clustering, guess: Clustering) -> float:
    """Information lost and gained from one side to the other, in nats (Meila 2007)."""
    same_objects(truth, guess)
    return _conditional_entropy(guess, truth) + _conditional_entropy(truth, guess)


def vi_similarity(truth: Clustering, guess: Clustering) -> float:
    """V = 1 - VI/log n (Xiang et al. 2012, after Meila 2007)."""
    distance = vi_distance(truth, guess)
    return 1 - distance / math.log(len(truth)) if len(truth) > 1 else 1.0


def vi_similarity_k(truth: Clustering, guess: Clustering, *, k: int | None = None) -> float:
    """K = 1 - VI/log k^2 for at most k clusters a side (Xiang et al. 2012, after Meila 2007)."""
    distance = vi_distance(truth, guess)
    most = max(len(clusters(truth)), len(clusters(guess))) if k is None else k
    return 1 - distance / math.log(most**2) if most > 1 else 1.0


def homogeneity(truth: Clustering, guess: Clustering) -> float:
    """Share of truth's entropy that the guess explains, I/H(truth) (Rosenberg, Hirschberg 2007)."""
    information, entropy = mutual_information(truth, guess), _entropy(truth)
    return information / entropy if entropy else 1.0


def completeness(truth: Clustering, guess: Clustering) -> float:
    """Share of the guess's entropy that truth explains (Rosenberg, Hirschberg 2007)."""
    return homogeneity(guess, truth)


def v_measure(truth: Clustering, guess: Clustering, *, alpha: Number = 0.5) -> float:
    """F of homogeneity and completeness (Rosenberg, Hirschberg 2007)."""
    return f_of(homogeneity(truth, guess), completeness(truth, guess), alpha)
