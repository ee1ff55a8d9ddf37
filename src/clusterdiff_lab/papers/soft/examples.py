"""The clusterings that the examples of the paper on soft clusterings speak of."""

from __future__ import annotations

from collections.abc import Mapping

from clusterdiff.clusterings import Evidential, Fuzzy, Partition, Possibilistic, Rough, Soft

OBJECTS = ["x1", "x2", "x3", "x4", "x5"]
C = Partition([1, 2, 2, 3, 1], OBJECTS)
R = Rough([{1}, {2}, {2, 3}, {3}, {1, 2, 3}], OBJECTS)
F = Fuzzy([[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5], [0, 0, 1], [1 / 3] * 3], OBJECTS, labels=[1, 2, 3])
P = Possibilistic(
    [[1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0.8]], OBJECTS, labels=[1, 2, 3]
)
M = Evidential(
    [
        {(1,): 1},
        {(2,): 1},
        {(2, 3): 0.5, (1, 2, 3): 0.5},
        {(3,): 1},
        {(1, 2, 3): 0.5, (1,): 1 / 6, (2,): 1 / 6, (3,): 1 / 6},
    ],
    ids=OBJECTS,
)
SOFT: Mapping[str, Soft] = {"R": R, "F": F, "P": P, "M": M}
VACUOUS = Rough([{1, 2, 3}] * 5, OBJECTS)

TOGETHER = [1, 1]
AMBIGUOUS = Evidential([{(2,): 1}, {(2, 3): 0.5, (1, 2, 3): 0.5}])
"""The objects x2 and x3 of M, of which nothing is known."""
BY_CHANCE = Fuzzy([[1, 0], [0.5, 0.5]])
"""Two objects that are together with chance 1/2."""
LACKING = Possibilistic([[1, 0], [0.6, 0.3]], labels=[1, 2])
"""Two objects, the second with possibilities below 1."""
