"""Numbers of the split-merge paper: bounds that it states, and a pair to check formulas on.

L is truth, C is guess, logarithms are natural.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt

from clusterdiff.laboratory.spaces.contingency import tables
from clusterdiff.measures.hard.matching import van_dongen
from clusterdiff.measures.hard.splitmerge import split_merge
from clusterdiff.papers.paper import CLOSE, Printed, Value, numbers
from clusterdiff.papers.split_merge.scores import MEASURES

TRUTH, GUESS = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]
OF_4_2_1_1 = [0, 0, 0, 0, 1, 1, 2, 3]
SERIES = (
    OF_4_2_1_1,
    [0, 0, 1, 1, 2, 2, 3, 4],
    [0, 0, 1, 1, 2, 3, 4, 5],
    [0, 1, 2, 2, 3, 4, 5, 6],
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 1, 2, 3, 4, 5, 6, 6],
)
"""The largest cluster is halved until all objects are alone, then the two single ones merge."""

REFERENCES = (
    "R, the Rand index",
    "N, by van Dongen",
    "A, the accuracy",
    "I, the mutual information",
    "NMI, over the larger entropy",
    "V, by the variation of information",
    "S_H",
    "S', by entropy",
    "K, k = 3",
)
"""Measures of the paper, by its letters."""


def _least_of_n(n: int) -> Printed:
    """The smallest value of N over all pairs of partitions, beside the bound in print."""
    root = isqrt(n)
    bound = 2 * root + (root * root < n)
    reached = bound == isqrt(4 * n - 1) + 1
    return Printed(
        LEAST, f"n = {n}", str(Fraction(bound, 2 * n)),
        lambda: min(van_dongen.of(table.meet) for table in tables(n)),
        note="" if reached else "the bound is not reached; the least is ⌈2√n⌉/2n",
    )  # fmt: skip


def _by_error(features: Sequence[float]) -> Value:
    """S* by the mean squared error, one cluster of four against two of two."""
    found: float = split_merge([0] * 4, [0, 0, 1, 1], similarity="mse", features=features)
    return found


def _falls_from_1_to_0(value: Value) -> bool:
    listed = numbers(value)
    falls = all(one > other + CLOSE for one, other in pairwise(listed))
    return falls and abs(listed[0] - 1) < CLOSE and abs(listed[-1]) < CLOSE


def _reference(what: str) -> Printed:
    measure = MEASURES[what.split(",")[0]]
    return Printed(REFERENCE, what, "", lambda: measure(TRUTH, GUESS))


LEAST = "Least value of N: Table 2 and Proposition 5.1, (⌊√n⌋ + ⌈√n⌉)/2n"
PROOF = "Proof of Proposition 5.1"
ERROR = "S* by the mean squared error, Section 4.5: L one cluster, C = {1,2},{3,4}"
EXPERIMENT = "Section 6"
REFERENCE = "All measures of Sections 3 and 4: L = {1,2,3},{4,5},{6}, C = {1,2},{3,4},{5,6}"

VALUES: tuple[Printed, ...] = (
    *map(_least_of_n, range(1, 9)),
    Printed(
        PROOF, "S_H of one cluster against single objects, n = 2 to 8", "in (0, 1)",
        lambda: tuple(split_merge([0] * n, range(n)) for n in range(2, 9)),
        note="without a single object in L, the single objects are a worst C",
        agrees=lambda value: all(0 < x < 1 for x in numbers(value)),
    ),
    Printed(
        ERROR, "features -1, 1, -1, 1", "< 1", lambda: _by_error((-1.0, 1.0, -1.0, 1.0)),
        note="both halves have the centre of the whole, so Property 4.3 fails",
        agrees=lambda value: numbers(value)[0] < 1 - CLOSE,
    ),
    Printed(ERROR, "features 0, 1, 4, 6", "", lambda: _by_error((0.0, 1.0, 4.0, 6.0))),
    Printed(
        EXPERIMENT, "S_H along the series, for clusters of 4, 2, 1 and 1 objects",
        "strictly from 1 to 0",
        lambda: tuple(split_merge(OF_4_2_1_1, guess) for guess in SERIES),
        agrees=_falls_from_1_to_0,
    ),
    *map(_reference, REFERENCES),
)  # fmt: skip
