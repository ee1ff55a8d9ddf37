"""Few plain labels in the same order, counted by Python: a call in a loop costs microseconds."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import Any

import numpy as np

from clusterdiff.clusterings.encode.text import NULL_WORDS
from clusterdiff.meet import Shapes
from clusterdiff.meet.base import Sizes

FEW = 1_000
"""Labels up to which Python counts as fast as NumPy."""
WIDEST = 2**63
"""Labels at and beyond it are read with more care."""


def shapes_of_few(truth: Any, guess: Any) -> Shapes | None:
    """The shapes of two short lists or arrays of whole numbers or of texts; None for all else,
    which is left to `meet` with its questions and refusals.

    >>> shapes_of_few(["a", "a", "b"], [1, 1, 1]).both.tolist()
    [1, 2]
    >>> shapes_of_few(["a", None, "b"], [1, 1, 1])
    """
    left, right = _plain(truth), _plain(guess)
    if left is None or right is None or len(left) != len(right):
        return None
    in_truth, in_guess = Counter(left), Counter(right)
    if any(word in in_truth or word in in_guess for word in NULL_WORDS):
        return None
    cells = Counter(zip(left, right, strict=True))
    rows = Counter([(n, in_truth[t], in_guess[g]) for (t, g), n in cells.items()])
    agreeing_first = sorted(
        [(not n == t == g, n, t, g, times) for (n, t, g), times in rows.items()]
    )
    table = np.array(agreeing_first, np.int64).T[1:]
    made = Shapes(both=table[0], truth_size=table[1], guess_size=table[2], times=table[3])
    vars(made).update(objects=len(left), truth_sizes=_sizes(in_truth), guess_sizes=_sizes(in_guess))
    return made


def _plain(labels: Any) -> list[Any] | tuple[Any, ...] | None:
    """Labels as Python has them, if they are few, of one kind, and mean what they say."""
    kind = type(labels)
    if kind is np.ndarray:
        if labels.ndim != 1 or not 0 < labels.size <= FEW or labels.dtype.kind not in "iuU":
            return None
        if labels.dtype != np.uint64:
            return labels.tolist()  # type: ignore[no-any-return]
        labels = labels.tolist()
    elif (kind is not list and kind is not tuple) or not 0 < len(labels) <= FEW:
        return None
    types = set(map(type, labels))
    if types == {int}:
        return labels if min(labels) >= -WIDEST and max(labels) < WIDEST else None
    return labels if types == {str} else None


def _sizes(clusters: Counter[Any]) -> Sizes:
    found = sorted(Counter(clusters.values()).items(), key=itemgetter(0))
    table = np.array(found, np.int64).T
    return Sizes(table[0], table[1])
