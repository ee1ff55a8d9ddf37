"""Measures for covers: clusterings whose objects may be in several clusters, or in none.

A cover maps each object to the labels of all its clusters.  A cluster is a label: two labels with
the same objects are two clusters.  Labels of truth and guess have nothing to do with each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import chain, combinations

from .common import Cluster, Number, f_of, mean, ratio

Cover = Mapping[Hashable, Collection[Hashable]]
Frozen = tuple[tuple[Hashable, frozenset[Hashable]], ...]
"""A cover by which can be looked up what is known of it: many measures ask for the same."""
Values = dict[Hashable, tuple[Fraction, Fraction]]
Similarity = str | Callable[[int, int, int, int], Number]
Factor = Callable[[Hashable, Hashable], Fraction]
Identity = Callable[[Cover, Cover], Factor]


def frozen(c: Cover) -> Frozen:
    return tuple((x, frozenset(c[x])) for x in c)


def members(c: Cover) -> dict[Hashable, Cluster]:
    """Each label's objects."""
    labels = {label for x in c for label in c[x]}
    return {label: frozenset(x for x in c if label in c[x]) for label in labels}


def clusters(c: Cover) -> list[Cluster]:
    """The clusters as sets of objects; clusters with the same objects are all listed."""
    return list(members(c).values())


def same_objects(truth: Cover, guess: Cover) -> list[Hashable]:
    """The objects of both sides, for the measures that need the same ones on each."""
    if truth.keys() != guess.keys():
        raise ValueError("truth and guess must have the same objects")
    return list(truth)


def together(c: Cover, x: Hashable, y: Hashable) -> int:
    """How many clusters hold both x and y; none if the cover lacks one of them."""
    return len(set(c.get(x, ())) & set(c.get(y, ())))


def company(c: Cover, x: Hashable) -> Cluster:
    """The objects of all clusters of x, x among them: E(o, G), and the union of G(o)."""
    return frozenset(y for y in c if together(c, x, y) > 0)


# Extended BCubed and CICE-BCubed: Eqs (1), (2) are Eqs (7), (8) with the factor 1.


def own_value(mine: Cover, other: Cover, x: Hashable, factor: Factor) -> Fraction | None:
    """What x adds to the sum of Eq. (1), (2), (7) or (8); None for 0/0, x being in no cluster.

    An object that the other side lacks earns nothing, also if it is in no cluster.
    """
    mates = company(mine, x)
    if not mates:
        return None if x in other else Fraction(0)
    terms = (
        min(together(mine, x, y), together(other, x, y)) * factor(x, y) / together(mine, x, y)
        for y in mates
    )
    return sum(terms, Fraction()) / len(mates)


def own_values(mine: Cover, other: Cover, identity: Identity) -> dict[Hashable, Fraction | None]:
    """The same of all objects of `mine`."""
    return _own_values(frozen(mine), frozen(other), identity)


@cache
def _own_values(mine: Frozen, other: Frozen, identity: Identity) -> dict[Hashable, Fraction | None]:
    own, others = dict(mine), dict(other)
    factor = identity(own, others)
    return {x: own_value(own, others, x, factor) for x in own}


def filled(value: Fraction | None, uncovered: str) -> Fraction:
    """The value; 0/0 is 1 or 0 by the rule, and 0 if "skip" has not left the object out."""
    if uncovered not in ("one", "zero", "skip"):
        raise ValueError(f"uncovered is 'one', 'zero' or 'skip', not {uncovered!r}")
    return Fraction(uncovered == "one") if value is None else value


def mean_value(mine: Cover, other: Cover, identity: Identity, uncovered: str) -> Fraction:
    """Mean over the objects of `mine`; 0 if only `other` has objects, 1 if neither has."""
    if not mine:
        return Fraction(not other)
    values = own_values(mine, other, identity).values()
    kept = [v for v in values if v is not None or uncovered != "skip"]
    return mean(filled(v, uncovered) for v in kept)


def value_pairs(
    truth: Cover, guess: Cover, identity: Identity
) -> dict[Hashable, tuple[Fraction | None, Fraction | None]]:
    """Each object's precision and recall; 0 for the side that lacks the object."""
    forward, back = own_values(guess, truth, identity), own_values(truth, guess, identity)
    return {
        x: (forward.get(x, Fraction(0)), back.get(x, Fraction(0)))
        for x in truth.keys() | guess.keys()
    }


def f_value(
    truth: Cover, guess: Cover, identity: Identity, alpha: Number, f: str, uncovered: str
) -> Fraction:
    """Eqs (3), (9) of the two means, or the mean over all objects of Eq. (3), (9) of their own.

    Of the objects, "skip" leaves out those that are in no cluster on both sides.
    """
    if f == "means":
        precision = mean_value(guess, truth, identity, uncovered)
        recall = mean_value(truth, guess, identity, uncovered)
        return f_of(precision, recall, alpha)
    if f == "objects":
        pairs = value_pairs(truth, guess, identity).values()
        kept = [pair for pair in pairs if pair != (None, None) or uncovered != "skip"]
        return mean(f_of(filled(p, uncovered), filled(r, uncovered), alpha) for p, r in kept)
    raise ValueError(f"f is 'means' or 'objects', not {f!r}")


def values_by_rule_one(truth: Cover, guess: Cover, identity: Identity) -> Values:
    """Each object's precision and recall, 0/0 being 1."""
    pairs = value_pairs(truth, guess, identity)
    return {x: (filled(p, "one"), filled(r, "one")) for x, (p, r) in pairs.items()}


def no_identity(mine: Cover, other: Cover) -> Factor:
    """Extended BCubed counts clusters and does not ask which ones they are: the factor is 1."""
    return lambda x, y: Fraction(1)


def extended_bcubed_values(truth: Cover, guess: Cover) -> Values:
    """Each object's Extended BCubed precision and recall, 1 for an object in no cluster."""
    return values_by_rule_one(truth, guess, no_identity)


def extended_bcubed_precision(truth: Cover, guess: Cover, *, uncovered: str = "one") -> Fraction:
    """Share of an object's company in the guess that truth backs, as often (Amigó et al. 2009)."""
    return mean_value(guess, truth, no_identity, uncovered)


def extended_bcubed_recall(truth: Cover, guess: Cover, *, uncovered: str = "one") -> Fraction:
    """Share of an object's company in truth that the guess finds, as often (Amigó et al. 2009)."""
    return mean_value(truth, guess, no_identity, uncovered)


def extended_bcubed_f(
    truth: Cover, guess: Cover, *, alpha: Number = 0.5, f: str = "means", uncovered: str = "one"
) -> Fraction:
    """F of Extended BCubed precision and recall (Amigó et al. 2009)."""
    return f_value(truth, guess, no_identity, alpha, f, uncovered)


def alike(a: Cluster, b: Cluster, n: int, similarity: Similarity) -> Fraction:
    """How like two clusters among n objects are: Eq. (5) and what may stand in for it."""
    both, either = len(a & b), len(a | b)
    if callable(similarity):
        return Fraction(similarity(both, len(a), len(b), n))
    if similarity == "jaccard":
        return Fraction(both, either)
    if similarity == "f":
        return Fraction(2 * both, len(a) + len(b))
    if similarity == "rand":
        return Fraction(both + (n - either), n)
    raise ValueError(f"similarity is 'jaccard', 'f', 'rand' or a function, not {similarity!r}")


@cache
def identity_index(similarity: Similarity, match: str) -> Identity:
    """The CII, Eq. (6): mean likeness of the clusters around a pair to their best matches.

    match="all" looks for the best among all clusters of the other side, as Eq. (4) says;
    match="pair" among those that hold the pair, as the prose says.  No cluster, likeness 0.
    """
    if match not in ("all", "pair"):
        raise ValueError(f"match is 'all' or 'pair', not {match!r}")

    def identity(mine: Cover, other: Cover) -> Factor:
        n = len(mine.keys() | other.keys())
        own, rivals = members(mine), clusters(other)

        def phi(x: Hashable, y: Hashable) -> Fraction:
            allowed = [b for b in rivals if match == "all" or {x, y} <= b]
            around = [own[label] for label in set(mine[x]) & set(mine[y])]
            best = (max((alike(a, b, n, similarity) for b in allowed), default=0) for a in around)
            return mean(map(Fraction, best))

        return phi

    return identity


def cice_values(
    truth: Cover, guess: Cover, *, similarity: Similarity = "jaccard", match: str = "all"
) -> Values:
    """Each object's CICE-BCubed precision and recall, 1 for an object in no cluster."""
    return values_by_rule_one(truth, guess, identity_index(similarity, match))


def cice_precision(
    truth: Cover,
    guess: Cover,
    *,
    uncovered: str = "one",
    similarity: Similarity = "jaccard",
    match: str = "all",
) -> Fraction:
    """Extended BCubed precision with each pair weighed by its CII (CICE-BCubed, Eq. (7))."""
    return mean_value(guess, truth, identity_index(similarity, match), uncovered)


def cice_recall(
    truth: Cover,
    guess: Cover,
    *,
    uncovered: str = "one",
    similarity: Similarity = "jaccard",
    match: str = "all",
) -> Fraction:
    """Extended BCubed recall with each pair weighed by its CII (CICE-BCubed, Eq. (8))."""
    return mean_value(truth, guess, identity_index(similarity, match), uncovered)


def cice_f(
    truth: Cover,
    guess: Cover,
    *,
    alpha: Number = 0.5,
    f: str = "means",
    uncovered: str = "one",
    similarity: Similarity = "jaccard",
    match: str = "all",
) -> Fraction:
    """F of CICE-BCubed precision and recall (CICE-BCubed, Eq. (9))."""
    return f_value(truth, guess, identity_index(similarity, match), alpha, f, uncovered)


# Pairs of objects.


def omega(truth: Cover, guess: Cover) -> Fraction:
    """Share of pairs together equally often on both sides, above chance (Collins, Dent 1988)."""
    pairs = list(combinations(same_objects(truth, guess), 2))
    in_truth = Counter(together(truth, x, y) for x, y in pairs)
    in_guess = Counter(together(guess, x, y) for x, y in pairs)
    agreed = sum(together(truth, x, y) == together(guess, x, y) for x, y in pairs)
    observed = ratio(agreed, len(pairs))
    chance = ratio(sum(in_truth[j] * in_guess[j] for j in in_truth), len(pairs) ** 2)
    return ratio(observed - chance, 1 - chance)


# Mutual information: a cluster is a yes-or-no question about an object.


def _uncertainty(*counts: int) -> float:
    """Entropy (nats) of the answer that is given `counts` times."""
    n = sum(counts)
    return math.fsum(k / n * math.log(n / k) for k in counts if k > 0)


def _own_entropy(a: Cluster, n: int) -> float:
    """H(X_k)."""
    return _uncertainty(len(a), n - len(a))


def _entropy_given_one(a: Cluster, b: Cluster, n: int) -> float:
    """H(X_k|Y_l); all of H(X_k) if b tells of a mainly by being its opposite.

    The condition is h(p11) + h(p00) >= h(p01) + h(p10), h(p) = -p log p.  Since (k/n)**k is
    exp(-n h(k/n)), it compares whole numbers.  Equality counts: 4 and 1 against 2 and 1 of 8.
    """
    both, only_a, only_b = len(a & b), len(a - b), len(b - a)
    neither = n - len(a | b)
    left = n ** (both + neither) * only_a**only_a * only_b**only_b
    right = n ** (only_a + only_b) * both**both * neither**neither
    if left < right:
        return _own_entropy(a, n)
    inside, outside = _uncertainty(both, only_b), _uncertainty(only_a, neither)
    return (len(b) * inside + (n - len(b)) * outside) / n


def _entropy_given(a: Cluster, others: Collection[Cluster], n: int) -> float:
    """H(X_k|Y): what is left of H(X_k) with the most helpful cluster of the other side."""
    return min([_own_entropy(a, n), *(_entropy_given_one(a, b, n) for b in others)])


def _share_left(a: Cluster, others: Collection[Cluster], n: int) -> float:
    """H(X_k|Y)/H(X_k); for a cluster of all objects 0 if the other side has one too, else 1."""
    if len(a) == n:
        return float(a not in others)
    return _entropy_given(a, others, n) / _own_entropy(a, n)


def _mean_share_left(own: Collection[Cluster], others: Collection[Cluster], n: int) -> float:
    """H(X|Y)_norm: mean of the clusters' shares; of no clusters 0 if nobody has any, else 1."""
    if not own:
        return float(len(others) > 0)
    return math.fsum(_share_left(a, others, n) for a in own) / len(own)


def onmi(truth: Cover, guess: Cover, *, variant: str = "max") -> float:
    """Mutual information of covers, normalised (Lancichinetti et al. 2009, McDaid et al. 2011).

    "max" is McDaid's: mutual information over the larger entropy, and if that is 0, 1 for equal
    covers and 0 for others.  "lfk" is Lancichinetti's: 1 minus the mean share of entropy left.
    """
    n = len(same_objects(truth, guess))
    xs, ys = clusters(truth), clusters(guess)
    if variant == "lfk":
        return 1 - (_mean_share_left(xs, ys, n) + _mean_share_left(ys, xs, n)) / 2
    if variant != "max":
        raise ValueError(f"variant is 'max' or 'lfk', not {variant!r}")
    if all(len(a) == n for a in chain(xs, ys)):
        return float(Counter(xs) == Counter(ys))
    x_entropy = math.fsum(_own_entropy(a, n) for a in xs)
    y_entropy = math.fsum(_own_entropy(b, n) for b in ys)
    x_told = math.fsum(_own_entropy(a, n) - _entropy_given(a, ys, n) for a in xs)
    y_told = math.fsum(_own_entropy(b, n) - _entropy_given(b, xs, n) for b in ys)
    return (x_told + y_told) / 2 / max(x_entropy, y_entropy)


# Best matches of clusters.


def _mean_best_f1(own: Collection[Cluster], others: Collection[Cluster]) -> Fraction:
    """Mean over clusters of the best F1 with a cluster of the other side."""
    return mean(
        max((Fraction(2 * len(a & b), len(a) + len(b)) for b in others), default=Fraction(0))
        for a in own
    )


def cover_f1(truth: Cover, guess: Cover) -> Fraction:
    """Mean best F1, averaged over both directions (Yang, Leskovec 2013).

    1 if neither side has a cluster, 0 if one of them has none.
    """
    same_objects(truth, guess)
    xs, ys = clusters(truth), clusters(guess)
    if not xs or not ys:
        return Fraction(not xs and not ys)
    return (_mean_best_f1(xs, ys) + _mean_best_f1(ys, xs)) / 2


# Random walks.


def step(c: Cover, x: Hashable, y: Hashable) -> Fraction:
    """Chance to go from x to one of its clusters and from there to y; who has none stays."""
    mine = [a for a in clusters(c) if x in a]
    if not mine:
        return Fraction(x == y)
    return sum((Fraction(y in a, len(a)) for a in mine), Fraction()) / len(mine)


def walks(c: Cover, restart: Fraction) -> dict[Hashable, dict[Hashable, Fraction]]:
    """Shares of time p_xy of walks from x: p = (1 - a) I + a p W, that is p (I - a W) = (1 - a) I.

    Gauss and Jordan: rows of I - a W are made rows of I, and those of (1 - a) I become p.  The
    diagonal outweighs the rest of its row, so it is never 0.
    """
    return _walks(frozen(c), restart)


@cache
def _walks(cover: Frozen, restart: Fraction) -> dict[Hashable, dict[Hashable, Fraction]]:
    c = dict(cover)
    rows = {x: {y: (x == y) - restart * step(c, x, y) for y in c} for x in c}
    p = {x: {y: (x == y) * (1 - restart) for y in c} for x in c}
    for x in c:
        pivot = rows[x][x]
        for table in (rows, p):
            table[x] = {y: value / pivot for y, value in table[x].items()}
        for z in c:
            times = rows[z][x]
            if z != x and times != 0:
                for table in (rows, p):
                    table[z] = {y: table[z][y] - times * table[x][y] for y in c}
    return p


def element_similarity(
    truth: Cover, guess: Cover, *, restart: Number = Fraction(9, 10)
) -> Fraction:
    """Mean over objects of how alike their walks are on both sides (Gates et al. 2019).

    `restart` is their alpha: a walk goes on with this chance, and else returns to its object.
    """
    go_on = Fraction(restart)
    if not 0 < go_on < 1:
        raise ValueError(f"restart is between 0 and 1, not {restart!r}")
    objects = same_objects(truth, guess)
    p, q = walks(truth, go_on), walks(guess, go_on)

    def own(x: Hashable) -> Fraction:
        gap = sum((abs(p[x][y] - q[x][y]) for y in objects), Fraction())
        return 1 - gap / (2 * go_on)

    return mean(map(own, objects))


# Covers to try the oracles on.


def from_clusters(
    given: Iterable[Iterable[Hashable]], objects: Iterable[Hashable] = ()
) -> dict[Hashable, frozenset[Hashable]]:
    """The cover with these clusters, labelled 0, 1, ...; `objects` adds some in no cluster."""
    listed = [frozenset(a) for a in given]
    everything = dict.fromkeys(chain(objects, *listed))
    return {x: frozenset(k for k, a in enumerate(listed) if x in a) for x in everything}


def covers(n: int, *, uncovered: bool = False) -> Iterator[dict[Hashable, frozenset[Hashable]]]:
    """Every set of different clusters of the objects 0..n-1 that covers them all.

    With `uncovered` those that leave out some or all objects come too.
    """
    objects = range(n)
    possible = [a for size in range(1, n + 1) for a in combinations(objects, size)]
    for many in range(len(possible) + 1):
        for chosen in combinations(possible, many):
            c = from_clusters(chosen, objects)
            if uncovered or all(c.values()):
                yield c


# Speakers and time: NIST's diarization error rate, DIHARD's Jaccard error rate, purity, coverage.
# Objects are frames, clusters are speakers; a frame that a side lacks is silent there. Speakers are
# matched by trying all ways.


def matched(truth: Cover, guess: Cover, worth: Callable[[Cluster, Cluster], int]) -> int:
    """What clusters matched one to one are worth together, in the best of all ways."""
    ours, theirs = clusters(truth), clusters(guess)
    near = [[(1 << j, worth(a, b)) for j, b in enumerate(theirs) if a & b] for a in ours]

    @cache
    def best(i: int, taken: int) -> int:
        """Of the clusters from the i-th on, while some of guess are taken."""
        if i == len(ours):
            return 0
        with_it = [value + best(i + 1, taken | j) for j, value in near[i] if not taken & j]
        return max(best(i + 1, taken), *with_it, 0)

    return best(0, 0)


def diarization_error(truth: Cover, guess: Cover, *, part: str = "all") -> Fraction:
    """Frame by frame: who is missed, who is invented, who is taken for somebody else."""
    speech = missed = false_alarm = 0
    confused = -matched(truth, guess, lambda a, b: len(a & b))
    for frame in dict.fromkeys([*truth, *guess]):
        there, here = len(set(truth.get(frame, ()))), len(set(guess.get(frame, ())))
        speech += there
        missed += max(0, there - here)
        false_alarm += max(0, here - there)
        confused += min(there, here)
    parts = {"missed": missed, "false alarm": false_alarm, "confusion": confused}
    wrong = sum(parts.values()) if part == "all" else parts[part]
    return Fraction(wrong, speech) if speech else Fraction(int(wrong > 0))


def jaccard_error(truth: Cover, guess: Cover, *, assignment: str = "jaccard") -> Fraction:
    """The mean over speakers of truth of what theirs and the matched one's frames differ."""
    ours = clusters(truth)
    if not ours:
        return Fraction(int(bool(clusters(guess))))
    whole = math.lcm(*range(1, 2 + len({*truth, *guess})))
    first = (len(ours) + 1) * whole * (assignment == "time")  # more than all Jaccard indexes

    def worth(a: Cluster, b: Cluster) -> int:
        return len(a & b) * (first + whole // len(a | b))

    found = matched(truth, guess, worth)
    alike = Fraction(found % first if first else found, whole)
    return (len(ours) - alike) / len(ours)


def cover_purity(truth: Cover, guess: Cover) -> Fraction:
    """Of the frames of each guess cluster, one cluster at a time, those of the largest truth."""
    own, others = clusters(guess), clusters(truth)
    pure = sum(max((len(one & other) for other in others), default=0) for one in own)
    size = sum(map(len, own))
    return Fraction(pure, size) if size else Fraction(1)


OVERLAPPING: dict[str, Callable[..., Fraction | float]] = {
    "extended_bcubed_precision": extended_bcubed_precision,
    "extended_bcubed_recall": extended_bcubed_recall,
    "extended_bcubed_f": extended_bcubed_f,
    "cice_precision": cice_precision,
    "cice_recall": cice_recall,
    "cice_f": cice_f,
    "omega": omega,
    "onmi": onmi,
    "cover_f1": cover_f1,
    "element_similarity": element_similarity,
    "diarization_error_rate": diarization_error,
    "jaccard_error_rate": jaccard_error,
    "cover_purity": cover_purity,
    "cover_coverage": lambda truth, guess: cover_purity(guess, truth),
}
