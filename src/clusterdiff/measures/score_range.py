"""Scores of uncertain clusterings: from what is sure to what is possible."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clusterdiff.errors import ClusterdiffError


@dataclass(frozen=True)
class ScoreRange:
    """A score that what is known leaves open between two ends.

    >>> ScoreRange(0.8392, 0.9411)
    ScoreRange(0.8392, 0.9411)
    >>> print(ScoreRange(0.8392, 0.9411))
    0.8392–0.9411
    >>> ScoreRange(0.75, 1.0).at(0.5)
    0.875

    An interval is less than another where all of it is. Of a similarity the low end counts all
    that is unknown as an error (alpha = 1), the high end none of it (alpha = 0); of a distance it
    is the other way round.
    """

    low: float
    high: float
    certain: bool = True
    """Whether the ends are sure: exact, or proved to enclose what is asked."""
    how: str = "exact"
    """How the ends were found: exact, which inequality, or samples, confidence and seed."""
    distance: bool = False
    """Whether small is good."""
    estimate: tuple[float, float] | None = None
    """The estimated ends, where low and high are the limits of a confidence interval."""

    def at(self, alpha: float) -> float:
        """The score in between, where what is unknown counts as this share of an error.

        Where the ends are exact and one clustering is hard, this is the score at that alpha; in
        general it is a blend of the ends.
        """
        if not isinstance(alpha, int | float) or not 0 <= alpha <= 1:
            raise ClusterdiffError(
                f"alpha must be between 0 and 1, got {alpha!r}", "write e.g. score.at(0.5)."
            )
        share = alpha if self.distance else 1 - alpha
        return self.low + share * (self.high - self.low)

    @property
    def width(self) -> float:
        """How much is left open."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __float__(self) -> float:
        if self.low != self.high:
            raise ClusterdiffError(
                f"{self!r} is not one number.",
                "take .low, .high or .at(0.5), or ask for one alpha, e.g. "
                "cd.rand_alpha(truth, guess, alpha=0.5).",
            )
        return self.low

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ScoreRange):
            return (self.low, self.high) == (other.low, other.high)
        return isinstance(other, int | float) and self.low == other == self.high

    def __hash__(self) -> int:
        return hash(self.low if self.low == self.high else (self.low, self.high))

    def __lt__(self, other: ScoreRange | float) -> bool:
        return self.high < (other.low if isinstance(other, ScoreRange) else other)

    def __gt__(self, other: ScoreRange | float) -> bool:
        return self.low > (other.high if isinstance(other, ScoreRange) else other)

    def __le__(self, other: ScoreRange | float) -> bool:
        return self.high <= (other.low if isinstance(other, ScoreRange) else other)

    def __ge__(self, other: ScoreRange | float) -> bool:
        return self.low >= (other.high if isinstance(other, ScoreRange) else other)

    def __round__(self, digits: int = 0) -> ScoreRange:
        return replace(self, low=round(self.low, digits), high=round(self.high, digits))

    def __str__(self) -> str:
        return f"{self.low:.4f}–{self.high:.4f}"

    def __format__(self, spec: str) -> str:
        return f"{self.low:{spec}}–{self.high:{spec}}" if spec else str(self)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ClusterdiffError(
                f"an interval does not run from {self.low} down to {self.high}.",
                "give the low end first.",
            )

    def __repr__(self) -> str:
        return f"ScoreRange({self.low!r}, {self.high!r})"

    def to_dict(self) -> dict[str, Any]:
        """The ends and their origin, as JSON-ready values."""
        told: dict[str, Any] = {
            "low": self.low, "high": self.high, "certain": self.certain, "how": self.how
        }  # fmt: skip
        if self.estimate is not None:
            told["estimate"] = list(self.estimate)
        return told
