"""Figure 2 of the ELM paper: how the scores of streams spread, for the two extreme guesses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.output.figures import blank
from clusterdiff_lab.papers.elm.experiments.extremes import extremes
from clusterdiff_lab.papers.elm.experiments.streams import (
    CLOSE,
    FAMILIES,
    PARTS,
    WIDE,
    Scores,
    by_stream,
    density,
    look,
    marked,
    measures,
    streams_for,
)
from clusterdiff_lab.papers.elm.tables import ONE_CLUSTER, SINGLETONS
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Picture, Record, Setting

AT = np.linspace(0, 1, 201)
"""Scores at which densities are had."""
MARKS = 10
"""Points of a curve that are marked, so that it is known without colour."""


def run(setting: Setting) -> Outcome:
    """The densities of all measures for both extremes."""
    streams = streams_for(setting)
    found = extremes(streams)
    return Outcome(
        "Distribution of scores over streams (Figure 2 of the ELM paper)",
        (Exhibit.of("densities", "Scores of the streams", _spreads(found)),),
        (
            f"{streams.told()} Densities are Gaussian kernels over the scores of the streams, with "
            "the width of Scott's rule; what they have below 0 and above 1 is not drawn. Where all "
            f"streams have the same score there is no density, but a line. {streams.others()}",
            _directions(found[SINGLETONS]),
        ),
        (
            Picture(
                "densities-singletons",
                "Densities of the scores of streams, for each page alone.",
                lambda: _drawn(found[SINGLETONS]),
            ),
            Picture(
                "densities-one-cluster",
                "Densities of the scores of streams, for all pages together.",
                lambda: _drawn(found[ONE_CLUSTER]),
            ),
        ),
        (
            Exhibit.of("densities-curves", "The densities", list(_curves(found))),
            Exhibit.of("densities-by-stream", "Scores of all streams", by_stream(streams, found)),
        ),
    )


def _spreads(found: Mapping[str, Scores]) -> list[Record]:
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
        for guess, scores in found.items()
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


def _directions(single: Scores) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    told = []
    for part in ("recall", "f"):
        both = [single.each(f"{family}_{part}") for family in FAMILIES]
        spread, lean = [float(of.std()) for of in both], [skew(of) for of in both]
        told.append(
            f"of {PARTS[part]}, σ is {spread[0]:.4f} for BCubed and {spread[1]:.4f} for ELM"
        )
        if lean[0] is not None and lean[1] is not None:
            less = ["not less", "less"]
            told[-1] += (
                f" ({less[spread[1] < spread[0]]}), the skew {lean[0]:.2f} and {lean[1]:.2f} "
                f"({less[abs(lean[1]) < abs(lean[0])]})"
            )
    return (
        "The paper sees less variance and less skew in ELM than in BCubed for single pages. Here, "
        f"{'; '.join(told)}. ELM recall and ELM F1 of single pages are the same number, and one "
        "line in the picture."
    )


def _curves(found: Mapping[str, Scores]) -> Iterator[Record]:
    for guess, scores in found.items():
        for _, _, name in measures():
            values = density(scores.each(name), AT)
            if values is not None:
                for at, value in zip(AT.tolist(), values.tolist(), strict=True):
                    yield {"guess": guess, "measure": name, "score": at, "density": value}


def _drawn(scores: Scores) -> Any:
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
            name=_named(names, always),
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


def _named(names: list[tuple[str, str]], always: float | None) -> str:
    """Measures in a legend: those that agree with an equals sign, and what they always are."""
    parts = dict.fromkeys(part for _, part in names)
    if len(names) > 1 and len(parts) == 1:
        told = [f"both {PARTS[part]}" for part in parts]
    else:
        told = [f"{FAMILIES[family]} {PARTS[part]}" for family, part in names]
    return " = ".join([*told, *([] if always is None else [f"{always:.3g}"])])
