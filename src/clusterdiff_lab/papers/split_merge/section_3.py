"""Claims of the split-merge paper on the measures that it compares: Section 3.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import fsum, log, log2

from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.partitions import pairs
from clusterdiff_lab.axioms.subject import Number, compared
from clusterdiff_lab.axioms.tables import Column, Contingency
from clusterdiff_lab.papers.paper import (
    Finding,
    PaperClaims,
    Quantity,
    any_of,
    at_most,
    equal,
    of_each,
    provided,
    repaired,
    throughout,
    told,
)
from clusterdiff_lab.papers.split_merge.values import ONE, ZERO, S, entropies, entropy, k_measure

CLAIMS = PaperClaims()
Bound = Callable[[int], Number]
Condition = Callable[[Contingency], bool]


@CLAIMS.state("Section 3.2", "the sums can be at most 1, if not both have equally many clusters")
def constraints_of_a() -> Finding:
    """A is the best matching of clusters W, all sums of W being 1."""

    def matchings(table: Contingency) -> list[tuple[set[int], int]]:
        """The sums of rows and columns of each matrix of zeros and ones, and its objects."""
        rows, columns = len(table.columns), len(table.classes)
        found = []
        for entries in product((0, 1), repeat=rows * columns):
            w = [entries[k * columns : (k + 1) * columns] for k in range(rows)]
            sums = {*map(sum, w), *map(sum, zip(*w, strict=True))}
            kept = sum(a * b for row, of in zip(w, table.columns, strict=True)
                       for a, b in zip(row, of, strict=True))  # fmt: skip
            found.append((sums, kept))
        return found

    def wrong(table: Contingency) -> str:
        feasible = any(sums == {1} for sums, _ in matchings(table))
        return "" if feasible else "no matrix has only sums of 1"

    def best(table: Contingency) -> Number:
        return Fraction(
            max(kept for sums, kept in matchings(table) if max(sums) <= 1), table.objects
        )

    found = provided(
        pairs(3), lambda table: len(table.classes) == len(table.columns),
        "L and C have equally many clusters", wrong,
    )  # fmt: skip
    instead = throughout(pairs(3), equal(S["A"], Quantity("best with sums of at most 1", best)))
    return repaired(found, "with sums of at most 1", instead)


# Lower bounds


def lowest(
    score: Quantity, bound: Bound, condition: Condition, stage: Stage[Contingency]
) -> Finding:
    """Whether a score has a lower bound that it attains, for each number of objects, just if."""
    reached: dict[int, bool] = {}

    def wrong(table: Contingency) -> str:
        value, low = score.of(table), bound(table.objects)
        attained = compared(low, value) == 0
        reached[table.objects] = reached.get(table.objects, False) or attained
        if compared(low, value) < 0:
            return f"{score.name} = {told(value)} is below {told(low)}"
        met = "met" if condition(table) else "not met"
        right = attained == condition(table)
        return "" if right else f"{score.name} = {told(value)}, the condition is {met}"

    found = throughout(stage, wrong)
    missed = [n for n, attained in reached.items() if not attained]
    if missed and found.verdict == "true":
        return Finding("false", found.scope, f"not attained for n = {missed}", missed[0])
    return found


def attains(name: str, condition: Condition, least: int = 2) -> Finding:
    """The same for a measure of the paper and up to six objects: 1/n for A, else 0."""
    return lowest(S[name], lambda n: Fraction(name == "A", n), condition, pairs(6, least))


@CLAIMS.state("Section 3.2")
def lowest_a() -> Finding:
    """the lower bound of A is 1/n, and only ⊤ with ⊥ has it."""
    return attains("A", top_and_bottom, least=1)


def top_and_bottom(table: Contingency) -> bool:
    """One of the two is ⊤, the other ⊥."""
    counts = sorted((len(table.classes), len(table.columns)))
    return counts == [1, table.objects]


# K, and logarithms


@CLAIMS.state("Section 3.3", "it does if neither L nor C has more than k clusters")
def k_between_0_and_1() -> Finding:
    """K, 1 - VI / log k², lies between 0 and 1."""
    k = k_measure(2)
    return provided(
        pairs(5), lambda table: max(len(table.classes), len(table.columns)) <= 2,
        "L and C have at most k = 2 clusters", any_of(at_most(ZERO, k), at_most(k, ONE)),
    )  # fmt: skip


def in_bits(table: Contingency) -> dict[str, float]:
    """Scores from their definitions, with logarithms to base 2."""
    h_truth, h_guess, h_both = (h / log(2) for h in entropies(table)[:3])
    shared, apart = h_truth + h_guess - h_both, 2 * h_both - h_truth - h_guess
    n, rows = table.objects, list(zip(*table.columns, strict=True))

    def whole(parts: Column) -> float:
        size = sum(parts)
        return 1 - entropy(filter(None, parts)) / log(2) / log2(size) if size > 1 else 1.0

    cells = [
        (count / n, whole(rows[row]), whole(column))
        for column in table.columns
        for row, count in enumerate(column)
    ]
    return {
        "I": shared,
        "NMI": shared / max(h_truth, h_guess) if h_both else 1.0,
        "V": 1 - apart / log2(n),
        "K": 1 - apart / log2(9),
        "S_H": fsum(share * split * merge for share, split, merge in cells),
        "S'": fsum(share * (split + merge) / 2 for share, split, merge in cells),
    }


@CLAIMS.state("Section 3.3", "only I depends on it, and its offset in Table 1")
def base_of_logarithm() -> Finding:
    """the base of the logarithm, which is left open, does not matter."""

    def wrong(name: str) -> Callable[[Contingency], str]:
        return equal(
            Quantity(f"{name} in nats", S[name].of),
            Quantity(f"{name} in bits", lambda table: in_bits(table)[name]),
        )

    names = ("NMI", "V", "K", "S_H", "S'", "I")
    return of_each({name: throughout(pairs(5, 2), wrong(name)) for name in names})
