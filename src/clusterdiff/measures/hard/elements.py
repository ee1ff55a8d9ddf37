"""Element-centric similarity: clusterings compared as walks between objects."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.errors import UnknownParameter
from clusterdiff.measures.core.lines import SizeMean, size_mean
from clusterdiff.measures.core.measure import measure
from clusterdiff.measures.core.object_means import draw, mean
from clusterdiff.measures.hard.element_pagerank import pairs_of_rows, similarity_of_walks
from clusterdiff.measures.overlapping.comembership.plan import BUDGET
from clusterdiff.meet import CoverMeet, Shapes


@measure(cite="gates2019", reached=False, perfect=False, solver=True)
def element_similarity(
    s: Shapes | CoverMeet, *, damping: float = 0.9, sample: int | None = None, seed: int = 0
) -> float | Floats:
    """Element-centric similarity (ECS): how similar random walks from each object are.

    Definition:  S(o) = 1 - 1/(2α) Σ_j |p_oj - q_oj| with the walks' shares p, q of each object;
    for partitions this is |T∩G| / max(|T|, |G|), whatever the damping α.

    In a cover the walk takes one of the object's clusters, then one of that cluster's objects, and
    returns to its start with probability 1 - α (personalised PageRank). From an object in no
    cluster it goes nowhere, like a walk from an object alone in its cluster. Of partitions only
    identical ones score 1.
    Every object is compared with all in its connected component: where these are more than 10⁹
    pairs, `sample` objects drawn with `seed` stand for all, with a standard error.

    Also known as: element-centric clustering similarity.
    """
    if not isinstance(s, CoverMeet):
        return s.both / np.maximum(s.truth_size, s.guess_size)
    if not 0 < damping < 1:
        raise UnknownParameter.from_value(
            "element_similarity", "damping", damping, "above 0 and below 1"
        )
    if sample is None or sample >= s.objects or pairs_of_rows(s) <= BUDGET:
        return similarity_of_walks(s, damping)
    drawn = draw(s, sample, seed)
    values = similarity_of_walks(s, damping, drawn.rows)
    return drawn.estimate(*mean(drawn.times, values, np.ones(s.rows, np.bool_), 1.0))


element_similarity.fact("lines")(lambda **_: size_mean(SizeMean("element")))
element_similarity.fact("squared_euclidean")(lambda damping, sample, seed: True)
