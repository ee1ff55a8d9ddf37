"""The measures of the split-merge paper by its letters, and the entropies it speaks of.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from math import fsum, log
from typing import NamedTuple

from clusterdiff.laboratory.spaces.contingency import Contingency
from clusterdiff.laboratory.subject import compared
from clusterdiff.measures import Measure
from clusterdiff.measures.hard.information import (
    mutual_information,
    nmi,
    vi_distance,
    vi_similarity,
    vi_similarity_k,
)
from clusterdiff.measures.hard.matching import accuracy, van_dongen
from clusterdiff.measures.hard.pairs import rand
from clusterdiff.measures.hard.splitmerge import split_merge
from clusterdiff.papers.paper import Claim, Finding
from clusterdiff.papers.statements import Quantity, holds, on_trial, scored

MEASURES: dict[str, Measure] = {
    "R": rand,
    "N": van_dongen,
    "A": accuracy,
    "I": mutual_information,
    "NMI": nmi,
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
