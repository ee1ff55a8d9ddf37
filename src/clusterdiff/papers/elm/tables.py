"""Tables 1 and 2 of the ELM paper as they are printed, and the page streams behind them."""

from __future__ import annotations

from typing import NamedTuple


class Streams(NamedTuple):
    """How much a test set of page streams holds."""

    streams: int
    pages: int
    documents: int


class Cell(NamedTuple):
    """A mean over streams and its standard deviation, as printed."""

    mean: str
    sigma: str = ""


class Row(NamedTuple):
    """What is printed for one way of guessing and one measure."""

    guess: str
    measure: str
    precision: Cell
    recall: Cell
    f: Cell


PAPERS_STREAMS = Streams(streams=75, pages=20_618, documents=2_508)

MEAN_SIZE, MEDIAN_SIZE = 33, 17
"""What Section 3.2 calls the mean and the median cluster size."""

SINGLETONS = "all singletons"
ONE_CLUSTER = "all in one cluster"

TABLE_1 = (
    Row(SINGLETONS, "bcubed", Cell("1.0", "0.0"), Cell("0.26", "0.20"), Cell("0.34", "0.22")),
    Row(SINGLETONS, "elm", Cell("1.0", "0.0"), Cell("0.10", "0.13"), Cell("0.10", "0.13")),
    Row(ONE_CLUSTER, "bcubed", Cell("0.26", "0.28"), Cell("1.0", "0.0"), Cell("0.34", "0.28")),
    Row(ONE_CLUSTER, "elm", Cell("0.24", "0.27"), Cell("1.0", "0.0"), Cell("0.31", "0.28")),
)

TABLE_2 = (
    Row("hierarchical clustering", "bcubed", Cell("0.69"), Cell("0.69"), Cell("0.51")),
    Row("hierarchical clustering", "elm", Cell("0.65"), Cell("0.66"), Cell("0.44")),
)
"""Needs the text of 52 of the streams."""
