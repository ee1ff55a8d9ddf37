"""Claims of the split-merge paper on bounds, normalisation and its series.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isqrt, log

from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.series import worsen
from clusterdiff.laboratory.spaces.contingency import Contingency, table_of, tables
from clusterdiff.laboratory.spaces.partitions import every_truth, itself, pairs, singles
from clusterdiff.laboratory.subject import CLOSE, compared
from clusterdiff.laboratory.verdict import Number
from clusterdiff.measures.hard.splitmerge import split_merge
from clusterdiff.papers.paper import Finding
from clusterdiff.papers.split_merge.scores import PartitionEntropies, S, k_measure
from clusterdiff.papers.statements import Quantity, all_of, equal, holds, repaired, throughout, told

# Bounds


def lowest(
    score: Quantity,
    bound: Callable[[int], Number],
    condition: Callable[[Contingency], bool],
    stage: Stage[Contingency],
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


def attains(
    name: str,
    bound: Callable[[int], Number],
    condition: Callable[[Contingency], bool],
    least: int = 2,
) -> Finding:
    """The same for a measure of the paper and up to six objects."""
    return lowest(S[name], bound, condition, pairs(6, least))


def one_against_all(table: Contingency) -> bool:
    """H(L,C) = log n and H(L) H(C) = 0."""
    h = PartitionEntropies.of(table)
    return compared(h.both, log(table.objects)) == 0 and compared(h.truth * h.guess, 0) == 0


def top_and_bottom(table: Contingency) -> bool:
    """One of the two is ⊤, the other ⊥."""
    counts = sorted((len(table.classes), len(table.columns)))
    return counts == [1, table.objects]


def independent(table: Contingency) -> bool:
    """H(L) + H(C) = H(L,C)."""
    return PartitionEntropies.of(table).independent


def independent_not_both_top(table: Contingency) -> bool:
    """The same with H(L,C) > 0."""
    h = PartitionEntropies.of(table)
    return h.independent and h.both > CLOSE


def independent_singles(table: Contingency) -> bool:
    """The same with H(L,C) = log n."""
    h = PartitionEntropies.of(table)
    return h.independent and compared(h.both, log(table.objects)) == 0


def meet_is_bottom(table: Contingency) -> bool:
    """No two objects are together in both."""
    return max(map(max, table.columns)) == 1


def nothing_kept(table: Contingency) -> bool:
    """The meet is ⊥, and L and C have no cluster in common."""
    alone = any(
        sum(column) == 1 and table.classes[column.index(1)] == 1 for column in table.columns
    )
    return meet_is_bottom(table) and not alone


def lowest_k() -> Finding:
    """K with k = 2 for four objects."""
    four = Stage("all pairs of partitions of 4 objects", lambda: tables(4)).where(
        lambda table: max(len(table.classes), len(table.columns)) <= 2, "at most k = 2 clusters"
    )

    def condition(table: Contingency) -> bool:
        h = PartitionEntropies.of(table)
        return h.independent and compared(h.both, 2 * log(2)) == 0

    return lowest(k_measure(2), lambda n: Fraction(0), condition, four)


PRINTED_BOUND = Quantity(
    "(⌊√n⌋ + ⌈√n⌉)/2n",
    lambda table: Fraction(isqrt(table.objects) + isqrt(table.objects - 1) + 1, 2 * table.objects),
)
TRUE_BOUND = Quantity(
    "⌈2√n⌉/2n", lambda table: Fraction(isqrt(4 * table.objects - 1) + 1, 2 * table.objects)
)


def lowest_n() -> Finding:
    """The least N there is, for each number of objects."""
    least = [min(tables(n), key=S["N"].of) for n in range(1, 9)]
    cases = Stage("the least of all pairs of partitions of up to 8 objects", lambda: least)
    wrong = equal(S["N"], PRINTED_BOUND)
    found = throughout(cases, wrong)
    if found.verdict != "true":
        missed = ", ".join(str(table.objects) for table in least if wrong(table))
        found = replace(found, evidence=f"{found.evidence}; so for n = {missed}")
    return repaired(found, TRUE_BOUND.name, throughout(cases, equal(S["N"], TRUE_BOUND)))


def lowest_n_needs_singles() -> Finding:
    """Where N is least, the meet is ⊥."""
    least = {n: min(map(S["N"].of, tables(n))) for n in range(1, 8)}
    cases = pairs(7).where(
        lambda table: S["N"].of(table) == least[table.objects], "where N is least"
    )
    return throughout(cases, lambda table: "" if meet_is_bottom(table) else "meet is not ⊥")


# The proof of Proposition 5.1


def v_without_solution() -> Finding:
    """V of a pair and a single object."""
    guesses = [table for table in tables(3) if table.classes == (2, 1)]
    least = min(map(S["V"].of, guesses))
    cases = Stage("every guess for truth 12|3", lambda: guesses)
    found = throughout(cases, lambda table: "V = 0" if compared(S["V"].of(table), 0) == 0 else "")
    return replace(found, evidence=f"{found.evidence}; the least V is {told(least)}")


def r_is_0_for_extremes() -> Finding:
    """Where R is 0."""

    def wrong(table: Contingency) -> str:
        extreme = len(table.classes) in (1, table.objects)
        return "" if extreme or compared(S["R"].of(table), 0) else "R = 0"

    return throughout(pairs(6, 2), wrong)


def nmi_of_top() -> Finding:
    """NMI of one cluster and any guess."""
    cases = pairs(6, 2).where(lambda table: len(table.classes) == 1, "L = ⊤")

    def wrong(table: Contingency) -> str:
        shown = "0/0, counted as " if PartitionEntropies.of(table).both == 0 else ""
        value = S["NMI"].of(table)
        return f"NMI = {shown}{told(value)}" if compared(value, 0) else ""

    others = cases.where(lambda table: len(table.columns) > 1, "C ≠ ⊤")
    return repaired(throughout(cases, wrong), "C ≠ ⊤", throughout(others, wrong))


def s_of_bottom() -> Finding:
    """S* of a truth that is not ⊥, with each object alone."""
    cases = every_truth(6, singles).where(lambda table: max(table.classes) > 1, "L ≠ ⊥, C = ⊥")

    def wrong(table: Contingency) -> str:
        value = S["S_H"].of(table)
        return "" if compared(0, value) == compared(value, 1) == 1 else f"S_H = {told(value)}"

    alone = Quantity(
        "share of objects alone in L", lambda table: Fraction(table.classes.count(1), table.objects)
    )
    instead = throughout(every_truth(6, singles), equal(S["S_H"], alone))
    return repaired(throughout(cases, wrong), alone.name, instead)


# The series of Section 6


def falls_from_1_to_0() -> Finding:
    """S_H along the series."""

    def wrong(table: Contingency) -> str:
        truth = table.labels[0]
        codes = worsen(list(truth)).codes
        ends = [S["S_H"].of(table_of(truth, tuple(codes[at].tolist()))) for at in (0, -1)]
        right = compared(ends[0], 1) == compared(ends[1], 0) == 0
        return "" if right else f"from {told(ends[0])} to {told(ends[1])}"

    return all_of(
        {
            "strictly": holds(split_merge, "falling_series"),
            "from 1 to 0": throughout(every_truth(9, itself, 2), wrong),
        }
    )
