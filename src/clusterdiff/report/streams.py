"""Table 1 of the ELM paper for page streams at hand: the two extreme guesses, scored."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.errors import ClusterdiffError
from clusterdiff.papers.elm.tables import (
    MEAN_SIZE,
    MEDIAN_SIZE,
    ONE_CLUSTER,
    PAPERS_STREAMS,
    SINGLETONS,
    TABLE_1,
    Cell,
    Streams,
)
from clusterdiff.papers.judged import is_printed
from clusterdiff.report.compare import compare
from clusterdiff.report.describe import count
from clusterdiff.report.markup import to_markdown
from clusterdiff.report.table import Table, digits
from clusterdiff.report.text import printable, to_text, wrapped

if TYPE_CHECKING:
    from clusterdiff.meet import Policy
    from clusterdiff.report.score import Score


class Line(NamedTuple):
    """A score of one of the extremes, beside what the paper prints for its own streams."""

    guess: str
    measure: str
    score: Score
    printed: Cell


@dataclass(frozen=True)
class Table1:
    """The table for some streams, and how much they hold."""

    name: str
    """Of the file."""
    lines: tuple[Line, ...]
    holds: Streams
    median: float
    """Pages of the document in the middle."""

    @property
    def comparable(self) -> bool:
        """Whether there is as much of everything as in the paper."""
        return self.holds == PAPERS_STREAMS

    def table(self) -> Table:
        """Means and standard deviations over streams, here and in print."""
        rows = [
            (
                f"{line.guess}: {line.measure}", digits(float(line.score)), digits(line.score.std),
                line.printed.mean, line.printed.sigma,
            )
            for line in self.lines
        ]  # fmt: skip
        return Table(("", "here", "σ", "printed", "σ"), tuple(rows))

    def sentences(self) -> list[str]:
        """What the streams hold, and what of the table can be compared."""
        mine, theirs = self.holds, PAPERS_STREAMS
        same = [is_printed(line.printed.mean, float(line.score)) for line in self.lines]
        told = (
            "That is as much as in the paper, so the numbers can be held against the printed ones: "
            f"{sum(same)} of {len(same)} means are the same, to the printed digits."
            if self.comparable
            else f"The paper has {_told(theirs)}, so its numbers are those of other streams. The "
            "same for all streams are the precision of single pages and the recall of one cluster, "
            "which are 1, and that ELM is nowhere above BCubed."
        )
        return [
            f"{self.name}: {_told(mine)}. Means and standard deviations (σ, of the population) are "
            f"over streams. {told}",
            f"A document has {mine.pages / mine.documents:.1f} pages on average (median "
            f"{self.median:g}), a stream {mine.documents / mine.streams:.1f} documents. In the "
            f"paper these are {theirs.pages / theirs.documents:.1f} and "
            f"{theirs.documents / theirs.streams:.1f}, by its own totals; it prints {MEAN_SIZE} "
            f"and {MEDIAN_SIZE} as mean and median cluster size.",
        ]

    def to_text(self, width: int = 80) -> str:
        """The table for a terminal of this width."""
        told = [wrapped(printable(text), width) for text in self.sentences()]
        return "\n\n".join(["Table 1 of the ELM paper", to_text(self.table(), width), *told])

    def to_markdown(self) -> str:
        """The table with what is to be said of it."""
        told = map(printable, self.sentences())
        return "\n\n".join(["## Table 1 of the ELM paper", to_markdown(self.table()), *told])

    def to_json(self) -> str:
        """The same with full precision."""
        told: dict[str, Any] = {
            "file": self.name,
            **self.holds._asdict(),
            "comparable": self.comparable,
            "scores": [
                {
                    "guess": line.guess,
                    "measure": line.measure,
                    "mean": float(line.score),
                    "std": line.score.std,
                    "printed_mean": line.printed.mean,
                    "printed_std": line.printed.sigma,
                }
                for line in self.lines
            ],
        }
        return json.dumps(told, indent=2, ensure_ascii=False)


def table_1(truth: Partition, name: str, policy: Policy) -> Table1:
    """The extremes of each stream: every page its own document, and all pages one document."""
    if truth.samples is None:
        raise ClusterdiffError(
            f"{name} does not say which stream a page is in.",
            "give a table with a row per page, and name its column of streams with --samples.",
        )
    alone = range(len(truth)) if truth.ids is None else truth.ids.tolist()
    labels = {SINGLETONS: alone, ONE_CLUSTER: [0] * len(truth)}
    guesses = {guess: Partition(of, truth.ids, truth.samples) for guess, of in labels.items()}
    wanted = [f"{row.measure}_{part}" for row in TABLE_1[:2] for part in PARTS]
    report = compare(truth, guesses, wanted, noise=policy.noise, noise_as=policy.noise_as)
    lines = tuple(
        Line(row.guess, measure, report[measure][row.guess], printed)
        for row in TABLE_1
        for part, printed in zip(PARTS, row[2:], strict=True)
        for measure in [f"{row.measure}_{part}"]
    )
    sizes = report.sizes()["truth"]
    holds = Streams(len(report.samples), lines[0].score.meet.truth_objects, sum(sizes.count))
    return Table1(name, lines, holds, float(np.median(np.repeat(sizes.size, sizes.count))))


PARTS = ("precision", "recall", "f")


def _told(holds: Streams) -> str:
    streams, pages = count(holds.streams, "stream"), count(holds.pages, "page")
    return f"{streams} with {pages} in {count(holds.documents, 'document')}"
