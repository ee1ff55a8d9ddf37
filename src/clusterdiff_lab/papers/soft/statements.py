"""Statements on soft clusterings as searches: inequalities, identities, metrics.

The paper is "A general framework for evaluating and comparing soft clusterings" (Campagner, Ciucci
and Denœux 2023). A transported distance has two ends: d₀ accepts what is unknown, d₁ counts it as
an error; so have Rand₀ and Rand₁, and δ₀ and δ₁, where transport is inside the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Literal

from clusterdiff.array_types import Floats
from clusterdiff.measures import Measure, lookup
from clusterdiff_lab.axioms.distances import CLOSE, Metric, exact, metric
from clusterdiff_lab.axioms.engine import Result, Stage
from clusterdiff_lab.axioms.soft import (
    Case,
    ExactSoft,
    compared,
    hard,
    levels,
    mass_of,
    score,
    smallest,
)
from clusterdiff_lab.axioms.subject import number
from clusterdiff_lab.papers.paper import Finding, Quantity
from clusterdiff_lab.papers.soft.values import OBJECTS, SOFT

Ends = tuple[float, float]
Property = Literal["own", "symmetry", "separation", "triangle"]
RAND, MOVES = "rand", "partition_distance"
"""The two distances of partitions that the paper carries over."""

# The paper's running example

C = hard([1, 2, 2, 3, 1])
EXAMPLE = {
    name: ExactSoft(
        tuple(
            mass_of((a, Fraction(m).limit_denominator(60)) for a, m in soft.of(x).items())
            for x in OBJECTS
        )
    )
    for name, soft in SOFT.items()
}
"""Examples 2.3 to 2.5, with exact masses; C is that of Example 2.1."""
R, F = EXAMPLE["R"], EXAMPLE["F"]

# Quantities


def transported(name: str, alpha: float | None = None) -> Measure:
    """A measure of partitions carried over, with the empty set at distance 1 as in Eq. (22)."""
    return lookup("transport").with_params(
        measure=lookup(name), alpha=alpha, empty_set="max_distance"
    )


def at(name: str, alpha: float) -> Measure:
    """A measure of uncertain clusterings at an alpha."""
    return lookup(name).with_params(alpha=alpha)


@lru_cache(maxsize=1 << 15)
def carried_ends(name: str, one: ExactSoft, other: ExactSoft) -> Ends:
    """d₀ and d₁ of a measure of partitions."""
    ends = transported(name).of(compared(one, other))
    return (1 - ends.high, 1 - ends.low) if name == RAND else (ends.low, ends.high)


def quantity(name: str, measure: Measure) -> Quantity:
    """What a measure gives."""
    return Quantity(name, partial(score, measure))


AGREED_0 = Quantity("1 - d₀", lambda one, other: 1 - carried_ends(RAND, one, other)[0])
AGREED_1 = Quantity("1 - d₁", lambda one, other: 1 - carried_ends(RAND, one, other)[1])
RAND_0, RAND_1 = (quantity(f"Rand{'₀₁'[a]}", at("rand_alpha", a)) for a in (0, 1))
DELTA_0, DELTA_1 = (quantity(f"δ{'₀₁'[a]}", at("partition_distance_alpha", a)) for a in (0, 1))


def near(name: str) -> Quantity:
    """d₀."""
    return Quantity("d₀", lambda one, other: carried_ends(name, one, other)[0])


def far(name: str) -> Quantity:
    """d₁."""
    return Quantity("d₁", lambda one, other: carried_ends(name, one, other)[1])


# Statements on pairs


def rising(chain: Sequence[Quantity], *stages: Stage[Case]) -> Finding:
    """Whether no quantity of a chain is above the next one."""
    return _compared(chain, stages, lambda values: max(a - b for a, b in pairwise(values)))


def equal(sides: Sequence[Quantity], *stages: Stage[Case]) -> Finding:
    """Whether quantities are the same."""
    return _compared(sides, stages, lambda values: max(values) - min(values))


def _compared(
    quantities: Sequence[Quantity],
    stages: Sequence[Stage[Case]],
    gap: Callable[[list[float]], float],
) -> Finding:
    result = smallest(stages, lambda *case: gap([q.of(*case) for q in quantities]))
    return finding(result, partial(chain_text, quantities), f"{result.tried:,} pairs, none against")


def finding(result: Result[Case], describe: Callable[..., str], fine: str = "") -> Finding:
    """What a search says: true if no case was found, else the smallest with the remarks on it."""
    if result.case is None:
        return Finding("true", result.scope, fine)
    return Finding("false", result.scope, case_text(result, describe), result.objects)


def case_text(result: Result[Case], describe: Callable[..., str]) -> str:
    """The case that was found, with the remarks on it."""
    assert result.case is not None
    return f"{result.drawn}: {describe(*result.case)}"


def chain_text(quantities: Sequence[Quantity], one: ExactSoft, other: ExactSoft) -> str:
    """The quantities with their values, and how each compares with the next."""
    values = [q.of(one, other) for q in quantities]
    text = quantities[0].name
    for q, (before, value) in zip(quantities[1:], pairwise(values), strict=True):
        if abs(before - value) <= CLOSE:
            text += f" = {q.name}"
        else:
            text += f" = {shown(before)} {'>' if before > value else '<'} {q.name}"
    return f"{text} = {shown(values[-1])}"


def shown(value: float) -> str:
    """A value as it is written."""
    return number(exact(value))


def together(*parts: Finding) -> Finding:
    """One statement that is tried in several parts: it is true if all of them are."""
    broken = [part for part in parts if part.verdict != "true"]
    scope, evidence = (
        "; ".join(dict.fromkeys(filter(None, texts)))
        for texts in ([part.scope for part in parts], [part.evidence for part in parts])
    )
    if not broken:
        return Finding("true", scope, evidence)
    first = min(broken, key=lambda part: part.objects)
    verdict: Literal["false", "partly"] = "false" if len(broken) == len(parts) else "partly"
    return Finding(verdict, scope, evidence, first.objects)


# Statements on distances


NEEDS: dict[str, tuple[Property, ...]] = {
    "metric": ("own", "symmetry", "separation", "triangle"),
    "pseudo-metric": ("own", "symmetry", "triangle"),
    "consistency": ("own", "symmetry"),
}


def is_a(kind: str, *spaces: tuple[str, Sequence[ExactSoft], Floats]) -> Finding:
    """Whether distances on some spaces are a metric, a pseudo-metric or a consistency."""
    tried, kinds = [], []
    for what, members, d in spaces:
        tried.append(f"of {len(d)} {what}")
        scope = f"all {'pairs' if kind == 'consistency' else 'triples'} {', '.join(tried)}"
        properties = metric(d, levels(members))
        for need in NEEDS[kind]:
            if (offending := getattr(properties, need)) is not None:
                text = offence(need, [members[i] for i in offending], d, offending)
                return Finding("false", scope, text, members[0].objects)
        kinds.append(properties.kind)
    return Finding("true", scope, " or ".join(dict.fromkeys(kinds)))


def offence(need: str, case: Sequence[ExactSoft], d: Floats, where: Sequence[int]) -> str:
    """What is wrong with one, two or three clusterings."""
    drawn = "  and  ".join(map(str, dict.fromkeys(case)))
    if need == "own":
        return f"{drawn}: d = {shown(d[where[0], where[0]])} from itself"
    if need == "separation":
        return f"{drawn}: d = 0"
    if need == "symmetry":
        i, j = where
        return f"{drawn}: d = {shown(d[i, j])} one way, {shown(d[j, i])} the other"
    i, j, k = where
    return f"{drawn}: d = {shown(d[i, k])} > {shown(d[i, j])} + {shown(d[j, k])}"


def constant(properties: Metric) -> str:
    """By how much the triangle inequality has to be relaxed."""
    return f"worst ratio {number(properties.constant)}"
