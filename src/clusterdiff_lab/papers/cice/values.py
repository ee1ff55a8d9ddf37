"""Numbers of the CICE-BCubed paper: its one example, and what its equations give elsewhere.

The paper says of its example that Extended BCubed F is maximal and that CICE-BCubed F is not;
it prints no score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from clusterdiff.clusterings import Cover
from clusterdiff.measures import Measure
from clusterdiff.measures import overlapping as covers
from clusterdiff.measures.bcubed import bcubed_f, bcubed_precision, bcubed_recall
from clusterdiff_lab.papers.paper import CLOSE, Printed, Value, numbers

EXTENDED: dict[str, Measure] = {
    "P": covers.extended_bcubed_precision,
    "R": covers.extended_bcubed_recall,
    "F": covers.extended_bcubed_f(f="means"),
}
CICE: dict[str, Measure] = {
    "P": covers.cice_precision, "R": covers.cice_recall, "F": covers.cice_f(f="means"),
}  # fmt: skip
BCUBED: dict[str, Measure] = {"P": bcubed_precision, "R": bcubed_recall, "F": bcubed_f(f="means")}


Clusters = Sequence[frozenset[int]]


def _clusters(*texts: str) -> Clusters:
    """Clusters of objects 1 to 9, each written without commas."""
    return [frozenset(map(int, text)) for text in texts]


CANDIDATE = _clusters("124", "13", "34", "25", "356", "26")
GOLD = _clusters("134", "12", "24", "35", "256", "36")
WITH_SINGLES = _clusters("123", "1", "2", "3")
PAIRS = _clusters("12", "13", "23")
NONE = [3]
"""The object that is in no cluster."""


def _cice(
    gold: Clusters, candidate: Clusters, objects: tuple[Sequence[int], Sequence[int]] = ((), ()),
    by: Mapping[str, Measure] = CICE, **given: Any,
) -> Value:  # fmt: skip
    """CICE precision, recall and F; or those of another family."""
    sides = [Cover.from_clusters(c, o) for c, o in zip((gold, candidate), objects, strict=True)]
    return tuple(measure(*sides, **given) for measure in by.values())


def _of_example(part: int) -> Value:
    return numbers(_cice(GOLD, CANDIDATE))[part]


def _f_at(alpha: int) -> Value:
    return numbers(_cice(GOLD, CANDIDATE, by={"F": CICE["F"](alpha=alpha)}))[0]


def _below_1(value: Value) -> bool:
    return numbers(value)[-1] < 1 - CLOSE


def _nearest(cluster: frozenset[int]) -> Value:
    """The Jaccard index of a candidate cluster with the class that is most like it."""
    return max(Fraction(len(cluster & of), len(cluster | of)) for of in GOLD)


def _best(cluster: frozenset[int]) -> Printed:
    named = ",".join(map(str, sorted(cluster)))
    return Printed(
        EXAMPLE, f"best Jaccard index of candidate {{{named}}}", "", lambda: _nearest(cluster)
    )


def _uncovered(rule: str, note: str) -> tuple[Printed, Printed]:
    """Object 3 in no cluster, by one of the rules for 0/0."""
    alone = _clusters("12")
    return (
        Printed(
            NO_CLUSTER, f"{{1,2}} against itself, P, R, F by uncovered='{rule}'", "",
            lambda: _cice(alone, alone, (NONE, NONE), uncovered=rule), note=note,
        ),
        Printed(
            NO_CLUSTER,
            f"candidate {{1,2}}, gold {{1,2}},{{3}}, P, R, F by uncovered='{rule}'", "",
            lambda: _cice(_clusters("12", "3"), alone, ((), NONE), uncovered=rule),
        ),
    )  # fmt: skip


EXAMPLE = "Section 3, the example of six objects"
SMALLEST = "The smallest such example: {1,2,3},{1},{2},{3} against {1,2},{1,3},{2,3}"
TWICE = "A cluster that the candidate has twice"
NO_CLUSTER = "Object 3 in no cluster: 0/0 in Equations (1) and (7), without a rule"

VALUES: tuple[Printed, ...] = (
    Printed(
        EXAMPLE, "Extended BCubed precision, recall, F", "F is maximal",
        lambda: _cice(GOLD, CANDIDATE, by=EXTENDED), agrees=lambda value: not _below_1(value),
    ),
    Printed(EXAMPLE, "CICE precision", "", lambda: _of_example(0)),
    Printed(EXAMPLE, "CICE recall", "", lambda: _of_example(1)),
    Printed(
        EXAMPLE, "CICE F", "< 1", lambda: _of_example(2),
        note="said of F; no number is printed", agrees=_below_1,
    ),
    Printed(EXAMPLE, "CICE F at alpha = 0", "", lambda: _f_at(0), note="the recall"),
    Printed(EXAMPLE, "CICE F at alpha = 1", "", lambda: _f_at(1), note="the precision"),
    *map(_best, CANDIDATE),
    Printed(
        EXAMPLE, "CICE P, R, F with only the classes that hold the pair", "",
        lambda: _cice(GOLD, CANDIDATE, match="pair"),
        note="as the prose has it, cice_f(match='pair'); Equation (4) looks at all classes",
    ),
    Printed(
        SMALLEST, "Extended BCubed F", "",
        lambda: numbers(_cice(PAIRS, WITH_SINGLES, by=EXTENDED))[-1], note="not in the paper",
    ),
    Printed(SMALLEST, "CICE precision, recall, F", "", lambda: _cice(PAIRS, WITH_SINGLES)),
    Printed(
        TWICE, "{1,2,3} twice against {1,2,3}: CICE P, R, F", "",
        lambda: _cice(_clusters("123"), _clusters("123", "123")),
        note="a pair that is together twice earns once",
    ),
    *_uncovered("zero", "identical clusterings fall short of 1: no perfect match"),
    *_uncovered("one", ""),
    *_uncovered("skip", ""),
)  # fmt: skip
