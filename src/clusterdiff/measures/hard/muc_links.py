"""Links that build a cluster from its objects, one less than it has: what MUC counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.sums import clusters_of, size_of
from clusterdiff.measures.core.zero_division import ratio, share
from clusterdiff.meet import Counted, Shapes


def muc_links(s: Shapes, zero: float) -> tuple[float, float]:
    """Links in both over those of guess, and over those of truth; `zero` is 0/0."""
    links = int((np.maximum(s.found - 1, 0) * s.times).sum())
    return (
        ratio(links, s.guess_objects - s.guess_sizes.clusters, zero),
        ratio(links, s.truth_objects - s.truth_sizes.clusters, zero),
    )


def muc_terms(m: Counted) -> dict[str, Floats]:
    """What each row adds to the links in both, in truth and in guess."""
    n, (truths, guesses) = size_of(m), clusters_of(m)
    return {
        "links": np.maximum(m.found - 1.0, 0.0),
        "truth links": n * m.in_truth - truths,
        "guess links": n * m.in_guess - guesses,
    }


def muc_of_sums(s: Mapping[str, Floats], zero: float) -> tuple[Floats, Floats]:
    """The same quotients of sums of `muc_terms`."""
    return share(s["links"], s["guess links"], zero), share(s["links"], s["truth links"], zero)
