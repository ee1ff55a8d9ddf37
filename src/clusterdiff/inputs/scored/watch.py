"""What scores look like while they are read: most of them the same, or distances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffWarning
from clusterdiff.errors.warn import warn
from clusterdiff.inputs.scored.pairs import PairChunk, ScoredSource

FEWEST = 100
"""Pairs below which nothing is said."""
MUCH = 0.25
"""The share of pairs with the strongest score from which on it is said."""
HELD = 1 << 20
"""Scores that are held of each sort of pairs; of more, every second is dropped."""


@dataclass(eq=False)
class _Some:
    """Scores of one sort of pairs, evenly spread over those that came."""

    held: list[Floats] = field(default_factory=list)
    size: int = 0
    step: int = 1
    seen: int = 0

    def add(self, scores: Floats) -> None:
        first = -self.seen % self.step
        self.seen += scores.size
        taken = scores[first :: self.step]
        self.held.append(taken)
        self.size += taken.size
        while self.size > HELD:
            every = np.concatenate(self.held)[::2]
            self.held, self.size, self.step = [every], every.size, 2 * self.step

    def median(self) -> float:
        return float(np.median(np.concatenate(self.held)))


class ScoreWatch:
    """Looks at scores on their way: how many share the strongest one, and whether pairs of one
    true cluster score higher than others.
    """

    def __init__(self, scored: ScoredSource, truth: Ints) -> None:
        self._scored, self._truth = scored, truth
        self._top, self._same, self._count = float("nan"), 0, 0
        self._within, self._between = _Some(), _Some()

    def through(self, chunks: Iterable[PairChunk]) -> Iterator[PairChunk]:
        """The same chunks."""
        for chunk in chunks:
            if chunk.score.size:
                self._see(chunk)
            yield chunk

    def _see(self, chunk: PairChunk) -> None:
        strongest = float(chunk.score.min() if self._scored.distance else chunk.score.max())
        stronger = strongest < self._top if self._scored.distance else strongest > self._top
        if stronger or self._count == 0:
            self._top, self._same = strongest, 0
        self._same += int((chunk.score == self._top).sum())
        self._count += chunk.score.size
        left, right = self._truth[chunk.left], self._truth[chunk.right]
        counted = (left >= 0) & (right >= 0) & (chunk.left != chunk.right)
        within = counted & (left == right)
        self._within.add(chunk.score[within])
        self._between.add(chunk.score[counted & ~within])

    def warn(self) -> None:
        """Say what looks wrong, if there are enough pairs to say it."""
        if self._count < FEWEST:
            return
        self._warn_of_direction()
        share = self._same / self._count
        if share >= MUCH and self._same < self._count:
            self._warn_of_top(share)

    def _warn_of_direction(self) -> None:
        if min(self._within.seen, self._between.seen) < FEWEST // 10:
            return
        within, between = self._within.median(), self._between.median()
        distance = self._scored.distance
        if within > between if distance else within < between:
            say = "higher" if distance else "lower"
            warn(
                ClusterdiffWarning(
                    f"pairs of one true cluster score {say} (median {within:.4g}) than others "
                    f"({between:.4g}).",
                    f"distance={not distance}?",
                    "--similarity?" if distance else "--distance?",
                ),
                ClusterdiffWarning,
            )

    def _warn_of_top(self, share: float) -> None:
        hint = "thresholds cannot tell these pairs apart; a finer score could."
        if self._scored.score_name.strip().lower() == "match_probability":
            hint = "match_weight tells them apart where match_probability cannot."
        warn(
            ClusterdiffWarning(
                f"{share:.0%} of the pairs score {self._top!r} exactly.".replace("%", " %", 1),
                hint,
            ),
            ClusterdiffWarning,
        )
