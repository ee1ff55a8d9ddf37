"""What the paper on soft clusterings says of distances of rough ones: Section 3, first half."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from random import Random

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff_lab.axioms.distances import CLOSE, metric
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.soft import (
    Case,
    Clusters,
    ExactSoft,
    Mass,
    all_possibilistic,
    all_rough,
    each_of,
    hard,
    levels,
    min_order,
    pairs_of,
    rough,
    rough_sets,
    smallest,
)
from clusterdiff_lab.axioms.subject import number
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims
from clusterdiff_lab.papers.soft.statements import (
    MOVES,
    RAND,
    carried_ends,
    constant,
    far,
    near,
    offence,
    shown,
    together,
)

CLAIMS = PaperClaims()
NAMES = {RAND: "one less the Rand index", MOVES: "the partition distance"}
RELAXED = "it is (1 + α)/2α-relaxed, and no better; a metric at α = 1 alone"


@CLAIMS.state(
    "Section 3.1", "cuts of all objects at one degree are nested, but they are another mass"
)
def focal_sets_are_nested() -> Finding:
    """the rough clusterings that a possibilistic one has mass on are nested."""

    def inside(one: tuple[Clusters, ...], other: tuple[Clusters, ...]) -> bool:
        return all(set(a) <= set(b) for a, b in zip(one, other, strict=True))

    def gap(one: ExactSoft) -> float:
        return float(
            any(not inside(a, b) and not inside(b, a) for a, b in combinations(one.distribution, 2))
        )

    stages = [
        each_of(f"possibilistic clusterings of {n} objects in halves", all_possibilistic(n, 2, 2))
        for n in (2, 3)
    ]
    found = smallest(stages, gap)
    if found.case is None:
        return Finding("true", found.scope)
    one = found.case[0]
    ones = hard([1] * one.objects)
    by_masses, by_cuts = far(RAND).of(ones, one), _mean_over_cuts(ones, one)
    told = f"d₁ from {ones}: {shown(by_masses)} by masses of objects, {shown(by_cuts)} by cuts"
    return Finding("false", found.scope, f"{one}: {told}", one.objects)


def _mean_over_cuts(truth: ExactSoft, one: ExactSoft) -> float:
    """d₁ where all objects are cut at the same degree, which makes nested rough clusterings."""
    total, below = 0.0, Fraction(0)
    for level in sorted({degree for mass in one.known for _, degree in _cuts(mass)}):
        sets = [next(a for a, degree in _cuts(mass) if degree >= level) for mass in one.known]
        total += float(level - below) * far(RAND).of(truth, rough(*sets))
        below = level
    return total


def _cuts(mass: Mass) -> list[tuple[Clusters, Fraction]]:
    """The nested sets, the large ones first, each with the degree that all of it has."""
    degrees = [sum((weight for _, weight in mass[at:]), Fraction()) for at in range(len(mass))]
    return [(a, degree) for (a, _), degree in zip(mass, degrees, strict=True)][::-1]


@cache
def ends_of_rough(name: str, objects: int) -> tuple[Floats, Floats]:
    """d₀ and d₁ of all sets of partitions that rough clusterings allow."""
    members = rough_sets(objects, objects)
    both = np.array([[carried_ends(name, a, b) for b in members] for a in members])
    return both[:, :, 0], both[:, :, 1]


def of_sets(objects: int) -> str:
    """The space in words."""
    many = len(rough_sets(objects, objects))
    return f"the {many} sets of partitions that rough clusterings of {objects} objects allow"


def consistency_and_metric(name: str) -> Finding:
    """d₀ without separation and triangle inequality, d₁ with both."""
    parts = []
    for n in (2, 3):
        low, high = ends_of_rough(name, n)
        level = levels(rough_sets(n, n))
        kinds = [metric(d, level).kind for d in (low, high)]
        told = f"of {n} objects d₀ is a {kinds[0]}, d₁ a {kinds[1]} of at most {shown(high.max())}"
        holds = kinds == ["consistency", "metric"] and abs(high.max() - 1) < CLOSE
        scope = f"all triples of {of_sets(n)}"
        parts.append(Finding("true" if holds else "false", scope, told, 0 if holds else n))
    found = together(*parts)
    same = smallest([different("rough", all_rough(2, 2))], partial(not_told_apart, name))
    return found.adding(f"as assignments d₁ = 0 for {same.drawn or 'no two'}")


def different(what: str, members: tuple[ExactSoft, ...]) -> Stage[Case]:
    """All pairs that differ in more than the names of clusters and the order of objects."""
    told = f"all pairs of different {what} clusterings of {members[0].objects} objects"
    return Stage(told, lambda: (p for p in pairs_of(members, members) if p[0] != min_order(p[1])))


def not_told_apart(name: str, one: ExactSoft, other: ExactSoft) -> float:
    """1 if the far end of a transported distance is 0."""
    return float(far(name).of(one, other) <= CLOSE)


def triangle_of_rough(name: str, alpha: Fraction, rho: int = 1) -> Finding:
    """Whether d_α has the triangle inequality, relaxed by ρ, and what it would need."""
    scopes = []
    for n in (2, 3):
        members, (low, high) = rough_sets(n, n), ends_of_rough(name, n)
        d = float(alpha) * high + (1 - float(alpha)) * low
        found = metric(d, levels(members), relaxed=rho)
        scopes.append(f"all triples of {of_sets(n)}")
        if (at := found.triangle) is not None:
            told = offence("triangle", [members[i] for i in at], d, at)
            bound = f"(1 + α)/2α = {number((1 + alpha) / (2 * alpha))}"
            return Finding("false", "; ".join(scopes), f"{told}; {constant(found)}, {bound}", n)
    return Finding("true", "; ".join(scopes), constant(found))


def _unmatched(truth: ExactSoft, guess: ExactSoft) -> int:
    """Objects whose set lacks the matched cluster, under the best matching: an assignment."""
    from scipy.optimize import linear_sum_assignment

    labels = [mass[0][0][0] for mass in truth.known]
    sets = [mass[0][0] for mass in guess.known]
    kept = np.zeros((max(labels) + 1, 5))
    for w, a in zip(labels, sets, strict=True):
        kept[w, list(a)] += 1
    return len(labels) - int(kept[linear_sum_assignment(kept, maximize=True)].sum())


def _smallest_hitting(sets: list[list[int]]) -> int:
    return next(
        size
        for size in range(1, 5)
        if any(
            all(set(chosen) & set(a) for a in sets) for chosen in combinations(range(1, 5), size)
        )
    )


def _claims(name: str) -> Iterator[Claim]:
    yield Claim(
        "Proposition 3.1",
        f"{NAMES[name]}, of rough clusterings: d₀ is a consistency without triangle inequality, "
        "d₁ a normalised metric",
        partial(consistency_and_metric, name),
        "true of the sets of partitions that are allowed; of assignments d₁ is a pseudo-metric",
    )
    for alpha in (Fraction(1, 2), Fraction(3, 4), Fraction(9, 10)):
        yield Claim(
            "Theorem 3.1",
            f"{NAMES[name]}, of rough clusterings: d_α is a metric for α = {alpha}",
            partial(triangle_of_rough, name, alpha),
            RELAXED,
        )


CLAIMS += [
    *_claims(RAND),
    *_claims(MOVES),
    Claim(
        "Theorem 3.1",
        "of rough clusterings, d_α is ρ-relaxed from α = 1/2ρ on (here α = 1/4, ρ = 2)",
        lambda: together(*(triangle_of_rough(name, Fraction(1, 4), 2) for name in (RAND, MOVES))),
        RELAXED,
    ),
]  # fmt: skip


@CLAIMS.state(
    "Proposition 3.2",
    "for many clusters all but d₀ of the partition distance to a partition; for a fixed number "
    "of clusters all are polynomial in the objects",
)
def hardness() -> Finding:
    """both ends of the distance of two rough clusterings are NP-hard to compute."""
    random = Random(53)
    assigned = hitting = 0
    tried = 40
    for _ in range(tried):
        sets = [
            sorted(random.sample(range(1, 5), random.randint(1, 3)))
            for _ in range(random.randint(2, 5))
        ]
        n, guess = len(sets), rough(*sets)
        truth = hard(random.randint(1, 3) for _ in sets)
        assigned += abs(near(MOVES).of(truth, guess) * (n - 1) - _unmatched(truth, guess)) < CLOSE
        most = far(MOVES).of(hard(range(1, n + 1)), guess) * (n - 1)
        hitting += abs(most - (n - _smallest_hitting(sets))) < CLOSE
    told = (
        f"d₀ of the partition distance to a partition is one assignment in {assigned} of {tried}: "
        f"polynomial; its d₁ from single objects is n less a smallest hitting set in {hitting} of "
        f"{tried}: NP-hard for many clusters"
    )
    scope = f"{tried} random rough clusterings of 2 to 5 objects"
    return Finding("partly" if assigned == hitting == tried else "false", scope, told)
