"""Table 1 of the ELM paper: the two extreme guesses, each page alone and all pages together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clusterdiff.output.table import CellTable, digits
from clusterdiff_lab.papers.elm.experiments.streams import (
    CLOSE,
    Scores,
    Streams,
    all_one,
    beside,
    by_stream,
    refuse_unless,
    scored,
    streams_for,
)
from clusterdiff_lab.papers.elm.tables import (
    MEAN_SIZE,
    MEDIAN_SIZE,
    ONE_CLUSTER,
    PAPERS_STREAMS,
    SINGLETONS,
    TABLE_1,
)
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Record, Setting
from clusterdiff_lab.papers.paper import is_printed


def run(setting: Setting) -> Outcome:
    """Both extremes for every stream, their means beside the printed ones."""
    streams = streams_for(setting)
    found = extremes(streams)
    lines = beside(TABLE_1, found)
    rows = tuple(
        (f"{line['guess']}: {line['measure']}", digits(line["mean"]), digits(line["std"]),
         line["printed_mean"], line["printed_std"])
        for line in lines
    )  # fmt: skip
    headings = ("", "here", "σ", "printed", "σ")
    return Outcome(
        "The two extreme guesses (Table 1 of the ELM paper)",
        (
            Exhibit("extremes", "Means over streams", CellTable(headings, rows), lines),
            Exhibit.of("extremes-streams", "The streams", _holding(streams)),
        ),
        (_told(streams, lines), _sizes(streams), _directions(streams, found)),
        besides=(
            Exhibit.of("extremes-by-stream", "Scores of all streams", by_stream(streams, found)),
        ),
    )


def extremes(streams: Streams) -> dict[str, Scores]:
    """The scores of both extremes; what is proved of them is seen to."""
    found = scored(streams, {SINGLETONS: streams.alone, ONE_CLUSTER: streams.stream})
    refuse_unless(all_one(found[SINGLETONS], "precision"), "the precision of single pages is not 1")
    refuse_unless(all_one(found[ONE_CLUSTER], "recall"), "the recall of one cluster is not 1")
    recall = found[SINGLETONS].each("elm_recall")
    refuse_unless(
        bool((abs(recall - _single(streams)) < CLOSE).all()),
        "the ELM recall of single pages is not the share of pages that are a document each",
    )
    return found


def _single(streams: Streams) -> np.ndarray:
    """The share of each stream's pages that are a document of their own."""
    return np.array([(of == 1).sum() / of.sum() for of in streams.lengths_by_stream])


def _holding(streams: Streams) -> list[Record]:
    """How much there is here and in the paper, by its totals and by its words."""
    mine, theirs = streams.holds, PAPERS_STREAMS
    sizes = [of.size for of in streams.lengths_by_stream]
    pages, documents = float(np.median(streams.lengths)), float(np.median(sizes))
    per_stream = mine.documents / mine.streams, theirs.documents / theirs.streams
    rows: list[tuple[str, float, float | None]] = [
        ("streams", mine.streams, theirs.streams),
        ("pages", mine.pages, theirs.pages),
        ("documents", mine.documents, theirs.documents),
        ("mean pages of a document", mine.pages / mine.documents, theirs.pages / theirs.documents),
        ("median pages of a document", pages, None),
        ("mean documents of a stream", *per_stream),
        ("median documents of a stream", documents, None),
    ]
    return [{"what": what, "here": here, "paper": paper} for what, here, paper in rows]


def _told(streams: Streams, lines: Sequence[Record]) -> str:
    """What of the table can be compared."""
    same = [is_printed(line["printed_mean"], line["mean"]) for line in lines]
    told = (
        "That is as much as in the paper, so the numbers can be held against the printed ones: "
        f"{sum(same)} of {len(same)} means are the same, to the printed digits."
        if streams.holds == PAPERS_STREAMS
        else f"{streams.others()} The same for all streams are the precision of single pages and "
        "the recall of one cluster, which are 1, and that ELM is nowhere above BCubed."
    )
    return (
        f"{streams.told()} Means and standard deviations (σ, of the population) are over streams. "
        f"{told}"
    )


def _sizes(streams: Streams) -> str:
    mine, theirs = streams.holds, PAPERS_STREAMS
    return (
        f"A document has {mine.pages / mine.documents:.1f} pages on average (median "
        f"{np.median(streams.lengths):g}), a stream {mine.documents / mine.streams:.1f} documents. "
        f"In the paper these are {theirs.pages / theirs.documents:.1f} and "
        f"{theirs.documents / theirs.streams:.1f}, by its own totals; it prints {MEAN_SIZE} "
        f"and {MEDIAN_SIZE} as mean and median cluster size; {MEAN_SIZE} is the mean of "
        "documents per stream, and so it is taken where streams are made."
    )


def _directions(streams: Streams, found: Mapping[str, Scores]) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    gap = {guess: float(scores.gap("f").mean()) for guess, scores in found.items()}
    seen = "so it is here" if gap[SINGLETONS] > gap[ONE_CLUSTER] else "here it is not"
    share = float(_single(streams).mean())
    documents = float((streams.lengths == 1).mean())
    return (
        "The paper sees ELM far below BCubed for single pages, and little for one cluster: "
        f"{seen}, by {gap[SINGLETONS]:.4f} and {gap[ONE_CLUSTER]:.4f} of F1. The ELM recall of "
        f"single pages, {share:.4f}, is the share of pages that are a document of their own, as a "
        "mean over streams. The paper calls it the proportion of single page clusters, of which "
        f"there are {documents:.4f} here."
    )
