"""BCubed and ELM of guesses for page streams, and what must and what may be true of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError
from clusterdiff.papers.elm.experiments.streams import Streams
from clusterdiff.papers.elm.tables import PrintedRow
from clusterdiff.results.compare import compare
from clusterdiff.results.plots.figures import DASHES, SYMBOLS, SYSTEMS
from clusterdiff.results.score import Score

FAMILIES = {"bcubed": "BCubed", "elm": "ELM"}
PARTS = {"precision": "P", "recall": "R", "f": "F1"}
"""The measures of each family, as the paper writes them."""
CLOSE = 1e-12


def measures() -> Iterator[tuple[str, str, str]]:
    """The six measures: family, part, and name."""
    return ((family, part, f"{family}_{part}") for family in FAMILIES for part in PARTS)


class Scores(dict[str, "Score"]):
    """The scores of one guess by measure; each has its mean over streams, and all streams."""

    def each(self, measure: str) -> Floats:
        """The score of every stream."""
        return np.array(self[measure].each, np.float64)

    def gap(self, part: str) -> Floats:
        """What ELM takes off BCubed, for every stream."""
        return self.each(f"bcubed_{part}") - self.each(f"elm_{part}")


def scored(streams: Streams, guesses: Mapping[Any, Ints]) -> dict[Any, Scores]:
    """The scores of each guess; what is proved is seen to: no ELM is above its BCubed."""
    given = {str(number): streams.partition(of) for number, of in enumerate(guesses.values())}
    report = compare(streams.truth, given, [name for _, _, name in measures()])
    found = dict(zip(guesses, map(Scores, report.scores.values()), strict=True))
    for scores in found.values():
        for part in PARTS:
            refuse_unless(bool((scores.gap(part) >= -CLOSE).all()), f"ELM {part} is above BCubed's")
    return found


def refuse_unless(true: bool, otherwise: str) -> None:
    """End where something comes out that is proved not to."""
    if not true:
        raise ClusterdiffError(f"{otherwise}, which cannot be: that is a mistake in clusterdiff.")


def all_one(scores: Scores, part: str) -> bool:
    """Whether precision (or recall) is 1 for all streams, by both measures."""
    return all((abs(scores.each(f"{family}_{part}") - 1) < CLOSE).all() for family in FAMILIES)


def spearman(first: Floats, second: Floats) -> float | None:
    """The correlation of ranks; None where one of them is the same throughout.

    >>> spearman(np.array([1.0, 2.0, 9.0]), np.array([3.0, 2.0, 0.0]))
    -1.0
    """
    from scipy.stats import rankdata

    ranks = rankdata(first), rankdata(second)
    if any(np.ptp(of) == 0 for of in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def told_rho(rho: float | None) -> str:
    """A correlation in a sentence."""
    return "there is no correlation to speak of" if rho is None else f"Spearman's ρ is {rho:.2f}"


def beside(rows: Sequence[PrintedRow], found: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """The means of a printed table, here and in print; standard deviations as far as printed."""
    return [
        {"guess": row.guess, "measure": name, "mean": float(score), "std": score.std}
        | {"printed_mean": printed.mean}
        | ({"printed_std": printed.sigma} if printed.sigma else {})
        for row in rows
        for part, printed in zip(PARTS, row[2:], strict=True)
        for name in [f"{row.measure}_{part}"]
        for score in [found[row.guess][name]]
    ]


def by_stream(streams: Streams, found: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """All scores of all streams, for a file."""
    each = {
        guess: {measure: scores.each(measure).tolist() for _, _, measure in measures()}
        for guess, scores in found.items()
    }
    return [
        {
            "stream": name,
            "pages": int(lengths.sum()),
            "documents": lengths.size,
            "mean_pages": float(lengths.mean()),
            "median_pages": float(np.median(lengths)),
            "guess": guess,
            **{measure: values[number] for measure, values in scores.items()},
        }
        for guess, scores in each.items()
        for number, (name, lengths) in enumerate(
            zip(streams.names, streams.lengths_by_stream, strict=True)
        )
    ]


COLOURS = dict(zip(PARTS, (SYSTEMS[0], SYSTEMS[5], SYSTEMS[2]), strict=True))
SHAPES = dict(zip(PARTS, SYMBOLS, strict=False))
LINES = dict(zip(FAMILIES, DASHES, strict=False))
"""A colour and a symbol for each of P, R and F1; BCubed is solid, ELM is dashed."""

WIDE = 80
"""Pixels of a name in a legend, three of which fit a line."""


def look(family: str, part: str) -> dict[str, Any]:
    """The line of a measure."""
    return {"color": COLOURS[part], "dash": LINES[family], "width": 2}


def marked(family: str, part: str) -> dict[str, Any]:
    """The points on it; those of ELM are open."""
    open_ = "" if family == "bcubed" else "-open"
    return {"color": COLOURS[part], "symbol": SHAPES[part] + open_, "size": 7}


def density(values: Floats, at: Floats) -> Floats | None:
    """A Gaussian kernel density by Scott's rule; None where all values are the same."""
    from scipy.stats import gaussian_kde

    if values.size < 2 or np.ptp(values) < 1e-9:
        return None
    return np.asarray(gaussian_kde(values)(at), np.float64)
