"""Average F1: each cluster with its best match on the other side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.core.sums import function_of_sums
from clusterdiff.measures.core.zero_division import share
from clusterdiff.measures.hard.best_match import PAIRS_OF_CLUSTERS, best_partners
from clusterdiff.measures.hard.best_match import f as f_of_clusters
from clusterdiff.meet import CoverMeet
from clusterdiff.meet.exact_sums import exact_sum


@measure(cite="yang2013", cost=PAIRS_OF_CLUSTERS)
def cover_f1(m: CoverMeet) -> float:
    """Average F1 score: mean F of each cluster with its best match, over both sides.

    Definition:  1/2 mean_T max_G F(T,G) + 1/2 mean_G max_T F(T,G), F(T,G) = 2|T∩G| / (|T| + |G|)

    The `f1` of cdlib is a different measure: the mean over the clusters of its
    first argument alone of F with the cluster that shares most objects, each F rounded to two
    decimals.

    Also known as: AvgF1, best-match F1.
    """
    if not m.truth.clusters or not m.guess.clusters:
        return float(m.truth.clusters == m.guess.clusters)
    sides = (best_partners(one, f_of_clusters, apart=False) for one in (m, m.swap()))
    return sum(exact_sum(best) / best.size for best in sides) / 2


def _terms(m: CoverMeet) -> dict[str, Floats]:
    """Clusters of each side and the F with their best match, each with the first of its rows."""
    terms: dict[str, Floats] = {}
    found = m.truth.clusters > 0 and m.guess.clusters > 0
    for name, one in (("truth", m.swap()), ("guess", m)):
        side = one.guess
        best = best_partners(one, f_of_clusters, apart=False) if found else np.zeros(side.clusters)
        start, rows = side.rows_of_clusters
        first = rows[start[:-1]]
        terms[name] = np.bincount(first, minlength=m.rows).astype(np.float64)
        terms[f"best of {name}"] = np.asarray(np.bincount(first, best, m.rows), np.float64)
    return terms


def _of_sums(s: Mapping[str, Floats]) -> Floats:
    mean = (share(s["best of truth"], s["truth"]) + share(s["best of guess"], s["guess"])) / 2
    return np.where(s["truth"] * s["guess"] == 0, s["truth"] == s["guess"], mean)


function_of_sums(cover_f1, _terms, lambda s, _: _of_sums(s), whole=True)
