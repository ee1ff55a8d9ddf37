"""What measures give soft clusterings with exact masses: one by one, and all pairs of a space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.inputs import meet
from clusterdiff.laboratory.spaces.soft_clusterings import ExactSoft
from clusterdiff.measures.core.interval import Interval

if TYPE_CHECKING:
    from clusterdiff.arrays import Floats, Ints
    from clusterdiff.measures import Measure
    from clusterdiff.meet import Meet


def levels(members: Sequence[ExactSoft]) -> Ints:
    """How small each member is in objects, clusters, and parts of a mass: numbers from 0 on."""
    sizes = sorted({one.size for one in members})
    return np.array([sizes.index(one.size) for one in members], np.int64)


@lru_cache(maxsize=1 << 14)
def compared(one: ExactSoft, other: ExactSoft) -> Meet:
    """Two clusterings as measures take them."""
    return meet(one.clustering, other.clustering)


def score(measure: Measure, one: ExactSoft, other: ExactSoft) -> float:
    """What a measure gives two clusterings; of an interval the worse end."""
    found = measure.of(compared(one, other))
    if isinstance(found, Interval):
        return found.high if measure.is_distance else found.low
    return float(found)


def as_distance(measure: Measure) -> Callable[[Any], Any] | None:
    """How scores of a measure become distances, if they can."""
    if measure.is_distance:
        return lambda value: value
    claims = measure.claims
    best = claims.bounds[1] if claims.best is None else claims.best
    return None if isinf(best) else lambda value: best - value


def table(measure: Measure, members: tuple[ExactSoft, ...]) -> Floats:
    """What a measure gives all pairs of a space."""
    return _table(measure, measure.function, members)


@lru_cache(maxsize=256)
def _table(measure: Measure, function: object, members: tuple[ExactSoft, ...]) -> Floats:
    """The same; measures of one name may have different functions."""
    found = np.array([[score(measure, a, b) for b in members] for a in members])
    found.flags.writeable = False
    return found
