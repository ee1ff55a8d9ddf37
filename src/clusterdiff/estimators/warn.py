"""Warnings that point at the line of the user."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

OURS = ("clusterdiff", "sklearn", "joblib")
"""Packages that a fit goes through."""


def warn(message: str, kind: type[Warning]) -> None:
    """Warn at the first line outside of these packages, however deep the fit is in a pipeline."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)
