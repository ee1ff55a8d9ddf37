"""Guesses that do not read the pages: Table 1, Figures 1 and 2 of the ELM paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.output.figures import blank
from clusterdiff.output.table import CellTable, digits
from clusterdiff_lab.papers.elm.streams import (
    CLOSE,
    FAMILIES,
    PARTS,
    WIDE,
    Scores,
    Streams,
    all_one,
    beside,
    by_stream,
    check_unless,
    density,
    look,
    marked,
    measures,
    scored,
    spearman,
    streams_for,
    told_rho,
)
from clusterdiff_lab.papers.elm.values import (
    MEAN_SIZE,
    MEDIAN_SIZE,
    ONE_CLUSTER,
    PAPERS_STREAMS,
    SINGLETONS,
    TABLE_1,
)
from clusterdiff_lab.papers.experiments import Exhibit, Outcome, Picture, Record, Setting
from clusterdiff_lab.papers.paper import is_printed


def run_extremes(setting: Setting) -> Outcome:
    """Both extremes for every stream, their means beside the printed ones."""
    streams = streams_for(setting)
    scores = extremes(streams)
    lines = beside(TABLE_1, scores)
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
        (_comparable(streams, lines), _sizes(streams), _extremes_observed(streams, scores)),
        besides=(
            Exhibit.of("extremes-by-stream", "Scores of all streams", by_stream(streams, scores)),
        ),
    )


def extremes(streams: Streams) -> dict[str, Scores]:
    """The scores of both extremes, with checks of what is proved of them."""
    scores = scored(streams, {SINGLETONS: streams.alone, ONE_CLUSTER: streams.stream})
    check_unless(all_one(scores[SINGLETONS], "precision"), "the precision of single pages is not 1")
    check_unless(all_one(scores[ONE_CLUSTER], "recall"), "the recall of one cluster is not 1")
    recall = scores[SINGLETONS].each("elm_recall")
    check_unless(
        bool((abs(recall - _single(streams)) < CLOSE).all()),
        "the ELM recall of single pages is not the share of pages that are a document each",
    )
    return scores


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


def _comparable(streams: Streams, lines: Sequence[Record]) -> str:
    """What of the table can be compared."""
    same = [is_printed(line["printed_mean"], line["mean"]) for line in lines]
    comparison = (
        "That is as much as in the paper, so the numbers can be held against the printed ones: "
        f"{sum(same)} of {len(same)} means are the same, to the printed digits."
        if streams.holds == PAPERS_STREAMS
        else f"{streams.others()} The same for all streams are the precision of single pages and "
        "the recall of one cluster, which are 1, and that ELM is nowhere above BCubed."
    )
    return (
        f"{streams.summary()} Means and standard deviations (σ, of the population) are over "
        f"streams. {comparison}"
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


def _extremes_observed(streams: Streams, scores_by_guess: Mapping[str, Scores]) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    gap = {guess: float(scores.gap("f").mean()) for guess, scores in scores_by_guess.items()}
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


AT = np.linspace(0, 1, 201)
"""Scores at which densities are computed."""
MARKS = 10
"""Points of a curve that are marked, so that it is known without colour."""


def run_densities(setting: Setting) -> Outcome:
    """The densities of all measures for both extremes."""
    streams = streams_for(setting)
    scores = extremes(streams)
    return Outcome(
        "Distribution of scores over streams (Figure 2 of the ELM paper)",
        (Exhibit.of("densities", "Scores of the streams", _spreads(scores)),),
        (
            f"{streams.summary()} Densities are Gaussian kernels over the scores of the streams, "
            "with the width of Scott's rule; what they have below 0 and above 1 is not drawn. "
            "Where all streams have the same score there is no density, but a line. "
            f"{streams.others()}",
            _spreads_observed(scores[SINGLETONS]),
        ),
        (
            Picture(
                "densities-singletons",
                "Densities of the scores of streams, for each page alone.",
                lambda: _density_plot(scores[SINGLETONS]),
            ),
            Picture(
                "densities-one-cluster",
                "Densities of the scores of streams, for all pages together.",
                lambda: _density_plot(scores[ONE_CLUSTER]),
            ),
        ),
        (
            Exhibit.of("densities-curves", "The densities", list(_curves(scores))),
            Exhibit.of("densities-by-stream", "Scores of all streams", by_stream(streams, scores)),
        ),
    )


def _spreads(scores_by_guess: Mapping[str, Scores]) -> list[Record]:
    return [
        {
            "guess": guess,
            "measure": name,
            "std": scores[name].std,
            "skew": skew(values),
            **{
                what: float(np.quantile(values, level))
                for what, level in (("least", 0), ("median", 0.5), ("most", 1))
            },
        }
        for guess, scores in scores_by_guess.items()
        for _, _, name in measures()
        for values in [scores.each(name)]
    ]


def skew(values: Floats) -> float | None:
    """The mean cube of how many standard deviations values are off; None where all are the same.

    >>> skew(np.array([0.0, 0.0, 3.0]))
    0.7071067811865475
    """
    if np.ptp(values) < CLOSE:
        return None
    off = values - values.mean()
    return float((off**3).mean() / (off**2).mean() ** 1.5)


def _spreads_observed(single: Scores) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    here = []
    for part in ("recall", "f"):
        both = [single.each(f"{family}_{part}") for family in FAMILIES]
        spread, lean = [float(of.std()) for of in both], [skew(of) for of in both]
        here.append(
            f"of {PARTS[part]}, σ is {spread[0]:.4f} for BCubed and {spread[1]:.4f} for ELM"
        )
        if lean[0] is not None and lean[1] is not None:
            less = ["not less", "less"]
            here[-1] += (
                f" ({less[spread[1] < spread[0]]}), the skew {lean[0]:.2f} and {lean[1]:.2f} "
                f"({less[abs(lean[1]) < abs(lean[0])]})"
            )
    return (
        "The paper sees less variance and less skew in ELM than in BCubed for single pages. Here, "
        f"{'; '.join(here)}. ELM recall and ELM F1 of single pages are the same number, and one "
        "line in the picture."
    )


def _curves(scores_by_guess: Mapping[str, Scores]) -> Iterator[Record]:
    for guess, scores in scores_by_guess.items():
        for _, _, name in measures():
            values = density(scores.each(name), AT)
            if values is not None:
                for at, value in zip(AT.tolist(), values.tolist(), strict=True):
                    yield {"guess": guess, "measure": name, "score": at, "density": value}


def _density_plot(scores: Scores) -> Any:
    """A curve for each measure, a line for one that is the same throughout; measures that agree in
    all streams share theirs.
    """
    figure = blank()
    shared: list[tuple[str, list[tuple[str, str]]]] = []
    for family, part, name in measures():
        for first, names in shared:
            if np.allclose(scores.each(first), scores.each(name), rtol=0, atol=CLOSE):
                names.append((family, part))
                break
        else:
            shared.append((name, [(family, part)]))
    curves = [density(scores.each(first), AT) for first, _ in shared]
    top = max((float(of.max()) for of in curves if of is not None), default=1.0)
    for (first, names), curve in zip(shared, curves, strict=True):
        always = None if curve is not None else float(scores.each(first)[0])
        figure.add_scatter(
            name=_legend_entry(names, always),
            x=AT if always is None else [always, always],
            y=curve if always is None else [0, top],
            mode="lines+markers",
            line=look(*names[-1]) | ({} if always is None else {"dash": "dot"}),
            marker=marked(*names[-1]) | {"maxdisplayed": MARKS},
        )
    return figure.update_layout(
        xaxis={"title": "score of a stream", "range": [-0.02, 1.02]},
        yaxis={"title": "density of streams", "rangemode": "tozero"},
        legend={"entrywidth": WIDE},
        showlegend=True,
    )


def _legend_entry(names: list[tuple[str, str]], always: float | None) -> str:
    """Measures in a legend: those that agree with an equals sign, and what they always are."""
    parts = dict.fromkeys(part for _, part in names)
    if len(names) > 1 and len(parts) == 1:
        entries = [f"both {PARTS[part]}" for part in parts]
    else:
        entries = [f"{FAMILIES[family]} {PARTS[part]}" for family, part in names]
    return " = ".join([*entries, *([] if always is None else [f"{always:.3g}"])])


SIZES = range(1, 16)
"""Pages of a guessed document, as in the paper."""
Curve = tuple[str, str, tuple[str, str]]
"""Its name, what it is drawn of, and the measure that it looks like."""


def run_sizes(setting: Setting) -> Outcome:
    """Means of both measures for each size, and their difference."""
    streams = streams_for(setting)
    scores_by_size = scored(streams, {size: streams.every(size) for size in SIZES})
    check_unless(all_one(scores_by_size[1], "precision"), "the precision of single pages is not 1")
    records = [_size_record(size, scores) for size, scores in scores_by_size.items()]
    return Outcome(
        "Documents of a fixed number of pages (Figure 1 of the ELM paper)",
        (Exhibit("sizes", "Means over streams", _size_table(records), records),),
        (
            f"{streams.summary()} A stream is cut after every so many pages, from {SIZES[0]} to "
            f"{SIZES[-1]}; the last document of a stream may be shorter. Figure 1 has no printed "
            f"numbers. {streams.others()} What is proved is that ELM is nowhere above BCubed, "
            "which is so for every stream and size, and that both have precision 1 for single "
            "pages.",
            _sizes_observed(records),
        ),
        (
            Picture(
                "sizes-difference",
                "BCubed less ELM: means over streams of precision, recall and F1, for documents of "
                "a fixed number of pages.",
                lambda: _difference_plot(records),
            ),
            Picture(
                "sizes-means",
                "BCubed (solid) and ELM (dashed): means over streams of precision, recall and F1, "
                "for documents of a fixed number of pages.",
                lambda: _means_plot(records),
            ),
        ),
    )


def _size_record(size: int, scores: Scores) -> Record:
    means = {name: float(scores[name]) for _, _, name in measures()}
    gaps = {f"difference_{part}": float(scores.gap(part).mean()) for part in PARTS}
    return {"pages": size, **means, **gaps}


def _size_table(records: Sequence[Record]) -> CellTable:
    groups = (*FAMILIES.values(), "less")
    headings = [f"{group} P,R,F1".split(",") for group in groups]
    rows = [
        (str(one["pages"]), *(f"{value:.3f}" for value in list(one.values())[1:]))
        for one in records
    ]
    return CellTable(("pages", *(name for group in headings for name in group)), tuple(rows))


def _sizes_observed(records: Sequence[Record]) -> str:
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


def _curves_by_size(records: Sequence[Record], curves: Iterable[Curve], **layout: Any) -> Any:
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


def _difference_plot(records: Sequence[Record]) -> Any:
    axis = {"title": "BCubed − ELM, mean", "rangemode": "tozero", "tickformat": ".2f"}
    curves = [(PARTS[part], f"difference_{part}", ("bcubed", part)) for part in PARTS]
    return _curves_by_size(records, curves, yaxis=axis).update_traces(cliponaxis=False)


def _means_plot(records: Sequence[Record]) -> Any:
    axis = {"title": "mean over streams", "range": [0, 1.02]}
    curves = [(f"{FAMILIES[of]} {PARTS[part]}", name, (of, part)) for of, part, name in measures()]
    return _curves_by_size(records, curves, yaxis=axis, legend={"entrywidth": WIDE})
