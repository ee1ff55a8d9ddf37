"""Quotients and F: what nothing divided by nothing is, decided once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ratio(top: float, bottom: float, empty: float = 1.0) -> float:
    """A quotient; nothing divided by nothing is 1: nothing was asked, nothing was wrong.

    >>> ratio(0, 0), ratio(1, 4)
    (1.0, 0.25)
    """
    return float(empty) if bottom == 0 else float(top / bottom)


def share(part: NDArray[Any], whole: NDArray[Any], empty: float = 1.0) -> Floats:
    """The same quotient for arrays."""
    result = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), float(empty))
    np.divide(part, whole, out=result, where=np.asarray(whole) != 0)
    return result


def f_score(precision: float, recall: float, alpha: float = 0.5) -> float:
    """Weighted harmonic mean: alpha = 1 is precision, alpha = 0 is recall.

    >>> f_score(1.0, 0.5)
    0.6666666666666666
    """
    return float(f_scores(np.array([precision]), np.array([recall]), alpha)[0])


def f_scores(precision: Floats, recall: Floats, alpha: float = 0.5) -> Floats:
    """The weighted harmonic mean of each pair; 0 where either is."""
    if alpha == 1:
        return precision
    if alpha == 0:
        return recall
    return share(precision * recall, alpha * recall + (1 - alpha) * precision, empty=0.0)


def f_of(
    form: str, shares: tuple[Any, Any], means: tuple[float, float], alpha: float
) -> float | Floats:
    """F of each object's precision and recall, or F of the two means."""
    if form == "objects":
        return f_scores(*shares, alpha)
    return f_score(*means, alpha)
