"""Numbers of the split-merge paper: bounds that it states, and a pair to check formulas on.

L is truth, C is guess, logarithms are natural.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import fsum, isqrt, log
from typing import NamedTuple

from clusterdiff.measures import Measure
from clusterdiff.measures.information import (
    mutual_information,
    nmi,
    vi_distance,
    vi_similarity,
    vi_similarity_k,
)
from clusterdiff.measures.matching import accuracy, van_dongen
from clusterdiff.measures.pairs import rand
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff_lab.axioms.subject import compared
from clusterdiff_lab.axioms.tables import Contingency, tables
from clusterdiff_lab.papers.paper import (
    CLOSE,
    Claim,
    Finding,
    Printed,
    Quantity,
    Value,
    holds,
    numbers,
    on_trial,
    scored,
)

# The measures of the split-merge paper by its letters, and the entropies it speaks of.
#
# L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
# the paper's; S_H is S* by entropy, S' has the mean in place of the product.

MEASURES: dict[str, Measure] = {
    "R": rand,
    "N": van_dongen,
    "A": accuracy,
    "I": mutual_information,
    "NMI": nmi(norm="max"),
    "V": vi_similarity,
    "K": vi_similarity_k(k=3),
    "S_H": split_merge,
    "S'": split_merge(combine="mean"),
}
S = {name: scored(name, measure) for name, measure in MEASURES.items()}
ZERO = Quantity("wanted", lambda case: Fraction(0))
ONE = Quantity("wanted", lambda case: Fraction(1))


def entropy(sizes: Iterable[int]) -> float:
    """The entropy of a partition into clusters of these sizes."""
    listed = list(sizes)
    n = sum(listed)
    return fsum(size / n * log(n / size) for size in listed)


class PartitionEntropies(NamedTuple):
    """H(L), H(C) and H(L,C), and log n, the most that these can be."""

    truth: float
    guess: float
    both: float
    most: float

    @property
    def independent(self) -> bool:
        """H(L) + H(C) = H(L,C)."""
        return compared(self.truth + self.guess, self.both) == 0

    @property
    def all_single(self) -> bool:
        """H(L,C) = log n."""
        return compared(self.both, self.most) == 0


def entropies(table: Contingency) -> PartitionEntropies:
    """Those of a comparison."""
    cells = [count for column in table.columns for count in column if count]
    truth, guess, both = map(entropy, (table.classes, map(sum, table.columns), cells))
    return PartitionEntropies(truth, guess, both, log(table.objects))


def claimed(
    where: str, name: str, says: str, condition: str, tried: Callable[..., Finding] = holds,
    instead: str = "", **search: int,
) -> Claim:  # fmt: skip
    """That a measure satisfies a condition, or that it fails."""
    check = partial(tried, MEASURES[name], condition, **search)
    return Claim(where, f"{name} {says}", check, instead)


def k_measure(k: int) -> Quantity:
    """K by its definition, 1 - VI / log k²."""
    vi = on_trial(vi_distance)
    return Quantity("K", lambda table: 1 - vi.score(table) / (2 * log(k)))


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
    score: float = split_merge([0] * 4, [0, 0, 1, 1], similarity="mse", features=features)
    return score


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
