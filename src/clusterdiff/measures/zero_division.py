"""Quotients and F: what nothing divided by nothing is, decided once.

Within `exactly()` they are fractions, so that scores made of counts alone are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats

_EXACT = ContextVar("exact", default=False)


@contextmanager
def exactly() -> Iterator[None]:
    """Quotients of whole numbers are fractions meanwhile.

    >>> with exactly():
    ...     ratio(1, 3)
    Fraction(1, 3)
    """
    before = _EXACT.set(True)
    try:
        yield
    finally:
        _EXACT.reset(before)


def ratio(top: float, bottom: float, empty: float = 1.0) -> float:
    """A quotient; nothing divided by nothing is 1: nothing was asked, nothing was wrong.

    >>> ratio(0, 0), ratio(1, 4)
    (1.0, 0.25)

    Of arrays, which stand for many comparisons, it is an array.
    """
    if isinstance(top, np.ndarray) or isinstance(bottom, np.ndarray):
        return share(np.asarray(top), np.asarray(bottom), empty)
    if _EXACT.get() and not isinstance(top, float) and not isinstance(bottom, float):
        return Fraction(empty) if bottom == 0 else _whole(top) / _whole(bottom)
    return float(empty) if bottom == 0 else float(top / bottom)


def _whole(number: float) -> Fraction:
    """A count, or a quotient of counts, without a limit to its size."""
    return number if isinstance(number, Fraction) else Fraction(int(number))


def share(part: NDArray[Any], whole: NDArray[Any], empty: float = 1.0) -> Floats:
    """Quotients of arrays; nothing divided by nothing is `empty`."""
    if _EXACT.get() and {np.asarray(part).dtype.kind, np.asarray(whole).dtype.kind} <= {"i", "O"}:
        both = np.broadcast_arrays(part, whole)
        shape, (tops, bottoms) = both[0].shape, (side.ravel().tolist() for side in both)
        quotients = [ratio(a, b, empty) for a, b in zip(tops, bottoms, strict=True)]
        return np.array(quotients, dtype=object).reshape(shape)
    some = np.not_equal(whole, 0)
    if some.all():  # nearly always, and several times as fast for small arrays
        return np.asarray(np.true_divide(part, whole))
    result = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), float(empty))
    np.divide(part, whole, out=result, where=some)
    return result


def precision_recall(
    both: float, guess: float, truth: float, empty: float = 1.0
) -> tuple[float, float]:
    """What both have over what guess has, and over what truth has; of arrays, arrays."""
    return ratio(both, guess, empty), ratio(both, truth, empty)


def part_of(part: Floats, whole: float) -> Floats:
    """Parts of a whole; of nothing, nothing."""
    return part / whole if whole else np.zeros_like(part)


def f_score(precision: float, recall: float, alpha: float = 0.5) -> float:
    """Weighted harmonic mean: alpha = 1 is precision, alpha = 0 is recall.

    >>> f_score(1.0, 0.5)
    0.6666666666666666
    """
    if isinstance(precision, np.ndarray):
        return f_scores(precision, np.asarray(recall), alpha)
    return f_scores(np.array([precision]), np.array([recall]), alpha).tolist()[0]  # type: ignore[no-any-return]


def f_scores(precision: Floats, recall: Floats, alpha: float = 0.5) -> Floats:
    """The weighted harmonic mean of each pair; 0 where either is."""
    if alpha == 1:
        return precision
    if alpha == 0:
        return recall
    if precision.dtype == object:
        alpha = Fraction(alpha)  # type: ignore[assignment]
    return share(precision * recall, alpha * recall + (1 - alpha) * precision, empty=0.0)


def f_of(
    form: str, shares: tuple[Any, Any], means: Callable[[], tuple[float, float]], alpha: float
) -> float | Floats:
    """F of each object's precision and recall, or F of the two means."""
    if form == "objects":
        return f_scores(*shares, alpha)
    return f_score(*means(), alpha)
