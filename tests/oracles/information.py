"""Information measures: means over objects of logarithms (natural) of shares."""

import math
from collections.abc import Callable, Iterable
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


def vi_split(truth: Clustering, guess: Clustering, *, unit: str = "nats") -> float:
    """H(guess | truth)."""
    same_objects(truth, guess)
    nats = _conditional_entropy(guess, truth)
    return nats / math.log(2) if unit == "bits" else nats


def vi_merge(truth: Clustering, guess: Clustering, *, unit: str = "nats") -> float:
    """H(truth | guess)."""
    return vi_split(guess, truth, unit=unit)


def asymmetric_nmi(truth: Clustering, guess: Clustering) -> float:
    """I(guess; truth) / I(truth; truth) (Jerdee, Kirkley and Newman 2023)."""
    whole = mutual_information(truth, truth)
    return mutual_information(truth, guess) / whole if whole else 1.0


def _multiset(number: int, alpha: float) -> float:
    """Logarithm of the binomial coefficient of number + alpha - 1 over number, factor by factor."""
    return math.fsum(math.log((alpha + i) / (i + 1)) for i in range(number))


def _cheapest(cost: Callable[[float], float]) -> float:
    """The least cost for a concentration from 1e-4 to 1e4: a fine grid, again and again finer."""
    low, high = math.log(1e-4), math.log(1e4)
    for _ in range(12):
        grid = [low + (high - low) * k / 60 for k in range(61)]
        best = min(grid, key=lambda x: cost(math.exp(x)))
        step = grid[1] - grid[0]
        low, high = max(grid[0], best - step), min(grid[-1], best + step)
    return cost(math.exp(best))


def _told(truth: Clustering, guess: Clustering) -> float:
    """H(truth) - H(truth | guess) by equations (7), (14) and (17) of Jerdee et al. 2024."""
    n, wanted, known = len(truth), clusters(truth), clusters(guess)
    q = len(wanted)
    sizes = _cheapest(lambda a: _multiset(n, q * a) - sum(_multiset(len(t), a) for t in wanted))
    members = math.lgamma(n + 1) - sum(math.lgamma(len(t) + 1) for t in wanted)
    table = _cheapest(
        lambda a: sum(
            _multiset(len(g), q * a) - sum(_multiset(len(t & g), a) for t in wanted) for g in known
        )
    )
    inside = sum(
        math.lgamma(len(g) + 1) - sum(math.lgamma(len(t & g) + 1) for t in wanted) for g in known
    )
    return sizes + members - table - inside


def reduced_mutual_information(
    truth: Clustering, guess: Clustering, *, norm: str | None = None
) -> float:
    """In nats per object, or as a share of what a side tells of itself."""
    if not same_objects(truth, guess):
        return 0.0 if norm is None else 1.0
    if norm is None:
        return _told(truth, guess) / len(truth)
    told, whole = _told(truth, guess), _told(truth, truth)
    if norm == "mean":
        told, whole = told + _told(guess, truth), whole + _told(guess, guess)
    if whole <= 1e-11:
        return float(clusters(truth) == clusters(guess))
    return told / whole
