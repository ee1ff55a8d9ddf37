"""What the paper on soft clusterings says of transported distances: Section 3, second half."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import product
from random import Random

import numpy as np

from clusterdiff.measures import lookup
from clusterdiff.testing.small import numbered
from clusterdiff_lab.axioms.distances import CLOSE, metric
from clusterdiff_lab.axioms.soft import (
    UNCERTAIN,
    ExactSoft,
    all_evidential,
    all_fuzzy,
    all_hard,
    all_rough,
    drawn_at_random,
    hard,
    levels,
    pairs,
    random_pairs,
    rough_sets,
    score,
    smallest,
    table,
)
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims, Quantity
from clusterdiff_lab.papers.soft.section_3_rough import (
    NAMES,
    RELAXED,
    different,
    ends_of_rough,
    not_told_apart,
    of_sets,
)
from clusterdiff_lab.papers.soft.statements import (
    MOVES,
    RAND,
    carried_ends,
    equal,
    far,
    is_a,
    near,
    offence,
    together,
    transported,
)

CLAIMS = PaperClaims()


def triangle_by_transport(alpha: Fraction) -> Finding:
    """Whether transport has the triangle inequality; of rough clusterings it is d_α of sets."""
    measure, small = transported(MOVES, float(alpha)), all_evidential(2, 2, 2)
    halves = ("evidential clusterings of 2 objects in halves", small, table(measure, small))
    first = is_a("pseudo-metric", halves)
    if first.verdict != "true":
        return first
    members, (low, high) = rough_sets(3, 3), ends_of_rough(MOVES, 3)
    found = metric(float(alpha) * high + (1 - float(alpha)) * low, levels(members))
    scope = f"{first.scope}; of {of_sets(3)}"
    if found.triangle is None:
        return Finding("true", scope)
    case = [members[i] for i in found.triangle]
    d = np.array([[score(measure, a, b) for b in case] for a in case])
    holds = d[0, 2] <= d[0, 1] + d[1, 2] + CLOSE
    return Finding("true" if holds else "false", scope, offence("triangle", case, d, (0, 1, 2)), 3)


CLAIMS += [
    *(
        Claim(
            "Theorem 3.2",
            f"{NAMES[MOVES]}, of evidential clusterings: d_α is a metric for α = {alpha}",
            partial(triangle_by_transport, alpha),
            RELAXED,
        )
        for alpha in (Fraction(1, 2), Fraction(99, 100))
    ),
]  # fmt: skip


@CLAIMS.state("Theorem 3.2")
def metric_at_one() -> Finding:
    """one less the Rand index, and the partition distance: at α = 1 transport is symmetric with a
    triangle inequality, at α = 0 a consistency.
    """
    random = Random(31)
    drawn = tuple(drawn_at_random(random.choice(UNCERTAIN), random, 3, 2) for _ in range(9))
    halves = all_evidential(2, 2, 2)
    parts = []
    for name, what, members in (
        (RAND, "evidential clusterings of 2 objects in halves", halves),
        (RAND, "random clusterings of 3 objects", drawn),
        (MOVES, "random clusterings of 3 objects", drawn),
    ):
        ends = np.array([[carried_ends(name, a, b) for b in members] for a in members])
        parts.append(is_a("pseudo-metric", (what, members, ends[:, :, 1])))
        parts.append(is_a("consistency", (what, members, ends[:, :, 0])))
    return together(*parts)


@CLAIMS.state("Theorem 3.2", "they have the same distribution over sets of partitions")
def separates() -> Finding:
    """the partition distance: clusterings at transported distance 0 are equal up to names."""
    spaces = {"rough": all_rough(2, 2), "fuzzy": all_fuzzy(2, 2, 2)}
    found = [
        smallest([different(what, members)], partial(not_told_apart, MOVES))
        for what, members in spaces.items()
    ]
    scope = "; ".join(one.scope for one in found)
    against = [one for one in found if one.case]
    told = "; ".join(f"{one.drawn}: d₁ = 0" for one in against)
    if not against:
        return Finding("true", scope)
    return Finding("false", scope, told, min(one.objects for one in against))


@CLAIMS.state("Corollary 3.1")
def same_for_every_alpha() -> Finding:
    """of fuzzy clusterings, transport does not depend on α."""
    stages = (
        pairs("fuzzy clusterings of 2 objects in thirds", all_fuzzy(2, 2, 3)),
        pairs("fuzzy clusterings of 3 objects in halves", all_fuzzy(3, 2, 2)),
        random_pairs(32, 20, 3, 3, ["fuzzy"], ["fuzzy"]),
    )
    return together(*(equal([near(name), far(name)], *stages) for name in (RAND, MOVES)))


@cache
def _distance(name: str, one: tuple[int, ...], other: tuple[int, ...]) -> float:
    value = score(lookup(name), hard(one), hard(other))
    return 1 - value if name == RAND else value


def expectation(name: str, end: int, truth: ExactSoft, guess: ExactSoft) -> float:
    """The mean over rough clusterings of the least, or the largest, distance to a partition."""
    (fixed,) = truth.allowed
    total = 0.0
    for sets, chance in guess.distribution.items():
        found = [_distance(name, fixed, numbered(labels)) for labels in product(*sets)]
        total += float(chance) * (max(found) if end else min(found))
    return total


@CLAIMS.state("Theorem 3.3", "with no mass on the empty set")
def lower_and_upper_expectation() -> Finding:
    """against a partition, the two ends are the lower and the upper expectation."""
    what = "partitions and evidential clusterings of 2 objects in halves"
    stages = (
        pairs(what, all_hard(2), all_evidential(2, 2, 2)),
        random_pairs(33, 20, 3, 3, ["hard"]),
        random_pairs(34, 6, 4, 3, ["hard"]),
    )
    parts = []
    for name in (RAND, MOVES):
        for end, measured in enumerate((near(name), far(name))):
            mean = Quantity(("lower", "upper")[end], partial(expectation, name, end))
            parts.append(equal([measured, mean], *stages))
    return together(*parts)
