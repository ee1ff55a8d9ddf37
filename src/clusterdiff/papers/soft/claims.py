"""What the paper claims, in the order of its sections."""

from __future__ import annotations

from clusterdiff.papers.paper import Claim
from clusterdiff.papers.soft import section_2 as background
from clusterdiff.papers.soft import section_3_rough as rough
from clusterdiff.papers.soft import section_3_transport as carried
from clusterdiff.papers.soft import section_4_1 as sampled
from clusterdiff.papers.soft import section_4_2 as pairs
from clusterdiff.papers.soft import section_4_3 as moves

CLAIMS: tuple[Claim, ...] = (
    *background.CLAIMS,
    *rough.CLAIMS,
    *carried.CLAIMS,
    *sampled.CLAIMS,
    *pairs.CLAIMS,
    *moves.CLAIMS,
)
