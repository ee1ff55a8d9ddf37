"""Degrees of membership: Rand indices of fuzzy and possibilistic clusterings."""

from __future__ import annotations

import numpy as np

from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.core.zero_division import ratio
from clusterdiff.measures.hard.pairs import rand
from clusterdiff.measures.soft.fuzzy_pairs import (
    CoNorm,
    Distance,
    PairAgreement,
    TNorm,
    agreement,
    degrees,
    differences,
    refuse_sets,
)
from clusterdiff.measures.soft.pair_masses import PAIRS_OF_ROWS, Pairs, over_pairs
from clusterdiff.meet import SoftMeet


def _share(found: PairAgreement, objects: int, pairs: Pairs) -> float:
    """Agreeing over all; with all n² pairs, each object agrees with itself."""
    agree, every = found.both + found.neither, sum(found)
    if pairs == "all":
        agree, every = 2 * agree + objects, 2 * every + objects
    return ratio(agree, every)


@measure(
    cite="campello2007", perfect=False, best=None,
    cost="all pairs of distinct rows, times the pairs of clusters",
)  # fmt: skip
def rand_campello(
    m: SoftMeet,
    *,
    tnorm: TNorm = "min",
    conorm: CoNorm = "max",
    pairs: Pairs = "distinct",
) -> float:
    """Fuzzy Rand index of Campello: pairs are together and apart to a degree, by t-norms.

    Definition:  agree / (agree + differ), sums over pairs of t(what truth says, what guess says),
                 where x, y are together to the degree s_k t(x_k, y_k), apart to the degree s_{k≠l}
                 t(x_k, y_l), with a t-norm t and a t-conorm s

    A clustering need not have 1 with itself. On fuzzy clusterings, tnorm='product' with
    conorm='bounded_sum' is rand_frigui.
    """
    if m.is_hard or m.objects < 2:
        return over_pairs(rand.of(m.hard) if m.is_hard else 1.0, m.objects, pairs)
    return _share(agreement("rand_campello", m, tnorm, conorm), m.objects, pairs)


@measure(
    cite="frigui2007", perfect=False, best=None,
    cost="one pass over the distinct rows, times the pairs of clusters; all pairs of distinct rows"
    " where degrees sum to more than one",
)  # fmt: skip
def rand_frigui(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Fuzzy Rand index of Frigui: pairs are together and apart by products of degrees.

    Definition:  mean over pairs of p q + (1 - p)(1 - q), p = Σ_k x_k y_k in truth, q in guess,
                 where rows sum to one

    Against a hard clustering this is the expected Rand index, which is rand_alpha. A clustering
    need not have 1 with itself.
    """
    if m.is_hard or m.objects < 2:
        return over_pairs(rand.of(m.hard) if m.is_hard else 1.0, m.objects, pairs)
    return _share(agreement("rand_frigui", m, "product", "bounded_sum"), m.objects, pairs)


@measure(cite="hullermeier2012", perfect=False, cost=PAIRS_OF_ROWS)
def rand_hullermeier(
    m: SoftMeet, *, distance: Distance = "half_l1", pairs: Pairs = "distinct"
) -> float:
    """Fuzzy Rand index of Hüllermeier: 1 - mean difference of the distances within pairs.

    Definition:  1 - mean over pairs of |d(truth row, truth row) - d(guess row, guess row)|

    distance='half_l1' is half the sum of differences (at most 1), 'max' the largest difference,
    'cosine' one less the cosine, which is rand_brouwer.

    Also known as: Hüllermeier-Rifqi index.
    """
    if m.is_hard:
        return over_pairs(rand.of(m.hard), m.objects, pairs)
    every = m.objects * (m.objects - 1) / 2
    found = differences("rand_hullermeier", m, distance)
    return over_pairs(1.0 - found / max(every, 1.0), m.objects, pairs)


@measure(cite="brouwer2009", perfect=False, cost=PAIRS_OF_ROWS)
def rand_brouwer(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Fuzzy Rand index of Brouwer: pairs compared by the cosine of their memberships.

    Definition:  1 - mean over pairs of |cos(truth rows) - cos(guess rows)|
    """
    return float(rand_hullermeier.having(distance="cosine", pairs=pairs).of(m))


@measure(
    cite="anderson2010", bounds=(-np.inf, 1.0), reached=False, perfect=False, best=None,
    cost="one pass over the distinct rows, times the pairs of clusters",
)  # fmt: skip
def rand_anderson(m: SoftMeet, *, pairs: Pairs = "distinct") -> float:
    """Fuzzy Rand index of Anderson: Rand index of the soft contingency table.

    Definition:  rand of the table n · XᵀY / ΣXᵀY, X and Y the degrees of truth and guess

    Linear in the objects. It can be negative, and a clustering need not have 1 with itself.

    Also known as: soft Rand index of Anderson.
    """
    n = m.objects
    if m.is_hard or n < 2:
        return over_pairs(rand.of(m.hard) if m.is_hard else 1.0, n, pairs)
    refuse_sets("rand_anderson", m)
    truth, guess = degrees(m.truth), degrees(m.guess)
    table = truth.T @ (guess * m.both[:, None])
    if not table.sum():
        return over_pairs(0.0, n, pairs)
    table *= n / table.sum()
    squares = float((table**2).sum())
    margins = float((table.sum(axis=0) ** 2).sum() + (table.sum(axis=1) ** 2).sum())
    agree = (squares - n) / 2 + (n * n + squares - margins) / 2
    return over_pairs(agree / (n * (n - 1) / 2), n, pairs)
