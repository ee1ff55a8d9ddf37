"""What the paper on soft clusterings claims, in its order, each with the search that tries it."""

from __future__ import annotations

from clusterdiff.papers import (
    soft_background,
    soft_carried,
    soft_moves,
    soft_pairs,
    soft_rough,
    soft_sampled,
)
from clusterdiff.papers.base import Claim

CLAIMS: tuple[Claim, ...] = (
    *soft_background.CLAIMS,
    *soft_rough.CLAIMS,
    *soft_carried.CLAIMS,
    *soft_sampled.CLAIMS,
    *soft_pairs.CLAIMS,
    *soft_moves.CLAIMS,
)
