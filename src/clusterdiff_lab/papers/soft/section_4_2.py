"""What the paper on soft clusterings says of Rand_α, with transport inside: Section 4.2."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.measures import lookup
from clusterdiff_lab.axioms.distances import CLOSE, metric
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.soft import (
    Case,
    ExactSoft,
    all_evidential,
    all_fuzzy,
    all_hard,
    all_rough,
    carried,
    pairs,
    random_pairs,
    smallest,
)
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims, Quantity
from clusterdiff_lab.papers.soft.section_3_rough import different
from clusterdiff_lab.papers.soft.statements import (
    AGREED_0,
    AGREED_1,
    EXAMPLE,
    RAND_0,
    RAND_1,
    C,
    at,
    equal,
    quantity,
    rising,
    together,
)

CLAIMS = PaperClaims()
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
            told = f"α = {alpha}: {exactly[i, j]:g}, by the formula {printed[i, j]:g}"
            masses = " and ".join(_relation(mass[k]) for k in (i, j))
            return Finding("false", "; ".join(scopes), f"{told}, for {masses}", 2)
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
    told = f"the same for {'; '.join(same)}"
    if identity.verdict == "true":
        told += "; and so for every partition against a fuzzy clustering"
    scope = f"C against R, F, P and M of the paper; {identity.scope}"
    holds = same == ["R, α = 0", "P, α = 0"]
    return Finding("true" if holds else "false", scope, told, 0 if holds else C.objects)


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
    told, holds = [], True
    for empty in (False, True):
        level = np.zeros(len(relations(4, empty=empty)), np.int64)
        for alpha in ALPHAS:
            found = metric(costs(4, alpha, empty=empty), level)
            fits = not alpha or (
                found.separation is None and found.constant <= max(Fraction(1), 1 / (2 * alpha))
            )
            holds &= found.own is None and found.symmetry is None and fits
            told.append(f"α = {alpha}: {found.kind}")
    scope = "all triples of the relations of two objects in quarters, 15 and with empty mass 35"
    return Finding("true" if holds else "false", scope, "; ".join(dict.fromkeys(told)))


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
    found = smallest(stages, gap)
    fuzzy = smallest([different("fuzzy", all_fuzzy(3, 2, 2))], gap)
    if found.case is None:
        return Finding("true", found.scope)
    told = "; ".join(f"{one.drawn}: Rand₁ = 1" for one in (found, fuzzy) if one.case)
    return Finding("false", f"{found.scope}; {fuzzy.scope}", told, found.objects)


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
