"""Table 2 and Figure 3 of the ELM paper: neighbouring pages joined if they read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.output.describe import count
from clusterdiff.output.figures import blank, clear
from clusterdiff.output.table import CellTable, digits
from clusterdiff.progress import progress
from clusterdiff_lab.papers.elm.experiments.segments import (
    COEFFICIENT,
    Linkage,
    Reading,
    clusters,
    dendrogram,
    distances,
)
from clusterdiff_lab.papers.elm.experiments.streams import (
    COLOURS,
    PARTS,
    Scores,
    Streams,
    beside,
    by_stream,
    density,
    measures,
    scored,
    streams_for,
)
from clusterdiff_lab.papers.elm.tables import TABLE_2
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Picture, Record, Setting

Way = tuple[Linkage, Reading]
CHOSEN: Way = ("average", "below")
"""The paper names no linkage; the mean over all distances below is by its words."""
STYLES = ("solid", "dash", "dashdot")
IN_WORDS: dict[Reading, str] = {
    "below": "all below", "itself": "and itself", "lower": "all lower",
}  # fmt: skip


def run(setting: Setting) -> Outcome:
    """The guess for every stream, its means beside the printed ones, and other readings."""
    streams = streams_for(setting, text=True)
    found = scored(streams, guesses(streams))
    scores = found[CHOSEN]
    lines, readings = beside(TABLE_2, {TABLE_2[0].guess: scores}), _readings(streams, found)
    return Outcome(
        "Neighbouring pages merged by text similarity (Table 2, Figure 3 of the ELM paper)",
        (
            Exhibit("hierarchical", "Means over streams", _table(lines), lines),
            Exhibit(
                "hierarchical-readings", "Other readings of the method", _other(readings), readings
            ),
        ),
        (_told(streams), _read(streams), _directions(scores)),
        (
            Picture(
                "hierarchical",
                "Densities of BCubed less ELM over streams. Dotted lines are means, coloured areas "
                "one standard deviation to both sides.",
                lambda: _drawn(scores),
            ),
        ),
        (
            Exhibit.of(
                "hierarchical-by-stream",
                "Scores of all streams",
                by_stream(streams, {TABLE_2[0].guess: scores}),
            ),
        ),
    )


@lru_cache(maxsize=1)
def guesses(streams: Streams) -> Mapping[Way, Ints]:
    """The clusters of all pages, by each linkage and reading."""
    ways: list[Way] = [(of, by) for of in get_args(Linkage) for by in get_args(Reading)]
    found: dict[Way, list[Ints]] = {way: [] for way in ways}
    pages = streams.stream.size
    with progress(f"{pages:,} pages", pages) as advance:
        for begin, end in pairwise(streams.edges.tolist()):
            distance = distances(streams.texts[begin:end])
            for linkage in get_args(Linkage):
                merges = dendrogram(distance, linkage)
                for reading in get_args(Reading):
                    found[linkage, reading].append(clusters(merges, reading))
            advance(end - begin)
    return {way: np.concatenate(of) for way, of in found.items()}


def _table(lines: Sequence[Record]) -> CellTable:
    rows = [
        (one["measure"], digits(one["mean"]), digits(one["std"]), one["printed_mean"])
        for one in lines
    ]
    return CellTable(("", "here", "σ", "printed"), tuple(rows))


def _readings(streams: Streams, found: Mapping[Way, Scores]) -> list[Record]:
    return [
        {
            "linkage": way[0],
            "held_against": IN_WORDS[way[1]],
            "clusters": _clusters(streams, guesses(streams)[way]),
            **{name: float(scores[name]) for _, _, name in measures()},
        }
        for way, scores in found.items()
    ]


def _clusters(streams: Streams, cluster: Ints) -> int:
    """How many clusters there are, each a stretch of pages."""
    changes = (np.diff(cluster) != 0) | (np.diff(streams.stream) != 0)
    return 1 + int(changes.sum())


def _other(readings: Sequence[Record]) -> CellTable:
    headings = ("linkage, mean of", "clusters", "BCubed P", "R", "F1", "ELM P", "R", "F1")
    rows = [
        (
            f"{one['linkage']}, {one['held_against']}",
            f"{one['clusters']:,}",
            *(f"{one[name]:.3f}" for _, _, name in measures()),
        )
        for one in readings
    ]
    return CellTable(headings, tuple(rows))


def _told(streams: Streams) -> str:
    return (
        f"{streams.told()} The paper has the text of 52 of its 75 streams (N = 52); here N = "
        f"{len(streams.names)}, all of them. Its numbers are those of other streams and other "
        "texts, so that only directions can be compared. What is proved is that ELM is nowhere "
        "above BCubed, which is so for every stream and every reading."
    )


def _read(streams: Streams) -> str:
    """How the words of the paper are read."""
    found = count(_clusters(streams, guesses(streams)[CHOSEN]), "cluster")
    return (
        "Pages are vectors of how often each character 2- and 3-gram is in them, as they are "
        "written, upper and lower case and blanks kept apart. Only neighbouring stretches of "
        "pages are joined. The paper does not name the linkage: here it is the average over all "
        "pairs of pages. A merge is kept if its distance is at most "
        f"{COEFFICIENT} times the mean of all distances below it in the dendrogram, as the paper "
        "has it; one of two single pages has none below and is kept. Clusters are the largest "
        f"subtrees in which all merges are kept: {found} where there are "
        f"{count(streams.holds.documents, 'document')}. The other table has what comes out if the "
        "merge itself counts in the mean (the paper also speaks of the distances at the same "
        "level), or if all merges of the stream that are lower do, below or not; and for other "
        "linkages."
    )


def _directions(scores: Scores) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    gaps = {part: scores.gap(part) for part in PARTS}
    means = {part: float(of.mean()) for part, of in gaps.items()}
    spreads = {part: float(of.std()) for part, of in gaps.items()}
    largest = "so it is here" if max(means, key=means.__getitem__) == "f" else "here it is not"
    widest = "holds" if max(spreads, key=spreads.__getitem__) == "f" else "does not hold"
    told = ", ".join(
        f"{means[part]:.4f} (σ {spreads[part]:.4f}) of {letter}" for part, letter in PARTS.items()
    )
    printed = ", ".join(
        f"{float(bcubed.mean) - float(elm.mean):.2f} of {letter}"
        for letter, bcubed, elm in zip(PARTS.values(), *(row[2:] for row in TABLE_2), strict=True)
    )
    return (
        f"By the printed means BCubed less ELM is largest for F1 ({printed}): {largest}, {told}. "
        f"That it also varies most for F1 {widest} here."
    )


def _drawn(scores: Scores) -> Any:
    """The density of each difference, with its mean and its standard deviation."""
    figure = blank()
    gaps = {part: scores.gap(part) for part in PARTS}
    far = max(float(of.max()) for of in gaps.values()) or 1.0
    at = np.linspace(0, far * 1.15, 301)
    curves = {part: density(of, at) for part, of in gaps.items()}
    top = max((float(of.max()) for of in curves.values() if of is not None), default=1.0)
    for part, curve in curves.items():
        mean, spread = float(gaps[part].mean()), float(gaps[part].std())
        if curve is not None:
            within = abs(at - mean) <= spread
            figure.add_scatter(
                x=at[within], y=curve[within], mode="lines", line={"width": 0}, fill="tozeroy",
                fillcolor=clear(COLOURS[part], 0.2), showlegend=False, hoverinfo="skip",
            )  # fmt: skip
    for (part, curve), dash in zip(curves.items(), STYLES, strict=True):
        mean = float(gaps[part].mean())
        height = top if curve is None else float(np.interp(mean, at, curve))
        line = {"color": COLOURS[part], "width": 2}
        figure.add_scatter(
            name=PARTS[part], x=[mean, mean], y=[0, height], mode="lines",
            line=line | {"dash": dash if curve is None else "dot"}, showlegend=curve is None,
        )  # fmt: skip
        if curve is not None:
            figure.add_scatter(
                name=PARTS[part], x=at, y=curve, mode="lines", line=line | {"dash": dash}
            )
    return figure.update_layout(
        xaxis={"title": "BCubed − ELM of a stream"},
        yaxis={"title": "density of streams", "rangemode": "tozero"},
    )
