"""Which records to label: drawn with replacement, so that each draw has the same chances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints


def places_drawn(population: int, records: int, seed: int) -> tuple[Ints, Ints]:
    """Places from 0 to `population` - 1, in their order, and how often each was drawn.

    >>> place, hits = places_drawn(10, 20, seed=1)
    >>> int(hits.sum()), bool((np.diff(place) > 0).all())
    (20, True)
    """
    drawn = np.random.default_rng(seed).integers(0, population, records)
    return np.unique(drawn, return_counts=True)
