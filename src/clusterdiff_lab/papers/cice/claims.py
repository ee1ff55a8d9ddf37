"""What the CICE paper claims: perfect match, and the four conditions, of Extended BCubed and CICE.

F is that of the mean precision and the mean recall, as the paper has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain, combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from clusterdiff.contingency import Meet
from clusterdiff.measures import Measure
from clusterdiff.measures.overlapping import cice_f, cice_precision, extended_bcubed_f
from clusterdiff.testing.claims import Family, covers
from clusterdiff_lab.axioms import Axiom, axiom, subject
from clusterdiff_lab.axioms.condition import Space
from clusterdiff_lab.axioms.covers import Overlap, cover_pairs, golds, groups_of
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.subject import CLOSE, Number, Subject
from clusterdiff_lab.axioms.tables import Comparison, Contingency
from clusterdiff_lab.papers.cice.experiments import alike
from clusterdiff_lab.papers.cice.values import BCUBED, CICE, EXTENDED
from clusterdiff_lab.papers.paper import (
    Claim,
    Finding,
    PaperClaims,
    Quantity,
    all_of,
    any_of,
    as_text,
    at_most,
    equal,
    fails,
    holds,
    repaired,
    size_against_quantity,
    throughout,
    valued,
)

# Whether CICE inherits homogeneity: the smallest cluster that is better not split.

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64] | np.int64
Split = tuple[int, int, int, int]
"""a and p, b and q: a of p objects of one class, and b of q of another, are in one cluster."""


def split_of(a: int, p: int, b: int, q: int) -> tuple[Contingency, Contingency]:
    """Classes of p and q objects, a and b of them in one cluster; and then in one each."""
    rest = [column for column in ((p - a, 0), (0, q - b)) if any(column)]
    return Contingency(((a, b), *rest)), Contingency(((a, 0), (0, b), *rest))


def precision_falls(a: Ints, p: int, b: Ints, q: int) -> Bools:
    """Whether max(a/(p+b), b/(q+a)) (a²+b²)/(a+b) > a²/p + b²/q.

    These are the parts of n times CICE precision that come from the mixed cluster, before and after
    it is split; nothing else changes.
    """
    mixed = (a * a + b * b) * np.maximum(a * (q + a), b * (p + b)) * p * q
    return np.asarray(mixed > (a * a * q + b * b * p) * (a + b) * (p + b) * (q + a))


def falling_splits(most: int) -> Iterator[Split]:
    """All splits of a cluster of two classes that lower CICE precision, the smaller ones first."""
    for n in range(2, most + 1):
        for p in range(1, n // 2 + 1):
            a, b = np.ogrid[1 : p + 1, 1 : n - p + 1]
            for i, j in np.argwhere(precision_falls(a, p, b, n - p)).tolist():
                yield i + 1, p, j + 1, n - p


def inherits_homogeneity() -> Finding:
    """The smallest split of a cluster of two classes that lowers CICE F.

    Recall never falls, so that precision has to; by which formula is tried on the measure too.
    """
    most = 90
    scope = f"every split of a cluster of two classes, of up to {most} objects in all"
    tried = [(1, 5, 3, q) for q in range(70, most)]
    tried += [(a, p, b, q) for p, q in product(range(1, 5), repeat=2)
              for a, b in product(range(1, p + 1), range(1, q + 1))]  # fmt: skip
    formula = throughout(
        Stage(f"{len(tried)} splits", lambda: tried), _as_said, str, lambda of: of[1] + of[3]
    )
    lowered = [of for of in falling_splits(most) if _gain(CICE["F"], of) < -CLOSE]
    assert formula.verdict == "true", formula.evidence
    if not lowered:
        return Finding("true", scope, "none lowers F")
    worse, better = split_of(*lowered[0])
    values = ", ".join(
        f"{kind} {' and '.join(as_text(measure.of(table.meet)) for table in (worse, better))}"
        for kind, measure in CICE.items()
    )
    a, p, b, q = lowered[0]
    sizes = f"classes of {p} and {q}, {a} and {b} of them in one cluster that is split"
    return Finding("false", scope, f"{len(lowered)} lower F; {sizes}: {values}", worse.objects)


def _gain(measure: Measure, of: Split) -> float:
    worse, better = (measure.of(table.meet) for table in split_of(*of))
    return float(better - worse)


def _as_said(of: Split) -> str:
    """Nothing, where precision falls as the formula has it, and recall does not."""
    a, p, b, q = of
    predicted = bool(precision_falls(np.int64(a), p, np.int64(b), q))
    falls = _gain(CICE["P"], of) < -CLOSE
    return (
        "" if falls == predicted and _gain(CICE["R"], of) > -CLOSE else "not as the formula has it"
    )


CLAIMS = PaperClaims()
ALPHAS = (0.01, 0.5, 0.99)
"""How F can weigh precision; 1 is precision alone."""


@cache
def _met(count: int, truth: Family, guess: Family) -> Meet:
    return Overlap(count, truth, guess).meet


def _meet(comparison: Comparison) -> Meet:
    if isinstance(comparison, Overlap):
        return _met(comparison.count, *comparison.key)
    return comparison.meet


@cache
def on_trial(measure: Measure) -> Subject:
    """A measure that remembers its scores and shares what it compares with the others."""

    def value(comparison: Comparison, exact: bool) -> Number:
        score_of_both: float = measure.of(_meet(comparison))
        return score_of_both

    return replace(subject(measure), value=value)


def score(name: str, measure: Measure) -> Quantity:
    """What a measure gives."""
    return Quantity(name, on_trial(measure).score)


def of_partitions(most: int) -> Iterator[Overlap]:
    """All pairs of partitions, as covers."""
    for n in range(1, most + 1):
        yield from (Overlap(n, *both) for both in product(golds(n), repeat=2))


@CLAIMS.state("Section 2")
def is_extended_bcubed_on_partitions() -> Finding:
    """on partitions, Extended BCubed is BCubed: P, R and F."""
    cases = Stage("all pairs of partitions of up to 4 objects, as covers", lambda: of_partitions(4))
    same = (
        equal(score(f"Extended {kind}", EXTENDED[kind]), score(f"BCubed {kind}", BCUBED[kind]))
        for kind in EXTENDED
    )
    return throughout(cases, any_of(*same))


def pair_counts(clusters: Family) -> frozenset[tuple[tuple[int, int], int]]:
    """In how many clusters each two objects are together, and each object with itself."""
    together = (combinations_with_replacement(group, 2) for group in groups_of(clusters))
    return frozenset(Counter(chain.from_iterable(together)).items())


def is_best(measure: Measure) -> Quantity:
    """1 where a measure gives its best score, else 0."""
    return Quantity(
        f"{measure} is 1", lambda case: float(on_trial(measure).score(case) > 1 - CLOSE)
    )


SAME_COUNTS = Quantity(
    "equal counts of pairs", lambda case: float(pair_counts(case.truth) == pair_counts(case.guess))
)
NEVER = Quantity("never", lambda case: 0.0)
COVERS = Stage("all pairs of covers of up to 3 objects", lambda: cover_pairs(3))


def _as_truth(most: int) -> Iterator[Overlap]:
    return (Overlap(n, cover, cover) for n in range(1, most + 1) for cover in covers(n))


def _from_truth(condition: str) -> Axiom:
    """A condition for the truth itself, of which something better is made."""
    space = Space("cover", "every cover of up to {} objects as truth and guess", _as_truth, 2)
    return replace(axiom(condition), space=space)


BOTH: dict[str, Measure] = {"Extended": extended_bcubed_f, "CICE": cice_f}
FOUR = "Section 2, the four conditions, partitions"
MATCH = "Section 3, perfect match"
KEPT = "Section 3, the four conditions, partitions"
OVERLAP = "Section 3, the four conditions, clusters that overlap"
SPLIT = "a cluster that mixes two classes is better split by class"
JOIN = "two clusters of one class are better joined"
STRAY = "a stray object is better among n of n classes than with n of one class"
BAGS = {
    "rag_bag": f"{STRAY}, all other classes, n >= 2",
    "rag_bag_shared": f"{STRAY}, one of them its own or theirs, n >= 2",
    "rag_bag_single": f"{STRAY}, n = 1",
}
CUT_OFF = "one of n + 1 cut off is better than n pairs broken, whole classes"
N_2 = "the condition is meant for n >= 2, a clean cluster and a noisy one"
P_FALLS = (
    "let the mixed cluster hold a objects of a class of p and b of a class of q: the split lowers "
    "precision exactly where max(a/(p+b), b/(q+a)) · (a²+b²)/(a+b) exceeds a²/p + b²/q, and recall "
    "cannot fall"
)
GROWN = "the noisy cluster and its classes of one object are less alike when it grows"
NESTED = (
    "with nested classes nothing can satisfy this and perfect match: truth itself would have to "
    "get less than what is made of it"
)


def _claim(
    where: str, name: str, condition: str, says: str, instead: str = "", **search: int
) -> Claim:
    """That a measure satisfies a condition, tried on all small cases, and beyond if it is said."""
    check = partial(holds, on_trial(BOTH[name]), condition, **(search or {"larger": 0}))
    return Claim(where, f"{says}: {name} F", check, instead)


CLAIMS += [
    _claim(FOUR, "Extended", "homogeneity", SPLIT),
    _claim(FOUR, "Extended", "completeness", JOIN),
    _claim(FOUR, "Extended", "rag_bag", BAGS["rag_bag"]),
    _claim(FOUR, "Extended", "rag_bag_shared", BAGS["rag_bag_shared"]),
    _claim(FOUR, "Extended", "rag_bag_single", BAGS["rag_bag_single"], N_2),
    Claim(
        MATCH, "Extended F can be 1 for a candidate that is not the gold standard",
        partial(fails, on_trial(extended_bcubed_f), "cover_match"),
    ),
]  # fmt: skip


@CLAIMS.state(MATCH)
def identical_is_best() -> Finding:
    """a candidate that is the gold standard gets 1."""
    named = {"Extended": EXTENDED, "CICE": CICE}
    return all_of(
        {
            f"{name} {kind}": holds(on_trial(measure), "cover_identity", larger=0)
            for name, kinds in named.items()
            for kind, measure in kinds.items()
        }
    )


@CLAIMS.state(
    MATCH,
    "precision is 1 if the candidate is a part of the gold standard, recall if it is the other "
    "way round; F is below 1 all the same",
)
def precision_is_below_1() -> Finding:
    """another candidate has CICE precision and CICE recall below 1."""
    three = [score(f"CICE {kind}", measure) for kind, measure in CICE.items()]

    def wrong(case: Overlap) -> str:
        values = [quantity.of(case) for quantity in three]
        return valued(three, values) if values[0] > 1 - CLOSE else ""

    within = Quantity(
        "all guess clusters are true ones", lambda case: float({*case.guess} <= {*case.truth})
    )

    def different(n: int) -> Iterator[Overlap]:
        return (case for case in cover_pairs(n) if case.count == n and case.truth != case.guess)

    by_size = {
        f"{n} objects": throughout(
            Stage("all pairs of different covers of up to 3 objects", partial(different, n)), wrong
        )
        for n in (2, 3)
    }
    instead = throughout(COVERS, equal(is_best(cice_precision), within))
    return repaired(all_of(by_size), "it is 1 just if every guess cluster is a true one", instead)


@CLAIMS.state(MATCH)
def matches_perfectly() -> Finding:
    """CICE F is 1 just for the gold standard itself."""
    alphas = {
        f"up to 3 objects, alpha = {alpha}": holds(
            on_trial(cice_f(alpha=alpha)), "cover_match", larger=0
        )
        for alpha in ALPHAS
    }
    larger = Stage("all pairs of covers of 4 objects with equal counts of pairs", lambda: alike(4))
    return all_of(
        {
            **alphas,
            "Extended F, never less, is 1 just for equal counts of pairs": throughout(
                COVERS, equal(is_best(extended_bcubed_f), SAME_COUNTS)
            ),
            "4 objects": throughout(larger, equal(is_best(cice_f), NEVER)),
        }
    )


CLAIMS += [
    Claim(
        MATCH, "the same where a cluster may be there twice",
        partial(holds, on_trial(cice_f), "cover_match_repeated"),
        "true of sets of different clusters",
    ),
]  # fmt: skip


@CLAIMS.state(KEPT)
def is_at_most_extended() -> Finding:
    """CICE is at most Extended BCubed: P, R and F."""
    cases = Stage(
        "all pairs of covers of up to 3 objects, and of partitions of up to 4",
        lambda: chain(cover_pairs(3), of_partitions(4)),
    )
    below = (
        at_most(score(f"CICE {kind}", CICE[kind]), score(f"Extended {kind}", EXTENDED[kind]))
        for kind in CICE
    )
    return throughout(cases, any_of(*below))


CLAIMS += [
    Claim(
        KEPT, f"{SPLIT}: CICE F", partial(holds, on_trial(cice_f), "homogeneity"), P_FALLS
    ),
    Claim(
        KEPT, "CICE F inherits homogeneity: the smallest split that lowers it",
        inherits_homogeneity, P_FALLS,
    ),
    _claim(KEPT, "CICE", "completeness", JOIN),
    _claim(KEPT, "CICE", "rag_bag", BAGS["rag_bag"], GROWN),
    _claim(KEPT, "CICE", "rag_bag_shared", BAGS["rag_bag_shared"], GROWN),
    _claim(KEPT, "CICE", "rag_bag_single", BAGS["rag_bag_single"], N_2),
    Claim(
        KEPT, f"{CUT_OFF}: Extended F and CICE F",
        partial(size_against_quantity, {name: on_trial(m) for name, m in BOTH.items()}, 30),
    ),
]  # fmt: skip


@CLAIMS.state(OVERLAP, NESTED)
def holds_with_overlap() -> Finding:
    """they hold for gold standards and candidates that overlap."""
    return all_of(
        {
            f"{condition}, {name} F": holds(on_trial(measure), _from_truth(f"nested_{condition}"))
            for condition in ("homogeneity", "completeness")
            for name, measure in BOTH.items()
        }
    )


CLAIMS += [
    *(
        _claim(OVERLAP, name, f"cover_{condition}", f"gold a partition, {says}", climb=300)
        for condition, says in {
            "homogeneity": SPLIT, "completeness": JOIN, "rag_bag": f"{STRAY}, n = 2",
        }.items()
        for name in BOTH
    ),
]  # fmt: skip
