"""Figure 1 of the ELM paper: documents of a fixed number of pages guessed everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clusterdiff.output.figures import blank
from clusterdiff.output.table import CellTable
from clusterdiff_lab.papers.elm.experiments.streams import (
    FAMILIES,
    PARTS,
    WIDE,
    Scores,
    all_one,
    look,
    marked,
    measures,
    refuse_unless,
    scored,
    spearman,
    streams_for,
    told_rho,
)
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Picture, Record, Setting

SIZES = range(1, 16)
"""Pages of a guessed document, as in the paper."""
Curve = tuple[str, str, tuple[str, str]]
"""Its name, what it is drawn of, and the measure that it looks like."""


def run(setting: Setting) -> Outcome:
    """Means of both measures for each size, and their difference."""
    streams = streams_for(setting)
    found = scored(streams, {size: streams.every(size) for size in SIZES})
    refuse_unless(all_one(found[1], "precision"), "the precision of single pages is not 1")
    records = [_record(size, scores) for size, scores in found.items()]
    return Outcome(
        "Documents of a fixed number of pages (Figure 1 of the ELM paper)",
        (Exhibit("sizes", "Means over streams", _table(records), records),),
        (
            f"{streams.told()} A stream is cut after every so many pages, from {SIZES[0]} to "
            f"{SIZES[-1]}; the last document of a stream may be shorter. Figure 1 has no printed "
            f"numbers. {streams.others()} What is proved is that ELM is nowhere above BCubed, "
            "which is so for every stream and size, and that both have precision 1 for single "
            "pages.",
            _directions(records),
        ),
        (
            Picture(
                "sizes-difference",
                "BCubed less ELM: means over streams of precision, recall and F1, for documents of "
                "a fixed number of pages.",
                lambda: _drawn_difference(records),
            ),
            Picture(
                "sizes-means",
                "BCubed (solid) and ELM (dashed): means over streams of precision, recall and F1, "
                "for documents of a fixed number of pages.",
                lambda: _drawn_means(records),
            ),
        ),
    )


def _record(size: int, scores: Scores) -> Record:
    means = {name: float(scores[name]) for _, _, name in measures()}
    gaps = {f"difference_{part}": float(scores.gap(part).mean()) for part in PARTS}
    return {"pages": size, **means, **gaps}


def _table(records: Sequence[Record]) -> CellTable:
    groups = (*FAMILIES.values(), "less")
    headings = [f"{group} P,R,F1".split(",") for group in groups]
    rows = [
        (str(one["pages"]), *(f"{value:.3f}" for value in list(one.values())[1:]))
        for one in records
    ]
    return CellTable(("pages", *(name for group in headings for name in group)), tuple(rows))


def _directions(records: Sequence[Record]) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    gaps = {part: np.array([one[f"difference_{part}"] for one in records]) for part in PARTS}
    sizes = np.array(SIZES, np.float64)
    largest = sum(
        all(one["difference_f"] > one[f"difference_{part}"] for part in ("precision", "recall"))
        for one in records
    )
    falls = "; ".join(
        f"{letter} falls at {(np.diff(gaps[part]) < 0).sum()} of {len(SIZES) - 1} steps, "
        f"{told_rho(spearman(sizes, gaps[part]))}"
        for part, letter in PARTS.items()
    )
    return (
        "The paper sees the difference largest for F1, and falling for all three as documents "
        f"grow. Here it is largest for F1 at {largest} of {len(records)} sizes. From one size to "
        f"the next the difference of {falls}. That of precision begins at 0, since both are 1 for "
        "single pages, so it must rise before it can fall."
    )


def _drawn(records: Sequence[Record], curves: Iterable[Curve], **layout: Any) -> Any:
    figure = blank()
    for name, values, measure in curves:
        figure.add_scatter(
            name=name,
            x=list(SIZES),
            y=[one[values] for one in records],
            mode="lines+markers",
            line=look(*measure),
            marker=marked(*measure),
        )
    xaxis = {"title": "pages of a guessed document", "dtick": 2, "tick0": 1}
    return figure.update_layout(xaxis=xaxis, **layout)


def _drawn_difference(records: Sequence[Record]) -> Any:
    axis = {"title": "BCubed − ELM, mean", "rangemode": "tozero", "tickformat": ".2f"}
    curves = [(PARTS[part], f"difference_{part}", ("bcubed", part)) for part in PARTS]
    return _drawn(records, curves, yaxis=axis).update_traces(cliponaxis=False)


def _drawn_means(records: Sequence[Record]) -> Any:
    axis = {"title": "mean over streams", "range": [0, 1.02]}
    curves = [(f"{FAMILIES[of]} {PARTS[part]}", name, (of, part)) for of, part, name in measures()]
    return _drawn(records, curves, yaxis=axis, legend={"entrywidth": WIDE})
