"""Warnings that point at the line of the user."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import Self

from clusterdiff.errors.base import Hinted, examples, said_missing

OURS = ("clusterdiff", "sklearn", "joblib")
"""Packages that a call goes through."""


class ClusterdiffWarning(Hinted, UserWarning):
    """Input that was read, and may mean something else than what it was taken for."""

    @classmethod
    def from_null_words(cls, side: str, found: dict[str, int], total: int) -> Self:
        """Labels that are the text for a missing value, such as "nan"."""
        words, many = list(found), len(found) > 1
        python, flags = said_missing(words)
        return cls(
            f"{sum(found.values()):,} of {total:,} labels of {side} are the text "
            f"{examples(words, len(words))}, taken as "
            f"{'clusters of these names' if many else 'one cluster of that name'}.",
            f"{python} or give None instead; if not, rename them.",
            f"{flags}; if not, rename them.",
        )

    @classmethod
    def from_fractions(cls, side: str, different: Sequence[object], total: int) -> Self:
        """Labels that are numbers with a fraction, hardly two of them the same."""
        least = "at least " if 5000 <= len(different) < total else ""
        return cls(
            f"{side} has {least}{len(different):,} different labels with a fraction "
            f"({examples(different)}) for {total:,} objects: they look like continuous values, "
            "and each is taken as a cluster.",
            "give one discrete label per object; for scores of classes e.g. scores.argmax(axis=1), "
            "for a measurement e.g. np.digitize(values, bins).",
            "name the column of the clusters with --cluster.",
        )

    @classmethod
    def from_mask(cls, objects: int) -> Self:
        """An array of True and False in place of labels."""
        return cls(
            f"an array of {objects:,} times True or False is taken as labels of two clusters.",
            "if it is a mask, apply it to the labels of both sides first, labels[mask]; if not, "
            "make them whole numbers, labels.astype(int), of a tensor labels.int().",
        )


def warn(message: str | Warning, kind: type[Warning]) -> None:
    """Warn at the first line outside of these packages, however deep the call is in them."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)
