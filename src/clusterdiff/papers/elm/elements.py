"""Claims of the ELM paper on elements: how their own ELM relates to their own BCubed.

An element's own P, R and F1 are those of one element; a clustering's are means.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from clusterdiff.backends.dispatch import rows_of_objects
from clusterdiff.clusterings import Partition
from clusterdiff.laboratory.spaces.contingency import Contingency
from clusterdiff.laboratory.spaces.partitions import every_truth, itself, pairs, singles
from clusterdiff.laboratory.verdict import Number
from clusterdiff.measures import Measure
from clusterdiff.measures.core.zero_division import exactly
from clusterdiff.measures.hard.bcubed import (
    bcubed_f,
    bcubed_precision,
    bcubed_recall,
    elm_f,
    elm_precision,
    elm_recall,
)
from clusterdiff.meet import Policy
from clusterdiff.papers.paper import Claims, Finding
from clusterdiff.papers.statements import (
    Quantity,
    all_of,
    equal,
    holds,
    repaired,
    scored,
    throughout,
    told,
)

CLAIMS = Claims()
F1: dict[str, Measure] = {
    "ELM F1": elm_f,
    "ELM F1 of the means": elm_f(f="means"),
    "BCubed F1": bcubed_f,
    "BCubed F1 of the means": bcubed_f(f="means"),
}
"""Without more said, F1 is the mean of the elements' own."""


def own_scores(measure: Measure, truth: Any, guess: Any) -> list[Any]:
    """The score of each element."""
    rows, row, _ = rows_of_objects(Partition(truth), Partition(guess), Policy())
    values = measure.rows_of(rows)
    assert values is not None
    found: list[Any] = values[row].tolist()
    return found


OWN: dict[str, tuple[Measure, Measure]] = {
    "P": (elm_precision, bcubed_precision),
    "R": (elm_recall, bcubed_recall),
    "F1": (elm_f, bcubed_f),
}


@cache
def own(measure: Measure, table: Contingency) -> list[Number]:
    """The score of each element."""
    with exactly():
        return own_scores(measure, *map(list, table.labels))


@cache
def clusters(table: Contingency) -> list[tuple[frozenset[int], frozenset[int]]]:
    """The true and the guessed cluster of each element."""
    of = [{x: frozenset(group) for group in side for x in group} for side in table.groups]
    return [(of[0][x], of[1][x]) for x in range(1, table.objects + 1)]


def of_elements(
    wrong: Callable[[Number, Number, frozenset[int], frozenset[int], str], bool],
) -> Finding:
    """Whether nothing is wrong with the own scores of any element, by ELM and by BCubed."""

    def said(table: Contingency) -> str:
        for kind, both in OWN.items():
            scores = zip(*(own(measure, table) for measure in both), clusters(table), strict=True)
            for x, (elm, bcubed, (truth, guess)) in enumerate(scores, 1):
                if wrong(elm, bcubed, truth, guess, kind):
                    return f"{kind}({x}) is {told(elm)} by ELM, {told(bcubed)} by BCubed"
        return ""

    return throughout(pairs(5), said)


@CLAIMS.state("Section 2")
def two_forms_of_f1() -> Finding:
    """F1 from counts of right and wrong elements is 2PR/(P+R)."""

    def said(table: Contingency) -> str:
        three = (own(measure, table) for measure in (elm_precision, elm_recall, elm_f))
        for x, (p, r, f, (truth, guess)) in enumerate(zip(*three, clusters(table), strict=True), 1):
            right, wrong = len(truth & guess) - 1, len(truth ^ guess)
            counted = Fraction(2 * right, 2 * right + wrong) if right + wrong else Fraction(1)
            harmonic = 2 * p * r / (p + r) if p + r else Fraction(0)
            if not f == counted == harmonic:
                return f"F1({x}) is {told(counted)} by counts, {told(harmonic)} by P and R"
        return ""

    return throughout(pairs(5), said)


@CLAIMS.state("Section 2")
def best_and_worst() -> Finding:
    """truth itself gets only ones, both extremes an F1 of 0."""
    one = Quantity("wanted", lambda table: Fraction(1))
    perfect = {
        f"truth itself, {name}": throughout(
            every_truth(8, itself), equal(scored(name, measure), one)
        )
        for name, measure in {"ELM P": elm_precision, "ELM R": elm_recall, **F1}.items()
        if name.startswith("ELM")
    }
    extremes = {
        f"extremes, {name}": holds(measure, "extremes", objects=8)
        for name, measure in F1.items()
        if name.startswith("ELM")
    }
    return all_of(perfect | extremes)


@CLAIMS.state("Section 3.1")
def never_more() -> Finding:
    """no element's P, R or F1 is larger by ELM than by BCubed."""
    return of_elements(lambda elm, bcubed, *_: elm > bcubed)


@CLAIMS.state("Section 3.1")
def strictly_less() -> Finding:
    """they are strictly smaller, unless both are 1."""
    return of_elements(lambda elm, bcubed, *_: not (elm < bcubed or elm == bcubed == 1))


@CLAIMS.state(
    "Section 3.1",
    "P is 1 for both where the guessed cluster lies within the true one, R where it is the "
    "other way round, F1 where they are the same",
)
def both_1_by_rule() -> Finding:
    """both are 1 only where truth and guess have the same cluster, or ELM would divide by 0."""

    def by_zero_division(truth: frozenset[int], guess: frozenset[int], kind: str) -> bool:
        alone = {"P": guess, "R": truth, "F1": truth | guess}
        return len(alone[kind]) == 1

    found = of_elements(
        lambda elm, bcubed, truth, guess, kind: (
            elm == bcubed == 1 and truth != guess and not by_zero_division(truth, guess, kind)
        )
    )
    without_errors: dict[str, Callable[[frozenset[int], frozenset[int]], bool]] = {
        "P": frozenset.issuperset,
        "R": frozenset.issubset,
        "F1": frozenset.__eq__,
    }
    inclusion = of_elements(
        lambda elm, bcubed, truth, guess, kind: (
            (elm == bcubed == 1) != without_errors[kind](truth, guess)
        )
    )
    return repaired(found, "both are 1 just where no error of the kind is made", inclusion)


@CLAIMS.state("Section 3.2.1", "it is the share of elements that are alone in truth")
def recall_of_singles() -> Finding:
    """if all are guessed to be alone, ELM recall is the share of clusters with one element."""
    recall = scored("ELM R", elm_recall)
    of_clusters = Quantity(
        "share of clusters with one element",
        lambda table: Fraction(table.classes.count(1), len(table.classes)),
    )
    of_elements = Quantity(
        "share of elements that are alone",
        lambda table: Fraction(table.classes.count(1), table.objects),
    )
    cases = every_truth(7, singles)
    found = throughout(cases, equal(recall, of_clusters))
    return repaired(found, of_elements.name, throughout(cases, equal(recall, of_elements)))
