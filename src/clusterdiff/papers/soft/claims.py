"""What the paper claims, in the order of its sections."""

from __future__ import annotations

from clusterdiff.papers.base import Claim
from clusterdiff.papers.soft import background, carried, moves, pairs, rough, sampled

CLAIMS: tuple[Claim, ...] = (
    *background.CLAIMS,
    *rough.CLAIMS,
    *carried.CLAIMS,
    *sampled.CLAIMS,
    *pairs.CLAIMS,
    *moves.CLAIMS,
)
