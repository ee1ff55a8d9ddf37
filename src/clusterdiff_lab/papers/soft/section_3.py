"""What the paper on soft clusterings says of transported distances: Section 3."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from random import Random

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures import lookup
from clusterdiff.testing.claims import numbered
from clusterdiff_lab.axioms.distances import CLOSE, metric
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.soft import (
    UNCERTAIN,
    Case,
    Clusters,
    ExactSoft,
    Mass,
    all_evidential,
    all_fuzzy,
    all_hard,
    all_possibilistic,
    all_rough,
    drawn_at_random,
    each_of,
    hard,
    levels,
    min_order,
    pairs,
    pairs_of,
    random_pairs,
    rough,
    rough_sets,
    score,
    smallest,
    table,
)
from clusterdiff_lab.axioms.subject import number
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims, Quantity
from clusterdiff_lab.papers.soft.statements import (
    MOVES,
    RAND,
    carried_ends,
    constant,
    equal,
    far,
    is_a,
    near,
    offence,
    shown,
    together,
    transported,
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
    result = smallest(stages, gap)
    if result.case is None:
        return Finding("true", result.scope)
    one = result.case[0]
    ones = hard([1] * one.objects)
    by_masses, by_cuts = far(RAND).of(ones, one), _mean_over_cuts(ones, one)
    evidence = f"d₁ from {ones}: {shown(by_masses)} by masses of objects, {shown(by_cuts)} by cuts"
    return Finding("false", result.scope, f"{one}: {evidence}", one.objects)


def _mean_over_cuts(truth: ExactSoft, one: ExactSoft) -> float:
    """d₁ where all objects are cut at the same degree, which makes nested rough clusterings."""
    total, below = 0.0, Fraction(0)
    for level in sorted({degree for mass in one.masses for _, degree in _cuts(mass)}):
        sets = [next(a for a, degree in _cuts(mass) if degree >= level) for mass in one.masses]
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
        evidence = (
            f"of {n} objects d₀ is a {kinds[0]}, d₁ a {kinds[1]} of at most {shown(high.max())}"
        )
        holds = kinds == ["consistency", "metric"] and abs(high.max() - 1) < CLOSE
        scope = f"all triples of {of_sets(n)}"
        parts.append(Finding("true" if holds else "false", scope, evidence, 0 if holds else n))
    finding = together(*parts)
    same = smallest([different("rough", all_rough(2, 2))], partial(not_told_apart, name))
    return finding.adding(f"as assignments d₁ = 0 for {same.drawn or 'no two'}")


def different(what: str, members: tuple[ExactSoft, ...]) -> Stage[Case]:
    """All pairs that differ in more than the names of clusters and the order of objects."""
    what_pairs = f"all pairs of different {what} clusterings of {members[0].objects} objects"
    return Stage(
        what_pairs, lambda: (p for p in pairs_of(members, members) if p[0] != min_order(p[1]))
    )


def not_told_apart(name: str, one: ExactSoft, other: ExactSoft) -> float:
    """1 if the far end of a transported distance is 0."""
    return float(far(name).of(one, other) <= CLOSE)


def triangle_of_rough(name: str, alpha: Fraction, rho: int = 1) -> Finding:
    """Whether d_α has the triangle inequality, relaxed by ρ, and what it would need."""
    scopes = []
    for n in (2, 3):
        members, (low, high) = rough_sets(n, n), ends_of_rough(name, n)
        d = float(alpha) * high + (1 - float(alpha)) * low
        properties = metric(d, levels(members), relaxed=rho)
        scopes.append(f"all triples of {of_sets(n)}")
        if (at := properties.triangle) is not None:
            evidence = offence("triangle", [members[i] for i in at], d, at)
            bound = f"(1 + α)/2α = {number((1 + alpha) / (2 * alpha))}"
            return Finding(
                "false", "; ".join(scopes), f"{evidence}; {constant(properties)}, {bound}", n
            )
    return Finding("true", "; ".join(scopes), constant(properties))


def _unmatched(truth: ExactSoft, guess: ExactSoft) -> int:
    """Objects whose set lacks the matched cluster, under the best matching: an assignment."""
    from scipy.optimize import linear_sum_assignment

    labels = [mass[0][0][0] for mass in truth.masses]
    sets = [mass[0][0] for mass in guess.masses]
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
    evidence = (
        f"d₀ of the partition distance to a partition is one assignment in {assigned} of {tried}: "
        f"polynomial; its d₁ from single objects is n less a smallest hitting set in {hitting} of "
        f"{tried}: NP-hard for many clusters"
    )
    scope = f"{tried} random rough clusterings of 2 to 5 objects"
    return Finding("partly" if assigned == hitting == tried else "false", scope, evidence)


def triangle_by_transport(alpha: Fraction) -> Finding:
    """Whether transport has the triangle inequality; of rough clusterings it is d_α of sets."""
    measure, small = transported(MOVES, float(alpha)), all_evidential(2, 2, 2)
    halves = ("evidential clusterings of 2 objects in halves", small, table(measure, small))
    first = is_a("pseudo-metric", halves)
    if first.verdict != "true":
        return first
    members, (low, high) = rough_sets(3, 3), ends_of_rough(MOVES, 3)
    properties = metric(float(alpha) * high + (1 - float(alpha)) * low, levels(members))
    scope = f"{first.scope}; of {of_sets(3)}"
    if properties.triangle is None:
        return Finding("true", scope)
    case = [members[i] for i in properties.triangle]
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
    results = [
        smallest([different(what, members)], partial(not_told_apart, MOVES))
        for what, members in spaces.items()
    ]
    scope = "; ".join(one.scope for one in results)
    against = [one for one in results if one.case]
    evidence = "; ".join(f"{one.drawn}: d₁ = 0" for one in against)
    if not against:
        return Finding("true", scope)
    return Finding("false", scope, evidence, min(one.objects for one in against))


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
        each = [_distance(name, fixed, numbered(labels)) for labels in product(*sets)]
        total += float(chance) * (max(each) if end else min(each))
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
