"""Claims of the split-merge paper on bounds, normalisation and its series: Sections 5 and 6.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isqrt, log

from clusterdiff.measures.splitmerge import split_merge
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.partitions import every_truth, itself, pairs, singles
from clusterdiff_lab.axioms.series import worsen
from clusterdiff_lab.axioms.subject import CLOSE, compared
from clusterdiff_lab.axioms.tables import Contingency, table_of, tables
from clusterdiff_lab.papers.paper import (
    Claim,
    Finding,
    PaperClaims,
    Quantity,
    all_of,
    equal,
    fails,
    holds,
    in_all,
    repaired,
    throughout,
    told,
)
from clusterdiff_lab.papers.split_merge.section_3 import Condition, attains, lowest
from clusterdiff_lab.papers.split_merge.values import MEASURES, S, claimed, entropies, k_measure

CLAIMS = PaperClaims()
TABLE_2 = "Section 5.1, Table 2"
NORMAL = "Section 5.1, Proposition 5.1"
PROOF = "Section 5.1, proof of Proposition 5.1"
CONSISTENT = "Section 5.2, Proposition 5.2"
SERIES = "Section 6, Figure 3"


def one_against_all(table: Contingency) -> bool:
    """H(L,C) = log n and H(L) H(C) = 0."""
    h = entropies(table)
    return h.all_single and compared(h.truth * h.guess, 0) == 0


def meet_is_bottom(table: Contingency) -> bool:
    """No two objects are together in both."""
    return max(map(max, table.columns)) == 1


def nothing_kept(table: Contingency) -> bool:
    """The meet is ⊥, and L and C have no cluster in common."""
    alone = any(
        sum(column) == 1 and table.classes[column.index(1)] == 1 for column in table.columns
    )
    return meet_is_bottom(table) and not alone


ATTAINED: dict[str, Condition] = {
    "R": one_against_all,
    "A": one_against_all,
    "I": lambda table: entropies(table).independent,
    "NMI": lambda table: entropies(table).independent and entropies(table).both > CLOSE,
    "V": lambda table: entropies(table).independent and entropies(table).all_single,
    "S_H": nothing_kept,
}
"""When Table 2 has a measure attain its lower bound."""

for name, condition in ATTAINED.items():
    says = f"{name} attains its lower bound just under the condition"
    CLAIMS.append(Claim(TABLE_2, says, partial(attains, name, condition)))

PRINTED_BOUND = Quantity(
    "(⌊√n⌋ + ⌈√n⌉)/2n",
    lambda table: Fraction(isqrt(table.objects) + isqrt(table.objects - 1) + 1, 2 * table.objects),
)
TRUE_BOUND = Quantity(
    "⌈2√n⌉/2n", lambda table: Fraction(isqrt(4 * table.objects - 1) + 1, 2 * table.objects)
)


@CLAIMS.state(TABLE_2, "it is ⌈2√n⌉/2n")
def lowest_n() -> Finding:
    """the least N is (⌊√n⌋ + ⌈√n⌉)/2n."""
    least = [min(tables(n), key=S["N"].of) for n in range(1, 9)]
    cases = Stage("the least of all pairs of partitions of up to 8 objects", lambda: least)
    wrong = equal(S["N"], PRINTED_BOUND)
    found = throughout(cases, wrong)
    if found.verdict != "true":
        missed = ", ".join(str(table.objects) for table in least if wrong(table))
        found = replace(found, evidence=f"{found.evidence}; so for n = {missed}")
    return repaired(found, TRUE_BOUND.name, throughout(cases, equal(S["N"], TRUE_BOUND)))


@CLAIMS.state(TABLE_2)
def lowest_n_needs_singles() -> Finding:
    """N is least only where the meet is ⊥."""
    least = {n: min(map(S["N"].of, tables(n))) for n in range(1, 8)}
    cases = pairs(7).where(
        lambda table: S["N"].of(table) == least[table.objects], "where N is least"
    )
    return throughout(cases, lambda table: "" if meet_is_bottom(table) else "meet is not ⊥")


@CLAIMS.state(TABLE_2)
def lowest_k() -> Finding:
    """K is 0 just if H(L,C) = 2 log k and L and C are independent."""
    four = Stage("all pairs of partitions of 4 objects", lambda: tables(4)).where(
        lambda table: max(len(table.classes), len(table.columns)) <= 2, "at most k = 2 clusters"
    )

    def condition(table: Contingency) -> bool:
        h = entropies(table)
        return h.independent and compared(h.both, 2 * log(2)) == 0

    return lowest(k_measure(2), lambda n: Fraction(0), condition, four)


# Proposition 5.1 and its proof

CLAIMS += [
    *(
        claimed(NORMAL, name, "is not conditionally normalised", "conditional_normalisation", fails)
        for name in ("R", "N", "A", "I", "NMI", "V")
    ),
    claimed(NORMAL, "S_H", "is conditionally normalised", "conditional_normalisation"),
    Claim(
        NORMAL, "S', of which nothing is said, is conditionally normalised",
        partial(holds, MEASURES["S'"], "conditional_normalisation"),
    ),
]  # fmt: skip


@CLAIMS.state(PROOF)
def v_without_solution() -> Finding:
    """V is 0 for no guess if L is 12|3."""
    guesses = [table for table in tables(3) if table.classes == (2, 1)]
    least = min(map(S["V"].of, guesses))
    cases = Stage("every guess for truth 12|3", lambda: guesses)
    found = throughout(cases, lambda table: "V = 0" if compared(S["V"].of(table), 0) == 0 else "")
    return replace(found, evidence=f"{found.evidence}; the least V is {told(least)}")


@CLAIMS.state(PROOF)
@in_all(pairs(6, 2))
def r_is_0_for_extremes(table: Contingency) -> str:
    """R is 0 only if L is ⊤ or ⊥."""
    extreme = len(table.classes) in (1, table.objects)
    return "" if extreme or compared(S["R"].of(table), 0) else "R = 0"


@CLAIMS.state(PROOF, "for every C but ⊤; there it is 0/0, and has to be 1 if L itself gets 1")
def nmi_of_top() -> Finding:
    """NMI(⊤, C) is 0 for every C."""
    cases = pairs(6, 2).where(lambda table: len(table.classes) == 1, "L = ⊤")

    def wrong(table: Contingency) -> str:
        shown = "0/0, counted as " if entropies(table).both == 0 else ""
        value = S["NMI"].of(table)
        return f"NMI = {shown}{told(value)}" if compared(value, 0) else ""

    others = cases.where(lambda table: len(table.columns) > 1, "C ≠ ⊤")
    return repaired(throughout(cases, wrong), "C ≠ ⊤", throughout(others, wrong))


@CLAIMS.state(
    PROOF,
    "it is the share of objects alone in L, so ⊥ is a worst guess if there is none; for three "
    "objects or more another guess lies between",
)
def s_of_bottom() -> Finding:
    """S*(L, ⊥) lies between 0 and 1 if L is not ⊥."""
    cases = every_truth(6, singles).where(lambda table: max(table.classes) > 1, "L ≠ ⊥, C = ⊥")

    def wrong(table: Contingency) -> str:
        value = S["S_H"].of(table)
        return "" if compared(0, value) == compared(value, 1) == 1 else f"S_H = {told(value)}"

    alone = Quantity(
        "share of objects alone in L", lambda table: Fraction(table.classes.count(1), table.objects)
    )
    instead = throughout(every_truth(6, singles), equal(S["S_H"], alone))
    return repaired(throughout(cases, wrong), alone.name, instead)


@CLAIMS.state(CONSISTENT)
def only_some_are_join_weighted() -> Finding:
    """of these measures only N, A, K and S* are join-weighted."""
    said = {"N": holds, "A": holds, "K": holds, "S_H": holds}
    tried = {name: said.get(name, fails) for name in MEASURES if name != "S'"}
    found = {
        name: says(MEASURES[name], "join_decomposition", objects=6, larger=0)
        for name, says in tried.items()
    }
    unlisted = holds(MEASURES["S'"], "join_decomposition", objects=6, larger=0)
    return repaired(all_of(found), "S' too", unlisted)


@CLAIMS.state(CONSISTENT)
def subcomponent_consistent() -> Finding:
    """A and S* are subcomponent-consistent; N, K and S' are not."""
    said = {"A": holds, "S_H": holds, "N": fails, "K": fails, "S'": fails}
    return all_of(
        {
            name: says(MEASURES[name], "subcomponent_consistency", objects=6)
            for name, says in said.items()
        }
    )


# The series of Section 6


@CLAIMS.state(SERIES)
def falls_from_1_to_0() -> Finding:
    """S_H falls strictly from 1 to 0 along the series."""

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


STRICT = "falls strictly along the series, said of one document"
NOT_STRICT = "does not fall strictly along the series"
ONE_CLUSTER = "it does unless L is one cluster of three objects or more"
CLAIMS += [
    claimed(SERIES, "R", STRICT, "falling_series"),
    claimed(SERIES, "NMI", STRICT, "falling_series", instead=ONE_CLUSTER),
    claimed(SERIES, "V", STRICT, "falling_series"),
    claimed(SERIES, "A", NOT_STRICT, "falling_series", fails),
    claimed(SERIES, "N", NOT_STRICT, "falling_series", fails),
]
