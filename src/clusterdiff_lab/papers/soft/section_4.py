"""What the paper on soft clusterings says of distances that are sampled or bounded: Section 4.

Section 4.1 estimates from samples: chances are counted, not estimated, but for one simulation, and
the distance is one less Rand. Section 4.2 has Rand_α and Section 4.3 δ_α, with transport inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, permutations, product
from math import exp
from random import Random

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures import lookup
from clusterdiff.testing.claims import Labels, numbered
from clusterdiff_lab.axioms.distances import CLOSE, metric
from clusterdiff_lab.axioms.engine import Result, Stage
from clusterdiff_lab.axioms.soft import (
    UNCERTAIN,
    AnchoredFamily,
    Case,
    ExactSoft,
    all_evidential,
    all_fuzzy,
    all_hard,
    all_rough,
    carried,
    degree,
    drawn_at_random,
    family,
    levels,
    pairs,
    random_pairs,
    rough_sets,
    score,
    smallest,
    subsets,
    table,
)
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims, Quantity
from clusterdiff_lab.papers.soft.section_3 import different
from clusterdiff_lab.papers.soft.statements import (
    AGREED_0,
    AGREED_1,
    DELTA_0,
    DELTA_1,
    EXAMPLE,
    MOVES,
    RAND,
    RAND_0,
    RAND_1,
    C,
    R,
    at,
    case_text,
    chain_text,
    equal,
    far,
    finding,
    near,
    quantity,
    rising,
    shown,
    together,
)

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


def rough_sizes(most: int) -> list[tuple[int, int]]:
    """Objects and clusters of the spaces that are tried, one after the other."""
    return [(n, k) for n in range(2, most + 1) for k in range(2, n + 1)]


def tried_on_rough(
    gap: Callable[[ExactSoft, ExactSoft], float], text: Callable[..., str]
) -> Finding:
    """Whether something holds of all pairs of sets of partitions that are allowed."""
    stages = [
        pairs(f"sets of partitions of {n} into up to {k} that are allowed", rough_sets(n, k))
        for n, k in rough_sizes(3)
    ]
    return finding(smallest(stages, gap), text)


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
    chances = [
        (chance([d <= v for d in sampled]), chance([d <= v for d in values]) ** draws)
        for v in sorted(set(values))
        if v < true
    ]
    return max(chances, key=lambda entry: entry[0] - entry[1], default=(Fraction(0), Fraction(0)))


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

    def text(one: ExactSoft, other: ExactSoft) -> str:
        true = hausdorff(one.allowed, other.allowed)
        return f"d₁ = {true}, and one draw is above with chance {over(one, other)}"

    everywhere = tried_on_rough(lambda a, b: float(over(a, b)), text)
    against = tried_on_rough(
        lambda a, b: float(over(a, b)) if min(len(a.allowed), len(b.allowed)) == 1 else 0.0, text
    )
    if everywhere.verdict == "true" or against.verdict != "true":
        return everywhere
    partly = replace(everywhere, verdict="partly", scope=against.scope)
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
    evidence = (
        f"off by {step} in {often:.2f} of the repeats, the bound is {bound:.4f}; mean estimate "
        f"{mean:.3f}, the distance is 0; against a partition in {fixed:.2f}"
    )
    return Finding(
        "false" if often > bound else "true", scope, evidence, 12 if often > bound else 0
    )


ALPHAS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))
HALF = Fraction(1, 2)
SIZES = ((2, 2), (2, 3), (3, 2))
"""Objects and clusters of small spaces."""


@cache
def relations(parts: int, *, empty: bool = False) -> Ints:
    """All masses of equal parts on together 0, apart 1, unknown 2 and, if wanted, impossible 3."""
    places = range(4 if empty else 3)
    return np.array(list(combinations_with_replacement(places, parts)), np.int64)


@cache
def costs(parts: int, alpha: Fraction, *, empty: bool = False) -> Floats:
    """r_α of all pairs of relations, by its definition."""
    unit = alpha.denominator
    price = np.full((4, 4), unit)
    price[2, :2] = price[:2, 2] = alpha.numerator
    np.fill_diagonal(price, 0)
    points = relations(parts, empty=empty)
    return carried(points, points, price) / (parts * unit)


def shares(parts: int, *, empty: bool = False) -> Floats:
    """The masses of all relations on together, apart, unknown and impossible."""
    points = relations(parts, empty=empty)
    return np.stack([(points == place).sum(axis=1) for place in range(4)], axis=1) / parts


def closed_forms(mass: Floats, alpha: Fraction) -> Floats:
    """What Theorem 4.4 has for r_α of all pairs, at α = 0, 1/2 and 1."""
    one, other = mass[:, None], mass[None]
    differ = np.abs(one - other)
    if alpha == 1:
        return np.asarray(differ.sum(axis=2) / 2)
    if alpha == HALF:
        return np.asarray(differ[:, :, :2].sum(axis=2) / 2)
    crossed = np.abs(one[:, :, 0] + other[:, :, 1] - 1) + np.abs(one[:, :, 1] + other[:, :, 0] - 1)
    return np.asarray((crossed - one[:, :, 2] - other[:, :, 2]) / 2)


def closed_form(alpha: Fraction, *, empty: bool) -> Finding:
    """Whether a closed form is what transport gives; the smallest case in parts of a mass."""
    scopes = []
    for parts, what in enumerate(("wholes", "halves", "thirds", "quarters"), 1):
        mass = shares(parts, empty=empty)
        exactly, printed = costs(parts, alpha, empty=empty), closed_forms(mass, alpha)
        gap = np.abs(exactly - printed)
        scopes.append(f"{gap.size} pairs of relations in {what}")
        if gap.max() > CLOSE:
            i, j = np.unravel_index(gap.argmax(), gap.shape)
            values = f"α = {alpha}: {exactly[i, j]:g}, by the formula {printed[i, j]:g}"
            masses = " and ".join(_relation(mass[k]) for k in (i, j))
            return Finding("false", "; ".join(scopes), f"{values}, for {masses}", 2)
    return Finding("true", "; ".join(scopes), f"α = {alpha}: the same in all")


def _relation(mass: Floats) -> str:
    names = ("together", "apart", "unknown", "impossible")
    held = [(name, value) for name, value in zip(names, mass, strict=True) if value]
    return " + ".join(f"{value:g} {name}" if value < 1 else name for name, value in held)


def closed_forms_hold(*, empty: bool) -> Finding:
    """All three closed forms."""
    return together(
        *(closed_form(alpha, empty=empty) for alpha in (Fraction(0), HALF, Fraction(1)))
    )


def halves(objects: int = 2, *, empty: bool = False) -> Stage[Case]:
    """Evidential clusterings into two, with masses in halves."""
    lost = ", perhaps in no cluster" if empty else ""
    return pairs(
        f"evidential clusterings of {objects} objects into 2 in halves{lost}",
        all_evidential(objects, 2, 2, empty=empty),
    )


def rough_stages() -> list[Stage[Case]]:
    """Rough clusterings of two and three objects, smaller ones first."""
    what = "rough clusterings of {} objects into up to {}"
    return [pairs(what.format(*size), all_rough(*size)) for size in SIZES]


def fuzzy_stages() -> list[Stage[Case]]:
    """Fuzzy clusterings of two and three objects, smaller ones first."""
    what = "fuzzy clusterings of {} objects into up to {} in halves"
    return [pairs(what.format(*size), all_fuzzy(*size, 2)) for size in SIZES]


def exact_ends(*ends: tuple[Quantity, Quantity]) -> list[str]:
    """Of which clusterings of the running example an end inside is the transported one."""
    return [
        f"{name}, α = {end}"
        for name, soft in EXAMPLE.items()
        for end, (inside, outside) in enumerate(ends)
        if abs(inside.of(C, soft) - outside.of(C, soft)) <= CLOSE
    ]


@CLAIMS.state("Section 4.2")
def falls_with_alpha() -> Finding:
    """Rand_α falls, or stays, where α grows."""
    chain = [quantity(f"Rand({a})", at("rand_alpha", float(a))) for a in reversed(ALPHAS)]
    lost = pairs(
        "rough clusterings of 2 objects, perhaps in no cluster", all_rough(2, 2, empty=True)
    )
    return rising(chain, lost, halves(), random_pairs(39, 150, 4, 3, empty=True))


@CLAIMS.state(
    "Example 4.2",
    "for F too, and for every partition against a fuzzy clustering, over pairs of distinct objects",
)
def where_rand_is_exact() -> Finding:
    """of R, F, P and M, Rand_α is the transported index for Rand₀ of R and P only."""
    same = exact_ends((RAND_0, AGREED_0), (RAND_1, AGREED_1))
    identity = equal(
        [RAND_0, AGREED_0, RAND_1],
        pairs(
            "partitions and fuzzy clusterings of 3 objects in halves",
            all_hard(3),
            all_fuzzy(3, 2, 2),
        ),
        random_pairs(36, 20, 4, 3, ["hard"], ["fuzzy"]),
    )
    evidence = f"the same for {'; '.join(same)}"
    if identity.verdict == "true":
        evidence += "; and so for every partition against a fuzzy clustering"
    scope = f"C against R, F, P and M of the paper; {identity.scope}"
    holds = same == ["R, α = 0", "P, α = 0"]
    return Finding("true" if holds else "false", scope, evidence, 0 if holds else C.objects)


CLAIMS += [
    Claim(
        "Theorem 4.1", "of rough clusterings, Rand₁ is at most the transported index 1 - d₀",
        lambda: rising([RAND_1, AGREED_0], *rough_stages()), "true where one side is a partition",
    ),
    Claim(
        "Theorem 4.1", "of fuzzy clusterings, Rand₁ is at most the transported index 1 - d₀",
        lambda: rising([RAND_1, AGREED_0], *fuzzy_stages()),
        "the other way round: 1 - d₀ is at most Rand_α",
    ),
    Claim(
        "Theorem 4.1", "the transported index 1 - d₀ is at most Rand₀",
        lambda: rising([AGREED_0, RAND_0], halves(), random_pairs(34, 30, 3, 2)),
    ),
]  # fmt: skip


@CLAIMS.state("Theorem 4.1")
def encloses_against_a_partition() -> Finding:
    """against a partition, with no mass on the empty set, more than the theorem says: Rand₁ ≤ 1 -
    d₁ ≤ 1 - d₀ ≤ Rand₀.
    """
    what = "partitions and evidential clusterings of {} objects in halves"
    return rising(
        [RAND_1, AGREED_1, AGREED_0, RAND_0],
        pairs(what.format(2), all_hard(2), all_evidential(2, 2, 2)),
        random_pairs(35, 60, 3, 3, ["hard"]),
    )


CLAIMS += [
    Claim(
        "Theorem 4.2", "of fuzzy clusterings, Rand_α does not depend on α",
        lambda: equal(
            [quantity(f"Rand({a})", at("rand_alpha", float(a))) for a in ALPHAS],
            *fuzzy_stages(),
            random_pairs(37, 60, 4, 3, ["fuzzy"], ["fuzzy"]),
        ),
    ),
]  # fmt: skip


@CLAIMS.state("Theorem 4.3")
def metric_of_relations() -> Finding:
    """of relations, one less Rand_α is a metric from α = 1/2 on, 1/2α-relaxed below, and a
    consistency at 0.
    """
    kinds, holds = [], True
    for empty in (False, True):
        level = np.zeros(len(relations(4, empty=empty)), np.int64)
        for alpha in ALPHAS:
            properties = metric(costs(4, alpha, empty=empty), level)
            fits = not alpha or (
                properties.separation is None
                and properties.constant <= max(Fraction(1), 1 / (2 * alpha))
            )
            holds &= properties.own is None and properties.symmetry is None and fits
            kinds.append(f"α = {alpha}: {properties.kind}")
    scope = "all triples of the relations of two objects in quarters, 15 and with empty mass 35"
    return Finding("true" if holds else "false", scope, "; ".join(dict.fromkeys(kinds)))


def belief_is_one_half(*, empty: bool) -> Finding:
    """Rand by belief against Rand_α at α = 1/2."""
    sides = [
        quantity("Rand(1/2)", at("rand_alpha", 0.5)),
        quantity("Rand_B", lookup("rand_belief")),
    ]
    what = "rough clusterings of 2 objects"
    first = pairs(f"{what}, perhaps in no cluster" if empty else what, all_rough(2, 2, empty=empty))
    return equal(sides, first, halves(empty=empty), random_pairs(41, 100, 4, 3, empty=empty))


@CLAIMS.state(
    "Remark after Corollary 4.1",
    "no number of objects is enough: where all others are half and half, the relations do not "
    "show what is known of one",
)
def relations_determine() -> Finding:
    """into two clusters, the relations of three or more objects determine the clustering."""

    def gap(one: ExactSoft, other: ExactSoft) -> float:
        return float(RAND_1.of(one, other) > 1 - CLOSE)

    stages = [different("rough", all_rough(3, 2)), different("evidential", all_evidential(3, 2, 2))]
    result = smallest(stages, gap)
    fuzzy = smallest([different("fuzzy", all_fuzzy(3, 2, 2))], gap)
    if result.case is None:
        return Finding("true", result.scope)
    evidence = "; ".join(f"{one.drawn}: Rand₁ = 1" for one in (result, fuzzy) if one.case)
    return Finding("false", f"{result.scope}; {fuzzy.scope}", evidence, result.objects)


CLAIMS += [
    Claim(
        "Theorem 4.4", "closed forms of r_α at α = 0, 1/2 and 1, where no mass is on the empty set",
        partial(closed_forms_hold, empty=False),
    ),
    Claim(
        "Theorem 4.4", "the same closed forms with mass on the empty set",
        partial(closed_forms_hold, empty=True), "the one at α = 1 stays true",
    ),
    Claim(
        "Corollary 4.2",
        "Rand_α at α = 1/2 is the Rand index by belief, where no mass is on the empty set",
        partial(belief_is_one_half, empty=False),
    ),
    Claim(
        "Corollary 4.2", "the same with mass on the empty set",
        partial(belief_is_one_half, empty=True),
        "the distance of beliefs is at most r_α at α = 1/2",
    ),
]  # fmt: skip


NEAR, FAR = near(MOVES), far(MOVES)


CLAIMS += [
    Claim(
        "Theorem 4.5", "of evidential clusterings, δ₀ is at most the transported distance d₀",
        lambda: rising([DELTA_0, NEAR], halves()),
        "true of rough clusterings; of fuzzy ones it is the other way round",
    ),
]  # fmt: skip
POSITIVE_ALPHAS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))


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
        members = family(clusters, parts, anchors(clusters))
        tried += len(members.members) ** 2
        if (case := offence(members)) is not None:
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
    cases = [result for result in (one, all_) if result.case]
    if not cases:
        return Finding("true", scope)
    evidence = "; ".join(case_text(result, partial(chain_text, sides)) for result in cases)
    return Finding("false", scope, evidence, cases[0].objects)


@CLAIMS.state("Theorem 4.5", "true of rough clusterings, and where one side is a partition")
def near_end_at_most_delta() -> Finding:
    """of evidential clusterings, the transported distance d₀ is at most δ₁."""
    general = rising([NEAR, DELTA_1], halves())
    if general.verdict != "true":
        return general
    anchored_finding = one_free_object(AnchoredFamily.widest, [NEAR, DELTA_1])
    return replace(anchored_finding, scope=f"{general.scope}; {anchored_finding.scope}")


@CLAIMS.state("Theorem 4.5")
def above_against_a_partition() -> Finding:
    """against a partition, with no mass on the empty set, more than the theorem says:
    d₀ ≤ d₁ ≤ δ₁.
    """
    what = "partitions and evidential clusterings of 2 objects in halves"
    small = pairs(what, all_hard(2), all_evidential(2, 2, 2))
    finding = rising([NEAR, FAR, DELTA_1], small, random_pairs(44, 30, 3, 3, ["hard"]))
    into_three = pairs(
        "partitions and rough clusterings of 2 objects", all_hard(2), all_rough(2, 3)
    )
    below = smallest([small, into_three], lambda a, b: NEAR.of(a, b) - DELTA_0.of(a, b))
    above = smallest([small, into_three], lambda a, b: DELTA_0.of(a, b) - NEAR.of(a, b))
    both = partial(chain_text, [DELTA_0, NEAR])
    return finding.adding(*(case_text(case, both) for case in (below, above) if case.case))


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
    for alpha in POSITIVE_ALPHAS:
        measure, rho = at(f"{MOVES}_alpha", float(alpha)), max(1.0, float(1 / (2 * alpha)))
        constants = []
        for members in spaces.values():
            properties = metric(table(measure, members), levels(members), relaxed=rho)
            case = properties.own or properties.symmetry or properties.triangle
            if case is not None:
                drawn_case = "  and  ".join(str(members[i]) for i in dict.fromkeys(case))
                return Finding("false", scope, f"α = {alpha}: {drawn_case}", members[0].objects)
            constants.append(float(properties.constant))
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
    result = smallest(rough_stages(), lambda a, b: DELTA_1.of(a, b) - 1)
    vacuous = ExactSoft((((subsets(3)[-1], Fraction(1)),),) * C.objects)
    running = f"the paper's C and {vacuous}: δ₁ = {shown(DELTA_1.of(C, vacuous))}"
    return finding(result, lambda a, b: f"δ₁ = {shown(DELTA_1.of(a, b))}; {running}", running)


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
    most = max(w for c in (one, other) for mass in c.masses for a, _ in mass for w in a)
    names = range(1, most + 1)
    best = min(
        sum(
            abs(degree(x, w) - degree(y, matched[w - 1]))
            for x, y in zip(one.masses, other.masses, strict=True)
            for w in names
        )
        for matched in permutations(names)
    )
    return float(best) / (2 * (one.objects - 1))


@CLAIMS.state("Proposition 4.5")
def fuzzy_partition_distance() -> Finding:
    """of fuzzy clusterings, δ_α is the fuzzy partition distance for every α."""
    finding = equal(
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
    return replace(finding, evidence=finding.evidence + more)
