"""Average F1: each cluster with its best match on the other side."""

from __future__ import annotations

from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.hard.best_match import PAIRS_OF_CLUSTERS, best_partners
from clusterdiff.measures.hard.best_match import f as f_of_clusters
from clusterdiff.meet import CoverMeet
from clusterdiff.meet.exact_sums import exact_sum


@measure(cite="yang2013", cost=PAIRS_OF_CLUSTERS)
def cover_f1(m: CoverMeet) -> float:
    """Average F1 score: mean F of each cluster with its best match, over both sides.

    Definition:  1/2 mean_T max_G F(T,G) + 1/2 mean_G max_T F(T,G), F(T,G) = 2|T∩G| / (|T| + |G|)

    Also known as: AvgF1, best-match F1.
    """
    if not m.truth.clusters or not m.guess.clusters:
        return float(m.truth.clusters == m.guess.clusters)
    sides = (best_partners(one, f_of_clusters, apart=False) for one in (m, m.swap()))
    return sum(exact_sum(best) / best.size for best in sides) / 2
