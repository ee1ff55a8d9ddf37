"""Scores that are estimates: drawn at random, with a standard error."""

from __future__ import annotations


class Estimate(float):
    """A score estimated from what was drawn at random, with its standard error."""

    error: float
    drawn: int
    what: str

    def __new__(cls, value: float, error: float, drawn: int, what: str = "objects") -> Estimate:
        """The score, its standard error, and from how much of what it comes: objects or draws."""
        made = super().__new__(cls, value)
        made.error, made.drawn, made.what = error, drawn, what
        return made

    def __reduce__(self) -> tuple[type[Estimate], tuple[float, float, int, str]]:
        return Estimate, (float(self), self.error, self.drawn, self.what)
