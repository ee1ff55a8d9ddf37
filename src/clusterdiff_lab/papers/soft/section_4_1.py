"""What the paper on soft clusterings says of distances estimated from samples: Section 4.1.

Chances are counted, not estimated, but for one simulation; the distance is one less Rand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from math import exp

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.testing.small import Labels, numbered
from clusterdiff_lab.axioms.soft import ExactSoft, all_fuzzy, pairs, rough_sets, smallest
from clusterdiff_lab.papers.paper import Finding, PaperClaims
from clusterdiff_lab.papers.soft.statements import RAND, C, R, finding, near

CLAIMS = PaperClaims()
STEP = Fraction(1, 10)
"""By how much an estimate is off."""


@cache
def distance(one: Labels, other: Labels) -> Fraction:
    """The share of pairs that are together in one partition alone."""
    listed = list(combinations(range(len(one)), 2))
    unlike = sum((one[i] == one[j]) != (other[i] == other[j]) for i, j in listed)
    return Fraction(unlike, len(listed))


def hausdorff(one: Sequence[Labels], other: Sequence[Labels]) -> Fraction:
    """The farthest that a member of one side is from the nearest one of the other."""
    to_other = max(min(distance(a, b) for b in other) for a in one)
    return max(to_other, max(min(distance(a, b) for a in one) for b in other))


def chance(cases: Sequence[bool]) -> Fraction:
    """The share of equally likely cases."""
    return Fraction(sum(cases), len(cases))


def all_distances(one: ExactSoft, other: ExactSoft) -> list[Fraction]:
    """Those of all pairs of partitions that two rough clusterings allow."""
    return [distance(a, b) for a, b in product(one.allowed, other.allowed)]


def rough_stages(most: int) -> list[tuple[int, int]]:
    """Objects and clusters of the spaces that are tried, one after the other."""
    return [(n, k) for n in range(2, most + 1) for k in range(2, n + 1)]


def tried_on_rough(
    gap: Callable[[ExactSoft, ExactSoft], float], told: Callable[..., str]
) -> Finding:
    """Whether something holds of all pairs of sets of partitions that are allowed."""
    stages = [
        pairs(f"sets of partitions of {n} into up to {k} that are allowed", rough_sets(n, k))
        for n, k in rough_stages(3)
    ]
    return finding(smallest(stages, gap), told)


def short_of_far_end(draws: int, one: ExactSoft, other: ExactSoft) -> tuple[Fraction, Fraction]:
    """The chance that the sampled far end is at most a value below the true one, and its bound.

    Of all such values the one for which the chance exceeds the bound by most.
    """
    true, values = hausdorff(one.allowed, other.allowed), all_distances(one, other)
    sampled = [
        hausdorff(a, b)
        for a in product(one.allowed, repeat=draws)
        for b in product(other.allowed, repeat=draws)
    ]
    found = [
        (chance([d <= v for d in sampled]), chance([d <= v for d in values]) ** draws)
        for v in sorted(set(values))
        if v < true
    ]
    return max(found, key=lambda entry: entry[0] - entry[1], default=(Fraction(0), Fraction(0)))


def bounded(chances: Callable[..., tuple[Fraction, Fraction]], words: str) -> Finding:
    """Whether a chance is never above its bound."""

    def gap(one: ExactSoft, other: ExactSoft) -> float:
        chance, bound = chances(one, other)
        return float(chance - bound)

    return tried_on_rough(gap, lambda one, other: words.format(*chances(one, other)))


@CLAIMS.state("Proposition 4.1", "true where one side is a partition")
def bound_of_far_end() -> Finding:
    """the chance that the sampled far end falls short is bounded as an order statistic is (16a)."""
    words = "of two draws the far end falls short with chance {}, the bound is {}"
    return bounded(partial(short_of_far_end, 2), words)


def beyond_near_end(draws: int, one: ExactSoft, other: ExactSoft) -> tuple[Fraction, Fraction]:
    """The chance that the sampled near end is more than a step too far, and the printed bound."""
    values = all_distances(one, other)
    true = min(values)
    printed = 1 - (1 - chance([d <= STEP - true for d in values])) ** draws
    return chance([d > true + STEP for d in values]) ** draws, printed


@CLAIMS.state("Proposition 4.1", "it is at most (1 - F(d₀ + ε))^s")
def bound_of_near_end() -> Finding:
    """the chance that the sampled near end is too far is at most 1 - (1 - F(ε - d₀))^s (16b)."""
    chances = partial(beyond_near_end, 1)
    words = f"too far by more than {STEP} with chance {{}} > {{}}"
    example = words.format(*chances(C, R))
    return bounded(chances, words).adding(f"the paper's C and R: {example}")


@CLAIMS.state("Section 4.1", "between two rough clusterings it can overshoot")
def far_end_is_approached_from_below() -> Finding:
    """the sampled far end approaches d₁, from below."""

    def over(one: ExactSoft, other: ExactSoft) -> Fraction:
        true = hausdorff(one.allowed, other.allowed)
        return chance([d > true for d in all_distances(one, other)])

    def told(one: ExactSoft, other: ExactSoft) -> str:
        true = hausdorff(one.allowed, other.allowed)
        return f"d₁ = {true}, and one draw is above with chance {over(one, other)}"

    found = tried_on_rough(lambda a, b: float(over(a, b)), told)
    against = tried_on_rough(
        lambda a, b: float(over(a, b)) if min(len(a.allowed), len(b.allowed)) == 1 else 0.0, told
    )
    if found.verdict == "true" or against.verdict != "true":
        return found
    partly = replace(found, verdict="partly", scope=against.scope)
    return partly.adding("never if one side is a partition")


def off_by(step: Fraction, one: ExactSoft, other: ExactSoft) -> Fraction:
    """The chance that one draw of each is at a distance off the true one by a step."""
    true = near(RAND).of(one, other)
    total = Fraction(0)
    for (a, p), (b, q) in product(one.distribution.items(), other.distribution.items()):
        drawn = distance(*(numbered(w for (w,) in sets) for sets in (a, b)))
        total += p * q * (abs(float(drawn) - true) >= float(step) - 1e-9)
    return total


@CLAIMS.state(
    "Proposition 4.2",
    "true where one side is a partition; else the estimate is too large in the mean",
)
def hoeffding() -> Finding:
    """Hoeffding's bound holds for the sampled distance of two fuzzy clusterings (18)."""
    bound = 2 * exp(-2)
    step = Fraction(1)
    stages = [
        pairs("fuzzy clusterings of 2 objects in halves", all_fuzzy(2, 2, 2)),
        pairs("fuzzy clusterings of 3 objects in halves", all_fuzzy(3, 2, 2)),
    ]
    return finding(
        smallest(stages, lambda a, b: float(off_by(step, a, b)) - bound),
        lambda a, b: f"off by 1 with chance {off_by(step, a, b)} > 2/e² = {bound:.4f}",
    )


def simulated(truth: Ints | None, draws: int, repeats: int, step: float) -> tuple[float, float]:
    """How often an estimate is off by a step, and the mean estimate: 12 objects, 4 clusters.

    The guess gives every cluster the same chance; so does the truth, unless it is given.
    """
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(42)
    i, j = np.triu_indices(12, 1)
    estimates = []
    for _ in range(repeats):
        sides = [random.integers(4, size=(draws, 12)) for _ in range(2)]
        if truth is not None:
            sides[0] = np.broadcast_to(truth, (draws, 12))
        one, other = (side[:, i] == side[:, j] for side in sides)
        cost = (one[:, None] != other[None]).mean(axis=2)
        estimates.append(cost[linear_sum_assignment(cost)].mean())
    if truth is None:
        expected = 0.0
    else:
        same = truth[i] == truth[j]
        expected = float(np.where(same, 3 / 4, 1 / 4).mean())
    off = np.abs(np.array(estimates) - expected) >= step
    return float(off.mean()), float(np.mean(estimates))


@CLAIMS.state(
    "Proposition 4.2",
    "true where one side is a partition; else the estimate is too large in the mean",
)
def hoeffding_simulated() -> Finding:
    """the same in a simulation: 12 objects, 50 draws, off by 0.2."""
    draws, repeats, step = 50, 40, 0.2
    bound = 2 * exp(-2 * draws * step**2)
    often, mean = simulated(None, draws, repeats, step)
    fixed, _ = simulated(np.arange(12) % 3, draws, repeats, step)
    scope = (
        f"{repeats} repeats of {draws} draws, 12 objects, even chances of 4 clusters on both sides"
    )
    told = (
        f"off by {step} in {often:.2f} of the repeats, the bound is {bound:.4f}; mean estimate "
        f"{mean:.3f}, the distance is 0; against a partition in {fixed:.2f}"
    )
    return Finding("false" if often > bound else "true", scope, told, 12 if often > bound else 0)
