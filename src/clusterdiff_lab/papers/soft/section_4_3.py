"""What the paper on soft clusterings says of δ_α, the partition distance inside: Section 4.3."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from random import Random

from clusterdiff_lab.axioms.distances import metric
from clusterdiff_lab.axioms.engine import Result
from clusterdiff_lab.axioms.soft import (
    UNCERTAIN,
    AnchoredFamily,
    Case,
    ExactSoft,
    all_evidential,
    all_fuzzy,
    all_hard,
    all_rough,
    degree,
    drawn_at_random,
    family,
    levels,
    pairs,
    random_pairs,
    score,
    smallest,
    subsets,
    table,
)
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims, Quantity
from clusterdiff_lab.papers.soft.section_4_2 import exact_ends, halves, rough_stages
from clusterdiff_lab.papers.soft.statements import (
    DELTA_0,
    DELTA_1,
    MOVES,
    C,
    at,
    equal,
    far,
    finding,
    near,
    rising,
    shown,
    told,
    told_of,
)

CLAIMS = PaperClaims()
NEAR, FAR = near(MOVES), far(MOVES)


CLAIMS += [
    Claim(
        "Theorem 4.5", "of evidential clusterings, δ₀ is at most the transported distance d₀",
        lambda: rising([DELTA_0, NEAR], halves()),
        "true of rough clusterings; of fuzzy ones it is the other way round",
    ),
]  # fmt: skip
ALPHAS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))


@CLAIMS.state("Theorem 4.5")
def encloses_rough() -> Finding:
    """of rough clusterings, δ₀ ≤ d₀ ≤ δ₁."""
    return rising(
        [DELTA_0, NEAR, DELTA_1], *rough_stages(), random_pairs(42, 60, 4, 3, ["rough"], ["rough"])
    )


Offence = Callable[[AnchoredFamily], tuple[ExactSoft, ExactSoft] | None]


def in_families(anchors: Callable[[int], int], offence: Offence) -> Result[Case]:
    """The first two that offend among 2, 3 and 4 clusters, and how far the search went."""
    tried = 0
    for clusters, parts in product((2, 3, 4), (1, 2, 3)):
        found = family(clusters, parts, anchors(clusters))
        tried += len(found.members) ** 2
        if (case := offence(found)) is not None:
            break
    scope = f"up to {clusters} clusters and {parts} parts of a mass ({tried:,} pairs)"
    return Result(case, "", tried, int(case is not None), scope)


def one_free_object(offence: Offence, sides: list[Quantity]) -> Finding:
    """One anchor, then an anchor for every cluster; what is found is confirmed by the measures."""
    one, all_ = (in_families(how, offence) for how in (lambda k: 1, lambda k: k))
    scope = (
        f"one object free, another in cluster 1: {one.scope}; "
        f"another in every cluster: {all_.scope}"
    )
    cases = [found for found in (one, all_) if found.case]
    if not cases:
        return Finding("true", scope)
    evidence = "; ".join(told_of(found, partial(told, sides)) for found in cases)
    return Finding("false", scope, evidence, cases[0].objects)


@CLAIMS.state("Theorem 4.5", "true of rough clusterings, and where one side is a partition")
def near_end_at_most_delta() -> Finding:
    """of evidential clusterings, the transported distance d₀ is at most δ₁."""
    general = rising([NEAR, DELTA_1], halves())
    if general.verdict != "true":
        return general
    found = one_free_object(AnchoredFamily.widest, [NEAR, DELTA_1])
    return replace(found, scope=f"{general.scope}; {found.scope}")


@CLAIMS.state("Theorem 4.5")
def above_against_a_partition() -> Finding:
    """against a partition, with no mass on the empty set, more than the theorem says:
    d₀ ≤ d₁ ≤ δ₁.
    """
    what = "partitions and evidential clusterings of 2 objects in halves"
    small = pairs(what, all_hard(2), all_evidential(2, 2, 2))
    found = rising([NEAR, FAR, DELTA_1], small, random_pairs(44, 30, 3, 3, ["hard"]))
    into_three = pairs(
        "partitions and rough clusterings of 2 objects", all_hard(2), all_rough(2, 3)
    )
    below = smallest([small, into_three], lambda a, b: NEAR.of(a, b) - DELTA_0.of(a, b))
    above = smallest([small, into_three], lambda a, b: DELTA_0.of(a, b) - NEAR.of(a, b))
    both = partial(told, [DELTA_0, NEAR])
    return found.adding(*(told_of(case, both) for case in (below, above) if case.case))


@CLAIMS.state("Theorem 4.6")
def relaxed_triangle() -> Finding:
    """δ_α has the triangle inequality from α = 1/2 on, relaxed by 1/2α below."""
    random = Random(45)
    drawn = tuple(drawn_at_random(random.choice(UNCERTAIN), random, 3, 3) for _ in range(15))
    spaces = {
        "evidential clusterings of 2 objects in halves": all_evidential(2, 2, 2),
        "random clusterings of 3 objects": drawn,
    }
    scope = ", ".join(f"all triples of {len(m)} {what}" for what, m in spaces.items())
    worst = []
    for alpha in ALPHAS:
        measure, rho = at(f"{MOVES}_alpha", float(alpha)), max(1.0, float(1 / (2 * alpha)))
        constants = []
        for members in spaces.values():
            found = metric(table(measure, members), levels(members), relaxed=rho)
            case = found.own or found.symmetry or found.triangle
            if case is not None:
                drawn_case = "  and  ".join(str(members[i]) for i in dict.fromkeys(case))
                return Finding("false", scope, f"α = {alpha}: {drawn_case}", members[0].objects)
            constants.append(float(found.constant))
        worst.append(f"α = {alpha}: worst ratio {shown(max(constants))}")
    return Finding("true", scope, "; ".join(worst))


@CLAIMS.state(
    "Theorem 4.6",
    "a pseudo-metric: only the mass on a cluster alone and its plausibility enter, which tell "
    "masses apart up to three clusters",
)
def separates() -> Finding:
    """clusterings at δ_α = 0 are equal up to names, for α from 1/2 on."""
    at_half = Quantity("δ(1/2)", lambda a, b: score(at(f"{MOVES}_alpha", 0.5), a, b))
    return one_free_object(AnchoredFamily.not_told_apart, [at_half, DELTA_1, FAR])


@CLAIMS.state("Section 4.3", "it is at most kn/2(n - 1)")
def normalised() -> Finding:
    """δ₁ is at most 1, so that one less it is a similarity."""
    found = smallest(rough_stages(), lambda a, b: DELTA_1.of(a, b) - 1)
    vacuous = ExactSoft((((subsets(3)[-1], Fraction(1)),),) * C.objects)
    running = f"the paper's C and {vacuous}: δ₁ = {shown(DELTA_1.of(C, vacuous))}"
    return finding(found, lambda a, b: f"δ₁ = {shown(DELTA_1.of(a, b))}; {running}", running)


@CLAIMS.state("Example 4.3")
def where_delta_is_exact() -> Finding:
    """δ is the transported distance for δ₀ of R and M, and for F."""
    same = exact_ends((DELTA_0, NEAR), (DELTA_1, FAR))
    listed = {"R, α = 0", "M, α = 0", "F, α = 0", "F, α = 1"}
    text = "; ".join(sorted(same))
    scope = "C against R, F, P and M of the paper"
    return Finding("true" if listed <= {*same} else "false", scope, f"the same for {text}")


def half_of_differences(one: ExactSoft, other: ExactSoft) -> float:
    """Half the differences of degrees under the best matching, over n - 1."""
    most = max(w for c in (one, other) for mass in c.known for a, _ in mass for w in a)
    names = range(1, most + 1)
    best = min(
        sum(
            abs(degree(x, w) - degree(y, matched[w - 1]))
            for x, y in zip(one.known, other.known, strict=True)
            for w in names
        )
        for matched in permutations(names)
    )
    return float(best) / (2 * (one.objects - 1))


@CLAIMS.state("Proposition 4.5")
def fuzzy_partition_distance() -> Finding:
    """of fuzzy clusterings, δ_α is the fuzzy partition distance for every α."""
    found = equal(
        [DELTA_0, Quantity("by degrees", half_of_differences), DELTA_1],
        pairs("fuzzy clusterings of 2 objects into up to 3 in thirds", all_fuzzy(2, 3, 3)),
        random_pairs(46, 60, 4, 3, ["fuzzy"], ["fuzzy"]),
    )
    above = rising(
        [FAR, DELTA_0],
        pairs("fuzzy clusterings of 3 objects in halves", all_fuzzy(3, 2, 2)),
        random_pairs(43, 15, 3, 3, ["fuzzy"], ["fuzzy"]),
    )
    more = "; d₁ is at most δ there" if above.verdict == "true" else ""
    return replace(found, evidence=found.evidence + more)
