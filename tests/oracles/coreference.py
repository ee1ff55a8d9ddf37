"""Coreference measures; the two sides may have different mentions.

`empty` is the value of 0/0: 1 here, 0 in the CoNLL scorer.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from itertools import combinations

from .bcubed import bcubed_f
from .common import (
    Cluster,
    Clustering,
    Number,
    cluster,
    clusters,
    f_measure,
    f_of,
    matchings,
    mean,
    mean_over_all,
    ratio,
)

Links = set[frozenset[Hashable]]
Phi = Callable[[Cluster, Cluster], Fraction]


# MUC: an entity of m mentions needs m - 1 links; each further part of it misses one.


def _kept_links(entity: Cluster, other: Clustering) -> int:
    """Links of the entity left when the other side cuts it; a missing mention is a part alone."""
    parts = {cluster(other, x) if x in other else frozenset({x}) for x in entity}
    return len(entity) - len(parts)


def muc_precision(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Share of the links needed to hold the guess entities that truth keeps (Vilain 1995)."""
    kept = sum(_kept_links(entity, truth) for entity in clusters(guess))
    return ratio(kept, sum(len(entity) - 1 for entity in clusters(guess)), empty)


def muc_recall(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Share of the links needed to hold the truth entities that the guess keeps (Vilain 1995)."""
    return muc_precision(guess, truth, empty=empty)


def _own_muc(truth: Clustering, guess: Clustering, x: Hashable, *, empty: int) -> Fraction:
    """MUC precision of the guess entity of x alone."""
    entity = cluster(guess, x)
    return ratio(_kept_links(entity, truth), len(entity) - 1, empty)


def muc_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means", empty: int = 1
) -> Fraction:
    """F of MUC precision and recall (Vilain et al. 1995)."""
    overall, own = partial(muc_precision, empty=empty), partial(_own_muc, empty=empty)
    return f_measure(truth, guess, overall, own, alpha, f, empty)


# CEAF: the best one-to-one matching of entities, by a similarity phi of two entities.


def _phi3(a: Cluster, b: Cluster) -> Fraction:
    """Common mentions."""
    return Fraction(len(a & b))


def _phi4(a: Cluster, b: Cluster) -> Fraction:
    """Common mentions over the mean size."""
    return Fraction(2 * len(a & b), len(a) + len(b))


def _best_matchings(
    truth: Clustering, guess: Clustering, phi: Phi
) -> tuple[Fraction, set[frozenset[tuple[Cluster, Cluster]]]]:
    """The largest total similarity and every matching that has it, without pairs worth 0."""
    left, right = clusters(truth), clusters(guess)
    worth = {(a, b): phi(a, b) for a in left for b in right}
    best = Fraction(-1)
    which: set[frozenset[tuple[Cluster, Cluster]]] = set()
    for matching in matchings(left, right):
        total = sum((worth[pair] for pair in matching), Fraction())
        if total > best:
            best, which = total, set()
        if total == best:
            which.add(frozenset(pair for pair in matching if worth[pair]))
    return best, which


def _ceaf_precision(truth: Clustering, guess: Clustering, *, phi: Phi, empty: int) -> Fraction:
    """Similarity of the best matching over that of the guess with itself."""
    best, _ = _best_matchings(truth, guess, phi)
    return ratio(best, sum((phi(entity, entity) for entity in clusters(guess)), Fraction()), empty)


def _ceaf_f(
    truth: Clustering, guess: Clustering, phi: Phi, alpha: Number, f: str, empty: int
) -> Fraction:
    """F of the two overall numbers; the objects' form is not one number where matchings tie."""
    if f != "means":
        raise ValueError("f='objects' can depend on ties: see ceaf_m_f_values, ceaf_e_f_values")
    overall = partial(_ceaf_precision, phi=phi, empty=empty)
    return f_of(overall(truth, guess), overall(guess, truth), alpha)


def _ceaf_f_values(
    truth: Clustering,
    guess: Clustering,
    phi: Phi,
    earned: Callable[[Cluster, Cluster, Hashable], Fraction],
    alpha: Number,
    empty: int,
) -> set[Fraction]:
    """Mean over mentions of their own F, once for every best matching."""

    def value(matching: frozenset[tuple[Cluster, Cluster]]) -> Fraction:
        to_guess = dict(matching)
        to_truth = {b: a for a, b in matching}

        def own(x: Hashable) -> Fraction:
            mine, other = cluster(truth, x), cluster(guess, x)
            recall = earned(mine, to_guess.get(mine, frozenset()), x)
            precision = earned(other, to_truth.get(other, frozenset()), x)
            return f_of(precision, recall, alpha)

        return mean_over_all(truth, guess, own, empty)

    return {value(matching) for matching in _best_matchings(truth, guess, phi)[1]}


def ceaf_m_precision(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Share of the guess mentions that the best matching of entities keeps (Luo 2005, phi3)."""
    return _ceaf_precision(truth, guess, phi=_phi3, empty=empty)


def ceaf_m_recall(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Share of the truth mentions that the best matching of entities keeps (Luo 2005, phi3)."""
    return ceaf_m_precision(guess, truth, empty=empty)


def ceaf_m_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means", empty: int = 1
) -> Fraction:
    """F of mention-based CEAF precision and recall (Luo 2005, phi3)."""
    return _ceaf_f(truth, guess, _phi3, alpha, f, empty)


def ceaf_m_f_values(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, empty: int = 1
) -> set[Fraction]:
    """Every mean of the mentions' own F; one earns 1 if matched entities share it (Luo 2005)."""

    def earned(entity: Cluster, partner: Cluster, x: Hashable) -> Fraction:
        return Fraction(x in entity & partner)

    return _ceaf_f_values(truth, guess, _phi3, earned, alpha, empty)


def ceaf_e_precision(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Mean similarity of a guess entity with its partner in the best matching (Luo 2005, phi4)."""
    return _ceaf_precision(truth, guess, phi=_phi4, empty=empty)


def ceaf_e_recall(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Mean similarity of a truth entity with its partner in the best matching (Luo 2005, phi4)."""
    return ceaf_e_precision(guess, truth, empty=empty)


def ceaf_e_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means", empty: int = 1
) -> Fraction:
    """F of entity-based CEAF precision and recall (Luo 2005, phi4)."""
    return _ceaf_f(truth, guess, _phi4, alpha, f, empty)


def ceaf_e_f_values(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, empty: int = 1
) -> set[Fraction]:
    """Every mean of the mentions' own F; one earns the phi4 of its matched entities (Luo 2005)."""

    def earned(entity: Cluster, partner: Cluster, _: Hashable) -> Fraction:
        return _phi4(entity, partner)

    return _ceaf_f_values(truth, guess, _phi4, earned, alpha, empty)


# BLANC: coreference links (pairs in one entity) and non-coreference links (pairs in two).


def _links(c: Clustering, of: Cluster) -> tuple[Links, Links]:
    """The links of both classes that contain all of `of` (nothing: every link)."""
    every = {frozenset(pair) for pair in combinations(c, 2)}
    within = {frozenset(pair) for pair in combinations(c, 2) if c[pair[0]] == c[pair[1]]}
    return {link for link in within if of <= link}, {link for link in every - within if of <= link}


def _blanc(
    truth: Clustering,
    guess: Clustering,
    quality: Callable[[Links, Links], Fraction],
    empty: int,
    of: Cluster = frozenset(),
) -> Fraction:
    """Mean of the quality of the link classes that truth has (Luo et al. 2014, reference scorer).

    Truth alone decides which classes count; where it has no link at all this is 0/0.
    """
    pairs = zip(_links(truth, of), _links(guess, of), strict=True)
    return mean((quality(key, response) for key, response in pairs if key), empty)


def _right(key: Links, response: Links) -> Fraction:
    """Share of the response links that are in the key; 0 if there are none."""
    return ratio(len(key & response), len(response), 0)


def blanc_precision(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Share of the guess's links that are in truth, mean of both classes (Luo et al. 2014)."""
    return _blanc(truth, guess, _right, empty)


def blanc_recall(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Share of truth's links that are in the guess, mean of both classes (Luo et al. 2014)."""
    return _blanc(truth, guess, lambda key, response: _right(response, key), empty)


def blanc_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means", empty: int = 1
) -> Fraction:
    """Mean of the F of coreference links and the F of non-coreference links (Luo et al. 2014)."""

    def quality(key: Links, response: Links) -> Fraction:
        return f_of(_right(key, response), _right(response, key), alpha)

    if f == "means":
        return _blanc(truth, guess, quality, empty)
    if f == "objects":
        return mean_over_all(
            truth, guess, lambda x: _blanc(truth, guess, quality, empty, frozenset({x})), empty
        )
    raise ValueError(f"f is 'means' or 'objects', not {f!r}")


# LEA: an entity is as important as it is large, and resolved as far as its links are found.


def _entity_links(entity: Cluster) -> Links:
    """All pairs in the entity; a lone mention has one link, to itself."""
    if len(entity) == 1:
        return {entity}
    return {frozenset(pair) for pair in combinations(entity, 2)}


def _resolution(entity: Cluster, other: Clustering) -> Fraction:
    """Share of the entity's links that are links of entities on the other side."""
    wanted = _entity_links(entity)
    found: Links = set().union(*map(_entity_links, clusters(other)))
    return Fraction(len(wanted & found), len(wanted))


def lea_precision(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """How far the guess entities are right, weighted by size (Moosavi, Strube 2016)."""
    right = sum((len(e) * _resolution(e, truth) for e in clusters(guess)), Fraction())
    return ratio(right, sum(len(e) for e in clusters(guess)), empty)


def lea_recall(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """How far the truth entities are resolved, weighted by size (Moosavi, Strube 2016)."""
    return lea_precision(guess, truth, empty=empty)


def _own_lea(truth: Clustering, guess: Clustering, x: Hashable) -> Fraction:
    """Resolution of the guess entity of x."""
    return _resolution(cluster(guess, x), truth)


def lea_f(
    truth: Clustering, guess: Clustering, *, alpha: Number = 0.5, f: str = "means", empty: int = 1
) -> Fraction:
    """F of LEA precision and recall (Moosavi, Strube 2016)."""
    overall = partial(lea_precision, empty=empty)
    return f_measure(truth, guess, overall, _own_lea, alpha, f, empty)


def conll(truth: Clustering, guess: Clustering, *, empty: int = 1) -> Fraction:
    """Mean of the F of MUC, BCubed and entity-based CEAF (Pradhan et al. 2012)."""
    bcubed = bcubed_f(truth, guess) if truth or guess else Fraction(empty)
    muc, ceaf_e = muc_f(truth, guess, empty=empty), ceaf_e_f(truth, guess, empty=empty)
    return (muc + bcubed + ceaf_e) / 3
