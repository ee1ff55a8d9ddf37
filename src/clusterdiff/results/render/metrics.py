"""Scores for experiment trackers (MLflow, Weights & Biases, TensorBoard): a flat dict of floats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from clusterdiff.measures.core.interval import Interval
from clusterdiff.statistics.sure import Sure

if TYPE_CHECKING:
    from clusterdiff.results.score import Score

ILLEGAL = re.compile(r"[^A-Za-z0-9_.\-]+")
"""What is legal nowhere: MLflow takes letters, digits, _ - . and /, which separates parts."""


def metrics_of(scores: Mapping[str, Mapping[str, Score]], prefix: str = "") -> dict[str, float]:
    """A number for each score under a name that trackers take; guesses come before measures where
    there are several.
    """
    found: dict[str, float] = {}
    for guess, own in scores.items():
        for text, score in own.items():
            parts = [prefix.strip("/"), guess if len(scores) > 1 else "", text]
            name = unused("/".join(filter(None, map(legal, parts))), found)
            found |= {f"{name}{ending}": value for ending, value in numbers_of(score)}
    return found


def numbers_of(score: Score) -> list[tuple[str, float]]:
    """The numbers of a score, and how the name of each ends."""
    made = _ends("", score.value)
    if isinstance(score.sure, Sure) and score.sure:
        made += [("/ci_low", float(score.sure.low)), ("/ci_high", float(score.sure.high))]
    if score.std is not None:
        made.append(("/std", float(score.std)))
    return made + _ends("/micro", score.micro)


def _ends(ending: str, value: float | Interval | None) -> list[tuple[str, float]]:
    if value is None:
        return []
    if isinstance(value, Interval):
        return [(f"{ending}/low", float(value.low)), (f"{ending}/high", float(value.high))]
    return [(ending, float(value))]


def legal(text: str) -> str:
    """A part of a name, with underscores for what trackers refuse.

    >>> legal("bcubed_f(alpha=0.3, f='means')")
    'bcubed_f_alpha_0.3_f_means'
    """
    return ILLEGAL.sub("_", text).strip("_") if text else ""


def unused(name: str, taken: Mapping[str, float]) -> str:
    """The name, numbered where it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
