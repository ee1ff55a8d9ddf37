"""Compiled: keys numbered as they first occur, counted on the way."""

from __future__ import annotations

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.compiled import compiled


@compiled
def numbered_by_appearance(keys: Ints, low: int, wide: int) -> tuple[Ints, Ints, Ints]:
    """The number of each key from 0 on, in the order of first occurrence, where each occurs first,
    and how often. Keys lie from `low` on, within so many.
    """
    table = np.full(wide, -1, np.int64)
    codes = np.empty(keys.size, np.int64)
    first = np.empty(wide, np.int64)
    size = np.zeros(wide, np.int64)
    many = 0
    for i in range(keys.size):
        place = keys[i] - low
        code = table[place]
        if code < 0:
            code = many
            table[place] = code
            first[code] = i
            many += 1
        codes[i] = code
        size[code] += 1
    return codes, first[:many].copy(), size[:many].copy()
