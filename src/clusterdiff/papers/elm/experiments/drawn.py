"""What the pictures of the ELM paper share: how lines look, and densities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.papers.elm.experiments.scores import FAMILIES, PARTS
from clusterdiff.results.plots.figures import DASHES, SYMBOLS, SYSTEMS

if TYPE_CHECKING:
    from clusterdiff.arrays import Floats


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
