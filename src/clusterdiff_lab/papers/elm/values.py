"""Numbers of the ELM paper, "BCubed Revisited": its examples and its tables.

F1 is the mean over elements of their own F1, as the paper has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from clusterdiff.clusterings import Partition
from clusterdiff.contingency import Policy
from clusterdiff.engines.memory import rows_of_objects
from clusterdiff.measures import Measure
from clusterdiff.measures.bcubed import (
    bcubed_f,
    bcubed_precision,
    bcubed_recall,
    elm_f,
    elm_precision,
    elm_recall,
)
from clusterdiff.measures.zero_division import f_score
from clusterdiff_lab.papers.paper import Printed, Value, cut, equals, numbers


class StreamCounts(NamedTuple):
    """How much a test set of page streams holds."""

    streams: int
    pages: int
    documents: int


class PrintedMean(NamedTuple):
    """A mean over streams and its standard deviation, as printed."""

    mean: str
    sigma: str = ""


class PrintedRow(NamedTuple):
    """What is printed for one way of guessing and one measure."""

    guess: str
    measure: str
    precision: PrintedMean
    recall: PrintedMean
    f: PrintedMean


PAPERS_STREAMS = StreamCounts(streams=75, pages=20_618, documents=2_508)

MEAN_SIZE, MEDIAN_SIZE = 33, 17
"""What Section 3.2 calls the mean and the median cluster size."""

SINGLETONS = "all singletons"
ONE_CLUSTER = "all in one cluster"


def _row(guess: str, measure: str, *cells: str) -> PrintedRow:
    """A line of a table: each cell a mean, and its standard deviation where that is printed."""
    precision, recall, f = (PrintedMean(*cell.split()) for cell in cells)
    return PrintedRow(guess, measure, precision, recall, f)


TABLE_1 = (
    _row(SINGLETONS, "bcubed", "1.0 0.0", "0.26 0.20", "0.34 0.22"),
    _row(SINGLETONS, "elm", "1.0 0.0", "0.10 0.13", "0.10 0.13"),
    _row(ONE_CLUSTER, "bcubed", "0.26 0.28", "1.0 0.0", "0.34 0.28"),
    _row(ONE_CLUSTER, "elm", "0.24 0.27", "1.0 0.0", "0.31 0.28"),
)

TABLE_2 = (
    _row("hierarchical clustering", "bcubed", "0.69", "0.69", "0.51"),
    _row("hierarchical clustering", "elm", "0.65", "0.66", "0.44"),
)
"""Needs the text of 52 of the streams."""


BCUBED_F1 = bcubed_f(f="objects")
F1: dict[str, Measure] = {
    "ELM F1": elm_f,
    "ELM F1 of the means": elm_f(f="means"),
    "BCubed F1": BCUBED_F1,
    "BCubed F1 of the means": bcubed_f(f="means"),
}
"""F1 is the mean of the elements' own F1 unless the paper says otherwise."""


def own_scores(measure: Measure, truth: Any, guess: Any) -> list[Any]:
    """The score of each element."""
    rows, row, _ = rows_of_objects(Partition(truth), Partition(guess), Policy())
    values = measure.rows_of(rows)
    assert values is not None
    scores: list[Any] = values[row].tolist()
    return scores


Labels = Sequence[int]
Sides = tuple[Labels, Labels]

SEVERAL = range(1, 9)
"""Numbers of elements for which a formula in n is tried."""


def _one(n: int) -> Labels:
    """All elements in one cluster."""
    return [0] * n


def _each(n: int) -> Labels:
    """Every element alone."""
    return range(n)


SINGLES: Sides = (_one(2), _each(2))
DUAL: Sides = (_each(2), _one(2))
TOGETHER: Sides = ([0, 0, 1, 2], [0, 1, 2, 2])
"""Both of these as one test set."""

ONE_CUT_OFF: Sides = (_one(4), [0, 0, 0, 1])
TWO_PAIRS_CUT: Sides = ([0, 0, 1, 1], _each(4))

RAG_BAG = [0, 0, 0, 0, 1, 2, 3, 4, 5]
"""Figure 6: four of one class, four of their own, and the one that is moved."""
TO_THE_BAG = [0, 0, 0, 0, 1, 1, 1, 1, 1]
TO_THE_CLEAN = [0, 0, 0, 0, 1, 1, 1, 1, 0]


def _own(measure: Measure, sides: Sides) -> tuple[float, ...]:
    """The score of each element."""
    return tuple(own_scores(measure, *sides))


def _drop(measure: Measure, sides: Sides) -> float:
    """What the sum of the elements' scores loses against a perfect guess."""
    scores = _own(measure, sides)
    return len(scores) - sum(scores)


def _example(where: str, what: str, printed: str, measure: Measure, sides: Sides) -> Printed:
    """A score of one of the examples of two elements."""
    return Printed(where, what, printed, lambda: measure(*sides))


def _two_thirds(where: str, sides: Sides, note: str = "") -> Printed:
    """BCubed F1 of one of these examples; the paper cuts the number that all of them have."""
    return Printed(
        where, "BCubed F1", ".66", lambda: BCUBED_F1(*sides), note=note, agrees=cut(".66")
    )


def _elm(sides: Sides) -> Value:
    return tuple(measure(*sides) for measure in (elm_precision, elm_recall, elm_f))


def _f_of_tables() -> Value:
    """The F of the precision and recall of each line of Tables 1 and 2, as these are printed."""
    of_means = [
        f_score(float(row.precision.mean), float(row.recall.mean)) for row in (*TABLE_1, *TABLE_2)
    ]
    return ", ".join(f"{f:.2f}" for f in of_means)


def _falls(value: Value) -> bool:
    first, second = numbers(value)
    return first > second


def _two_over_n_and_1(value: Value) -> bool:
    return all(equals(Fraction(2, n + 1))(x) for n, x in zip(SEVERAL, numbers(value), strict=True))


FIRST = "Section 2, truth {1,2}, guess {1},{2}"
SECOND = "Section 2, truth {1},{2}, guess {1,2}"
BOTH = "Section 2, both examples as one test set"
EXTREMES = "Section 2, one cluster of n against n single elements"
CUT = "Size and quantity, Section 3.3.4"
BAG = "Rag bag, Section 3.3.3 and Figure 6"
STREAMS = "Page streams, Section 3.2"

VALUES: tuple[Printed, ...] = (
    _example(FIRST, "BCubed precision", "1", bcubed_precision, SINGLES),
    _example(FIRST, "BCubed recall", ".5", bcubed_recall, SINGLES),
    _two_thirds(FIRST, SINGLES, "cut after two digits, not rounded"),
    Printed(FIRST, "ELM precision, recall, F1", "1, 0, 0", lambda: _elm(SINGLES)),
    _example(SECOND, "BCubed precision", ".5", bcubed_precision, DUAL),
    _example(SECOND, "BCubed recall", "1", bcubed_recall, DUAL),
    _two_thirds(SECOND, DUAL),
    Printed(SECOND, "ELM precision, recall, F1", "0, 1, 0", lambda: _elm(DUAL)),
    _example(BOTH, "BCubed precision", ".75", bcubed_precision, TOGETHER),
    _example(BOTH, "BCubed recall", ".75", bcubed_recall, TOGETHER),
    _two_thirds(BOTH, TOGETHER, "so F1 is the mean of the elements' own, not that of the means"),
    Printed(
        BOTH, "BCubed F1 of the mean precision and recall", "",
        lambda: bcubed_f(*TOGETHER, f="means"), note="bcubed_f(f='means')",
    ),
    Printed(
        EXTREMES, "BCubed F1, n = 1 to 8", "2/(n+1)",
        lambda: tuple(BCUBED_F1(_one(n), _each(n)) for n in SEVERAL),
        note="the same with truth and guess exchanged", agrees=_two_over_n_and_1,
    ),
    Printed(
        EXTREMES, "ELM F1, n = 2 to 8", "0",
        lambda: tuple(elm_f(_one(n), _each(n)) for n in SEVERAL[1:]),
        note="for n = 1 the two are the same, and F1 is 1",
    ),
    Printed(
        STREAMS, "mean true cluster size", "33",
        lambda: Fraction(PAPERS_STREAMS.pages, PAPERS_STREAMS.documents),
        note="33 is the mean number of clusters in a stream; 17 is printed as the median",
    ),
    Printed(
        STREAMS, "mean number of clusters in a stream", "",
        lambda: Fraction(PAPERS_STREAMS.documents, PAPERS_STREAMS.streams),
    ),
    Printed(
        "Tables 1 and 2", "F1; by definition the F of the printed precision and recall",
        ", ".join(row.f.mean for row in (*TABLE_1, *TABLE_2)), _f_of_tables,
        note="all are below it, so they are means of the elements' own F1; --data FILE has Table 1 "
        "again for streams at hand",
        otherwise="needs data",
    ),
    Printed(
        BAG, "ELM precision of the clean elements after C3 has joined them", "3/4",
        lambda: _own(elm_precision, (RAG_BAG, TO_THE_CLEAN))[:4],
        note="C1 has four elements, then; the figure is taken with as many in C2",
    ),
    Printed(
        BAG, "BCubed precision of the same", "",
        lambda: _own(bcubed_precision, (RAG_BAG, TO_THE_CLEAN))[:4],
    ),
    Printed(
        BAG, "ELM F1 of D1 and of D2", "D1 > D2",
        lambda: (elm_f(RAG_BAG, TO_THE_BAG), elm_f(RAG_BAG, TO_THE_CLEAN)), agrees=_falls,
    ),
    Printed(
        CUT, "case 1: ELM recall of the other three", "2/3",
        lambda: _own(elm_recall, ONE_CUT_OFF)[:3],
    ),
    Printed(
        CUT, "case 1: ELM F1 of the other three", "4/5", lambda: _own(elm_f, ONE_CUT_OFF)[:3]
    ),
    Printed(CUT, "case 1: ELM F1 of the singleton", "0", lambda: _own(elm_f, ONE_CUT_OFF)[3]),
    Printed(
        CUT, "case 1: drop of the sum of ELM F1", "4 - 12/5", lambda: _drop(elm_f, ONE_CUT_OFF),
        agrees=equals(4 - Fraction(12, 5)),
    ),
    Printed(CUT, "case 2: drop of the sum of ELM F1", "4", lambda: _drop(elm_f, TWO_PAIRS_CUT)),
    Printed(
        CUT, "both drops with BCubed F1", "",
        lambda: tuple(_drop(BCUBED_F1, sides) for sides in (ONE_CUT_OFF, TWO_PAIRS_CUT)),
    ),
)  # fmt: skip
