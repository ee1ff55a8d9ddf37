"""Scores for experiment trackers (MLflow, Weights & Biases, TensorBoard): a flat dict of floats."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from clusterdiff.errors import ClusterdiffWarning, examples
from clusterdiff.errors.warn import warn
from clusterdiff.measures.core.interval import Interval
from clusterdiff.statistics.sure import Sure

if TYPE_CHECKING:
    from clusterdiff.results.score import Score

ILLEGAL = re.compile(r"[^A-Za-z0-9]+")
"""What is not legal everywhere: Weights & Biases sorts by names of letters, digits and underscores
that do not begin with a digit. Parts of names have a slash between them; MLflow may take them for
the path of a file, so that no name is a folder of another one.
"""
LONGEST = 75
"""Characters of a part; MLflow takes 250 for prefix, guess and measure together."""


def metrics_of(scores: Mapping[str, Mapping[str, Score]], prefix: str = "") -> dict[str, float]:
    """A number for each score under a name that trackers take; guesses come before measures where
    there are several. Scores without a number are left out, with a warning.
    """
    found: list[tuple[str, float]] = []
    missing: list[str] = []
    start = [legal(part) for part in prefix.split("/") if part.strip()]
    guesses = [[name] for name in distinct(map(legal, scores))] if len(scores) > 1 else [[]]
    for guess, own in zip(guesses, scores.values(), strict=True):
        for name, score in zip(distinct(map(legal, own)), own.values(), strict=True):
            path = "/".join([*start, *guess, name])
            numbers = numbers_of(score)
            known = [(f"{path}{ending}", n) for ending, n in numbers if math.isfinite(n)]
            missing += [] if known and len(known) == len(numbers) else [path]
            found += known
    if missing:
        warn(
            ClusterdiffWarning(
                f"{len(missing):,} of {sum(map(len, scores.values())):,} scores have no number and "
                f"are left out of the metrics ({examples(missing)}).",
                "print(report) says why.",
            ),
            ClusterdiffWarning,
        )
    return dict(zip(distinct(name for name, _ in found), (n for _, n in found), strict=True))


def numbers_of(score: Score) -> list[tuple[str, float]]:
    """The numbers of a score, and how the name of each ends."""
    made = _ends("", score.value)
    if isinstance(score.sure, Sure) and score.sure:
        made += [("_ci_low", float(score.sure.low)), ("_ci_high", float(score.sure.high))]
    if score.std is not None:
        made.append(("_std", float(score.std)))
    return made + _ends("_micro", score.micro)


def _ends(ending: str, value: float | Interval | None) -> list[tuple[str, float]]:
    if value is None:
        return []
    if isinstance(value, Interval):
        return [(f"{ending}_low", float(value.low)), (f"{ending}_high", float(value.high))]
    return [(ending, float(value))]


def legal(text: str) -> str:
    """A part of a name, with underscores for what a tracker refuses.

    >>> legal("bcubed_f(alpha=0.3, f='means')"), legal("../runs/2.csv"), legal("5 fold")
    ('bcubed_f_alpha_0_3_f_means', 'runs_2_csv', '_5_fold')
    """
    made = ILLEGAL.sub("_", text).strip("_")[:LONGEST]
    return made if made[:1].isalpha() else f"_{made}"


def distinct(names: Iterable[str]) -> list[str]:
    """The names, numbered where one is taken."""
    taken: dict[str, None] = {}
    for name in names:
        number, own = 2, name
        while own in taken:
            own, number = f"{name}_{number}", number + 1
        taken[own] = None
    return list(taken)
