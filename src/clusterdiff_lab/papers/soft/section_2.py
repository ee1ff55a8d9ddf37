"""What the paper on soft clusterings says of measures that were there before: Section 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from random import Random

from clusterdiff.measures import Measure, lookup
from clusterdiff_lab.axioms.distances import CLOSE
from clusterdiff_lab.axioms.soft import (
    ExactSoft,
    all_fuzzy,
    all_hard,
    all_possibilistic,
    all_rough,
    as_distance,
    degree,
    drawn_at_random,
    each_of,
    score,
    smallest,
    table,
)
from clusterdiff_lab.papers.paper import Claim, Finding, PaperClaims
from clusterdiff_lab.papers.soft.statements import F, is_a, shown, together

CLAIMS = PaperClaims()


def small_fuzzy() -> list[tuple[str, tuple[ExactSoft, ...]]]:
    """Fuzzy clusterings of two and three objects."""
    return [
        ("fuzzy clusterings of 2 objects in halves", all_fuzzy(2, 2, 2)),
        ("fuzzy clusterings of 2 objects in quarters", all_fuzzy(2, 2, 4)),
        ("fuzzy clusterings of 2 objects into 3 in halves", all_fuzzy(2, 3, 2)),
        ("fuzzy clusterings of 3 objects in halves", all_fuzzy(3, 2, 2)),
    ]


@CLAIMS.state(
    "Section 2.2",
    "they are no dual pair, though the text calls them one: the product's dual is a + b - ab",
)
def product_and_bounded_sum() -> Finding:
    """of a fuzzy clustering, product and bounded sum make the relations that masses make."""

    def gap(one: ExactSoft) -> float:
        x, y = one.masses
        named = sorted({w for mass in one.masses for a, _ in mass for w in a})
        products = {(v, w): degree(x, v) * degree(y, w) for v in named for w in named}
        same = min(1, sum(p for (v, w), p in products.items() if v == w))
        apart = min(1, sum(p for (v, w), p in products.items() if v != w))
        relation = one.clustering.relation(0, 1)
        return max(
            abs(relation.same - same), abs(relation.apart - apart), relation.unknown, relation.empty
        )  # fmt: skip

    spaces = {"quarters, up to 3 clusters": (3, 4), "halves, up to 4 clusters": (4, 2)}
    result = smallest(
        [
            each_of(f"fuzzy clusterings of 2 objects in {what}", all_fuzzy(2, clusters, parts))
            for what, (clusters, parts) in spaces.items()
        ],
        gap,
    )
    if result.case is None:
        return Finding("true", result.scope, f"{result.tried} relations")
    return Finding("false", result.scope, result.drawn, result.objects)


def normalised_metric(name: str) -> Finding:
    """A distance of partitions: a metric whose largest value is 1."""
    finding = metric_of_partitions(name)
    if finding.verdict != "true":
        return finding
    scope = f"{finding.scope}; largest distances also of partitions of 5"
    only = True
    for n in range(2, 6):
        values = dict(_from_each_shape(name, n))
        largest = max(values.values())
        if abs(largest - 1) > CLOSE:
            evidence = f"the largest distance of {n} objects is {shown(largest)}"
            return Finding("false", scope, evidence, n)
        farthest = [pair for pair, d in values.items() if d > 1 - CLOSE]
        only &= all({one.clusters for one in pair} == {1, n} for pair in farthest)
    evidence = f"{finding.evidence}, the largest distance is 1"
    return Finding("true", scope, evidence + ", of one cluster to single objects alone" * only)


CLAIMS += [
    Claim(
        "Section 2.3.1", "one less the Rand index is a normalised metric of partitions",
        partial(normalised_metric, "rand"),
    ),
]  # fmt: skip


def metric_of_partitions(name: str) -> Finding:
    """A distance of partitions, or one less a similarity."""
    measure = lookup(name)
    turned = as_distance(measure)
    assert turned is not None
    spaces = {n: all_hard(n) for n in (2, 3, 4)}
    return is_a(
        "metric", *((f"partitions of {n}", m, turned(table(measure, m))) for n, m in spaces.items())
    )


CLAIMS += [
    Claim(
        "Section 2.3.1", "the Jaccard index is a similarity: one less it is a metric",
        partial(metric_of_partitions, "pair_jaccard"),
    ),
    Claim(
        "Section 2.3.1",
        "the index of Fowlkes and Mallows is a similarity: one less it is a metric",
        partial(metric_of_partitions, "fowlkes_mallows"),
        "the square root of one less it is a metric",
    ),
]  # fmt: skip


def _from_each_shape(
    name: str, objects: int
) -> Iterator[tuple[tuple[ExactSoft, ExactSoft], float]]:
    """The distances of one partition with each multiset of sizes to all."""
    measure = lookup(name)
    turned = as_distance(measure)
    assert turned is not None
    shapes: dict[tuple[int, ...], ExactSoft] = {}
    for one in all_hard(objects):
        shapes.setdefault(tuple(sorted(Counter(one.masses).values())), one)
    for one in shapes.values():
        for other in all_hard(objects):
            yield (one, other), turned(score(measure, one, other))


@CLAIMS.state("Section 2.3.1")
def below_one_with_itself() -> Finding:
    """Rand indices of Campello's kind can be below 1 for a clustering with itself."""
    stages = [each_of(what, members) for what, members in small_fuzzy()]
    texts, objects, scope = [], 0, ""
    for name in ("rand_campello", "rand_frigui"):
        measure = lookup(name)
        result = smallest(stages, lambda one, m=measure: 1 - score(m, one, one))
        if result.case is None:
            return Finding("false", result.scope, f"{name} is always 1")
        value = shown(score(measure, result.case[0], result.case[0]))
        texts.append(f"{name} of {result.drawn} with itself: {value}; of F: {_own(measure, F)}")
        objects, scope = max(objects, result.objects), result.scope
    return Finding("true", scope, "; ".join(texts), objects)


def _own(measure: Measure, one: ExactSoft) -> str:
    return shown(score(measure, one, one))


@CLAIMS.state("Section 2.3.1")
def pseudo_similarity() -> Finding:
    """Hüllermeier's Rand index is a pseudo-similarity of objects with degrees."""
    random = Random(5)
    drawn = tuple(drawn_at_random("fuzzy", random, 3, 3) for _ in range(15))
    possible = ("possibilistic clusterings of 2 objects in halves", all_possibilistic(2, 2, 2))
    spaces = [*small_fuzzy(), possible, ("random fuzzy clusterings of 3 objects into 3", drawn)]
    findings = []
    for distance in ("half_l1", "max", "cosine"):
        measure = lookup("rand_hullermeier").with_params(distance=distance)
        tables = [(what, members, 1 - table(measure, members)) for what, members in spaces]
        findings.append(is_a("pseudo-metric", *tables))
    return together(*findings)


@CLAIMS.state(
    "Section 2.3.1", "true of masses on nested sets, which do not conflict with themselves"
)
def conflict_is_a_consistency() -> Finding:
    """the Rand index by conflict, Rand_K, is a consistency."""
    measure = lookup("rand_conflict")
    spaces = [("rough clusterings of 2 objects", all_rough(2, 2)), *small_fuzzy()]
    finding = is_a("consistency", *((what, m, 1 - table(measure, m)) for what, m in spaces))
    running = f"Rand_K of the paper's F with itself: {_own(measure, F)}"
    return finding.adding(running)


CLAIMS += [
    Claim(
        "Section 2.3.2", "the partition distance is a normalised metric of partitions",
        partial(normalised_metric, "partition_distance"),
    ),
]  # fmt: skip
