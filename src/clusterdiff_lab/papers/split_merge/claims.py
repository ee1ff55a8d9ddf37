"""What the split-merge paper claims, in the order of its sections.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import fsum, isqrt, log, log2

from clusterdiff.measures import Measure
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.testing.claims import partitions
from clusterdiff_lab.axioms.conditions.decomposition import entropy_to_k, largest_share
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.series import worsen
from clusterdiff_lab.axioms.subject import CLOSE, Number, compared
from clusterdiff_lab.axioms.tables import (
    Column,
    Contingency,
    draw,
    every_truth,
    groups_of_labels,
    itself,
    pairs,
    singles,
    table_of,
    tables,
)
from clusterdiff_lab.papers.paper import (
    Claim,
    Finding,
    PaperClaims,
    Quantity,
    all_of,
    any_of,
    as_text,
    at_most,
    equal,
    fails,
    holds,
    in_all,
    of_each,
    provided,
    repaired,
    scored,
    throughout,
)
from clusterdiff_lab.papers.split_merge.values import (
    MEASURES,
    ONE,
    ZERO,
    S,
    claimed,
    entropies,
    entropy,
    k_measure,
)

CLAIMS = PaperClaims()
Bound = Callable[[int], Number]
Condition = Callable[[Contingency], bool]


@CLAIMS.state("Section 3.2", "the sums can be at most 1, if not both have equally many clusters")
def constraints_of_a() -> Finding:
    """A is the best matching of clusters W, all sums of W being 1."""

    def matchings(table: Contingency) -> list[tuple[set[int], int]]:
        """The sums of rows and columns of each matrix of zeros and ones, and its objects."""
        rows, columns = len(table.columns), len(table.classes)
        as_stated = []
        for entries in product((0, 1), repeat=rows * columns):
            w = [entries[k * columns : (k + 1) * columns] for k in range(rows)]
            sums = {*map(sum, w), *map(sum, zip(*w, strict=True))}
            kept = sum(a * b for row, of in zip(w, table.columns, strict=True)
                       for a, b in zip(row, of, strict=True))  # fmt: skip
            as_stated.append((sums, kept))
        return as_stated

    def wrong(table: Contingency) -> str:
        feasible = any(sums == {1} for sums, _ in matchings(table))
        return "" if feasible else "no matrix has only sums of 1"

    def best(table: Contingency) -> Number:
        return Fraction(
            max(kept for sums, kept in matchings(table) if max(sums) <= 1), table.objects
        )

    as_stated = provided(
        pairs(3), lambda table: len(table.classes) == len(table.columns),
        "L and C have equally many clusters", wrong,
    )  # fmt: skip
    instead = throughout(pairs(3), equal(S["A"], Quantity("best with sums of at most 1", best)))
    return repaired(as_stated, "with sums of at most 1", instead)


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
            return f"{score.name} = {as_text(value)} is below {as_text(low)}"
        met = "met" if condition(table) else "not met"
        right = attained == condition(table)
        return "" if right else f"{score.name} = {as_text(value)}, the condition is {met}"

    finding = throughout(stage, wrong)
    missed = [n for n, attained in reached.items() if not attained]
    if missed and finding.verdict == "true":
        return Finding("false", finding.scope, f"not attained for n = {missed}", missed[0])
    return finding


def attains(name: str, condition: Condition, least: int = 2) -> Finding:
    """Whether a measure attains its bound on up to six objects: 1/n for A, else 0."""
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


TABLE_1 = "Section 4.1, Table 1"


def refines(fine: Sequence[int], coarse: Sequence[int]) -> bool:
    """Whether every cluster of one lies within a cluster of the other."""
    return len({*zip(fine, coarse, strict=True)}) == len({*fine})


def _parts(of: Sequence[int], within: Sequence[int]) -> set[frozenset[int]]:
    """What the clusters of one partition cut out of the clusters of the other."""
    cut = [{*group} for group in groups_of_labels(tuple(of))]
    return {frozenset({*group} & part) for group in groups_of_labels(tuple(within))
            for part in cut if {*group} & part}  # fmt: skip


@CLAIMS.state("Sections 4.1 to 4.3, Propositions 4.1 to 4.3")
@in_all(pairs(5))
def structure(table: Contingency) -> str:
    """components are the join; splits end, and merges begin, at the meet."""
    truth, guess = table.labels
    coarser = [j for j in partitions(table.objects) if refines(truth, j) and refines(guess, j)]
    join = max(coarser, key=lambda j: len({*j}))
    sizes = Counter(part.objects for part in table.components)
    if Counter(map(len, groups_of_labels(join))) != sizes:
        return "components are not the join"
    sinks, sources = _parts(guess, truth), _parts(truth, guess)
    meet = {frozenset(group) for group in groups_of_labels(_both(truth, guess))}
    if not sinks == sources == meet:
        return "sinks, sources and meet differ"
    return "" if table.meet.rows == len(meet) else "pairs of subcomponents are not the meet"


def _both(truth: Sequence[int], guess: Sequence[int]) -> tuple[int, ...]:
    names = {pair: k for k, pair in enumerate(dict.fromkeys(zip(truth, guess, strict=True)))}
    return tuple(names[pair] for pair in zip(truth, guess, strict=True))


# Table 1

Weight = Callable[[int, int], Number]
Offset = Callable[[list[int], int], Number]


def of_pairs(j: int, n: int) -> Number:
    """|J|(|J|-1) / n(n-1)."""
    return Fraction(j * (j - 1), n * (n - 1))


def of_objects(j: int, n: int) -> Number:
    """|J| / n."""
    return Fraction(j, n)


def of_logs(j: int, n: int) -> Number:
    """|J| log|J| / n log n."""
    return j * log(j) / (n * log(n))


def rest(weight: Weight) -> Offset:
    """1 less all weights."""
    return lambda join, n: 1 - sum(weight(j, n) for j in join)


WEIGHTS: dict[str, tuple[Weight, Offset]] = {
    "R": (of_pairs, rest(of_pairs)),
    "I": (of_objects, lambda join, n: entropy(join)),
    "V": (of_logs, rest(of_logs)),
}


def decomposes(name: str, weight: Weight, offset: Offset) -> Finding:
    """Whether a score is the weighted sum of those of the components, and an offset."""

    def composed(table: Contingency) -> Number:
        n, join = table.objects, [part.objects for part in table.components]
        scores: list[Number] = [S[name].of(part) for part in table.components]
        return sum(weight(j, n) * s for j, s in zip(join, scores, strict=True)) + offset(join, n)

    return throughout(pairs(6, 2), equal(S[name], Quantity("composed", composed)))


for name, (weight, offset) in WEIGHTS.items():
    says = f"{name} is the sum of its components' scores by weight, and an offset"
    CLAIMS.append(Claim(TABLE_1, says, partial(decomposes, name, weight, offset)))
CLAIMS += [
    *(
        claimed(
            TABLE_1, name, "is the mean over objects of its components' scores",
            "join_decomposition", objects=6, larger=0,
        )
        for name in ("N", "A", "K", "S_H", "S'")
    ),
    Claim(
        "Section 4.2, Property 4.2",
        "one cluster has less the more parts it is in, and the more alike they are: by entropy",
        partial(holds, MEASURES["S_H"], "monotone_decrease", objects=6),
    ),
    Claim(
        "Section 4.2, Property 4.3",
        "one cluster and its parts have 1 if it is whole, 0 if all are single, else between: by "
        "entropy",
        partial(holds, MEASURES["S_H"], "subcomponent_normalisation"),
    ),
]  # fmt: skip


# Similarities of a cluster and its parts


def s_prime(similarity: Callable[[Column], Number]) -> Quantity:
    """S' with a similarity of a cluster and its parts."""
    measure: Measure = split_merge(
        combine="mean", similarity=lambda parts: similarity(tuple(parts.tolist()))
    )
    return scored("S'", measure)


@CLAIMS.state("Section 4.4")
def s_prime_is_n() -> Finding:
    """S' with the largest share as similarity is N."""
    return throughout(pairs(5), equal(s_prime(largest_share), S["N"]))


@CLAIMS.state("Section 4.4", "with 1 - H / log k it is; with log k² it is 1 - VI / (4 log k)")
def s_prime_is_k() -> Finding:
    """S' with 1 - H / log k² as similarity is K."""
    k = 2
    as_stated = throughout(pairs(5), equal(s_prime(partial(entropy_to_k, k=k**2)), k_measure(k)))
    instead = throughout(pairs(5), equal(s_prime(partial(entropy_to_k, k=k)), k_measure(k)))
    return repaired(as_stated, "with log k", instead)


Points = tuple[tuple[int, ...], tuple[int, ...]]
"""The feature of each object of a cluster, and which part it is in."""
GENERAL = (0, 1, 4, 13, 40, 121)
"""Points no two parts of which have the same centre."""


def by_error(points: Points) -> Number:
    """How whole a cluster is by the mean squared error within its parts."""
    features, parts = points
    value: float = split_merge([0] * len(parts), parts, similarity="mse", features=features)
    return value


@CLAIMS.state(
    "Section 4.5, Property 4.3",
    "only for points in general position, no two parts of which have the same centre",
)
def error_is_normalised() -> Finding:
    """one cluster and its parts have 1 if it is whole, 0 if all are single, else between: by the
    mean squared error.
    """
    every = [
        (features, parts)
        for n in (2, 3)
        for features in product(range(3), repeat=n)
        for parts in partitions(n)
    ]
    apart = [points for points in every if len({*points[0]}) > 1]
    alike = [points for points in every if len({*points[0]}) == 1]
    general = [(GENERAL[:n], parts) for n in range(1, 7) for parts in partitions(n)]
    finding = _normalised(
        Stage("features 0, 1 or 2 of up to 3 objects, not all equal", lambda: apart)
    )
    finding = repaired(
        finding,
        "all equal, which is 0/0 and counts as 1",
        _normalised(Stage("the same objects", lambda: alike)),
    )
    in_general = _normalised(Stage(f"features {GENERAL}", lambda: general))
    return repaired(finding, "general position", in_general)


def _normalised(stage: Stage[Points]) -> Finding:
    """Property 4.3: 1 just if the cluster is whole, 0 just if all its parts are single."""

    def just_if(value: int, condition: Callable[[tuple[int, ...]], bool]) -> Finding:
        def wrong(points: Points) -> str:
            score = by_error(points)
            right = (compared(score, value) == 0) == condition(points[1])
            return "" if right and -CLOSE < score < 1 + CLOSE else as_text(score)

        return throughout(stage, wrong, _points_drawn, lambda points: len(points[0]))

    return all_of(
        {
            "1 just if whole": just_if(1, lambda parts: len({*parts}) == 1),
            "0 just if all single": just_if(0, lambda parts: 1 < len(parts) == len({*parts})),
        }
    )


def _points_drawn(points: Points) -> str:
    features, parts = points
    return f"features {', '.join(map(str, features))}, parts {draw(groups_of_labels(parts))}"


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
    finding = throughout(cases, wrong)
    if finding.verdict != "true":
        missed = ", ".join(str(table.objects) for table in least if wrong(table))
        finding = replace(finding, evidence=f"{finding.evidence}; so for n = {missed}")
    return repaired(finding, TRUE_BOUND.name, throughout(cases, equal(S["N"], TRUE_BOUND)))


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
    finding = throughout(cases, lambda table: "V = 0" if compared(S["V"].of(table), 0) == 0 else "")
    return replace(finding, evidence=f"{finding.evidence}; the least V is {as_text(least)}")


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
        return f"NMI = {shown}{as_text(value)}" if compared(value, 0) else ""

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
        return "" if compared(0, value) == compared(value, 1) == 1 else f"S_H = {as_text(value)}"

    alone = Quantity(
        "share of objects alone in L", lambda table: Fraction(table.classes.count(1), table.objects)
    )
    instead = throughout(every_truth(6, singles), equal(S["S_H"], alone))
    return repaired(throughout(cases, wrong), alone.name, instead)


@CLAIMS.state(CONSISTENT)
def only_some_are_join_weighted() -> Finding:
    """of these measures only N, A, K and S* are join-weighted."""
    checks = {"N": holds, "A": holds, "K": holds, "S_H": holds}
    tried = {name: checks.get(name, fails) for name in MEASURES if name != "S'"}
    findings = {
        name: says(MEASURES[name], "join_decomposition", objects=6, larger=0)
        for name, says in tried.items()
    }
    unlisted = holds(MEASURES["S'"], "join_decomposition", objects=6, larger=0)
    return repaired(all_of(findings), "S' too", unlisted)


@CLAIMS.state(CONSISTENT)
def subcomponent_consistent() -> Finding:
    """A and S* are subcomponent-consistent; N, K and S' are not."""
    checks = {"A": holds, "S_H": holds, "N": fails, "K": fails, "S'": fails}
    return all_of(
        {
            name: says(MEASURES[name], "subcomponent_consistency", objects=6)
            for name, says in checks.items()
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
        return "" if right else f"from {as_text(ends[0])} to {as_text(ends[1])}"

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
