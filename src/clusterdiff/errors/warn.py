"""Warnings that point at the line of the user."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Self

from clusterdiff.errors.base import examples, pasted

OURS = ("clusterdiff", "sklearn", "joblib")
"""Packages that a call goes through."""


class ClusterdiffWarning(UserWarning):
    """Input that was read, and may mean something else than what it was taken for.

    `flags` is the hint for the command line.
    """

    def __init__(self, message: str, hint: str = "", flags: str = "") -> None:
        super().__init__(f"{message}\n\nHint: {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.flags = flags

    @classmethod
    def from_null_words(cls, side: str, found: dict[str, int], total: int) -> Self:
        """Labels that are the text for a missing value, such as "nan"."""
        words, many = list(found), len(found) > 1
        return cls(
            f"{sum(found.values()):,} of {total:,} labels of {side} are the text "
            f"{examples(words, len(words))}, taken as "
            f"{'clusters of these names' if many else 'one cluster of that name'}.",
            f"if they are missing values, say noise={words if many else words[0]!r} (each becomes "
            'a cluster of its own; noise_as="drop" leaves them out) or give None instead; if not, '
            "rename them.",
            f"if they are missing values, say {' '.join(f'--noise {pasted(w)}' for w in words)} "
            "(each becomes a cluster of its own; --noise-as drop leaves them out); if not, rename "
            "them.",
        )

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        return type(self), (self.message, self.hint, self.flags)


def warn(message: str | Warning, kind: type[Warning]) -> None:
    """Warn at the first line outside of these packages, however deep the call is in them."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)
