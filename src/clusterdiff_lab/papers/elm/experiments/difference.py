"""Figure 4 of the ELM paper: what ELM takes off BCubed F1, by the mean length of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.output.figures import SYSTEMS, blank
from clusterdiff_lab.papers.elm.experiments.hierarchical import CHOSEN, guesses
from clusterdiff_lab.papers.elm.experiments.streams import (
    Streams,
    scored,
    spearman,
    streams_for,
    told_rho,
)
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Picture, Record, Setting

PARTS = 4
"""Into how many parts of about as many streams the table puts them."""


def run(setting: Setting) -> Outcome:
    """The difference for each stream, from shorter documents to longer ones."""
    streams = streams_for(setting, text=True)
    gap = scored(streams, {CHOSEN: guesses(streams)[CHOSEN]})[CHOSEN].gap("f")
    records = _records(streams, gap)
    mean, median = (
        np.array([one[name] for one in records]) for name in ("mean_pages", "median_pages")
    )
    return Outcome(
        "BCubed F1 minus ELM F1, by document length (Figure 4 of the ELM paper)",
        (Exhibit.of("difference", "Streams from shorter documents to longer", _bands(mean, gap)),),
        (
            f"{streams.told()} The guess is that of Table 2, by average linkage. "
            f"{streams.others()} It has the text of 52 (N = 52); here N = {len(streams.names)}.",
            _directions(spearman(mean, gap), spearman(median, gap)),
        ),
        (
            Picture(
                "difference",
                "BCubed F1 less ELM F1 of each stream, by the mean number of pages of its "
                "documents.",
                lambda: _drawn(mean, gap, streams.names),
            ),
        ),
        (Exhibit.of("difference-by-stream", "All streams", records),),
    )


def _records(streams: Streams, gap: Floats) -> list[Record]:
    rows = zip(streams.names, streams.lengths_by_stream, gap.tolist(), strict=True)
    return [
        {
            "stream": name,
            "mean_pages": float(lengths.mean()),
            "median_pages": float(np.median(lengths)),
            "difference": one,
        }
        for name, lengths, one in rows
    ]


def _bands(mean: Floats, gap: Floats) -> list[Record]:
    """Streams in parts by their mean length, shorter documents first."""
    order = np.argsort(mean, kind="stable")
    return [
        {
            "streams": part.size,
            "least mean pages": float(mean[part].min()),
            "most mean pages": float(mean[part].max()),
            "mean difference of F1": float(gap[part].mean()),
        }
        for part in np.array_split(order, PARTS)
        if part.size
    ]


def _directions(mean: float | None, median: float | None) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    so = "it does not" if mean is None or mean >= 0 else "it falls, too, on the whole"
    steeper = mean is not None and median is not None and median < mean < 0
    return (
        "The paper sees the difference fall as the mean number of pages grows; here "
        f"{so}: {told_rho(mean)}. With the median in place of the mean, for which the paper says "
        f"the picture is even more skewed, {told_rho(median)}"
        f"{', a closer relation' if steeper else ''}."
    )


def _drawn(mean: Floats, gap: Floats, names: Sequence[str]) -> Any:
    figure = blank()
    figure.add_scatter(
        name="a stream",
        x=mean,
        y=gap,
        mode="markers",
        marker={"color": SYSTEMS[0], "size": 8, "opacity": 0.7},
        hovertext=[f"stream {name}" for name in names],
        hoverinfo="text+x+y",
        cliponaxis=False,
    )
    return figure.update_layout(
        xaxis={"title": "mean pages of a document", "rangemode": "tozero"},
        yaxis={"title": "BCubed F1 − ELM F1", "rangemode": "tozero", "tickformat": ".2f"},
        showlegend=True,
    )
