"""Claims of the split-merge paper on components and the parts of clusters: Section 4.

L is truth, C is guess; ⊤ is one cluster, ⊥ is each object alone. The letters of the measures are
the paper's; S_H is S* by entropy, S' has the mean in place of the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import log

from clusterdiff.measures import Measure
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.testing.small import partitions
from clusterdiff_lab.axioms.comparison import draw, groups_of_labels
from clusterdiff_lab.axioms.conditions.decomposition import entropy_to_k, largest_share
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.partitions import pairs
from clusterdiff_lab.axioms.subject import CLOSE, Number, compared
from clusterdiff_lab.axioms.tables import Column, Contingency
from clusterdiff_lab.papers.paper import (
    Claim,
    Finding,
    PaperClaims,
    Quantity,
    all_of,
    equal,
    holds,
    in_all,
    repaired,
    scored,
    throughout,
    told,
)
from clusterdiff_lab.papers.split_merge.values import MEASURES, S, claimed, entropy, k_measure

CLAIMS = PaperClaims()
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
    made: Measure = split_merge(
        combine="mean", similarity=lambda parts: similarity(tuple(parts.tolist()))
    )
    return scored("S'", made)


@CLAIMS.state("Section 4.4")
def s_prime_is_n() -> Finding:
    """S' with the largest share as similarity is N."""
    return throughout(pairs(5), equal(s_prime(largest_share), S["N"]))


@CLAIMS.state("Section 4.4", "with 1 - H / log k it is; with log k² it is 1 - VI / (4 log k)")
def s_prime_is_k() -> Finding:
    """S' with 1 - H / log k² as similarity is K."""
    k = 2
    found = throughout(pairs(5), equal(s_prime(partial(entropy_to_k, k=k**2)), k_measure(k)))
    instead = throughout(pairs(5), equal(s_prime(partial(entropy_to_k, k=k)), k_measure(k)))
    return repaired(found, "with log k", instead)


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
    found = _normalised(
        Stage("features 0, 1 or 2 of up to 3 objects, not all equal", lambda: apart)
    )
    found = repaired(
        found,
        "all equal, which is 0/0 and counts as 1",
        _normalised(Stage("the same objects", lambda: alike)),
    )
    in_general = _normalised(Stage(f"features {GENERAL}", lambda: general))
    return repaired(found, "general position", in_general)


def _normalised(stage: Stage[Points]) -> Finding:
    """Property 4.3: 1 just if the cluster is whole, 0 just if all its parts are single."""

    def just_if(value: int, condition: Callable[[tuple[int, ...]], bool]) -> Finding:
        def wrong(points: Points) -> str:
            found = by_error(points)
            right = (compared(found, value) == 0) == condition(points[1])
            return "" if right and -CLOSE < found < 1 + CLOSE else told(found)

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
