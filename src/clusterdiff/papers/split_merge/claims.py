"""What the split-merge paper claims: components, bounds, normalisation, and series that fall.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from clusterdiff.laboratory.verdict import Number
from clusterdiff.papers.paper import Claim
from clusterdiff.papers.split_merge import bounds, definitions, parts
from clusterdiff.papers.split_merge.scores import MEASURES
from clusterdiff.papers.statements import fails, holds


def nothing(n: int) -> Number:
    """0, as a bound."""
    return Fraction(0)


def one_of(n: int) -> Number:
    """1/n, as a bound."""
    return Fraction(1, n)


TABLE_1, TABLE_2 = "Section 4.1, Table 1", "Section 5.1, Table 2"
NORMAL = "Section 5.1, Proposition 5.1"
PROOF = "Section 5.1, proof of Proposition 5.1"
CONSISTENT = "Section 5.2, Proposition 5.2"
SERIES = "Section 6, Figure 3"
SUM = "is the sum of its components' scores by weight, and an offset"
LOWEST = "attains its lower bound just under the condition"
PROPERTY = "one cluster and its parts have 1 if it is whole, 0 if all are single, else between"
STRICT = "falls strictly along the series, said of one document"


def _series(name: str, says: str = STRICT, instead: str = "") -> Claim:
    tried = holds if says == STRICT else fails
    return Claim(
        SERIES, f"{name} {says}", partial(tried, MEASURES[name], "falling_series"), instead
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "Section 3.2", "A is the best matching of clusters W, all sums of W being 1",
        definitions.constraints_of_a,
        "the sums can be at most 1, if not both have equally many clusters",
    ),
    Claim(
        "Section 3.2", "the lower bound of A is 1/n, and only ⊤ with ⊥ has it",
        partial(bounds.attains, "A", one_of, bounds.top_and_bottom, least=1),
    ),
    Claim(
        "Section 3.3", "K, 1 - VI / log k², lies between 0 and 1", definitions.k_between_0_and_1,
        "it does if neither L nor C has more than k clusters",
    ),
    Claim(
        "Section 3.3", "the base of the logarithm, which is left open, does not matter",
        definitions.base_of_logarithm, "only I depends on it, and its offset in Table 1",
    ),
    Claim(
        "Sections 4.1 to 4.3, Propositions 4.1 to 4.3",
        "components are the join; splits end, and merges begin, at the meet", parts.structure,
    ),
    *(
        Claim(TABLE_1, f"{name} {SUM}", partial(parts.decomposes, name, weight, offset))
        for name, (weight, offset) in parts.WEIGHTS.items()
    ),
    *(
        Claim(
            TABLE_1, f"{name} is the mean over objects of its components' scores",
            partial(holds, MEASURES[name], "join_decomposition", objects=6, larger=0),
        )
        for name in ("N", "A", "K", "S_H", "S'")
    ),
    Claim(
        "Section 4.2, Property 4.2",
        "one cluster has less the more parts it is in, and the more alike they are: by entropy",
        partial(holds, MEASURES["S_H"], "monotone_decrease", objects=6),
    ),
    Claim(
        "Section 4.2, Property 4.3", f"{PROPERTY}: by entropy",
        partial(holds, MEASURES["S_H"], "subcomponent_normalisation"),
    ),
    Claim("Section 4.4", "S' with the largest share as similarity is N", definitions.s_prime_is_n),
    Claim(
        "Section 4.4", "S' with 1 - H / log k² as similarity is K", definitions.s_prime_is_k,
        "with 1 - H / log k it is; with log k² it is 1 - VI / (4 log k)",
    ),
    Claim(
        "Section 4.5, Property 4.3", f"{PROPERTY}: by the mean squared error",
        definitions.error_is_normalised,
        "only for points in general position, no two parts of which have the same centre",
    ),
    *(
        Claim(
            TABLE_2, f"{name} {LOWEST}",
            partial(bounds.attains, name, one_of if name == "A" else nothing, condition),
        )
        for name, condition in {
            "R": bounds.one_against_all, "A": bounds.one_against_all, "I": bounds.independent,
            "NMI": bounds.independent_not_both_top, "V": bounds.independent_singles,
            "S_H": bounds.nothing_kept,
        }.items()
    ),
    Claim(
        TABLE_2, "the least N is (⌊√n⌋ + ⌈√n⌉)/2n", bounds.lowest_n, "it is ⌈2√n⌉/2n",
    ),
    Claim(TABLE_2, "N is least only where the meet is ⊥", bounds.lowest_n_needs_singles),
    Claim(
        TABLE_2, "K is 0 just if H(L,C) = 2 log k and L and C are independent", bounds.lowest_k
    ),
    *(
        Claim(
            NORMAL, f"{name} is not conditionally normalised",
            partial(fails, MEASURES[name], "conditional_normalisation"),
        )
        for name in ("R", "N", "A", "I", "NMI", "V")
    ),
    Claim(
        NORMAL, "S_H is conditionally normalised",
        partial(holds, MEASURES["S_H"], "conditional_normalisation"),
    ),
    Claim(
        NORMAL, "S', of which nothing is said, is conditionally normalised",
        partial(holds, MEASURES["S'"], "conditional_normalisation"),
    ),
    Claim(PROOF, "V is 0 for no guess if L is 12|3", bounds.v_without_solution),
    Claim(PROOF, "R is 0 only if L is ⊤ or ⊥", bounds.r_is_0_for_extremes),
    Claim(
        PROOF, "NMI(⊤, C) is 0 for every C", bounds.nmi_of_top,
        "for every C but ⊤; there it is 0/0, and has to be 1 if L itself gets 1",
    ),
    Claim(
        PROOF, "S*(L, ⊥) lies between 0 and 1 if L is not ⊥", bounds.s_of_bottom,
        "it is the share of objects alone in L, so ⊥ is a worst guess if there is none; for three "
        "objects or more another guess lies between",
    ),
    Claim(
        CONSISTENT, "of these measures only N, A, K and S* are join-weighted",
        parts.only_some_are_join_weighted,
    ),
    Claim(
        CONSISTENT, "A and S* are subcomponent-consistent; N, K and S' are not",
        definitions.subcomponent_consistent,
    ),
    Claim(SERIES, "S_H falls strictly from 1 to 0 along the series", bounds.falls_from_1_to_0),
    _series("R"),
    _series("NMI", instead="it does unless L is one cluster of three objects or more"),
    _series("V"),
    _series("A", "does not fall strictly along the series"),
    _series("N", "does not fall strictly along the series"),
)  # fmt: skip
