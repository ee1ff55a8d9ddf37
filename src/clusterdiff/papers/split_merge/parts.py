"""Claims of the split-merge paper on components: what they are, and Table 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log

from clusterdiff.laboratory.spaces.contingency import Contingency, groups_of_labels, partitions
from clusterdiff.laboratory.spaces.partitions import pairs
from clusterdiff.laboratory.verdict import Number
from clusterdiff.papers.paper import Finding
from clusterdiff.papers.split_merge.scores import MEASURES, S, entropy
from clusterdiff.papers.statements import (
    Quantity,
    all_of,
    equal,
    fails,
    holds,
    repaired,
    throughout,
)


def refines(fine: Sequence[int], coarse: Sequence[int]) -> bool:
    """Whether every cluster of one lies within a cluster of the other."""
    return len({*zip(fine, coarse, strict=True)}) == len({*fine})


def _parts(of: Sequence[int], within: Sequence[int]) -> set[frozenset[int]]:
    """What the clusters of one partition cut out of the clusters of the other."""
    cut = [{*group} for group in groups_of_labels(tuple(of))]
    return {frozenset({*group} & part) for group in groups_of_labels(tuple(within))
            for part in cut if {*group} & part}  # fmt: skip


def structure() -> Finding:
    """Propositions 4.1 to 4.3, on what measures read and on the definitions."""

    def wrong(table: Contingency) -> str:
        truth, guess = table.labels
        coarser = [j for j in partitions(table.objects) if refines(truth, j) and refines(guess, j)]
        join = max(coarser, key=lambda j: len({*j}))
        if sorted(map(len, groups_of_labels(join))) != sorted(
            part.objects for part in table.components
        ):
            return "components are not the join"
        sinks, sources = _parts(guess, truth), _parts(truth, guess)
        meet = {frozenset(group) for group in groups_of_labels(_both(truth, guess))}
        if not sinks == sources == meet:
            return "sinks, sources and meet differ"
        return "" if table.meet.rows == len(meet) else "pairs of subcomponents are not the meet"

    return throughout(pairs(5), wrong)


def _both(truth: Sequence[int], guess: Sequence[int]) -> tuple[int, ...]:
    names = {pair: k for k, pair in enumerate(dict.fromkeys(zip(truth, guess, strict=True)))}
    return tuple(names[pair] for pair in zip(truth, guess, strict=True))


# Table 1

Weight = Callable[[int, int], Number]
Offset = Callable[[list[int], int], Number]


def of_pairs(j: int, n: int) -> Number:
    """|J|(|J|-1) / n(n-1)."""
    return Fraction(j * (j - 1), n * (n - 1))


def of_logs(j: int, n: int) -> Number:
    """|J| log|J| / n log n."""
    return j * log(j) / (n * log(n))


def of_objects(j: int, n: int) -> Number:
    """|J| / n."""
    return Fraction(j, n)


def rest(weight: Weight) -> Offset:
    """1 less all weights."""
    return lambda join, n: 1 - sum(weight(j, n) for j in join)


def entropy_of_join(join: list[int], n: int) -> Number:
    """log n - Σ |J|/n log|J|."""
    return entropy(join)


WEIGHTS: dict[str, tuple[Weight, Offset]] = {
    "R": (of_pairs, rest(of_pairs)),
    "I": (of_objects, entropy_of_join),
    "V": (of_logs, rest(of_logs)),
}


def decomposes(name: str, weight: Weight, offset: Offset) -> Finding:
    """Whether a score is the weighted sum of those of the components, and an offset."""

    def composed(table: Contingency) -> Number:
        n, join = table.objects, [part.objects for part in table.components]
        scores: list[Number] = [S[name].of(part) for part in table.components]
        return sum(weight(j, n) * s for j, s in zip(join, scores, strict=True)) + offset(join, n)

    return throughout(pairs(6, 2), equal(S[name], Quantity("composed", composed)))


def only_some_are_join_weighted() -> Finding:
    """Which measures are means of their components."""
    said = {"N": holds, "A": holds, "K": holds, "S_H": holds}
    tried = {name: said.get(name, fails) for name in MEASURES if name != "S'"}
    found = {
        name: says(MEASURES[name], "join_decomposition", objects=6, larger=0)
        for name, says in tried.items()
    }
    unlisted = holds(MEASURES["S'"], "join_decomposition", objects=6, larger=0)
    return repaired(all_of(found), "S' too", unlisted)
