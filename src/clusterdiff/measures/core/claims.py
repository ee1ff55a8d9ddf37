"""What a measure claims beside its formula, and other facts about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clusterdiff.meet.base import Over

Linear = Literal["", "both", "guess"]


@dataclass(frozen=True)
class Claims:
    """What a measure promises; tests check each promise in both directions."""

    cite: str
    """The publication that defines it, or its key in `CITATIONS`."""
    bounds: tuple[float, float] = (0.0, 1.0)
    """No score lies outside."""
    reached: bool = True
    """Whether two clusterings of a few objects reach the lower bound."""
    symmetric: bool = True
    """Whether exchanging truth and guess leaves the score as it is."""
    perfect: bool = True
    """Whether only identical clusterings get the best score."""
    best: float | None = 1.0
    """The score of identical clusterings; None where it depends on them."""
    penalise: bool = False
    """Whether it has a form for objects that are on one side only."""
    over: Over = "all"
    """Which objects a mean over objects runs over."""
    hard: str = ""
    """Of a measure of covers: the measure of partitions that it equals on partitions."""
    linear: Linear = ""
    """Whether the score is linear in the pairs that both put together ("both"), and in those that
    guess does too ("guess"), all else given: then what chance scores is the score of what it puts
    together on average.
    """
    halves: tuple[str, str] | None = None
    """Of an F: what takes the place of precision and recall, where they are called otherwise."""
    conventions: tuple[str, ...] = ()
    """Parameters that are there for the conventions of other packages: the full name has them where
    they are not left at their defaults.
    """
    cost: str = ""
    """What it costs, where that is not what all measures cost that need as much of a meet."""
    solver: bool = False
    """Whether a solver of SciPy finds the number, so that its version is part of the signature."""
