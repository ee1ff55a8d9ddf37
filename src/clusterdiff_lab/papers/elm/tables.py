"""Tables 1 and 2 of the ELM paper as they are printed, and the page streams behind them."""

from __future__ import annotations

from typing import NamedTuple


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
