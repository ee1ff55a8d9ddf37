"""Precision and recall of pairs from labels of people, who saw some pairs of each stratum.

A stratum is a set of pairs from which some are drawn at random and labelled: those that the guess
puts together (predicted), those that blocking offered and the guess keeps apart, those that no
block offered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from clusterdiff.statistics.refusals import LabelledPairsError

TOO_FEW = 2
"""Labels of a stratum below which its spread is not known."""


class Stratum(NamedTuple):
    """Pairs of which some are labelled: a match, or none.

    >>> Stratum("offered", pairs=8000, labelled=200, matches=4).estimate
    160.0
    """

    name: str
    pairs: int
    """All pairs of the stratum."""
    labelled: int
    """Those that were drawn at random and labelled."""
    matches: int
    """Those among them that belong together."""
    predicted: bool = False
    """Whether the guess puts these pairs together."""
    blocked: bool = True
    """Whether blocking offered these pairs to the guess."""

    @property
    def share(self) -> float:
        """Share of matches among the labelled pairs."""
        return self.matches / self.labelled

    @property
    def estimate(self) -> float:
        """Matches of the whole stratum, estimated."""
        return self.pairs * self.matches / self.labelled

    @property
    def variance(self) -> float:
        """Variance of this estimate, for pairs drawn without replacement."""
        if self.labelled == self.pairs:
            return 0.0
        left = 1 - self.labelled / self.pairs
        return self.pairs**2 * left * self.share * (1 - self.share) / (self.labelled - 1)

    @property
    def is_blind(self) -> bool:
        """Whether no match was seen, and some may be among the pairs that were not labelled."""
        return not self.predicted and not self.matches and self.labelled < self.pairs

    def hidden(self, confidence: float) -> float:
        """How many matches a stratum may have in which none was seen."""
        return self.pairs * -math.expm1(math.log((1 - confidence) / 2) / self.labelled)


@dataclass(frozen=True)
class Estimated:
    """A number with its interval; where only the low end is known, the others are None."""

    value: float | None
    low: float | None
    high: float | None
    refused: str = ""
    """Why there is no number, or no more than its low end."""


def wilson(
    matches: int, labelled: int, confidence: float = 0.95, pairs: int | None = None
) -> tuple[float, float]:
    """Wilson's interval for a share; `pairs` is how many there are, where they are not endless.

    >>> [round(end, 6) for end in wilson(45, 50)]
    [0.786398, 0.956524]
    """
    left = 1.0 if pairs is None else _left(pairs, labelled)
    return _wilson(matches / labelled, _normal(confidence) ** 2 * left / labelled)


def precision(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimated:
    """Share of the predicted pairs that belong together.

    Wilson's interval with the correction for a finite population. Over several strata its width
    is that of the stratified estimate; a stratum whose labels are all alike says nothing of its
    spread and is given that of all.
    """
    predicted = [s for s in strata if s.predicted]
    every = sum(s.pairs for s in predicted)
    value = math.fsum(s.estimate for s in predicted) / every
    spread = value * (1 - value)
    widening = math.fsum(
        (s.pairs / every) ** 2
        * _left(s.pairs, s.labelled)
        / s.labelled
        * (s.share * (1 - s.share) / spread if 0 < s.matches < s.labelled else 1.0)
        for s in predicted
    )
    return Estimated(value, *_wilson(value, _normal(confidence) ** 2 * widening))


def recall(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimated:
    """Share of the pairs of these strata that belong together that are predicted.

    Definition:  R = TP / (TP + FN), TP and FN estimated stratum by stratum; the interval is
    logit R ± z √(cv²(TP) + cv²(FN))

    A stratum without a match among its labels may hide N (1 - (α/2)^(1/m)) of them: these are
    missed pairs at the low end, and there is no more than that end.
    """
    found, missed = ([s for s in strata if s.predicted is side] for side in (True, False))
    if not missed:
        return Estimated(None, None, None, "no stratum has pairs that were not predicted")
    true, false = (math.fsum(s.estimate for s in some) for some in (found, missed))
    if not true:
        return Estimated(None, None, None, "no predicted pair is labelled as a match")
    blind = [s for s in missed if s.is_blind]
    hidden = math.fsum(s.hidden(confidence) for s in blind)
    if false:
        noise = math.fsum(
            math.fsum(s.variance for s in some) / total**2
            for some, total in ((found, true), (missed, false))
        )
        reach = _normal(confidence) * math.sqrt(noise)
        odds = false / true
        low, high = 1 / (1 + odds * math.exp(reach)), 1 / (1 + odds * math.exp(-reach))
    else:
        share = precision(found, confidence)
        assert share.low is not None
        true = share.low * sum(s.pairs for s in found)
        low = high = 1.0
    if not blind:
        return Estimated(1 / (1 + false / true), low, high)
    names = ", ".join(s.name for s in blind)
    return Estimated(None, 1 / (1 / low + hidden / true), None, f"no match was seen in {names}")


def check_strata(strata: Sequence[Stratum]) -> None:
    """Refuse strata that cannot be, or that say too little."""
    if not strata:
        raise LabelledPairsError.from_nothing()
    names = [s.name for s in strata]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise LabelledPairsError.from_repeated(twice)
    for s in strata:
        if not 0 <= s.matches <= s.labelled <= s.pairs:
            raise LabelledPairsError.from_counts(s.name, s.matches, s.labelled, s.pairs)
        if not s.pairs:
            raise LabelledPairsError.from_no_pairs(s.name)
        if s.labelled < min(TOO_FEW, s.pairs):
            raise LabelledPairsError.from_few(s.name, s.labelled, s.pairs)
        if s.predicted and not s.blocked:
            raise LabelledPairsError.from_unblocked(s.name)
    if not any(s.predicted for s in strata):
        raise LabelledPairsError.from_none_predicted(names)


def _left(pairs: int, labelled: int) -> float:
    """The finite population correction of a variance."""
    return (pairs - labelled) / (pairs - 1) if pairs > 1 else 0.0


def _wilson(share: float, widening: float) -> tuple[float, float]:
    """Wilson's interval; `widening` is z²/m."""
    centre = share + widening / 2
    half = math.sqrt(share * (1 - share) * widening + widening**2 / 4)
    low, high = ((centre + end) / (1 + widening) for end in (-half, half))
    return max(low, 0.0), min(high, 1.0)


def _normal(confidence: float) -> float:
    """The quantile of the normal distribution for a two-sided interval."""
    return NormalDist().inv_cdf((1 + confidence) / 2)
