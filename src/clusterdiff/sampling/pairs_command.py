"""`clusterdiff pairs`: precision and recall from pairs that people labelled."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterdiff.cli import options as o
from clusterdiff.cli.streams import show
from clusterdiff.sampling.labelled_pairs import LabelledPairs, sizes_of
from clusterdiff.sampling.labelled_pairs import pairs as labelled_pairs

HELP = """\b
A CSV, TSV or Parquet file with a row per stratum:
  stratum,pairs,labelled,matches,predicted,blocked
  together,350,100,70,yes,yes
  offered,8000,200,4,no,yes
  rest,100000,200,0,no,no
or with a row per labelled pair, where pairs is how many its stratum has:
  stratum,predicted,label,pairs
  together,yes,match,350

\b
Pairs of a stratum are drawn at random. predicted: the guess puts them
together; blocked: blocking offered them to the guess (yes if left out).
Recall within blocks leaves out all matches that no block offered.

\b
  clusterdiff pairs labels.csv --confidence 90
  clusterdiff pairs labels.csv --size together=350 --size offered=8000
"""


def pairs(
    labels: Annotated[str, typer.Argument(help="The table of labels.")],
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=N", help="Number of pairs in a stratum, if no column holds it."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="Level of the intervals, e.g. 95.")
    ] = 95,
    format: Annotated[str, o.format_option(LabelledPairs)] = "text",
) -> None:
    """Estimate precision and recall from pairs that people labelled."""
    sizes = sizes_of(size) if size else None
    show(labelled_pairs(labels, sizes=sizes, confidence=confidence), format)
