"""Claims of the split-merge paper on definitions: A, K, S', and similarities of parts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import fsum, log, log2

from clusterdiff.laboratory.conditions.decomposition import entropy_to_k, largest_share
from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.spaces.comparison import draw
from clusterdiff.laboratory.spaces.contingency import (
    Column,
    Contingency,
    groups_of_labels,
    partitions,
)
from clusterdiff.laboratory.spaces.partitions import pairs
from clusterdiff.laboratory.subject import CLOSE, compared
from clusterdiff.laboratory.verdict import Number
from clusterdiff.measures import Measure
from clusterdiff.measures.hard.splitmerge import split_merge
from clusterdiff.papers.paper import Finding
from clusterdiff.papers.split_merge.scores import (
    MEASURES,
    ONE,
    ZERO,
    PartitionEntropies,
    S,
    entropy,
    k_measure,
)
from clusterdiff.papers.statements import (
    Quantity,
    all_of,
    any_of,
    at_most,
    equal,
    fails,
    holds,
    of_each,
    provided,
    repaired,
    scored,
    throughout,
    told,
)


def constraints_of_a() -> Finding:
    """Whether there is a matching at all in which every cluster has its partner."""

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


def k_between_0_and_1() -> Finding:
    """K with k = 2."""
    k = k_measure(2)
    return provided(
        pairs(5), lambda table: max(len(table.classes), len(table.columns)) <= 2,
        "L and C have at most k = 2 clusters", any_of(at_most(ZERO, k), at_most(k, ONE)),
    )  # fmt: skip


def in_bits(table: Contingency) -> dict[str, float]:
    """Scores from their definitions, with logarithms to base 2."""
    h_truth, h_guess, h_both = (h / log(2) for h in PartitionEntropies.of(table))
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


def base_of_logarithm() -> Finding:
    """Scores in nats against their definitions in bits."""

    def wrong(name: str) -> Callable[[Contingency], str]:
        return equal(
            Quantity(f"{name} in nats", S[name].of),
            Quantity(f"{name} in bits", lambda table: in_bits(table)[name]),
        )

    names = ("NMI", "V", "K", "S_H", "S'", "I")
    return of_each({name: throughout(pairs(5, 2), wrong(name)) for name in names})


def s_prime(similarity: Callable[[Column], Number]) -> Quantity:
    """S' with a similarity of a cluster and its parts."""
    made: Measure = split_merge(
        combine="mean", similarity=lambda parts: similarity(tuple(parts.tolist()))
    )
    return scored("S'", made)


def s_prime_is_k() -> Finding:
    """S' with entropies over log k² against K; and with log k."""
    k = 2
    found = throughout(pairs(5), equal(s_prime(partial(entropy_to_k, k=k**2)), k_measure(k)))
    instead = throughout(pairs(5), equal(s_prime(partial(entropy_to_k, k=k)), k_measure(k)))
    return repaired(found, "with log k", instead)


def s_prime_is_n() -> Finding:
    """S' with largest shares against N."""
    return throughout(pairs(5), equal(s_prime(largest_share), S["N"]))


# Similarities of a cluster and its parts

Points = tuple[tuple[int, ...], tuple[int, ...]]
"""The feature of each object of a cluster, and which part it is in."""
GENERAL = (0, 1, 4, 13, 40, 121)
"""Points no two parts of which have the same centre."""


def by_error(points: Points) -> Number:
    """How whole a cluster is by the mean squared error within its parts."""
    features, parts = points
    value: float = split_merge([0] * len(parts), parts, similarity="mse", features=features)
    return value


def error_is_normalised() -> Finding:
    """The similarity by the mean squared error, for any points and in general position."""
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


def subcomponent_consistent() -> Finding:
    """Which measures give one cluster and its parts the similarity that they are made of."""
    said = {"A": holds, "S_H": holds, "N": fails, "K": fails, "S'": fails}
    return all_of(
        {
            name: says(MEASURES[name], "subcomponent_consistency", objects=6)
            for name, says in said.items()
        }
    )
