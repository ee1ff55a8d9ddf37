"""Element-centric similarity: clusterings compared as walks between objects."""

from __future__ import annotations

import numpy as np

from clusterdiff.measures.base import Floats, measure
from clusterdiff.meet import Shapes


@measure(cite="gates2019", reached=False)
def element_similarity(s: Shapes) -> Floats:
    """Mean over objects: how alike random walks inside its truth and its guess cluster are.

    Definition:  S(e) = 1 - 1/(2α) Σ_j |p_ej - q_ej| with the walks' shares p, q of each object;
    for partitions this is |L∩C| / max(|L|, |C|), whatever the restart probability.
    """
    return s.both / np.maximum(s.truth_size, s.guess_size)
